"""A Python value -> its JSON, as bytes or as plain values; what JSON lacks is found."""

import math
from typing import Any

import msgspec

from ._errors import ResultError
from ._shape import NOTHING

__all__ = ["encode_json", "json_form"]

_encoder = msgspec.json.Encoder()


def encode_json(value: Any) -> bytes:
    """The JSON text of a value.

    Raises:
        ResultError: It holds NaN, an infinity, an unpaired surrogate or an object JSON has no form
            for, or is nested without end.
    """
    try:
        data = _encoder.encode(value)
    except UnicodeEncodeError:
        raise ResultError("a text in the value holds an unpaired surrogate") from None
    except RecursionError:
        raise ResultError("the value is nested too deeply, or holds itself") from None
    except Exception as error:
        raise ResultError(f"the value has no JSON form: {error}") from error
    # msgspec writes NaN and infinities as null, so only where there is a null can there be one.
    if b"null" in data and _has_non_finite(value):
        raise ResultError("a number in the value is NaN or infinite, which JSON does not have")
    return data


def _has_non_finite(value: Any) -> bool:
    if value is None or isinstance(value, str | bytes):
        return False
    if isinstance(value, float):
        return not math.isfinite(value)
    try:
        plain = msgspec.to_builtins(value)
    except Exception:  # noqa: BLE001 - it was encoded a moment ago, so this is a value that changes
        return True
    waiting = [plain]
    while waiting:
        part = waiting.pop()
        if isinstance(part, float):
            if not math.isfinite(part):
                return True
        elif isinstance(part, dict):
            waiting.extend(part.values())
        elif isinstance(part, list | tuple | set | frozenset):
            waiting.extend(part)
    return False


def json_form(value: Any) -> Any:
    """A default in its JSON form, or ``NOTHING`` where it has none."""
    if value is msgspec.UNSET:
        return NOTHING
    if isinstance(value, set | frozenset):
        # The order of a set is another one in each process; a published schema is the same in all.
        try:
            value = sorted(value)
        except TypeError:
            value = list(value)
    try:
        return msgspec.json.decode(encode_json(value))
    except ResultError:
        return NOTHING
