"""Bytes -> heads and bodies, the same from both parsers, however the bytes are cut."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from sansmcp_h11._parser import BadRequest, Head, Parser, parser_named

MAX_HEAD_BYTES = 2048
HOST = [(b"host", b"x")]

both = pytest.mark.parametrize("name", ["h11", "httptools"])


def make(name: str) -> Parser:
    return parser_named(name)(MAX_HEAD_BYTES)


def events(parser: Parser, *chunks: bytes) -> list[object]:
    """What comes out; pieces of a body joined, a refusal as its status."""
    found: list[object] = []
    in_body = False
    try:
        for chunk in chunks:
            parser.feed(chunk)
            while in_body or (head := parser.next_head()) is not None:
                if not in_body:
                    found.append(head)
                data, in_body = parser.next_body()
                before = found[-1]
                if isinstance(before, bytes):
                    found[-1] = before + data
                elif data:
                    found.append(data)
                if in_body:
                    break
                found.append("end")
    except BadRequest as bad:
        found.append(bad.status)
    return found


def head(method: str, target: bytes, *fields: tuple[bytes, bytes], version: str = "1.1") -> Head:
    return Head(method, target, version, [*HOST, *fields])


START = b"POST /mcp HTTP/1.1\r\nHost: x\r\n"
LENGTH_3 = (b"content-length", b"3")
CHUNKED = (b"transfer-encoding", b"chunked")
UPGRADE = [(b"connection", b"Upgrade"), (b"upgrade", b"h2c")]
UPGRADE_LINES = b"Connection: Upgrade\r\nUpgrade: h2c\r\n"
GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
GOT: list[object] = [head("GET", b"/"), "end"]

REQUESTS: dict[str, tuple[bytes, list[object]]] = {
    "no body": (GET, GOT),
    "empty lines first": (b"\r\n\r\n" + GET, GOT),
    "two in a row": (GET + GET, GOT + GOT),
    "a body": (
        START + b"Content-Length: 3\r\n\r\nabc",
        [head("POST", b"/mcp", LENGTH_3), b"abc", "end"],
    ),
    "an empty body": (
        START + b"Content-Length: 0\r\n\r\n" + GET,
        [head("POST", b"/mcp", (b"content-length", b"0")), "end", *GOT],
    ),
    "a body, then another request": (
        START + b"Content-Length: 3\r\n\r\nabc" + GET,
        [head("POST", b"/mcp", LENGTH_3), b"abc", "end", *GOT],
    ),
    "chunks": (
        START + b"Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1;ext=1\r\nc\r\n0\r\n\r\n" + GET,
        [head("POST", b"/mcp", CHUNKED), b"abc", "end", *GOT],
    ),
    "chunks and a trailer": (
        START + b"Transfer-Encoding: Chunked\r\n\r\n3\r\nabc\r\n0\r\nHost: y\r\n\r\n" + GET,
        [
            head("POST", b"/mcp", CHUNKED),
            b"abc",
            "end",
            *GOT,
        ],
    ),
    "an upgrade that is not taken up": (
        b"GET / HTTP/1.1\r\nHost: x\r\n" + UPGRADE_LINES + b"\r\n" + GET,
        [head("GET", b"/", *UPGRADE), "end", *GOT],
    ),
    "an upgrade with a body": (
        START + UPGRADE_LINES + b"Content-Length: 3\r\n\r\nabc" + GET,
        [head("POST", b"/mcp", *UPGRADE, LENGTH_3), b"abc", "end", *GOT],
    ),
    "an upgrade with chunks": (
        START + UPGRADE_LINES + b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n" + GET,
        [head("POST", b"/mcp", *UPGRADE, CHUNKED), b"abc", "end", *GOT],
    ),
    "HTTP/1.0": (
        b"GET /a?b HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\n\r\n",
        [head("GET", b"/a?b", (b"connection", b"keep-alive"), version="1.0"), "end"],
    ),
    "blanks around values": (
        b"GET / HTTP/1.1\r\nHost: x\r\nA:  b c \t\r\nEmpty:\r\n\r\n",
        [head("GET", b"/", (b"a", b"b c"), (b"empty", b"")), "end"],
    ),
    "bytes beyond ASCII in a value": (
        b"GET / HTTP/1.1\r\nHost: x\r\nA: \xff\xc3\xa4\r\n\r\n",
        [head("GET", b"/", (b"a", b"\xff\xc3\xa4")), "end"],
    ),
    "the same field twice": (
        b"GET / HTTP/1.1\r\nHost: x\r\nA: 1\r\na: 2\r\n\r\n",
        [head("GET", b"/", (b"a", b"1"), (b"a", b"2")), "end"],
    ),
}


def lower_codings(found: list[object]) -> list[object]:
    return [
        replace(e, headers=[(n, v.lower() if n == CHUNKED[0] else v) for n, v in e.headers])
        if isinstance(e, Head)
        else e
        for e in found
    ]


@both
@pytest.mark.parametrize(("data", "expected"), REQUESTS.values(), ids=REQUESTS)
def test_requests_are_read_whole_and_byte_by_byte(
    name: str, data: bytes, expected: list[object]
) -> None:
    assert lower_codings(events(make(name), data)) == expected
    pieces = [data[i : i + 1] for i in range(len(data))]
    assert lower_codings(events(make(name), *pieces)) == expected


@st.composite
def _cuts(draw: st.DrawFn) -> tuple[str, list[bytes], list[object]]:
    name = draw(st.sampled_from(["h11", "httptools"]))
    chosen = draw(st.lists(st.sampled_from(list(REQUESTS)), min_size=1, max_size=4))
    chosen = [key for key in chosen if key != "HTTP/1.0"] or ["no body"]
    data = b"".join(REQUESTS[key][0] for key in chosen)
    places = sorted(draw(st.sets(st.integers(1, len(data) - 1), max_size=8)))
    pieces = [data[a:b] for a, b in zip([0, *places], [*places, len(data)], strict=True)]
    return name, pieces, [event for key in chosen for event in REQUESTS[key][1]]


@given(_cuts())
def test_where_the_bytes_are_cut_makes_no_difference(
    case: tuple[str, list[bytes], list[object]],
) -> None:
    name, pieces, expected = case
    assert lower_codings(events(make(name), *pieces)) == expected


REFUSED: dict[str, tuple[bytes, set[int]]] = {
    "garbage": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", {400, 501}),
    "no version": (b"GET\r\n\r\n", {400, 501}),
    "a blank before the colon": (b"GET / HTTP/1.1\r\nHost : x\r\n\r\n", {400}),
    "no colon": (b"GET / HTTP/1.1\r\nHost\r\n\r\n", {400}),
    "no name": (b"GET / HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n", {400}),
    "a NUL": (b"GET / HTTP/1.1\r\nHost: x\x00y\r\n\r\n", {400}),
    "a bare CR": (b"GET / HTTP/1.1\r\nHost: x\r\nA: b\rc\r\n\r\n", {400}),
    "a blank in the target": (b"GET /a b HTTP/1.1\r\nHost: x\r\n\r\n", {400}),
    "lengths that differ": (START + b"Content-Length: 3\r\nContent-Length: 4\r\n\r\n", {400}),
    "a length with a sign": (START + b"Content-Length: +3\r\n\r\nabc", {400}),
    "a negative length": (START + b"Content-Length: -3\r\n\r\nabc", {400}),
    "a length beyond all": (START + b"Content-Length: " + b"9" * 40 + b"\r\n\r\n", {400}),
    "a length that is a list": (START + b"Content-Length: 3, 4\r\n\r\nabc", {400}),
    "a length in hexadecimal": (START + b"Content-Length: 0x3\r\n\r\nabc", {400}),
    "codings that end otherwise": (
        START + b"Transfer-Encoding: chunked, identity\r\n\r\n",
        {400, 501},
    ),
    "chunked twice": (START + b"Transfer-Encoding: chunked\r\n" * 2 + b"\r\n", {400, 501}),
}


@both
@pytest.mark.parametrize(("data", "statuses"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_request_is_refused(name: str, data: bytes, statuses: set[int]) -> None:
    for found in (
        events(make(name), data),
        events(make(name), *[data[i : i + 1] for i in range(len(data))]),
    ):
        assert found[-1] in statuses
        assert [event for event in found if isinstance(event, Head)] == []


BODIES = {
    "no size": b"\r\nabc",
    "a size that is none": b"xyz\r\nabc\r\n",
    "a size with a sign": b"+3\r\nabc\r\n",
    "a chunk longer than it said": b"3\r\nabcd\r\n0\r\n\r\n",
    "a size beyond all": b"f" * 40 + b"\r\n",
}


@both
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_chunks_that_are_none_are_refused(name: str, body: bytes) -> None:
    found = events(make(name), START + b"Transfer-Encoding: chunked\r\n\r\n" + body)
    assert isinstance(found[0], Head)
    assert found[-1] == 400


def _endless(first: bytes, piece: bytes) -> Iterator[bytes]:
    yield first
    for _ in range(100):
        yield piece


ENDLESS = {
    "target": (b"GET /", b"a" * 100),
    "value": (b"GET / HTTP/1.1\r\nHost: x\r\nA: ", b"a" * 100),
    "fields": (b"GET / HTTP/1.1\r\nHost: x\r\n", b"A: 1\r\n" * 20),
    "chunk extension": (START + b"Transfer-Encoding: chunked\r\n\r\n1;a=", b"a" * 100),
    "trailer": (START + b"Transfer-Encoding: chunked\r\n\r\n0\r\nA: ", b"a" * 100),
}


@both
@pytest.mark.parametrize(("first", "piece"), ENDLESS.values(), ids=ENDLESS)
def test_what_has_no_end_is_refused_at_the_limit(name: str, first: bytes, piece: bytes) -> None:
    assert events(make(name), *_endless(first, piece))[-1] == 431


@both
@pytest.mark.parametrize("cut", [1, 100, 100_000])
def test_the_length_of_a_head_counts_whatever_it_came_in(name: str, cut: int) -> None:
    def lengths(size: int) -> list[object]:
        data = b"GET / HTTP/1.1\r\nHost: x\r\nA: " + b"a" * size + b"\r\n\r\n"
        return events(make(name), *[data[i : i + cut] for i in range(0, len(data), cut)])

    assert lengths(MAX_HEAD_BYTES - 100)[-1] == "end"
    assert lengths(MAX_HEAD_BYTES + 1)[-1] == 431


@both
def test_what_was_right_before_an_error_comes_first(name: str) -> None:
    assert events(make(name), GET + b"garbage\r\n\r\n")[:2] == GOT


@both
def test_many_upgrades_in_one_piece_are_read(name: str) -> None:
    one = b"GET / HTTP/1.1\r\nHost: x\r\n" + UPGRADE_LINES + b"\r\n"
    assert len(events(make(name), one * 2000)) == 4000


def test_a_parser_that_does_not_exist_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="must be one of h11, httptools, got 'http'"):
        parser_named("http")
