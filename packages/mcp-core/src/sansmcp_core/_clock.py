"""Elapsed time out of a wall clock that may be set forward or back at any moment."""

__all__ = ["SteadyClock"]

# How much later than it asked for a caller may come before that is taken for a step of the clock.
_GRACE_S = 60.0


class SteadyClock:
    """Turns the ``now`` of successive calls into seconds that only grow, without jumps.

    A step back counts as no time. A caller that honours ``deadline()`` comes at the next deadline
    at the latest, so an interval that ends long after it is a step forward and counts as none.
    """

    __slots__ = ("_now", "elapsed_s")

    def __init__(self) -> None:
        self._now: float | None = None
        self.elapsed_s = 0.0

    def advance(self, now: float, next_due_s: float | None) -> float:
        """Return the elapsed seconds at Unix time ``now``; ``next_due_s`` is the next deadline."""
        last, self._now = self._now, now
        if last is not None and now > last:
            delta = now - last
            if next_due_s is None or self.elapsed_s + delta <= next_due_s + _GRACE_S:
                self.elapsed_s += delta
        return self.elapsed_s

    def to_unix(self, due_s: float) -> float | None:
        """Return the Unix time at which ``due_s`` elapsed seconds will be reached."""
        return None if self._now is None else self._now + (due_s - self.elapsed_s)
