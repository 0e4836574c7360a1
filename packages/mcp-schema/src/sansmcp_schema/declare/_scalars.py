"""The types that are one JSON scalar: those of JSON itself, and where to find the others."""

import datetime as dt
import decimal
import types
import uuid
from typing import Annotated, Any

import msgspec

from ._numbers import EXACT, to_float, to_int
from ._shape import Reader, Shape

__all__ = ["EXACT_FLOAT", "plain_scalar", "scalar_shape"]

# A float that may have lost digits takes the slow way, where it is read exactly.
EXACT_FLOAT = Annotated[float, msgspec.Meta(gt=-EXACT, lt=EXACT)]


def scalar_shape(annotation: Any, *, output: bool = False) -> Shape | None:
    """The shape of a type that is one JSON scalar; None for any other.

    Args:
        annotation: Any type.
        output: The shape describes a result.
    """
    try:
        shape = _OF_JSON.get(annotation)
        if shape is not None or annotation not in _OTHERS:
            return shape
    except TypeError:  # an annotation that has no hash is no type of ours
        return None
    from ._text_scalars import INPUT_TEXTS, OUTPUT_TEXTS  # noqa: PLC0415 - few have any

    return OUTPUT_TEXTS[annotation] if output else INPUT_TEXTS[annotation]


def plain_scalar(python: Any, schema: dict[str, Any], read: Reader | None = None) -> Shape:
    """The shape of a type that msgspec reads as we do.

    Args:
        python: The type.
        schema: Its schema.
        read: Makes the value, where JSON's own is not it.
    """
    return Shape(
        schema=schema,
        read=read,
        gate=python,
        native=python,
        direct=True,
        sound=True,
        named=getattr(python, "__name__", str(python)),
    )


_OF_JSON: dict[Any, Shape] = {
    str: plain_scalar(str, {"type": "string"}),
    bool: plain_scalar(bool, {"type": "boolean"}),
    int: plain_scalar(int, {"type": "integer"}, to_int),
    float: Shape(
        schema={"type": "number"},
        read=to_float,
        gate=EXACT_FLOAT,
        native=float,
        direct=True,
        named="float",
    ),
    None: plain_scalar(None, {"type": "null"}),
    types.NoneType: plain_scalar(None, {"type": "null"}),
    Any: plain_scalar(Any, {}),
    object: plain_scalar(Any, {}),
}
# What is written as a text, mostly.
_OTHERS = frozenset(
    {
        dt.datetime,
        dt.date,
        dt.time,
        dt.timedelta,
        uuid.UUID,
        decimal.Decimal,
        bytes,
        bytearray,
        memoryview,
        msgspec.Raw,
    }
)
