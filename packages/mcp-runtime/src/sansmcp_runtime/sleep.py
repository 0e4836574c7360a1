"""How long to sleep until a point of time, and whether that has come."""

import math
import time

__all__ = ["Sleep"]


class Sleep:
    """Begins when it is made, and cannot be prolonged by setting the clock back.

    Args:
        deadline: Unix time in seconds; ``None`` for never.
    """

    __slots__ = ("_started", "rest_s", "until")

    def __init__(self, deadline: float | None) -> None:
        self.until = math.inf if deadline is None else deadline
        """Unix time in seconds; infinite for never."""
        self.rest_s = math.inf if deadline is None else max(0.0, deadline - time.time())
        """The seconds from the beginning to the end."""
        self._started = time.monotonic()

    def is_over(self) -> bool:
        """Whether the time has come, by the clock or by what has passed."""
        return self.until != math.inf and (
            time.monotonic() - self._started >= self.rest_s or time.time() >= self.until
        )
