"""What is wrong with a modern request decides its answer, and of two things the first in order."""

from collections.abc import Callable
from itertools import combinations
from typing import Any, NamedTuple

import msgspec
import pytest
from core_peer import CAPABILITIES_KEY, VERSION_KEY, Json
from http_peer import HttpPeer, Request, make_request, modern_post
from http_server import call, listen, make_server
from sansmcp_core.http import HttpSettings

MAX_BODY = 4096
SETTINGS = HttpSettings(max_body_bytes=MAX_BODY, info_path="/info")
ID = 7


class Draft:
    """A request that is in order, to be spoiled."""

    def __init__(self, message: Json, **headers: Any) -> None:
        request = modern_post(message)
        self.method = "POST"
        self.path = "/mcp"
        self.headers: dict[str, Any] = {
            name.decode(): value.decode() for name, value in request.headers
        }
        self.headers.update(headers)
        self.message: Any = message
        self.raw: Callable[[bytes], bytes] = bytes

    @property
    def meta(self) -> Json:
        meta: Json = self.message["params"]["_meta"]
        return meta

    def set_version(self, version: str) -> None:
        self.meta[VERSION_KEY] = self.headers["mcp-protocol-version"] = version

    def request(self) -> Request:
        body = self.raw(msgspec.json.encode(self.message))
        return make_request(self.method, body, self.headers, self.path)


def draft() -> Draft:
    return Draft(call("pay", ID, region="eu"), **{"mcp-param-region": "eu"})


def listening() -> Draft:
    return Draft(listen(ID))


class Rung(NamedTuple):
    """One thing that may be wrong, and what it is answered."""

    name: str
    spoil: Callable[[Draft], Any]
    status: int
    code: int | None


def header(name: str, value: Any) -> Callable[[Draft], Any]:
    return lambda draft: draft.headers.update({name: value})


def raw(change: Callable[[bytes], bytes]) -> Callable[[Draft], Any]:
    return lambda draft: setattr(draft, "raw", change)


def preflight(draft: Draft) -> None:
    draft.method = "OPTIONS"
    own = {"origin": "http://localhost:5173", "access-control-request-method": "POST"}
    draft.headers.update(own)


def info(draft: Draft) -> None:
    draft.method, draft.path = "GET", "/info"


def other_method(draft: Draft) -> None:
    draft.message["method"] = draft.headers["mcp-method"] = "tools/none"


def other_tool(draft: Draft) -> None:
    draft.message["params"]["name"] = draft.headers["mcp-name"] = "none"


HEAD = [
    Rung("path", lambda draft: setattr(draft, "path", "/none"), 404, None),
    Rung("Host", header("host", "example.com"), 403, None),
    Rung("Origin", header("origin", "https://example.com"), 403, None),
    Rung("preflight", preflight, 204, None),
    Rung("info path", info, 200, None),
    Rung("HTTP method", lambda draft: setattr(draft, "method", "PUT"), 405, None),
    Rung("content type", header("content-type", "text/plain"), 415, None),
    Rung("content encoding", header("content-encoding", "gzip"), 415, None),
    Rung("accept", header("accept", "text/html"), 406, None),
    Rung("declared length", header("content-length", str(MAX_BODY + 1)), 413, None),
]
BODY = [
    Rung("length", raw(lambda body: body + b" " * MAX_BODY), 413, None),
    Rung("unreadable", raw(lambda body: body[:-1]), 400, -32700),
    Rung("batch", raw(lambda body: b"[" + body + b"]"), 400, -32600),
    Rung("no message", raw(lambda body: b'{"hello":1}'), 400, -32600),
]
ERA = [
    Rung("types of _meta", lambda d: d.meta.update({CAPABILITIES_KEY: 5}), 400, -32602),
    Rung("no version in _meta", lambda d: d.meta.pop(VERSION_KEY, 0), 400, -32602),
    Rung("no version header", header("mcp-protocol-version", None), 400, -32020),
    Rung("version twice", header("mcp-protocol-version", ["2026-07-28"] * 2), 400, -32020),
    Rung("other version", header("mcp-protocol-version", "2025-11-25"), 400, -32020),
    Rung("unknown version", lambda d: d.set_version("2099-01-01"), 400, -32022),
    Rung("no capabilities", lambda d: d.meta.pop(CAPABILITIES_KEY, 0), 400, -32602),
    Rung("no Mcp-Method", header("mcp-method", None), 400, -32020),
    Rung("other Mcp-Method", header("mcp-method", "tools/Call"), 400, -32020),
    Rung("Mcp-Method twice", header("mcp-method", ["tools/call"] * 2), 400, -32020),
    Rung("unknown method", other_method, 404, -32601),
]
PARAMETERS = Rung("parameters", lambda d: d.message["params"].update(name=5), 200, -32602)
CALL = [
    PARAMETERS,
    Rung("no Mcp-Name", header("mcp-name", None), 400, -32020),
    Rung("other Mcp-Name", header("mcp-name", "Pay"), 400, -32020),
    Rung("Mcp-Name twice", header("mcp-name", ["pay"] * 2), 400, -32020),
    Rung("unknown tool", other_tool, 200, -32602),
    Rung("no Mcp-Param", header("mcp-param-region", None), 400, -32020),
    Rung("other Mcp-Param", header("mcp-param-region", "us"), 400, -32020),
    Rung("Mcp-Param twice", header("mcp-param-region", ["eu"] * 2), 400, -32020),
    Rung("client lacks", lambda d: d.meta.update({CAPABILITIES_KEY: {}}), 400, -32021),
]
LADDER = HEAD + BODY + ERA + CALL

# Both at once would be something else than either.
NOT_TOGETHER = {
    ("types of _meta", "client lacks"),
    # With a legacy version in the header nothing that can be read says that it is modern.
    ("types of _meta", "other version"),
    ("no capabilities", "client lacks"),
    ("no Mcp-Method", "unknown method"),
    ("Mcp-Method twice", "unknown method"),
    ("other Mcp-Method", "unknown method"),
}


def check(rung: Rung, draft: Draft) -> None:
    """The answer is that of ``rung``, well formed, and nothing is left."""
    peer = HttpPeer(make_server(), SETTINGS)
    trip = peer.send(draft.request())
    assert trip.status == rung.status
    peer.assert_idle()
    if rung.status == 204 or rung.name == "info path":
        return
    assert trip.headers[b"content-type"] == b"application/json"
    if rung.code is not None:
        assert trip.error["code"] == rung.code
    assert trip.error["message"]
    # The id comes back wherever the message could be read, and nothing stands for it elsewhere.
    in_message = rung in ERA + CALL
    assert ("id" in trip.answer) == in_message
    assert trip.answer.get("id", ID) == ID


def test_a_request_in_order_is_asked_for_what_the_call_lacks() -> None:
    peer = HttpPeer(make_server(), SETTINGS)
    trip = peer.send(draft().request())
    assert trip.result["resultType"] == "input_required"
    assert trip.status == 200
    peer.assert_idle()


@pytest.mark.parametrize("rung", LADDER, ids=lambda rung: rung.name)
def test_each_rung_answers(rung: Rung) -> None:
    spoiled = draft()
    rung.spoil(spoiled)
    check(rung, spoiled)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param(first, second, id=f"{first.name}-{second.name}")
        for first, second in combinations(LADDER, 2)
        if (first.name, second.name) not in NOT_TOGETHER
        # Both in one field: the second is not there any more.
        and (first.status, first.code) != (second.status, second.code)
    ],
)
def test_of_two_rungs_the_first_answers(first: Rung, second: Rung) -> None:
    spoiled = draft()
    second.spoil(spoiled)
    first.spoil(spoiled)
    check(first, spoiled)


# -- a stream that the client does not take -----------------------------------------------------

NO_STREAM = Rung("no stream", header("accept", "application/json"), 406, None)


@pytest.mark.parametrize("rung", ERA, ids=lambda rung: rung.name)
def test_a_stream_is_refused_after_all_that_is_wrong_with_the_message(rung: Rung) -> None:
    spoiled = listening()
    NO_STREAM.spoil(spoiled)
    rung.spoil(spoiled)
    check(rung, spoiled)


def test_a_stream_is_refused_after_wrong_parameters() -> None:
    spoiled = listening()
    NO_STREAM.spoil(spoiled)
    spoiled.message["params"]["notifications"] = 5
    check(PARAMETERS, spoiled)


def test_listening_without_a_stream_is_not_acceptable() -> None:
    peer = HttpPeer(make_server(), SETTINGS)
    spoiled = listening()
    NO_STREAM.spoil(spoiled)
    trip = peer.send(spoiled.request())
    assert trip.status == 406
    assert trip.answer["id"] == ID
    peer.assert_idle()
