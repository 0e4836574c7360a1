"""``McpApp``: a server as an ASGI app."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from sansmcp_core import Report, Server
from sansmcp_core.http import Endpoint, HttpSettings
from sansmcp_runtime.lifespan import entered, lifespan_of
from sansmcp_runtime.pool import DEFAULT_MAX_THREADS

from ._asgi import Receive, Scope, Send, head_of
from ._peer import AsgiPeer
from ._running import LOG, Running

__all__ = ["McpApp"]


class McpApp:
    """An ASGI app that serves ``server``, on asyncio or trio.

    It needs no lifespan: mounted in another app, it serves from the first request on. Where the
    ASGI server or the other app does hand the lifespan on, through lifespan events or
    ``lifespan``, the server's own is entered before the first request and left at the end;
    otherwise it is entered at the first request, and left when the event loop ends.

    One app serves one event loop at a time, and may be stopped and started again.

    Args:
        server: What is served.
        settings: Switches and bounds of HTTP; by default those of ``HttpSettings``.
        max_threads: The most blocking calls that run at once; by default the number of processors
            and 4 more, at most 32.
        drain_s: Seconds that calls are given to end at the end of the lifespan.
        send_timeout_s: Seconds after which a client that does not take a piece of a stream counts
            as gone; None for never.

    Raises:
        RegistrationError: A declaration of the server cannot be served.
        TypeError: ``server`` is no Server.
        ValueError: A pattern in the settings is none, or ``max_threads`` is less than 1.

    Source: MCP 2026-07-28 basic/transports/streamable-http; ASGI specification 3.0.
    """

    def __init__(
        self,
        server: Server,
        settings: HttpSettings | None = None,
        *,
        max_threads: int = DEFAULT_MAX_THREADS,
        drain_s: float = 2.0,
        send_timeout_s: float | None = 60.0,
    ) -> None:
        if not isinstance(server, Server):
            raise TypeError(f"McpApp() takes a sansmcp_core.Server, got {type(server).__name__}")
        if max_threads < 1:
            raise ValueError(f"max_threads must be at least 1, got {max_threads}")
        self._server = server
        self._new_endpoint = partial(
            Endpoint, server, settings or HttpSettings(), max_blocking_calls=max_threads
        )
        self._endpoint = self._new_endpoint()  # now, so that what cannot be served is told now
        self._max_threads = max_threads
        self._drain_s = drain_s
        self._send_timeout_s = send_timeout_s
        self._running: Running | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one scope: a request, or the lifespan; a WebSocket is refused."""
        kind = scope["type"]
        if kind == "http":
            running = self._running
            if running is None or not running.is_ready or not running.loop.is_current():
                running = await self._begin()
            await running.serve(head_of(scope), AsgiPeer(receive, send))
        elif kind == "lifespan":
            await self._serve_lifespan(receive, send)
        elif kind == "websocket":
            await receive()
            await send({"type": "websocket.close"})
        else:
            raise ValueError(f"McpApp serves http, lifespan and websocket scopes, got {kind!r}")

    @asynccontextmanager
    async def lifespan(self, _app: object = None) -> AsyncIterator[None]:
        """Serve from the beginning of the block to its end; for apps that mount this one.

        ``Starlette(lifespan=mcp.lifespan)`` and the same with FastAPI and Litestar; elsewhere
        ``async with mcp.lifespan():`` in a lifespan of your own. At the end streams are ended,
        calls given ``drain_s`` to end, and the server's lifespan is left.

        Raises:
            RuntimeError: It is entered already, or another event loop serves the app.
        """
        running = self._running_here()
        if running is not None:
            if running.is_held:
                raise RuntimeError("the lifespan of this McpApp is entered already; leave it first")
            await self._end(running)  # what a request began
        async with entered(lifespan_of(self._server)) as value:
            running = self._running = self._new_running()
            running.is_held = True
            running.begin(value)
            try:
                yield
            finally:
                await self._end(running)

    def end_streams(self) -> None:
        """End every stream that belongs to no call, and refuse new requests; calls go on.

        ASGI servers end the lifespan only once their connections are closed, and an open stream
        keeps one. So a program that decides itself when its ASGI server stops calls this first, in
        the app's event loop; where nobody does, streams are cut off with their connections.
        """
        running = self._running_here()
        if running is not None:
            running.end_streams()

    async def _begin(self) -> Running:
        """What serves in this event loop; begun by the first request where it must be."""
        running = self._running_here()
        if running is None:
            running = self._running = self._new_running()
            running.keep(lifespan_of(self._server))
        await running.ready()
        return running

    def _running_here(self) -> Running | None:
        running = self._running
        if running is None or running.is_over:
            return None
        if not running.loop.is_current():
            if running.loop.runs():
                raise RuntimeError(
                    "another event loop serves this McpApp; make one McpApp for each loop (they "
                    "may share the Server)"
                )
            return None  # that loop has ended, and all that ran in it
        return running

    def _new_running(self) -> Running:
        return Running(self._endpoint, self._max_threads, self._send_timeout_s)

    async def _end(self, running: Running) -> None:
        try:
            await running.end(self._drain_s)
        finally:
            self._endpoint = self._new_endpoint()
            if self._running is running:
                self._running = None

    async def _serve_lifespan(self, receive: Receive, send: Send) -> None:
        """Enter the lifespan at ``lifespan.startup``, leave it at ``lifespan.shutdown``."""
        await receive()
        phase = "startup"
        try:
            async with self.lifespan():
                await send({"type": "lifespan.startup.complete"})
                phase = "shutdown"
                await receive()
        except Exception as exception:  # noqa: BLE001 - the ASGI server is told
            LOG.write(Report("error", f"the {phase} of the server's lifespan failed", exception))
            await send({"type": f"lifespan.{phase}.failed", "message": str(exception)})
        else:
            await send({"type": "lifespan.shutdown.complete"})
