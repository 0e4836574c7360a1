"""``run``: serve standard input and output until the client goes."""

import gc
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Literal, Protocol, TypeAlias

from sansmcp_core import Report, Server
from sansmcp_runtime.lifespan import Lifespan, lifespan_of
from sansmcp_runtime.pool import DEFAULT_MAX_THREADS
from sansmcp_runtime.signals import StopSignals

from ._channel import Channel
from ._descriptors import StandardStreams
from ._log import log
from ._overseer import Overseer

__all__ = ["BACKENDS", "Backend", "run", "run_on"]

Backend: TypeAlias = Literal["threads", "trio", "asyncio"]

BACKENDS: tuple[Backend, ...] = ("threads", "trio", "asyncio")


def run(
    server: Server,
    *,
    backend: Backend | None = None,
    max_threads: int = DEFAULT_MAX_THREADS,
    drain_s: float = 2.0,
) -> None:
    """Serve ``server`` over standard input and output; returns when the client has gone.

    For the whole run, descriptors 0 and 1 belong to the protocol: what the program or its child
    processes print goes to standard error, and they read nothing. At the end of input, on SIGTERM
    and on Ctrl-C, calls are given ``drain_s`` to end, then cancelled; a thread that hangs is left
    behind and keeps nothing from ending. A second signal cuts that short. Signals are handled in
    the main thread only, but ``run`` works in any.

    A client that stops reading is not read any further, and no more calls are started for it. The
    results of calls that run by then wait in memory; everything else waits in the pipe. Where such
    a client closes its end, what it sent before is still served if it reads on within ``drain_s``.

    A handler may fork. The child ends when it comes back from the handler: only the parent serves.

    Args:
        server: What is served.
        backend: ``threads`` loads no event loop and runs plain handlers only; ``trio`` and
            ``asyncio`` run async ones, too. By default threads where neither a handler nor the
            lifespan is async, otherwise trio.
        max_threads: The most blocking calls that run at once; by default the number of
            processors and 4 more, at most 32.
        drain_s: Seconds that calls are given to end after the end of input.

    Raises:
        RegistrationError: A declaration cannot be served, such as an async handler on threads.
        RuntimeError: Standard input and output are already being served.
        TypeError: ``server`` is no Server, or its lifespan no context manager.
        ValueError: An unknown backend, or one that this server or system cannot use.

    Source: MCP 2026-07-28 basic/transports/stdio.
    """
    if not isinstance(server, Server):
        raise TypeError(f"run() takes a sansmcp_core.Server, got {_what(server)}")
    with StandardStreams() as channel:
        run_on(channel, server, backend=backend, max_threads=max_threads, drain_s=drain_s)


def run_on(
    channel: Channel,
    server: Server,
    *,
    backend: Backend | None,
    max_threads: int,
    drain_s: float,
) -> None:
    """Serve ``server`` over a channel that is taken already; see ``run``."""
    lifespan = lifespan_of(server)
    chosen = _choose(backend, server, lifespan)
    serve: Callable[..., None] = partial(_serve_on_threads, channel, server, lifespan)
    if chosen != "threads":
        from ._loops import run_in_loop  # noqa: PLC0415 - a loop, 100 ms

        serve = partial(run_in_loop, channel, server, lifespan, backend=chosen)
    overseer = Overseer(channel, drain_s)
    with StopSignals() as signals:

        def follow(connection: Served) -> None:
            overseer.follow(lambda: connection.turns)
            signals.call(partial(_stop, connection, overseer))

        serve = partial(serve, max_threads=max_threads, drain_s=drain_s)
        if not overseer.run(lambda: serve(follow)):
            channel.abandoned = True
            log(Report("warning", _LEFT_BEHIND))


class Served(Protocol):
    """What both kinds of connection show to whoever sees to their end."""

    turns: int

    def stop(self, at_once: bool) -> None:
        """End as at the end of input."""


Following: TypeAlias = Callable[[Served], None]
"""Takes a connection that is about to serve."""

_LEFT_BEHIND = (
    "a handler does not end, nor can it be stopped: it is left behind in its thread, and the "
    "server's lifespan with it"
)


def _stop(connection: Served, overseer: Overseer, at_once: bool) -> None:
    connection.stop(at_once)
    overseer.end_begun(at_once)


def _serve_on_threads(
    channel: Channel,
    server: Server,
    lifespan: Lifespan,
    follow: Following,
    *,
    max_threads: int,
    drain_s: float,
) -> None:
    from ._threads import ThreadedConnection  # noqa: PLC0415 - not for event loops

    entered = lifespan if isinstance(lifespan, AbstractContextManager) else nullcontext()
    with entered as value:
        connection = ThreadedConnection(
            server, channel, max_threads=max_threads, drain_s=drain_s, lifespan_value=value
        )
        gc.freeze()  # the process is ours: what is there by now stays
        follow(connection)
        connection.run()


def _choose(backend: Backend | None, server: Server, lifespan: Lifespan) -> Backend:
    needs_loop = not isinstance(lifespan, AbstractContextManager | None)
    if backend is None:
        backend = "trio" if needs_loop or server.has_async_handlers else "threads"
    if backend not in BACKENDS:
        raise ValueError(f"backend must be one of {', '.join(BACKENDS)}, got {backend!r}")
    if backend == "threads" and needs_loop:
        raise ValueError(
            'backend="threads" cannot enter an async lifespan; leave the backend out, or decorate '
            "the lifespan with contextlib.contextmanager"
        )
    if backend != "threads" and sys.platform == "win32":
        raise ValueError(
            f'backend="{backend}" cannot wait for standard input on Windows; make the handlers '
            'and the lifespan plain functions and use backend="threads"'
        )
    return backend


def _what(value: object) -> str:
    if isinstance(value, type):
        return f'the class {value.__name__}; make one: Server("my-server")'
    return type(value).__name__
