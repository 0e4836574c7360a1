"""Keywords on top of a shape: where they go in its schema, and what stays fast."""

from typing import Annotated, Any

import msgspec

from ._numbers import EXACT
from ._shape import NOTHING, Shape

__all__ = ["ANNOTATIONS", "constrained"]

ANNOTATIONS = frozenset(
    {"title", "description", "default", "examples", "format", "deprecated", "readOnly", "writeOnly",
     "$comment", "contentEncoding", "contentMediaType"}
)  # fmt: skip
_NUMBER = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_META = {
    "minimum": "ge",
    "maximum": "le",
    "exclusiveMinimum": "gt",
    "exclusiveMaximum": "lt",
    "multipleOf": "multiple_of",
    "minLength": "min_length",
    "maxLength": "max_length",
    "minItems": "min_length",
    "maxItems": "max_length",
    "minProperties": "min_length",
    "maxProperties": "max_length",
}
# The keyword as it is named for a text -> as it is named for another kind of value.
_RENAMED = {
    "array": {"minLength": "minItems", "maxLength": "maxItems"},
    "object": {"minLength": "minProperties", "maxLength": "maxProperties"},
}
_KINDS = {
    **dict.fromkeys(_NUMBER, ("integer", "number")),
    "minLength": ("string", "array", "object"),
    "maxLength": ("string", "array", "object"),
    "pattern": ("string",),
}


def constrained(shape: Shape, keywords: dict[str, Any], *, by_msgspec: bool) -> Shape:
    """The shape with ``keywords`` in its schema; enforced in a union's branches that they fit.

    Args:
        shape: The type's shape; not changed.
        keywords: JSON Schema keywords, lengths named as for a text.
        by_msgspec: They come from a ``msgspec.Meta``, so that msgspec enforces them in classes.

    Raises:
        ValueError: A keyword fits no value of the type; the text names it.
    """
    asserted = {name: value for name, value in keywords.items() if not _is_note(name)}
    notes = {name: value for name, value in keywords.items() if _is_note(name)}
    for name in asserted:
        if name in _KINDS and not _fits(shape.schema, name):
            raise ValueError(f"{name} does not apply to {shape.named or 'this type'}")
    if not asserted:
        return msgspec.structs.replace(shape, schema={**shape.schema, **notes})
    schema = {**_with_keywords(shape.schema, asserted), **notes}
    if shape.unordered and ("minItems" in schema or "maxItems" in schema):
        schema["uniqueItems"] = True
    gate = _gate(shape, schema, asserted)
    return msgspec.structs.replace(
        shape,
        schema=schema,
        gate=gate,
        sound=shape.sound and by_msgspec and gate is not NOTHING,
    )


def _is_note(keyword: str) -> bool:
    return keyword in ANNOTATIONS or keyword.startswith("x-")


def _fits(schema: dict[str, Any], keyword: str) -> bool:
    if "anyOf" in schema:
        return any(_fits(branch, keyword) for branch in schema["anyOf"])
    kind = schema.get("type")
    return kind is None or kind in _KINDS[keyword]


def _with_keywords(schema: dict[str, Any], asserted: dict[str, Any]) -> dict[str, Any]:
    """The schema with each keyword in the branches it fits, under the name it has there."""
    if "anyOf" in schema:
        branches = [_with_keywords(branch, asserted) for branch in schema["anyOf"]]
        return {**schema, "anyOf": branches}
    kind = schema.get("type")
    names = _RENAMED.get(kind or "", {})
    fitting = {
        names.get(name, name): value
        for name, value in asserted.items()
        if kind is None or name not in _KINDS or kind in _KINDS[name]
    }
    return {**schema, **fitting}


def _gate(shape: Shape, schema: dict[str, Any], asserted: dict[str, Any]) -> Any:
    """A msgspec type for the constrained schema where msgspec means the same by its ``Meta``."""
    kind = schema.get("type")
    if shape.gate is NOTHING or kind is None or "enum" in schema or schema.get("uniqueItems"):
        return NOTHING
    names = _RENAMED.get(kind, {})
    bounds = {names.get(name, name): value for name, value in schema.items() if name in _META}
    if any(names.get(name, name) not in bounds for name in asserted):
        return NOTHING
    if kind == "integer":
        bounded = all(_is_int64(value) for value in bounds.values())
        return _meta(int, bounds) if bounded else NOTHING
    if kind == "number":
        return _float_gate(bounds)
    if (kind == "string" and shape.gate is str) or kind in ("array", "object"):
        return _meta(shape.gate, bounds)
    if kind == "string" and shape.named == "str":
        return _meta(str, bounds)
    return NOTHING


def _is_int64(value: Any) -> bool:
    return type(value) is int and -(2**63) <= value < 2**63


def _float_gate(bounds: dict[str, Any]) -> Any:
    """A float between the bounds that also lies where every integer is exact."""
    if "multipleOf" in bounds or not all(-EXACT < value < EXACT for value in bounds.values()):
        return NOTHING
    if {"minimum", "exclusiveMinimum"} <= bounds.keys():
        return NOTHING
    if {"maximum", "exclusiveMaximum"} <= bounds.keys():
        return NOTHING
    complete = dict(bounds)
    if "minimum" not in bounds:
        complete.setdefault("exclusiveMinimum", -EXACT)
    if "maximum" not in bounds:
        complete.setdefault("exclusiveMaximum", EXACT)
    return _meta(float, complete)


def _meta(python: Any, bounds: dict[str, Any]) -> Any:
    try:
        return Annotated[python, msgspec.Meta(**{_META[name]: v for name, v in bounds.items()})]
    except (TypeError, ValueError):
        return NOTHING
