"""Answers -> bytes of HTTP/1.1, the same for both parsers.

Source: RFC 9112 sections 4 and 7.1; RFC 9110 section 6.6.1.
"""

import re
import time
from collections.abc import Collection
from http import HTTPStatus

from sansmcp_core import Respond

__all__ = ["CONTINUE", "LAST_CHUNK", "chunk", "head_of_answer", "last_answer"]

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"

LAST_CHUNK = b"0\r\n\r\n"

_STATUS_LINES = {
    status.value: f"HTTP/1.1 {status.value} {status.phrase}\r\n".encode("ascii")
    for status in HTTPStatus
}

_FIELD_LINE = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+: [\t\x20-\x7e\x80-\xff]*\r\n")

_lines: dict[tuple[bytes, bytes], bytes] = {}
"""Fields that came up before, and their lines."""

_MAX_LINES = 256
_MAX_LINE_BYTES = 256


def head_of_answer(status: int, headers: Collection[tuple[bytes, bytes]], framing: bytes) -> bytes:
    """The bytes before an answer's body.

    Args:
        status: The status code, 200 to 599.
        headers: The fields, without ``Date`` and those of the connection.
        framing: Whole lines about the connection and the transfer.

    Raises:
        ValueError: A field is none, such as one with a line break in its value.
    """
    head = _STATUS_LINES.get(status) or b"HTTP/1.1 %d \r\n" % status
    for field in headers:
        head += _lines.get(field) or _new_line(field)
    return b"%b%b%b\r\n" % (head, _date(), framing)


def _new_line(field: tuple[bytes, bytes]) -> bytes:
    line = b"%b: %b\r\n" % field
    if _FIELD_LINE.fullmatch(line) is None:
        raise ValueError(f"a header field of an answer cannot be sent: {line!r}")
    if len(_lines) >= _MAX_LINES:
        _lines.clear()
    if len(line) <= _MAX_LINE_BYTES:
        _lines[field] = line
    return line


def last_answer(answer: Respond, *, with_body: bool = True) -> bytes:
    """A whole answer after which the connection is closed."""
    head = head_of_answer(answer.status, answer.headers, b"connection: close\r\n")
    return head + answer.body if with_body else head


def chunk(data: bytes) -> bytes:
    """A piece of a body whose length was not told; ``data`` is not empty."""
    return b"%x\r\n%b\r\n" % (len(data), data)


# -- the date -------------------------------------------------------------------------------------

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

_dated: tuple[int, bytes] = (0, b"")
"""The second that was last asked for, and its line."""


def _date() -> bytes:
    """The line with the present date, made once a second."""
    global _dated  # noqa: PLW0603 - a cache of one
    second, line = _dated
    now = int(time.time())
    if now != second:
        t = time.gmtime(now)
        line = (
            f"date: {_DAYS[t.tm_wday]}, {t.tm_mday:02} {_MONTHS[t.tm_mon - 1]} {t.tm_year} "
            f"{t.tm_hour:02}:{t.tm_min:02}:{t.tm_sec:02} GMT\r\n"
        ).encode("ascii")
        _dated = (now, line)
    return line
