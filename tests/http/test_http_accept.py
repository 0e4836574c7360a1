"""What a client takes and what it sends: ``Accept``, ``Content-Type`` and ``Content-Encoding``."""

from random import Random

import pytest
from gated import admitted, error_text, head, make_gate, refused, status
from hypothesis import given
from hypothesis import strategies as st
from sansmcp_core.http._accept import accepted_types, is_plain, is_utf8_json

BOTH = (True, True)
JSON = (True, False)
STREAM = (False, True)
NEITHER = (False, False)


@pytest.mark.parametrize(
    ("accept", "accepted"),
    [
        (None, BOTH),
        ("", BOTH),
        (" , ,", BOTH),
        ("*/*", BOTH),
        ("*", BOTH),
        ("text/html, image/gif, *; q=.2, */*; q=.2", BOTH),
        ("application/json, text/event-stream", BOTH),
        ("text/event-stream,application/json", BOTH),
        ("APPLICATION/JSON, Text/Event-Stream", BOTH),
        ("application/*, text/event-stream", BOTH),
        ("application/*, text/*", BOTH),
        ("application/json;q=0.1, text/event-stream;q=0.001", BOTH),
        ("application/json; charset=utf-8, text/event-stream; x=y; q=1", BOTH),
        ("application/json", JSON),
        ("application/*", JSON),
        ("application/json, text/event-stream;q=0", JSON),
        ("*/*, text/event-stream;q=0", JSON),
        ("*/*, text/*;q=0.000", JSON),
        ("text/*;q=0, application/json", JSON),
        ('text/plain; a="b, text/event-stream", application/json', JSON),
        ("text/event-stream", STREAM),
        ("application/json;q=0, text/event-stream", STREAM),
        ("application/json;q=0, */*", STREAM),
        ("application/json ; Q = 0.0 , */*", STREAM),
        ("application/*;q=0, */*;q=0.5", STREAM),
        ("*/*;q=0, text/event-stream", STREAM),
        ("*/*;q=0", NEITHER),
        ("text/plain", NEITHER),
        ("text/html, image/*", NEITHER),
        ("application/jsonp, application/json-seq", NEITHER),
        ("json", NEITHER),
        ("*/json", NEITHER),
        ("application/*;q=0, application/json, text/*;q=0", JSON),
        ("application/json;q=0, application/json", JSON),
        ("application/json;q=nonsense", JSON),
        ("application/json;q", JSON),
    ],
)
def test_the_most_specific_range_decides_and_a_weight_of_zero_excludes(
    accept: str | None, accepted: tuple[bool, bool]
) -> None:
    assert accepted_types(None if accept is None else accept.encode()) == accepted


@pytest.mark.parametrize(
    "content_type",
    [
        "application/json",
        "APPLICATION/JSON",
        " application/json ",
        "application/json;",
        "application/json; charset=utf-8",
        "application/json;charset=UTF-8",
        'application/json ; Charset = "utf-8"',
        "application/json; charset=utf8",
        "application/json; profile=x; charset=utf-8",
        "application/json; notcharset=latin-1",
    ],
)
def test_json_in_utf8_is_served(content_type: str) -> None:
    assert is_utf8_json(content_type.encode())
    assert status(make_gate(), head(content_type=content_type)) == 0


@pytest.mark.parametrize(
    "content_type",
    [
        "",
        "text/plain",
        "application/jsonp",
        "application/json-rpc",
        "application/problem+json",
        "application/json, text/plain",
        "text/plain; application/json",
        "text/plain, application/json",
        "json",
        "application/ json",
        "application/json; charset=latin-1",
        "application/json; charset=utf-16",
        'application/json; charset="utf-16"',
        "application/json; charset=utf-8; charset=utf-16",
        "application/json; charset=",
    ],
)
def test_any_other_content_type_is_415(content_type: str) -> None:
    answer = refused(make_gate(), head(content_type=content_type))
    assert answer.status == 415
    assert (b"accept", b"application/json") in answer.headers
    assert "Content-Type must be application/json" in error_text(answer)


def test_an_absent_or_a_repeated_content_type_is_415() -> None:
    gate = make_gate()
    assert status(gate, head(without="content-type")) == 415
    good = head()
    assert status(gate, good) == 0
    twice = head("POST", "/mcp", ("content-type", "application/json"))
    assert status(gate, twice) == 415
    # The cache knows the last of a repeated field, which is a good one here.
    disguised = head(
        "POST", "/mcp", ("content-type", "application/json"), content_type="text/plain"
    )
    assert status(gate, disguised) == 415
    assert status(gate, good) == 0


@pytest.mark.parametrize("encoding", ["identity", "Identity", "", " identity "])
def test_a_plain_body_may_say_so(encoding: str) -> None:
    assert is_plain(encoding.encode())
    assert status(make_gate(), head(content_encoding=encoding)) == 0


@pytest.mark.parametrize("encoding", ["gzip", "br", "identity, gzip", "gzip, identity"])
def test_an_encoded_body_is_415(encoding: str) -> None:
    answer = refused(make_gate(), head(content_encoding=encoding))
    assert answer.status == 415
    assert (b"accept-encoding", b"identity") in answer.headers
    assert encoding in error_text(answer)


@pytest.mark.parametrize(
    ("accept", "accepted"),
    [
        ("*/*", BOTH),
        ("application/json", JSON),
        ("text/event-stream", STREAM),
        ("application/json;q=0, text/event-stream", STREAM),
    ],
)
def test_the_verdict_tells_json_and_stream_apart(accept: str, accepted: tuple[bool, bool]) -> None:
    verdict = admitted(make_gate(), head(accept=accept))
    assert (verdict.accepts_json, verdict.accepts_stream) == accepted


def test_an_absent_accept_takes_both() -> None:
    verdict = admitted(make_gate(), head(without="accept"))
    assert (verdict.accepts_json, verdict.accepts_stream) == BOTH


def test_accept_in_several_lines_is_one_list() -> None:
    verdict = admitted(
        make_gate(), head("POST", "/mcp", ("accept", "text/event-stream"), accept="text/plain")
    )
    assert (verdict.accepts_json, verdict.accepts_stream) == STREAM


def test_nothing_acceptable_is_406_with_a_readable_body() -> None:
    answer = refused(make_gate(), head(accept="text/plain"))
    assert answer.status == 406
    assert error_text(answer) == (
        "Accept must allow application/json, text/event-stream or both; got 'text/plain'"
    )


@pytest.mark.parametrize(
    ("accept", "code"), [("text/event-stream", 0), ("*/*", 0), ("application/json", 406)]
)
def test_a_get_must_take_a_stream(accept: str, code: int) -> None:
    assert status(make_gate(), head("GET", accept=accept, mcp_session_id="s")) == code


def test_a_delete_need_take_nothing() -> None:
    assert status(make_gate(), head("DELETE", accept="text/plain", mcp_session_id="s")) == 0


@given(st.binary())
def test_any_bytes_can_be_read_as_a_header(value: bytes) -> None:
    assert accepted_types(value) in {BOTH, JSON, STREAM, NEITHER}
    assert is_utf8_json(value) in {True, False}
    assert is_plain(value) in {True, False}


RANGES = st.sampled_from(
    ["application/json", "application/*", "text/event-stream", "text/*", "*/*"]
)


@given(st.dictionaries(RANGES, st.booleans(), min_size=1), st.randoms())
def test_the_order_of_ranges_makes_no_difference(ranges: dict[str, bool], random: Random) -> None:
    elements = [name if taken else f"{name};q=0" for name, taken in ranges.items()]
    expected = accepted_types(",".join(elements).encode())
    random.shuffle(elements)
    assert accepted_types(", ".join(elements).encode()) == expected
