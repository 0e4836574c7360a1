"""How the examples are served: over stdio, or over HTTP on either adapter.

What serves is loaded when it is wanted: a server over stdio needs no HTTP, and none needs both
adapters.
"""

import argparse
import signal
import socket
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from typing import Any

import anyio
from sansmcp_core import Server

__all__ = ["main", "main_app", "serve_app"]

ADAPTERS = ("asgi", "h11")
WORKERS = ("asyncio", "trio")


def main(server: Server) -> None:
    """Serve a server as the command line says; over stdio where it says nothing."""
    parser = argparse.ArgumentParser(description=f"Serve {server.info.name}.")
    parser.add_argument("--http", metavar="HOST:PORT", type=address, help="instead of stdio")
    parser.add_argument("--adapter", choices=ADAPTERS, default="asgi", help="what carries it")
    parser.add_argument("--worker", choices=WORKERS, default="asyncio", help="event loop")
    options = parser.parse_args()
    if options.http is None:
        from sansmcp_stdio import run  # noqa: PLC0415

        run(server)
        return
    host, port = options.http
    if options.adapter == "h11":
        anyio.run(partial(serve_sockets, server, host, port), backend=options.worker)
    else:
        from sansmcp_asgi import McpApp  # noqa: PLC0415

        mcp = McpApp(server)
        serve_app(mcp, mcp, host, port, path="/mcp", worker=options.worker)


def main_app(app: Any, mcp: Any, path: str, workers: Sequence[str] = WORKERS) -> None:
    """Serve an ASGI app on a port of 127.0.0.1.

    Args:
        app: The app.
        mcp: The McpApp that it holds, or is.
        path: Where its MCP endpoint is, to be printed.
        workers: Event loops that the app can run on.
    """
    parser = argparse.ArgumentParser(description="Serve this app on 127.0.0.1.")
    parser.add_argument("--port", type=int, default=8000, help="0 for any that is free")
    parser.add_argument("--worker", choices=workers, default="asyncio", help="event loop")
    options = parser.parse_args()
    serve_app(app, mcp, "127.0.0.1", options.port, path=path, worker=options.worker)


def serve_app(app: Any, mcp: Any, host: str, port: int, *, path: str, worker: str) -> None:
    """Serve an ASGI app with hypercorn until it is told to end; print where, once it listens."""

    async def ending() -> None:
        # Hypercorn waits for connections next, and each open stream has one.
        await told_to_end()
        mcp.end_streams()

    from hypercorn.config import Config  # noqa: PLC0415

    # Bound here, not by hypercorn, so that the port is known where 0 was asked for.
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.create_server((host, port), family=family)
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    name = f"[{host}]" if ":" in host else host
    print(f"Serving at http://{name}:{listener.getsockname()[1]}{path}", flush=True)
    config = Config()
    config.bind = [f"fd://{listener.detach()}"]
    config.loglevel = "WARNING"  # else it would repeat the address
    serve = import_module(f"hypercorn.{worker}").serve
    anyio.run(partial(serve, app, config, shutdown_trigger=ending), backend=worker)


async def serve_sockets(server: Server, host: str, port: int) -> None:
    """Serve on raw sockets until told to end; print where, once it listens."""
    from sansmcp_h11 import serve  # noqa: PLC0415

    async with anyio.create_task_group() as tasks:
        address = await tasks.start(partial(serve, server, host, port, stop=told_to_end))
        print(f"Serving at {address.url}", flush=True)


async def told_to_end() -> None:
    """Return on Ctrl-C and on SIGTERM."""
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for _ in signals:
            return


def address(text: str) -> tuple[str, int]:
    """Host and port in ``127.0.0.1:3000``, ``[::1]:3000`` or ``:3000``."""
    host, _, port = text.rpartition(":")
    return host.strip("[]") or "127.0.0.1", int(port)
