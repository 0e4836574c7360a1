"""``Literal`` and ``Enum`` -> the JSON values they allow."""

import enum
import math
from typing import Any, get_args

import msgspec

from ._errors import Mismatch
from ._numbers import to_int
from ._shape import NOTHING, Reader, Shape

__all__ = ["enum_shape", "json_equal", "literal_shape"]


def json_equal(first: Any, second: Any) -> bool:
    """Whether two JSON values are equal: ``1`` equals ``1.0``, ``True`` is not ``1``."""
    if isinstance(first, bool) or isinstance(second, bool):
        return first is second
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(map(json_equal, first, second))
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(
            json_equal(value, second[key]) for key, value in first.items()
        )
    return bool(first == second)


def literal_shape(annotation: Any) -> Shape:
    """``Literal`` of text, numbers, booleans, None and enum members, floats included.

    Raises:
        ValueError: A value has no JSON form.
    """
    values = list(get_args(annotation))
    pairs = [(_json_form(value), value) for value in values]
    native = all(value is None or type(value) in (str, int) for value in values)
    return _choice(pairs, annotation if native else NOTHING, str(annotation).replace("typing.", ""))


def enum_shape(python: type[enum.Enum]) -> Shape:
    """An ``Enum`` by the JSON forms of its members' values, of one kind or mixed.

    Raises:
        ValueError: A member's value has no JSON form, or there are no members.
    """
    pairs = [(_json_form(member.value), member) for member in python]
    if not pairs:
        raise ValueError(f"{python.__name__} has no members")
    kinds = {type(form) for form, _ in pairs}
    # A ``_missing_`` hook would let values in that the schema does not list.
    hooked = python._missing_.__func__ is not enum.Enum._missing_.__func__  # type: ignore[attr-defined]
    native = kinds in ({str}, {int}) and not hooked
    return _choice(pairs, python if native else NOTHING, python.__name__)


def _json_form(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value!r} has no JSON form")
    try:
        form = msgspec.json.decode(msgspec.json.encode(value))
    except (TypeError, ValueError, RecursionError):
        raise ValueError(f"{value!r} has no JSON form") from None
    return to_int(value) if type(value) is int else form


def _choice(pairs: list[tuple[Any, Any]], native: Any, named: str) -> Shape:
    forms = [form for form, _ in pairs]
    schema: dict[str, Any] = {"enum": forms}
    if all(isinstance(form, str) for form in forms):
        schema = {"type": "string", "enum": forms}
    elif all(type(form) is int for form in forms):
        schema = {"type": "integer", "enum": forms}
    known = native is not NOTHING
    return Shape(
        schema=schema,
        read=_reader(pairs, named),
        gate=native,
        native=native,
        direct=known,
        sound=known,
        rank=0,
        named=named,
    )


def _reader(pairs: list[tuple[Any, Any]], named: str) -> Reader:
    def read(value: Any) -> Any:
        for form, member in pairs:
            if json_equal(form, value):
                return member
        raise Mismatch(f"one of {named}", value)

    return read
