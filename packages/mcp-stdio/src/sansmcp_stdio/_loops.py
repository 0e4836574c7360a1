"""Serving standard streams in an event loop of one's own, trio's or asyncio's."""

import gc
from collections.abc import Callable
from functools import partial
from typing import Literal

from sansmcp_core import Server
from sansmcp_runtime.lifespan import Lifespan, entered
from sansmcp_runtime.loops import current_loop, use_daemon_threads

from ._channel import Channel
from ._tasks import LoopConnection
from ._transports import ChannelTransport

__all__ = ["run_in_loop"]


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
    if backend == "trio":
        import trio  # noqa: PLC0415

        trio.run(main)
        return
    try:
        import anyio  # noqa: PLC0415 - trio does without
    except ImportError:
        from ._extras import NEEDS_ANYIO, MissingExtra  # noqa: PLC0415

        raise MissingExtra('backend="asyncio" ' + NEEDS_ANYIO) from None

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
