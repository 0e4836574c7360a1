"""Streams of legacy sessions: changes, questions, and taking a broken stream up again."""

from typing import Any

import pytest
from asking import ACCEPTED, DECLINED
from core_peer import Json, initialize, legacy, notification
from http_peer import HttpPeer, LegacyClient, legacy_post
from http_server import listen, make_server
from official_schema import check_message
from sansmcp_core import Server
from sansmcp_core.http import HttpSettings
from sansmcp_schema.revisions import LEGACY_REVISIONS

ADA = ACCEPTED
BOB = {"action": "accept", "content": {"name": "Bob"}}


def make_peer(hold: bool = False, **http: Any) -> HttpPeer:
    return HttpPeer(make_server(), HttpSettings(**http), hold=hold)


def change(server: Server, name: str = "new") -> None:
    server.tool(lambda: "", name=name)


# -- the session's own stream -------------------------------------------------------------------


@pytest.mark.parametrize("revision", LEGACY_REVISIONS)
def test_a_session_hears_of_changes_on_its_stream(revision: str) -> None:
    server = make_server()
    peer = HttpPeer(server)
    client = LegacyClient(peer, revision)
    client.post(legacy(1, "resources/subscribe", uri="a://b"))
    stream = client.get()
    assert stream.status == 200
    assert stream.headers[b"content-type"] == b"text/event-stream"
    assert stream.headers[b"x-accel-buffering"] == b"no"
    assert stream.headers[b"cache-control"] == b"no-cache, no-transform"
    change(server)
    server.resource_updated("a://b")
    server.resource_updated("a://other")
    peer.pump()
    assert stream.methods == ["tools/list_changed", "resources/updated"]
    for message in stream.messages:
        check_message(message, revision)
    assert not stream.ended


def test_changes_while_no_stream_is_open_wait_once_per_kind() -> None:
    server = make_server()
    peer = HttpPeer(server)
    client = LegacyClient(peer)
    for number in range(5):
        change(server, f"new{number}")
    server.prompt(lambda: "", name="p")
    peer.pump()
    stream = client.get()
    peer.pump()
    assert sorted(stream.methods) == ["prompts/list_changed", "tools/list_changed"]
    assert client.get().methods == []


def test_each_message_goes_to_one_stream_only() -> None:
    server = make_server()
    peer = HttpPeer(server, hold=True)
    client = LegacyClient(peer)
    client.post(legacy(1, "logging/setLevel", level="debug"))
    stream, running = client.get(), client.call(2, "work")
    peer.context.log("info", "mine")
    change(server)
    peer.pump()
    peer.finish(running)
    assert stream.methods == ["tools/list_changed"]
    assert running.methods == ["message", "result"]


def test_a_second_stream_replaces_the_first() -> None:
    server = make_server()
    peer = HttpPeer(server)
    client = LegacyClient(peer)
    first = client.get()
    second = client.get()
    assert first.ended
    assert not second.ended
    change(server)
    peer.pump()
    assert first.methods == []
    assert second.methods == ["tools/list_changed"]
    second.disconnect()
    change(server, "newer")
    peer.pump()
    third = client.get()
    peer.pump()
    assert third.methods == ["tools/list_changed"]
    assert peer.endpoint.exchanges_open == 1


def test_one_change_reaches_modern_subscriptions_and_legacy_sessions() -> None:
    server = make_server()
    peer = HttpPeer(server)
    streams = [peer.modern(listen()), LegacyClient(peer).get(), LegacyClient(peer).get()]
    change(server)
    peer.pump()
    assert [stream.methods[-1] for stream in streams] == ["tools/list_changed"] * 3
    peer.shutdown()
    assert all(stream.ended for stream in streams)
    assert streams[1].methods == ["tools/list_changed"]
    peer.assert_idle()


def test_a_client_that_takes_no_stream_gets_none() -> None:
    client = LegacyClient(make_peer())
    assert client.get(accept="application/json").status == 406


def test_streams_of_sessions_are_kept_open_by_comments() -> None:
    peer = make_peer()
    stream = LegacyClient(peer).get()
    peer.advance(50)
    assert stream.comments == 3


def test_streams_of_sessions_count_among_the_streams() -> None:
    peer = make_peer(max_streams=1)
    client, other = LegacyClient(peer), LegacyClient(peer)
    stream = client.get()
    refused = other.get()
    assert refused.status == 503
    assert refused.headers[b"retry-after"] == b"1"
    stream.disconnect()
    assert other.get().streams
    # Taking one's own place takes no other.
    assert other.get().streams


# -- questions ----------------------------------------------------------------------------------


@pytest.mark.parametrize("revision", ["2025-06-18", "2025-11-25"])
@pytest.mark.parametrize(
    ("message", "said"),
    [
        (legacy(1, "tools/call", name="greet", arguments={}), "Hello, Ada"),
        (legacy(1, "prompts/get", name="hello"), "Hello, Ada"),
        (legacy(1, "resources/read", uri="greet://Hi"), "Hi, Ada"),
    ],
    ids=["a tool", "a prompt", "a resource"],
)
def test_a_question_travels_on_the_stream_of_its_request(
    revision: str, message: Json, said: str
) -> None:
    peer = make_peer()
    client = LegacyClient(peer, revision)
    stream, trip = client.get(), client.post(message)
    assert trip.methods == ["elicitation/create"]
    check_message(trip.messages[0], revision)
    answered = client.reply(trip.messages[0], ADA)
    assert (answered.status, answered.body) == (202, b"")
    assert trip.methods == ["elicitation/create", "result"]
    assert said in str(trip.result)
    check_message(trip.answer, revision, message["method"])
    assert stream.methods == []
    stream.disconnect()
    peer.assert_idle()


def test_a_request_may_ask_in_several_rounds() -> None:
    peer = make_peer()
    client = LegacyClient(peer)
    trip = client.call(1, "twice")
    client.reply(trip.messages[0], ADA)
    assert trip.methods == ["elicitation/create"] * 2
    client.reply(trip.messages[1], BOB)
    assert trip.text == "Ada and Bob"
    ids = [message["id"] for message in trip.messages]
    assert len(set(ids[:2])) == 2
    peer.assert_idle()


def test_two_requests_ask_at_once_and_are_not_mixed_up() -> None:
    peer = make_peer()
    client, other = LegacyClient(peer), LegacyClient(peer)
    trips = [client.call(1, "greet"), client.call(2, "greet"), other.call(1, "greet")]
    questions = [trip.messages[0] for trip in trips]
    assert questions[0]["id"] != questions[1]["id"]
    other.reply(questions[2], DECLINED)
    client.reply(questions[1], BOB)
    client.reply(questions[0], ADA)
    assert [trip.text for trip in trips] == ["Hello, Ada", "Hello, Bob", "decline"]
    peer.assert_idle()


def test_an_answer_of_another_session_answers_nothing() -> None:
    peer = make_peer()
    client, other = LegacyClient(peer), LegacyClient(peer)
    trip = client.call(1, "greet")
    other.reply(trip.messages[0], BOB)
    assert not trip.ended
    client.reply(trip.messages[0], ADA)
    assert trip.text == "Hello, Ada"
    client.reply(trip.messages[0], BOB)
    peer.assert_idle()


def test_an_error_in_place_of_an_answer_ends_the_call() -> None:
    peer = make_peer()
    client = LegacyClient(peer)
    trip = client.call(1, "greet")
    id = trip.messages[0]["id"]
    error = {"jsonrpc": "2.0", "id": id, "error": {"code": -1, "message": "No."}}
    assert client.post(error).status == 202
    assert trip.result["isError"]
    peer.assert_idle()


def test_a_question_that_nobody_answers_ends_the_call() -> None:
    peer = HttpPeer(make_server(answer_timeout_s=30.0))
    client = LegacyClient(peer)
    trip = client.call(1, "greet")
    peer.advance(31)
    assert trip.methods == ["elicitation/create", "cancelled", "result"]
    assert trip.result["isError"]
    peer.assert_idle()


def test_a_cancelled_request_takes_its_question_back() -> None:
    peer = make_peer()
    client = LegacyClient(peer)
    trip = client.call(1, "greet")
    client.post(notification("notifications/cancelled", requestId=1))
    assert trip.methods in (["elicitation/create"], ["elicitation/create", "cancelled"])
    assert trip.ended
    late = client.reply(trip.messages[0], ADA)
    assert late.status == 202
    peer.assert_idle()


def test_a_client_without_the_capability_is_not_asked() -> None:
    peer = make_peer()
    client = LegacyClient(peer, capabilities={})
    trip = client.call(1, "greet")
    assert len(trip.messages) == 1
    assert trip.status == 200
    assert "error" in trip.answer or trip.result["isError"]
    peer.assert_idle()


def test_a_client_that_takes_no_stream_is_told_that_it_cannot_be_asked() -> None:
    peer = make_peer()
    trip = LegacyClient(peer).post(
        legacy(1, "tools/call", name="greet", arguments={}), accept="application/json"
    )
    assert len(trip.messages) == 1
    assert "error" in trip.answer or trip.result["isError"]
    peer.assert_idle()


@pytest.mark.parametrize("resumable", [True, False])
def test_a_client_that_takes_no_stream_is_asked_on_the_sessions_own(resumable: bool) -> None:
    peer = make_peer(resumable=resumable)
    client = LegacyClient(peer)
    stream = client.get()
    trip = client.post(
        legacy(1, "tools/call", name="twice", arguments={}), accept="application/json"
    )
    assert stream.methods == ["elicitation/create"]
    client.reply(stream.messages[0], ADA)
    client.reply(stream.messages[1], BOB)
    assert trip.headers[b"content-type"] == b"application/json"
    assert trip.text == "Ada and Bob"
    assert stream.methods == ["elicitation/create"] * 2
    stream.disconnect()
    peer.assert_idle()


def test_the_end_of_a_session_takes_its_questions_with_it() -> None:
    peer = make_peer()
    client = LegacyClient(peer)
    trip = client.call(1, "greet")
    client.delete()
    assert trip.ended
    assert "result" not in trip.methods
    peer.assert_idle()


def test_the_clock_of_a_session_stands_while_a_question_is_open() -> None:
    peer = make_peer(session_idle_s=60.0)
    client = LegacyClient(peer)
    trip = client.call(1, "greet")
    peer.advance(300)
    client.reply(trip.messages[0], ADA)
    assert trip.text == "Hello, Ada"
    peer.assert_idle()


def test_a_handshake_within_a_session_is_a_request_like_others() -> None:
    peer = make_peer()
    client = LegacyClient(peer)
    trip = peer.send(legacy_post(initialize(5), client.session))
    assert trip.status == 200
    assert client.post(legacy(6, "ping")).status == 200
    peer.assert_idle()


def test_a_question_that_nobody_carried_is_on_the_next_stream() -> None:
    peer = make_peer()
    client = LegacyClient(peer)
    stream = client.get()
    peer.deaf = True
    message = legacy(1, "tools/call", name="greet", arguments={})
    trip = client.post(message, accept="application/json")
    stream.disconnect()
    peer.deaf = False
    fresh = client.get()
    peer.pump()
    (question,) = fresh.messages
    client.reply(question, ADA)
    assert trip.text == "Hello, Ada"


def test_a_last_event_id_of_nothing_opens_a_new_stream() -> None:
    client = LegacyClient(make_peer())
    assert client.get("").streams
