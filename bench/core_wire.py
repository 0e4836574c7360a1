"""Requests of both eras as bytes, and the heads that clients send with them."""

from typing import Any

import msgspec

__all__ = ["LEGACY", "MODERN", "Fields", "fields", "legacy", "modern"]

MODERN = "2026-07-28"
LEGACY = "2025-11-25"

_META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1.0"},
    "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
}

Fields = list[tuple[bytes, bytes]]


def modern(method: str, id: int = 1, /, **params: Any) -> bytes:
    """A modern request, without a newline."""
    return legacy(method, id, **params, _meta=_META)


def legacy(method: str, id: int | None = 1, /, **params: Any) -> bytes:
    """A legacy request, without a newline; a notification where the id is None."""
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
    return msgspec.json.encode(message if id is None else {**message, "id": id})


def fields(
    body: bytes, method: str, name: str = "", /, version: str = MODERN, session: str = ""
) -> Fields:
    """The header fields of a POST as an HTTP server hands them on, in lower case.

    Args:
        body: The message.
        method: Its method, which modern clients say in the head, too.
        name: What it names, likewise.
        version: The revision.
        session: The legacy session.
    """
    own = {
        "host": "127.0.0.1:8000",
        "user-agent": "bench/1.0",
        "accept": "application/json, text/event-stream",
        "accept-encoding": "gzip, deflate",
        "connection": "keep-alive",
        "content-type": "application/json",
        "content-length": str(len(body)),
        "mcp-protocol-version": version,
        "mcp-method": method if version == MODERN else "",
        "mcp-name": name,
        "mcp-session-id": session,
    }
    return [(field.encode(), value.encode()) for field, value in own.items() if value]
