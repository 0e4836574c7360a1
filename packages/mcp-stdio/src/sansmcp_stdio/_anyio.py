"""Serving in an event loop, trio's or asyncio's: standard streams, or any byte stream."""

import gc
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import anyio
from anyio.abc import ByteStream
from msgspec import UNSET
from sansmcp_core import Server
from sansmcp_runtime.lifespan import Lifespan, entered, lifespan_of
from sansmcp_runtime.loops import current_loop, use_daemon_threads
from sansmcp_runtime.pool import DEFAULT_MAX_THREADS

from ._channel import Channel
from ._tasks import LoopConnection
from ._transports import ChannelTransport, StreamTransport

__all__ = ["run_in_loop", "serve"]


async def serve(
    stream: ByteStream,
    server: Server,
    *,
    lifespan_value: Any = UNSET,
    max_threads: int = DEFAULT_MAX_THREADS,
    drain_s: float = 2.0,
) -> None:
    """Serve one peer over a byte stream, one message a line; returns when its input ended.

    Works under trio and asyncio, for any number of streams and servers at once. The stream is
    closed at the end. Cancelling it cancels the calls of this stream.

    Args:
        stream: The peer, such as a Unix or TCP socket stream of anyio.
        server: What is served.
        lifespan_value: What handlers find as the lifespan's value. Where it is left out, the
            server's own lifespan is entered for this stream and left at its end; a program that
            serves many streams enters it once and gives its value here.
        max_threads: The most blocking calls of this stream that run at once.
        drain_s: Seconds that calls are given to end after the end of input.

    Source: MCP 2026-07-28 basic/transports/stdio.
    """
    async with stream:
        lifespan = lifespan_of(server) if lifespan_value is UNSET else None
        async with entered(lifespan) as entered_value:
            connection = LoopConnection(
                server,
                StreamTransport(stream),
                current_loop(),
                max_threads=max_threads,
                drain_s=drain_s,
                lifespan_value=entered_value if lifespan_value is UNSET else lifespan_value,
            )
            await connection.run()


def run_in_loop(
    channel: Channel,
    server: Server,
    lifespan: Lifespan,
    follow: Callable[[LoopConnection], None],
    *,
    backend: Literal["trio", "asyncio"],
    max_threads: int,
    drain_s: float,
) -> None:
    """Serve one peer over descriptors in a loop of its own; returns when its input ended.

    Args:
        channel: The peer.
        server: What is served.
        lifespan: Entered before the first call, left after the last.
        follow: Takes the connection before it serves.
        backend: Which loop.
        max_threads: The most blocking calls that run at once.
        drain_s: Seconds that calls are given to end after the end of input.
    """
    main = partial(
        _run, channel, server, lifespan, follow, max_threads=max_threads, drain_s=drain_s
    )
    anyio.run(main, backend=backend)


async def _run(
    channel: Channel,
    server: Server,
    lifespan: Lifespan,
    follow: Callable[[LoopConnection], None],
    *,
    max_threads: int,
    drain_s: float,
) -> None:
    loop = current_loop()
    if loop.name == "asyncio":
        use_daemon_threads(max_threads, "sansmcp-stdio")
    async with entered(lifespan) as lifespan_value:
        connection = LoopConnection(
            server,
            ChannelTransport(channel, loop),
            loop,
            max_threads=max_threads,
            drain_s=drain_s,
            lifespan_value=lifespan_value,
        )
        gc.freeze()  # the process is ours: what is there by now stays
        follow(connection)
        await connection.run()
