"""``run``: serve until a signal comes, in a loop of its own."""

import gc
import ssl
import sys
from collections.abc import Callable
from functools import partial
from typing import Any, Literal, TypeAlias

import anyio
from sansmcp_core import Server
from sansmcp_core.http import HttpSettings
from sansmcp_runtime.loops import Loop, current_loop, use_daemon_threads
from sansmcp_runtime.pool import DEFAULT_MAX_THREADS
from sansmcp_runtime.signals import StopSignals

from ._limits import DEFAULT_CONNECTION_LIMITS, ConnectionLimits
from ._listeners import Listener, bind
from ._parser import ParserName
from ._serve import Address, Options, check, serve_on

__all__ = ["BACKENDS", "Backend", "Stopper", "run", "run_loop"]

Backend: TypeAlias = Literal["trio", "asyncio"]

BACKENDS: tuple[Backend, ...] = ("trio", "asyncio")


def run(
    server: Server,
    host: str = "127.0.0.1",
    port: int = 3000,
    *,
    backend: Backend = "trio",
    settings: HttpSettings | None = None,
    limits: ConnectionLimits = DEFAULT_CONNECTION_LIMITS,
    ssl_context: ssl.SSLContext | None = None,
    parser: ParserName = "h11",
    max_threads: int = DEFAULT_MAX_THREADS,
    drain_s: float = 5.0,
) -> None:
    """Serve ``server`` over HTTP/1.1 until SIGTERM or Ctrl-C; returns when it has ended.

    Where it can be reached is printed to standard error. The first signal ends it as ``stop`` does
    in ``serve``, a second one at once. Signals are handled in the main thread only.

    Args:
        server: What is served.
        host: As in ``serve``.
        port: The port; 0 for any that is free.
        backend: The event loop; handlers that use asyncio libraries need ``asyncio``.
        settings: The switches of the endpoint.
        limits: The bounds of connections.
        ssl_context: A certificate, for TLS.
        parser: ``h11``, or ``httptools``, which is faster and comes with ``sansmcp-h11[fast]``.
        max_threads: The most blocking calls that run at once.
        drain_s: Seconds that calls are given to end.

    Raises:
        OSError: The host has no address here, or the port is taken.
        ImportError: The parser's package is not installed.
        TypeError: ``server`` is no Server, or its lifespan no context manager.
        ValueError: There is no such parser or backend.
    """
    options = Options(settings or HttpSettings(), limits, ssl_context, parser, max_threads, drain_s)
    check(server, options)
    check_backend(backend)
    listeners = bind(host, port)
    stopper = Stopper()
    with StopSignals() as signals:
        signals.call(stopper.stop)
        run_loop(listeners, server, options, backend, stopper, _announce, is_own_process=True)


class Stopper:
    """Ends a server that runs in some thread's loop; may be told so before it has begun."""

    def __init__(self) -> None:
        self._asked = 0
        self._loop: Loop | None = None
        self._event: anyio.Event
        self._scope: anyio.CancelScope

    def stop(self, at_once: bool = False) -> None:
        """End the server; from any thread or signal handler.

        Args:
            at_once: Give running calls no more time.
        """
        self._asked = max(self._asked, 2 if at_once else 1)
        if self._loop is not None:
            self._loop.post(self._see)

    def attend(self, scope: anyio.CancelScope) -> None:
        """Begin to do as told, in the loop's thread; ``scope`` surrounds the server."""
        self._scope = scope
        self._event = anyio.Event()
        self._loop = current_loop()
        self._see()

    async def wait(self) -> None:
        """Wait until the end is asked for."""
        await self._event.wait()

    def _see(self) -> None:
        if self._asked:
            self._event.set()
        if self._asked > 1:
            self._scope.cancel()


def check_backend(backend: str) -> None:
    """Raise ValueError where there is no such backend."""
    if backend not in BACKENDS:
        raise ValueError(f"backend must be one of {', '.join(BACKENDS)}, got {backend!r}")


def run_loop(
    listeners: list[Listener],
    server: Server,
    options: Options,
    backend: Backend,
    stopper: Stopper,
    started: Callable[[Address], None],
    *,
    is_own_process: bool,
) -> None:
    """Serve in a new event loop, in the current thread, until the stopper is told to stop.

    Args:
        listeners: Where to serve; closed at the end.
        server: What is served.
        options: How.
        backend: In which loop.
        stopper: Ends it.
        started: Called once connections are accepted.
        is_own_process: Whether nothing else of importance lives in this process.
    """
    status = _Status(started, is_own_process=is_own_process)
    main = partial(_main, listeners, server, options, stopper, status)
    backend_options: dict[str, Any] = {}
    if backend == "asyncio" and sys.platform == "win32":
        from asyncio import SelectorEventLoop  # noqa: PLC0415 - only where it is chosen

        backend_options["loop_factory"] = SelectorEventLoop
    try:
        anyio.run(main, backend=backend, backend_options=backend_options)
    finally:
        for listener in listeners:
            listener.sock.close()


async def _main(
    listeners: list[Listener],
    server: Server,
    options: Options,
    stopper: Stopper,
    status: "_Status",
) -> None:
    if current_loop().name == "asyncio":
        use_daemon_threads(options.max_threads, "sansmcp-h11-asyncio")
    with anyio.CancelScope() as scope:
        stopper.attend(scope)
        await serve_on(listeners, server, options, stop=stopper.wait, task_status=status)


class _Status:
    """What is to happen when the server has started."""

    def __init__(self, started: Callable[[Address], None], *, is_own_process: bool) -> None:
        self._started = started
        self._is_own_process = is_own_process

    def started(self, value: Address) -> None:
        """Pass on where it can be reached."""
        if self._is_own_process:
            gc.freeze()  # what is there by now stays
        self._started(value)


def _announce(address: Address) -> None:
    sys.stderr.write(f"sansmcp_h11: serving at {address.url} (Ctrl-C ends it)\n")
    sys.stderr.flush()
