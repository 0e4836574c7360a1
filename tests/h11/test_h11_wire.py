"""Bytes on a socket, answered over every parser and event loop."""

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest
from core_peer import initialize, modern
from h11_served import each_combination, serving
from raw_http import Answer, RawClient, post, raw, rpc
from sansmcp_core.http import HttpSettings
from sansmcp_h11 import ConnectionLimits

pytestmark = each_combination

ADD = post("add", a=1, b=2)
SMALL = ConnectionLimits(max_head_bytes=4096)


@contextlib.contextmanager
def connected(
    parser: str, backend: str, limits: ConnectionLimits = SMALL, **options: Any
) -> Iterator[RawClient]:
    with (
        serving(parser=parser, backend=backend, limits=limits, **options) as running,
        RawClient(running.bound_port) as client,
    ):
        yield client


def text_of(answer: Answer) -> str:
    assert answer.status == 200, answer
    assert answer.headers["content-type"] == "application/json"
    return str(answer.json["result"]["content"][0]["text"])


LONG = b"a" * 5000
GET = "GET /elsewhere HTTP/1.1"
POST = "POST /mcp HTTP/1.1"

REFUSED = {
    "garbage": (b"\x16\x03\x01\x00\xc8\r\n\r\n", {400, 501}),
    "no request line": (b"hello\r\n\r\n", {400, 501}),
    "no host": (b"GET / HTTP/1.1\r\n\r\n", {400}),
    "two hosts": (raw(GET, "Host: there"), {400}),
    "a method that does not exist": (raw("BREW / HTTP/1.1"), {405, 501}),
    "another version": (raw("GET / HTTP/2.0"), {505}),
    "the preface of HTTP/2": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", {400, 505}),
    "a tunnel": (raw("CONNECT there:443 HTTP/1.1"), {400, 501}),
    "a target that is none": (raw("GET elsewhere HTTP/1.1"), {400}),
    "a long target": (b"GET /" + LONG + b" HTTP/1.1\r\nHost: x\r\n\r\n", {431}),
    "a long field": (b"GET / HTTP/1.1\r\nHost: x\r\nA: " + LONG + b"\r\n\r\n", {431}),
    "a long head without end": (b"GET / HTTP/1.1\r\nHost: x\r\nA: " + LONG, {431}),
    "both framings": (raw(POST, "Content-Length: 1", "Transfer-Encoding: chunked"), {400}),
    "both framings, the other way round": (
        raw(POST, "Transfer-Encoding: chunked", "Content-Length: 1"),
        {400},
    ),
    "lengths that differ": (raw(POST, "Content-Length: 1", "Content-Length: 2"), {400}),
    "a coding that is not known": (raw(POST, "Transfer-Encoding: gzip, chunked"), {501}),
    "another coding": (raw(POST, "Transfer-Encoding: gzip"), {501}),
    "chunks in HTTP/1.0": (raw("POST /mcp HTTP/1.0", "Transfer-Encoding: chunked"), {400}),
    "a coding in disguise": (raw(POST, "Transfer-Encoding: xchunked"), {501}),
}


@pytest.mark.parametrize(("data", "statuses"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_read_is_refused_and_the_connection_closed(
    data: bytes, statuses: set[int], parser: str, backend: str
) -> None:
    with connected(parser, backend) as client:
        answer = client.send(data).receive("GET")
        assert answer.status in statuses
        assert answer.json["error"]["code"] == -32600
        assert "bytearray" not in answer.json["error"]["message"]
        if answer.headers.get("connection") == "close":
            assert client.closed()
        else:
            assert answer.status == 405


def test_what_the_endpoint_refuses_leaves_the_connection_open(parser: str, backend: str) -> None:
    with connected(parser, backend) as client:
        assert client.send(raw(GET)).receive("GET").status == 404
        assert client.send(raw(POST, "Content-Length: 0")).receive().status in {406, 415}
        assert client.send(raw("GET /mcp?a=b HTTP/1.1")).receive("GET").status in {400, 405, 406}
        assert text_of(client.send(ADD).receive()) == "3"


# -- one connection, many requests ----------------------------------------------------------------


def test_a_connection_serves_one_request_after_the_other(parser: str, backend: str) -> None:
    with connected(parser, backend) as client:
        for b in range(5):
            answer = client.send(post("add", a=1, b=b)).receive()
            assert text_of(answer) == str(1 + b)
            assert "connection" not in answer.headers
            assert answer.headers["date"].endswith(" GMT")


def test_requests_may_come_before_the_answers_and_are_answered_in_order(
    parser: str, backend: str
) -> None:
    requests = [post("blocking" if n % 3 else "soon", text=str(n)) for n in range(9)]
    with connected(parser, backend) as client:
        client.send(b"".join(requests) + ADD)
        assert [text_of(client.receive()) for _ in requests] == [str(n) for n in range(9)]
        assert text_of(client.receive()) == "3"


def test_a_request_may_come_byte_by_byte(parser: str, backend: str) -> None:
    with connected(parser, backend) as client:
        client.send(*[ADD[i : i + 1] for i in range(len(ADD))], ADD)
        assert [text_of(answer) for answer in client.receive_all(["POST"] * 2)] == ["3", "3"]


@pytest.mark.parametrize(
    ("version", "fields", "kept"),
    [("1.1", ["Connection: close"], None), ("1.0", [], None),
     ("1.0", ["Connection: keep-alive"], "keep-alive"), ("1.1", ["Connection: Keep-Alive"], "")],
)  # fmt: skip
def test_who_wants_the_connection_closed_or_kept_gets_it(
    version: str, fields: list[str], kept: str | None, parser: str, backend: str
) -> None:
    with connected(parser, backend) as client:
        answer = client.send(post("add", *fields, version=version, a=1, b=2)).receive()
        assert text_of(answer) == "3"
        assert answer.version == "1.1"
        if kept is None:
            assert answer.headers["connection"] == "close"
            assert client.closed()
        else:
            assert answer.headers.get("connection", "") == kept
            assert text_of(client.send(ADD).receive()) == "3"


def test_an_upgrade_is_not_taken_up(parser: str, backend: str) -> None:
    fields = ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMA"]
    with connected(parser, backend) as client:
        client.send(post("add", *fields, a=1, b=2), raw(GET, *fields), ADD)
        assert text_of(client.receive()) == "3"
        assert client.receive("GET").status == 404
        assert text_of(client.receive()) == "3"


def test_a_whole_url_names_the_host(parser: str, backend: str) -> None:
    with connected(parser, backend) as client:
        request = ADD.replace(b"POST /mcp", b"POST http://localhost:1/mcp?q")
        assert text_of(client.send(request).receive()) == "3"
        request = ADD.replace(b"POST /mcp", b"POST http://elsewhere/mcp")
        assert client.send(request).receive().status == 403


def test_options_of_the_server_itself_have_an_empty_answer(parser: str, backend: str) -> None:
    with connected(parser, backend) as client:
        answer = client.send(raw("OPTIONS * HTTP/1.1")).receive("OPTIONS")
        assert (answer.status, answer.body) == (204, b"")
        assert text_of(client.send(ADD).receive()) == "3"


def test_head_is_answered_without_a_body(parser: str, backend: str) -> None:
    with connected(parser, backend) as client:
        answer = client.send(raw("HEAD /elsewhere HTTP/1.1")).receive("HEAD")
        assert (answer.status, answer.body) == (404, b"")
        assert text_of(client.send(ADD).receive()) == "3"


def test_a_head_request_that_is_refused_is_answered_without_a_body(
    parser: str, backend: str
) -> None:
    with connected(parser, backend) as client:
        answer = client.send(raw("HEAD / HTTP/2.0")).receive("HEAD")
        assert (answer.status, answer.body) == (505, b"")
        assert client.closed()


# -- bodies ---------------------------------------------------------------------------------------


def in_chunks(request: bytes, size: int) -> bytes:
    head, _, body = request.partition(b"\r\n\r\n")
    lines = [line for line in head.split(b"\r\n") if not line.startswith(b"Content-Length")]
    chunks = [body[i : i + size] for i in range(0, len(body), size)]
    coded = b"".join(b"%x;e=1\r\n%b\r\n" % (len(c), c) for c in chunks)
    head = b"\r\n".join([*lines, b"Transfer-Encoding: chunked", b"", b""])
    return head + coded + b"0\r\nTrailer: 1\r\n\r\n"


@pytest.mark.parametrize("size", [1, 7, 100_000])
def test_a_body_may_come_in_chunks(size: int, parser: str, backend: str) -> None:
    with connected(parser, backend) as client:
        client.send(in_chunks(ADD, size), ADD)
        assert [text_of(answer) for answer in client.receive_all(["POST"] * 2)] == ["3", "3"]


def test_a_large_body_and_a_large_answer_pass(parser: str, backend: str) -> None:
    text = "ä" * 1_000_000
    with connected(parser, backend) as client:
        for request in (post("echo", text=text), in_chunks(post("echo", text=text), 1 << 16)):
            assert text_of(client.send(request).receive()) == text


def test_who_waits_for_100_gets_it_where_the_body_is_wanted(parser: str, backend: str) -> None:
    head, _, body = post("add", "Expect: 100-continue", a=1, b=2).partition(b"\r\n\r\n")
    with connected(parser, backend) as client:
        client.send(head + b"\r\n\r\n")
        assert next(client.lines()) == b"HTTP/1.1 100 Continue"
        assert next(client.lines()) == b""
        assert text_of(client.send(body).receive()) == "3"
        # Whoever does not wait is not told.
        assert client.send(head + b"\r\n\r\n" + body).receive().before == ()


def test_who_waits_for_100_with_a_bad_head_sends_no_body(parser: str, backend: str) -> None:
    request = raw("POST /elsewhere HTTP/1.1", "Content-Length: 9", "Expect: 100-continue")
    with connected(parser, backend) as client:
        answer = client.send(request).receive()
        assert (answer.status, answer.before) == (404, ())
        assert client.closed()


BOUND = 4096
TOO_LONG = post("echo", text="a" * BOUND)
TOO_LONG_HEAD = TOO_LONG.partition(b"\r\n\r\n")[0] + b"\r\n\r\n"


@pytest.mark.parametrize(
    ("data", "unsent"),
    [
        pytest.param(TOO_LONG_HEAD, True, id="declared, nothing sent"),
        pytest.param(TOO_LONG, False, id="declared, all sent"),
        pytest.param(in_chunks(TOO_LONG, 100), False, id="in chunks"),
        pytest.param(in_chunks(TOO_LONG, 100)[:-20], True, id="in chunks, without end"),
    ],
)
def test_a_body_over_the_limit_is_refused_as_soon_as_that_is_known(
    data: bytes, unsent: bool, parser: str, backend: str
) -> None:
    settings = HttpSettings(max_body_bytes=BOUND)
    with connected(parser, backend, settings=settings) as client:
        answer = client.send(data).receive()
        assert answer.status == 413
        if unsent:
            assert answer.headers["connection"] == "close"
            assert client.closed()


def test_the_answer_reaches_a_client_that_is_still_sending(parser: str, backend: str) -> None:
    settings = HttpSettings(max_body_bytes=BOUND)
    request = raw(POST, "Content-Type: application/json", "Accept: application/json",
                  "Content-Length: 800000")  # fmt: skip
    with connected(parser, backend, settings=settings) as client:
        client.send(request)
        for _ in range(80):
            client.send_leniently(b"a" * 10_000)
        assert client.receive().status == 413


def test_a_body_of_exactly_the_limit_is_served(parser: str, backend: str) -> None:
    size = len(ADD.partition(b"\r\n\r\n")[2])
    for bound, status in ((size, 200), (size - 1, 413)):
        settings = HttpSettings(max_body_bytes=bound)
        with connected(parser, backend, settings=settings) as client:
            assert client.send(ADD).receive().status == status
            assert client.send(in_chunks(ADD, 10)).receive().status == status


def test_a_chunk_that_is_none_is_refused(parser: str, backend: str) -> None:
    data = in_chunks(ADD, 10).replace(b"a;e=1", b"x;e=1", 1)
    with connected(parser, backend) as client:
        answer = client.send(data).receive()
        assert answer.status == 400
        assert client.closed()


# -- streams --------------------------------------------------------------------------------------


def streamed(version: str) -> bytes:
    return post("flood", version=version, pieces=3).replace(
        b'"_meta":{', b'"_meta":{"io.modelcontextprotocol/logLevel":"debug",'
    )


def with_length(request: bytes) -> bytes:
    head, _, body = request.partition(b"\r\n\r\n")
    lines = [line for line in head.split(b"\r\n") if not line.startswith(b"Content-Length")]
    return b"\r\n".join([*lines, b"Content-Length: %d" % len(body), b"", body])


def test_a_stream_comes_in_chunks_and_leaves_the_connection_open(parser: str, backend: str) -> None:
    with connected(parser, backend) as client:
        answer = client.send(with_length(streamed("1.1"))).receive()
        assert answer.headers["content-type"] == "text/event-stream"
        assert answer.headers["transfer-encoding"] == "chunked"
        assert answer.body.count(b"data: ") == 4
        assert text_of(client.send(ADD).receive()) == "3"


@pytest.mark.parametrize("fields", [b"", b"Connection: keep-alive\r\n"])
def test_a_stream_to_an_old_client_ends_with_the_connection(
    fields: bytes, parser: str, backend: str
) -> None:
    request = with_length(streamed("1.0")).replace(b"Host:", fields + b"Host:", 1)
    with connected(parser, backend) as client:
        answer = client.send(request).receive()
        assert "transfer-encoding" not in answer.headers
        assert answer.headers["connection"] == "close"
        assert answer.body.count(b"data: ") == 4
        assert client.closed()


# -- where ----------------------------------------------------------------------------------------


def test_both_loopback_addresses_serve(parser: str, backend: str) -> None:
    with serving(parser=parser, backend=backend) as running:
        for host in ("127.0.0.1", "::1"):
            with RawClient(running.bound_port, host) as client:
                assert text_of(client.send(ADD).receive()) == "3"
        assert running.url == f"http://127.0.0.1:{running.bound_port}/mcp"


def test_an_address_of_all_the_world_serves_any_host(parser: str, backend: str) -> None:
    with (
        serving(parser=parser, backend=backend, host="0.0.0.0") as running,
        RawClient(running.bound_port) as client,
    ):
        request = ADD.replace(b"Host: 127.0.0.1", b"Host: anywhere.example")
        assert text_of(client.send(request).receive()) == "3"


def test_legacy_clients_have_a_session(parser: str, backend: str) -> None:
    with connected(parser, backend) as client:
        answer = client.send(rpc(initialize())).receive()
        assert answer.status == 200
        assert answer.headers["mcp-session-id"]


def test_a_discovery_is_answered(parser: str, backend: str) -> None:
    request = rpc(
        modern(1, "server/discover"),
        "MCP-Protocol-Version: 2026-07-28",
        "Mcp-Method: server/discover",
    )
    with connected(parser, backend) as client:
        answer = client.send(request).receive()
        assert answer.json["result"]["supportedVersions"]
