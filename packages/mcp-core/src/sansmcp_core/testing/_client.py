"""``TestClient``: a client in memory, plain or awaited."""

from collections.abc import Mapping
from contextlib import AbstractContextManager, ExitStack
from typing import TYPE_CHECKING, Any, Self

from sansmcp_schema.meta_keys import (
    CLIENT_CAPABILITIES_KEY,
    CLIENT_INFO_KEY,
    PROTOCOL_VERSION_KEY,
)
from sansmcp_schema.revisions import LATEST_MODERN, MODERN_REVISIONS, REVISIONS

from ._inbox import Answers, Inbox
from ._wire import Wire

if TYPE_CHECKING:
    from .._effects import Report
    from .._server import Server

__all__ = ["Answers", "PeerError", "Pending", "TestClient"]

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

    def __init__(self, wire: Wire, inbox: Inbox, id: str | int) -> None:
        self._wire = wire
        self._inbox = inbox
        self.id = id

    @property
    def done(self) -> bool:
        """Whether the answer is there."""
        return self._inbox.answer_to(self.id) is not None

    def result(self) -> dict[str, Any]:
        """Return the result; for servers whose handlers are all plain functions.

        Raises:
            PeerError: The server answered with an error.
            AssertionError: There is no answer; an async handler has to be awaited.
        """
        answer = self._inbox.answer_to(self.id)
        assert answer is not None, self._why_not()
        if "error" in answer:
            raise PeerError(answer["error"])
        result: dict[str, Any] = answer["result"]
        return result

    def _why_not(self) -> str:
        asked = [f"{key!r} ({method})" for key, method in self._inbox.unanswered.items()]
        if asked:
            return (
                f"request {self.id!r} is not answered yet: the server asks {', '.join(asked)}; "
                "give TestClient(answers={key: result})"
            )
        return (
            f"request {self.id!r} is not answered yet: await client.settle() for async handlers, "
            "or release what hold() keeps back"
        )

    def cancel(self, reason: str | None = None) -> None:
        """Tell the server that the answer is no longer wanted."""
        params = {"requestId": self.id} | ({} if reason is None else {"reason": reason})
        message = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
        self._wire.send(message)
        self._inbox.collect()


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
        if revision not in REVISIONS:
            raise ValueError(f"unknown revision {revision!r}; there are {', '.join(REVISIONS)}")
        self.revision = revision
        self.capabilities = dict(_EVERYTHING if capabilities is None else capabilities)
        self._modern = revision in MODERN_REVISIONS
        self._exits = ExitStack()
        if lifespan_value is None and server.lifespan is not None:
            manager = server.lifespan(server)
            if not isinstance(manager, AbstractContextManager):
                raise TypeError("this lifespan is async: enter it in the test, pass lifespan_value")
            lifespan_value = self._exits.enter_context(manager)
        self.wire = Wire(server, lifespan_value, now)
        """Both ends of the connection: ``messages``, ``reports``, and what is sent as it stands."""
        self.inbox = Inbox(self.wire, answers or {})
        """What came, sorted; ``answers`` may be replaced at any time."""
        self.reports: list[Report] = self.wire.reports
        """What the server would have written to its own log."""
        self._serial = 0
        if not self._modern:
            hello = {
                "protocolVersion": revision,
                "capabilities": self.capabilities,
                "clientInfo": _client_info(),
            }
            self.revision = self.begin("initialize", hello).result()["protocolVersion"]
            self.notify("notifications/initialized")

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
        own = (
            {}
            if not self._modern
            else {
                PROTOCOL_VERSION_KEY: self.revision,
                CLIENT_INFO_KEY: _client_info(),
                CLIENT_CAPABILITIES_KEY: self.capabilities,
            }
        )
        merged = {**own, **full.get("_meta", {}), **meta}
        if merged:
            full["_meta"] = merged
        if full:
            message["params"] = full
        self.wire.send(message)
        self.inbox.collect()
        return Pending(self.wire, self.inbox, self._serial)

    def request(
        self, method: str, params: Mapping[str, Any] | None = None, **meta: Any
    ) -> dict[str, Any]:
        """Return the result of a request; questions on the way are answered from ``answers``.

        Raises:
            PeerError: The server answered with an error.
        """
        while True:
            result = self.begin(method, params, **meta).result()
            retry = self.inbox.retry(params, result)
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
            retry = self.inbox.retry(params, result)
            if retry is None:
                return result
            params = retry

    def notify(self, method: str, params: Mapping[str, Any] | None = None) -> None:
        """Send a notification."""
        self.wire.send({"jsonrpc": "2.0", "method": method, "params": dict(params or {})})
        self.inbox.collect()

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
        self.inbox.collect()
        while self.wire.waiting and not self.wire.hold:
            await self.wire.run_async()
            self.inbox.collect()

    def hold(self) -> None:
        """Let calls wait until ``release``, to cancel them or to move the clock meanwhile."""
        self.wire.hold = True

    def release(self) -> None:
        """Run the plain calls that waited, and hold back no more."""
        self.wire.hold = False
        self.wire.run_held()
        self.inbox.collect()

    def advance(self, seconds: float) -> None:
        """Move the clock; time limits that pass take effect."""
        self.wire.advance(seconds)
        self.inbox.collect()

    def receive(self) -> list[dict[str, Any]]:
        """Return the notifications that have come since the last call."""
        return self.inbox.take_notifications()

    def close(self) -> None:
        """Drop the connection; never waits, whatever still runs."""
        self.wire.close()
        self._exits.close()


def _client_info() -> dict[str, Any]:
    return {"name": "test-client", "version": "1"}
