r"""The text of an ECMA-262 regular expression -> a tree.

The language is that of the ``u`` flag, plus what older scripts write without it and what has only
one possible meaning: an escaped ASCII punctuation character, a lone ``]`` or ``}``, and a hyphen
beside a class such as ``\w`` inside brackets.

Source: ECMA-262, Patterns; JSON Schema 2020-12 Core section 6.4.
"""

from typing import NamedTuple, NoReturn

from ._pattern_sets import (
    DIGITS,
    DOT,
    SPACES,
    WORD,
    CodePoints,
    complement,
    normal,
    property_set,
)

__all__ = [
    "Assertion",
    "Choice",
    "Look",
    "One",
    "PatternError",
    "Repeat",
    "Sequence",
    "Tree",
    "UntranslatablePattern",
    "parse",
]

_MAX_GROUPS_DEEP = 50
_MAX_REPEATS = 100_000
_CONTROLS = {"t": 0x09, "n": 0x0A, "v": 0x0B, "f": 0x0C, "r": 0x0D}
_SETS = {"d": DIGITS, "w": WORD, "s": SPACES}
_LOOKS = ("(?=", "(?!", "(?<=", "(?<!")
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


class PatternError(ValueError):
    """The text is no ECMA-262 regular expression."""


class UntranslatablePattern(PatternError):
    """A regular expression that Python's engine cannot run with the same meaning and a bound."""


class One(NamedTuple):
    """One code point of a set."""

    points: CodePoints


class Assertion(NamedTuple):
    """A place between code points: ``start``, ``end``, ``word``, ``not_word``."""

    kind: str


class Sequence(NamedTuple):
    """Parts one after the other."""

    parts: "tuple[Tree, ...]"


class Choice(NamedTuple):
    """One of several."""

    options: "tuple[Tree, ...]"


class Repeat(NamedTuple):
    """A part several times; ``high`` is None where there is no bound."""

    part: "Tree"
    low: int
    high: int | None
    lazy: bool


class Look(NamedTuple):
    """A look ahead or behind; ``opening`` is its Python spelling, such as ``(?<!``."""

    part: "Tree"
    opening: str


Tree = One | Assertion | Sequence | Choice | Repeat | Look


def parse(pattern: str) -> Tree:
    """Return the tree of a pattern.

    Raises:
        UntranslatablePattern: It is well-formed, and outside of what is translated.
        PatternError: It is no ECMA-262 regular expression.
    """
    parser = _Parser(pattern)
    tree = parser.choice(0)
    if parser.at < len(pattern):
        parser.fail("unmatched )")
    return tree


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self._names: set[str] = set()

    def fail(self, problem: str) -> NoReturn:
        raise PatternError(f"{problem} at character {self.at}")

    def lack(self, problem: str) -> NoReturn:
        raise UntranslatablePattern(f"{problem} at character {self.at}")

    def take(self, expected: str) -> bool:
        found = self.text.startswith(expected, self.at)
        if found:
            self.at += len(expected)
        return found

    def choice(self, depth: int) -> Tree:
        if depth > _MAX_GROUPS_DEEP:
            self.lack(f"groups nest deeper than {_MAX_GROUPS_DEEP}")
        options = [self._sequence(depth)]
        while self.take("|"):
            options.append(self._sequence(depth))
        return options[0] if len(options) == 1 else Choice(tuple(options))

    def _sequence(self, depth: int) -> Tree:
        parts: list[Tree] = []
        while self.at < len(self.text) and self.text[self.at] not in "|)":
            is_bare = self.text[self.at] != "(" or self.text.startswith(_LOOKS, self.at)
            parts.append(self._quantified(self._term(depth), is_bare))
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def _term(self, depth: int) -> Tree:
        character = self.text[self.at]
        if character in "*+?":
            self.fail(f"nothing to repeat before {character}")
        self.at += 1
        if character == "(":
            return self._group(depth)
        if character == "[":
            return One(self._brackets())
        if character == "\\":
            if self.at < len(self.text) and self.text[self.at] in "bB":
                self.at += 1
                return Assertion("word" if self.text[self.at - 1] == "b" else "not_word")
            return One(self._escape(in_brackets=False))
        if character == "{":
            self.fail("a lone { must be written \\{")
        if character in "^$":
            return Assertion("start" if character == "^" else "end")
        return One(DOT if character == "." else ((ord(character), ord(character)),))

    def _group(self, depth: int) -> Tree:
        opening = ""
        if self.take("?<=") or self.take("?<!") or self.take("?=") or self.take("?!"):
            opening = "(" + self.text[self.text.rindex("?", 0, self.at) : self.at]
        elif self.take("?<"):
            end = self.text.find(">", self.at)
            name = self.text[self.at : end] if end >= 0 else ""
            if not name.replace("$", "_").isidentifier() or name in self._names:
                self.fail("expected a new name and > after (?<")
            self._names.add(name)
            self.at = end + 1
        elif not self.take("?:") and self.take("?"):
            self._foreign_group()
        part = self.choice(depth + 1)
        if not self.take(")"):
            self.fail("missing )")
        return Look(part, opening) if opening else part

    def _foreign_group(self) -> NoReturn:
        following = self.text[self.at : self.at + 1]
        if following in "imsx-" and following:
            self.lack("flags inside of a pattern are not translated")
        hint = "; a name is written (?<name>...)" if following == "P" else ""
        self.fail(f"(?{following} is no ECMA-262 syntax{hint}")

    def _quantified(self, part: Tree, is_bare: bool) -> Tree:
        bounds: tuple[int, int | None]
        if self.take("*"):
            bounds = (0, None)
        elif self.take("+"):
            bounds = (1, None)
        elif self.take("?"):
            bounds = (0, 1)
        elif self.take("{"):
            bounds = self._braces()
        else:
            return part
        if is_bare and isinstance(part, Assertion | Look):
            self.fail("an assertion cannot be repeated")
        lazy = self.take("?")
        if self.text[self.at : self.at + 1] in ("*", "+", "?", "{"):
            self.fail("nothing to repeat; possessive and doubled quantifiers are no ECMA-262")
        return Repeat(part, *bounds, lazy)

    def _braces(self) -> tuple[int, int | None]:
        end = self.text.find("}", self.at)
        low, comma, high = self.text[self.at : max(end, self.at)].partition(",")
        if not _is_number(low) or not (_is_number(high) or not high):
            self.fail("expected {n}, {n,} or {n,m}; a plain { is written \\{")
        if max(len(low), len(high)) > 7 or int(low) > _MAX_REPEATS or int(high or 0) > _MAX_REPEATS:
            self.lack(f"more than {_MAX_REPEATS} repetitions")
        if high and int(high) < int(low):
            self.fail("the bounds of a repetition are out of order")
        self.at = end + 1
        return int(low), int(high) if high else None if comma else int(low)

    def _escape(self, *, in_brackets: bool) -> CodePoints:
        if self.at >= len(self.text):
            self.fail("nothing follows \\")
        character = self.text[self.at]
        self.at += 1
        if character.lower() in _SETS:
            points = _SETS[character.lower()]
            return points if character.islower() else complement(points)
        if character in "pP":
            return self._property(negated=character == "P")
        point = self._escaped_character(character, in_brackets)
        return ((point, point),)

    def _escaped_character(self, character: str, in_brackets: bool) -> int:
        if character in _CONTROLS:
            return _CONTROLS[character]
        if character in "xu":
            return self._code_point(character)
        if character == "b" and in_brackets:
            return 0x08
        if character == "c":
            letter = self.text[self.at : self.at + 1]
            if not (letter.isascii() and letter.isalpha()):
                self.fail("expected a letter after \\c")
            self.at += 1
            return ord(letter) % 32
        if character == "0" and not _is_number(self.text[self.at : self.at + 1]):
            return 0
        if character in "123456789k" and not in_brackets:
            self.lack("references back to a group are not translated")
        if not character.isascii() or not character.isprintable() or character.isalnum():
            hint = f"; {_ELSEWHERE[character]}" if character in _ELSEWHERE else ""
            self.fail(f"\\{character} is no ECMA-262 escape{hint}")
        return ord(character)

    def _code_point(self, kind: str) -> int:
        if kind == "u" and self.take("{"):
            end = self.text.find("}", self.at)
            digits = self.text[self.at : max(end, self.at)]
            if not digits or set(digits) - _HEX or len(digits) > 8 or int(digits, 16) > 0x10FFFF:
                self.fail("expected a code point of at most 10FFFF in \\u{...}")
            self.at = end + 1
            return int(digits, 16)
        first = self._hex(2 if kind == "x" else 4)
        if 0xD800 <= first <= 0xDBFF and self.text.startswith("\\u", self.at):
            back = self.at
            self.at += 2
            if not self.text.startswith("{", self.at):
                second = self._hex(4)
                if 0xDC00 <= second <= 0xDFFF:
                    return 0x10000 + (first - 0xD800) * 0x400 + second - 0xDC00
            self.at = back
        return first

    def _hex(self, count: int) -> int:
        digits = self.text[self.at : self.at + count]
        if len(digits) < count or set(digits) - _HEX:
            self.fail(f"expected {count} hexadecimal digits")
        self.at += count
        return int(digits, 16)

    def _property(self, *, negated: bool) -> CodePoints:
        end = self.text.find("}", self.at)
        if not self.take("{") or end < 0:
            self.fail("expected {...} after \\p")
        name = self.text[self.at : end]
        points = property_set(name)
        if points is None:
            self.lack(f"the Unicode property {name[:40]!r} is not translated")
        self.at = end + 1
        return complement(points) if negated else points

    def _brackets(self) -> CodePoints:
        negated = self.take("^")
        ranges: list[tuple[int, int]] = []
        while not self.take("]"):
            first = self._member()
            ranges.extend(first)
            if not self.text.startswith("-", self.at) or self.text.startswith("-]", self.at):
                continue
            self.at += 1
            last = self._member()
            if _is_single(first) and _is_single(last):
                if first[0][0] > last[0][0]:
                    self.fail("a range in brackets is out of order")
                ranges.append((first[0][0], last[0][0]))
            else:  # a hyphen beside a class such as \w stands for itself
                ranges.extend((*last, (0x2D, 0x2D)))
        points = normal(ranges)
        return complement(points) if negated else points

    def _member(self) -> CodePoints:
        if self.at >= len(self.text):
            self.fail("missing ]")
        if self.take("\\"):
            return self._escape(in_brackets=True)
        self.at += 1
        point = ord(self.text[self.at - 1])
        return ((point, point),)


def _is_single(points: CodePoints) -> bool:
    return len(points) == 1 and points[0][0] == points[0][1]


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()
