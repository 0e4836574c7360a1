"""What a legacy connection agreed on: its notifications, its log level, its subscriptions."""

from typing import Any

import pytest
from core_peer import Peer, initialize, legacy, notification
from official_schema import check_message
from sansmcp_core import Context, Limits, Server, Settings
from sansmcp_schema.revisions import LEGACY_REVISIONS


def nothing() -> str:
    return ""


def make_server(**settings: Any) -> Server:
    server = Server("session", settings=Settings(**settings))
    server.prompt(nothing, name="p")
    server.resource("a://b", nothing)

    @server.tool
    def log(ctx: Context, level: Any = "error") -> None:
        ctx.log(level, "said")

    return server


def subscribe(uri: str = "a://b", id: Any = 1) -> dict[str, Any]:
    return legacy(id, "resources/subscribe", uri=uri)


def unsubscribe(uri: str = "a://b", id: Any = 1) -> dict[str, Any]:
    return legacy(id, "resources/unsubscribe", uri=uri)


def methods(said: list[dict[str, Any]]) -> list[str]:
    return sorted(message["method"].removeprefix("notifications/") for message in said)


@pytest.mark.parametrize("revision", LEGACY_REVISIONS)
def test_after_the_handshake_changes_of_the_lists_are_told(revision: str) -> None:
    server = make_server()
    peer = Peer(server)
    peer.send(initialize(revision=revision))
    server.tool(nothing, name="t")
    server.prompt(nothing, name="q")
    server.resource("c://d", nothing)
    told = peer.pending()
    lists = ["prompts/list_changed", "resources/list_changed", "tools/list_changed"]
    assert methods(told) == lists
    for message in told:
        check_message(message, revision)
    server.resource_updated("a://b")
    assert peer.pending() == []


def test_a_list_that_the_handshake_did_not_offer_is_not_told_of() -> None:
    server = Server("tools only")
    server.tool(nothing, name="t")
    peer = Peer(server)
    capabilities = peer.result(initialize())["capabilities"]
    assert "prompts" not in capabilities
    server.prompt(nothing, name="p")
    server.tool(nothing, name="u")
    assert methods(peer.pending()) == ["tools/list_changed"]
    peer.send(initialize("again"))
    server.prompt(nothing, name="q")
    assert methods(peer.pending()) == ["prompts/list_changed"]


def test_before_the_handshake_nothing_is_told() -> None:
    server = make_server()
    peer = Peer(server)
    peer.send(legacy(1, "tools/list"))
    server.tool(nothing, name="t")
    assert peer.pending() == []


@pytest.mark.parametrize("uri", ["a://b", "never://seen", "", "a://\u00e9"])
@pytest.mark.parametrize("shaken", [True, False], ids=["after initialize", "before"])
def test_updates_of_a_followed_resource_are_told_until_it_is_let_go(uri: str, shaken: bool) -> None:
    server = make_server()
    peer = Peer(server)
    if shaken:
        peer.send(initialize())
    assert peer.result(subscribe(uri)) == {}
    server.resource_updated(uri)
    server.resource_updated(uri + "x")
    server.resource_updated(uri)
    (told,) = peer.pending()
    assert told == {
        "jsonrpc": "2.0",
        "method": "notifications/resources/updated",
        "params": {"uri": uri},
    }
    assert peer.result(unsubscribe(uri)) == {}
    server.resource_updated(uri)
    assert peer.pending() == []


def test_following_twice_is_following_once_and_letting_go_of_nothing_is_fine() -> None:
    server = make_server()
    peer = Peer(server)
    peer.send(initialize(), subscribe(id=1), subscribe(id=2))
    server.resource_updated("a://b")
    assert len(peer.pending()) == 1
    assert peer.result(unsubscribe(id=3)) == peer.result(unsubscribe(id=4)) == {}
    server.resource_updated("a://b")
    assert peer.pending() == []


def test_the_number_of_followed_resources_is_bounded() -> None:
    peer = Peer(make_server(limits=Limits(max_uris_per_listen=2)))
    peer.send(initialize())
    assert peer.result(subscribe("a:1")) == peer.result(subscribe("a:2")) == {}
    assert peer.result(subscribe("a:1")) == {}
    assert peer.error(subscribe("a:3"))["code"] == -32602
    assert peer.result(unsubscribe("a:1")) == {}
    assert peer.result(subscribe("a:3")) == {}


def test_too_many_sessions_are_refused_and_leave_no_half_session() -> None:
    server = make_server(limits=Limits(max_listeners=1))
    first, second = Peer(server), Peer(server)
    first.send(initialize())
    assert second.error(initialize())["code"] == -32603
    assert second.error(subscribe())["code"] in (-32602, -32603)
    first.take(first.connection.close(first.now))
    assert second.result(subscribe()) == {}
    server.resource_updated("a://b")
    assert methods(second.pending()) == ["resources/updated"]


def test_a_new_handshake_forgets_what_was_followed() -> None:
    server = make_server()
    peer = Peer(server)
    peer.send(initialize(1), subscribe(), initialize(2))
    server.resource_updated("a://b")
    assert peer.pending() == []
    server.tool(nothing, name="t")
    assert methods(peer.pending()) == ["tools/list_changed"]


def test_two_connections_follow_apart() -> None:
    server = make_server()
    one, two = Peer(server), Peer(server)
    one.send(initialize(), subscribe("a:1"))
    two.send(initialize(), subscribe("a:2"))
    server.resource_updated("a:1")
    assert methods(one.pending()) == ["resources/updated"]
    assert two.pending() == []


def test_a_closed_connection_is_forgotten() -> None:
    server = make_server()
    peer = Peer(server)
    peer.send(initialize(), subscribe())
    peer.take(peer.connection.close(peer.now))
    assert not server.hub._listeners
    assert not server.hub._by_uri


def test_the_log_level_of_a_session_holds_until_it_is_set_anew() -> None:
    peer = Peer(make_server())
    call = legacy(1, "tools/call", name="log", arguments={"level": "info"})
    peer.send(initialize())
    assert len(peer.ask(call)) == 1
    assert peer.result(legacy(2, "logging/setLevel", level="info")) == {}
    assert len(peer.ask(call)) == 2
    assert peer.result(legacy(3, "logging/setLevel", level="warning")) == {}
    assert len(peer.ask(call)) == 1
    peer.send(legacy(4, "logging/setLevel", level="debug"), initialize("again"))
    assert len(peer.ask(call)) == 1


def test_notifications_of_a_legacy_client_are_taken_in_silence() -> None:
    peer = Peer(make_server())
    peer.send(initialize())
    for method in ("initialized", "roots/list_changed", "progress", "cancelled", "message", "x"):
        assert peer.ask(notification(f"notifications/{method}")) == []
