"""A request state opens on its own request only, in its time, and with its key."""

import base64
from typing import Any

import msgspec
import pytest
from asking import (
    ACCEPTED,
    DECLINED,
    GREET,
    KEY,
    OTHER_KEY,
    TARGETS,
    Name,
    ask,
    make_server,
    retry,
    said,
)
from core_peer import NOW, Peer, meta, modern
from sansmcp_core import (
    Context,
    Server,
    Settings,
)


def test_every_misuse_of_a_state_is_one_and_the_same_error_and_runs_nothing() -> None:
    ran: list[str] = []
    server = make_server()

    @server.tool
    def counted(ctx: Context) -> str:
        ran.append("counted")
        return ctx.elicit("who", "Who?", Name).action

    peer = Peer(server)
    state = ask(peer)["requestState"]
    counted_target = ("tools/call", {"name": "counted"})
    counted_state = ask(peer, counted_target)["requestState"]
    ran.clear()
    foreign = Peer(make_server(state_keys=(OTHER_KEY,)))
    plain = {"action": "accept"}
    attempts: dict[str, dict[str, Any]] = {
        "empty": retry(peer, "", {"who": ACCEPTED}, counted_target),
        "no state at all": retry(peer, "bogus", {"who": ACCEPTED}, counted_target),
        "no ASCII": retry(peer, "\u00e9\u20ac", {"who": ACCEPTED}, counted_target),
        "too short": retry(peer, state[:10], {"who": ACCEPTED}, counted_target),
        "cut": retry(peer, counted_state[:-1], {"who": ACCEPTED}, counted_target),
        "padded": retry(peer, counted_state + "=", {"who": ACCEPTED}, counted_target),
        "spaced": retry(peer, counted_state + "\n", {"who": ACCEPTED}, counted_target),
        "of another tool": retry(peer, state, {"who": ACCEPTED}, counted_target),
        "without answers": retry(peer, state, ..., counted_target),
        "with a null answer": retry(peer, state, None, counted_target),
        "of other arguments": retry(peer, state, {"who": ACCEPTED}, arguments={"greeting": "Ho"}),
        "of no arguments": retry(peer, state, {"who": ACCEPTED}, arguments={}),
        "of another method": retry(peer, state, {"who": ACCEPTED}, TARGETS["prompt"]),
        "of a resource": retry(peer, state, {"who": ACCEPTED}, TARGETS["resource"]),
        "of another server": retry(foreign, state, {"who": ACCEPTED}),
        "with a wrong answer": retry(peer, counted_state + "A", {"who": plain}, counted_target),
    }
    assert ran == []
    errors = {name: answer.get("error") for name, answer in attempts.items()}
    expected = errors["no state at all"]
    assert expected is not None
    assert expected["code"] == -32602
    assert errors == dict.fromkeys(errors, expected)


def test_no_single_byte_of_a_state_can_be_changed() -> None:
    peer = Peer(make_server())
    state = ask(peer)["requestState"]
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    for index, letter in enumerate(state):
        other = alphabet[(alphabet.index(letter) + 1) % 64]
        changed = state[:index] + other + state[index + 1 :]
        assert retry(peer, changed, {"who": ACCEPTED})["error"]["code"] == -32602, index
    assert said(retry(peer, state, {"who": ACCEPTED})) == "Hi, Ada"


def test_a_state_is_readable_and_holds_no_key() -> None:
    state = ask(Peer(make_server()))["requestState"]
    raw = base64.urlsafe_b64decode(state + "=" * (-len(state) % 4))
    assert KEY not in raw
    assert b"who" not in raw[:32]


def test_a_state_expires() -> None:
    peer = Peer(make_server(state_ttl_s=600))
    state = ask(peer)["requestState"]
    for passed, code in [(599, None), (600, -32602), (10_000, -32602), (-10_000, None)]:
        peer.now = NOW + passed
        answer = retry(peer, state, {"who": ACCEPTED})
        assert answer.get("error", {}).get("code") == code, passed


def test_equal_arguments_are_the_same_request_however_they_are_written() -> None:
    server = make_server()

    @server.tool
    def sum_up(ctx: Context, a: float, b: dict[str, Any]) -> str:
        return ctx.elicit("who", "Who?", Name).action

    peer = Peer(server)
    name = {"name": "sum_up"}
    first = {"a": 1, "b": {"x": [1.0], "y": 2}}
    state = ask(peer, ("tools/call", {**name, "arguments": first}))["requestState"]
    same = {"b": {"y": 2.0, "x": [1]}, "a": 1.0}
    assert said(retry(peer, state, {"who": DECLINED}, ("tools/call", name), arguments=same))
    for other in ({**first, "a": 2}, {"a": 1, "b": {"x": ["1"], "y": 2}}, {"a": 1, "b": {}}):
        answer = retry(peer, state, {"who": DECLINED}, ("tools/call", name), arguments=other)
        assert answer["error"]["code"] == -32602


@pytest.mark.parametrize("first", [{}, {"arguments": None}, {"arguments": {}}], ids=str)
@pytest.mark.parametrize("second", [{}, {"arguments": None}, {"arguments": {}}], ids=str)
def test_absent_null_and_empty_arguments_are_the_same_request(
    first: dict[str, Any], second: dict[str, Any]
) -> None:
    peer = Peer(make_server())
    state = ask(peer, ("tools/call", {"name": "greet", **first}))["requestState"]
    answer = retry(peer, state, {"who": ACCEPTED}, ("tools/call", {"name": "greet", **second}))
    assert said(answer) == "Hello, Ada"


def test_meta_is_no_part_of_the_request_that_a_state_belongs_to() -> None:
    peer = Peer(make_server())
    state = ask(peer)["requestState"]
    params = {**GREET[1], "requestState": state, "inputResponses": {"who": ACCEPTED}}
    message = modern(1, GREET[0], meta(progressToken=9, **{"example.com/x": 1}), **params)
    assert said(peer.one(message)) == "Hi, Ada"


def test_a_state_outlives_its_connection_and_works_with_every_server_that_has_the_key() -> None:
    state = ask(Peer(make_server()))["requestState"]
    assert said(retry(Peer(make_server()), state, {"who": ACCEPTED})) == "Hi, Ada"
    ring = Peer(make_server(state_keys=(OTHER_KEY, KEY)))
    assert said(retry(ring, state, {"who": ACCEPTED})) == "Hi, Ada"
    newer = ask(ring)["requestState"]
    assert "error" in retry(Peer(make_server()), newer, {"who": ACCEPTED})
    assert said(retry(ring, newer, {"who": ACCEPTED})) == "Hi, Ada"


def test_without_keys_each_server_has_one_of_its_own() -> None:
    one, two = Peer(make_server(state_keys=())), Peer(make_server(state_keys=()))
    state = ask(one)["requestState"]
    assert said(retry(one, state, {"who": ACCEPTED})) == "Hi, Ada"
    assert retry(two, state, {"who": ACCEPTED})["error"]["code"] == -32602


def test_an_encrypted_state_can_be_used_and_not_be_read() -> None:
    peer = Peer(make_server(encrypt_state=True))
    target = ("tools/call", {"name": "greet", "arguments": {"greeting": "sesame"}})
    state = ask(peer, target)["requestState"]
    raw = base64.urlsafe_b64decode(state + "=" * (-len(state) % 4))
    assert b"Who?" not in raw
    assert said(retry(peer, state, {"who": ACCEPTED}, target)) == "sesame, Ada"
    assert "error" in retry(peer, state[:-2] + "AA", {"who": ACCEPTED}, target)
    assert "error" in retry(Peer(make_server()), state, {"who": ACCEPTED}, target)


# Arguments that are hard to bind to


WILD: dict[str, bytes] = {
    "a number of 5 000 digits nobody reads": b'{"x":"a","junk":' + b"1" * 5000 + b"}",
    "a number out of range nobody reads": b'{"x":"a","junk":1e999}',
    "a number of 30 digits": b'{"x":"a","junk":' + b"9" * 30 + b"}",
    "a large whole float": b'{"x":"a","junk":1e30}',
    "minus zero": b'{"x":"a","junk":-0.0}',
    "a key twice": b'{"x":"b","x":"a"}',
    "spaces": b' {  "x" : "a" } ',
}


@pytest.mark.parametrize("name", WILD)
def test_any_arguments_that_are_served_can_be_asked_about(name: str) -> None:
    server = Server("wild", settings=Settings(allow_unknown_arguments=True))

    @server.tool
    def t(x: str, ctx: Context) -> str:
        return x + ctx.elicit("who", "Who?", Name).action

    peer = Peer(server)

    def line(**more: Any) -> bytes:
        message = modern(1, "tools/call", name="t", arguments="MARK", **more)
        return msgspec.json.encode(message).replace(b'"MARK"', WILD[name])

    answer = peer.one(line())
    result = answer["result"]
    if result.get("isError"):
        return
    assert result["resultType"] == "input_required"
    again = line(requestState=result["requestState"], inputResponses={"who": DECLINED})
    assert said(peer.one(again)) == "adecline"
