"""The scalars that JSON does not have, most of them written as a text, as a table."""

import datetime as dt
import decimal
import re
import uuid
from typing import Annotated, Any

import msgspec

from ._errors import Mismatch
from ._numbers import LongFloat
from ._scalars import EXACT_FLOAT, plain_scalar
from ._shape import NOTHING, Reader, Shape

__all__ = ["INPUT_TEXTS", "NUMBER_PATTERN", "OUTPUT_TEXTS"]

_UUID = (
    r"(?i:urn:uuid:)?(\{)?"
    r"([0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}|[0-9a-fA-F]{32})"
    r"(?(1)\})"
)


def _read_uuid(value: str) -> uuid.UUID:
    found = re.fullmatch(_UUID, value)
    if found is None:
        raise Mismatch("a UUID", value)
    return uuid.UUID(found[2])


def _read_decimal(value: str | float) -> decimal.Decimal:
    text = repr(value)
    if isinstance(value, str):
        text = value
    elif isinstance(value, LongFloat):
        text = value.text
    if isinstance(value, str) and _NUMBER.match(value) is None:
        raise Mismatch("a decimal number", value)
    try:
        return msgspec.convert(text, decimal.Decimal)
    except msgspec.ValidationError:
        raise Mismatch("a decimal number", value) from None


def _converted(wanted: Any, expected: str) -> Reader:
    def read(value: Any) -> Any:
        try:
            return msgspec.convert(value, wanted)
        except msgspec.ValidationError:
            raise Mismatch(expected, value) from None

    return read


def _read_raw(value: Any) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(value))


def _text(python: Any, expected: str, read: Reader | None = None, **keywords: str) -> Shape:
    reader = read or _converted(python, expected)
    shape = plain_scalar(python, {"type": "string", **keywords}, reader)
    shape.rank = 1
    return shape


def _base64(python: Any) -> Shape:
    shape = _text(python, "base64 text", contentEncoding="base64")
    shape.rank = 3
    return shape


# A JSON number; what Python takes beside it (blanks, underscores, "NaN") is none.
NUMBER_PATTERN = r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$"
_DECIMAL_TEXT = {"type": "string", "format": "decimal", "pattern": NUMBER_PATTERN}
# msgspec's "$" matches before a final newline.
_NUMBER = re.compile(NUMBER_PATTERN.replace("$", r"\Z"))
_DECIMAL_GATE = Annotated[str, msgspec.Meta(pattern=_NUMBER.pattern)]

INPUT_TEXTS: dict[Any, Shape] = {
    dt.datetime: _text(dt.datetime, "an RFC 3339 date-time", format="date-time"),
    dt.date: _text(dt.date, "an RFC 3339 date", format="date"),
    dt.time: _text(dt.time, "an RFC 3339 time", format="time"),
    dt.timedelta: _text(dt.timedelta, "an ISO 8601 duration", format="duration"),
    uuid.UUID: _text(uuid.UUID, "a UUID", _read_uuid, format="uuid"),
    decimal.Decimal: Shape(
        schema={"anyOf": [{"type": "number"}, _DECIMAL_TEXT]},
        read=_read_decimal,
        # msgspec itself takes 1e400 for a Decimal, which no exact check can look at.
        gate=_DECIMAL_GATE | EXACT_FLOAT,
        native=decimal.Decimal,
        rank=1,
        named="Decimal",
    ),
    bytes: _base64(bytes),
    bytearray: _base64(bytearray),
    memoryview: _base64(memoryview),
    # msgspec.Raw takes bytes that are no UTF-8, so nothing fast is safe with it.
    msgspec.Raw: Shape(schema={}, read=_read_raw, gate=NOTHING, native=NOTHING, named="Raw"),
}

# A Decimal is written as text, so a result promises nothing else.
OUTPUT_TEXTS: dict[Any, Shape] = {
    **INPUT_TEXTS,
    decimal.Decimal: Shape(
        schema=_DECIMAL_TEXT,
        read=_read_decimal,
        gate=_DECIMAL_GATE,
        native=decimal.Decimal,
        rank=1,
        named="Decimal",
    ),
}
