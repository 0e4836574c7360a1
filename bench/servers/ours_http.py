# bench: name = sansmcp on hypercorn, asyncio
# bench: role = candidate
# bench: modes = http
# bench: variant = hypercorn-asyncio
#
# bench: name = sansmcp on hypercorn, trio
# bench: role = candidate
# bench: modes = http
# bench: variant = hypercorn-trio
#
# bench: name = sansmcp on uvicorn, h11
# bench: role = candidate
# bench: modes = http
# bench: variant = uvicorn-h11
#
# bench: name = sansmcp on uvicorn, httptools+uvloop
# bench: role = candidate
# bench: modes = http
# bench: variant = uvicorn-httptools
#
# bench: name = sansmcp on granian
# bench: role = candidate
# bench: modes = http
# bench: variant = granian
#
# bench: name = sansmcp's own loop, h11
# bench: role = candidate
# bench: modes = http
# bench: variant = own-h11
#
# bench: name = sansmcp's own loop, httptools
# bench: role = candidate
# bench: modes = http
# bench: variant = own-httptools
#
# bench: name = sansmcp async on uvicorn, h11
# bench: role = variant
# bench: modes = http
# bench: scenarios = call
# bench: variant = uvicorn-h11 async
#
# bench: name = sansmcp blocking on uvicorn, h11
# bench: role = variant
# bench: modes = http
# bench: scenarios = call
# bench: variant = uvicorn-h11 blocking
#
# bench: name = sansmcp async, own loop, httptools
# bench: role = variant
# bench: modes = http
# bench: scenarios = call
# bench: variant = own-httptools async
#
# bench: name = sansmcp blocking, own loop, httptools
# bench: role = variant
# bench: modes = http
# bench: scenarios = call
# bench: variant = own-httptools blocking
# bench: note = `def add` in a thread; rows without a word on it run `add` inline
"""Our server over HTTP: the app on every ASGI server, and the loop of our own."""
# ruff: noqa: ERA001, PLC0415 - a runner reads the lines above; one server of many is loaded

import sys
from pathlib import Path
from typing import Any

from bench_tools import make_server

PORT, TOOLS = int(sys.argv[2]), int(sys.argv[3])
CARRIER, _, MODE = sys.argv[4].partition(" ")


def serve_own(parser: Any) -> None:
    """Serve with the loop of our own."""
    import sansmcp_h11

    sansmcp_h11.run(make_server(TOOLS, MODE or "inline"), "127.0.0.1", PORT, parser=parser)


def serve_hypercorn(worker: str) -> None:
    """Serve with hypercorn, on asyncio or trio."""
    from hypercorn.config import Config

    config = Config()
    config.bind = [f"127.0.0.1:{PORT}"]
    config.errorlog = None
    config.keep_alive_max_requests = 10**9
    if worker == "trio":
        import trio
        from hypercorn.trio import serve as serve_trio

        trio.run(serve_trio, app, config)
    else:
        import asyncio

        from hypercorn.asyncio import serve as serve_asyncio

        asyncio.run(serve_asyncio(app, config))


def serve_uvicorn(http: str) -> None:
    """Serve with uvicorn, with the loop that belongs to the parser."""
    import uvicorn

    loop = "uvloop" if http == "httptools" else "asyncio"
    uvicorn.run(
        app,
        host="127.0.0.1",
        port=PORT,
        http=http,
        loop=loop,
        log_level="warning",
        access_log=False,
    )


def serve_granian() -> None:
    """Serve with granian: its worker imports this file anew, with the same command line."""
    from granian import Granian
    from granian.constants import Interfaces

    sys.path.insert(0, str(Path(__file__).parent))
    Granian(
        "ours_http:app",
        address="127.0.0.1",
        port=PORT,
        interface=Interfaces.ASGI,
        workers=1,
        log_enabled=False,
    ).serve()


if not CARRIER.startswith("own"):
    from sansmcp_asgi import McpApp

    app: Any = McpApp(make_server(TOOLS, MODE or "inline"))

if __name__ == "__main__":
    kind, _, choice = CARRIER.partition("-")
    if kind == "own":
        serve_own(choice)
    elif kind == "hypercorn":
        serve_hypercorn(choice)
    elif kind == "uvicorn":
        serve_uvicorn(choice)
    else:
        serve_granian()
