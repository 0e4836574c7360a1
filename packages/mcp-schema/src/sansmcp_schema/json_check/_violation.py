"""One thing that is wrong with a value."""

import re

from msgspec import Struct
from msgspec.json import encode

__all__ = ["Violation", "path_text", "quote", "render"]

_PLAIN_NAME = re.compile(r"[^\W\d][\w$-]{0,39}\Z")
_SHOWN_CHARACTERS = 40


class Violation(Struct, frozen=True):
    """One place where a value breaks its schema.

    Args:
        path: Property names and array indexes from the root to the value at fault.
        keyword: The JSON Schema keyword that is broken; an empty string where a schema is
            ``false`` or the check gave up.
        message: What was expected and what arrived: ``expected integer, got "soon"``.
    """

    path: tuple[str | int, ...]
    keyword: str
    message: str


def quote(text: str, shown_characters: int = _SHOWN_CHARACTERS) -> str:
    """Return ``text`` as an escaped JSON string of at most that many of its characters."""
    if len(text) > shown_characters:
        text = text[:shown_characters] + "..."
    try:
        return encode(text).decode()
    except UnicodeEncodeError:  # an unpaired surrogate, which no JSON text can carry as it is
        return encode(text.encode("utf-8", "backslashreplace").decode()).decode()


def path_text(path: tuple[str | int, ...]) -> str:
    """Return the path as people write it: ``items[2].name``, ``arguments`` for the root."""
    parts: list[str] = []
    for step in path:
        if isinstance(step, int):
            parts.append(f"[{step}]")
        elif _PLAIN_NAME.match(step):
            parts.append(f".{step}" if parts else step)
        else:
            parts.append(f"[{quote(step)}]")
    text = "".join(parts)
    return text if path and isinstance(path[0], str) and text[0] != "[" else f"arguments{text}"


def render(violation: Violation) -> str:
    """Return the line that a model reads: ``limit: expected integer, got "soon"``."""
    return f"{path_text(violation.path)}: {violation.message}"
