"""What the load sends and what a right answer looks like: the 2026-07-28 wire."""

import json
from typing import Any

__all__ = [
    "LEFT",
    "RIGHT",
    "SUM",
    "VERSION",
    "add",
    "check_list",
    "check_sum",
    "headers",
    "message",
]

VERSION = "2026-07-28"
LEFT, RIGHT = 1234567, 7654321  # the one call the HTTP load repeats; its sum stands in no header
SUM = LEFT + RIGHT
META = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1.0"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def message(method: str, id: int = 1, **params: Any) -> bytes:
    """One JSON-RPC request as the bytes of one line, without the newline."""
    body = {"jsonrpc": "2.0", "id": id, "method": method, "params": {**params, "_meta": META}}
    return json.dumps(body, separators=(",", ":")).encode()


def add(id: int = 1, a: int = LEFT, b: int = RIGHT) -> bytes:
    """The call that most of the load is."""
    return message("tools/call", id, name="add", arguments={"a": a, "b": b})


def headers(method: str, name: str | None = None) -> dict[str, str]:
    """The headers that a modern request must carry over HTTP."""
    out = {
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": VERSION,
        "mcp-method": method,
    }
    return out | {"mcp-name": name} if name else out


def check_sum(answer: dict[str, Any], id: int, total: int) -> None:
    """Fail unless the answer is a complete result that holds ``total``, as text and as data.

    Raises:
        AssertionError: It is not.
    """
    result = answer.get("result", {})
    right = (
        answer.get("id") == id
        and result.get("resultType") == "complete"
        and not result.get("isError")
        and result["content"][0]["text"] == str(total)
        and result["structuredContent"] == {"result": total}
    )
    if not right:
        raise AssertionError(f"expected the sum {total} for id {id}, got {answer}")


def check_list(answer: dict[str, Any], count: int) -> None:
    """Fail unless the answer lists ``count`` tools, ``add`` among them.

    Raises:
        AssertionError: It does not.
    """
    tools = answer.get("result", {}).get("tools", [])
    names = {tool["name"] for tool in tools if tool["inputSchema"]["type"] == "object"}
    if len(names) != count or "add" not in names:
        raise AssertionError(f"expected {count} tools, got {sorted(names)}")
