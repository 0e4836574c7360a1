"""Legacy clients over HTTP: the handshake, their sessions, and how long those last."""

from typing import Any

import pytest
from core_peer import LEGACY, MODERN, Json, initialize, legacy, notification
from http_peer import HttpPeer, LegacyClient, legacy_post, session_delete, session_get
from http_server import call, legacy_call, make_server
from official_schema import check_message
from sansmcp_core import Limits
from sansmcp_core.http import HttpSettings
from sansmcp_schema.revisions import LEGACY_REVISIONS

IDLE_S = 60.0


def make_peer(hold: bool = False, **http: Any) -> HttpPeer:
    return HttpPeer(make_server(), HttpSettings(**http), hold=hold)


def shake(peer: HttpPeer, message: Json | None = None, **headers: Any) -> Any:
    return peer.send(legacy_post(message or initialize(), None, None, **headers))


# -- the handshake ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "agreed"),
    [
        *((revision, revision) for revision in LEGACY_REVISIONS),
        ("1900-01-01", LEGACY),
        (MODERN, LEGACY),
        ("", LEGACY),
    ],
)
def test_a_handshake_agrees_on_a_revision_and_opens_a_session(asked: str, agreed: str) -> None:
    peer = make_peer()
    trip = shake(peer, initialize(7, asked))
    assert trip.status == 200
    assert trip.result["protocolVersion"] == agreed
    assert trip.answer["id"] == 7
    check_message(trip.answer, agreed, "initialize")
    session = trip.headers[b"mcp-session-id"]
    assert all(0x21 <= byte <= 0x7E for byte in session)
    listed = peer.send(legacy_post(legacy(1, "tools/list"), session.decode(), agreed))
    assert listed.status == 200
    check_message(listed.answer, agreed, "tools/list")
    peer.assert_idle()


def test_session_ids_come_from_the_random_source_with_at_least_128_bits() -> None:
    sizes = []

    def random(size: int) -> bytes:
        sizes.append(size)
        return bytes([len(sizes)]) * size

    server = make_server()
    server.random = random
    peer = HttpPeer(server)
    one, two = (shake(peer).headers[b"mcp-session-id"] for _ in range(2))
    assert one != two
    assert max(sizes) >= 16


def test_a_handshake_may_say_its_version_in_the_header_too() -> None:
    trip = make_peer().send(legacy_post(initialize(), None, LEGACY))
    assert b"mcp-session-id" in trip.headers


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize"},
        legacy(1, "initialize", protocolVersion=5),
        legacy(1, "initialize", protocolVersion=LEGACY, capabilities=[]),
    ],
    ids=["no parameters", "a wrong type", "no capabilities"],
)
def test_a_handshake_that_is_refused_leaves_nothing(message: Json) -> None:
    server = make_server()
    peer = HttpPeer(server, HttpSettings(max_sessions=1))
    for _ in range(3):
        trip = shake(peer, message)
        assert trip.error["code"] == -32602
        assert b"mcp-session-id" not in trip.headers
    assert not server.hub._listeners
    assert peer.endpoint.deadline() is None
    assert b"mcp-session-id" in shake(peer).headers
    peer.assert_idle()


@pytest.mark.parametrize("succeeds", [0, 1])
def test_a_handshake_that_fails_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, succeeds: int
) -> None:
    server = make_server()
    capabilities = server.capabilities
    times = iter(range(10))

    def broken(revision: str) -> Any:
        if next(times) < succeeds:
            return capabilities(revision)
        raise RuntimeError("broken")

    monkeypatch.setattr(server, "capabilities", broken)
    peer = HttpPeer(server, HttpSettings(max_sessions=1))
    trip = shake(peer)
    assert trip.verdict == (200, -32603)
    assert b"mcp-session-id" not in trip.headers
    assert "broken" not in trip.error["message"]
    assert [type(report.exception) for report in peer.reports] == [RuntimeError]
    assert not server.hub._listeners
    monkeypatch.undo()
    assert b"mcp-session-id" in shake(peer).headers
    peer.assert_idle()


def test_a_handshake_without_id_opens_nothing() -> None:
    server = make_server()
    peer = HttpPeer(server)
    message = initialize()
    del message["id"]
    trip = shake(peer, message)
    assert b"mcp-session-id" not in trip.headers
    assert not server.hub._listeners
    peer.assert_idle()


def test_sessions_beyond_the_ceiling_are_told_to_come_again() -> None:
    peer = make_peer(max_sessions=2, retry_after_s=3)
    first, _ = LegacyClient(peer), LegacyClient(peer)
    trip = shake(peer)
    assert trip.status == 503
    assert trip.headers[b"retry-after"] == b"3"
    assert b"mcp-session-id" not in trip.headers
    first.delete()
    assert shake(peer).status == 200
    peer.assert_idle()


def test_sessions_count_as_listeners_of_the_server() -> None:
    server = make_server(limits=Limits(max_listeners=1))
    peer = HttpPeer(server)
    first = LegacyClient(peer)
    trip = shake(peer)
    assert trip.error["code"] == -32603
    assert b"mcp-session-id" not in trip.headers
    first.delete()
    assert shake(peer).status == 200


def test_at_shutdown_no_session_and_no_stream_is_opened() -> None:
    peer = make_peer()
    client = LegacyClient(peer)
    peer.shutdown()
    assert client.get().status == 503
    trip = shake(peer)
    assert trip.status == 503
    assert b"mcp-session-id" not in trip.headers


def test_directly_after_the_handshake_the_session_is_ready() -> None:
    peer = make_peer()
    session = shake(peer).headers[b"mcp-session-id"].decode()
    assert peer.send(legacy_post(legacy_call("add", a=1, b=2), session)).text == "3"


# -- the session's id ---------------------------------------------------------------------------


@pytest.mark.parametrize("session", ["never", "", "a" * 5000, "\u00e9", 'x"', "x y"])
@pytest.mark.parametrize("method", ["POST", "GET", "DELETE"])
def test_an_unknown_session_is_not_found(method: str, session: str) -> None:
    peer = make_peer()
    requests = {
        "POST": legacy_post(legacy(1, "tools/list"), session),
        "GET": session_get(session),
        "DELETE": session_delete(session),
    }
    trip = peer.send(requests[method])
    assert trip.status == 404
    assert trip.error["message"]
    peer.assert_idle()


@pytest.mark.parametrize(
    "message",
    [
        legacy(1, "tools/list"),
        legacy(1, "tools/call", name="add", arguments={"a": 1, "b": 2}),
        legacy(1, "totally/bogus"),
        legacy(1, "tools/call", name=5),
        notification("notifications/initialized"),
        {"jsonrpc": "2.0", "id": 1, "result": {}},
    ],
    ids=["a list", "a call", "no method", "no parameters", "a notification", "an answer"],
)
@pytest.mark.parametrize("version", [None, *LEGACY_REVISIONS])
def test_without_a_session_a_request_is_bad(message: Json, version: str | None) -> None:
    peer = make_peer()
    trip = peer.send(legacy_post(message, None, version))
    assert trip.status == 400
    assert trip.error["code"] == -32600
    assert "Mcp-Session-Id" in trip.error["message"]
    peer.assert_idle()


def test_an_ended_session_is_not_found() -> None:
    peer = make_peer()
    client = LegacyClient(peer)
    ended = client.delete()
    assert ended.status in (200, 204)
    assert ended.body == b""
    assert client.post(legacy(1, "tools/list")).status == 404
    assert client.get().status == 404
    assert client.delete().status == 404
    peer.assert_idle()


def test_only_an_unknown_session_is_not_found() -> None:
    client = LegacyClient(make_peer())
    assert client.post(legacy(1, "totally/bogus")).verdict == (200, -32601)
    assert client.post(legacy(1, "completion/complete")).verdict == (200, -32601)


def test_a_repeated_session_id_is_no_session_id() -> None:
    client = LegacyClient(make_peer())
    message = legacy(1, "tools/list")
    trip = client.post(message, mcp_session_id=[client.session, client.session])
    assert trip.status == 400


def test_modern_requests_neither_need_nor_disturb_a_session() -> None:
    peer = make_peer(session_idle_s=IDLE_S)
    client = LegacyClient(peer)
    peer.advance(IDLE_S - 1)
    trip = peer.modern(call("work"), mcp_session_id=client.session)
    assert trip.text == MODERN
    assert b"mcp-session-id" not in trip.headers
    peer.advance(2)
    assert client.post(legacy(1, "tools/list")).status == 404


def test_one_address_serves_both_eras_at_once() -> None:
    peer = make_peer(True)
    client = LegacyClient(peer)
    old, new = client.call(1, "work"), peer.modern(call("work"))
    peer.run(new)
    peer.run(old)
    assert (old.text, new.text) == (LEGACY, MODERN)
    peer.assert_idle()


# -- versions and statuses ----------------------------------------------------------------------


@pytest.mark.parametrize("version", ["2099-01-01", "junk", "", "2025-11-25 x"])
def test_an_unknown_version_header_is_bad(version: str) -> None:
    peer = make_peer()
    client = LegacyClient(peer)
    for trip in (
        client.post(legacy(1, "tools/list"), mcp_protocol_version=version),
        client.post(legacy_call("work"), mcp_protocol_version=version),
    ):
        assert trip.verdict == (400, -32600)
        assert LEGACY in trip.error["message"]
    peer.assert_idle()


@pytest.mark.parametrize("version", [None, *LEGACY_REVISIONS])
@pytest.mark.parametrize("revision", LEGACY_REVISIONS)
def test_a_session_keeps_its_revision_whatever_known_one_the_header_names(
    revision: str, version: str | None
) -> None:
    client = LegacyClient(make_peer(), revision)
    assert client.post(legacy_call("work"), mcp_protocol_version=version).text == revision


STATUSES: list[tuple[str, Json, int | None]] = [
    ("a result", legacy_call("add", a=1, b=2), None),
    ("a failing handler", legacy_call("fail"), None),
    ("arguments that do not fit", legacy_call("add", a="x", b=2), None),
    ("ping", legacy(1, "ping"), None),
    ("a log level", legacy(1, "logging/setLevel", level="info"), None),
    ("an unknown tool", legacy_call("none"), -32602),
    ("wrong parameters", legacy(1, "tools/call", name=5), -32602),
    ("an unknown resource", legacy(1, "resources/read", uri="x://y"), -32002),
    ("an unknown method", legacy(1, "totally/bogus"), -32601),
    ("a method nobody offers", legacy(1, "completion/complete"), -32601),
    ("a wrong token", legacy(1, "tools/call", name="add", _meta={"progressToken": []}), -32602),
]


@pytest.mark.parametrize(
    ("message", "code"), [pytest.param(message, code, id=name) for name, message, code in STATUSES]
)
def test_every_outcome_of_a_request_is_200(message: Json, code: int | None) -> None:
    peer = make_peer()
    trip = LegacyClient(peer).post(message)
    assert trip.verdict == (200, code)
    assert trip.answer["id"] == 1
    check_message(trip.answer, LEGACY, message["method"])
    peer.assert_idle()


@pytest.mark.parametrize("revision", LEGACY_REVISIONS)
@pytest.mark.parametrize("body", [b"[]", b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', b"[1]"])
def test_batches_are_refused_on_every_revision(revision: str, body: bytes) -> None:
    peer = make_peer()
    assert LegacyClient(peer, revision).post(body).verdict == (400, -32600)
    peer.assert_idle()


@pytest.mark.parametrize(
    "message",
    [
        notification("notifications/initialized"),
        notification("notifications/whatever"),
        notification("notifications/cancelled", requestId=99),
        notification("notifications/cancelled", requestId=[]),
        {"jsonrpc": "2.0", "id": 99, "result": {}},
        {"jsonrpc": "2.0", "id": "x", "error": {"code": 1, "message": ""}},
    ],
    ids=str,
)
def test_what_needs_no_answer_is_accepted(message: Json) -> None:
    peer = make_peer()
    trip = LegacyClient(peer).post(message)
    assert (trip.status, trip.body) == (202, b"")
    peer.assert_idle()


def test_a_request_without_id_is_refused_without_one_and_not_carried_out() -> None:
    peer = make_peer(True)
    client = LegacyClient(peer)
    trip = client.post(notification("tools/call", name="work", arguments={}))
    assert trip.verdict == (400, -32600)
    assert "id" not in trip.answer
    peer.assert_idle()


@pytest.mark.parametrize("id", ["1", 1, "007", "", 0, 9007199254740993, -5], ids=repr)
def test_an_id_comes_back_as_it_was(id: Any) -> None:
    answered = LegacyClient(make_peer()).call(id, "add", a=1, b=2).answer["id"]
    assert (type(answered), answered) == (type(id), id)


# -- one session, several requests --------------------------------------------------------------


def test_an_id_that_is_open_is_refused_and_the_first_request_is_answered() -> None:
    peer = make_peer(True)
    client = LegacyClient(peer)
    first = client.call(7, "work")
    second = client.call(7, "work")
    assert second.error["code"] == -32600
    assert "id" not in second.answer
    peer.finish(first)
    assert first.text == "done"
    again = client.call(7, "work")
    peer.finish(again, "again")
    assert again.text == "again"
    peer.assert_idle()


def test_the_same_id_in_two_sessions_is_two_requests() -> None:
    peer = make_peer(True)
    one, two = LegacyClient(peer), LegacyClient(peer)
    trips = [one.call(7, "work"), two.call(7, "work")]
    one.post(notification("notifications/cancelled", requestId=7))
    assert [len(trip.cancelled) for trip in trips] == [1, 0]
    peer.finish(trips[1])
    assert trips[1].text == "done"
    peer.assert_idle()


@pytest.mark.parametrize("stubborn", [False, True], ids=["stoppable", "a thread"])
def test_a_notification_cancels_a_request_of_its_session(stubborn: bool) -> None:
    peer = make_peer(True)
    peer.stubborn = stubborn
    client = LegacyClient(peer)
    trip = client.call(1, "work")
    context = peer.context
    assert client.post(notification("notifications/cancelled", requestId=1)).status == 202
    assert context.cancelled
    assert len(trip.cancelled) == 1
    if stubborn:
        assert peer.endpoint.calls_open == 1
        peer.finish(trip)
    # The client waits for no answer, but for the end of its HTTP request.
    assert trip.ended
    assert trip.messages == []
    assert trip.status is not None
    assert trip.status < 300
    peer.assert_idle()


def test_the_number_of_followed_resources_is_bounded() -> None:
    client = LegacyClient(HttpPeer(make_server(limits=Limits(max_uris_per_listen=1))))
    assert client.post(legacy(1, "resources/subscribe", uri="a:1")).verdict == (200, None)
    assert client.post(legacy(2, "resources/subscribe", uri="a:2")).verdict == (200, -32602)
    assert client.post(legacy(3, "resources/unsubscribe", uri="a:1")).verdict == (200, None)
    assert client.post(legacy(4, "resources/subscribe", uri="a:2")).verdict == (200, None)


def test_log_levels_belong_to_a_session() -> None:
    peer = make_peer()
    loud, quiet, silent = (LegacyClient(peer) for _ in range(3))
    loud.post(legacy(1, "logging/setLevel", level="debug"))
    quiet.post(legacy(1, "logging/setLevel", level="warning"))
    assert loud.call(2, "log").methods == ["message", "message", "result"]
    assert quiet.call(2, "log").methods == ["message", "result"]
    assert silent.call(2, "log").methods == ["result"]


def test_quick_answers_are_plain() -> None:
    trip = LegacyClient(make_peer()).call(1, "add", a=1, b=2)
    assert trip.headers[b"content-type"] == b"application/json"


# -- how long a session lasts -------------------------------------------------------------------


def test_a_session_nobody_uses_ends() -> None:
    server = make_server()
    peer = HttpPeer(server, HttpSettings(session_idle_s=IDLE_S))
    client = LegacyClient(peer)
    peer.advance(IDLE_S - 1)
    assert client.post(legacy(1, "ping")).status == 200
    peer.advance(IDLE_S - 1)
    assert client.post(legacy(1, "ping")).status == 200
    peer.advance(IDLE_S + 1)
    assert client.post(legacy(1, "ping")).status == 404
    assert not server.hub._listeners


def test_an_idle_session_ends_without_any_tick_when_the_next_request_comes() -> None:
    peer = make_peer(session_idle_s=IDLE_S, max_sessions=1)
    client = LegacyClient(peer)
    peer.now += IDLE_S + 1
    assert client.post(legacy(1, "ping")).status == 404
    assert shake(peer).status == 200


def test_a_session_can_last_for_ever() -> None:
    peer = make_peer(session_idle_s=None)
    client = LegacyClient(peer)
    assert peer.endpoint.deadline() is None
    peer.advance(1e7)
    assert client.post(legacy(1, "ping")).status == 200


def test_no_time_counts_while_a_request_runs() -> None:
    peer = make_peer(True, session_idle_s=IDLE_S)
    client = LegacyClient(peer)
    trip = client.call(1, "work")
    peer.advance(IDLE_S * 3)
    peer.finish(trip)
    assert trip.text == "done"
    peer.advance(IDLE_S - 1)
    assert client.post(legacy(1, "ping")).status == 200
    peer.advance(IDLE_S + 1)
    assert client.post(legacy(1, "ping")).status == 404
    peer.assert_idle()


def test_no_time_counts_while_a_stream_is_open() -> None:
    peer = make_peer(session_idle_s=IDLE_S)
    client = LegacyClient(peer)
    stream = client.get()
    peer.advance(IDLE_S * 3)
    assert client.post(legacy(1, "ping")).status == 200
    stream.disconnect()
    peer.advance(IDLE_S + 1)
    assert client.post(legacy(1, "ping")).status == 404


def test_no_time_counts_while_a_call_runs_whose_client_has_gone() -> None:
    peer = make_peer(True, session_idle_s=IDLE_S)
    client = LegacyClient(peer)
    trip = client.call(1, "work").disconnect()
    peer.advance(IDLE_S * 3)
    assert client.post(legacy(2, "ping")).status == 200
    peer.finish(trip)
    peer.advance(IDLE_S + 1)
    assert client.post(legacy(1, "ping")).status == 404
    peer.assert_idle()


def test_a_clock_that_is_set_back_or_forth_ends_no_session_too_late() -> None:
    peer = make_peer(session_idle_s=IDLE_S)
    client = LegacyClient(peer)
    peer.now -= 1e6
    assert client.post(legacy(1, "ping")).status == 200
    peer.advance(IDLE_S + 1)
    assert client.post(legacy(1, "ping")).status == 404


def test_the_end_of_a_session_ends_what_it_has_open() -> None:
    server = make_server()
    peer = HttpPeer(server, hold=True)
    client, other = LegacyClient(peer), LegacyClient(peer)
    stream, running, gone = client.get(), client.call(1, "work"), client.call(2, "work")
    gone.disconnect()
    kept = other.call(1, "work")
    client.delete()
    assert stream.ended
    assert running.ended
    assert [len(trip.cancelled) for trip in (running, gone, kept)] == [1, 1, 0]
    peer.finish(kept)
    assert kept.text == "done"
    peer.assert_idle()
    assert len(server.hub._listeners) == 1


def test_every_end_of_everything_reaches_the_calls_of_sessions() -> None:
    peer = make_peer(True)
    client = LegacyClient(peer)
    trips = [client.call(1, "work"), client.get()]
    for trip in trips:
        trip.gone = True
    peer.close()
    peer.assert_idle()
