"""JSON Schema as this library publishes and enforces it: 2020-12 and draft-07, one compiled check.

Loaded late, each in one place: the translation of patterns where a schema has one (``_read``),
``unicodedata`` where a pattern names a Unicode property (``_pattern_sets``), ``jsonschema_rs``
where a schema needs the other engine (``_check``).
"""

from typing import TYPE_CHECKING, Any

from ._check import Check, Engine, compile_check
from ._document import parse_schema
from ._errors import SchemaError, UnenforceableKeyword
from ._keywords import Keyword, keyword_table
from ._limits import DEFAULT_LIMITS, SchemaLimits
from ._read import check_schema
from ._violation import Violation, path_text, quote, render
from ._words import DEFAULT_SECRET_WORDS, is_secret_name, show

if TYPE_CHECKING:
    from ._pattern import Pattern, PatternError, UntranslatablePattern, translate

__all__ = [
    "DEFAULT_LIMITS",
    "DEFAULT_SECRET_WORDS",
    "Check",
    "Engine",
    "Keyword",
    "Pattern",
    "PatternError",
    "SchemaError",
    "SchemaLimits",
    "UnenforceableKeyword",
    "UntranslatablePattern",
    "Violation",
    "check_schema",
    "compile_check",
    "is_secret_name",
    "keyword_table",
    "parse_schema",
    "path_text",
    "quote",
    "render",
    "show",
    "translate",
]


def __getattr__(name: str) -> Any:
    """Load the translation of patterns when one of its names is first used."""
    if name not in {"Pattern", "PatternError", "UntranslatablePattern", "translate"}:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import _pattern  # noqa: PLC0415 - see the head of this file

    return getattr(_pattern, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
