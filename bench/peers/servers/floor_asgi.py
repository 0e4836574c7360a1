# bench: name = ASGI on hypercorn, asyncio
# bench: role = floor
# bench: modes = http
# bench: scenarios = call
# bench: variant = hypercorn-asyncio
#
# bench: name = ASGI on hypercorn, trio
# bench: role = floor
# bench: modes = http
# bench: scenarios = call
# bench: variant = hypercorn-trio
#
# bench: name = ASGI on uvicorn, h11
# bench: role = floor
# bench: modes = http
# bench: scenarios = call
# bench: variant = uvicorn-h11
#
# bench: name = ASGI on uvicorn, httptools+uvloop
# bench: role = floor
# bench: modes = http
# bench: scenarios = call
# bench: variant = uvicorn-httptools
#
# bench: name = ASGI on granian
# bench: role = floor
# bench: modes = http
# bench: scenarios = call
# bench: variant = granian
"""The bare cost of an ASGI server: read the body, answer a fixed result."""

import sys
from pathlib import Path
from typing import Any

BODY = (
    b'{"jsonrpc":"2.0","id":1,"result":{"content":[{"text":"8888888","type":"text"}],"isError":false,'
    b'"resultType":"complete","structuredContent":{"result":8888888},'
    b'"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"bench","version":"1.0"}}}}'
)
START = {
    "type": "http.response.start",
    "status": 200,
    "headers": [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(BODY)).encode()),
    ],
}
END = {"type": "http.response.body", "body": BODY}


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Answer every request alike."""
    if scope["type"] == "lifespan":
        while True:
            event = await receive()
            await send({"type": event["type"] + ".complete"})
            if event["type"] == "lifespan.shutdown":
                return
    while (await receive()).get("more_body"):
        pass
    await send(START)
    await send(END)


def main(port: int, variant: str) -> None:
    """Serve on the server that the variant names."""
    if variant.startswith("hypercorn"):
        from hypercorn.config import Config

        config = Config()
        config.bind = [f"127.0.0.1:{port}"]
        config.errorlog = None
        config.keep_alive_max_requests = 10**9
        if variant == "hypercorn-trio":
            import trio
            from hypercorn.trio import serve as serve_trio

            trio.run(serve_trio, app, config)
        else:
            import asyncio

            from hypercorn.asyncio import serve as serve_asyncio

            asyncio.run(serve_asyncio(app, config))
    elif variant.startswith("uvicorn"):
        import uvicorn

        http, loop = (
            ("httptools", "uvloop") if variant == "uvicorn-httptools" else ("h11", "asyncio")
        )
        uvicorn.run(
            app,
            host="127.0.0.1",
            port=port,
            http=http,
            loop=loop,
            log_level="warning",
            access_log=False,
        )
    else:
        sys.path.insert(0, str(Path(__file__).parent))
        from granian import Granian
        from granian.constants import Interfaces

        Granian(
            "floor_asgi:app",
            address="127.0.0.1",
            port=port,
            interface=Interfaces.ASGI,
            workers=1,
            log_enabled=False,
        ).serve()


if __name__ == "__main__":
    main(int(sys.argv[2]), sys.argv[4])
