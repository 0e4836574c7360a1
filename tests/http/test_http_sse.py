"""Server-Sent Events: what is written is what a parser written to the standard reads."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sansmcp_core.http._sse import (
    COMMENT,
    STREAM_HEADERS,
    event,
    events,
    priming_event,
    replay,
    retry,
)
from sse import SseError, SseEvent, SseParser

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)
MESSAGES = st.lists(JSON, min_size=1, max_size=5)


def line(message: object) -> bytes:
    return msgspec.json.encode(message) + b"\n"


def read(data: bytes, size: int | None = None) -> SseParser:
    parser = SseParser()
    step = size or max(len(data), 1)
    for start in range(0, len(data), step):
        parser.feed(data[start : start + step])
    parser.end()
    return parser


def decoded(parser: SseParser) -> list[object]:
    return [msgspec.json.decode(event.data) for event in parser.events]


@given(message=JSON, size=st.integers(1, 9))
def test_one_message_is_one_event(message: object, size: int) -> None:
    parser = read(event(line(message)), size)
    assert decoded(parser) == [message]
    assert parser.events[0].type == "message"
    assert parser.events[0].id == ""


@given(messages=MESSAGES, size=st.integers(1, 9))
def test_messages_that_are_joined_are_one_event_each(messages: list[object], size: int) -> None:
    assert decoded(read(events(b"".join(map(line, messages))), size)) == messages


@given(messages=MESSAGES)
def test_each_message_gets_the_id_of_its_own(messages: list[object]) -> None:
    seen: list[bytes] = []

    def id_of(data: bytes) -> str:
        seen.append(data)
        return f"s.{len(seen)}"

    parser = read(events(b"".join(map(line, messages)), id_of))
    assert decoded(parser) == messages
    assert seen == [line(message) for message in messages]
    assert [event.id for event in parser.events] == [f"s.{n + 1}" for n in range(len(messages))]


def test_an_event_has_no_type_field() -> None:
    assert event(b"{}\n") == b"data: {}\n\n"
    assert event(b"{}\n", "s.1") == b"id: s.1\ndata: {}\n\n"


@pytest.mark.parametrize("return_", [b"\r", b"\r\r"])
def test_a_carriage_return_between_the_tokens_does_not_cut_a_message(return_: bytes) -> None:
    data = b'{"a":' + return_ + b"[1,\r2]}\n"
    for written in (event(data), events(data), events(data, lambda _: "s.1"), event(data, "s.1")):
        assert decoded(read(written)) == [{"a": [1, 2]}]


def test_a_priming_event_has_an_id_and_no_data() -> None:
    assert read(priming_event("s.1")).events == [SseEvent("message", "", "s.1")]


def test_a_replay_is_what_was_sent() -> None:
    kept = [("s.1", b""), ("s.2", b"{}\n"), ("s.3", b"[]\n")]
    assert replay(kept) == priming_event("s.1") + event(b"{}\n", "s.2") + event(b"[]\n", "s.3")
    assert replay([]) == b""


def test_a_retry_sets_the_time_and_is_no_event() -> None:
    parser = read(event(b"1\n", "s.1") + retry(1500))
    assert parser.retry_ms == 1500
    assert len(parser.events) == 1


def test_a_comment_is_no_event_and_cuts_none() -> None:
    parser = read(COMMENT + event(b"1\n") + COMMENT + COMMENT + event(b"2\n"))
    assert decoded(parser) == [1, 2]
    assert parser.comments == 3


def test_nothing_on_the_way_may_keep_change_or_hold_back_a_stream() -> None:
    assert dict(STREAM_HEADERS) == {
        b"content-type": b"text/event-stream",
        b"cache-control": b"no-cache, no-transform",
        b"x-accel-buffering": b"no",
    }


# -- the judge itself ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"data: a\n\n", [("message", "a", "")]),
        (b"data:a\r\n\r\n", [("message", "a", "")]),
        (b"data: a\r\rdata: b\r\r", [("message", "a", ""), ("message", "b", "")]),
        (b"data:  a\ndata\ndata:b\n\n", [("message", " a\n\nb", "")]),
        (b"\xef\xbb\xbfdata: a\n\n", [("message", "a", "")]),
        (b"id: 1\n\ndata: a\n\n", [("message", "a", "1")]),
        (b"id: 1\ndata: a\n\ndata: b\n\n", [("message", "a", "1"), ("message", "b", "1")]),
        (b"id: 1\ndata: a\n\nid\ndata: b\n\n", [("message", "a", "1"), ("message", "b", "")]),
        (b"event: x\ndata: a\n\ndata: b\n\n", [("x", "a", ""), ("message", "b", "")]),
        (b"event: x\n\ndata: b\n\n", [("message", "b", "")]),
        (b"data\n\n", [("message", "", "")]),
    ],
)
@pytest.mark.parametrize("size", [1, 2, 100])
def test_the_parser_reads_what_the_standard_says(
    data: bytes, expected: list[tuple[str, str, str]], size: int
) -> None:
    assert read(data, size).events == [SseEvent(*parts) for parts in expected]


@pytest.mark.parametrize(
    "data",
    [b"data: \xff\n\n", b"data: a\n", b"dat: a\n\n", b"id: a\0b\n\n", b"retry: 1s\n\n", b"data"],
    ids=["no UTF-8", "cut", "no such field", "NUL in an id", "no number", "cut in a line"],
)
def test_the_parser_refuses_what_the_standard_would_ignore(data: bytes) -> None:
    with pytest.raises(SseError):
        read(data)
