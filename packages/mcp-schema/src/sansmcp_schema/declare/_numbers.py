"""JSON bytes -> Python values without a number changing on the way."""

from decimal import Decimal
from typing import Any

import msgspec

__all__ = [
    "EXACT",
    "LongFloat",
    "decode_exactly",
    "decode_with_digits",
    "number_of",
    "to_float",
    "to_int",
]

# Beyond this, a double no longer holds every integer.
EXACT = 2**53


class LongFloat(float):
    """A number that has more digits than a float holds; ``text`` has them all."""

    __slots__ = ("text",)
    text: str


def number_of(text: str) -> float | int:
    """A literal with a fraction or an exponent -> a float, or the integer a float would round."""
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError("a number is out of range")
    if number == 0 or (len(text) <= _SHORT and -EXACT < number < EXACT):
        return number
    exact = Decimal(text)
    if exact == Decimal(repr(number)):
        return number
    if abs(number) >= EXACT and exact == exact.to_integral_value():
        return int(exact)
    return number


def _long_number(text: str) -> float | int:
    """Like ``number_of``, but a float that lost digits knows them."""
    number = number_of(text)
    if isinstance(number, int) or len(text) <= _SHORT:
        return number
    long = LongFloat(number)
    long.text = text
    return long


# A float holds every decimal of 15 digits.
_SHORT = 15
_decoder = msgspec.json.Decoder(float_hook=number_of)
_decoder_with_digits = msgspec.json.Decoder(float_hook=_long_number)


def decode_exactly(raw: bytes | msgspec.Raw) -> Any:
    """One JSON text -> its value; an integer written as ``9007199254740993.0`` stays that integer.

    Raises:
        ValueError: The text is no JSON, or a number in it is out of range.
        RecursionError: It is nested too deeply.
    """
    return _decoder.decode(raw)


def decode_with_digits(raw: bytes | msgspec.Raw) -> Any:
    """Like ``decode_exactly``; floats with more digits than they hold are ``LongFloat``s."""
    return _decoder_with_digits.decode(raw)


def to_int(value: float) -> int:
    """A JSON number without a fraction -> the integer that its shortest decimal form names."""
    if isinstance(value, int):
        return value
    return int(value) if -EXACT <= value <= EXACT else int(Decimal(repr(value)))


def to_float(value: float) -> float | int:
    """A JSON number -> a float, or the integer itself where a float would change it."""
    if isinstance(value, float):
        return float(value)
    try:
        number = float(value)
    except OverflowError:
        return value
    return number if number == value else value
