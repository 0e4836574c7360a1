r"""ECMA-262 patterns -> searches that Python runs with the same meaning and in bounded time.

What differs between the two languages and is translated: ``$`` is the very end and ``^`` the very
start; ``\d``, ``\w`` and ``\b`` mean ASCII; ``\s`` is ECMA's white space; ``.`` stops at four
line terminators; ``\p{...}`` names general categories; ``\cX``, ``\u{...}`` and surrogate pairs are
code points. What is not translated is refused: references back to groups, flags inside the pattern,
scripts and most binary properties, a look behind of variable width.

Where Python's backtracking could take exponential time, or where it could take quadratic time or
worse and the string is long, an automaton searches in linear time instead. It knows no assertions
but ``^`` and ``$`` at the ends; with others, such as a look ahead, a pattern of exponential time is
refused, and one of quadratic time or worse searches strings up to a bound
(``SchemaLimits.max_searched_characters``, less for higher powers).
"""

import re
from collections.abc import Callable

from msgspec import Struct

from ._limits import DEFAULT_LIMITS, SchemaLimits
from ._pattern_parse import Assertion, Choice, Look, One, Sequence, Tree, parse
from ._pattern_risk import power_of_time
from ._pattern_run import linear_search
from ._pattern_sets import in_class
from ._pattern_simplify import simplify
from ._pattern_text import PatternError, UntranslatablePattern

__all__ = ["Pattern", "PatternError", "UntranslatablePattern", "translate"]

_ASSERTIONS = {"start": r"\A", "end": r"\Z", "word": r"\b", "not_word": r"(?!\b)"}


class Pattern(Struct, frozen=True):
    """A translated pattern.

    Args:
        search: Tells whether a string matches anywhere.
        max_characters: The longest string it searches; None where the time is linear.
    """

    search: Callable[[str], bool]
    max_characters: int | None


def translate(pattern: str, limits: SchemaLimits = DEFAULT_LIMITS) -> Pattern:
    """Return the search that an ECMA-262 pattern means.

    Raises:
        UntranslatablePattern: Python cannot run it with the same meaning in bounded time.
        PatternError: It is no ECMA-262 regular expression.
    """
    if len(pattern) > limits.max_pattern_characters:
        bound = limits.max_pattern_characters
        problem = f"longer than {bound} characters (SchemaLimits.max_pattern_characters)"
        raise PatternError(problem)
    tree = simplify(parse(pattern))
    linear = linear_search(tree)
    try:
        power = power_of_time(tree)
        found = re.compile(_python(tree), re.ASCII).search
    except UntranslatablePattern:
        if linear is None:
            raise
        return Pattern(linear, None)
    except (re.error, OverflowError, RecursionError) as error:
        raise UntranslatablePattern(f"Python cannot run it: {error}") from None
    if power <= 1:
        return Pattern(lambda text: found(text) is not None, None)
    bound = int(limits.max_searched_characters ** (2 / power))
    if linear is None:
        return Pattern(lambda text: len(text) <= bound and found(text) is not None, bound)
    return Pattern(
        lambda text: found(text) is not None if len(text) <= bound else linear(text), None
    )


def _python(tree: Tree) -> str:
    """Return Python's spelling of a tree; every group is one that captures nothing."""
    if isinstance(tree, One):
        return in_class(tree.points)
    if isinstance(tree, Assertion):
        return _ASSERTIONS[tree.kind]
    if isinstance(tree, Sequence):
        return "".join(
            f"(?:{_python(part)})" if isinstance(part, Choice) else _python(part)
            for part in tree.parts
        )
    if isinstance(tree, Choice):
        return "|".join(_python(option) for option in tree.options)
    if isinstance(tree, Look):
        return f"{tree.opening}{_python(tree.part)})"
    part = _python(tree.part)
    part = part if isinstance(tree.part, One) else f"(?:{part})"
    high = "" if tree.high is None else str(tree.high)
    return f"{part}{{{tree.low},{high}}}{'?' if tree.lazy else ''}"
