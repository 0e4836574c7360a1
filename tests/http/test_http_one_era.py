"""Servers of one era only, and addresses that are not where the server is bound."""

from typing import Any

import pytest
from core_peer import LEGACY, MODERN, initialize, legacy, modern, notification
from http_peer import (
    HttpPeer,
    LegacyClient,
    legacy_post,
    modern_post,
    session_delete,
    session_get,
)
from http_server import make_server
from sansmcp_core import Settings
from sansmcp_core.http import Endpoint, HttpSettings, MemoryEventStore

# -- modern only --------------------------------------------------------------------------------


@pytest.mark.parametrize("session", [None, "x"])
@pytest.mark.parametrize("make", [session_get, session_delete])
def test_a_modern_server_has_no_sessions_to_get_or_delete(make: Any, session: str | None) -> None:
    trip = HttpPeer(make_server(legacy=False)).send(make(session, mcp_protocol_version=None))
    assert trip.status == 405
    assert trip.headers[b"allow"] == b"OPTIONS, POST"


@pytest.mark.parametrize("version", [None, MODERN])
def test_a_modern_server_ignores_sessions_of_notifications(version: str | None) -> None:
    peer = HttpPeer(make_server(legacy=False))
    message = notification("notifications/initialized")
    assert peer.send(legacy_post(message, "x", version)).verdict == (202, None)


def test_a_modern_server_says_so_to_a_legacy_client() -> None:
    peer = HttpPeer(make_server(legacy=False))
    assert peer.send(legacy_post(initialize(), None, None)).verdict == (400, -32022)
    assert peer.send(legacy_post(legacy(1, "tools/list"), "x", LEGACY)).verdict == (400, -32602)


# -- legacy only --------------------------------------------------------------------------------


def test_a_legacy_server_does_not_know_the_modern_version() -> None:
    client = LegacyClient(HttpPeer(make_server(modern=False)))
    wrong = {"mcp_protocol_version": MODERN}
    assert client.post(legacy(1, "tools/list"), **wrong).verdict == (400, -32600)
    assert client.post(notification("notifications/initialized"), **wrong).status == 400
    assert client.get(**wrong).status == 400
    assert client.peer.send(modern_post(modern(1, "server/discover"))).status == 400
    assert client.post(legacy(2, "tools/list")).status == 200


def test_a_handshake_is_served_whatever_its_version_header() -> None:
    peer = HttpPeer(make_server(modern=False))
    assert peer.send(legacy_post(initialize(), None, MODERN)).status == 200


# -- addresses ----------------------------------------------------------------------------------

ALL: dict[str, Any] = {"local_host": "192.0.2.7", "bound_host": "0.0.0.0"}


@pytest.mark.parametrize(
    ("host", "origin", "status"),
    [
        ("mcp.example.com", None, 200),
        ("192.0.2.7:3000", "http://192.0.2.7:3000", 200),
        ("192.0.2.7:3000", "http://mcp.example.com", 403),
        ("192.0.2.7:3000", "http://localhost:3000", 403),
    ],
)
def test_bound_to_all_addresses_the_own_one_is_that_which_was_reached(
    host: str, origin: str | None, status: int
) -> None:
    request = modern_post(modern(1, "tools/list"), host=host, origin=origin)
    assert HttpPeer(make_server()).send(request, **ALL).status == status


def test_a_proxy_on_the_same_machine_reaches_what_is_bound_to_all_addresses() -> None:
    request = modern_post(modern(1, "tools/list"), host="mcp.example.com")
    reached: dict[str, Any] = {"local_host": "127.0.0.1", "bound_host": "0.0.0.0"}
    assert HttpPeer(make_server()).send(request, **reached).status == 200
    assert HttpPeer(make_server()).send(request, local_host="127.0.0.1").status == 403


# -- wrong use ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("max_body_bytes", None),
        ("max_body_bytes", "4MB"),
        ("max_body_bytes", True),
        ("keep_alive_s", "15"),
        ("sessions", "no"),
        ("trust_forwarded", "no"),
        ("retry_after_s", 1.5),
        ("event_store", MemoryEventStore),
        ("event_store", {}),
    ],
    ids=range(9),
)
def test_a_setting_of_a_wrong_type_is_named(setting: str, value: Any) -> None:
    with pytest.raises(TypeError, match=setting):
        HttpSettings(**{setting: value})


def test_the_settings_of_a_server_are_not_those_of_http() -> None:
    wrong: Any = Settings()
    with pytest.raises(TypeError, match=r"sansmcp_core\.http\.HttpSettings, got Settings"):
        Endpoint(make_server(), wrong)


def test_an_unknown_session_is_told_to_the_log_once() -> None:
    peer = HttpPeer(make_server())
    for _ in range(2):
        assert peer.send(legacy_post(legacy(1, "tools/list"), "gone")).status == 404
        assert peer.send(session_get("gone")).status == 404
    (report,) = peer.reports
    assert "HttpSettings(sessions=False)" in report.message


class EmptyStore(MemoryEventStore):
    """A store that is falsy as long as nothing is in it."""

    def __len__(self) -> int:
        return 0


def test_a_store_that_holds_nothing_yet_is_used_all_the_same() -> None:
    store = EmptyStore()
    stream = LegacyClient(HttpPeer(make_server(), HttpSettings(event_store=store))).get()
    event_id = stream.events[0].id
    assert event_id is not None
    assert store.stream_of(event_id) is not None


def test_no_session_is_made_for_a_modern_request() -> None:
    peer = HttpPeer(make_server(), HttpSettings(sessions=False))
    made: list[Any] = []
    new = peer.endpoint.sessions.new
    peer.endpoint.sessions.new = lambda: made.append(0) or new()  # type: ignore[func-returns-value, method-assign]
    assert peer.send(modern_post(modern(1, "tools/list"))).status == 200
    assert made == []
    assert peer.send(legacy_post(legacy(1, "tools/list"), None)).status == 200
    assert made == [0]
