"""Serving in an event loop, trio's or asyncio's."""

import ssl
from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack
from typing import NamedTuple, Protocol

import anyio
from anyio.abc import TaskGroup
from sansmcp_core import Server
from sansmcp_core.http import Endpoint, HttpSettings
from sansmcp_runtime.exchanges import HttpRuntime
from sansmcp_runtime.lifespan import entered, lifespan_of
from sansmcp_runtime.loops import current_loop
from sansmcp_runtime.pool import DEFAULT_MAX_THREADS

from ._accept import Doorkeeper
from ._limits import DEFAULT_CONNECTION_LIMITS, ConnectionLimits
from ._listeners import Listener, bind
from ._parser import ParserName, parser_named
from ._readiness import readiness_of
from ._reaper import period_of, reap
from ._site import LOG, Site

__all__ = ["Address", "Options", "Started", "serve", "serve_on"]


class Address(NamedTuple):
    """Where a server can be reached."""

    host: str
    port: int
    url: str
    """The URL of its endpoint."""


class Started(Protocol):
    """Takes word that a server has started, as ``TaskStatus`` of trio and anyio do."""

    def started(self, value: Address) -> None:
        """Take where it can be reached."""


class Options(NamedTuple):
    """How a server is served, but for where."""

    settings: HttpSettings
    limits: ConnectionLimits = DEFAULT_CONNECTION_LIMITS
    ssl_context: ssl.SSLContext | None = None
    parser: ParserName = "h11"
    max_threads: int = DEFAULT_MAX_THREADS
    drain_s: float = 5.0


async def serve(
    server: Server,
    host: str = "127.0.0.1",
    port: int = 3000,
    *,
    settings: HttpSettings | None = None,
    limits: ConnectionLimits = DEFAULT_CONNECTION_LIMITS,
    ssl_context: ssl.SSLContext | None = None,
    parser: ParserName = "h11",
    max_threads: int = DEFAULT_MAX_THREADS,
    drain_s: float = 5.0,
    stop: Callable[[], Awaitable[object]] | None = None,
    task_status: Started | None = None,
) -> None:
    """Serve ``server`` over HTTP/1.1, under trio or asyncio, until ``stop`` returns.

    In the end no more is accepted, idle connections are closed, streams get their last event and
    running calls ``drain_s``; then they are cancelled. Cancelling ``serve`` itself cancels all of
    them at once. Signals are not handled here, but by ``run``.

    Args:
        server: What is served.
        host: An address or a name of this machine. ``127.0.0.1``, ``localhost`` and ``::1`` each
            mean both loopback addresses.
        port: The port; 0 for any that is free.
        settings: The switches of the endpoint, such as its paths and allowed origins.
        limits: The bounds of connections.
        ssl_context: A certificate, for TLS.
        parser: ``h11``, or ``httptools``, which is faster and comes with ``sansmcp-h11[fast]``.
        max_threads: The most blocking calls that run at once.
        drain_s: Seconds that calls are given to end.
        stop: Awaited; when it returns, the server ends in the way above. None: it runs until it
            is cancelled.
        task_status: Told the ``Address`` once connections are accepted, for ``nursery.start``.

    Raises:
        OSError: The host has no address here, or the port is taken.
        ImportError: The parser's package is not installed.
        TypeError: ``server`` is no Server, or its lifespan no context manager.
        ValueError: There is no such parser.

    Source: RFC 9112; MCP 2026-07-28 basic/transports/streamable-http.
    """
    options = Options(settings or HttpSettings(), limits, ssl_context, parser, max_threads, drain_s)
    check(server, options)
    await serve_on(bind(host, port), server, options, stop=stop, task_status=task_status)


def check(server: Server, options: Options) -> None:
    """Raise what is wrong with how a server is to be served, before anything is begun."""
    if not isinstance(server, Server):
        raise TypeError(f"expected a sansmcp_core.Server, got {type(server).__name__}")
    parser_named(options.parser)
    _check_tls(options.ssl_context)


def address_of(listeners: Sequence[Listener], options: Options) -> Address:
    """Where a server can be reached that listens there."""
    _, host, port = listeners[0]
    shown = f"[{host}]" if ":" in host else host
    scheme = "http" if options.ssl_context is None else "https"
    path = max(options.settings.paths, key=len, default="/")
    return Address(host, port, f"{scheme}://{shown}:{port}{path}")


async def serve_on(
    listeners: Sequence[Listener],
    server: Server,
    options: Options,
    *,
    stop: Callable[[], Awaitable[object]] | None,
    task_status: Started | None,
) -> None:
    """Serve ``server`` to those who come to the listeners, which are closed at the end."""
    with ExitStack() as closing:
        for listener in listeners:
            closing.callback(listener.sock.close)
        async with entered(lifespan_of(server)) as lifespan_value:
            endpoint = Endpoint(
                server,
                settings=options.settings,
                lifespan_value=lifespan_value,
                max_blocking_calls=options.max_threads,
            )
            # Whoever takes nothing is noticed here; the runtime need not watch for that, too.
            runtime = HttpRuntime(
                endpoint, LOG, max_threads=options.max_threads, send_timeout_s=None
            )
            site = Site(endpoint, runtime, options.limits, parser_named(options.parser))
            try:
                async with anyio.create_task_group() as connections:
                    connections.start_soon(reap, site.sockets, period_of(options.limits))
                    await _accept(site, listeners, connections, options, stop, task_status)
                    closing.close()
                    await site.end(options.drain_s)
                    connections.cancel_scope.cancel()
            finally:
                runtime.stop()


async def _accept(
    site: Site,
    listeners: Sequence[Listener],
    connections: TaskGroup,
    options: Options,
    stop: Callable[[], Awaitable[object]] | None,
    task_status: Started | None,
) -> None:
    """Accept connections until it is time to stop."""
    ready = readiness_of(current_loop().name, site.sockets, connections)
    async with anyio.create_task_group() as accepting:
        for listener in listeners:
            keeper = Doorkeeper(site, listener, ready, connections, options.ssl_context)
            accepting.start_soon(keeper.accept)
        if task_status is not None:
            task_status.started(address_of(listeners, options))
        await (anyio.sleep_forever() if stop is None else stop())
        accepting.cancel_scope.cancel()


def _check_tls(ssl_context: object) -> None:
    if ssl_context is None:
        return
    import ssl  # noqa: PLC0415 - only where there is TLS

    if not isinstance(ssl_context, ssl.SSLContext):
        raise TypeError(
            f"ssl_context must be an ssl.SSLContext or None, got {type(ssl_context).__name__}"
        )
    if ssl_context.protocol == ssl.PROTOCOL_TLS_CLIENT:
        raise ValueError(
            "ssl_context is one for clients; make it with "
            "ssl.create_default_context(ssl.Purpose.CLIENT_AUTH) and load_cert_chain"
        )
