"""When a modern answer is a stream, what the stream holds, and how it is kept open."""

from typing import Any

import pytest
from core_peer import MODERN, NOW
from http_peer import BOTH, HttpPeer, Trip
from http_server import ALL_LOGS, call, listen, make_server
from official_schema import check_message
from sansmcp_core import Settings
from sansmcp_core.http import HttpSettings

JSON_ONLY = "application/json"
STREAM_ONLY = "text/event-stream"
STREAM_HEAD = {
    b"content-type": b"text/event-stream",
    b"cache-control": b"no-cache, no-transform",
    b"x-accel-buffering": b"no",
}


def make_peer(hold: bool = False, http: HttpSettings | None = None, **settings: Any) -> HttpPeer:
    return HttpPeer(make_server(**settings), http, hold=hold)


def assert_stream(trip: Trip) -> None:
    assert trip.streams
    assert trip.status == 200
    assert STREAM_HEAD.items() <= trip.headers.items()
    for event in trip.events:
        # A modern stream cannot be resumed, so it gives nothing to resume by.
        assert event.id == ""
        assert event.type == "message"
    assert trip.sse is not None
    assert trip.sse.retry_ms is None
    for message in trip.messages:
        check_message(message, MODERN, "tools/call")


# -- plain or stream ----------------------------------------------------------------------------

PROGRESS = {"progressToken": 0}
WARNING = {"io.modelcontextprotocol/logLevel": "warning"}


@pytest.mark.parametrize(
    ("tool", "asked", "accept", "heard"),
    [
        ("work", {}, BOTH, None),
        ("work", ALL_LOGS, BOTH, None),
        ("log", {}, BOTH, None),
        ("log", ALL_LOGS, BOTH, ["message", "message", "result"]),
        ("log", WARNING, BOTH, ["message", "result"]),
        ("log", ALL_LOGS, JSON_ONLY, None),
        ("log", ALL_LOGS, "*/*", ["message", "message", "result"]),
        ("log", ALL_LOGS, "application/json, text/event-stream;q=0", None),
        ("log", ALL_LOGS, STREAM_ONLY, ["message", "message", "result"]),
        ("work", {}, STREAM_ONLY, ["result"]),
        ("quick", {}, STREAM_ONLY, ["result"]),
        ("count", {}, BOTH, None),
        ("count", PROGRESS, BOTH, ["progress", "progress", "result"]),
        ("count", {"progressToken": ""}, BOTH, ["progress", "progress", "result"]),
        ("count", PROGRESS, JSON_ONLY, None),
        ("fail", ALL_LOGS, BOTH, None),
    ],
)
def test_an_answer_is_plain_unless_its_call_says_something_first(
    tool: str, asked: Any, accept: str, heard: list[str] | None
) -> None:
    peer = make_peer()
    trip = peer.modern(call(tool, 1, asked), accept=accept)
    if heard is None:
        assert trip.headers[b"content-type"] == b"application/json"
        assert "result" in trip.answer
    else:
        assert_stream(trip)
        assert trip.methods == heard
    assert trip.ended
    peer.assert_idle()


def test_a_plain_answer_is_one_effect_and_one_object() -> None:
    trip = make_peer().modern(call("add", a=1, b=2))
    assert trip.body.startswith(b"{")
    assert trip.text == "3"


def test_an_error_after_the_stream_has_begun_is_its_last_event() -> None:
    peer = make_peer(hold=True)
    trip = peer.modern(call("greet", 1, {**ALL_LOGS}))
    peer.context.log("info", "here")
    peer.pump()
    message = call("greet", 1, {**ALL_LOGS, "io.modelcontextprotocol/clientCapabilities": {}})
    lacking = peer.modern(message)
    peer.context.log("info", "here")
    peer.run(lacking)
    assert_stream(lacking)
    assert lacking.methods == ["message", "error"]
    assert lacking.error["code"] == -32021
    trip.disconnect()
    peer.assert_idle()


def test_each_message_leaves_at_once() -> None:
    peer = make_peer(hold=True)
    trip = peer.modern(call("work", 1, {**ALL_LOGS, **PROGRESS}))
    assert trip.status is None
    peer.context.log("info", "first")
    peer.pump()
    assert_stream(trip)
    assert trip.methods == ["message"]
    peer.context.report_progress(1)
    peer.pump()
    assert trip.methods == ["message", "progress"]
    assert not trip.ended
    peer.finish()
    assert trip.methods == ["message", "progress", "result"]
    assert_stream(trip)
    peer.assert_idle()


def test_what_a_call_said_while_nobody_looked_comes_before_its_answer() -> None:
    peer = make_peer(hold=True)
    peer.deaf = True
    trip = peer.modern(call("work", 1, ALL_LOGS))
    peer.context.log("info", 1)
    peer.context.log("info", 2)
    peer.finish()
    assert [message["params"]["data"] for message in trip.messages[:-1]] == [1, 2]
    assert trip.text == "done"
    peer.deaf = False
    peer.pump()
    peer.assert_idle()


def test_what_a_call_says_after_its_answer_is_heard_by_nobody() -> None:
    peer = make_peer(hold=True)
    trip = peer.modern(call("work", 1, {**ALL_LOGS, **PROGRESS}))
    context = peer.context
    peer.finish()
    context.log("error", "late")
    context.report_progress(9)
    peer.pump()
    assert trip.methods == ["result"]
    peer.assert_idle()


def test_two_calls_with_the_same_id_and_token_do_not_mix() -> None:
    peer = make_peer(hold=True)
    one, two = (peer.modern(call("work", 1, PROGRESS)) for _ in range(2))
    peer.context_of(one).report_progress(1)
    peer.context_of(two).report_progress(2)
    peer.pump()
    peer.finish(one, "one")
    peer.finish(two, "two")
    assert [one.messages[0]["params"]["progress"], one.text] == [1, "one"]
    assert [two.messages[0]["params"]["progress"], two.text] == [2, "two"]
    peer.assert_idle()


@pytest.mark.parametrize("token", [0, "", "a", 7], ids=repr)
def test_the_token_of_progress_comes_back_as_it_was(token: Any) -> None:
    peer = make_peer(hold=True)
    trip = peer.modern(call("work", 1, {"progressToken": token}))
    for value in (1, 1, 0.5, 2.5):
        peer.context.report_progress(value)
    peer.pump()
    peer.finish()
    params = [message["params"] for message in trip.messages[:-1]]
    assert params == [{"progressToken": token, "progress": value} for value in (1, 2.5)]


def test_closing_a_stream_means_nothing_to_a_modern_client() -> None:
    peer = make_peer(hold=True)
    trip = peer.modern(call("work", 1, ALL_LOGS))
    peer.context.log("info", 1)
    peer.context.close_stream(100)
    peer.context.log("info", 2)
    peer.pump()
    peer.finish()
    assert trip.methods == ["message", "message", "result"]
    assert_stream(trip)
    peer.assert_idle()


# -- time ---------------------------------------------------------------------------------------


def test_a_call_that_takes_long_becomes_a_stream() -> None:
    peer = make_peer(hold=True)
    trip = peer.modern(call("work"))
    assert trip.exchange.deadline() == pytest.approx(NOW + 15)
    peer.advance(14.9)
    assert trip.status is None
    peer.advance(0.2)
    assert_stream(trip)
    assert trip.messages == []
    peer.advance(30)
    assert trip.comments >= 2
    peer.finish()
    comments = trip.comments
    assert trip.text == "done"
    peer.advance(60)
    assert trip.comments == comments
    assert_stream(trip)
    peer.assert_idle()


@pytest.mark.parametrize(
    ("accept", "http"),
    [(JSON_ONLY, HttpSettings()), (BOTH, HttpSettings(keep_alive_s=None))],
    ids=["a client that takes none", "switched off"],
)
def test_a_call_that_takes_long_stays_plain(accept: str, http: HttpSettings) -> None:
    peer = make_peer(True, http)
    trip = peer.modern(call("work"), accept=accept)
    peer.advance(100)
    assert trip.status is None
    peer.finish()
    assert trip.headers[b"content-type"] == b"application/json"
    assert trip.text == "done"
    peer.assert_idle()


@pytest.mark.parametrize("interval", [5.0, 20.0])
def test_a_stream_that_is_quiet_gets_comments(interval: float) -> None:
    peer = make_peer(True, HttpSettings(keep_alive_s=interval))
    trip = peer.modern(listen())
    peer.advance(interval - 0.1)
    assert trip.comments == 0
    peer.advance(0.2)
    assert trip.comments == 1
    peer.advance(interval * 3)
    assert trip.comments == 4


def test_a_message_puts_the_comment_off() -> None:
    server = make_server()
    peer = HttpPeer(server)
    trip = peer.modern(listen())
    for _ in range(5):
        peer.advance(14)
        server.resource_updated("a://b")
        peer.pump()
    assert trip.comments == 0
    peer.advance(14.9)
    assert trip.comments == 0
    peer.advance(0.2)
    assert trip.comments == 1


def test_without_an_interval_there_are_no_comments() -> None:
    peer = make_peer(True, HttpSettings(keep_alive_s=None))
    trip = peer.modern(listen())
    assert trip.exchange.deadline() is None
    peer.advance(1000)
    assert trip.comments == 0


def test_a_time_limit_ends_a_stream_with_its_answer() -> None:
    peer = make_peer(True, time_limit_s=40.0)
    trip = peer.modern(call("work"))
    peer.advance(39)
    assert_stream(trip)
    assert trip.messages == []
    peer.advance(2)
    assert trip.methods == ["result"]
    assert trip.result["isError"]
    peer.assert_idle()


# -- subscriptions ------------------------------------------------------------------------------


def sub_id(message: dict[str, Any]) -> Any:
    holder = message["params"] if "method" in message else message["result"]
    return holder["_meta"]["io.modelcontextprotocol/subscriptionId"]


@pytest.mark.parametrize("id", ["7", 7, "", 0], ids=repr)
def test_a_subscription_is_acknowledged_at_once_and_hears_of_changes(id: Any) -> None:
    server = make_server()
    peer = HttpPeer(server)
    trip = peer.modern(listen(id))
    assert_stream(trip)
    assert trip.methods == ["subscriptions/acknowledged"]
    server.tool(lambda: "", name="new")
    server.resource_updated("a://b")
    server.resource_updated("a://other")
    peer.pump()
    heard = ["subscriptions/acknowledged", "tools/list_changed", "resources/updated"]
    assert trip.methods == heard
    assert_stream(trip)
    peer.shutdown()
    assert trip.methods == [*heard, "result"]
    for message in trip.messages:
        check_message(message, MODERN, "subscriptions/listen")
        assert (type(sub_id(message)), sub_id(message)) == (type(id), id)
    assert trip.result["resultType"] == "complete"
    assert trip.answer["id"] == id
    peer.assert_idle()


def test_a_change_goes_to_each_subscription_once() -> None:
    server = make_server()
    peer = HttpPeer(server)
    trips = [peer.modern(listen(1)) for _ in range(3)]
    for _ in range(3):
        server.resource_updated("a://b")
    peer.pump()
    for trip in trips:
        assert trip.methods == ["subscriptions/acknowledged", "resources/updated"]
    assert peer.endpoint.exchanges_open == 3
    assert peer.endpoint.calls_open == 0


def test_a_change_before_anybody_looks_comes_after_the_acknowledgement() -> None:
    server = make_server()
    peer = HttpPeer(server)
    peer.deaf = True
    trip = peer.modern(listen())
    server.resource_updated("a://b")
    peer.deaf = False
    peer.shutdown()
    assert trip.methods[0] == "subscriptions/acknowledged"
    assert trip.methods[-1] == "result"
    peer.assert_idle()


def test_who_leaves_hears_nothing_and_is_forgotten() -> None:
    server = make_server()
    peer = HttpPeer(server)
    trip = peer.modern(listen()).disconnect()
    server.resource_updated("a://b")
    peer.pump()
    peer.shutdown()
    assert trip.methods == ["subscriptions/acknowledged"]
    assert not server.hub._listeners
    peer.assert_idle()


def test_the_other_way_to_end_a_subscription_is_a_setting() -> None:
    peer = HttpPeer(make_server(cancel_ended_subscriptions=True))
    trip = peer.modern(listen(5))
    peer.shutdown()
    assert trip.methods == ["subscriptions/acknowledged", "cancelled", "result"]
    assert trip.messages[1]["params"]["requestId"] == 5
    peer.assert_idle()


def test_logs_of_calls_do_not_travel_on_subscriptions() -> None:
    peer = make_peer()
    trip = peer.modern(listen())
    peer.modern(call("log", 2, ALL_LOGS))
    assert trip.methods == ["subscriptions/acknowledged"]


def test_two_endpoints_of_one_server_hear_of_the_same_change() -> None:
    server = make_server()
    peers = [HttpPeer(server) for _ in range(2)]
    trips = [peer.modern(listen()) for peer in peers]
    server.tool(lambda: "", name="new")
    for peer, trip in zip(peers, trips, strict=True):
        peer.pump()
        assert trip.methods == ["subscriptions/acknowledged", "tools/list_changed"]


def test_queued_messages_are_bounded_and_the_answer_still_comes() -> None:
    limits = Settings().limits
    peer = make_peer(hold=True)
    peer.deaf = True
    trip = peer.modern(call("work", 1, ALL_LOGS))
    for number in range(limits.max_queued_messages + 10):
        peer.context.log("info", number)
    peer.finish()
    assert len(trip.messages) == limits.max_queued_messages + 1
    assert trip.text == "done"
