"""Which calls are slow, judged by how long they took before."""

from collections.abc import Hashable

from sansmcp_core import Call

__all__ = ["Pace", "name_of"]


class Pace:
    """Tells which calls are not worth a write, or a thread, of their own.

    Writing before each call would cost one write per call; writing only after all of them would
    keep finished answers waiting behind a slow one. What is new counts as slow.

    Args:
        quick_s: The longest that a call may take, in seconds, to be quick.
    """

    _MOST_NAMES = 1000  # a server may always offer something new

    def __init__(self, quick_s: float = 0.001) -> None:
        self.quick_s = quick_s
        self._quick: set[Hashable] = set()

    def is_slow(self, name: Hashable) -> bool:
        """Whether the last call of that name took longer than it may, or none is known."""
        return name not in self._quick

    def took(self, name: Hashable, seconds: float) -> None:
        """Remember how long a call took."""
        if seconds > self.quick_s:
            self._quick.discard(name)
        elif name not in self._quick:
            if len(self._quick) >= self._MOST_NAMES:
                self._quick.clear()
            self._quick.add(name)


def name_of(call: Call) -> Hashable:
    """What a call runs, as opposed to other calls: a name for as long as that is offered."""
    return id(call.target.operation)
