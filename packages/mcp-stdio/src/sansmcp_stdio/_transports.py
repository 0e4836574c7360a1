"""Where the bytes of a connection in an event loop come from and go to."""

from typing import Protocol

from sansmcp_runtime.loops import Loop

from ._channel import Channel

__all__ = ["ChannelTransport", "Transport"]


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
        # Regular files and /dev/null cannot be waited for, and need not be.
        self._need_not_wait = loop.library.lowlevel.checkpoint

    async def receive(self) -> bytes:
        """The next bytes; empty at the end of input."""
        while True:
            try:
                await self._wait_readable(self._channel.in_fd)
            except OSError:
                await self._need_not_wait()
            data = self._channel.receive()
            if data is not None:
                return data

    def send_now(self, data: bytes) -> int:
        """Write what there is room for."""
        return self._channel.send(data)

    async def send(self, data: memoryview) -> None:
        """Write all of ``data``, waiting for room."""
        while data:
            try:
                await self._wait_writable(self._channel.out_fd)
            except OSError:
                await self._need_not_wait()
            data = data[self._channel.send(data) :]

    def has_hung_up(self) -> bool:
        """Whether nobody writes any more."""
        return self._channel.has_hung_up()
