"""Requests of a modern client as bytes, and the answers that come, which h11 judges."""

from typing import Any, NamedTuple

import h11
import msgspec

__all__ = ["Answer", "call", "head_of", "judge", "listen"]

_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


def head_of(method: str, name: str, *fields: str) -> bytes:
    """The head of a POST by a modern client, but for what says how long its body is."""
    lines = [
        "POST /mcp HTTP/1.1",
        "Host: 127.0.0.1",
        "Content-Type: application/json",
        "Accept: application/json, text/event-stream",
        "MCP-Protocol-Version: 2026-07-28",
        f"Mcp-Method: {method}",
        *([f"Mcp-Name: {name}"] if name else []),
        *fields,
    ]
    return "\r\n".join([*lines, "", ""]).encode()


def _post(method: str, name: str, meta: dict[str, Any], /, **params: Any) -> bytes:
    params["_meta"] = {**_META, **meta}
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    body = msgspec.json.encode(message)
    return head_of(method, name, f"Content-Length: {len(body)}") + body


def call(tool: str, logs: bool = False, /, **arguments: Any) -> bytes:
    """A call of a tool; ``logs`` asks for its log messages."""
    meta = {"io.modelcontextprotocol/logLevel": "debug"} if logs else {}
    return _post("tools/call", tool, meta, name=tool, arguments=arguments)


def listen(*uris: str) -> bytes:
    """A ``subscriptions/listen`` for resources."""
    return _post("subscriptions/listen", "", {}, notifications={"resourceSubscriptions": uris})


# -- answers --------------------------------------------------------------------------------------


class Answer(NamedTuple):
    """What a server has answered so far, if it is HTTP."""

    status: int
    headers: dict[str, str]
    body: bytes
    whole: bool
    """Whether the answer has come to its end."""

    @property
    def messages(self) -> list[Any]:
        """The JSON messages of the body, which is one of them or a stream."""
        kind = self.headers.get("content-type")
        if kind == "application/json":
            return [msgspec.json.decode(self.body)]
        if kind != "text/event-stream":
            return []
        lines = [line for line in self.body.split(b"\n") if line.startswith(b"data: ")]
        return [msgspec.json.decode(line.removeprefix(b"data: ")) for line in lines]


def judge(received: bytes, *, at_end: bool = False, method: str = "POST") -> Answer | None:
    """The answer that begins with those bytes; None where there is none yet.

    Args:
        received: What has come.
        at_end: Whether the server has closed the connection behind it.
        method: That of the request.

    Raises:
        h11.RemoteProtocolError: It is not HTTP.
    """
    if not received:
        return None
    judging = h11.Connection(h11.CLIENT)
    judging.send(h11.Request(method=method, target="/", headers=[("host", "x")]))
    judging.send(h11.EndOfMessage())
    judging.receive_data(received)
    if at_end:
        judging.receive_data(b"")
    response: h11.Response | None = None
    body: list[bytes] = []
    whole = False
    while True:
        event = judging.next_event()
        if isinstance(event, h11.Response):
            response = event
        elif isinstance(event, h11.Data):
            body.append(bytes(event.data))
        elif not isinstance(event, h11.InformationalResponse):
            whole = isinstance(event, h11.EndOfMessage)
            break
    if response is None:
        return None
    headers = {name.decode(): value.decode("latin-1") for name, value in response.headers}
    return Answer(response.status_code, headers, b"".join(body), whole)
