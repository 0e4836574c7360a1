"""What holds for a check by default: its bounds, and the words that name a secret."""

from msgspec import Struct

__all__ = ["DEFAULT_LIMITS", "DEFAULT_SECRET_WORDS", "SchemaLimits"]


class SchemaLimits(Struct, frozen=True, kw_only=True):
    """Bounds on what a schema may be and on what one check may cost.

    Args:
        max_depth: Levels of objects and arrays in the schema document (64). The chain of
            subschemas that apply to one and the same value (``$ref``, ``allOf``, ``if``, ...) has
            the same bound.
        max_subschemas: Subschemas in the document, and also how often subschemas apply to one
            and the same value once references are followed (2000).
        max_values: JSON values in the document, annotations included (100 000).
        max_pattern_characters: Characters in one ``pattern`` (2000).
        max_searched_characters: The longest string that is searched for a pattern that has
            assertions inside (a look ahead, a word border) and may take quadratic time (5000; 292
            for cubic time, and so on). A longer one counts as not matching, and the violation
            says so. Any other pattern takes linear time and has no such bound.
        max_violations: How many violations are listed (100); one more line says that there are
            others.
    """

    max_depth: int = 64
    max_subschemas: int = 2000
    max_values: int = 100_000
    max_pattern_characters: int = 2000
    max_searched_characters: int = 5000
    max_violations: int = 100


DEFAULT_LIMITS = SchemaLimits()

DEFAULT_SECRET_WORDS: tuple[str, ...] = ("password", "token", "secret", "key")
"""Words in the name of a property that keep its value out of error texts."""
