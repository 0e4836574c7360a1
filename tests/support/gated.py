"""Heads of HTTP requests, and what the gate says to them."""

import json
from typing import Any

from sansmcp_core import Server
from sansmcp_core._effects import Respond
from sansmcp_core._envelope import Envelope
from sansmcp_core.http._gate import Admitted, Gate, Refused
from sansmcp_core.http._head import RequestHead
from sansmcp_core.http._info import info_for
from sansmcp_core.http._settings import HttpSettings

SERVER = Server("gated", "1.2.3")
LOOPBACK_HOST = "127.0.0.1:3000"
PUBLIC_ADDRESS = "192.0.2.7"


def make_gate(**settings: Any) -> Gate:
    return Gate(HttpSettings(**settings), Envelope(SERVER), info_for(SERVER))


def head(
    method: str = "POST",
    path: str = "/mcp",
    *more: tuple[str, str],
    local: str | None = "127.0.0.1",
    without: str = "",
    **fields: str,
) -> RequestHead:
    """A good head, changed: ``fields`` replace by name (``_`` is ``-``), ``more`` is added."""
    values = {"host": LOOPBACK_HOST}
    if method == "POST":
        values["content-type"] = "application/json"
    if method in ("POST", "GET"):
        values["accept"] = "application/json, text/event-stream"
    values.update({name.replace("_", "-"): value for name, value in fields.items()})
    values.pop(without, None)
    lines = [*values.items(), *more]
    headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in lines]
    return RequestHead(method, path, headers, "http", local, 3000)


def admitted(gate: Gate, given: RequestHead) -> Admitted:
    verdict = gate.judge(given)
    assert isinstance(verdict, Admitted), verdict
    # The second time the verdict comes from the cache.
    assert gate.judge(given) == verdict
    return verdict


def refused(gate: Gate, given: RequestHead) -> Respond:
    verdict = gate.judge(given)
    assert isinstance(verdict, Refused), verdict
    return verdict.answer


def status(gate: Gate, given: RequestHead) -> int:
    """The status of the refusal, 0 where there is none."""
    verdict = gate.judge(given)
    again = gate.judge(given)
    if isinstance(verdict, Admitted):
        assert again == verdict
        return 0
    assert isinstance(again, Refused)
    assert again.answer == verdict.answer
    return verdict.answer.status


def error_text(answer: Respond) -> str:
    """The message of the JSON-RPC error in an answer, which has no id."""
    message = json.loads(answer.body)
    assert message.keys() == {"jsonrpc", "error"}
    assert message["error"].keys() == {"code", "message"}
    assert message["error"]["code"] == -32600
    text = message["error"]["message"]
    assert isinstance(text, str)
    return text
