"""The HTTP status of each error of a message, per era; what the head decides is in ``_ladder.py``.

Source: MCP 2026-07-28 basic/transports/streamable-http, Protocol Version Header and Server
Validation; 2025-11-25 basic/transports, Session Management, where 404 means that a session is gone.
"""

from sansmcp_schema.jsonrpc import (
    HEADER_MISMATCH,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    PARSE_ERROR,
    UNSUPPORTED_PROTOCOL_VERSION,
)

from .._era import Era

__all__ = ["BAD_REQUEST", "BUSY", "NOT_ACCEPTABLE", "NOT_FOUND", "TOO_LARGE", "status_of"]

BAD_REQUEST = 400
"""No message, or one that does not say of itself what it has to."""
NOT_FOUND = 404
"""Legacy: no such session. Modern: no such method."""
NOT_ACCEPTABLE = 406
"""What is asked for is a stream, and the client takes none."""
TOO_LARGE = 413
"""A body of too many bytes."""
BUSY = 503
"""A ceiling is reached, or the server is going down; always with ``Retry-After``."""

# Messages that are no request belong to no era.
_ANY_ERA = {
    PARSE_ERROR: BAD_REQUEST,
    INVALID_REQUEST: BAD_REQUEST,
    UNSUPPORTED_PROTOCOL_VERSION: BAD_REQUEST,
}

_STATUSES = {
    Era.MODERN: {
        **_ANY_ERA,
        METHOD_NOT_FOUND: NOT_FOUND,
        HEADER_MISMATCH: BAD_REQUEST,
        MISSING_REQUIRED_CLIENT_CAPABILITY: BAD_REQUEST,
    },
    Era.LEGACY: _ANY_ERA,
}


def status_of(code: int, era: Era) -> int:
    """Return the HTTP status of an answer with an error; 200 where the table has no row."""
    return _STATUSES[era].get(code, 200)
