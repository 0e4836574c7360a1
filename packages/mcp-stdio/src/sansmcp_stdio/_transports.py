"""Where the bytes of a connection in an event loop come from and go to."""

from collections.abc import Awaitable, Callable
from typing import Protocol

import anyio
from anyio.abc import ByteStream
from sansmcp_runtime.loops import Loop

from ._channel import CHUNK_BYTES, Channel

__all__ = ["ChannelTransport", "StreamTransport", "Transport"]


class Transport(Protocol):
    """A peer, in an event loop. What is sent to one that has gone raises ``OSError``."""

    async def receive(self) -> bytes:
        """The next bytes; empty at the end of input."""

    def send_now(self, data: bytes) -> int:
        """Write what can be written without waiting; return how many bytes that was."""

    async def send(self, data: memoryview) -> None:
        """Write all of ``data``."""

    def has_hung_up(self) -> bool:
        """Whether the peer is known to send no more, although there may be more to receive."""


class ChannelTransport:
    """Descriptors, read and written in the loop's own thread when they are ready."""

    def __init__(self, channel: Channel, loop: Loop) -> None:
        self._channel = channel
        self._wait_readable = loop.wait_readable
        self._wait_writable = loop.wait_writable

    async def receive(self) -> bytes:
        """The next bytes; empty at the end of input."""
        while True:
            await _ready(self._wait_readable, self._channel.in_fd)
            data = self._channel.receive()
            if data is not None:
                return data

    def send_now(self, data: bytes) -> int:
        """Write what there is room for."""
        return self._channel.send(data)

    async def send(self, data: memoryview) -> None:
        """Write all of ``data``, waiting for room."""
        while data:
            await _ready(self._wait_writable, self._channel.out_fd)
            data = data[self._channel.send(data) :]

    def has_hung_up(self) -> bool:
        """Whether nobody writes any more."""
        return self._channel.has_hung_up()


async def _ready(wait: Callable[[int], Awaitable[None]], fd: int) -> None:
    try:
        await wait(fd)
    except OSError:
        # Regular files and /dev/null cannot be waited for, and need not be.
        await anyio.lowlevel.checkpoint()


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
