"""Which calls run and which wait: a bounded number of places, then a bounded queue.

A call that runs inline runs beside nothing, so it takes no place; only where there is one place,
which promises answers in order of arrival, does it wait like the others.
"""

from collections import deque

from ._call import Call
from ._operation import Mode

__all__ = ["Admission"]


class Admission:
    """The places of one connection.

    Args:
        max_running: Calls that run at once.
        max_waiting: Calls that wait for a place.
    """

    __slots__ = ("_max_running", "_max_waiting", "_running", "_waiting")

    def __init__(self, max_running: int, max_waiting: int) -> None:
        self._max_running = max_running
        self._max_waiting = max_waiting
        self._running: set[Call] = set()
        self._waiting: deque[Call] = deque()

    def __len__(self) -> int:
        return len(self._running) + len(self._waiting)

    @property
    def running(self) -> list[Call]:
        """The calls that were handed out and have not ended."""
        return list(self._running)

    def enter(self, call: Call, *, known: bool = False) -> bool | None:
        """Tell whether ``call`` may run now; False: it waits; None: there is no place to wait.

        Args:
            call: The call.
            known: It ran before and goes on, so it is never turned away and waits at the front.
        """
        free = len(self._running) < self._max_running
        if (call.mode is Mode.INLINE and self._max_running > 1) or (free and not self._waiting):
            self._running.add(call)
            return True
        if known:
            self._waiting.appendleft(call)
        elif len(self._waiting) >= self._max_waiting:
            return None
        else:
            self._waiting.append(call)
        return False

    def leave(self, call: Call) -> Call | None:
        """Free the place of ``call``; return the next one, which has it now."""
        self._running.discard(call)
        while self._waiting and len(self._running) < self._max_running:
            following = self._waiting.popleft()
            if not following.over:
                self._running.add(following)
                return following
        return None

    def forget(self, call: Call) -> bool:
        """Take ``call`` out of the queue; False where it does not wait."""
        try:
            self._waiting.remove(call)
        except ValueError:
            return False
        return True

    def drop_waiting(self) -> None:
        """Forget every call that waits."""
        self._waiting.clear()
