"""A Python value -> its JSON, as bytes or as plain values; what JSON lacks is found."""

import math
import os
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from decimal import Decimal
from typing import Any

import msgspec

from ._errors import ResultError
from ._shape import NOTHING

__all__ = ["json_form", "to_json"]


def _plain(value: Any) -> Any:
    """What msgspec does not write -> what it does: a subclass as its base, a path as text, ...

    Raises:
        TypeError: JSON has no form for it.
    """
    for base, exactly in _BASES:
        if isinstance(value, base):
            return exactly(value)
    if isinstance(value, list | tuple | dict | set | frozenset):
        # As a value msgspec writes it; only as a key does it come here.
        raise TypeError(f"a {type(value).__qualname__} cannot be a key in JSON; make it a text")
    if isinstance(value, os.PathLike):
        return os.fsdecode(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence | AbstractSet):
        return list(value)
    if hasattr(value, "model_dump"):
        hint = 'return model.model_dump(mode="json")'
    else:
        hint = "return a dict, Struct or dataclass, or convert it"
    raise TypeError(f"{type(value).__qualname__} is nothing that JSON has; {hint}")


# The slots of the base, so that nothing the subclass overrides is called.
_BASES: tuple[tuple[type, Callable[[Any], Any]], ...] = (
    (str, str.__str__),
    (int, int.__int__),
    (float, float.__float__),
)
_SMALL_N, _CAPITAL_N = b"nN"

_encoder = msgspec.json.Encoder(enc_hook=_plain)


def to_json(value: Any) -> bytes:
    """The JSON text of a value: Structs, dataclasses, dates, UUIDs, enums, sets, bytes and all.

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
    # msgspec writes a float that is none as null, and a Decimal by its name. A single byte is
    # looked for much faster than several, and most numbers and many texts have none of these two.
    if (
        (_SMALL_N in data or _CAPITAL_N in data)
        and (b"null" in data or b"NaN" in data or b"Infinity" in data)
        and _has_non_finite(value)
    ):
        raise ResultError("a number in the value is NaN or infinite, which JSON does not have")
    return data


def _has_non_finite(value: Any) -> bool:
    if value is None or isinstance(value, str | bytes):
        return False
    if isinstance(value, float):
        return not math.isfinite(value)
    try:
        plain = msgspec.to_builtins(value, builtin_types=(Decimal,), enc_hook=_plain)
    except Exception:  # noqa: BLE001 - it was encoded a moment ago, so this is a value that changes
        return True
    waiting = [plain]
    while waiting:
        part = waiting.pop()
        if isinstance(part, float):
            if not math.isfinite(part):
                return True
        elif isinstance(part, Decimal):
            if not part.is_finite():
                return True
        elif isinstance(part, dict):
            waiting.extend(part)
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
        return msgspec.json.decode(to_json(value))
    except ResultError:
        return NOTHING
