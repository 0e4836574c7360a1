"""The text of a pattern as it is read: where the reading is, and what is wrong there."""

from typing import NoReturn

__all__ = ["PatternError", "PatternText", "UntranslatablePattern", "is_number"]


class PatternError(ValueError):
    """The text is no ECMA-262 regular expression."""


class UntranslatablePattern(PatternError):
    """A regular expression that Python's engine cannot run with the same meaning and a bound."""


class PatternText:
    """A text, read from its beginning."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    @property
    def following(self) -> str:
        """The next character; empty at the end."""
        return self._text[self._at : self._at + 1]

    def starts_with(self, expected: str | tuple[str, ...]) -> bool:
        """Whether ``expected`` is next."""
        return self._text.startswith(expected, self._at)

    def before(self, closing: str) -> str | None:
        """What is next until ``closing``, which is not part of it; None where it is missing."""
        end = self._text.find(closing, self._at)
        return self._text[self._at : end] if end >= 0 else None

    def take(self, expected: str) -> bool:
        """Read ``expected`` where it is next; return whether it was."""
        found = self._text.startswith(expected, self._at)
        if found:
            self._at += len(expected)
        return found

    def take_one(self) -> str:
        """Read and return the next character; empty at the end."""
        character = self.following
        self._at += len(character)
        return character

    def look(self, count: int) -> str:
        """The next ``count`` characters; fewer at the end."""
        return self._text[self._at : self._at + count]

    def skip(self, count: int) -> None:
        """Read the next ``count`` characters."""
        self._at += count

    def fail(self, problem: str) -> NoReturn:
        """Raise: this is no ECMA-262 regular expression."""
        raise PatternError(f"{problem} at character {self._at}")

    def lack(self, problem: str) -> NoReturn:
        """Raise: this is one, but cannot be translated."""
        raise UntranslatablePattern(f"{problem} at character {self._at}")


def is_number(text: str) -> bool:
    """Whether a text is made of ASCII digits, at least one."""
    return text.isascii() and text.isdigit()
