"""The HTTP status of each error, per era.

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

__all__ = ["BUSY_STATUS", "status_of"]

BUSY_STATUS = 503

# Messages that are no request belong to no era.
_ANY_ERA = {PARSE_ERROR: 400, INVALID_REQUEST: 400, UNSUPPORTED_PROTOCOL_VERSION: 400}

_STATUSES = {
    Era.MODERN: {
        **_ANY_ERA,
        METHOD_NOT_FOUND: 404,
        HEADER_MISMATCH: 400,
        MISSING_REQUIRED_CLIENT_CAPABILITY: 400,
    },
    Era.LEGACY: _ANY_ERA,
}


def status_of(code: int, era: Era) -> int:
    """Return the HTTP status of an answer with an error; 200 where the table has no row."""
    return _STATUSES[era].get(code, 200)
