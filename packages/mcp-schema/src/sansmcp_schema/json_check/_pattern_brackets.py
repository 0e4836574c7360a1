r"""What follows an opening bracket -> the code points of the class.

A hyphen beside a class such as ``\w`` stands for itself.

Source: ECMA-262, Patterns: CharacterClass.
"""

from ._pattern_escapes import read_escape
from ._pattern_sets import CodePoints, complement, normal
from ._pattern_text import PatternText

__all__ = ["read_brackets"]


def read_brackets(text: PatternText) -> CodePoints:
    """Read up to and including the closing bracket, and return the code points of the class.

    Raises:
        UntranslatablePattern: It is well-formed, and outside of what is translated.
        PatternError: It is no ECMA-262 class.
    """
    negated = text.take("^")
    ranges: list[tuple[int, int]] = []
    while not text.take("]"):
        first = _member(text)
        ranges.extend(first)
        if not text.starts_with("-") or text.starts_with("-]"):
            continue
        text.skip(1)
        last = _member(text)
        if _is_single(first) and _is_single(last):
            if first[0][0] > last[0][0]:
                text.fail("a range in brackets is out of order")
            ranges.append((first[0][0], last[0][0]))
        else:
            ranges.extend((*last, (0x2D, 0x2D)))
    points = normal(ranges)
    return complement(points) if negated else points


def _member(text: PatternText) -> CodePoints:
    if text.take("\\"):
        return read_escape(text, in_brackets=True)
    character = text.take_one()
    if not character:
        text.fail("missing ]")
    return ((ord(character), ord(character)),)


def _is_single(points: CodePoints) -> bool:
    return len(points) == 1 and points[0][0] == points[0][1]
