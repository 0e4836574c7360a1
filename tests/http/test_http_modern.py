"""Modern requests over HTTP: statuses, plain answers, and clients that go away."""

from typing import Any

import msgspec
import pytest
from core_peer import MODERN, Json, meta, modern, notification
from http_peer import HttpPeer, Trip, modern_post
from http_server import ALL_LOGS, call, listen, make_server
from official_schema import check_message
from sansmcp_core import Context, Limits, Server, Settings
from sansmcp_core._methods import METHODS
from sansmcp_core.http import HttpSettings


def make_peer(hold: bool = False, http: HttpSettings | None = None, **settings: Any) -> HttpPeer:
    return HttpPeer(make_server(**settings), http, hold=hold)


# -- statuses -----------------------------------------------------------------------------------

NO_CAPABILITIES = modern(1, "tools/call", meta({}), name="greet", arguments={})
STATUSES: list[tuple[str, Json, int, int | None]] = [
    ("a result", call("add", a=1, b=2), 200, None),
    ("a failing handler", call("fail"), 200, None),
    ("arguments that do not fit", call("add", a="x", b=2), 200, None),
    ("a question", call("greet"), 200, None),
    ("discover", modern(1, "server/discover"), 200, None),
    ("a list", modern(1, "tools/list"), 200, None),
    ("a resource", modern(1, "resources/read", uri="a://b"), 200, None),
    ("an unknown tool", call("none"), 200, -32602),
    ("an unknown prompt", modern(1, "prompts/get", name="none"), 200, -32602),
    ("an unknown resource", modern(1, "resources/read", uri="x://y"), 200, -32602),
    ("a bad cursor", modern(1, "tools/list", cursor="junk"), 200, -32602),
    ("a wrong token", call("add", 1, {"progressToken": [1]}, a=1, b=2), 400, -32602),
    (
        "a wrong log level",
        call("add", 1, {**ALL_LOGS, next(iter(ALL_LOGS)): "loud"}),
        400,
        -32602,
    ),
    ("an unknown method", modern(1, "totally/bogus"), 404, -32601),
    ("a method nobody offers", modern(1, "completion/complete"), 404, -32601),
    ("a legacy method", modern(1, "resources/subscribe", uri="a://b"), 404, -32601),
    ("initialize", modern(1, "initialize", protocolVersion=MODERN), 404, -32601),
    ("ping", modern(1, "ping"), 404, -32601),
    ("a client that lacks something", NO_CAPABILITIES, 400, -32021),
]


@pytest.mark.parametrize(
    ("message", "status", "code"),
    [pytest.param(message, status, code, id=name) for name, message, status, code in STATUSES],
)
def test_each_outcome_has_a_status(message: Json, status: int, code: int | None) -> None:
    peer = make_peer()
    trip = peer.modern(message)
    assert trip.verdict == (status, code)
    assert trip.headers[b"content-type"] == b"application/json"
    assert b"mcp-session-id" not in trip.headers
    assert trip.answer["id"] == 1
    check_message(trip.answer, MODERN, message["method"])
    peer.assert_idle()


def test_what_cannot_be_answered_is_an_internal_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(request: Any, server: Server, now: float) -> Any:
        raise RuntimeError("broken")

    row = METHODS["tools/list"]
    monkeypatch.setitem(METHODS, "tools/list", msgspec.structs.replace(row, serve=broken))
    peer = make_peer()
    trip = peer.modern(modern(1, "tools/list"))
    assert trip.verdict == (200, -32603)
    assert trip.answer["id"] == 1
    assert "broken" not in trip.error["message"]
    assert [type(report.exception) for report in peer.reports] == [RuntimeError]
    peer.assert_idle()


def test_an_unsupported_version_is_told_what_is_supported() -> None:
    message = call("add")
    message["params"]["_meta"] = meta() | {"io.modelcontextprotocol/protocolVersion": "2099-01-01"}
    trip = make_peer().modern(message)
    assert trip.verdict == (400, -32022)
    assert trip.error["data"] == {"requested": "2099-01-01", "supported": [MODERN]}


def test_a_resource_that_is_not_there_is_named() -> None:
    trip = make_peer().modern(modern(1, "resources/read", uri="x://y"))
    assert trip.error["data"] == {"uri": "x://y"}


@pytest.mark.parametrize("id", ["1", 1, "007", "", 0, 9007199254740993, -5], ids=repr)
def test_an_id_comes_back_as_it_was(id: Any) -> None:
    answered = make_peer().modern(call("add", id, a=1, b=2)).answer["id"]
    assert (type(answered), answered) == (type(id), id)


@pytest.mark.parametrize("id", [None, 1.5, True, [1]], ids=repr)
def test_what_is_no_id_is_refused_without_one(id: Any) -> None:
    peer = make_peer()
    trip = peer.modern(call("add", id, a=1, b=2))
    assert trip.verdict == (400, -32600)
    assert "id" not in trip.answer
    peer.assert_idle()


def test_the_same_id_in_two_requests_at_once_is_two_requests() -> None:
    peer = make_peer(hold=True)
    trips = [peer.modern(call("add", 1, a=number, b=0)) for number in (10, 20)]
    peer.run(trips[1])
    assert trips[1].text == "20"
    assert not trips[0].ended
    peer.run()
    assert trips[0].text == "10"
    peer.assert_idle()


@pytest.mark.parametrize("header", ["mcp_session_id", "last_event_id"])
@pytest.mark.parametrize("value", ["x", "", "a.1"])
def test_headers_of_older_revisions_mean_nothing(header: str, value: str) -> None:
    trip = make_peer().modern(call("add", a=1, b=2), **{header: value})
    assert trip.text == "3"
    assert b"mcp-session-id" not in trip.headers


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_without_a_session_there_is_nothing_to_get_or_delete(method: str) -> None:
    peer = make_peer()
    headers: dict[str, Any] = {"mcp_method": None, "accept": "text/event-stream"}
    trip = peer.send(modern_post(b"", **headers)._replace(method=method))
    assert trip.status == 405
    assert b"POST" in trip.headers[b"allow"]
    assert trip.answer["error"]
    peer.assert_idle()


# -- notifications, answers, and what is no message ---------------------------------------------

SILENT = [
    notification("notifications/whatever"),
    notification("notifications/cancelled", requestId=1),
    {"jsonrpc": "2.0", "method": "x"},
]


@pytest.mark.parametrize("message", SILENT, ids=lambda message: message["method"])
@pytest.mark.parametrize("with_meta", [True, False])
def test_a_notification_is_accepted_and_nothing_more(message: Json, with_meta: bool) -> None:
    peer = make_peer(hold=True)
    if with_meta:
        message = {**message, "params": {**message.get("params", {}), "_meta": meta()}}
    trip = peer.modern(message, mcp_protocol_version=MODERN)
    assert (trip.status, trip.body) == (202, b"")
    peer.assert_idle()


@pytest.mark.parametrize("params", [b"5", b'{"_meta":5}', b'{"_meta":{"progressToken":[]}}'])
def test_a_notification_may_hold_anything(params: bytes) -> None:
    body = b'{"jsonrpc":"2.0","method":"notifications/x","params":' + params + b"}"
    trip = make_peer().modern(body, mcp_protocol_version=MODERN)
    assert trip.status in (202, 400)
    assert trip.status == 202 or "id" not in trip.answer


@pytest.mark.parametrize("method", ["tools/list", "tools/call", "server/discover"])
def test_a_request_without_id_is_refused_without_one_and_not_carried_out(method: str) -> None:
    peer = make_peer(hold=True)
    message = notification(method, name="work", arguments={}, _meta=meta())
    trip = peer.modern(message)
    assert trip.verdict == (400, -32600)
    assert "id" not in trip.answer
    peer.assert_idle()


def test_a_notification_cancels_no_modern_request() -> None:
    peer = make_peer(hold=True)
    running = peer.modern(call("work"))
    trip = peer.modern(
        notification("notifications/cancelled", requestId=1, _meta=meta()),
        mcp_protocol_version=MODERN,
    )
    assert trip.status == 202
    assert running.cancelled == []
    peer.finish(value="done")
    assert running.text == "done"
    peer.assert_idle()


NO_REQUESTS: list[tuple[str, bytes, int]] = [
    ("empty", b"", -32700),
    ("no JSON", b"{", -32700),
    ("no UTF-8", b'{"jsonrpc":"2.0","id":1,"method":"\xff"}', -32700),
    ("nested", b'{"jsonrpc":"2.0","id":1,"method":"m","params":' + b"[" * 9999, -32700),
    ("an empty batch", b"[]", -32600),
    ("a batch", b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600),
    ("a batch of nothing", b"[1]", -32600),
    ("an object", b'{"hello":1}', -32600),
    ("a string", b'"x"', -32600),
    ("a number", b"1", -32600),
    ("null", b"null", -32600),
    ("no version", b'{"id":1,"method":"ping"}', -32600),
    ("a result", b'{"jsonrpc":"2.0","id":1,"result":{}}', -32600),
    ("an error", b'{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}', -32600),
]


@pytest.mark.parametrize(
    ("body", "code"), [pytest.param(body, code, id=name) for name, body, code in NO_REQUESTS]
)
@pytest.mark.parametrize("version", [MODERN, None])
def test_what_is_no_request_is_refused(body: bytes, code: int, version: str | None) -> None:
    peer = make_peer()
    trip = peer.modern(body, mcp_protocol_version=version)
    assert trip.verdict == (400, code)
    peer.assert_idle()


# -- the body -----------------------------------------------------------------------------------


def padded(size: int) -> bytes:
    body = modern_post(call("add", a=1, b=2)).body
    return body + b" " * (size - len(body))


@pytest.mark.parametrize("declared", [True, False], ids=["declared", "chunked"])
@pytest.mark.parametrize("over", [0, 1])
def test_a_body_of_just_the_limit_passes(over: int, declared: bool) -> None:
    peer = make_peer(http=HttpSettings(max_body_bytes=1000))
    body = padded(1000 + over)
    request = modern_post(call("add", a=1, b=2))
    headers = [*request.headers, (b"content-length", b"%d" % len(body))]
    request = request._replace(body=body, headers=headers if declared else request.headers)
    trip = peer.send(request, [body[:600], body[600:]])
    assert trip.status == (413 if over else 200)
    peer.assert_idle()


def test_a_body_that_is_too_long_is_refused_before_it_ends() -> None:
    peer = make_peer(http=HttpSettings(max_body_bytes=1000))
    request = modern_post(call("add", a=1, b=2))
    trip = Trip(peer, request)
    peer.carry_out(trip, trip.exchange.begin(peer.now))
    peer.carry_out(trip, trip.exchange.receive(padded(900), True, peer.now))
    assert trip.exchange.wants_body
    peer.carry_out(trip, trip.exchange.receive(b" " * 101, True, peer.now))
    assert trip.status == 413
    assert trip.answer["error"]["message"]
    # What was on its way meanwhile is nobody's concern any more.
    assert trip.exchange.receive(b"more", False, peer.now) == []
    peer.assert_idle()


def test_a_declared_length_that_is_too_long_is_refused_before_the_body() -> None:
    peer = make_peer(http=HttpSettings(max_body_bytes=1000))
    trip = Trip(peer, modern_post(call("add", a=1, b=2), content_length="1001"))
    peer.carry_out(trip, trip.exchange.begin(peer.now))
    assert trip.status == 413


def test_a_body_may_come_in_any_pieces() -> None:
    request = modern_post(call("add", a=1, b=2))
    for pieces in (
        [request.body[i : i + 1] for i in range(len(request.body))],
        [request.body, b""],
        [b"", request.body, b"", b""],
    ):
        peer = make_peer()
        assert peer.send(request, pieces).text == "3"
        peer.assert_idle()


# -- limits -------------------------------------------------------------------------------------


def assert_busy(trip: Trip, retry_after: bytes = b"1") -> None:
    assert trip.status == 503
    assert trip.headers[b"retry-after"] == retry_after
    assert trip.error["code"] == -32603
    assert trip.answer["id"] == 1


@pytest.mark.parametrize("waiting", [0, 2])
def test_calls_beyond_the_limit_are_told_to_come_again(waiting: int) -> None:
    limits = Limits(max_concurrent_calls=1, max_waiting_calls=waiting)
    peer = make_peer(True, HttpSettings(retry_after_s=7), limits=limits)
    trips = [peer.modern(call("work")) for _ in range(waiting + 2)]
    assert_busy(trips[-1], b"7")
    assert len(peer.waiting) == 1
    for trip in trips[:-1]:
        peer.finish(trip)
        assert trip.text == "done"
    peer.assert_idle()


def test_a_call_that_waits_and_loses_its_client_takes_no_place() -> None:
    limits = Limits(max_concurrent_calls=1, max_waiting_calls=1)
    peer = make_peer(True, limits=limits)
    first, second = peer.modern(call("work")), peer.modern(call("work"))
    second.disconnect()
    third = peer.modern(call("work"))
    peer.finish(first)
    peer.finish(third)
    assert (first.text, third.text) == ("done", "done")
    peer.assert_idle()


def test_listeners_beyond_the_limit_are_told_to_come_again() -> None:
    peer = make_peer(limits=Limits(max_listeners=1))
    first = peer.modern(listen())
    assert_busy(peer.modern(listen()))
    first.disconnect()
    assert peer.modern(listen()).streams


def test_streams_beyond_the_limit_are_told_to_come_again() -> None:
    peer = make_peer(http=HttpSettings(max_streams=1))
    first = peer.modern(listen())
    assert_busy(peer.modern(listen()))
    assert peer.modern(call("add", a=1, b=2)).text == "3"
    first.disconnect()
    assert peer.modern(listen()).streams


def test_at_shutdown_what_is_new_is_refused_and_what_runs_goes_on() -> None:
    peer = make_peer(hold=True)
    running = peer.modern(call("work"))
    peer.shutdown()
    assert_busy(peer.modern(call("work")))
    peer.finish(running)
    assert running.text == "done"
    peer.assert_idle()


# -- clients that go away -----------------------------------------------------------------------


@pytest.mark.parametrize("accept", ["application/json", "application/json, text/event-stream"])
@pytest.mark.parametrize("stubborn", [False, True], ids=["stoppable", "a thread"])
def test_a_client_that_goes_away_cancels_its_request(accept: str, stubborn: bool) -> None:
    peer = make_peer(hold=True)
    peer.stubborn = stubborn
    trip = peer.modern(call("work", 1, ALL_LOGS), accept=accept)
    context = peer.context
    trip.disconnect()
    assert len(trip.cancelled) == 1
    assert context.cancelled
    context.log("error", "nobody hears")
    peer.pump()
    if stubborn:
        assert peer.endpoint.calls_open == 1
        assert not trip.exchange.done
        peer.finish(trip)
    peer.assert_idle()
    assert trip.status is None
    assert [report for report in peer.reports if report.level != "debug"] == []


def test_a_client_that_leaves_while_its_answer_streams_cancels_its_request() -> None:
    peer = make_peer(hold=True)
    trip = peer.modern(call("work", 1, ALL_LOGS))
    peer.context.log("info", "here")
    peer.pump()
    assert trip.methods == ["message"]
    trip.disconnect()
    assert len(trip.cancelled) == 1
    peer.assert_idle()


@pytest.mark.parametrize("sent", [0, 1, 50])
def test_a_client_that_leaves_within_its_body_leaves_nothing(sent: int) -> None:
    peer = make_peer()
    request = modern_post(call("work"))
    trip = Trip(peer, request)
    peer.carry_out(trip, trip.exchange.begin(peer.now))
    if sent:
        peer.carry_out(trip, trip.exchange.receive(request.body[:sent], True, peer.now))
    trip.disconnect()
    peer.assert_idle()


def test_a_client_that_leaves_after_its_answer_changes_nothing() -> None:
    peer = make_peer()
    trip = peer.modern(call("add", a=1, b=2))
    trip.disconnect()
    trip.disconnect()
    assert trip.cancelled == []
    peer.assert_idle()


def test_the_end_of_everything_stops_calls_and_says_nothing() -> None:
    peer = make_peer(hold=True)
    trips = [peer.modern(call("work")), peer.modern(listen(2))]
    acknowledged = trips[1].body
    for trip in trips:
        trip.gone = True
    peer.close()
    assert trips[1].body == acknowledged
    assert len(trips[0].cancelled) == 1
    peer.assert_idle()


async def test_a_coroutine_function_is_awaited_and_streams_its_messages() -> None:
    peer = make_peer()
    trip = peer.modern(call("later", 1, ALL_LOGS))
    assert trip.status is None
    await peer.run_async()
    assert trip.methods == ["message", "result"]
    peer.assert_idle()


def test_a_time_limit_answers_and_stops_the_call() -> None:
    peer = make_peer(True, time_limit_s=5.0)
    trip = peer.modern(call("work"))
    peer.advance(6)
    assert trip.result["isError"]
    assert len(trip.cancelled) == 1
    peer.assert_idle()


def test_a_server_without_the_modern_era_says_so_in_a_way_clients_understand() -> None:
    peer = HttpPeer(Server("old", settings=Settings(modern=False)))
    trip = peer.modern(modern(1, "server/discover"))
    assert trip.status in (200, 400, 404)
    assert trip.answer["error"]["code"] in (-32600, -32601, -32602)
    peer.assert_idle()


def test_a_handler_sees_the_header_fields_of_its_request() -> None:
    server = Server("headers")

    @server.tool
    def region(ctx: Context) -> str:
        return ctx.request.http_headers.get("x-region", "none")

    peer = HttpPeer(server)
    message = modern(1, "tools/call", name="region", arguments={})
    assert peer.send(modern_post(message, x_region="north")).text == "north"
    assert peer.send(modern_post(message)).text == "none"


def test_a_version_that_looks_encoded_is_unknown_like_any_other() -> None:
    encoded = "=?base64?MjAyNi0wNy0yOA==?="
    asked = meta() | {"io.modelcontextprotocol/protocolVersion": encoded}
    for _ in range(2):
        trip = make_peer().modern(modern(1, "tools/list", asked))
        assert trip.verdict == (400, -32022)
