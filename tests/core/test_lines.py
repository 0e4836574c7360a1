"""Lines come out the same however the bytes are cut, within a bound."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sansmcp_core._lines import TOO_LONG, LineBuffer

LIMIT = 5
CASES = [
    pytest.param(b"", [], b"", id="nothing"),
    pytest.param(b"\n", [b""], b"", id="an empty line"),
    pytest.param(b"ab\ncd\n", [b"ab", b"cd"], b"", id="two lines"),
    pytest.param(b"ab\ncd", [b"ab"], b"cd", id="a rest"),
    pytest.param(b"12345\n", [b"12345"], b"", id="exactly the limit"),
    pytest.param(b"123456\nok\n", [TOO_LONG, b"ok"], b"", id="one byte too many"),
    pytest.param(b"1234567890123456789", [TOO_LONG], b"", id="endless"),
    pytest.param(b"1234567890\n\nok\n", [TOO_LONG, b"", b"ok"], b"", id="skipped to its newline"),
    pytest.param(b"123456\n123456\n", [TOO_LONG, TOO_LONG], b"", id="each one is told"),
]


def pieces(data: bytes, size: int) -> list[bytes]:
    return [data[start : start + size] for start in range(0, len(data), size)]


@pytest.mark.parametrize("size", [1, 2, 3, 1000])
@pytest.mark.parametrize(("data", "lines", "rest"), CASES)
def test_lines_do_not_depend_on_the_cuts(
    data: bytes, lines: list[object], rest: bytes, size: int
) -> None:
    buffer = LineBuffer(LIMIT)
    seen = [line for piece in pieces(data, size) for line in buffer.feed(piece)]

    assert seen == lines
    assert buffer.end() == rest


@given(st.lists(st.binary(max_size=12)))
def test_any_bytes_in_any_cuts_give_the_lines_of_the_whole(parts: list[bytes]) -> None:
    whole, cut = LineBuffer(LIMIT), LineBuffer(LIMIT)
    data = b"".join(parts)

    assert [line for part in parts for line in cut.feed(part)] == whole.feed(data)
    assert cut.end() == whole.end()


def test_a_line_without_end_takes_bounded_memory() -> None:
    buffer = LineBuffer(1000)
    for _ in range(1000):
        buffer.feed(b"x" * 1000)

    assert len(buffer._partial) <= 1000


def test_the_buffer_shrinks_after_a_long_line() -> None:
    buffer = LineBuffer(10_000_000)
    for _ in range(9):
        buffer.feed(b"x" * 1_000_000)
    (line,) = buffer.feed(b"\n")

    assert line == b"x" * 9_000_000
    assert buffer._partial.__sizeof__() < 1000
