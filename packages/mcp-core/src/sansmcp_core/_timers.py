"""What is due when, on a clock that may be set at any moment."""

import heapq
from itertools import count
from typing import TYPE_CHECKING

from ._clock import SteadyClock

if TYPE_CHECKING:
    from ._protocols import Timed

__all__ = ["Timers"]

_KEPT_STALE = 64
# A Unix time in a float is exact to a quarter of a microsecond only.
_ROUNDING_S = 1e-6


class Timers:
    """The deadlines of one connection."""

    __slots__ = ("_clock", "_heap", "_serial", "_stale")

    def __init__(self) -> None:
        self._clock = SteadyClock()
        self._heap: list[tuple[float, int, Timed]] = []
        self._serial = count()
        self._stale = 0

    def start(self, item: "Timed", seconds: float, now: float) -> None:
        """Let ``item`` be due in so many seconds, and at no other time."""
        due = self._advance(now) + seconds
        item.due_s = due
        heapq.heappush(self._heap, (due, next(self._serial), item))

    def stop(self, item: "Timed") -> None:
        """Take the deadline of ``item`` off; one without is no error."""
        if item.due_s is None:
            return
        item.due_s = None
        self._stale += 1
        # Calls end long before their limit, so what they leave here must not pile up.
        if self._stale > _KEPT_STALE and self._stale * 2 > len(self._heap):
            self._heap = [entry for entry in self._heap if entry[2].due_s == entry[0]]
            heapq.heapify(self._heap)
            self._stale = 0

    def pop_due(self, now: float) -> "list[Timed]":
        """Return what is due, in order; its deadline is taken off."""
        if not self._heap:
            return []
        elapsed = self._advance(now)
        due: list[Timed] = []
        while self._drop_stale() and self._heap[0][0] <= elapsed + _ROUNDING_S:
            item = heapq.heappop(self._heap)[2]
            item.due_s = None
            due.append(item)
        return due

    def deadline(self) -> float | None:
        """Return the Unix time of the next deadline; None where there is none."""
        return self._clock.to_unix(self._heap[0][0]) if self._drop_stale() else None

    def _drop_stale(self) -> bool:
        """Forget what has another deadline by now; tell whether anything is left."""
        heap = self._heap
        while heap and heap[0][2].due_s != heap[0][0]:
            heapq.heappop(heap)
        return bool(heap)

    def _advance(self, now: float) -> float:
        return self._clock.advance(now, self._heap[0][0] if self._drop_stale() else None)
