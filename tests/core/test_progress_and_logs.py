"""Progress only with a token, log messages only with a level, and nothing after the answer."""

import math
import threading
from typing import Any

import pytest
from core_peer import MODERN, Peer, initialize, legacy, meta, modern, notification
from official_schema import check_message
from opaque import Opaque
from sansmcp_core import Context, Limits, Server, Settings
from sansmcp_schema.revisions import LEGACY_REVISIONS

LEVEL_KEY = "io.modelcontextprotocol/logLevel"
LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]


def make_server(**settings: Any) -> Server:
    server = Server("progress", settings=Settings(**settings))

    @server.tool
    def report(ctx: Context, values: list[float]) -> None:
        for value in values:
            ctx.report_progress(value)

    @server.tool
    def log(ctx: Context, levels: list[str] = LEVELS) -> None:
        for level in levels:
            ctx.log(level, {"was": level}, logger="test")  # type: ignore[arg-type]

    @server.prompt
    def prompt(ctx: Context) -> str:
        ctx.report_progress(1)
        ctx.log("error", "x")
        return "x"

    @server.resource("a://b")
    def resource(ctx: Context) -> str:
        ctx.report_progress(1)
        ctx.log("error", "x")
        return "x"

    return server


def report(values: list[float], id: Any = 1, **token: Any) -> dict[str, Any]:
    params = {"name": "report", "arguments": {"values": values}}
    return modern(id, "tools/call", meta(**token), **params)


def progress(said: list[dict[str, Any]]) -> list[Any]:
    return [
        message["params"]["progress"]
        for message in said
        if message.get("method") == "notifications/progress"
    ]


def levels(said: list[dict[str, Any]]) -> list[str]:
    return [
        message["params"]["level"]
        for message in said
        if message.get("method") == "notifications/message"
    ]


# Progress


@pytest.mark.parametrize("token", [0, "", "a", -1, 9007199254740993, "0", "\u00e9"], ids=repr)
def test_progress_carries_the_very_token(token: Any) -> None:
    first, second, answer = Peer(make_server()).ask(report([1, 2], progressToken=token))
    for message in (first, second):
        told = message["params"]["progressToken"]
        assert (type(told), told) == (type(token), token)
        check_message(message, MODERN)
    assert answer["id"] == 1


@pytest.mark.parametrize("token", [1.5, True, None, [], {}], ids=repr)
def test_a_token_of_a_wrong_type_is_refused(token: Any) -> None:
    peer = Peer(make_server())
    assert peer.error(report([1], progressToken=token))["code"] == -32602
    message = legacy(1, "tools/call", name="report", _meta={"progressToken": token})
    assert peer.error(message)["code"] == -32602


def test_without_a_token_there_is_no_progress() -> None:
    peer = Peer(make_server())
    assert len(peer.ask(report([1, 2]))) == 1
    assert peer.wakes == 0


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ([1, 1, 0.5, 2.5], [1, 2.5]),
        ([0], [0]),
        ([-5, -4], [-5, -4]),
        ([3, 2, 1], [3]),
        ([], []),
        ([1e300, 1e301], [1e300, 1e301]),
    ],
)
def test_progress_grows_or_is_dropped(values: list[float], told: list[float]) -> None:
    assert progress(Peer(make_server()).ask(report(values, progressToken="p"))) == told


def test_progress_has_a_total_and_a_message_where_they_are_given() -> None:
    server = Server("whole")

    @server.tool
    def work(ctx: Context) -> None:
        ctx.report_progress(1)
        ctx.report_progress(2, total=0, message="")
        ctx.report_progress(3, 4.5, "three")

    said = Peer(server).ask(modern(1, "tools/call", meta(progressToken="p"), name="work"))
    assert [message["params"] for message in said[:-1]] == [
        {"progressToken": "p", "progress": 1},
        {"progressToken": "p", "progress": 2, "total": 0, "message": ""},
        {"progressToken": "p", "progress": 3, "total": 4.5, "message": "three"},
    ]


@pytest.mark.parametrize("revision", LEGACY_REVISIONS)
def test_a_legacy_client_hears_what_its_revision_has(revision: str) -> None:
    server = Server("whole")

    @server.tool
    def work(ctx: Context) -> None:
        ctx.report_progress(1, 2, "one")
        ctx.log("error", "x")

    peer = Peer(server)
    peer.ask(initialize(revision=revision), legacy(2, "logging/setLevel", level="debug"))
    said = peer.ask(legacy(1, "tools/call", name="work", _meta={"progressToken": 0}))
    assert [message.get("method", "answer") for message in said] == [
        "notifications/progress",
        "notifications/message",
        "answer",
    ]
    for message in said[:-1]:
        check_message(message, revision)
    assert ("message" in said[0]["params"]) == (revision > "2024-11-05")


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf], ids=repr)
@pytest.mark.parametrize("token", [{"progressToken": 1}, {}], ids=["token", "no token"])
def test_progress_that_is_no_number_is_the_authors_error(
    value: float, token: dict[str, Any]
) -> None:
    server = Server("no number")

    @server.tool
    def progress_(ctx: Context) -> None:
        ctx.report_progress(value)

    @server.tool
    def total(ctx: Context) -> None:
        ctx.report_progress(1, value)

    peer = Peer(server)
    for name in ("progress_", "total"):
        message = modern(1, "tools/call", meta(**token), name=name)
        assert peer.result(message)["isError"] is True
    assert len(peer.reports) == 2


def test_calls_at_once_do_not_mix() -> None:
    peer = Peer(make_server())
    peer.send(report([5, 6], 1, progressToken="one"), report([1, 2], 2, progressToken=2))
    second = peer.run(peer.runs[1])
    first = peer.run()
    for said, token, values in [(first, "one", [5, 6]), (second, 2, [1, 2])]:
        assert {message["params"]["progressToken"] for message in said[:-1]} == {token}
        assert progress(said) == values


def test_progress_wakes_the_owner_and_is_told_before_the_answer() -> None:
    server = Server("meanwhile")
    peers: list[Peer] = []
    heard: list[Any] = []

    @server.tool
    def work(ctx: Context) -> None:
        ctx.report_progress(1)
        ctx.report_progress(2)
        heard.extend(progress(peers[0].pending()))
        ctx.report_progress(3)

    peer = Peer(server)
    peers.append(peer)
    peer.send(modern(1, "tools/call", meta(progressToken="p"), name="work"))
    said = peer.run()
    assert heard == [1, 2]
    assert progress(said) == [3]
    assert said[-1]["id"] == 1
    assert peer.wakes == 2


def test_progress_may_come_from_any_thread() -> None:
    server = Server("threads")

    @server.tool
    def work(ctx: Context) -> None:
        threads = [threading.Thread(target=ctx.log, args=("error", number)) for number in range(50)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(10)

    said = Peer(server).ask(modern(1, "tools/call", meta(**{LEVEL_KEY: "debug"}), name="work"))
    assert sorted(message["params"]["data"] for message in said[:-1]) == list(range(50))


def test_what_waits_is_bounded_and_the_newest_are_dropped() -> None:
    server = make_server(limits=Limits(max_queued_messages=10))
    said = Peer(server).ask(report(list(range(1000)), progressToken="p"))
    assert progress(said) == list(range(10))
    assert said[-1]["id"] == 1


def test_a_full_queue_holds_back_no_change_of_a_list() -> None:
    server = make_server(limits=Limits(max_queued_messages=5))
    peer = Peer(server)
    peer.send(initialize())
    peer.send(report(list(range(100)), progressToken="p"))
    peer.runs[0].invoke()
    server.tools.remove("log")
    said = peer.run()
    assert "notifications/tools/list_changed" in [message.get("method") for message in said]


def test_what_a_cancelled_call_said_is_dropped() -> None:
    peer = Peer(make_server())
    peer.send(report([1, 2, 3], progressToken="p"))
    peer.runs[0].invoke()
    assert peer.send(notification("notifications/cancelled", requestId=1)) == []
    assert peer.pending() == []
    assert peer.run() == []


@pytest.mark.parametrize(
    ("method", "params"),
    [("prompts/get", {"name": "prompt"}), ("resources/read", {"uri": "a://b"})],
)
def test_prompts_and_resources_report_too(method: str, params: dict[str, Any]) -> None:
    said = Peer(make_server()).ask(
        modern(1, method, meta(progressToken="p", **{LEVEL_KEY: "error"}), **params)
    )
    assert progress(said) == [1]
    assert levels(said) == ["error"]
    assert said[-1]["id"] == 1


# Log messages


def log(level: Any = ...) -> dict[str, Any]:
    more = {} if level is ... else {LEVEL_KEY: level}
    return modern(1, "tools/call", meta(**more), name="log")


@pytest.mark.parametrize("level", LEVELS)
def test_messages_of_the_level_asked_for_and_above_are_told(level: str) -> None:
    said = Peer(make_server()).ask(log(level))
    assert levels(said) == LEVELS[LEVELS.index(level) :]
    assert said[-1]["id"] == 1
    for message in said[:-1]:
        assert message["params"]["logger"] == "test"
        assert message["params"]["data"] == {"was": message["params"]["level"]}
        check_message(message, MODERN)


def test_without_a_level_nothing_is_told() -> None:
    assert len(Peer(make_server()).ask(log())) == 1


@pytest.mark.parametrize("level", ["loud", "", "ERROR", 5, None], ids=repr)
def test_an_unknown_level_is_refused(level: Any) -> None:
    peer = Peer(make_server())
    assert peer.error(log(level))["code"] == -32602
    assert peer.error(legacy(1, "logging/setLevel", level=level))["code"] == -32602


def test_the_level_of_one_request_is_none_of_another() -> None:
    peer = Peer(make_server())
    peer.send(legacy(5, "logging/setLevel", level="debug"))
    assert levels(peer.ask(log())) == []
    assert levels(peer.ask(log("alert"))) == ["alert", "emergency"]
    assert levels(peer.ask(legacy(1, "tools/call", name="log"))) == LEVELS


def test_a_level_in_the_meta_of_a_legacy_request_says_nothing() -> None:
    peer = Peer(make_server())
    message = legacy(1, "tools/call", name="log", _meta={LEVEL_KEY: "debug"})
    assert levels(peer.ask(message)) == []


def test_a_server_without_the_capability_never_logs_to_the_client() -> None:
    peer = Peer(make_server(logging=False))
    assert levels(peer.ask(log("debug"))) == []
    assert "logging" not in peer.result(modern(2, "server/discover"))["capabilities"]


@pytest.mark.parametrize("data", [None, 0, "", [], {"a": [1.5, None]}, "\u2713"], ids=repr)
def test_the_data_of_a_message_is_any_json(data: Any) -> None:
    server = Server("data")

    @server.tool
    def say(ctx: Context) -> None:
        ctx.log("info", data)

    said = Peer(server).ask(modern(1, "tools/call", meta(**{LEVEL_KEY: "info"}), name="say"))
    assert said[0]["params"] == {"level": "info", "data": data}


@pytest.mark.parametrize("data", [Opaque(), "\ud800", [math.nan], math.inf], ids=repr)
def test_data_that_json_has_not_is_the_authors_error(data: Any) -> None:
    server = Server("no data")

    @server.tool
    def say(ctx: Context) -> None:
        ctx.log("info", data)

    peer = Peer(server)
    said = peer.ask(modern(1, "tools/call", meta(**{LEVEL_KEY: "info"}), name="say"))
    assert [message["result"]["isError"] for message in said] == [True]
    assert len(peer.reports) == 1


def test_an_unknown_level_of_a_handler_is_the_authors_error_whoever_listens() -> None:
    peer = Peer(make_server())
    for level in (..., "debug"):
        message = log(level)
        message["params"]["arguments"] = {"levels": ["loud"]}
        assert peer.result(message)["isError"] is True
    assert "loud" in str(peer.reports[0].exception)


def test_log_messages_are_never_part_of_a_subscription() -> None:
    peer = Peer(make_server())
    peer.send(modern("s", "subscriptions/listen", notifications={"toolsListChanged": True}))
    for message in peer.ask(log("error"))[:-1]:
        assert "_meta" not in message["params"]
