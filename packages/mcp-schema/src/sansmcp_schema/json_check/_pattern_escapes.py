r"""What follows a backslash -> the code points that it stands for.

Source: ECMA-262, Patterns: CharacterEscape, CharacterClassEscape.
"""

from ._pattern_sets import DIGITS, SPACES, WORD, CodePoints, complement, property_set
from ._pattern_text import PatternText, is_number

__all__ = ["read_escape"]

_CONTROLS = {"t": 0x09, "n": 0x0A, "v": 0x0B, "f": 0x0C, "r": 0x0D}
_SETS = {"d": DIGITS, "w": WORD, "s": SPACES}
_HEX = frozenset("0123456789abcdefABCDEF")
_ELSEWHERE = {
    "A": "write ^",
    "Z": "write $",
    "z": "write $",
    "h": "write [ \\t]",
    "R": "write (?:\\r\\n|\\n)",
    "a": "write \\x07",
    "e": "write \\x1b",
}


def read_escape(text: PatternText, *, in_brackets: bool) -> CodePoints:
    """Read what follows a backslash, and return the code points that it stands for.

    Raises:
        UntranslatablePattern: It is well-formed, and outside of what is translated.
        PatternError: It is no ECMA-262 escape.
    """
    character = text.take_one()
    if not character:
        text.fail("nothing follows \\")
    if character.lower() in _SETS:
        points = _SETS[character.lower()]
        return points if character.islower() else complement(points)
    if character in "pP":
        return _property(text, negated=character == "P")
    point = _character(text, character, in_brackets)
    return ((point, point),)


def _character(text: PatternText, character: str, in_brackets: bool) -> int:
    if character in _CONTROLS:
        return _CONTROLS[character]
    if character in "xu":
        return _code_point(text, character)
    if character == "b" and in_brackets:
        return 0x08
    if character == "c":
        letter = text.following
        if not (letter.isascii() and letter.isalpha()):
            text.fail("expected a letter after \\c")
        text.skip(1)
        return ord(letter) % 32
    if character == "0" and not is_number(text.following):
        return 0
    if character in "123456789k" and not in_brackets:
        text.lack("references back to a group are not translated")
    if not character.isascii() or not character.isprintable() or character.isalnum():
        hint = f"; {_ELSEWHERE[character]}" if character in _ELSEWHERE else ""
        text.fail(f"\\{character} is no ECMA-262 escape{hint}")
    return ord(character)


def _code_point(text: PatternText, kind: str) -> int:
    if kind == "u" and text.take("{"):
        digits = text.before("}") or ""
        if not digits or set(digits) - _HEX or len(digits) > 8 or int(digits, 16) > 0x10FFFF:
            text.fail("expected a code point of at most 10FFFF in \\u{...}")
        text.skip(len(digits) + 1)
        return int(digits, 16)
    count = 2 if kind == "x" else 4
    first = _hex(text.look(count), count)
    if first is None:
        text.fail(f"expected {count} hexadecimal digits")
    text.skip(count)
    if 0xD800 <= first <= 0xDBFF and text.starts_with("\\u"):
        second = _hex(text.look(6)[2:], 4)
        if second is not None and 0xDC00 <= second <= 0xDFFF:
            text.skip(6)
            return 0x10000 + (first - 0xD800) * 0x400 + second - 0xDC00
    return first


def _hex(digits: str, count: int) -> int | None:
    return int(digits, 16) if len(digits) == count and not set(digits) - _HEX else None


def _property(text: PatternText, *, negated: bool) -> CodePoints:
    name = text.before("}") if text.take("{") else None
    if name is None:
        text.fail("expected {...} after \\p")
    points = property_set(name)
    if points is None:
        text.lack(f"the Unicode property {name[:40]!r} is not translated")
    text.skip(len(name) + 1)
    return complement(points) if negated else points
