r"""The text of an ECMA-262 regular expression -> a tree.

The language is that of the ``u`` flag, plus what older scripts write without it and what has only
one possible meaning: an escaped ASCII punctuation character, a lone ``]`` or ``}``, and a hyphen
beside a class such as ``\w`` inside brackets.

Source: ECMA-262, Patterns; JSON Schema 2020-12 Core section 6.4.
"""

from typing import NamedTuple

from ._pattern_brackets import read_brackets
from ._pattern_escapes import read_escape
from ._pattern_sets import DOT, CodePoints
from ._pattern_text import PatternText, is_number

__all__ = [
    "Assertion",
    "Choice",
    "Look",
    "One",
    "Repeat",
    "Sequence",
    "Tree",
    "parse",
]

_MAX_GROUPS_DEEP = 50
_MAX_REPEATS = 100_000
_LOOKS = ("(?=", "(?!", "(?<=", "(?<!")


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
    text = PatternText(pattern)
    tree = _Parser(text).choice(0)
    if text.following:
        text.fail("unmatched )")
    return tree


class _Parser:
    """Reads what is made of others: choices, sequences, groups and repetitions."""

    def __init__(self, text: PatternText) -> None:
        self._text = text
        self._names: set[str] = set()

    def choice(self, depth: int) -> Tree:
        if depth > _MAX_GROUPS_DEEP:
            self._text.lack(f"groups nest deeper than {_MAX_GROUPS_DEEP}")
        options = [self._sequence(depth)]
        while self._text.take("|"):
            options.append(self._sequence(depth))
        return options[0] if len(options) == 1 else Choice(tuple(options))

    def _sequence(self, depth: int) -> Tree:
        text = self._text
        parts: list[Tree] = []
        while text.following and text.following not in "|)":
            is_bare = text.following != "(" or text.starts_with(_LOOKS)
            parts.append(self._quantified(self._term(depth), is_bare))
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def _term(self, depth: int) -> Tree:
        text = self._text
        if text.following in "*+?":
            text.fail(f"nothing to repeat before {text.following}")
        character = text.take_one()
        if character == "(":
            return self._group(depth)
        if character == "[":
            return One(read_brackets(text))
        if character == "\\":
            if text.take("b"):
                return Assertion("word")
            if text.take("B"):
                return Assertion("not_word")
            return One(read_escape(text, in_brackets=False))
        if character == "{":
            text.fail("a lone { must be written \\{")
        if character in "^$":
            return Assertion("start" if character == "^" else "end")
        return One(DOT if character == "." else ((ord(character), ord(character)),))

    def _group(self, depth: int) -> Tree:
        text = self._text
        opening = next((look for look in _LOOKS if text.take(look[1:])), "")
        if not opening:
            self._group_name()
        part = self.choice(depth + 1)
        if not text.take(")"):
            text.fail("missing )")
        return Look(part, opening) if opening else part

    def _group_name(self) -> None:
        text = self._text
        if text.take("?<"):
            name = text.before(">") or ""
            if not name.replace("$", "_").isidentifier() or name in self._names:
                text.fail("expected a new name and > after (?<")
            self._names.add(name)
            text.skip(len(name) + 1)
        elif not text.take("?:") and text.take("?"):
            if text.following and text.following in "imsx-":
                text.lack("flags inside of a pattern are not translated")
            hint = "; a name is written (?<name>...)" if text.following == "P" else ""
            text.fail(f"(?{text.following} is no ECMA-262 syntax{hint}")

    def _quantified(self, part: Tree, is_bare: bool) -> Tree:
        text = self._text
        bounds: tuple[int, int | None]
        if text.take("*"):
            bounds = (0, None)
        elif text.take("+"):
            bounds = (1, None)
        elif text.take("?"):
            bounds = (0, 1)
        elif text.take("{"):
            bounds = _read_bounds(text)
        else:
            return part
        if is_bare and isinstance(part, Assertion | Look):
            text.fail("an assertion cannot be repeated")
        lazy = text.take("?")
        if text.starts_with(("*", "+", "?", "{")):
            text.fail("nothing to repeat; possessive and doubled quantifiers are no ECMA-262")
        return Repeat(part, *bounds, lazy)


def _read_bounds(text: PatternText) -> tuple[int, int | None]:
    inside = text.before("}") or ""
    low, comma, high = inside.partition(",")
    if not is_number(low) or not (is_number(high) or not high):
        text.fail("expected {n}, {n,} or {n,m}; a plain { is written \\{")
    if max(len(low), len(high)) > 7 or int(low) > _MAX_REPEATS or int(high or 0) > _MAX_REPEATS:
        text.lack(f"more than {_MAX_REPEATS} repetitions")
    if high and int(high) < int(low):
        text.fail("the bounds of a repetition are out of order")
    text.skip(len(inside) + 1)
    return int(low), int(high) if high else None if comma else int(low)
