# bench: name = bare h11 + trio
# bench: role = floor
# bench: modes = http
# bench: scenarios = call
# bench: variant = fixed
#
# bench: name = h11 + trio + msgspec, real work
# bench: role = floor
# bench: modes = http
# bench: variant = work
# bench: note = checks headers against the body, decodes, adds, encodes: the least that MCP asks
"""A bare HTTP/1.1 server on h11 and trio, with a fixed answer or with the least real MCP work."""

import sys
from typing import Any

import h11
import trio
from floor_asgi import BODY
from floor_common import respond

FIXED = sys.argv[4] == "fixed"


async def serve(stream: trio.SocketStream) -> None:
    stream.setsockopt(6, 1, 1)  # TCP_NODELAY
    connection = h11.Connection(h11.SERVER)
    request: Any = None
    body = b""
    async with stream:
        while True:
            event = connection.next_event()
            if event is h11.NEED_DATA:
                try:
                    connection.receive_data(await stream.receive_some(65536))
                except trio.BrokenResourceError:
                    return
            elif type(event) is h11.Request:
                request, body = event, b""
            elif type(event) is h11.Data:
                body += event.data
            elif type(event) is h11.EndOfMessage:
                if FIXED:
                    status, data = 200, BODY
                else:
                    status, data = respond(request.method, request.target, request.headers, body)
                headers = [
                    (b"content-type", b"application/json"),
                    (b"content-length", b"%d" % len(data)),
                ]
                head = connection.send(h11.Response(status_code=status, headers=headers))
                out = (
                    head
                    + connection.send(h11.Data(data=data))
                    + connection.send(h11.EndOfMessage())
                )
                try:
                    await stream.send_all(out)
                except trio.BrokenResourceError:
                    return
                if connection.our_state is not h11.DONE:
                    return
                connection.start_next_cycle()
            else:
                return


async def main() -> None:
    await trio.serve_tcp(serve, int(sys.argv[2]), host="127.0.0.1")


trio.run(main)
