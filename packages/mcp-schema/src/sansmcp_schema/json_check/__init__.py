"""JSON Schema as this library publishes and enforces it: 2020-12 and draft-07, one compiled check.

Every name below is loaded when it is first used: whoever refers to them through this package
loads no engine for what msgspec checks by itself. Loaded late, too, each in one place: the
translation of patterns where a schema has one (``_read``), ``unicodedata`` where a pattern names a
Unicode property (``_pattern_sets``), ``jsonschema_rs`` where a schema needs the other engine
(``_check``).
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._check import Check, Engine, compile_check
    from ._document import parse_schema
    from ._errors import SchemaError, UnenforceableKeyword
    from ._keywords import Keyword, keyword_table
    from ._limits import DEFAULT_LIMITS, DEFAULT_SECRET_WORDS, SchemaLimits
    from ._pattern import Pattern, PatternError, UntranslatablePattern, translate
    from ._read import check_schema
    from ._violation import Violation, path_text, quote, render
    from ._words import is_secret_name, show

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


_MODULES = {
    "DEFAULT_LIMITS": "_limits",
    "DEFAULT_SECRET_WORDS": "_limits",
    "Check": "_check",
    "Engine": "_check",
    "Keyword": "_keywords",
    "Pattern": "_pattern",
    "PatternError": "_pattern",
    "SchemaError": "_errors",
    "SchemaLimits": "_limits",
    "UnenforceableKeyword": "_errors",
    "UntranslatablePattern": "_pattern",
    "Violation": "_violation",
    "check_schema": "_read",
    "compile_check": "_check",
    "is_secret_name": "_words",
    "keyword_table": "_keywords",
    "parse_schema": "_document",
    "path_text": "_violation",
    "quote": "_violation",
    "render": "_violation",
    "show": "_words",
    "translate": "_pattern",
}


def __getattr__(name: str) -> Any:
    """Load the module that holds ``name``, once."""
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{module}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
