"""How much was handed out and not yet written, where the owner tells."""

from ._effects import Effect, Send

__all__ = ["Unsent"]


class Unsent:
    """Counts bytes from the first word of the owner on; before that nothing is counted.

    Args:
        max_bytes: Beyond it the owner should read no more.
    """

    __slots__ = ("_bytes", "_max_bytes", "counting", "too_much")

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self.counting = False
        self.too_much = False
        """Whether more is unsent than should be."""

    def add(self, effects: list[Effect]) -> list[Effect]:
        """Count what ``effects`` send, and return them."""
        if self.counting:
            for effect in effects:
                if type(effect) is Send:
                    self._bytes += len(effect.data)
            self.too_much = self._bytes > self._max_bytes
        return effects

    def take(self, count: int) -> None:
        """Note that ``count`` bytes were written."""
        self.counting = True
        self._bytes = max(0, self._bytes - count)
        self.too_much = self._bytes > self._max_bytes
