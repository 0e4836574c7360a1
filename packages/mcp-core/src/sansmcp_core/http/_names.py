"""Names of header fields and media types, in lower case as they arrive.

Source: MCP 2026-07-28 basic/transports/streamable-http, Request Metadata; 2025-11-25
basic/transports, Session Management, Resumability and Redelivery.
"""

__all__ = [
    "ACCEPT",
    "APPLICATION_JSON",
    "CONTENT_ENCODING",
    "CONTENT_LENGTH",
    "CONTENT_TYPE",
    "HOST",
    "LAST_EVENT_ID",
    "MCP_METHOD",
    "MCP_NAME",
    "MCP_PARAM_PREFIX",
    "MCP_PROTOCOL_VERSION",
    "MCP_SESSION_ID",
    "ORIGIN",
    "TEXT_EVENT_STREAM",
    "X_FORWARDED_HOST",
    "X_FORWARDED_PROTO",
]

MCP_PROTOCOL_VERSION = b"mcp-protocol-version"
MCP_METHOD = b"mcp-method"
MCP_NAME = b"mcp-name"
MCP_PARAM_PREFIX = b"mcp-param-"
MCP_SESSION_ID = b"mcp-session-id"
"""Legacy revisions only."""
LAST_EVENT_ID = b"last-event-id"
"""Legacy revisions only."""

ACCEPT = b"accept"
CONTENT_ENCODING = b"content-encoding"
CONTENT_LENGTH = b"content-length"
CONTENT_TYPE = b"content-type"
HOST = b"host"
ORIGIN = b"origin"
X_FORWARDED_HOST = b"x-forwarded-host"
X_FORWARDED_PROTO = b"x-forwarded-proto"

APPLICATION_JSON = b"application/json"
TEXT_EVENT_STREAM = b"text/event-stream"
