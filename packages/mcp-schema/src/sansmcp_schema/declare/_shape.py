"""What a Python type means in JSON: its schema, how to check it fast, how to make a value of it."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ._errors import Mismatch

if TYPE_CHECKING:
    from ..json_check import SchemaLimits

__all__ = [
    "NOTHING",
    "Part",
    "Parts",
    "Reader",
    "Shape",
    "is_record",
    "is_sure_to_compile",
    "read_each",
    "read_item",
]

Reader = Callable[[Any], Any]


class _Nothing:
    def __repr__(self) -> str:
        return "NOTHING"


NOTHING: Final[Any] = _Nothing()


class Part(msgspec.Struct, frozen=True, eq=False):
    """One value in another: where it is, the shape it is read by, and the value."""

    step: str | int
    shape: "Shape"
    value: Any


Parts = Callable[[Any], Iterator[Part]]


class Shape(msgspec.Struct, eq=False, kw_only=True):
    """The JSON side of one Python type.

    Attributes:
        schema: What is published.
        read: Makes the Python value from a JSON value that satisfies ``schema``; raises
            ``Mismatch``. None where the two are the same.
        parts: The values inside a JSON value, each with its shape, whatever the value is. None
            where ``read`` does not read them one by one.
        gate: A msgspec type that accepts nothing but what ``schema`` accepts; or ``NOTHING``.
        native: A msgspec type whose decoding makes the same value as ``read``; or ``NOTHING``.
        direct: Decoding with ``gate`` already makes the value.
        sound: Decoding the annotation itself, as msgspec understands it, accepts nothing more than
            ``schema``, so that a class with such fields is a gate of its own.
        rank: In a union, lower ranks are tried first.
        unordered: A set, whose length is not that of the JSON array unless items are unique.
        named: A name for messages: ``UUID``.
    """

    schema: dict[str, Any]
    read: Reader | None = None
    parts: Parts | None = None
    gate: Any = NOTHING
    native: Any = NOTHING
    direct: bool = False
    sound: bool = False
    rank: int = 3
    unordered: bool = False
    named: str = ""


def is_record(python: Any) -> bool:
    """Whether a class is one with named fields: Struct, dataclass, TypedDict, named tuple."""
    return isinstance(python, type) and (
        issubclass(python, msgspec.Struct)
        or hasattr(python, "__dataclass_fields__")
        or (issubclass(python, dict) and hasattr(python, "__total__"))
        or (issubclass(python, tuple) and hasattr(python, "_field_defaults"))
    )


_NAMES = ("array", "boolean", "integer", "null", "number", "object", "string")
_SURE = {"additionalProperties", "anyOf", "default", "description", "items", "properties",
         "required", "title", "type"}  # fmt: skip


def is_sure_to_compile(schema: dict[str, Any], limits: "SchemaLimits") -> bool:
    """Whether a schema that was made of types is small, and says nothing but which types.

    Then its check can be left to be compiled when something has to be said of a value: what can
    be checked by msgspec alone never loads the engine.
    """
    return 0 < _plain_subschemas(schema, limits.max_depth // 2) <= limits.max_subschemas


def _plain_subschemas(schema: Any, levels: int) -> int:
    """How many subschemas there are; 0 where one of them says more, or they are too deep."""
    if isinstance(schema, bool):
        return 1
    notes = (schema.get("title", ""), schema.get("description", ""))
    if (
        levels < 2
        or not schema.keys() <= _SURE
        or schema.get("type", "null") not in _NAMES
        or not all(isinstance(note, str) for note in notes)
        or isinstance(schema.get("default"), list | dict)
    ):
        return 0
    total = 1
    inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", ())]
    inner += [schema[name] for name in ("items", "additionalProperties") if name in schema]
    for part in inner:
        count = _plain_subschemas(part, levels - 1)
        if not count:
            return 0
        total += count
    return total


def read_item(reader: Reader, step: str | int, value: Any) -> Any:
    """``reader(value)``, a mismatch told from the container that holds the value at ``step``."""
    try:
        return reader(value)
    except Mismatch as mismatch:
        raise mismatch.under(step) from None


def read_each(reader: Reader | None, values: list[Any]) -> list[Any]:
    """The items of a JSON array, each read; a mismatch tells its index."""
    if reader is None:
        return values
    return [read_item(reader, index, value) for index, value in enumerate(values)]
