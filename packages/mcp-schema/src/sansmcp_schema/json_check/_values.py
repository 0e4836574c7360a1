"""JSON values as JSON Schema compares and counts them."""

from math import isfinite, isnan
from typing import Any

__all__ = ["decimal_parts", "is_multiple", "json_key", "json_type", "nesting_exceeds"]

_HASH_MODULUS = (1 << 61) - 1


def json_type(value: Any) -> str:
    """Return the JSON type: ``integer`` for any number without a fraction, else ``number``.

    What JSON cannot say is named: ``NaN``, ``Infinity``, or the Python type.
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        if not isfinite(value):
            return "NaN" if isnan(value) else "Infinity"
        return "integer" if value.is_integer() else "number"
    if isinstance(value, str):
        return "string"
    if isinstance(value, list | tuple):
        return "array"
    if isinstance(value, dict):
        return "object"
    return type(value).__name__


def json_key(value: Any) -> Any:
    """Return a hashable that is equal for equal JSON values and for those only.

    ``1`` equals ``1.0``; ``true`` equals neither; key order does not count. Large integers become
    text, because Python's hash of integers can be made to collide on purpose.
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return ("boolean", str(value))
    if isinstance(value, float):
        if not value.is_integer():
            return value
        value = int(value)
    if isinstance(value, int):
        return value if -_HASH_MODULUS < value < _HASH_MODULUS else ("integer", hex(value))
    if isinstance(value, list | tuple):
        return ("array", *[json_key(item) for item in value])
    if isinstance(value, dict):
        return ("object", frozenset((key, json_key(item)) for key, item in value.items()))
    return ("other", id(value))


def decimal_parts(number: float) -> tuple[int, int]:
    """Return ``(digits, exponent)`` with ``number == digits * 10**exponent`` in shortest decimal.

    A float means the shortest decimal that reads back as it, so ``0.3`` is three tenths exactly.
    """
    if isinstance(number, int):
        return number, 0
    mantissa, _, exponent = repr(number).partition("e")
    whole, _, fraction = mantissa.partition(".")
    return int(whole + fraction), int(exponent or 0) - len(fraction)


def is_multiple(number: float, digits: int, exponent: int) -> bool:
    """Tell whether ``number`` is an integer multiple of ``digits * 10**exponent``.

    Never builds a number longer than its operands, whatever the exponents are.
    """
    own_digits, own_exponent = decimal_parts(number)
    shift = own_exponent - exponent
    if shift >= 0:
        return own_digits * pow(10, shift, digits) % digits == 0
    if own_digits == 0:
        return True
    # 10**-shift divides only numbers with at least that many bits times log2(10) > 3.
    if -shift * 3 > own_digits.bit_length():
        return False
    scaled: int = digits * 10**-shift
    return own_digits % scaled == 0


def nesting_exceeds(value: Any, levels: int) -> bool:
    """Tell whether objects and arrays nest deeper than ``levels``, without recursion."""
    layer = [value]
    for _ in range(levels):
        inner: list[Any] = []
        for container in layer:
            if isinstance(container, dict):
                inner.extend(container.values())
            elif isinstance(container, list | tuple):
                inner.extend(container)
        layer = [item for item in inner if isinstance(item, dict | list | tuple)]
        if not layer:
            return False
    return True
