"""What a Python type means in JSON: its schema, how to check it fast, how to make a value of it."""

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

import msgspec

from ._errors import Mismatch

__all__ = ["NOTHING", "Part", "Parts", "Reader", "Shape", "read_each", "read_item"]

Reader = Callable[[Any], Any]


class _Nothing:
    def __repr__(self) -> str:
        return "NOTHING"


NOTHING: Final[Any] = _Nothing()


class Part(NamedTuple):
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
