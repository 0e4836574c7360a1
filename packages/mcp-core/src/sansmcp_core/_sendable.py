"""Ready-made content that a handler returned: can it be sent?"""

from typing import Any

import msgspec
from msgspec import UNSET
from sansmcp_schema.content import TextContent
from sansmcp_schema.declare import ResultError, to_json

__all__ = ["is_plain_text", "require_parts", "require_sendable"]


def require_parts(parts: list[Any], kinds: type | tuple[type, ...], where: str) -> None:
    """Raise ``ResultError`` where a part of a ready-made result is of another kind.

    Args:
        parts: The parts.
        kinds: What they may be.
        where: What holds them, for the message, such as ``the handler's GetPromptResult.messages``.
    """
    wanted = kinds if isinstance(kinds, tuple) else (kinds,)
    for index, part in enumerate(parts):
        if not isinstance(part, kinds):
            names = ", ".join(kind.__name__ for kind in wanted)
            raise ResultError(f"{where}[{index}] is {type(part).__name__}, expected one of {names}")


def is_plain_text(part: Any) -> bool:
    """Whether ``part`` is what most content is, and can be sent as it stands."""
    return (
        type(part) is TextContent
        and part.annotations is UNSET
        and part.meta is UNSET
        and type(part.text) is str
        and part.text.isascii()
    )


def require_sendable(part: Any) -> None:
    """Raise ``ResultError`` where ready-made content holds what JSON has not.

    Content may be megabytes of base64, so it is looked at and not encoded a second time.
    """
    if isinstance(part, str):
        # Only an unpaired surrogate cannot be encoded, and it is never ASCII.
        if not part.isascii():
            to_json(part)
    elif isinstance(part, msgspec.Struct):
        _require_types(part)
        for name in part.__struct_fields__:
            require_sendable(getattr(part, name))
    elif isinstance(part, list):
        for item in part:
            require_sendable(item)
    elif part is not UNSET:
        to_json(part)


def _require_types(part: msgspec.Struct) -> None:
    """Raise ``ResultError`` where a field holds what its type has not; texts are not copied."""
    try:
        msgspec.convert(msgspec.to_builtins(part), type(part))
    except (msgspec.ValidationError, TypeError) as error:
        raise ResultError(f"{type(part).__name__}: {error}") from error
