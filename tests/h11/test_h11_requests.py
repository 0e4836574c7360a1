"""Heads as they were sent -> requests of the binding, or the reason why they are none."""

import re

import h11
import pytest
from sansmcp_core import Respond
from sansmcp_h11._answers import chunk, head_of_answer, last_answer
from sansmcp_h11._parser import BadRequest, Head
from sansmcp_h11._requests import Place, Request, request_of

PLACE = Place("127.0.0.1", 3000, "http")
HOST = (b"host", b"here")
LENGTH = (b"content-length", b"3")
CHUNKED = (b"transfer-encoding", b"chunked")


def request(
    *fields: tuple[bytes, bytes],
    target: bytes = b"/mcp",
    method: str = "POST",
    version: str = "1.1",
) -> Request:
    return request_of(Head(method, target, version, [HOST, *fields]), PLACE)


TARGETS = [
    (b"/mcp", "/mcp", b"here"),
    (b"/mcp?query=/other", "/mcp", b"here"),
    (b"/", "/", b"here"),
    (b"/%6dcp/a%20b", "/mcp/a b", b"here"),
    (b"/%c3%a4%ff", "/ä\ufffd", b"here"),
    (b"/%zz%", "/%zz%", b"here"),
    (b"//mcp", "//mcp", b"here"),
    (b"*", "*", b"here"),
    (b"http://there:80/mcp?q", "/mcp", b"there:80"),
    (b"HTTPS://there", "/", b"there"),
    (b"http://there?q", "/", b"there"),
    (b"http://[::1]:80/mcp", "/mcp", b"[::1]:80"),
]


@pytest.mark.parametrize(("target", "path", "host"), TARGETS)
@pytest.mark.parametrize("time", ["first", "second"])
def test_a_target_gives_the_path_and_its_authority_takes_the_place_of_the_host(
    target: bytes, path: str, host: bytes, time: str
) -> None:
    head = request(target=target).head
    assert (head.path, head.fields[b"host"]) == (path, host)
    assert [value for name, value in head.headers if name == b"host"] == [host]
    assert head.repeated == frozenset()


def test_a_request_knows_where_it_came() -> None:
    head = request_of(Head("GET", b"/", "1.1", [HOST]), Place("::1", 80, "https")).head
    assert (head.local_host, head.local_port, head.scheme) == ("::1", 80, "https")
    assert (head.method, head.mount) == ("GET", "")


@pytest.mark.parametrize(
    "target",
    [b"mcp", b"", b"?q", b"here:80", b"ftp://here/mcp", b"http:///mcp", b"/mcp#part", b"**",
     b"http://user@here/mcp", b"http://user:secret@here/"],
)  # fmt: skip
def test_a_target_of_another_kind_is_refused(target: bytes) -> None:
    with pytest.raises(BadRequest) as caught:
        request(target=target)
    assert caught.value.status == 400


REFUSED = {
    "both framings": (request, (LENGTH, CHUNKED), {}, 400),
    "two hosts": (request, (HOST,), {}, 400),
    "two hosts beside a whole URL": (request, (HOST,), {"target": b"http://there/mcp"}, 400),
    "two lengths": (request, (LENGTH, LENGTH), {}, 400),
    "two codings": (request, (CHUNKED, CHUNKED), {}, 400),
    "an unknown coding": (request, ((b"transfer-encoding", b"gzip, chunked"),), {}, 501),
    "chunks in HTTP/1.0": (request, (CHUNKED,), {"version": "1.0"}, 400),
    "HTTP/2.0": (request, (), {"version": "2.0"}, 505),
    "HTTP/0.9": (request, (), {"version": "0.9"}, 505),
    "a tunnel": (request, (), {"method": "CONNECT", "target": b"/"}, 501),
}


@pytest.mark.parametrize(("make", "fields", "more", "status"), REFUSED.values(), ids=REFUSED)
def test_a_head_that_leaves_anything_open_is_refused(make, fields, more, status) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(BadRequest) as caught:
        make(*fields, **more)
    assert caught.value.status == status


@pytest.mark.parametrize("target", [b"/", b"http://there/"])
def test_http_1_1_needs_a_host_and_http_1_0_does_not(target: bytes) -> None:
    with pytest.raises(BadRequest):
        request_of(Head("GET", target, "1.1", []), PLACE)
    assert request_of(Head("GET", target, "1.0", []), PLACE).is_1_1 is False


KEEPS_ALIVE = [
    ("1.1", [], True),
    ("1.1", [b"close"], False),
    ("1.1", [b"keep-alive"], True),
    ("1.1", [b"Keep-Alive, Close"], False),
    ("1.1", [b"close", b"keep-alive"], False),
    ("1.1", [b"Upgrade, HTTP2-Settings"], True),
    ("1.0", [], False),
    ("1.0", [b"Keep-Alive"], True),
    ("1.0", [b"close, keep-alive"], False),
    ("1.0", [b"upgrade", b"keep-alive"], True),
]


@pytest.mark.parametrize(("version", "values", "expected"), KEEPS_ALIVE)
def test_whether_another_request_may_follow(
    version: str, values: list[bytes], expected: bool
) -> None:
    fields = [(b"connection", value) for value in values]
    assert request(*fields, version=version).keeps_alive is expected


@pytest.mark.parametrize(
    ("value", "version", "expected"),
    [(b"100-continue", "1.1", True), (b"100-Continue", "1.1", True),
     (b"100-continue", "1.0", False), (b"other", "1.1", False)],
)  # fmt: skip
def test_who_waits_for_100(value: bytes, version: str, expected: bool) -> None:
    assert request((b"expect", value), version=version).expects_continue is expected


# -- answers -------------------------------------------------------------------------------------


def read(data: bytes, method: str = "GET") -> list[object]:
    judge = h11.Connection(h11.CLIENT)
    judge.send(h11.Request(method=method, target="/", headers=[("host", "x")]))
    judge.send(h11.EndOfMessage())
    judge.receive_data(data)
    judge.receive_data(b"")
    events: list[object] = []
    while (event := judge.next_event()) not in (h11.NEED_DATA, h11.PAUSED):
        events.append(event)
        if isinstance(event, h11.ConnectionClosed):
            break
    return events


@pytest.mark.parametrize("status", [200, 202, 404, 431, 505, 599])
def test_a_head_is_one_of_http(status: int) -> None:
    data = head_of_answer(status, [(b"a", b"b c"), (b"e", b""), (b"l", b"\xe4")], b"")
    response = read(data + b"abc")[0]
    assert isinstance(response, h11.Response)
    assert response.status_code == status
    fields = dict(response.headers)
    assert (fields[b"a"], fields[b"e"], fields[b"l"]) == (b"b c", b"", b"\xe4")
    assert re.fullmatch(
        rb"[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT", fields[b"date"]
    )


@pytest.mark.parametrize(
    "field",
    [(b"a", b"b\r\nc: d"), (b"a", b"b\nc"), (b"a", b"b\r"), (b"a", b"b\0"), (b"a\r\nb", b"c"),
     (b"a b", b"c"), (b"", b"c"), (b"a:", b"c"), (b"\xe4", b"c")],
)  # fmt: skip
def test_a_field_that_would_end_the_head_or_begin_another_is_not_sent(
    field: tuple[bytes, bytes],
) -> None:
    with pytest.raises(ValueError, match="cannot be sent"):
        head_of_answer(200, [(b"ok", b"ok"), field], b"")


def test_an_answer_in_a_few_words() -> None:
    response, data, *_ = read(last_answer(Respond(400, [(b"content-length", b"6")], b"not so")))
    assert isinstance(response, h11.Response)
    assert isinstance(data, h11.Data)
    assert (response.status_code, bytes(data.data)) == (400, b"not so")
    assert dict(response.headers)[b"connection"] == b"close"


def test_a_chunk_says_its_length() -> None:
    assert chunk(b"a" * 16) == b"10\r\n" + b"a" * 16 + b"\r\n"
