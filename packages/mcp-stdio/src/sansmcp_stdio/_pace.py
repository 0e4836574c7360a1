"""Which calls are slow, judged by how long they took before."""

__all__ = ["Pace"]


class Pace:
    """Tells whether what is ready should be written before a call starts in the reading thread.

    Writing before each call would cost one write per call; writing only after all of them would
    keep finished answers waiting behind a slow one. A name that is new counts as slow.
    """

    _QUICK_S = 0.001
    _MOST_NAMES = 1000  # a name may come from the peer

    def __init__(self) -> None:
        self._quick: set[str | None] = set()

    def is_slow(self, name: str | None) -> bool:
        """Whether the last call of that name took longer than a millisecond, or none is known."""
        return name not in self._quick

    def took(self, name: str | None, seconds: float) -> None:
        """Remember how long a call took."""
        if seconds > self._QUICK_S:
            self._quick.discard(name)
        elif name not in self._quick:
            if len(self._quick) >= self._MOST_NAMES:
                self._quick.clear()
            self._quick.add(name)
