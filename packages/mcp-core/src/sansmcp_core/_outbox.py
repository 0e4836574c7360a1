"""What arises outside the owner's own calls, on its way to one peer: in order, and bounded."""

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from ._subscriptions import Listener

if TYPE_CHECKING:
    from ._call import Call

__all__ = ["HangUp", "Note", "Outbox", "Outgoing"]


class Note(msgspec.Struct, frozen=True):
    """A message that belongs to a call, and is dropped with it."""

    call: "Call"
    data: bytes


class HangUp(msgspec.Struct, frozen=True):
    """A call's wish to have the connection of its stream closed, for the client to come back."""

    call: "Call"
    retry_ms: int


Outgoing: TypeAlias = Note | Listener | HangUp


class Outbox:
    """A queue that any thread may fill and only the owner empties.

    Args:
        wake: Called when the queue stops being empty; from any thread, must not block.
        max_notes: Notes that may wait; the newest are dropped beyond it. Listeners always find
            a place: each waits at most once.
    """

    __slots__ = ("_max_notes", "_wake", "waiting", "woken")

    def __init__(self, wake: Callable[[], None], max_notes: int) -> None:
        self.waiting: deque[Outgoing] = deque()
        self._max_notes = max_notes
        self._wake = wake
        self.woken = False
        """Whether the owner was woken and has not looked since."""

    def put(self, item: Outgoing) -> None:
        """Let ``item`` wait for the owner; from any thread."""
        if len(self.waiting) >= self._max_notes and isinstance(item, Note):
            return
        self.waiting.append(item)
        self.ring()

    def ring(self) -> None:
        """Wake the owner, once until it looks; from any thread."""
        if not self.woken:
            self.woken = True
            self._wake()

    def take(self) -> list[Outgoing]:
        """Return what waits, in order, and forget it."""
        # Reset first: what is put from here on wakes the owner again, so nothing is left behind.
        self.woken = False
        items: list[Outgoing] = []
        while self.waiting:
            items.append(self.waiting.popleft())
        return items
