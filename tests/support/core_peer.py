"""A peer of one ``Connection``: sends bytes, keeps effects apart, and runs calls when told."""

from collections.abc import Mapping
from typing import Any

import msgspec
from sansmcp_core import Call, Cancel, Close, Connection, Effect, Report, Run, Send, Server

__all__ = [
    "CAPABILITIES_KEY",
    "EVERY_CAPABILITY",
    "LEGACY",
    "MODERN",
    "NOW",
    "VERSION_KEY",
    "Peer",
    "initialize",
    "legacy",
    "meta",
    "modern",
    "notification",
]

NOW = 1_800_000_000.0
MODERN = "2026-07-28"
LEGACY = "2025-11-25"
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
EVERY_CAPABILITY: dict[str, Any] = {
    "elicitation": {"form": {}, "url": {}},
    "sampling": {"tools": {}},
    "roots": {},
}

Json = dict[str, Any]


def meta(capabilities: Any = EVERY_CAPABILITY, /, **more: Any) -> Json:
    """The ``_meta`` of a modern request."""
    return {VERSION_KEY: MODERN, CAPABILITIES_KEY: dict(capabilities), **more}


def modern(id: Any, method: str, _meta: Mapping[str, Any] | None = None, /, **params: Any) -> Json:
    """A modern request."""
    full = {**params, "_meta": meta() if _meta is None else dict(_meta)}
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": full}


def legacy(id: Any, method: str, **params: Any) -> Json:
    """A legacy request."""
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def notification(method: str, **params: Any) -> Json:
    """A notification of either era."""
    return {"jsonrpc": "2.0", "method": method, "params": params}


def initialize(
    id: Any = "init", revision: str = LEGACY, capabilities: Mapping[str, Any] = EVERY_CAPABILITY
) -> Json:
    """The legacy handshake."""
    return legacy(
        id,
        "initialize",
        protocolVersion=revision,
        capabilities=dict(capabilities),
        clientInfo={"name": "peer", "version": "1"},
    )


class Peer:
    """Carries effects out into lists; calls run when ``run`` says so, in the caller's thread."""

    def __init__(self, server: Server, **options: Any) -> None:
        self.now = NOW
        self.wakes = 0
        self.connection = Connection(server, wake=self._wake, **options)
        self.unread: list[Json] = []
        self.reports: list[Report] = []
        self.runs: list[Call] = []
        self.cancelled: list[Call] = []
        self.closed = False

    def _wake(self) -> None:
        self.wakes += 1

    def take(self, effects: list[Effect]) -> None:
        """Carry effects out."""
        for effect in effects:
            match effect:
                case Send(data):
                    assert data.endswith(b"\n")
                    assert b"\r" not in data
                    lines = data[:-1].split(b"\n")
                    self.unread += [msgspec.json.decode(line) for line in lines]
                case Run(call):
                    self.runs.append(call)
                case Cancel(call):
                    self.cancelled.append(call)
                case Report():
                    self.reports.append(effect)
                case Close():
                    self.closed = True

    def send(self, *messages: Json | bytes) -> list[Json]:
        """Let the server receive messages, each as one line; return what it says at once."""
        for message in messages:
            data = message if isinstance(message, bytes) else msgspec.json.encode(message)
            self.take(self.connection.receive(data + b"\n", self.now))
        return self.read()

    def ask(self, *messages: Json | bytes) -> list[Json]:
        """Send messages, run every call they lead to, and return what the server says."""
        said = self.send(*messages)
        while self.runs:
            said += self.run()
        return said + self.pending()

    def one(self, *messages: Json | bytes) -> Json:
        """Return the one message that the server says."""
        said = self.ask(*messages)
        assert len(said) == 1, said
        return said[0]

    def result(self, message: Json) -> Json:
        """Return the result of one request."""
        answer = self.one(message)
        assert answer["id"] == message["id"]
        assert "result" in answer, answer
        result: Json = answer["result"]
        return result

    def error(self, message: Json | bytes) -> Json:
        """Return the error that one message gets."""
        answer = self.one(message)
        assert "error" in answer, answer
        error: Json = answer["error"]
        return error

    def run(self, call: Call | None = None) -> list[Json]:
        """Run the oldest call that was handed out, or this one; return what the server says."""
        call = self.runs.pop(0) if call is None else self.runs.pop(self.runs.index(call))
        try:
            value = call.invoke()
        except BaseException as error:
            return self.end(call, error)
        self.take(call.completed(value, self.now))
        return self.read()

    def end(self, call: Call, error: BaseException) -> list[Json]:
        """Tell that a call ended with an exception."""
        self.take(call.failed(error, self.now))
        return self.read()

    def pending(self) -> list[Json]:
        """Return what arose elsewhere."""
        self.take(self.connection.pending(self.now))
        return self.read()

    def tick(self, seconds: float) -> list[Json]:
        """Let time pass; return what the server says."""
        self.now += seconds
        self.take(self.connection.tick(self.now))
        return self.read()

    def read(self) -> list[Json]:
        """Return what the server said and nobody has read."""
        unread, self.unread = self.unread, []
        return unread
