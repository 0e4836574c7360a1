"""``TestClient``: a client in memory, plain or awaited."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

from sansmcp_schema.revisions import LATEST_MODERN, MODERN_REVISIONS

from ._wire import Wire

if TYPE_CHECKING:
    from .._effects import Report
    from .._server import Server

__all__ = ["Answers", "PeerError", "Pending", "TestClient"]

Answers: TypeAlias = Mapping[str, Any] | Callable[[str, dict[str, Any]], Any]
"""Answers to the server's questions: by key or method, or a function of key and request."""

_META_VERSION = "io.modelcontextprotocol/protocolVersion"
_META_INFO = "io.modelcontextprotocol/clientInfo"
_META_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"

_EVERYTHING: dict[str, Any] = {
    "elicitation": {"form": {}, "url": {}},
    "sampling": {"tools": {}},
    "roots": {},
}


class PeerError(Exception):
    """The server answered with a JSON-RPC error."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(f"{error['code']}: {error['message']}")
        self.code: int = error["code"]
        self.message: str = error["message"]
        self.data: Any = error.get("data")


class Pending:
    """A request that may not be answered yet."""

    def __init__(self, client: "TestClient", id: str | int) -> None:
        self._client = client
        self.id = id

    @property
    def done(self) -> bool:
        """Whether the answer is there."""
        return self._client.answer_to(self.id) is not None

    def result(self) -> dict[str, Any]:
        """Return the result; for servers whose handlers are all plain functions.

        Raises:
            PeerError: The server answered with an error.
            AssertionError: There is no answer; an async handler has to be awaited.
        """
        answer = self._client.answer_to(self.id)
        assert answer is not None, (
            f"request {self.id!r} is not answered yet: await client.settle() for async handlers, "
            "or release what hold() keeps back"
        )
        if "error" in answer:
            raise PeerError(answer["error"])
        result: dict[str, Any] = answer["result"]
        return result

    def cancel(self, reason: str | None = None) -> None:
        """Tell the server that the answer is no longer wanted."""
        params = {"requestId": self.id} | ({} if reason is None else {"reason": reason})
        self._client.notify("notifications/cancelled", params)


class TestClient:
    """A client that speaks to one server in memory.

    Plain handlers run within the call that asks for them. For async ones use the methods that
    begin with ``a`` in your own task, on any event loop. Questions of the server are answered from
    ``answers``; unanswered ones are left to you.

    Args:
        server: The server under test.
        revision: The protocol version to speak; a legacy one shakes hands first.
        capabilities: What the client can do; everything by default.
        answers: Answers to questions, by key, by method, or by a function.
        lifespan_value: What handlers see as the lifespan's value; by default a plain context
            manager lifespan is entered, and left by ``close``.
        now: Where the clock begins, in Unix seconds.
    """

    __test__ = False  # its name looks like a test to pytest

    def __init__(
        self,
        server: "Server",
        revision: str = LATEST_MODERN,
        *,
        capabilities: Mapping[str, Any] | None = None,
        answers: Answers | None = None,
        lifespan_value: Any = None,
        now: float = 1_800_000_000.0,
    ) -> None:
        self.revision = revision
        self.capabilities = dict(_EVERYTHING if capabilities is None else capabilities)
        self.answers: Answers = answers or {}
        self._modern = revision in MODERN_REVISIONS
        self._exits = ExitStack()
        if lifespan_value is None and server.lifespan is not None:
            manager = server.lifespan(server)
            if not isinstance(manager, AbstractContextManager):
                raise TypeError("this lifespan is async: enter it in the test, pass lifespan_value")
            lifespan_value = self._exits.enter_context(manager)
        self.wire = Wire(server, lifespan_value, now)
        self._serial = 0
        self._answers: dict[str | int, dict[str, Any]] = {}
        self.notifications: list[dict[str, Any]] = []
        """Notifications so far, in order; the whole traffic is in ``wire.messages``."""
        if not self._modern:
            self._shake_hands()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    # -- requests ----------------------------------------------------------------------------

    def begin(self, method: str, params: Mapping[str, Any] | None = None, **meta: Any) -> Pending:
        """Send a request and return it, answered or not.

        Args:
            method: The method.
            params: Its parameters; what the era wants in ``_meta`` is added.
            meta: More keys for ``_meta``, such as ``progressToken``.
        """
        self._serial += 1
        message: dict[str, Any] = {"jsonrpc": "2.0", "id": self._serial, "method": method}
        full = dict(params or {})
        merged = {**(self._meta() if self._modern else {}), **full.get("_meta", {}), **meta}
        if merged:
            full["_meta"] = merged
        if full:
            message["params"] = full
        self.wire.send(message)
        self._collect()
        return Pending(self, self._serial)

    def request(
        self, method: str, params: Mapping[str, Any] | None = None, **meta: Any
    ) -> dict[str, Any]:
        """Return the result of a request; questions on the way are answered from ``answers``.

        Raises:
            PeerError: The server answered with an error.
        """
        while True:
            result = self.begin(method, params, **meta).result()
            retry = self._retry(params, result)
            if retry is None:
                return result
            params = retry

    async def arequest(
        self, method: str, params: Mapping[str, Any] | None = None, **meta: Any
    ) -> dict[str, Any]:
        """Return the result of a request whose handler may be async, run in this very task."""
        while True:
            pending = self.begin(method, params, **meta)
            await self.settle()
            result = pending.result()
            retry = self._retry(params, result)
            if retry is None:
                return result
            params = retry

    def notify(self, method: str, params: Mapping[str, Any] | None = None) -> None:
        """Send a notification."""
        self.wire.send({"jsonrpc": "2.0", "method": method, "params": dict(params or {})})
        self._collect()

    def call_tool(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        """Return the result of a tool."""
        return self.request("tools/call", {"name": name, "arguments": arguments})

    async def acall_tool(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        """Return the result of a tool that may be async."""
        return await self.arequest("tools/call", {"name": name, "arguments": arguments})

    # -- time, and what the server does by itself --------------------------------------------

    async def settle(self) -> None:
        """Run what waits for an event loop, in this task, until nothing does."""
        await self.wire.run_async()
        self._collect()
        while self.wire.waiting and not self.wire.hold:
            await self.wire.run_async()
            self._collect()

    def hold(self) -> None:
        """Let calls wait until ``release``, to cancel them or to move the clock meanwhile."""
        self.wire.hold = True

    def release(self) -> None:
        """Run the plain calls that waited, and hold back no more."""
        self.wire.hold = False
        self.wire.run_held()
        self._collect()

    def advance(self, seconds: float) -> None:
        """Move the clock; time limits that pass take effect."""
        self.wire.advance(seconds)
        self._collect()

    def receive(self, kind: Literal["notifications", "reports"] = "notifications") -> list[Any]:
        """Return what has come since the last call, and forget it."""
        self._collect()
        source: list[Any] = self.notifications if kind == "notifications" else self.wire.reports
        taken = list(source)
        source.clear()
        return taken

    @property
    def reports(self) -> "list[Report]":
        """What the server would have written to its own log."""
        return self.wire.reports

    def answer_to(self, id: str | int) -> dict[str, Any] | None:
        """Return the whole answer to a request; None where there is none yet."""
        self._collect()
        return self._answers.get(id)

    def close(self) -> None:
        """Drop the connection; never waits, whatever still runs."""
        self.wire.close()
        self._exits.close()

    # -- inside ------------------------------------------------------------------------------

    def _meta(self) -> dict[str, Any]:
        return {
            _META_VERSION: self.revision,
            _META_INFO: {"name": "test-client", "version": "1"},
            _META_CAPABILITIES: self.capabilities,
        }

    def _shake_hands(self) -> None:
        params = {
            "protocolVersion": self.revision,
            "capabilities": self.capabilities,
            "clientInfo": {"name": "test-client", "version": "1"},
        }
        self.revision = self.begin("initialize", params).result()["protocolVersion"]
        self.notify("notifications/initialized")

    def _collect(self) -> None:
        """Sort what the server sent: answers, notifications, and questions of legacy servers."""
        while (message := self.wire.next_message()) is not None:
            if "method" not in message:
                self._answers[message.get("id", "")] = message
            elif "id" not in message:
                self.notifications.append(message)
            else:
                self._answer_live(message)

    def _answer_live(self, request: dict[str, Any]) -> None:
        answer = self._answer(request["method"], request)
        if answer is not None:
            self.wire.send({"jsonrpc": "2.0", "id": request["id"], "result": answer})

    def _retry(
        self, params: Mapping[str, Any] | None, result: dict[str, Any]
    ) -> dict[str, Any] | None:
        """Return the parameters of the next round; None where the result is final."""
        if result.get("resultType") != "input_required":
            return None
        responses = {}
        for key, request in result.get("inputRequests", {}).items():
            answer = self._answer(key, request)
            if answer is None:
                return None
            responses[key] = answer
        retry = {**(params or {}), "inputResponses": responses}
        if "requestState" in result:
            retry["requestState"] = result["requestState"]
        return retry

    def _answer(self, key: str, request: dict[str, Any]) -> Any:
        if callable(self.answers):
            return self.answers(key, request)
        return self.answers.get(key, self.answers.get(request["method"]))
