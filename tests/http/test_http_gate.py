"""What the head of a request decides, in which order, whatever bytes are in it."""

import json
import re
from itertools import combinations
from typing import Any

import pytest
from gated import (
    LOOPBACK_HOST,
    PUBLIC_ADDRESS,
    admitted,
    error_text,
    head,
    make_gate,
    refused,
    status,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from sansmcp_core import Server, Settings
from sansmcp_core.http import _names
from sansmcp_core.http._gate import Admitted, Gate, Refused
from sansmcp_core.http._head import RequestHead
from sansmcp_core.http._info import endpoint_url, info_for

# -- paths --------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["", "/", "/mcp", "/mcp/"])
def test_a_slash_at_the_end_makes_no_difference(path: str) -> None:
    assert status(make_gate(), head("POST", path)) == 0


@pytest.mark.parametrize("path", ["/mcp/x", "/MCP", "mcp", "/mcp//", "//", "/info", "/mcp\udcff"])
def test_another_path_is_404(path: str) -> None:
    answer = refused(make_gate(), head("POST", path))
    assert answer.status == 404
    assert error_text(answer).endswith("the endpoint is at / and /mcp")


def test_a_404_names_the_paths_below_the_mount_as_a_client_would_write_them() -> None:
    given_head = head("POST", "/x")
    given_head.mount = "/a b\udcff"
    text = error_text(refused(make_gate(), given_head))
    assert text.endswith("the endpoint is at /a%20b%ED%B3%BF and /a%20b%ED%B3%BF/mcp")


def test_paths_are_set() -> None:
    gate = make_gate(paths=("/a/b/",))
    assert status(gate, head("POST", "/a/b")) == 0
    assert status(gate, head("POST", "/a/b/")) == 0
    assert status(gate, head("POST", "/")) == 404
    assert status(gate, head("POST", "/mcp")) == 404


# -- methods ------------------------------------------------------------------------------------

OF_SESSIONS = b"DELETE, GET, OPTIONS, POST"
WITHOUT = b"OPTIONS, POST"


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_get_and_delete_pass_for_sessions_only(method: str) -> None:
    assert status(make_gate(), head(method, mcp_session_id="s")) == 0
    assert status(make_gate(), head(method)) == 405
    assert status(make_gate(sessions=False), head(method, mcp_session_id="s")) == 405


@pytest.mark.parametrize(
    ("method", "sessions", "session_id", "allow"),
    [
        ("GET", True, False, WITHOUT),
        ("DELETE", True, False, WITHOUT),
        ("GET", False, True, WITHOUT),
        ("PUT", True, True, OF_SESSIONS),
        ("PUT", True, False, WITHOUT),
        ("PATCH", False, False, WITHOUT),
        ("HEAD", True, True, OF_SESSIONS),
        ("post", True, False, WITHOUT),
        ("", True, False, WITHOUT),
        ("\udcff\u20ac", True, False, WITHOUT),
        ("X" * 5000, True, False, WITHOUT),
        ("GET, OPTIONS", True, True, OF_SESSIONS),
    ],
)
def test_another_method_is_405_and_told_what_is_served(
    method: str, sessions: bool, session_id: bool, allow: bytes
) -> None:
    fields = {"mcp_session_id": "s"} if session_id else {}
    answer = refused(make_gate(sessions=sessions), head(method, **fields))
    assert answer.status == 405
    assert dict(answer.headers)[b"allow"] == allow


def test_a_get_without_session_is_told_what_it_needs() -> None:
    assert "Mcp-Session-Id" in error_text(refused(make_gate(), head("GET")))
    assert "Mcp-Session-Id" not in error_text(refused(make_gate(sessions=False), head("GET")))


def test_a_head_request_gets_no_body_but_its_length() -> None:
    answer = refused(make_gate(), head("HEAD"))
    assert answer.body == b""
    assert int(dict(answer.headers)[b"content-length"]) > 0


# -- length -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("length", "code"),
    [
        ("0", 0),
        ("100", 0),
        ("0100", 0),
        ("00000000000000000000000000000100", 0),
        (" 100 ", 0),
        ("100, 100", 0),
        ("101", 413),
        ("9" * 18, 413),
        ("9" * 19, 413),
        ("9" * 10_000, 413),
        ("", 400),
        ("x", 400),
        ("-1", 400),
        ("+1", 400),
        ("1.0", 400),
        ("1_0", 400),
        ("\u00b2", 400),
        ("1, 2", 400),
        ("1,", 400),
    ],
)
def test_a_declared_length_is_a_number_within_the_limit(length: str, code: int) -> None:
    gate = make_gate(max_body_bytes=100)
    assert status(gate, head(content_length=length)) == code
    assert status(gate, head()) == 0
    assert status(gate, head(content_length=length)) == code
    assert status(gate, head("DELETE", content_length=length, mcp_session_id="s")) == code


@pytest.mark.parametrize(("first", "code"), [("5", 0), ("6", 400), ("x", 400), ("6000", 400)])
def test_a_repeated_length_must_be_the_same(first: str, code: int) -> None:
    gate = make_gate(max_body_bytes=100)
    assert status(gate, head(content_length="5")) == 0
    assert status(gate, head("POST", "/mcp", ("content-length", "5"), content_length=first)) == code


def test_a_body_that_is_too_long_is_told_the_limit() -> None:
    answer = refused(make_gate(max_body_bytes=100), head(content_length="101"))
    assert error_text(answer) == "The body is longer than 100 bytes (max_body_bytes)"


# -- precedence ---------------------------------------------------------------------------------

# Each rung, and how to offend it alone.
RUNGS: list[tuple[str, int, dict[str, Any]]] = [
    ("path", 404, {"path": "/nowhere"}),
    ("host", 403, {"host": "evil.example"}),
    ("origin", 403, {"origin": "http://evil.example"}),
    ("method", 405, {"method": "PUT"}),
    ("content type", 415, {"content_type": "text/plain"}),
    ("content encoding", 415, {"content_encoding": "gzip"}),
    ("accept", 406, {"accept": "text/plain"}),
    ("length", 413, {"content_length": "999999999"}),
]
WORDS = {
    "path": "path",
    "host": "Host",
    "origin": "Origin",
    "method": "Method",
    "content type": "Content-Type",
    "content encoding": "Content-Encoding",
    "accept": "Accept",
    "length": "longer",
}


@pytest.mark.parametrize(
    ("first", "second"),
    list(combinations(RUNGS, 2)),
    ids=lambda rung: str(rung[0]).replace(" ", "-"),
)
def test_of_two_rungs_the_first_answers(
    first: tuple[str, int, dict[str, Any]], second: tuple[str, int, dict[str, Any]]
) -> None:
    answer = refused(make_gate(), head(**first[2], **second[2]))
    assert answer.status == first[1]
    assert WORDS[first[0]] in error_text(answer)


@pytest.mark.parametrize(
    ("offence", "code"),
    [
        ({"path": "/nowhere"}, 404),
        ({"host": "evil.example"}, 403),
        ({"origin": "http://evil.example"}, 403),
        ({"content_type": "text/plain"}, 204),
        ({"accept": "text/plain"}, 204),
        ({"content_length": "999999999"}, 204),
    ],
)
def test_options_come_after_host_and_origin_and_before_the_rest(
    offence: dict[str, str], code: int
) -> None:
    asked = {"origin": "http://localhost", "access_control_request_method": "POST", **offence}
    assert refused(make_gate(), head("OPTIONS", **asked)).status == code


# -- the info page ------------------------------------------------------------------------------


def test_the_info_page_tells_url_name_and_versions() -> None:
    answer = refused(make_gate(info_path="/info"), head("GET", "/info/", accept="text/html"))
    assert answer.status == 200
    assert dict(answer.headers)[b"content-type"] == b"application/json"
    assert json.loads(answer.body) == {
        "endpoint": "http://127.0.0.1:3000/mcp",
        "name": "gated",
        "version": "1.2.3",
        "protocolVersions": ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"],
    }


@pytest.mark.parametrize(
    ("era", "versions"),
    [
        ({"legacy": False}, ["2026-07-28"]),
        ({"modern": False}, ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]),
    ],
)
def test_the_info_page_tells_the_versions_that_are_served(
    era: dict[str, Any], versions: list[str]
) -> None:
    tell = info_for(Server("one", settings=Settings(**era)))
    assert json.loads(tell("http://a/"))["protocolVersions"] == versions


@pytest.mark.parametrize(
    ("offence", "code"),
    [
        ({"host": "evil.example"}, 403),
        ({"origin": "http://evil.example"}, 403),
        ({"method": "POST"}, 405),
        ({"method": "HEAD"}, 405),
        ({"method": "DELETE", "mcp_session_id": "s"}, 405),
        ({"content_length": "999999999"}, 200),
    ],
)
def test_the_info_page_is_read_by_get_and_guarded_like_the_endpoint(
    offence: dict[str, str], code: int
) -> None:
    answer = refused(
        make_gate(info_path="/info"), head(**{"method": "GET", "path": "/info", **offence})
    )
    assert answer.status == code
    if code == 405:
        assert dict(answer.headers)[b"allow"] == b"GET, OPTIONS"


def test_the_root_can_be_the_info_page() -> None:
    gate = make_gate(paths=("/mcp",), info_path="/")
    assert refused(gate, head("GET", "/")).status == 200
    assert refused(gate, head("POST", "/")).status == 405
    assert status(gate, head("POST", "/mcp")) == 0


def info_url(gate: Gate, given_head: RequestHead) -> Any:
    return json.loads(refused(gate, given_head).body)["endpoint"]


def test_behind_a_trusted_proxy_the_url_is_the_proxy_s() -> None:
    fields = {"x_forwarded_host": "a.example, Mcp.Example:8443", "x_forwarded_proto": "http, HTTPS"}
    asked = head("GET", "/info", local=PUBLIC_ADDRESS, **fields)
    trusting = make_gate(info_path="/info", trust_forwarded=True)
    assert info_url(trusting, asked) == "https://mcp.example:8443/mcp"
    assert info_url(make_gate(info_path="/info"), asked) == "http://127.0.0.1:3000/mcp"
    strange = head("GET", "/info", x_forwarded_proto="javascript")
    assert info_url(trusting, strange) == "http://127.0.0.1:3000/mcp"


@pytest.mark.parametrize(
    ("mount", "paths", "url"),
    [
        ("", ("", "/mcp"), "https://a/mcp"),
        ("", ("",), "https://a/"),
        ("/app", ("", "/mcp"), "https://a/app"),
        ("/app", ("/mcp", "/x"), "https://a/app/mcp"),
        ("/a b/\u20ac?#%", ("",), "https://a/a%20b/%E2%82%AC%3F%23%25"),
        ("/\udcff", ("",), "https://a/%ED%B3%BF"),
    ],
)
def test_the_url_of_the_endpoint(mount: str, paths: tuple[str, ...], url: str) -> None:
    assert endpoint_url("https", "a", mount, paths) == url


# -- the cache ----------------------------------------------------------------------------------


def test_the_cache_is_bounded_and_holds_no_long_heads() -> None:
    gate = make_gate()
    for port in range(1, 1000):
        assert status(gate, head(host=f"localhost:{port}")) == 0
    assert len(gate._cache) <= 256
    before = dict(gate._cache)
    assert status(gate, head(accept="application/json" + " " * 2000)) == 0
    assert gate._cache == before


def test_what_is_refused_is_not_cached() -> None:
    gate = make_gate()
    for number in range(10):
        refused(gate, head(origin=f"http://evil{number}.example"))
    assert gate._cache == {}


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ({}, {"method": "PUT"}),
        ({}, {"path": "/x"}),
        ({}, {"host": "evil.example"}),
        ({}, {"origin": "http://evil.example"}),
        ({}, {"content_type": "text/plain"}),
        ({}, {"content_encoding": "gzip"}),
        ({}, {"accept": "text/plain"}),
        ({"method": "DELETE", "mcp_session_id": "s"}, {"method": "DELETE"}),
        ({"host": "a.example", "local": PUBLIC_ADDRESS}, {"host": "a.example"}),
    ],
)
def test_a_good_head_before_does_not_help_a_bad_one(
    good: dict[str, Any], bad: dict[str, Any]
) -> None:
    gate = make_gate()
    assert status(gate, head(**good)) == 0
    assert status(gate, head(**bad)) > 0
    assert status(gate, head(**good)) == 0


def test_a_repeated_field_that_decides_nothing_changes_nothing() -> None:
    gate = make_gate()
    assert admitted(gate, head("POST", "/mcp", ("via", "a"), ("via", "b"))) == admitted(
        gate, head()
    )


# -- properties ---------------------------------------------------------------------------------

DECISIVE = sorted(
    {value for name, value in vars(_names).items() if name.isupper() and b"/" not in value}
    | {b"access-control-request-method", b"access-control-request-headers", b"x"}
)
PLAUSIBLE = st.sampled_from(
    [
        b"application/json",
        b"text/event-stream",
        b"*/*",
        LOOPBACK_HOST.encode(),
        b"http://localhost:1",
        b"http://evil.example",
        b"null",
        b"POST",
        b"a, b\r\nset-cookie: c",
        b"100",
        b"identity",
    ]
)
FIELDS = st.tuples(st.sampled_from(DECISIVE), PLAUSIBLE | st.binary(max_size=50))
GOOD = [
    (b"host", LOOPBACK_HOST.encode()),
    (b"content-type", b"application/json"),
    (b"accept", b"*/*"),
]
TEXTS = st.text(st.characters(), max_size=10)  # lone surrogates, too
HEADS = st.builds(
    RequestHead,
    method=st.sampled_from(["POST", "GET", "DELETE", "OPTIONS", "HEAD"]) | TEXTS,
    path=st.sampled_from(["/mcp", "", "/info"]) | TEXTS,
    headers=st.lists(FIELDS, max_size=8) | st.lists(FIELDS, max_size=4).map(lambda f: [*GOOD, *f]),
    scheme=st.sampled_from(["http", "https"]),
    local_host=st.sampled_from(["127.0.0.1", "::1", PUBLIC_ADDRESS, None]) | TEXTS,
    local_port=st.none() | st.integers(0, 65535),
    mount=TEXTS,
)
GATES = st.sampled_from(
    [
        make_gate(info_path="/info"),
        make_gate(info_path="/info", trust_forwarded=True, sessions=False),
        make_gate(info_path="/info", allowed_hosts=("*",), allowed_origins=("*",)),
    ]
)
FIELD_NAME = re.compile(rb"[a-z0-9-]+")
FIELD_VALUE = re.compile(rb"[\x20-\x7e]*")


def check_answer(method: str, verdict: Refused) -> None:
    answer = verdict.answer
    assert answer.status in {200, 204, 400, 403, 404, 405, 406, 413, 415}
    names = [name for name, _ in answer.headers]
    assert len(names) == len(set(names))
    for name, value in answer.headers:
        assert FIELD_NAME.fullmatch(name)
        assert FIELD_VALUE.fullmatch(value)
    headers = dict(answer.headers)
    if answer.status == 204:
        assert answer.body == b""
        assert headers.keys().isdisjoint({b"content-length", b"content-type"})
        return
    assert headers[b"content-type"] == b"application/json"
    if method == "HEAD":
        assert answer.body == b""
        return
    assert int(headers[b"content-length"]) == len(answer.body)
    assert isinstance(json.loads(answer.body), dict)
    assert (b"allow" in headers) == (answer.status == 405)
    if answer.status != 200:
        error_text(answer)
    if verdict.report is not None:
        assert verdict.report.message.isprintable()


@settings(max_examples=500)
@given(GATES, HEADS)
def test_any_head_is_admitted_or_gets_a_well_formed_answer(
    gate: Gate, given_head: RequestHead
) -> None:
    verdict = gate.judge(given_head)
    if isinstance(verdict, Refused):
        check_answer(given_head.method, verdict)
    else:
        assert isinstance(verdict, Admitted)
        assert given_head.method in {"POST", "GET", "DELETE"}
        for name, value in verdict.cors:
            assert FIELD_NAME.fullmatch(name)
            assert FIELD_VALUE.fullmatch(value)


@settings(max_examples=300)
@given(HEADS)
def test_a_gate_that_has_seen_much_judges_like_a_new_one(given_head: RequestHead) -> None:
    def judged(gate: Gate) -> Any:
        verdict = gate.judge(given_head)
        return verdict if isinstance(verdict, Admitted) else verdict.answer

    assert judged(SEEN) == judged(make_gate())


SEEN: Gate = make_gate()


def test_the_names_are_lower_case() -> None:
    for name in _names.__all__:
        value = getattr(_names, name)
        assert value == value.lower()
