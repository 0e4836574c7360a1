"""Defaults: their JSON form in a schema, and which of them calls could change."""

import dataclasses
from typing import Any

import msgspec

from ._json_value import json_form
from ._shape import NOTHING, Shape

__all__ = ["is_mutable", "with_default"]


def is_mutable(default: Any) -> bool:
    """Whether calls could change a default; what is not known to be JSON-like is left as it is."""
    if isinstance(default, list | dict | set | bytearray):
        return True
    if isinstance(default, tuple | frozenset):
        return any(map(is_mutable, default))
    if isinstance(default, type):
        return False
    if isinstance(default, msgspec.Struct):
        return not default.__struct_config__.frozen or any(
            is_mutable(getattr(default, name)) for name in default.__struct_fields__
        )
    return dataclasses.is_dataclass(default)


def with_default(shape: Shape, default: Any) -> Shape:
    """The shape with the JSON form of a default in its schema; left out where there is none."""
    if default is NOTHING:
        return shape
    form = json_form(default)
    if form is NOTHING or (form is None and not _takes_null(shape.schema)):
        return shape
    return msgspec.structs.replace(shape, schema={**shape.schema, "default": form})


def _takes_null(schema: dict[str, Any]) -> bool:
    if "anyOf" in schema:
        return any(_takes_null(branch) for branch in schema["anyOf"])
    if "enum" in schema:
        return None in schema["enum"]
    named = schema.get("type", "null")
    return named == "null" or "null" in named
