"""A real ASGI server in a process of its own: ``python asgi_served.py SERVER FD|PORT [CERT KEY]``.

The file is both: what the process runs, and what tests start it with. Handlers and the log write
what happens to standard output, line by line.
"""

import asyncio
import contextlib
import logging
import os
import queue
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
from sansmcp_asgi import McpApp
from sansmcp_core import Context, Server
from sansmcp_core.http import HttpSettings

__all__ = ["DEADLINE_S", "SERVERS", "Served", "serving"]

DEADLINE_S = 30.0

SERVERS = ("hypercorn-asyncio", "hypercorn-trio", "uvicorn-h11", "uvicorn-httptools", "granian")


def say(what: str) -> None:
    sys.stdout.write(f"{what}\n")
    sys.stdout.flush()


@contextlib.asynccontextmanager
async def lifespan(server: Server) -> Any:
    async with anyio.create_task_group() as tasks:
        say("entered")
        yield "lifespan"
        say("left")
        tasks.cancel_scope.cancel()


server = Server("served", "1", lifespan=lifespan)
released = threading.Event()


@server.tool(inline=True)
def quick() -> str:
    return "quick"


@server.tool
def add(a: int, b: int) -> int:
    return a + b


@server.tool
async def later(ctx: Context) -> str:
    await anyio.sleep(0.01)
    return str(ctx.lifespan)


@server.tool(inline=True)
def release() -> str:
    """Let what lingers end."""
    released.set()
    return "released"


@server.resource("a://b")
def ab() -> str:
    return "ab"


@server.tool(inline=True)
def change() -> str:
    """Tell who listens."""
    server.resource_updated("a://b")
    return "changed"


@server.tool
async def linger(ctx: Context, speak: bool = False) -> str:
    """Wait until ``release`` is called."""
    if speak:
        ctx.report_progress(1, 2)
    released.clear()
    say("began")
    try:
        while not released.is_set():  # noqa: ASYNC110 - of whatever loop
            await anyio.sleep(0.01)
    except anyio.get_cancelled_exc_class():
        say("cancelled")
        raise
    say("finished")
    return "lingered"


@server.tool
def block(ctx: Context) -> str:
    """Hold a thread until ``release`` is called, or it was cancelled."""
    released.clear()
    say("began")
    until = time.monotonic() + DEADLINE_S
    while not released.is_set() and not ctx.cancelled and time.monotonic() < until:
        time.sleep(0.01)
    say("cancelled" if ctx.cancelled else "finished")
    return "blocked"


class LogLines(logging.Handler):
    """Writes the adapter's log as lines."""

    def emit(self, record: logging.LogRecord) -> None:
        say(f"log {record.levelname} {record.getMessage()}")


log = logging.getLogger("sansmcp.asgi")
log.setLevel(logging.DEBUG)
log.addHandler(LogLines())
app = McpApp(server, HttpSettings(keep_alive_s=0.3, max_body_bytes=100_000))


# -- the process -----------------------------------------------------------------------------


def run_hypercorn(worker: str, fd: int, tls: list[str]) -> None:
    from hypercorn.config import Config

    config = Config()
    config.bind = [f"fd://{fd}"]
    config.graceful_timeout = 1
    config.accesslog = None
    if tls:
        config.certfile, config.keyfile = tls
    stop = False

    def ask_to_stop(*_: object) -> None:
        nonlocal stop
        stop = True

    signal.signal(signal.SIGTERM, ask_to_stop)

    async def stopped() -> None:
        while not stop:  # noqa: ASYNC110 - told by a signal
            await anyio.sleep(0.05)

    if worker == "trio":
        import trio
        from hypercorn.trio import serve as serve_trio

        async def main() -> None:
            await serve_trio(app, config, shutdown_trigger=stopped)  # type: ignore[arg-type]

        trio.run(main)
    else:
        from hypercorn.asyncio import serve

        asyncio.run(serve(app, config, shutdown_trigger=stopped))  # type: ignore[arg-type]


def run_uvicorn(http: str, fd: int, tls: list[str]) -> None:
    import uvicorn

    certificate, key = tls or (None, None)
    config = uvicorn.Config(
        app,
        http=http,
        loop="uvloop" if http == "httptools" else "asyncio",
        fd=fd,
        log_level="warning",
        timeout_graceful_shutdown=1,
        ssl_certfile=certificate,
        ssl_keyfile=key,
    )
    uvicorn.Server(config).run()


def run_granian(port: int, tls: list[str]) -> None:
    from granian.constants import Interfaces
    from granian.server import Server as Granian

    certificate, key = (Path(name) for name in tls) if tls else (None, None)
    Granian(
        "asgi_served:app",
        address="127.0.0.1",
        port=port,
        interface=Interfaces.ASGI,
        log_enabled=False,
        ssl_cert=certificate,
        ssl_key=key,
        workers_kill_timeout=5,
    ).serve()


def main(kind: str, place: str, *tls: str) -> None:
    name, _, variant = kind.partition("-")
    if name == "granian":
        run_granian(int(place), list(tls))
    else:
        {"hypercorn": run_hypercorn, "uvicorn": run_uvicorn}[name](variant, int(place), list(tls))


# -- who starts it ---------------------------------------------------------------------------


class Served:
    """A server process.

    Args:
        process: The process.
        port: Where it listens.
    """

    def __init__(self, process: "subprocess.Popen[str]", port: int) -> None:
        self.process = process
        self.port = port
        self.heard: list[str] = []
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line.rstrip())
        self._lines.put(None)

    def wait_for(self, *texts: str, timeout_s: float = DEADLINE_S) -> str:
        """Wait until it has said something that holds one of these; return the line."""
        until = time.monotonic() + timeout_s
        while True:
            line = self._lines.get(timeout=max(0.01, until - time.monotonic()))
            assert line is not None, f"the server ended; it said {self.heard}"
            self.heard.append(line)
            if any(text in line for text in texts):
                return line

    def rest(self) -> list[str]:
        """What it says until it ends."""
        while (line := self._lines.get(timeout=DEADLINE_S)) is not None:
            self.heard.append(line)
        return self.heard


def await_listener(port: int) -> None:
    """Wait until somebody listens there."""
    until = time.monotonic() + DEADLINE_S
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), DEADLINE_S).close()
        except ConnectionRefusedError:
            assert time.monotonic() < until
            time.sleep(0.02)
        else:
            return


@contextlib.contextmanager
def serving(kind: str, *tls: str) -> Iterator[Served]:
    """Start a server; at the end it is asked to stop, and waited for."""
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    place, passed = listener.fileno(), [listener.fileno()]
    if kind == "granian":  # it binds by itself
        listener.close()
        place, passed = port, []
    process = subprocess.Popen(
        [sys.executable, __file__, kind, str(place), *tls],
        stdout=subprocess.PIPE,
        pass_fds=passed,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)},
        start_new_session=True,
    )
    listener.close()
    with process:
        try:
            served = Served(process, port)
            served.wait_for("entered")
            if kind == "granian":
                await_listener(port)
            yield served
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
            process.wait(DEADLINE_S)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


if __name__ == "__main__":
    main(*sys.argv[1:])
