"""Whole HTTP answers, with complete headers."""

from .._effects import Respond
from ._names import APPLICATION_JSON, CONTENT_LENGTH, CONTENT_TYPE

__all__ = ["whole_answer"]

_JSON = (CONTENT_TYPE, APPLICATION_JSON)
_EMPTY = (CONTENT_LENGTH, b"0")


def whole_answer(status: int, body: bytes, more: tuple[tuple[bytes, bytes], ...] = ()) -> Respond:
    """Return the answer that carries ``body``, a JSON text or nothing.

    Args:
        status: The HTTP status.
        body: The JSON text; an empty one has no type, and with 204 no length either.
        more: Further header fields.

    Source: RFC 9110 section 8.6.
    """
    if body:
        return Respond(status, [_JSON, (CONTENT_LENGTH, b"%d" % len(body)), *more], body)
    return Respond(status, [*more] if status == 204 else [_EMPTY, *more], body)
