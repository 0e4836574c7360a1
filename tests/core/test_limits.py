"""Every bound: what reaches it is served, what is beyond it refused, and the server goes on.

Lines, waiting calls, listeners, URIs, questions and states have their tests beside what they bound.
"""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from core_peer import Peer, legacy, modern
from sansmcp_core import Limits, RegistrationError, Server, Settings

# name, value, what is just allowed, what is not, and its code
Maker = Callable[[int], dict[str, Any] | bytes]


def nested(depth: int) -> bytes:
    inner = depth - 3
    return (
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"x":'
        + b"[" * inner
        + b"]" * inner
        + b"}}}"
    )


def long_line(length: int) -> bytes:
    line = msgspec.json.encode(modern(1, "tools/call", name="t"))
    return line + b" " * (length - len(line))


PEER_LIMITS: list[tuple[str, int, Maker, int]] = [
    ("max_line_bytes", 500, long_line, -32600),
    ("max_nesting", 10, nested, -32700),
    (
        "max_uri_chars",
        20,
        lambda n: legacy(1, "resources/read", uri="a://" + "x" * (n - 4)),
        -32602,
    ),
    (
        "max_uri_chars",
        20,
        lambda n: legacy(1, "resources/subscribe", uri="a://" + "x" * (n - 4)),
        -32602,
    ),
    (
        "max_uris_per_listen",
        3,
        lambda n: modern(
            n,
            "subscriptions/listen",
            notifications={"resourceSubscriptions": [f"a://{index}" for index in range(n)]},
        ),
        -32602,
    ),
]


def make_server(**limits: Any) -> Server:
    server = Server("limits", settings=Settings(limits=Limits(**limits)))

    @server.tool
    def t(x: Any = None) -> str:
        return "served"

    @server.resource("a://{x}")
    def resource(x: str) -> str:
        return "served"

    return server


@pytest.mark.parametrize(
    ("name", "value", "make", "code"),
    PEER_LIMITS,
    ids=[f"{number} {row[0]}" for number, row in enumerate(PEER_LIMITS)],
)
def test_a_bound_that_is_reached_serves_and_one_beyond_is_refused(
    name: str, value: int, make: Maker, code: int
) -> None:
    peer = Peer(make_server(**{name: value}))
    served = peer.one(make(value))
    assert "error" not in served
    error = peer.error(make(value + 1))
    assert error["code"] == code
    assert str(value) in error["message"]
    assert peer.result(legacy("good", "ping")) == {}


def test_every_bound_has_a_default_and_is_no_less_than_one() -> None:
    limits = Limits()
    for name in limits.__struct_fields__:
        assert getattr(limits, name) >= 1, name


def test_a_schema_beyond_its_bounds_is_refused_at_registration() -> None:
    deep: dict[str, Any] = {"type": "string"}
    for _ in range(20):
        deep = {"type": "object", "properties": {"x": deep}}
    with pytest.raises(RegistrationError, match="t"):
        make_server(max_schema_depth=5).tool(lambda **kw: "", name="deep", arguments=deep)
    wide = {"type": "object", "properties": {f"x{n}": {"type": "string"} for n in range(50)}}
    with pytest.raises(RegistrationError, match="t"):
        make_server(max_subschemas=10).tool(lambda **kw: "", name="wide", arguments=wide)


def test_a_server_with_bounds_of_its_own_keeps_them_to_itself() -> None:
    small, large = Peer(make_server(max_nesting=5)), Peer(make_server())
    assert small.error(nested(6))["code"] == -32700
    assert "error" not in large.one(nested(6))


@pytest.mark.parametrize("count", [1, 50])
def test_memory_for_ended_calls_is_let_go(count: int) -> None:
    peer = Peer(make_server())
    for id in range(count):
        peer.ask(modern(id, "tools/call", name="t"))
    assert not peer.connection._channel.open
    assert peer.connection.calls_open == 0


@pytest.mark.parametrize("name", Limits.__struct_fields__)
def test_a_bound_that_would_serve_nobody_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=name):
        Limits(**{name: -1})


def test_a_server_without_an_era_is_refused() -> None:
    with pytest.raises(ValueError, match="serve nobody"):
        Settings(modern=False, legacy=False)
