"""Clients of one HTTP endpoint, without sockets, threads or sleeps; the clock is the test's."""

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from core_peer import (
    EVERY_CAPABILITY,
    LEGACY,
    NOW,
    VERSION_KEY,
    Json,
    initialize,
    notification,
)
from sansmcp_core import (
    Call,
    Cancel,
    Context,
    Data,
    Effect,
    EndOfMessage,
    Mode,
    Report,
    Respond,
    Response,
    Run,
    Server,
)
from sansmcp_core.http import Endpoint, HttpSettings, RequestHead
from sse import SseEvent, SseParser

__all__ = [
    "BOTH",
    "HttpPeer",
    "LegacyClient",
    "Request",
    "Trip",
    "legacy_post",
    "make_request",
    "modern_post",
    "session_delete",
    "session_get",
]

BOTH = "application/json, text/event-stream"
JSON = b"application/json"
SSE = b"text/event-stream"

_MANY = 10_000
_TOKEN = frozenset(b"!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz")
_NAME_OF = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


class Request(NamedTuple):
    """One HTTP request."""

    method: str
    path: str
    headers: list[tuple[bytes, bytes]]
    body: bytes


def make_request(method: str, message: Any, headers: Mapping[str, Any], path: str) -> Request:
    """A request; a header may be None for none, or a list for several; ``_`` stands for ``-``."""
    body = message if isinstance(message, bytes) else msgspec.json.encode(message)
    sent: list[tuple[bytes, bytes]] = []
    for name, values in headers.items():
        for value in values if isinstance(values, list) else [values]:
            if value is not None:
                wire = value if isinstance(value, bytes) else str(value).encode("latin-1")
                sent.append((name.replace("_", "-").lower().encode(), wire))
    return Request(method, path, sent, body)


def modern_post(message: Json | bytes, /, path: str = "/mcp", **headers: Any) -> Request:
    """A POST with the headers that a modern client sends for this message."""
    own: dict[str, Any] = {
        "host": "127.0.0.1:3000",
        "content_type": "application/json",
        "accept": BOTH,
    }
    if isinstance(message, dict):
        method, params = message.get("method"), message.get("params", {})
        own["mcp_protocol_version"] = params.get("_meta", {}).get(VERSION_KEY)
        own["mcp_method"] = method
        own["mcp_name"] = params.get(_NAME_OF.get(str(method), ""))
    return make_request("POST", message, {**own, **headers}, path)


def legacy_post(
    message: Any, session: str | None = None, version: str | None = LEGACY, /, **headers: Any
) -> Request:
    """A POST with the headers that a legacy client sends."""
    own = {
        "host": "127.0.0.1:3000",
        "content_type": "application/json",
        "accept": BOTH,
        "mcp_session_id": session,
        "mcp_protocol_version": version,
    }
    return make_request("POST", message, {**own, **headers}, "/mcp")


def session_get(session: str | None, /, last_event_id: Any = None, **headers: Any) -> Request:
    """A GET that opens, or takes up, a stream of a session."""
    own = {
        "host": "127.0.0.1:3000",
        "accept": "text/event-stream",
        "mcp_session_id": session,
        "mcp_protocol_version": LEGACY,
        "last_event_id": last_event_id,
    }
    return make_request("GET", b"", {**own, **headers}, "/mcp")


def session_delete(session: str | None, /, **headers: Any) -> Request:
    """A DELETE that ends a session."""
    own = {
        "host": "127.0.0.1:3000",
        "mcp_session_id": session,
        "mcp_protocol_version": LEGACY,
    }
    return make_request("DELETE", b"", {**own, **headers}, "/mcp")


class Trip:
    """One exchange, and what came back; every effect is checked as it is taken."""

    def __init__(self, peer: "HttpPeer", request: Request, **head: Any) -> None:
        self.request = request
        self.status: int | None = None
        self.headers: dict[bytes, bytes] = {}
        self.body = b""
        self.sse: SseParser | None = None
        self.ended = False
        self.gone = False
        self.cancelled: list[Call] = []
        self._peer = peer
        full = {"local_host": "127.0.0.1", "local_port": 3000, **head}
        self.exchange = peer.endpoint.open(
            RequestHead(request.method, request.path, request.headers, **full), self._wake
        )

    def _wake(self) -> None:
        if self not in self._peer.woken:
            self._peer.woken.append(self)

    # -- what an adapter would write ---------------------------------------------------------

    def write(self, effect: Respond | Response | Data | EndOfMessage) -> None:
        """Take what goes to the client."""
        assert not self.gone, f"{effect} for a client that has gone"
        assert not self.ended, f"{effect} after the end"
        match effect:
            case Respond(status, headers, body):
                assert self.status is None, "a second answer"
                self._take_head(status, headers)
                self.body, self.ended = body, True
                length = None if status == 204 else str(len(body)).encode()
                assert self.headers.get(b"content-length") == length
                assert not body or status not in (202, 204, 304)
                assert not body or b"content-type" in self.headers
            case Response(status, headers):
                assert self.status is None, "a second answer"
                self._take_head(status, headers)
                assert b"content-length" not in self.headers
                if self.headers[b"content-type"] == SSE:
                    self.sse = SseParser()
            case Data(data):
                assert self.status is not None, "data without a head"
                assert data, "an empty piece"
                self.body += data
                if self.sse is not None:
                    self.sse.feed(data)
            case EndOfMessage():
                assert self.status is not None, "an end without a head"
                self.ended = True
                if self.sse is not None:
                    self.sse.end()

    def _take_head(self, status: int, headers: Any) -> None:
        names = [name for name, _ in headers]
        assert len(names) == len(set(names)), f"a header twice: {names}"
        for name, value in headers:
            assert isinstance(name, bytes)
            assert isinstance(value, bytes)
            assert name
            assert _TOKEN.issuperset(name), name
            assert not set(value) & {0, 10, 13}, value
            assert value == value.strip(), value
        assert 200 <= status < 600
        self.status, self.headers = status, dict(headers)

    # -- what the test does ------------------------------------------------------------------

    def disconnect(self) -> "Trip":
        """Let the client go away."""
        self.gone = True
        self._peer.carry_out(self, self.exchange.disconnected(self._peer.now))
        self._peer.pump()
        return self

    # -- what the client sees ----------------------------------------------------------------

    @property
    def streams(self) -> bool:
        """Whether the answer is an event stream."""
        return self.sse is not None

    @property
    def events(self) -> list[SseEvent]:
        """The events of the stream."""
        assert self.sse is not None, (self.status, self.body)
        return self.sse.events

    @property
    def comments(self) -> int:
        """How many comment lines the stream had."""
        assert self.sse is not None, (self.status, self.body)
        return self.sse.comments

    @property
    def messages(self) -> list[Json]:
        """Every message, from a stream or from a plain answer."""
        if self.sse is not None:
            return [msgspec.json.decode(event.data) for event in self.events if event.data]
        if self.body and self.headers[b"content-type"] == JSON:
            return [msgspec.json.decode(self.body)]
        return []

    @property
    def methods(self) -> list[str]:
        """What each message is: its method without ``notifications/``, or result, or error."""
        return [
            message["method"].removeprefix("notifications/")
            if "method" in message
            else ("result" if "result" in message else "error")
            for message in self.messages
        ]

    @property
    def answer(self) -> Json:
        """The last message, which is the answer to the request."""
        assert self.ended, (self.status, self.body)
        assert self.messages, (self.status, self.body)
        answer = self.messages[-1]
        assert "method" not in answer, answer
        return answer

    @property
    def result(self) -> Json:
        """The result that answered."""
        assert "result" in self.answer, self.answer
        result: Json = self.answer["result"]
        return result

    @property
    def error(self) -> Json:
        """The error that answered."""
        assert "error" in self.answer, self.answer
        error: Json = self.answer["error"]
        return error

    @property
    def text(self) -> str:
        """The text of a tool's result."""
        text: str = self.result["content"][0]["text"]
        return text

    @property
    def verdict(self) -> tuple[int | None, int | None]:
        """The status, and the code of the error in the body."""
        code = self.answer["error"]["code"] if self.methods == ["error"] else None
        return self.status, code


class Stopped(Exception):
    """The call was stopped before it ran."""


class HttpPeer:
    """Carries out the effects of one endpoint, as an adapter would.

    Args:
        server: What is served.
        settings: Of the endpoint.
        hold: Whether calls wait until the test runs or finishes them.
        options: What else ``Endpoint`` takes.
    """

    def __init__(
        self,
        server: Server,
        settings: HttpSettings | None = None,
        *,
        hold: bool = False,
        **options: Any,
    ) -> None:
        self.now = NOW
        self.hold = hold
        self.deaf = False
        """Whether wakes are left alone for now, as by an adapter that is busy writing."""
        self.stubborn = False
        """Whether a call that is cancelled goes on all the same."""
        self.endpoint = Endpoint(server, settings or HttpSettings(), **options)
        self.reports: list[Report] = []
        self.woken: deque[Trip] = deque()
        self.trips: list[Trip] = []
        self.waiting: list[tuple[Trip, Call]] = []

    # -- requests ----------------------------------------------------------------------------

    def send(self, request: Request, pieces: Sequence[bytes] | None = None, **head: Any) -> Trip:
        """Carry out one exchange as far as it goes; the body comes in these pieces."""
        trip = Trip(self, request, **head)
        self.trips.append(trip)
        self.carry_out(trip, trip.exchange.begin(self.now))
        left = deque([request.body] if pieces is None else pieces)
        while trip.exchange.wants_body and left:
            piece = left.popleft()
            self.carry_out(trip, trip.exchange.receive(piece, bool(left), self.now))
        self.pump()
        return trip

    def modern(self, message: Json | bytes, /, **headers: Any) -> Trip:
        """Send a modern message."""
        return self.send(modern_post(message, **headers))

    # -- effects -----------------------------------------------------------------------------

    def carry_out(self, trip: Trip, effects: list[Effect]) -> None:
        """Carry out the effects of one exchange, in order."""
        queue = deque(effects)
        while queue:
            effect = queue.popleft()
            match effect:
                case Run(call):
                    self.waiting.append((trip, call))
                    if call.mode is Mode.INLINE or (not self.hold and call.mode is not Mode.ASYNC):
                        queue.extend(self._run(trip, call))
                case Cancel(call):
                    trip.cancelled.append(call)
                    if not self.stubborn and (trip, call) in self.waiting:
                        self.waiting.remove((trip, call))
                        queue.extend(call.failed(Stopped(), self.now))
                case Report():
                    self.reports.append(effect)
                case Respond() | Response() | Data() | EndOfMessage():
                    trip.write(effect)
                case _:
                    raise AssertionError(f"not over HTTP: {effect}")
        self._check(trip)

    def pump(self) -> None:
        """Look at every exchange that was woken."""
        for _ in range(_MANY):
            if not self.woken or self.deaf:
                return
            trip = self.woken.popleft()
            self.carry_out(trip, trip.exchange.pending(self.now))
        raise AssertionError("exchanges wake each other for ever")

    def _check(self, trip: Trip) -> None:
        exchange = trip.exchange
        if trip.ended or trip.gone:
            assert exchange.ended, "nothing more can be sent"
            assert not exchange.wants_body
        if exchange.done:
            assert exchange.ended
            assert exchange.deadline() is None, "done, and yet a deadline"
            assert trip.ended or trip.gone, "done without an answer"
            assert all(other is not trip for other, _ in self.waiting), "done while a call runs"

    # -- calls -------------------------------------------------------------------------------

    @property
    def context(self) -> Context:
        """What the handler of the call that was held last would see."""
        return _context_of(self.waiting[-1][1])

    def context_of(self, trip: Trip) -> Context:
        """What the handler of a held call of this exchange would see."""
        return _context_of(self._call_of(trip))

    def finish(self, trip: Trip | None = None, value: Any = "done") -> None:
        """End a held call with a value in place of the handler's: the last, or an exchange's."""
        trip = self.waiting[-1][0] if trip is None else trip
        call = self._call_of(trip)
        self.waiting.remove((trip, call))
        self.carry_out(trip, call.completed(value, self.now))
        self.pump()

    def run(self, trip: Trip | None = None) -> None:
        """Run the handler of a held plain call: the oldest, or an exchange's."""
        trip = self.waiting[0][0] if trip is None else trip
        self.carry_out(trip, self._run(trip, self._call_of(trip)))
        self.pump()

    async def run_async(self) -> None:
        """Run every call that waits, in the task that awaits this."""
        while self.waiting:
            trip, call = self.waiting[0]
            if call.mode is not Mode.ASYNC:
                self.run(trip)
                continue
            try:
                value = await call.invoke()
            except BaseException as error:
                effects = call.failed(error, self.now)
            else:
                effects = call.completed(value, self.now)
            self.waiting.remove((trip, call))
            self.carry_out(trip, effects)
            self.pump()

    def _run(self, trip: Trip, call: Call) -> list[Effect]:
        try:
            value = call.invoke()
        except BaseException as error:
            effects = call.failed(error, self.now)
        else:
            effects = call.completed(value, self.now)
        if (trip, call) in self.waiting:
            self.waiting.remove((trip, call))
        return effects

    def _call_of(self, trip: Trip) -> Call:
        return next(call for other, call in self.waiting if other is trip)

    # -- time, and the end -------------------------------------------------------------------

    def advance(self, seconds: float) -> None:
        """Move the clock, stopping at each deadline on the way."""
        end = self.now + seconds
        for _ in range(_MANY):
            due: list[tuple[float, Trip | None]] = [
                (deadline, trip)
                for trip in self.trips
                if (deadline := trip.exchange.deadline()) is not None and deadline <= end
            ]
            deadline = self.endpoint.deadline()
            if deadline is not None and deadline <= end:
                due.append((deadline, None))
            if not due:
                self.now = end
                return
            at, trip = min(due, key=lambda entry: entry[0])
            self.now = max(self.now, at)
            if trip is None:
                self.endpoint.tick(self.now)
            else:
                self.carry_out(trip, trip.exchange.tick(self.now))
            self.pump()
        raise AssertionError("a deadline that never passes")

    def shutdown(self) -> None:
        """Let the streams end, and refuse what is new."""
        self.endpoint.shutdown(self.now)
        self.pump()

    def close(self) -> None:
        """Let every exchange stop."""
        self.endpoint.close(self.now)
        self.pump()

    def assert_idle(self) -> None:
        """Nothing is left of what was served."""
        assert not self.waiting
        assert [trip.request for trip in self.trips if not trip.exchange.done] == []
        assert (self.endpoint.calls_open, self.endpoint.exchanges_open) == (0, 0)


class LegacyClient:
    """A legacy client with a session.

    Args:
        peer: The endpoint.
        revision: What it asks for.
        capabilities: What it can do.
    """

    def __init__(
        self,
        peer: HttpPeer,
        revision: str = LEGACY,
        capabilities: Mapping[str, Any] = EVERY_CAPABILITY,
    ) -> None:
        self.peer = peer
        self.revision = revision
        self.hello = peer.send(legacy_post(initialize("init", revision, capabilities), None, None))
        self.session = self.hello.headers[b"mcp-session-id"].decode("ascii")
        assert self.post(notification("notifications/initialized")).status == 202

    def post(self, message: Any, **headers: Any) -> Trip:
        """Send a message."""
        return self.peer.send(legacy_post(message, self.session, self.revision, **headers))

    def call(self, id: Any, name: str, /, _meta: Any = None, **arguments: Any) -> Trip:
        """Call a tool."""
        params: Json = {"name": name, "arguments": arguments}
        if _meta is not None:
            params["_meta"] = _meta
        return self.post({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})

    def reply(self, question: Json, result: Any) -> Trip:
        """Answer a question of the server."""
        return self.post({"jsonrpc": "2.0", "id": question["id"], "result": result})

    def get(self, last_event_id: str | None = None, **headers: Any) -> Trip:
        """Open the session's stream, or take up the one of an event."""
        own = {"mcp_protocol_version": self.revision, **headers}
        return self.peer.send(session_get(self.session, last_event_id, **own))

    def delete(self) -> Trip:
        """End the session."""
        return self.peer.send(session_delete(self.session))


def _context_of(call: Call) -> Context:
    """The context of a call, whose handler may not have asked for one."""
    if call.context is None:
        call.context = Context(call, None)
    return call.context
