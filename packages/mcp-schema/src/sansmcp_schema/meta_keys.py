"""The keys of ``_meta`` that the protocol gives a meaning.

Source: 2026-07-28, schema, ``RequestMetaObject``, ``ResultMetaObject`` and
``NotificationMetaObject``.
"""

__all__ = [
    "CLIENT_CAPABILITIES_KEY",
    "CLIENT_INFO_KEY",
    "LOG_LEVEL_KEY",
    "PROGRESS_TOKEN_KEY",
    "PROTOCOL_VERSION_KEY",
    "SERVER_INFO_KEY",
    "SUBSCRIPTION_ID_KEY",
]

PROGRESS_TOKEN_KEY = "progressToken"  # noqa: S105 - names a field
"""Of a request: the token under which it wants to hear of progress."""

PROTOCOL_VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
"""Of a modern request: the revision it is written in."""
CLIENT_INFO_KEY = "io.modelcontextprotocol/clientInfo"
"""Of a modern request: the client's name and version."""
CLIENT_CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
"""Of a modern request: what its client can do."""
LOG_LEVEL_KEY = "io.modelcontextprotocol/logLevel"
"""Of a modern request: the least severe log message that it wants to get."""

SERVER_INFO_KEY = "io.modelcontextprotocol/serverInfo"
"""Of a modern result: the server's name and version."""

SUBSCRIPTION_ID_KEY = "io.modelcontextprotocol/subscriptionId"
"""Of what a modern listener gets, notifications and the result: the id of its request."""
