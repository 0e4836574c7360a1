"""The form that the value of each keyword must have."""

import re
from collections.abc import Callable
from typing import Any

from ._values import json_type
from ._violation import quote

__all__ = ["SHAPES", "TYPE_NAMES"]

TYPE_NAMES = ("null", "boolean", "integer", "number", "string", "array", "object")

_ANCHOR = re.compile(r"[A-Za-z_][-A-Za-z0-9._]*\Z")
_NO_TYPE = "expected one of " + ", ".join(TYPE_NAMES)


def _got(value: Any) -> str:
    if isinstance(value, str):
        return f"got {quote(value)}"
    is_short = _is_number(value) and abs(value) < 1e15
    return f"got {value if is_short else json_type(value)}"


def _is_schema(value: Any) -> bool:
    return isinstance(value, dict | bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _any(_: Any) -> str | None:
    return None


def _schema(value: Any) -> str | None:
    return None if _is_schema(value) else f"expected a schema, {_got(value)}"


def _schema_list(value: Any) -> str | None:
    if not isinstance(value, list) or not value:
        return "expected a list of at least one schema, " + _got(value)
    return next(
        (f"item {at}: {_schema(one)}" for at, one in enumerate(value) if _schema(one)), None
    )


def _schema_map(value: Any) -> str | None:
    if not isinstance(value, dict):
        return f"expected an object of schemas, {_got(value)}"
    wrong = next(((name, one) for name, one in value.items() if not _is_schema(one)), None)
    return f"{quote(wrong[0])}: {_schema(wrong[1])}" if wrong else None


def _items(value: Any) -> str | None:
    return _schema_list(value) if isinstance(value, list) else _schema(value)


def _types(value: Any) -> str | None:
    names = value if isinstance(value, list) else [value]
    if not names:
        return "expected at least one type, got an empty list"
    for name in names:
        if not isinstance(name, str) or name not in TYPE_NAMES:
            return f"{_NO_TYPE}, {_got(name)}"
    return None if len(set(names)) == len(names) else "names a type twice"


def _choices(value: Any) -> str | None:
    if not isinstance(value, list) or not value:
        return "expected a list of at least one value, " + _got(value)
    return None


def _number(value: Any) -> str | None:
    if _is_number(value):
        return None
    hint = ""
    if isinstance(value, bool):
        hint = "; a boolean here was draft-04, write the bound itself as a number"
    return f"expected a number, {_got(value)}{hint}"


def _positive_number(value: Any) -> str | None:
    return _number(value) or (None if value > 0 else f"expected a number above 0, {_got(value)}")


def _count(value: Any) -> str | None:
    if _is_number(value) and value >= 0 and value == int(value):
        return None
    return f"expected an integer of at least 0, {_got(value)}"


def _boolean(value: Any) -> str | None:
    return None if isinstance(value, bool) else f"expected a boolean, {_got(value)}"


def _string(value: Any) -> str | None:
    return None if isinstance(value, str) else f"expected a string, {_got(value)}"


def _list(value: Any) -> str | None:
    return None if isinstance(value, list) else f"expected a list, {_got(value)}"


def _object_or_boolean(value: Any) -> str | None:
    return _schema(value)


def _names(value: Any) -> str | None:
    if isinstance(value, bool):
        return (
            "expected a list of property names, got boolean; required belongs to the object "
            "that holds the property and lists its name"
        )
    if not isinstance(value, list):
        return f"expected a list of property names, {_got(value)}"
    for name in value:
        if not isinstance(name, str):
            return f"expected a list of property names, got {json_type(name)} in it"
    twice = len(set(value)) != len(value)
    return "names a property twice" if twice else None


def _names_map(value: Any) -> str | None:
    if not isinstance(value, dict):
        return f"expected an object of lists of property names, {_got(value)}"
    return next((f"{quote(at)}: {_names(one)}" for at, one in value.items() if _names(one)), None)


def _dependencies(value: Any) -> str | None:
    if not isinstance(value, dict):
        return f"expected an object of schemas or lists of property names, {_got(value)}"
    for name, one in value.items():
        problem = _names(one) if isinstance(one, list) else _schema(one)
        if problem:
            return f"{quote(name)}: {problem}"
    return None


def _anchor(value: Any) -> str | None:
    if isinstance(value, str) and _ANCHOR.match(value):
        return None
    return f"expected a name of letters, digits, '-', '_' and '.', {_got(value)}"


SHAPES: dict[str, Callable[[Any], str | None]] = {
    "any": _any,
    "schema": _schema,
    "schema_list": _schema_list,
    "schema_map": _schema_map,
    "pattern_map": _schema_map,
    "items": _items,
    "types": _types,
    "choices": _choices,
    "number": _number,
    "positive_number": _positive_number,
    "count": _count,
    "boolean": _boolean,
    "string": _string,
    "pattern": _string,
    "reference": _string,
    "dialect": _string,
    "id": _string,
    "anchor": _anchor,
    "list": _list,
    "object_or_boolean": _object_or_boolean,
    "names": _names,
    "names_map": _names_map,
    "dependencies": _dependencies,
}
"""For each form, a function that returns what is wrong with a value, or None."""
