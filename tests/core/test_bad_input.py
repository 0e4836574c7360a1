"""Whatever a line holds, it gets its one answer or none, and the next request is served."""

from typing import Any

import msgspec
import pytest
from bad_input import BAD_LINES, GOOD_ID, GOOD_LINE, NO_ID, BadLine
from core_peer import Peer, modern, notification
from sansmcp_core import Limits, Server, Settings


def make_server(settings: Settings | None = None) -> Server:
    server = Server("bad input", "1", settings=settings or Settings())

    @server.tool
    def add(a: int, b: int) -> int:
        return a + b

    @server.prompt
    def hello(who: str = "you") -> str:
        return f"Hello, {who}"

    @server.completion("hello", "who")
    def propose(value: str) -> list[str]:
        return ["you"]

    @server.resource("a://b")
    def b() -> str:
        return "b"

    return server


SERVER = make_server()


@pytest.mark.parametrize("row", BAD_LINES, ids=lambda row: row.name)
@pytest.mark.parametrize("ending", [b"\n", b"\r\n"], ids=["LF", "CRLF"])
def test_each_bad_line_gets_its_answer_and_the_next_request_is_served(
    row: BadLine, ending: bytes
) -> None:
    peer = Peer(SERVER)
    peer.take(peer.connection.receive(row.line + ending, peer.now))
    said = peer.read()
    assert not peer.runs
    assert [message["error"]["code"] for message in said] == row.codes
    for message in said:
        assert set(message) == {"jsonrpc", "error"} | (set() if row.id is NO_ID else {"id"})
        assert message.get("id", NO_ID) == row.id
        assert len(message["error"]["message"]) < 1000 or "\n" not in message["error"]["message"]
    assert peer.send(GOOD_LINE) == [{"jsonrpc": "2.0", "id": GOOD_ID, "result": {}}]


def test_bad_lines_have_distinct_names() -> None:
    names = [row.name for row in BAD_LINES]
    assert sorted(names) == sorted(set(names))


IDS = ["1", 1, "007", "", 0, 9007199254740993, -5, " 7 ", "1_0", "\u00e9\n", 2**63, -(2**63)]


@pytest.mark.parametrize("id", IDS, ids=repr)
def test_an_id_comes_back_exactly_as_it_was_sent(id: Any) -> None:
    peer = Peer(SERVER)
    (answer,) = peer.ask(modern(id, "tools/call", name="add", arguments={"a": 1, "b": 2}))
    assert (type(answer["id"]), answer["id"]) == (type(id), id)
    (answer,) = peer.ask(modern(id, "bogus"))
    assert (type(answer["id"]), answer["id"]) == (type(id), id)


def test_ids_that_look_alike_are_different_requests() -> None:
    peer = Peer(SERVER)
    ids = ["1", 1, "01", "1.0", " 1"]
    for id in ids:
        assert not peer.send(modern(id, "tools/call", name="add", arguments={"a": 1, "b": 2}))
    peer.send(notification("notifications/cancelled", requestId=1))
    assert [call.request_id for call in peer.cancelled] == [1]
    answers = [message for _ in ids for message in peer.run()]
    assert [answer["id"] for answer in answers] == ["1", "01", "1.0", " 1"]


def test_a_second_request_with_an_open_id_is_refused_and_the_first_is_answered_once() -> None:
    peer = Peer(SERVER)
    call = modern(7, "tools/call", name="add", arguments={"a": 1, "b": 2})
    assert not peer.send(call)
    for message in (call, modern(7, "tools/list"), modern(7, "bogus")):
        (answer,) = peer.send(message)
        assert answer["error"]["code"] == -32600
        assert "id" not in answer
    (answer,) = peer.run()
    assert answer["id"] == 7
    assert answer["result"]["structuredContent"] == 3
    assert peer.result(call)["structuredContent"] == 3


def test_the_id_of_an_open_subscription_is_taken_too() -> None:
    peer = Peer(SERVER)
    listen = modern(1, "subscriptions/listen", notifications={})
    (acknowledged,) = peer.send(listen)
    assert acknowledged["method"] == "notifications/subscriptions/acknowledged"
    for message in (listen, modern(1, "tools/list")):
        assert peer.error(message)["code"] == -32600
    assert peer.result(modern("1", "tools/list"))["tools"]


def test_a_cancelled_id_is_free_again_even_while_its_handler_still_runs() -> None:
    peer = Peer(SERVER)
    call = modern(7, "tools/call", name="add", arguments={"a": 1, "b": 2})
    peer.send(call, notification("notifications/cancelled", requestId=7), call)
    first, second = peer.runs
    assert peer.run(first) == []
    assert [message["id"] for message in peer.run(second)] == [7]


def test_a_line_that_is_too_long_is_one_error_and_is_skipped_to_its_newline() -> None:
    server = make_server(Settings(limits=Limits(max_line_bytes=1000)))
    peer = Peer(server)
    for piece in [b"x" * 900, b"y" * 900, b"[" * 5000]:
        peer.take(peer.connection.receive(piece, peer.now))
    (answer,) = peer.read()
    assert answer["error"]["code"] == -32600
    assert "1000 bytes" in answer["error"]["message"]
    assert "id" not in answer
    peer.take(peer.connection.receive(b"]]\n" + GOOD_LINE + b"\n", peer.now))
    assert [message["id"] for message in peer.read()] == [GOOD_ID]


def test_the_longest_line_allowed_is_served() -> None:
    line = GOOD_LINE + b" " * 100
    for limit, codes in [(len(line), []), (len(line) - 1, [-32600])]:
        peer = Peer(make_server(Settings(limits=Limits(max_line_bytes=limit))))
        said = peer.send(line)
        assert [answer["error"]["code"] for answer in said if "error" in answer] == codes


@pytest.mark.parametrize("chunk", [1, 2, 7, 64, 100_000])
def test_the_segmentation_of_the_bytes_makes_no_difference(chunk: int) -> None:
    lines = [row.line for row in BAD_LINES if len(row.line) < 300] + [
        '{"jsonrpc":"2.0","id":"ü€😀","method":"ping"}'.encode()
    ]
    whole = Peer(SERVER)
    for line in lines:
        whole.take(whole.connection.receive(line + b"\n", whole.now))
    data = b"\n".join(lines) + b"\n"
    pieces = Peer(SERVER)
    for start in range(0, len(data), chunk):
        pieces.take(pieces.connection.receive(data[start : start + chunk], pieces.now))
    assert pieces.read() == whole.read()


def test_the_end_of_the_stream_serves_a_last_line_without_newline() -> None:
    peer = Peer(SERVER)
    peer.take(peer.connection.receive(GOOD_LINE[:-5], peer.now))
    peer.take(peer.connection.receive(GOOD_LINE[-5:], peer.now))
    peer.take(peer.connection.receive_eof(peer.now))
    assert [message["id"] for message in peer.read()] == [GOOD_ID]
    assert peer.connection.receive_eof(peer.now) == []


def test_nesting_as_deep_as_allowed_is_served() -> None:
    server = Server("deep")

    @server.tool
    def take(x: Any) -> str:
        return "taken"

    def call(depth: int) -> bytes:
        # The message, its params and the arguments are three brackets themselves.
        nested = b"[" * (depth - 3) + b"]" * (depth - 3)
        return (
            b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"take","arguments":'
            b'{"x":' + nested + b"}}}"
        )

    peer = Peer(server)
    assert peer.one(call(64))["result"]["content"][0]["text"] == "taken"
    assert peer.one(call(65))["error"]["code"] == -32700


def test_brackets_within_strings_do_not_nest() -> None:
    peer = Peer(SERVER)
    text = "[{" * 50_000
    message = modern(1, "tools/call", name="add", arguments={"a": 1, "b": 2, "c": text})
    assert peer.result(message)["isError"] is True


NUMBERS = [b"1" * 5000, b"-" + b"9" * 5000, b"1e999", b"-1e999", b"1" * 5000 + b".5"]


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: f"{number[:3]!r} {len(number)}")
@pytest.mark.parametrize("known", [True, False], ids=["known", "unknown"])
def test_numbers_nobody_can_read_are_a_tool_error_in_arguments(number: bytes, known: bool) -> None:
    peer = Peer(SERVER)
    key = b"a" if known else b"c"
    line = msgspec.json.encode(
        modern(1, "tools/call", name="add", arguments={"b": 2, "MARK": 0})
    ).replace(b'"MARK":0', b'"' + key + b'":' + number)
    answer = peer.one(line)
    assert answer["result"]["isError"] is True
    assert peer.send(GOOD_LINE)[0]["id"] == GOOD_ID


def test_absent_and_null_arguments_are_an_empty_object() -> None:
    server = Server("optional")

    @server.tool
    def add(a: int = 1, b: int = 2) -> int:
        return a + b

    peer = Peer(server)
    forms: list[dict[str, Any]] = [{}, {"arguments": None}, {"arguments": {}}]
    for arguments in forms:
        message = modern(1, "tools/call", name="add", **arguments)
        assert peer.result(message)["structuredContent"] == 3


def test_a_null_cursor_is_no_cursor() -> None:
    peer = Peer(SERVER)
    assert peer.result(modern(1, "tools/list", cursor=None))["tools"]
    assert peer.one(b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":null}')["result"]
