"""``serve``: any byte stream of anyio, in a loop that runs already."""

from typing import Any

import anyio
from anyio.abc import ByteStream
from msgspec import UNSET
from sansmcp_core import Server
from sansmcp_runtime.lifespan import entered, lifespan_of
from sansmcp_runtime.loops import current_loop
from sansmcp_runtime.pool import DEFAULT_MAX_THREADS

from ._channel import CHUNK_BYTES
from ._tasks import LoopConnection

__all__ = ["StreamTransport", "serve"]


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


class StreamTransport:
    """Any byte stream of anyio."""

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream

    async def receive(self) -> bytes:
        """The next bytes; empty at the end of input, and where the stream broke."""
        try:
            return await self._stream.receive(CHUNK_BYTES)
        except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
            return b""

    def send_now(self, data: bytes) -> int:
        """Nothing: a stream can only be waited for."""
        return 0

    async def send(self, data: memoryview) -> None:
        """Write all of ``data``."""
        try:
            await self._stream.send(bytes(data))
        except (anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            raise BrokenPipeError(str(error)) from error

    def has_hung_up(self) -> bool:
        """No: a stream tells its end only to who has read all of it, or to who writes."""
        return False
