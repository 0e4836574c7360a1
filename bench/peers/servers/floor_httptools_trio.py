# bench: name = bare httptools + trio
# bench: role = floor
# bench: modes = http
# bench: scenarios = call
# bench: variant = fixed
# bench: note = the C parser of uvicorn's fast path in place of h11
#
# bench: name = httptools + trio + msgspec, real work
# bench: role = floor
# bench: modes = http
# bench: variant = work
# bench: note = the same work as with h11
"""A bare HTTP/1.1 server on httptools and trio: a fixed answer, or the least real MCP work."""

import sys

import httptools
import trio
from floor_asgi import BODY
from floor_common import respond

FIXED = sys.argv[4] == "fixed"
RESPONSE = b"HTTP/1.1 %d \r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s"


class Exchange:
    """What httptools calls back; answers gather in `out`."""

    headers: list[tuple[bytes, bytes]]

    def __init__(self) -> None:
        self.parser = httptools.HttpRequestParser(self)
        self.out: list[bytes] = []

    def on_message_begin(self) -> None:
        self.target, self.headers, self.body = b"", [], b""

    def on_url(self, url: bytes) -> None:
        self.target += url

    def on_header(self, name: bytes, value: bytes) -> None:
        self.headers.append((name.lower(), value))

    def on_body(self, data: bytes) -> None:
        self.body += data

    def on_message_complete(self) -> None:
        if FIXED:
            status, data = 200, BODY
        else:
            status, data = respond(self.parser.get_method(), self.target, self.headers, self.body)
        self.out.append(RESPONSE % (status, len(data), data))


async def serve(stream: trio.SocketStream) -> None:
    stream.setsockopt(6, 1, 1)  # TCP_NODELAY
    exchange = Exchange()
    async with stream:
        try:
            while data := await stream.receive_some(65536):
                exchange.parser.feed_data(data)
                while exchange.out:
                    await stream.send_all(exchange.out.pop(0))
        except trio.BrokenResourceError:
            return


async def main() -> None:
    await trio.serve_tcp(serve, int(sys.argv[2]), host="127.0.0.1")


trio.run(main)
