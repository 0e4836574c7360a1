"""The era of each message is decided by that message alone, and both interleave."""

from typing import Any

import msgspec
import pytest
from core_peer import (
    CAPABILITIES_KEY,
    LEGACY,
    MODERN,
    VERSION_KEY,
    Peer,
    initialize,
    legacy,
    meta,
    modern,
    notification,
)
from sansmcp_core import Context, Era, Server, Settings
from sansmcp_core._era import classify_era
from sansmcp_schema.requests import RequestMeta

INFO_KEY = "io.modelcontextprotocol/clientInfo"
LEVEL_KEY = "io.modelcontextprotocol/logLevel"
CLIENT = {"name": "c", "version": "1"}


def make_server(**settings: Any) -> Server:
    server = Server("era", "1", settings=Settings(**settings))

    @server.tool
    def who(ctx: Context) -> str:
        name = "nobody" if ctx.request.client_info is None else ctx.request.client_info.name
        return f"{ctx.request.era.value} {ctx.request.protocol_version} {name}"

    return server


def who(peer: Peer, message: dict[str, Any]) -> str:
    text: str = peer.result(message)["content"][0]["text"]
    return text


# method, keys of _meta, HTTP version header, era
ROWS: list[tuple[str, dict[str, Any], str | None, Era]] = [
    ("tools/list", {VERSION_KEY: MODERN, CAPABILITIES_KEY: {}}, None, Era.MODERN),
    ("tools/list", {VERSION_KEY: MODERN}, None, Era.MODERN),
    ("tools/list", {CAPABILITIES_KEY: {}}, None, Era.MODERN),
    ("tools/list", {VERSION_KEY: LEGACY}, None, Era.MODERN),
    ("tools/list", {VERSION_KEY: MODERN}, LEGACY, Era.MODERN),
    ("server/discover", {}, None, Era.MODERN),
    ("server/discover", {}, LEGACY, Era.MODERN),
    ("initialize", {}, None, Era.LEGACY),
    ("initialize", {}, MODERN, Era.LEGACY),
    ("initialize", {VERSION_KEY: MODERN}, None, Era.MODERN),
    ("initialize", {CAPABILITIES_KEY: {}}, None, Era.MODERN),
    ("tools/list", {}, MODERN, Era.MODERN),
    ("tools/list", {}, LEGACY, Era.LEGACY),
    ("tools/list", {}, "1900-01-01", Era.LEGACY),
    ("tools/list", {}, None, Era.LEGACY),
    ("tools/list", {INFO_KEY: CLIENT, LEVEL_KEY: "info"}, None, Era.LEGACY),
    ("tools/list", {"progressToken": 1}, None, Era.LEGACY),
    ("bogus", {}, None, Era.LEGACY),
    ("bogus", {VERSION_KEY: MODERN}, None, Era.MODERN),
]


@pytest.mark.parametrize(("method", "keys", "header", "era"), ROWS)
def test_the_table_of_eras(method: str, keys: dict[str, Any], header: str | None, era: Era) -> None:
    assert classify_era(method, msgspec.convert(keys, RequestMeta), header) is era


# method, keys of _meta, what a server of both eras answers
ANSWERS: list[tuple[str, dict[str, Any], int | str]] = [
    ("tools/list", {VERSION_KEY: MODERN, CAPABILITIES_KEY: {}}, "modern"),
    ("tools/list", {}, "legacy"),
    ("tools/list", {INFO_KEY: CLIENT}, "legacy"),
    ("tools/list", {VERSION_KEY: MODERN}, -32602),
    ("tools/list", {CAPABILITIES_KEY: {}}, -32602),
    ("tools/list", {VERSION_KEY: LEGACY, CAPABILITIES_KEY: {}}, -32022),
    ("tools/list", {VERSION_KEY: LEGACY}, -32022),
    ("tools/list", {VERSION_KEY: "1900-01-01", CAPABILITIES_KEY: {}}, -32022),
    ("tools/list", {VERSION_KEY: "", CAPABILITIES_KEY: {}}, -32022),
    ("server/discover", {VERSION_KEY: MODERN, CAPABILITIES_KEY: {}}, "modern"),
    ("server/discover", {}, -32602),
    ("server/discover", {VERSION_KEY: MODERN}, -32602),
    ("server/discover", {INFO_KEY: CLIENT}, -32602),
    ("server/discover", {VERSION_KEY: LEGACY, CAPABILITIES_KEY: {}}, -32022),
    ("initialize", {VERSION_KEY: MODERN, CAPABILITIES_KEY: {}}, -32601),
    ("initialize", {VERSION_KEY: LEGACY, CAPABILITIES_KEY: {}}, -32022),
    ("ping", {VERSION_KEY: MODERN, CAPABILITIES_KEY: {}}, -32601),
    ("ping", {}, "legacy"),
    ("bogus", {VERSION_KEY: "1900-01-01"}, -32022),
    ("bogus", {VERSION_KEY: MODERN}, -32602),
    ("bogus", {VERSION_KEY: MODERN, CAPABILITIES_KEY: {}}, -32601),
    ("bogus", {}, -32601),
]


@pytest.mark.parametrize(("method", "keys", "expected"), ANSWERS)
@pytest.mark.parametrize("shaken", [False, True], ids=["first", "after initialize"])
def test_what_each_row_leads_to(
    method: str, keys: dict[str, Any], expected: int | str, shaken: bool
) -> None:
    peer = Peer(make_server())
    if shaken:
        peer.send(initialize(revision="2025-06-18"))
    message = legacy(1, method, **({"_meta": keys} if keys else {}))
    answer = peer.one(message)
    if isinstance(expected, int):
        assert answer["error"]["code"] == expected
    else:
        assert ("resultType" in answer["result"]) == (expected == "modern")
        assert "error" not in answer


def test_a_version_this_server_does_not_speak_is_answered_with_those_it_does() -> None:
    error = Peer(make_server()).error(modern(1, "tools/list", {VERSION_KEY: LEGACY}))
    assert error["data"] == {"supported": [MODERN], "requested": LEGACY}
    server = make_server(list_legacy_versions=True)
    error = Peer(server).error(modern(1, "tools/list", {VERSION_KEY: "x" * 5000}))
    every = [MODERN, LEGACY, "2025-06-18", "2025-03-26", "2024-11-05"]
    assert error["data"]["supported"] == every
    assert len(error["message"]) < 300
    assert Peer(server).result(modern(1, "server/discover"))["supportedVersions"] == every
    quiet = Peer(make_server()).result(modern(1, "server/discover"))
    assert quiet["supportedVersions"] == [MODERN]


def test_both_eras_interleave_on_one_connection() -> None:
    peer = Peer(make_server())
    call = {"name": "who", "arguments": {}}
    new = {**meta(), INFO_KEY: {"name": "new", "version": "1"}}
    assert who(peer, legacy(1, "tools/call", **call)) == f"legacy {LEGACY} nobody"
    assert who(peer, modern(2, "tools/call", new, **call)) == f"modern {MODERN} new"
    assert peer.result(initialize(3, "2024-11-05"))["protocolVersion"] == "2024-11-05"
    assert who(peer, modern(4, "tools/call", **call)) == f"modern {MODERN} nobody"
    assert who(peer, legacy(5, "tools/call", **call)) == "legacy 2024-11-05 peer"
    assert peer.result(modern(6, "tools/list"))["resultType"] == "complete"
    assert "resultType" not in peer.result(legacy(7, "tools/list"))


def test_calls_of_both_eras_in_flight_keep_their_own_shape() -> None:
    peer = Peer(make_server())
    call = {"name": "who", "arguments": {}}
    peer.send(legacy(1, "tools/call", **call), modern(2, "tools/call", **call))
    (second,) = peer.run(peer.runs[1])
    (first,) = peer.run()
    assert second["result"]["resultType"] == "complete"
    assert "resultType" not in first["result"]


# The handshake


@pytest.mark.parametrize(
    ("asked", "agreed"),
    [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("1900-01-01", LEGACY),
        ("2026-07-28", LEGACY),
        ("2099-01-01", LEGACY),
        ("", LEGACY),
    ],
)
def test_initialize_agrees_to_a_legacy_version_only(asked: str, agreed: str) -> None:
    peer = Peer(make_server())
    assert peer.result(initialize(1, asked))["protocolVersion"] == agreed
    # Ready at once: the notification may come later, or never.
    assert who(peer, legacy(2, "tools/call", name="who")) == f"legacy {agreed} peer"
    assert peer.ask(notification("notifications/initialized")) == []


def test_initialize_without_a_version_is_refused_and_begins_nothing() -> None:
    peer = Peer(make_server())
    message = initialize(1)
    del message["params"]["protocolVersion"]
    assert peer.error(message)["code"] == -32602
    assert who(peer, legacy(2, "tools/call", name="who")) == f"legacy {LEGACY} nobody"


def test_ping_and_every_other_request_are_answered_before_the_handshake() -> None:
    peer = Peer(make_server())
    assert peer.result(legacy(1, "ping")) == {}
    assert peer.result(legacy(2, "tools/list"))["tools"][0]["name"] == "who"


def test_initialize_again_agrees_anew() -> None:
    peer = Peer(make_server())
    peer.send(initialize(1, "2024-11-05"), initialize(2, "2025-06-18", {}))
    assert who(peer, legacy(3, "tools/call", name="who")) == "legacy 2025-06-18 peer"


# The switches


def test_without_legacy_every_legacy_request_hears_which_versions_there_are() -> None:
    peer = Peer(make_server(legacy=False, list_legacy_versions=True))
    error = peer.error(initialize(1, "2025-06-18"))
    assert error["code"] == -32022
    assert error["data"] == {"supported": [MODERN], "requested": "2025-06-18"}
    for method in ("ping", "tools/list", "bogus"):
        error = peer.error(legacy(1, method))
        assert error["code"] == -32602
        assert MODERN in error["message"]
    assert peer.result(modern(1, "tools/list"))["tools"]
    error = peer.error(legacy(1, "initialize", protocolVersion=5))
    assert error["code"] in (-32602, -32022)
    assert MODERN in error["message"]


def test_without_modern_the_server_is_a_legacy_server() -> None:
    peer = Peer(make_server(modern=False))
    assert peer.error(modern(1, "server/discover"))["code"] == -32601
    assert peer.error(modern(1, "subscriptions/listen", notifications={}))["code"] == -32601
    assert "resultType" not in peer.result(modern(1, "tools/list"))
    assert peer.result(initialize(2))["protocolVersion"] == LEGACY


def test_the_modern_ping_is_a_switch() -> None:
    answer = Peer(make_server(modern_ping=True)).result(modern(1, "ping"))
    assert answer["resultType"] == "complete"
    assert Peer(make_server()).error(modern(1, "ping"))["code"] == -32601
