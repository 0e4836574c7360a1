"""A server to be loaded, in a process of its own, which tells its own numbers.

Its one argument is the options as JSON; where it listens is written to standard error.
"""

import argparse
import asyncio
import contextlib
import resource
import signal
import socket
import sys
import threading
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import msgspec
from anyio.lowlevel import checkpoint
from sansmcp_core import Context, Limits, Server, Settings
from sansmcp_core.http import Endpoint, HttpSettings

__all__ = ["ADAPTERS", "make_server"]

ADAPTERS = ("h11", "uvicorn", "hypercorn")

endpoints: list[Endpoint] = []
"""Every endpoint of this process, the newest last."""


def watch_endpoints() -> None:
    """Note each endpoint that is made: adapters keep theirs to themselves."""
    make = Endpoint.__init__

    def noting(self: Endpoint, *args: Any, **options: Any) -> None:
        make(self, *args, **options)
        endpoints.append(self)

    Endpoint.__init__ = noting  # type: ignore[method-assign]


# -- numbers --------------------------------------------------------------------------------------


def memory() -> dict[str, int]:
    """Resident memory in KiB, now and at most since ``forget_peak``."""
    if not Path("/proc/self/status").exists():
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return {"rss_kib": peak, "peak_kib": peak}
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    fields = dict(line.split(":", 1) for line in lines)
    found = {"rss_kib": "VmRSS", "peak_kib": "VmHWM"}
    return {name: int(fields[field].split()[0]) for name, field in found.items()}


def forget_peak() -> None:
    """Let the peak of resident memory begin anew; Linux only."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def tasks_alive() -> int:
    """How many tasks the current event loop has."""
    if "trio" in sys.modules:
        import trio  # noqa: PLC0415 - only where it runs

        if trio.lowlevel.in_trio_run():
            return trio.lowlevel.current_statistics().tasks_living
    return len(asyncio.all_tasks())


def descriptors_open() -> int:
    """How many descriptors this process has."""
    for folder in ("/proc/self/fd", "/dev/fd"):
        if Path(folder).exists():
            return len(list(Path(folder).iterdir()))
    return 0


def numbers() -> dict[str, int]:
    """What this process holds at the moment; the request that asks is among it."""
    endpoint = endpoints[-1]
    return {
        "exchanges": endpoint.exchanges_open,
        "calls": endpoint.calls_open,
        "streams": endpoint.streams_open,
        "listeners": len(endpoint.server.hub._listeners),
        "threads": threading.active_count(),
        "tasks": tasks_alive(),
        "descriptors": descriptors_open(),
        **memory(),
    }


# -- what is served -------------------------------------------------------------------------------


class Gate:
    """Where calls wait until somebody opens it."""

    def __init__(self) -> None:
        self._opened: anyio.Event | None = None
        self.waiting = 0
        """How many calls wait."""

    async def pass_through(self) -> None:
        """Wait until it is opened the next time."""
        if self._opened is None:
            self._opened = anyio.Event()
        self.waiting += 1
        try:
            await self._opened.wait()
        finally:
            self.waiting -= 1

    def open(self) -> None:
        """Let everybody through who waits now."""
        if self._opened is not None:
            self._opened.set()
            self._opened = None


def make_server(limits: Limits) -> Server:
    """A server whose tools wait, fail, change things and count.

    Args:
        limits: The bounds of its calls.
    """
    server = Server("load", "1", settings=Settings(limits=limits))
    gate = Gate()

    @server.tool(inline=True)
    def measure(anew: bool = False) -> dict[str, int]:
        if anew:
            forget_peak()
        return {"waiting": gate.waiting, **numbers()}

    @server.tool(inline=True)
    def release() -> str:
        gate.open()
        return "released"

    @server.tool
    async def change(uri: str, times: int = 1) -> str:
        for _ in range(times):
            server.resource_updated(uri)
            await checkpoint()
        return "changed"

    add_tools(server, gate)
    return server


def add_tools(server: Server, gate: Gate) -> None:
    """Add what takes time, or goes wrong."""

    @server.tool(inline=True)
    def echo(text: str) -> str:
        return text

    @server.tool
    async def wait() -> str:
        await gate.pass_through()
        return "waited"

    @server.tool
    async def work(seconds: float) -> str:
        await anyio.sleep(seconds)
        return "worked"

    @server.tool
    def block(text: str) -> str:
        return text

    @server.tool
    async def stumble(ctx: Context) -> str:
        ctx.log("error", "about to fail")
        await anyio.sleep(0.05)
        raise RuntimeError("broken")

    @server.resource("load://changing")
    def changing() -> str:
        return "something"


# -- how it is served -----------------------------------------------------------------------------


class Options(msgspec.Struct):
    """What the command line says."""

    adapter: str
    backend: str
    parser: str
    drain_s: float
    send_timeout_s: float
    limits: dict[str, Any]
    http: dict[str, Any]
    connections: dict[str, Any]


def serve_h11(server: Server, options: Options) -> None:
    """Serve with the adapter that has its own HTTP."""
    from sansmcp_h11 import ConnectionLimits, run  # noqa: PLC0415 - one adapter is loaded

    limits = {"max_connections": 4096, "write_s": options.send_timeout_s, **options.connections}
    run(
        server,
        port=0,
        backend=options.backend,  # type: ignore[arg-type]
        parser=options.parser,  # type: ignore[arg-type]
        settings=HttpSettings(**options.http),
        limits=ConnectionLimits(**limits),
        drain_s=options.drain_s,
    )


def serve_asgi(server: Server, options: Options) -> None:
    """Serve as an ASGI app."""
    from sansmcp_asgi import McpApp  # noqa: PLC0415 - one adapter is loaded

    app = McpApp(
        server,
        HttpSettings(**options.http),
        drain_s=options.drain_s,
        send_timeout_s=options.send_timeout_s,
    )
    sock = socket.create_server(("127.0.0.1", 0), backlog=2048)
    announce(f"http://127.0.0.1:{sock.getsockname()[1]}/mcp")
    if options.adapter == "uvicorn":
        import uvicorn  # noqa: PLC0415 - one server is loaded

        config = uvicorn.Config(
            app,
            http=options.parser,
            loop="asyncio",
            log_level="warning",
            timeout_graceful_shutdown=max(1, round(options.drain_s)),
        )
        uvicorn.Server(config).run(sockets=[sock])
    else:
        serve_hypercorn(app, sock, options)


def serve_hypercorn(app: Any, sock: socket.socket, options: Options) -> None:
    """Serve an ASGI app under hypercorn, on asyncio or trio."""
    from hypercorn.config import Config  # noqa: PLC0415 - one server is loaded

    config = Config()
    config.bind = [f"fd://{sock.detach()}"]
    config.backlog = 2048
    config.loglevel = "WARNING"
    config.graceful_timeout = options.drain_s
    config.keep_alive_timeout = 1.0  # it keeps connections so long that clients have closed
    if options.backend == "trio":
        import trio  # noqa: PLC0415 - one loop is loaded
        from hypercorn.trio import serve as serve_trio  # noqa: PLC0415

        async def until_asked() -> None:
            with trio.open_signal_receiver(signal.SIGTERM) as signals:
                await anext(signals)

        trio.run(partial(serve_trio, app, config, shutdown_trigger=until_asked))
        return
    from hypercorn.asyncio import serve as serve_asyncio  # noqa: PLC0415

    asyncio.run(serve_asyncio(app, config))


def announce(url: str) -> None:
    """Tell where it is served."""
    sys.stderr.write(f"serving at {url}\n")
    sys.stderr.flush()


def main() -> None:
    """Serve as the command line says, until a signal comes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("options", help="the options as JSON")
    options = msgspec.json.decode(parser.parse_args().options, type=Options)
    watch_endpoints()
    server = make_server(Limits(**options.limits))
    if options.adapter == "h11":
        serve_h11(server, options)
    else:
        serve_asgi(server, options)


if __name__ == "__main__":
    main()
