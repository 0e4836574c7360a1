"""Whatever a client sends, and in whatever order things happen, each exchange is answered once."""

from itertools import pairwise
from typing import Any

import msgspec
from core_peer import LEGACY, MODERN, initialize, legacy, meta, modern, notification
from http_peer import HttpPeer, LegacyClient, Request, Trip, legacy_post, modern_post, session_get
from http_server import ALL_LOGS, call, legacy_call, listen, make_server
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule
from hypothesis.stateful import initialize as at_first
from sansmcp_core import Limits
from sansmcp_core.http import HttpSettings, MemoryEventStore

NAMES = [
    b"accept",
    b"content-encoding",
    b"content-length",
    b"content-type",
    b"host",
    b"last-event-id",
    b"mcp-method",
    b"mcp-name",
    b"mcp-param-region",
    b"mcp-protocol-version",
    b"mcp-session-id",
    b"origin",
    b"x-forwarded-host",
]
VALUES = [
    b"",
    b"*",
    b"*/*",
    b"1",
    b"2025-06-18",
    b"2026-07-28",
    b"=?base64?cGF5?=",
    b"=?base64?\xff?=",
    b"application/json",
    b"http://localhost:1",
    b"localhost",
    b"pay",
    b"text/event-stream",
    b"tools/call",
]
MESSAGES: list[Any] = [
    call("add", a=1, b=2),
    call("greet"),
    call("log", 1, ALL_LOGS),
    call("pay", region="eu"),
    listen(),
    initialize(),
    modern(1, "server/discover"),
    legacy(1, "tools/list"),
    legacy_call("greet"),
    notification("notifications/cancelled", requestId=1),
    {"jsonrpc": "2.0", "id": 1, "result": {}},
]

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
ENVELOPES = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | JSON,
        "id": st.integers() | st.text() | JSON,
        "method": st.sampled_from(["tools/call", "initialize", "subscriptions/listen"]) | JSON,
        "params": st.fixed_dictionaries(
            {},
            optional={
                "_meta": st.just(meta()) | JSON,
                "name": st.just("add") | JSON,
                "arguments": JSON,
                "notifications": JSON,
                "protocolVersion": st.sampled_from([LEGACY, MODERN]) | JSON,
                "inputResponses": JSON,
                "requestState": JSON,
            },
        )
        | JSON,
        "result": JSON,
        "error": JSON,
    },
)


def is_sendable(value: Any) -> bool:
    try:
        msgspec.json.encode(value)
    except (ValueError, OverflowError):
        return False
    return True


BODIES = (
    st.binary(max_size=200)
    | st.sampled_from(MESSAGES).map(msgspec.json.encode)
    | ENVELOPES.filter(is_sendable).map(msgspec.json.encode)
)
HEADERS = st.lists(
    st.tuples(
        st.sampled_from(NAMES) | st.binary(min_size=1, max_size=10).map(bytes.lower),
        st.sampled_from(VALUES) | st.binary(max_size=30),
    ),
    max_size=6,
)
METHODS = st.sampled_from(["POST", "GET", "DELETE", "OPTIONS", "PUT", "", "post", "\u00e9"])
PATHS = st.sampled_from(["/mcp", "/mcp/", "/", "", "/info", "//", "/\ud800"]) | st.text(max_size=5)

SERVER = make_server()
SETTINGS = HttpSettings(max_body_bytes=4096, info_path="/info")


def settle(peer: HttpPeer, trip: Trip) -> None:
    """The exchange was answered well, or its client hangs up; then nothing is left."""
    if trip.ended:
        assert trip.exchange.ended
        if trip.status is not None and trip.status >= 400:
            assert trip.answer["error"]["message"]
    else:
        # Streams stay open, and whoever sends half a body is waited for.
        assert trip.streams or trip.exchange.wants_body
        trip.disconnect()
    for _ in range(10):
        peer.pump()
    peer.assert_idle()


@given(method=METHODS, path=PATHS, headers=HEADERS, body=BODIES)
def test_any_head_and_body_get_one_answer(
    method: str, path: str, headers: list[tuple[bytes, bytes]], body: bytes
) -> None:
    peer = HttpPeer(SERVER, SETTINGS)
    settle(peer, peer.send(Request(method, path, headers, body)))


@given(base=st.sampled_from(MESSAGES), extra=HEADERS, legacy_head=st.booleans())
def test_any_headers_beside_the_right_ones_get_one_answer(
    base: Any, extra: list[tuple[bytes, bytes]], legacy_head: bool
) -> None:
    peer = HttpPeer(SERVER, SETTINGS)
    session = LegacyClient(peer).session if legacy_head else None
    request = legacy_post(base, session) if legacy_head else modern_post(base)
    trip = peer.send(request._replace(headers=[*request.headers, *extra]))
    if trip.methods[-1:] == ["elicitation/create"]:
        trip.disconnect()
        peer.close()
        peer.assert_idle()
    else:
        settle(peer, trip)


@given(body=BODIES, data=st.data())
def test_any_body_in_any_pieces_gets_the_same_answer(body: bytes, data: st.DataObject) -> None:
    request = modern_post(body, mcp_protocol_version=MODERN, mcp_method="tools/call")
    cuts = sorted(data.draw(st.lists(st.integers(0, len(body)), max_size=4)))
    edges = [0, *cuts, len(body)]
    pieces = [body[start:end] for start, end in pairwise(edges)]
    trips = []
    for sent in ([body], pieces):
        peer = HttpPeer(SERVER, SETTINGS)
        trips.append(peer.send(request, sent))
    one, other = trips
    assert (one.status, one.methods) == (other.status, other.methods)


# -- any order of things ------------------------------------------------------------------------


class Exchanges(RuleBasedStateMachine):
    """Several clients at once; every effect is checked as it is carried out."""

    @at_first(
        resumable=st.booleans(),
        keep_alive_s=st.sampled_from([None, 5.0]),
        stubborn=st.booleans(),
        few=st.booleans(),
    )
    def serve(self, resumable: bool, keep_alive_s: float | None, stubborn: bool, few: bool) -> None:
        limits = Limits(max_concurrent_calls=2, max_waiting_calls=1) if few else Limits()
        self.server = make_server(time_limit_s=40.0, answer_timeout_s=30.0, limits=limits)
        self.peer = HttpPeer(
            self.server,
            HttpSettings(
                resumable=resumable,
                keep_alive_s=keep_alive_s,
                max_streams=4 if few else 100,
                session_idle_s=60.0,
                event_store=MemoryEventStore(max_events_per_stream=4),
            ),
            hold=True,
        )
        self.peer.stubborn = stubborn
        self.clients = [LegacyClient(self.peer), LegacyClient(self.peer, "2025-06-18")]
        self.ids = iter(range(10_000))
        self.down = False

    # requests

    @rule(
        tool=st.sampled_from(["work", "log", "count", "greet", "quick"]),
        accept=st.sampled_from(["application/json", "text/event-stream", "*/*"]),
        heard=st.booleans(),
    )
    def call_modern(self, tool: str, accept: str, heard: bool) -> None:
        extra = {**ALL_LOGS, "progressToken": 1} if heard else {}
        self.peer.modern(call(tool, 1, extra), accept=accept)

    @rule(
        tool=st.sampled_from(["work", "log", "count", "greet", "twice"]),
        who=st.integers(0, 1),
        accept=st.sampled_from(["application/json", "*/*"]),
    )
    def call_legacy(self, tool: str, who: int, accept: str) -> None:
        message = legacy_call(tool, next(self.ids))
        message["params"]["_meta"] = {"progressToken": "p"}
        self.clients[who].post(message, accept=accept)

    @rule()
    def listen(self) -> None:
        self.peer.modern(listen())

    @rule(who=st.integers(0, 1))
    def open_stream(self, who: int) -> None:
        self.clients[who].get()

    @rule(who=st.integers(0, 1), data=st.data())
    def take_up(self, who: int, data: st.DataObject) -> None:
        ids = [event.id for trip in self.peer.trips if trip.streams for event in trip.events]
        client = self.clients[who]
        self.peer.send(session_get(client.session, data.draw(st.sampled_from([*ids, "junk"]))))

    @rule(who=st.integers(0, 1), id=st.integers(0, 20))
    def cancel(self, who: int, id: int) -> None:
        self.clients[who].post(notification("notifications/cancelled", requestId=id))

    @rule(who=st.integers(0, 1), data=st.data())
    def answer(self, who: int, data: st.DataObject) -> None:
        asked = [
            message
            for trip in self.peer.trips
            for message in trip.messages
            if message.get("method") == "elicitation/create"
        ]
        question = data.draw(st.sampled_from([*asked, {"id": 99}]))
        result = {"action": "accept", "content": {"name": "Ada"}}
        self.clients[who].reply(question, data.draw(st.sampled_from([result, {}, 5])))

    @rule(who=st.integers(0, 1))
    def end_session(self, who: int) -> None:
        self.clients[who].delete()
        if not self.down:
            hello = self.peer.send(legacy_post(initialize(), None, None))
            self.clients[who].session = hello.headers[b"mcp-session-id"].decode()

    # what happens meanwhile

    @precondition(lambda self: self.peer.waiting)
    @rule(data=st.data(), how=st.sampled_from(["run", "finish", "log", "progress", "close"]))
    def work(self, data: st.DataObject, how: str) -> None:
        trip, _ = data.draw(st.sampled_from(self.peer.waiting))
        context = self.peer.context_of(trip)
        match how:
            case "run":
                self.peer.run(trip)
            case "finish":
                self.peer.finish(trip)
            case "log":
                context.log("error", "x")
            case "progress":
                context.report_progress(next(self.ids))
            case "close":
                context.close_stream(5)
        self.peer.pump()

    @precondition(lambda self: self.peer.waiting)
    @rule()
    def run_all(self) -> None:
        while self.peer.waiting:
            self.peer.run()

    @rule(data=st.data())
    def hang_up(self, data: st.DataObject) -> None:
        open_trips = [trip for trip in self.peer.trips if not trip.ended]
        if open_trips:
            data.draw(st.sampled_from(open_trips)).disconnect()

    @rule(seconds=st.sampled_from([1.0, 6.0, 31.0, 61.0, -1000.0]))
    def wait(self, seconds: float) -> None:
        if seconds < 0:
            self.peer.now += seconds
        else:
            self.peer.advance(seconds)

    @rule(deaf=st.booleans())
    def look_away(self, deaf: bool) -> None:
        self.peer.deaf = deaf
        self.peer.pump()

    @rule()
    def change(self) -> None:
        self.server.hub.list_changed("tools")
        self.server.resource_updated("a://b")
        self.peer.pump()

    @rule(sure=st.integers(0, 20))
    def shut_down(self, sure: int) -> None:
        if not sure:
            self.down = True
            self.peer.shutdown()

    def teardown(self) -> None:
        if not hasattr(self, "peer"):
            return
        self.peer.deaf = False
        self.peer.pump()
        for trip in self.peer.trips:
            # Once everything is closed, nothing more is written.
            trip.gone = trip.gone or not trip.ended
        self.peer.close()
        while self.peer.waiting:
            self.peer.finish(self.peer.waiting[0][0])
        self.peer.assert_idle()


TestExchanges = Exchanges.TestCase
TestExchanges.settings = settings(deadline=None, max_examples=100, stateful_step_count=40)
