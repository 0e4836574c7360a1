"""What one task of a loop waits for: to be woken, from anywhere, or a deadline."""

import math

from .loops import Loop
from .sleep import Sleep

__all__ = ["Alarm"]


class Alarm:
    """Tells the one task that waits for it when the core wants to be looked after.

    Args:
        loop: The loop that runs the task.
    """

    def __init__(self, loop: Loop) -> None:
        self.woken = False
        """Whether ``wake`` was called; cleared by who has seen to it, before seeing to it."""
        self._loop = loop
        self._library = loop.library
        self._rung = self._library.Event()
        self._sleep = Sleep(None)

    def wake(self) -> None:
        """Ring, from any thread; only once until ``woken`` is cleared."""
        if not self.woken:
            self.woken = True
            self._loop.post(self.ring)

    def ring(self) -> None:
        """End the current or the next ``wait``; in the loop's thread."""
        self._rung.set()

    def hasten(self, deadline: float | None) -> None:
        """Ring where ``deadline`` comes before the one that is waited for."""
        if deadline is not None and deadline < self._sleep.until:
            self._rung.set()

    async def wait(self, deadline: float | None, longest_s: float = math.inf) -> bool:
        """Wait until it rings, at most until ``deadline``; return whether that has come.

        Args:
            deadline: Unix time in seconds; ``None`` for never.
            longest_s: Seconds to wait at most.
        """
        self._sleep = sleep = Sleep(deadline)
        rest_s = min(sleep.rest_s, longest_s)
        if rest_s == math.inf:
            await self._rung.wait()
        else:
            with self._library.move_on_after(rest_s):
                await self._rung.wait()
        self._rung = self._library.Event()
        return sleep.is_over()
