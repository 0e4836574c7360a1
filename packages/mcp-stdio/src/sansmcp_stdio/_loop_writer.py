"""What is written to the peer of an event loop, and what happens where it does not read."""

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sansmcp_runtime.libraries import Library

    from ._transports import Transport

__all__ = ["LoopWriter"]


class LoopWriter:
    """Writes at once what the peer takes at once, and the rest in a task that waits for room.

    Args:
        transport: The peer.
        sent: Called with the number of bytes whenever some were written, or dropped.
        lost: Called when nobody reads any more; what is put from then on is dropped.
        library: What makes its events.
    """

    def __init__(
        self,
        transport: "Transport",
        sent: Callable[[int], None],
        lost: Callable[[], None],
        library: "Library",
    ) -> None:
        self.stalled = False
        """Whether the peer has not taken everything; then ``catch_up`` is at it."""
        self._transport = transport
        self._sent = sent
        self._lost = lost
        self._mute = False
        self._queued: list[bytes] = []
        self.put: Callable[[bytes], None] = self._queued.append
        """Has what it is given written by the next ``flush``, after all that was put before."""
        self._unsent = memoryview(b"")
        self._library = library
        self._stall = library.Event()

    @property
    def has_more(self) -> bool:
        """Whether anything is not written yet."""
        return bool(self._queued) or self.stalled

    def flush(self) -> None:
        """Write what is queued, as far as that goes without waiting."""
        if self._queued and not self.stalled:
            data = self._take_queued()
            try:
                count = len(data) if self._mute else self._transport.send_now(data)
            except OSError:
                self._lose()
                count = len(data)
            self._sent(count)
            if count < len(data):
                self._unsent = memoryview(data)[count:]
                self.stalled = True
                self._stall.set()

    async def catch_up(self) -> None:
        """Wait for a stall, then write until the peer has taken all that is queued by then."""
        await self._stall.wait()
        self._stall = self._library.Event()
        while self._unsent:
            try:
                if not self._mute:
                    await self._transport.send(self._unsent)
            except OSError:
                self._lose()
            self._sent(len(self._unsent))
            self._unsent = memoryview(self._take_queued())
        self.stalled = False

    def _take_queued(self) -> bytes:
        data = b"".join(self._queued)
        self._queued.clear()
        return data

    def _lose(self) -> None:
        self._mute = True
        self._lost()
