"""Which calls run and which wait: a bounded number of places, then a bounded queue.

A call that runs inline runs beside nothing, so it takes no place; only where there is one place,
which promises answers in order of arrival, does it wait like the others. A call that needs a
thread waits for one here, too, and the others pass it meanwhile.
"""

from collections import deque
from typing import TYPE_CHECKING

from ._operation import BLOCKING, INLINE

if TYPE_CHECKING:
    from ._call import Call

__all__ = ["Admission"]


class Admission:
    """The places of one connection.

    Args:
        max_running: Calls that run at once.
        max_waiting: Calls that wait for a place.
        max_blocking: Calls that need a thread and run at once; None for as many as run at all.
    """

    __slots__ = (
        "_blocking",
        "_max_blocking",
        "_max_running",
        "_max_waiting",
        "_running",
        "_serial",
        "_waiting",
        "_waiting_blocking",
    )

    def __init__(self, max_running: int, max_waiting: int, max_blocking: int | None) -> None:
        self._max_running = max_running
        self._max_waiting = max_waiting
        self._max_blocking = max_running if max_blocking is None else max_blocking
        self._blocking = 0
        self._running: set[Call] = set()
        # Two queues, for the calls in one may run while those in the other may not; the serial
        # numbers keep the order of arrival over both.
        self._serial = 0
        self._waiting: deque[tuple[int, Call]] = deque()
        self._waiting_blocking: deque[tuple[int, Call]] = deque()

    def __len__(self) -> int:
        return len(self._running) + len(self._waiting) + len(self._waiting_blocking)

    @property
    def running(self) -> list["Call"]:
        """The calls that were handed out and have not ended."""
        return list(self._running)

    @property
    def full(self) -> bool:
        """Whether one more call would find no place to wait."""
        waiting = len(self._waiting) + len(self._waiting_blocking)
        return waiting >= self._max_waiting and len(self._running) >= self._max_running

    def enter(self, call: "Call", known: bool = False) -> bool | None:
        """Tell whether ``call`` may run now; False: it waits; None: there is no place to wait.

        Args:
            call: The call.
            known: It ran before and goes on, so it is never turned away and waits at the front.
        """
        if call.mode is INLINE and self._max_running > 1:
            self._running.add(call)
            return True
        blocking = call.mode is BLOCKING
        if len(self._running) < self._max_running and not (
            blocking and self._blocking >= self._max_blocking
        ):
            self._take_place(call)
            return True
        queue = self._waiting_blocking if blocking else self._waiting
        if known:
            queue.appendleft((-1, call))
            return False
        if len(self._waiting) + len(self._waiting_blocking) >= self._max_waiting:
            return None
        self._serial += 1
        queue.append((self._serial, call))
        return False

    def leave(self, call: "Call") -> "Call | None":
        """Free the place of ``call``; return the next one, which has it now."""
        if call.mode is BLOCKING and call in self._running:
            self._blocking -= 1
        self._running.discard(call)
        if not self._waiting and not self._waiting_blocking:
            return None
        while len(self._running) < self._max_running:
            following = self._next()
            if following is None or not following.over:
                if following is not None:
                    self._take_place(following)
                return following
        return None

    def forget(self, call: "Call") -> bool:
        """Take ``call`` out of the queue; False where it does not wait."""
        for queue in (self._waiting, self._waiting_blocking):
            for entry in queue:
                if entry[1] is call:
                    queue.remove(entry)
                    return True
        return False

    def drop_waiting(self) -> None:
        """Forget every call that waits."""
        self._waiting.clear()
        self._waiting_blocking.clear()

    def _take_place(self, call: "Call") -> None:
        self._running.add(call)
        self._blocking += call.mode is BLOCKING

    def _next(self) -> "Call | None":
        """Take the call out of the queues that came first and may run."""
        waiting, blocking = self._waiting, self._waiting_blocking
        if self._blocking >= self._max_blocking or not blocking:
            return waiting.popleft()[1] if waiting else None
        if waiting and waiting[0][0] < blocking[0][0]:
            return waiting.popleft()[1]
        return blocking.popleft()[1]
