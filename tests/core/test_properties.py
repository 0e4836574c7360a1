"""Whatever bytes arrive: nothing raises, all that is said is JSON-RPC, and the server goes on."""

import copy
import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from bad_input import BAD_LINES, GOOD_ID, GOOD_LINE
from core_peer import MODERN, NOW, Peer, initialize, legacy, meta, modern, notification
from hypothesis import given, settings
from hypothesis import strategies as st
from sansmcp_core import Context, Limits, Server, Settings


class Name(msgspec.Struct):
    name: str


def make_server() -> Server:
    server = Server("properties", settings=Settings(page_size=2, state_keys=(b"k" * 32,)))

    @server.tool
    def add(a: int, b: int = 2) -> int:
        return a + b

    @server.tool
    def greet(ctx: Context, greeting: Any = None) -> str:
        ctx.report_progress(1)
        ctx.log("error", greeting)
        return f"{greeting} {ctx.elicit('who', 'Who?', Name).action}"

    @server.resource("a://b")
    def b() -> str:
        return "b"

    @server.resource("t://{x}{?y}")
    def template(x: str, y: str = "") -> str:
        return x + y

    @server.prompt
    def hello(who: str = "you") -> str:
        return f"Hello, {who}"

    @server.completion("hello", "who")
    def propose(value: str) -> list[str]:
        return [value]

    return server


SERVER = make_server()
STATE = Peer(SERVER).one(modern(1, "tools/call", name="greet"))["result"]["requestState"]

ACCEPTED = {"action": "accept", "content": {"name": "Ada"}}
VALID: list[dict[str, Any]] = [
    initialize("i"),
    notification("notifications/initialized"),
    notification("notifications/cancelled", requestId=1),
    legacy(1, "ping"),
    legacy(1, "tools/list"),
    legacy(2, "tools/call", name="add", arguments={"a": 1}, _meta={"progressToken": 1}),
    legacy(3, "tools/call", name="greet", arguments={}),
    legacy(4, "resources/subscribe", uri="a://b"),
    legacy(5, "logging/setLevel", level="info"),
    {"jsonrpc": "2.0", "id": 1, "result": ACCEPTED},
    {"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "m"}},
    modern(1, "server/discover"),
    modern(2, "tools/list", cursor="x"),
    modern(3, "tools/call", name="add", arguments={"a": 1, "b": "2"}),
    modern(
        4,
        "tools/call",
        meta(progressToken="p", **{"io.modelcontextprotocol/logLevel": "debug"}),
        name="greet",
        arguments={"greeting": [1.5, {"x": None}]},
    ),
    modern(5, "tools/call", name="greet", requestState=STATE, inputResponses={"who": ACCEPTED}),
    modern(6, "resources/read", uri="t://a%20b?y=c"),
    modern(7, "prompts/get", name="hello", arguments={"who": "x"}),
    modern(
        8,
        "completion/complete",
        ref={"type": "ref/prompt", "name": "hello"},
        argument={"name": "who", "value": "y"},
        context={"arguments": {"who": "z"}},
    ),
    modern(
        9,
        "subscriptions/listen",
        notifications={"toolsListChanged": True, "resourceSubscriptions": ["a://b"]},
    ),
]

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=8),
    st.sampled_from(["2.0", "tools/call", "add", "greet", "who", MODERN, STATE, "a://b", ""]),
)
JSON = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a JSON value."""
    found = [path]
    items: Any = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    for key, inner in items:
        found += paths(inner, (*path, key))
    return found


@st.composite
def mutated(draw: Callable[[Any], Any]) -> bytes:
    """A valid message with up to three places changed, dropped, or added."""
    message: Any = copy.deepcopy(draw(st.sampled_from(VALID)))
    for _ in range(draw(st.integers(0, 3))):
        path = draw(st.sampled_from(paths(message)))
        if not path:
            continue
        holder = message
        for key in path[:-1]:
            holder = holder[key]
        act = draw(st.sampled_from(["set", "drop", "add"]))
        if act == "drop" and isinstance(holder, dict):
            del holder[path[-1]]
        elif act == "add" and isinstance(holder, dict):
            holder[draw(st.text(max_size=8))] = draw(JSON)
        else:
            holder[path[-1]] = draw(JSON)
    return json.dumps(message, ensure_ascii=draw(st.booleans())).encode(errors="surrogatepass")


@st.composite
def damaged(draw: Callable[[Any], Any]) -> bytes:
    """A mutated message with some of its bytes changed, cut out or put in."""
    line = bytearray(draw(mutated()))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(line)))
        end = min(len(line), start + draw(st.integers(0, 3)))
        line[start:end] = draw(
            st.binary(max_size=3)
            | st.sampled_from([b"[", b"{", b'"', b"}", b"\\", b"null", b"1e999", b"\\ud800", b"\n"])
        )
    return bytes(line)


LINES = st.one_of(
    st.binary(max_size=60),
    st.sampled_from([row.line for row in BAD_LINES if len(row.line) < 1000]),
    mutated(),
    damaged(),
    JSON.map(lambda value: json.dumps(value).encode()),
)


def check_said(said: list[dict[str, Any]]) -> None:
    for message in said:
        assert message["jsonrpc"] == "2.0"
        kinds = [kind for kind in ("method", "result", "error") if kind in message]
        assert len(kinds) == 1, message
        if kinds == ["error"]:
            assert set(message) <= {"jsonrpc", "id", "error"}
            assert type(message["error"]["code"]) is int
            assert isinstance(message["error"]["message"], str)
        elif kinds == ["result"]:
            assert set(message) == {"jsonrpc", "id", "result"}
            assert isinstance(message["result"], dict)
        if "id" in message:
            assert type(message["id"]) in (str, int)


def good_request_is_served(peer: Peer) -> None:
    # Its own line, whatever came before did not end; and an id of its own.
    said = peer.ask(b"\n" + GOOD_LINE)
    check_said(said)
    assert {"jsonrpc": "2.0", "id": GOOD_ID, "result": {}} in said


@settings(max_examples=300, deadline=None)
@given(st.lists(LINES, max_size=6), st.booleans())
def test_any_lines_are_answered_and_leave_the_connection_alive(
    lines: list[bytes], shaken: bool
) -> None:
    peer = Peer(SERVER)
    if shaken:
        peer.send(initialize("first"))
    for line in lines:
        check_said(peer.ask(line))
    peer.ask(notification("notifications/cancelled", requestId=GOOD_ID))
    good_request_is_served(peer)
    assert not [report for report in peer.reports if report.message.startswith("tool add")]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.binary(max_size=40) | LINES, max_size=8), st.data())
def test_any_bytes_in_any_pieces_do_the_same(chunks: list[bytes], data: st.DataObject) -> None:
    whole = b"\n".join(chunks)
    once = Peer(SERVER)
    once.take(once.connection.receive(whole + b"\n", NOW))
    pieces = Peer(SERVER)
    start = 0
    while start < len(whole):
        size = data.draw(st.integers(1, 30))
        pieces.take(pieces.connection.receive(whole[start : start + size], NOW))
        start += size
    pieces.take(pieces.connection.receive(b"\n", NOW))
    assert pieces.read() == once.read()
    assert len(pieces.runs) == len(once.runs)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(VALID[:-1]), JSON)
def test_no_request_is_answered_twice_nor_left_without_an_answer(
    message: dict[str, Any], value: Any
) -> None:
    """Requests get exactly one answer with their id, notifications and answers none."""
    peer = Peer(SERVER)
    params = {**message.get("params", {}), "unknown": value}
    said = peer.ask({**message, "params": params} if "method" in message else message)
    answers = [one for one in said if "method" not in one]
    if "method" in message and "id" in message:
        assert [one["id"] for one in answers] == [message["id"]]
    else:
        assert said == []


class Steps:
    """Does one thing after another to a connection and remembers what was said.

    Args:
        places: Calls that may run at once.
        live: Whether questions are asked by live requests.
    """

    def __init__(self, places: int, live: bool) -> None:
        limits = Limits(max_concurrent_calls=places, max_waiting_calls=3)
        bounded = Settings(limits=limits, time_limit_s=50, answer_timeout_s=70)
        self.server = Server("steps", settings=bounded)

        @self.server.tool
        def t(ctx: Context) -> str:
            return ctx.elicit("who", "Who?", Name).action

        self.peer = Peer(self.server)
        self.make = legacy if live else modern
        if live:
            self.peer.send(initialize("first"))
        self.serial = 0
        self.cancelled: set[int] = set()
        self.answers: dict[int, int] = {}
        self.questions: list[dict[str, Any]] = []

    def hear(self, said: list[dict[str, Any]]) -> None:
        check_said(said)
        for message in said:
            if "method" not in message:
                assert message["id"] not in self.cancelled
                self.answers[message["id"]] = self.answers.get(message["id"], 0) + 1
            elif "id" in message:
                self.questions.append(message)

    def call(self, number: int) -> None:
        self.serial += 1
        self.hear(self.peer.send(self.make(self.serial, "tools/call", name="t")))

    def run(self, number: int) -> None:
        runs = self.peer.runs
        if runs:
            self.hear(self.peer.run(runs[number % len(runs)]))

    def fail(self, number: int) -> None:
        runs = self.peer.runs
        if runs:
            self.hear(self.peer.end(runs.pop(number % len(runs)), RuntimeError("x")))

    def cancel(self, number: int) -> None:
        id = self.serial - number
        if id > 0 and id not in self.answers:
            self.cancelled.add(id)
        self.hear(self.peer.send(notification("notifications/cancelled", requestId=id)))

    def tick(self, number: int) -> None:
        self.hear(self.peer.tick(number * 20))

    def answer(self, number: int) -> None:
        if self.questions:
            question = self.questions.pop(number % len(self.questions))
            answer = {"jsonrpc": "2.0", "id": question["id"], "result": ACCEPTED}
            self.hear(self.peer.send(answer))

    def change(self, number: int) -> None:
        self.server.resource_updated(f"u{number}")
        self.hear(self.peer.pending())


STEPS = [Steps.call, Steps.run, Steps.fail, Steps.cancel, Steps.tick, Steps.answer, Steps.change]


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 4)), max_size=40),
    st.integers(1, 3),
    st.booleans(),
)
def test_calls_keep_their_promises_in_any_order_of_events(
    acts: list[tuple[Callable[[Steps, int], None], int]], places: int, live: bool
) -> None:
    """One answer at most, exactly one unless cancelled, no more places than there are, no rest."""
    steps = Steps(places, live)
    for act, number in acts:
        act(steps, number)
        assert len(steps.peer.runs) <= places
    while steps.peer.runs or steps.questions:
        steps.run(0)
        steps.answer(0)
    assert set(steps.answers.values()) <= {1}
    assert set(steps.answers) == set(range(1, steps.serial + 1)) - steps.cancelled
    assert steps.peer.connection.calls_open == 0
    assert steps.peer.connection.deadline() is None


@pytest.mark.parametrize("message", VALID, ids=range(len(VALID)))
def test_the_valid_messages_are_valid(message: dict[str, Any]) -> None:
    peer = Peer(SERVER)
    peer.send(initialize("first"))
    for said in peer.ask(message):
        if message.get("params", {}).get("cursor") is None:
            assert "error" not in said
