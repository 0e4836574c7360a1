"""Keys of maps: JSON has texts only, so a key of another type is the text that stands for it."""

from typing import Any

import msgspec

from ._errors import Mismatch
from ._shape import Shape, read_item
from ._text_scalars import NUMBER_PATTERN

__all__ = ["is_text", "key_names", "read_key"]

_INTEGER_PATTERN = "^-?(0|[1-9][0-9]*)$"
_BY_TYPE: dict[str, dict[str, Any]] = {
    "integer": {"pattern": _INTEGER_PATTERN},
    "number": {"pattern": NUMBER_PATTERN},
    "boolean": {"enum": ["true", "false"]},
    "null": {"enum": ["null"]},
}
# A format is a note, and of values too; the names of a map are few enough to say it all.
_BY_FORMAT = {
    "uuid": "^([0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}|[0-9a-fA-F]{32})$",
    "date": "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$",
}


def key_names(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a key -> the one of the names that stand for it; empty where any name does."""
    if "anyOf" in schema:
        branches = [key_names(branch) for branch in schema["anyOf"]]
        return {"anyOf": branches} if all(branches) else {}
    kind = schema.get("type")
    if "enum" in schema:
        return {"enum": [_name_of(form) for form in schema["enum"]]}
    if kind == "string":
        names = {name: limit for name, limit in schema.items() if name != "type"}
        pattern = _BY_FORMAT.get(names.get("format", ""))
        return {"pattern": pattern, **names} if pattern else names
    return dict(_BY_TYPE.get(kind or "", {}))


def _name_of(form: Any) -> str:
    return form if isinstance(form, str) else msgspec.json.encode(form).decode()


def is_text(key: Shape) -> bool:
    """Whether a key is a text, or may be anything, so that its name need not be decoded."""
    schema = key.schema
    return not schema or schema.get("type") == "string"


def read_key(shape: Shape, name: str) -> Any:
    """A member's name -> a key: itself, or the value that its text stands for."""
    schema = shape.schema
    if is_text(shape):
        return name if shape.read is None else read_item(shape.read, name, name)
    value: Any = name
    if "enum" in schema:
        value = next((form for form in schema["enum"] if _name_of(form) == name), name)
    elif name == name.strip():
        try:
            value = msgspec.json.decode(name.encode())
        except (ValueError, RecursionError):
            value = name
    kind = schema.get("type")
    if kind == "integer" and type(value) is not int:
        raise Mismatch("keys that are integers", name)
    if kind == "number" and type(value) not in (int, float):
        raise Mismatch("keys that are numbers", name)
    return value if shape.read is None else read_item(shape.read, name, value)
