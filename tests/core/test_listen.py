"""``subscriptions/listen``: an acknowledgement first, then what was asked for, then one result."""

import threading
from typing import Any

import pytest
from core_peer import MODERN, NOW, Peer, initialize, legacy, modern, notification
from official_schema import check_message
from sansmcp_core import Limits, LocalProtocolError, Server, Settings

SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
EVERYTHING = {
    "toolsListChanged": True,
    "promptsListChanged": True,
    "resourcesListChanged": True,
    "resourceSubscriptions": ["a://b", "never://seen"],
}


def nothing() -> str:
    return ""


def make_server(**settings: Any) -> Server:
    server = Server("listen", settings=Settings(**settings))
    server.tool(nothing, name="t")
    server.prompt(nothing, name="p")
    server.resource("a://b", nothing)
    return server


def listen(id: Any = 1, **wanted: Any) -> dict[str, Any]:
    return modern(id, "subscriptions/listen", notifications=wanted)


def change(server: Server, number: int = 0) -> None:
    """Change each of the three lists and two resources."""
    server.tool(nothing, name=f"t{number}")
    server.prompt(nothing, name=f"p{number}")
    server.resource(f"a://b{number}", nothing)
    server.resource_updated("a://b")
    server.resource_updated("never://seen")


def names(said: list[dict[str, Any]]) -> list[str]:
    return [
        message["method"].removeprefix("notifications/")
        + (f" {message['params']['uri']}" if "uri" in message.get("params", {}) else "")
        for message in said
    ]


ALL_CHANGES = [
    "prompts/list_changed",
    "resources/list_changed",
    "resources/updated a://b",
    "resources/updated never://seen",
    "tools/list_changed",
]


def test_an_acknowledgement_comes_first_and_says_what_is_honoured() -> None:
    peer = Peer(make_server())
    (acknowledged,) = peer.send(listen(**EVERYTHING))
    assert acknowledged["method"] == "notifications/subscriptions/acknowledged"
    assert acknowledged["params"]["notifications"] == EVERYTHING
    assert acknowledged["params"]["_meta"] == {SUBSCRIPTION: 1}
    check_message(acknowledged, MODERN)
    assert peer.connection.calls_open == 0


@pytest.mark.parametrize("id", ["1", 1, "", 0, -7, "x" * 100], ids=repr)
def test_every_message_of_a_subscription_carries_its_id_as_it_was_sent(id: Any) -> None:
    server = make_server()
    peer = Peer(server)
    said = peer.send(listen(id, **EVERYTHING))
    change(server)
    said += peer.pending()
    peer.take(peer.connection.shutdown(peer.now))
    said += peer.read()
    assert len(said) == 7
    for message in said:
        holder = message.get("params") or message["result"]
        told = holder["_meta"][SUBSCRIPTION]
        assert (type(told), told) == (type(id), id)
        check_message(message, MODERN, "subscriptions/listen")


def test_what_was_asked_for_is_told() -> None:
    server = make_server()
    peer = Peer(server)
    peer.send(listen(**EVERYTHING))
    change(server)
    assert sorted(names(peer.pending())) == ALL_CHANGES
    assert peer.pending() == []


ONLY: list[tuple[dict[str, Any], list[str]]] = [
    ({}, []),
    ({"toolsListChanged": True}, ["tools/list_changed"]),
    ({"promptsListChanged": True}, ["prompts/list_changed"]),
    ({"resourcesListChanged": True}, ["resources/list_changed"]),
    ({"resourceSubscriptions": ["a://b"]}, ["resources/updated a://b"]),
    ({"resourceSubscriptions": []}, []),
    ({"toolsListChanged": False, "resourceSubscriptions": ["a://B", "a://b/"]}, []),
]


@pytest.mark.parametrize(("wanted", "expected"), ONLY, ids=lambda value: str(value)[:40])
def test_what_was_not_asked_for_is_not_told(wanted: dict[str, Any], expected: list[str]) -> None:
    server = make_server()
    peer = Peer(server)
    peer.send(listen(**wanted))
    change(server)
    assert names(peer.pending()) == expected


def test_nobody_who_did_not_ask_hears_anything() -> None:
    server = make_server()
    peer = Peer(server)
    peer.ask(modern(1, "tools/list"), legacy(2, "tools/list"))
    change(server)
    assert peer.pending() == []
    assert peer.wakes == 0


def test_a_filter_is_narrowed_to_what_the_server_can_tell() -> None:
    def honoured(server: Server) -> dict[str, Any]:
        (acknowledged,) = Peer(server).send(listen(**EVERYTHING))
        told: dict[str, Any] = acknowledged["params"]["notifications"]
        return told

    tools_only = Server("tools only")
    tools_only.tool(nothing)
    assert honoured(tools_only) == {"toolsListChanged": True}
    assert honoured(Server("empty")) == {}
    frozen = make_server()
    frozen.freeze()
    assert honoured(frozen) == {"resourceSubscriptions": EVERYTHING["resourceSubscriptions"]}
    (acknowledged,) = Peer(make_server()).send(
        listen(toolsListChanged=False, resourceSubscriptions=["a://b", "a://b"])
    )
    assert acknowledged["params"]["notifications"] == {"resourceSubscriptions": ["a://b"]}


def test_several_subscriptions_at_once_are_told_apart() -> None:
    server = make_server()
    peer = Peer(server)
    peer.send(
        listen(1, toolsListChanged=True),
        listen("1", toolsListChanged=True, promptsListChanged=True),
        listen(2, resourceSubscriptions=["a://b"]),
    )
    change(server)
    told = [
        (message["params"]["_meta"][SUBSCRIPTION], *names([message])) for message in peer.pending()
    ]
    assert sorted(told, key=str) == [
        ("1", "prompts/list_changed"),
        ("1", "tools/list_changed"),
        (1, "tools/list_changed"),
        (2, "resources/updated a://b"),
    ]


def test_several_connections_hear_of_one_change() -> None:
    server = make_server()
    peers = [Peer(server) for _ in range(3)]
    for peer in peers:
        peer.send(listen(toolsListChanged=True))
    server.tools.remove("t")
    assert [names(peer.pending()) for peer in peers] == [["tools/list_changed"]] * 3


def test_changes_that_wait_are_told_once_each() -> None:
    server = make_server()
    peer = Peer(server)
    peer.send(listen(**EVERYTHING))
    for number in range(200):
        change(server, number)
    assert peer.wakes == 1
    assert sorted(names(peer.pending())) == ALL_CHANGES
    change(server, 1000)
    assert peer.wakes == 2
    assert sorted(names(peer.pending())) == ALL_CHANGES


def test_every_kind_of_change_is_told_by_itself() -> None:
    server = make_server()
    peer = Peer(server)
    peer.send(listen(toolsListChanged=True))
    for act in (
        lambda: server.tools.disable("t"),
        lambda: server.tools.enable("t"),
        lambda: server.tools.remove("t"),
        lambda: server.tool(nothing, name="again"),
    ):
        act()
        assert names(peer.pending()) == ["tools/list_changed"]


def test_a_change_comes_from_any_thread() -> None:
    server = make_server()
    peer = Peer(server)
    woken = threading.Event()
    peer.connection = type(peer.connection)(server, wake=woken.set)
    peer.send(listen(**EVERYTHING))
    threads = [threading.Thread(target=change, args=(server, number)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert woken.wait(10)
    assert sorted(names(peer.pending())) == ALL_CHANGES


def test_a_change_before_the_acknowledgement_is_written_comes_after_it() -> None:
    server = make_server()
    peer = Peer(server)
    effects = peer.connection.receive(
        b'{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"_meta":{'
        b'"io.modelcontextprotocol/protocolVersion":"2026-07-28",'
        b'"io.modelcontextprotocol/clientCapabilities":{}},'
        b'"notifications":{"toolsListChanged":true}}}\n',
        NOW,
    )
    change(server)
    peer.take(effects)
    peer.take(peer.connection.pending(NOW))
    assert names(peer.read()) == ["subscriptions/acknowledged", "tools/list_changed"]


# The end


def test_a_client_ends_a_subscription_in_silence() -> None:
    server = make_server()
    peer = Peer(server)
    peer.send(listen(1, **EVERYTHING), listen("1", toolsListChanged=True))
    assert peer.send(notification("notifications/cancelled", requestId=1)) == []
    change(server)
    assert [message["params"]["_meta"][SUBSCRIPTION] for message in peer.pending()] == ["1"]
    peer.take(peer.connection.shutdown(peer.now))
    assert [message["id"] for message in peer.read()] == ["1"]


def test_what_waits_for_a_cancelled_subscription_is_not_told() -> None:
    server = make_server()
    peer = Peer(server)
    peer.send(listen(1, **EVERYTHING))
    change(server)
    assert peer.send(notification("notifications/cancelled", requestId=1)) == []
    assert peer.pending() == []


def test_its_id_is_free_again_after_the_end() -> None:
    peer = Peer(make_server())
    peer.send(listen(1), notification("notifications/cancelled", requestId=1))
    assert names(peer.send(listen(1, **EVERYTHING))) == ["subscriptions/acknowledged"]


def test_a_shutdown_ends_each_subscription_with_a_result() -> None:
    server = make_server()
    peer = Peer(server)
    peer.send(listen(1, toolsListChanged=True), listen("b"))
    change(server)
    peer.take(peer.connection.shutdown(peer.now))
    told, first, second = peer.read()
    assert names([told]) == ["tools/list_changed"]
    for message, id in [(first, 1), (second, "b")]:
        assert message["id"] == id
        assert message["result"]["resultType"] == "complete"
        assert message["result"]["_meta"][SUBSCRIPTION] == id
        check_message(message, MODERN, "subscriptions/listen")
    change(server, 1)
    assert peer.pending() == []
    assert peer.connection.shutdown(peer.now) == []


def test_a_switch_adds_the_other_way_of_ending_a_subscription() -> None:
    peer = Peer(make_server(cancel_ended_subscriptions=True))
    peer.send(listen(1))
    peer.take(peer.connection.shutdown(peer.now))
    cancelled, result = peer.read()
    assert cancelled["method"] == "notifications/cancelled"
    assert cancelled["params"]["requestId"] == 1
    assert result["id"] == 1
    check_message(cancelled, MODERN)


def test_a_dropped_connection_ends_without_a_word() -> None:
    server = make_server()
    peer = Peer(server)
    peer.send(listen(1, **EVERYTHING))
    peer.take(peer.connection.close(peer.now))
    change(server)
    assert peer.read() == peer.pending() == []
    with pytest.raises(LocalProtocolError):
        peer.connection.receive(b"{}\n", peer.now)


# Bounds


def test_the_number_of_listeners_of_a_server_is_bounded() -> None:
    server = make_server(limits=Limits(max_listeners=3))
    one, two = Peer(server), Peer(server)
    one.send(listen(1), listen(2))
    two.send(listen(1))
    error = two.error(listen(2))
    assert error["code"] == -32603
    assert "listeners" in error["message"]
    one.send(notification("notifications/cancelled", requestId=1))
    assert names(two.send(listen(2))) == ["subscriptions/acknowledged"]
    one.take(one.connection.close(NOW))
    assert names(two.send(listen(3))) == ["subscriptions/acknowledged"]


def test_the_number_of_uris_of_a_listener_is_bounded() -> None:
    peer = Peer(make_server(limits=Limits(max_uris_per_listen=3)))
    error = peer.error(listen(1, resourceSubscriptions=["a:1", "a:2", "a:3", "a:4"]))
    assert error["code"] == -32602
    assert peer.send(listen(1, resourceSubscriptions=["a:1", "a:2", "a:3"]))


def test_many_listeners_leave_nothing_behind() -> None:
    server = make_server()
    peer = Peer(server)
    for number in range(100):
        peer.send(listen(number, **EVERYTHING))
    for number in range(100):
        peer.send(notification("notifications/cancelled", requestId=number))
    assert not server.hub._listeners
    assert not server.hub._by_uri
    assert not any(server.hub._by_kind.values())


# Both eras


def test_one_change_reaches_modern_listeners_and_legacy_sessions_alike() -> None:
    server = make_server()
    peer = Peer(server)
    peer.send(initialize(), legacy(2, "resources/subscribe", uri="a://b"), listen(1, **EVERYTHING))
    server.tools.remove("t")
    server.resource_updated("a://b")
    told = peer.pending()
    with_id = [message for message in told if "_meta" in message.get("params", {})]
    without = [message for message in told if message not in with_id]
    for half in (with_id, without):
        assert sorted(names(half)) == ["resources/updated a://b", "tools/list_changed"]
