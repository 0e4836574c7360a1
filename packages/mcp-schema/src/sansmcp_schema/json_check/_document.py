"""A schema document as text or objects, bounded before anything else looks at it."""

from math import isfinite
from typing import Any

import msgspec

from ._errors import SchemaError
from ._limits import DEFAULT_LIMITS, SchemaLimits
from ._values import json_type

__all__ = ["check_bounds", "escape_pointer", "parse_schema"]


def escape_pointer(step: str) -> str:
    """Return one property name as a step of a JSON pointer (RFC 6901)."""
    return step.replace("~", "~0").replace("/", "~1")


def parse_schema(
    source: str | bytes | dict[str, Any] | bool,
    limits: SchemaLimits = DEFAULT_LIMITS,
) -> dict[str, Any] | bool:
    """Return the schema that text, bytes or an object says.

    Args:
        source: JSON text, JSON as UTF-8 bytes, or the schema itself.
        limits: Bounds on depth and size.

    Returns:
        The schema; a dict given is returned as it is.

    Raises:
        SchemaError: The text is not JSON, the value is neither object nor boolean, holds
            something JSON cannot say, or exceeds a bound.
    """
    schema: Any = source
    if isinstance(source, str | bytes):
        try:
            schema = msgspec.json.decode(source)
        except RecursionError:
            raise SchemaError("", "", _too_deep(limits)) from None
        except (msgspec.DecodeError, UnicodeError) as error:
            raise SchemaError("", "", f"the text is not JSON: {error}") from None
    if not isinstance(schema, dict | bool):
        raise SchemaError("", "", f"expected an object or a boolean, got {json_type(schema)}")
    check_bounds(schema, limits)
    return schema


def check_bounds(schema: Any, limits: SchemaLimits) -> None:
    """Refuse a document that is too deep, too large or no JSON, without recursion.

    Raises:
        SchemaError: Naming the bound, or the place of the value that JSON cannot say.
    """
    seen = 0
    pending: list[tuple[Any, str, int]] = [(schema, "", 1)]
    while pending:
        value, path, depth = pending.pop()
        seen += 1
        if seen > limits.max_values:
            problem = f"holds more than {limits.max_values} values (SchemaLimits.max_values)"
            raise SchemaError("", "", problem)
        if isinstance(value, dict):
            _check_depth(depth, limits)
            for key, item in value.items():
                if not isinstance(key, str):
                    raise SchemaError("", path, f"property names are strings, got {key!r:.40}")
                _check_scalar(key, path)
                pending.append((item, f"{path}/{escape_pointer(key[:80])}", depth + 1))
        elif isinstance(value, list):
            _check_depth(depth, limits)
            pending.extend((item, f"{path}/{at}", depth + 1) for at, item in enumerate(value))
        else:
            _check_scalar(value, path)


def _check_depth(depth: int, limits: SchemaLimits) -> None:
    if depth > limits.max_depth:
        raise SchemaError("", "", _too_deep(limits))


def _too_deep(limits: SchemaLimits) -> str:
    return (
        f"objects and arrays nest deeper than {limits.max_depth} levels "
        "(SchemaLimits.max_depth); name inner schemas under $defs and refer to them"
    )


def _check_scalar(value: Any, path: str) -> None:
    if isinstance(value, str):
        try:
            value.isascii() or value.encode()
        except UnicodeEncodeError:
            problem = "holds an unpaired surrogate, which JSON text cannot carry"
            raise SchemaError("", path, problem) from None
    elif isinstance(value, float):
        if not isfinite(value):
            raise SchemaError("", path, f"{json_type(value)} is no JSON number")
    elif value is not None and not isinstance(value, int):
        hint = "; write a list" if isinstance(value, tuple) else ""
        raise SchemaError("", path, f"expected a JSON value, got {type(value).__name__}{hint}")
