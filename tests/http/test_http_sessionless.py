"""Legacy clients where no sessions are kept: each request stands alone."""

from typing import Any

import pytest
from core_peer import LEGACY, Json, initialize, legacy, notification
from http_peer import HttpPeer, Trip, legacy_post, session_delete, session_get
from http_server import legacy_call, make_server
from official_schema import check_message
from sansmcp_core.http import HttpSettings
from sansmcp_schema.revisions import LEGACY_REVISIONS


def make_peer(hold: bool = False) -> HttpPeer:
    return HttpPeer(make_server(), HttpSettings(sessions=False), hold=hold)


def post(peer: HttpPeer, message: Any, version: str | None = LEGACY, /, **headers: Any) -> Trip:
    return peer.send(legacy_post(message, None, version, **headers))


def test_a_handshake_mints_no_id_that_would_not_be_honoured() -> None:
    server = make_server()
    peer = HttpPeer(server, HttpSettings(sessions=False))
    trip = post(peer, initialize(), None)
    assert trip.result["protocolVersion"] == LEGACY
    # What needs a session is not offered.
    assert trip.result["capabilities"] == {"tools": {}, "prompts": {}, "resources": {}}
    assert b"mcp-session-id" not in trip.headers
    assert not server.hub._listeners
    check_message(trip.answer, LEGACY, "initialize")
    assert post(peer, notification("notifications/initialized")).status == 202
    peer.assert_idle()


@pytest.mark.parametrize(
    ("version", "revision"),
    [(None, "2025-03-26"), *((revision, revision) for revision in LEGACY_REVISIONS)],
)
def test_the_header_names_the_revision(version: str | None, revision: str) -> None:
    assert post(make_peer(), legacy_call("work"), version).text == revision


@pytest.mark.parametrize("version", ["junk", "", "2099-01-01"])
def test_an_unknown_version_header_is_bad(version: str) -> None:
    assert post(make_peer(), legacy_call("work"), version).verdict == (400, -32600)


@pytest.mark.parametrize("session", ["never", ""])
def test_a_session_id_means_nothing(session: str) -> None:
    peer = make_peer()
    trip = post(peer, legacy_call("add", a=1, b=2), mcp_session_id=session)
    assert trip.text == "3"
    assert b"mcp-session-id" not in trip.headers


@pytest.mark.parametrize("session", [None, "x"])
@pytest.mark.parametrize("request_of", [session_get, session_delete])
def test_there_is_nothing_to_get_or_delete(request_of: Any, session: str | None) -> None:
    peer = make_peer()
    trip = peer.send(request_of(session))
    assert trip.status == 405
    allowed = trip.headers[b"allow"]
    assert b"POST" in allowed
    assert b"GET" not in allowed
    peer.assert_idle()


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (legacy(1, "ping"), None),
        (legacy(1, "tools/list"), None),
        (legacy(1, "logging/setLevel", level="info"), -32601),
        (legacy(1, "resources/subscribe", uri="a://b"), -32601),
        (legacy(1, "totally/bogus"), -32601),
        (legacy_call("none"), -32602),
    ],
    ids=lambda value: value["method"] if isinstance(value, dict) else str(value),
)
def test_requests_are_answered_as_in_a_session(message: Json, code: int | None) -> None:
    peer = make_peer()
    assert post(peer, message).verdict == (200, code)
    peer.assert_idle()


@pytest.mark.parametrize("tool", ["greet", "twice"])
def test_who_asks_a_client_gets_one_clear_error(tool: str) -> None:
    peer = make_peer()
    trip = post(peer, legacy_call(tool))
    assert len(trip.messages) == 1
    assert "error" in trip.answer or trip.result["isError"]
    assert "session" in str(trip.answer)
    peer.assert_idle()


@pytest.mark.parametrize(
    "message",
    [
        legacy(1, "prompts/get", name="hello"),
        legacy(1, "resources/read", uri="greet://Hi"),
    ],
    ids=["a prompt", "a resource"],
)
def test_prompts_and_resources_that_ask_get_one_clear_error(message: Json) -> None:
    peer = make_peer()
    trip = post(peer, message)
    assert trip.status == 200
    assert "session" in trip.error["message"]
    peer.assert_idle()


def test_answers_to_questions_nobody_asked_are_refused_or_ignored() -> None:
    trip = post(make_peer(), {"jsonrpc": "2.0", "id": 1, "result": {}})
    assert trip.status in (202, 400)


def test_progress_streams_without_anything_to_resume() -> None:
    peer = make_peer(True)
    message = legacy_call("work")
    message["params"]["_meta"] = {"progressToken": 1}
    trip = post(peer, message)
    peer.context.report_progress(1)
    peer.context.close_stream(10)
    peer.pump()
    peer.finish()
    assert trip.methods == ["progress", "result"]
    assert [event.id for event in trip.events] == ["", ""]
    assert trip.sse is not None
    assert trip.sse.retry_ms is None
    peer.assert_idle()


def test_a_client_that_goes_away_cancels_nothing() -> None:
    peer = make_peer(True)
    trip = post(peer, legacy_call("work")).disconnect()
    assert trip.cancelled == []
    assert peer.endpoint.calls_open == 1
    peer.finish(trip)
    peer.assert_idle()


def test_cancellations_find_nothing_and_are_accepted() -> None:
    peer = make_peer(True)
    trip = post(peer, legacy_call("work"))
    assert post(peer, notification("notifications/cancelled", requestId=1)).status == 202
    assert trip.cancelled == []
    peer.finish(trip)
    assert trip.text == "done"
    peer.assert_idle()


def test_the_same_id_in_two_requests_at_once_is_two_requests() -> None:
    peer = make_peer(True)
    trips = [post(peer, legacy_call("work")) for _ in range(2)]
    for trip in trips:
        peer.finish(trip)
        assert trip.text == "done"
    peer.assert_idle()
