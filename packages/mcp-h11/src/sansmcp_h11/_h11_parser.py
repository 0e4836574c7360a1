"""Requests read by h11.

h11 keeps the state of both sides of a connection. Answers are written without it, so each request
gets a reader of its own; that costs less than to tell one reader of every answer. A body that says
its length needs no more reading than counting.
"""

import re

import h11

from ._parser import BadRequest, Event, Head, is_too_long, too_long

__all__ = ["H11Parser"]

_PYTHON_BYTES = re.compile(r"(?:bytearray\()?b'([^']*)'\)?")
_EMPTY_LINES = b"\r\n"
"""What may come before a request, which h11 does not know. Source: RFC 9112 section 2.2."""


class H11Parser:
    """Reads the requests of one connection.

    Args:
        max_head_bytes: The most bytes of a head.
    """

    def __init__(self, max_head_bytes: int) -> None:
        self._max_head_bytes = max_head_bytes
        self._reader = self._new_reader(b"")
        self._fed = 0
        self._body: bytes | None = None
        """What is there of a body of known length and beyond it; None outside of one."""
        self._rest = 0
        """Bytes that a body of known length still lacks."""

    def feed(self, data: bytes) -> None:
        """Take what has arrived."""
        if self._body is None:
            if not self._fed:
                data = data.lstrip(_EMPTY_LINES)
                if not data:
                    return
            self._fed += len(data)
            self._reader.receive_data(data)
        else:
            self._body += data

    def next_event(self) -> Event:
        """The next event."""
        if self._body is not None:
            return self._next_of_body(self._body)
        try:
            event = self._reader.next_event()
        except h11.RemoteProtocolError as error:
            if error.error_status_hint == 431:
                raise too_long(self._max_head_bytes) from None
            raise BadRequest(error.error_status_hint, _shown(error)) from None
        if isinstance(event, h11.Request):
            return self._begin(event)
        if isinstance(event, h11.Data):
            return bytes(event.data)
        if isinstance(event, h11.EndOfMessage):
            self._start(self._reader.trailing_data[0])
            return b""
        return None

    def _begin(self, request: h11.Request) -> Head:
        headers = list(request.headers)
        head = Head(
            request.method.decode("ascii"),
            request.target,
            request.http_version.decode("ascii"),
            headers,
        )
        if self._fed > self._max_head_bytes and is_too_long(head, self._max_head_bytes):
            raise too_long(self._max_head_bytes)
        for name, value in headers:
            if name == b"transfer-encoding":
                return head
            if name == b"content-length":
                self._rest = int(value)
        self._body = self._reader.trailing_data[0]
        return head

    def _next_of_body(self, body: bytes) -> bytes | None:
        size = len(body)
        if not self._rest:
            self._body = None
            self._start(body)
            return b""
        if not size:
            return None
        if size <= self._rest:
            self._rest -= size
            self._body = b""
            return body
        rest, self._rest = self._rest, 0
        self._body = body[rest:]
        return body[:rest]

    def _start(self, data: bytes) -> None:
        data = data.lstrip(_EMPTY_LINES)
        self._fed = len(data)
        self._reader = self._new_reader(data)

    def _new_reader(self, data: bytes) -> h11.Connection:
        reader = h11.Connection(h11.SERVER, max_incomplete_event_size=self._max_head_bytes)
        if data:
            reader.receive_data(data)
        return reader


def _shown(error: h11.RemoteProtocolError) -> str:
    """What was wrong, without Python's own way to write bytes."""
    return _PYTHON_BYTES.sub(r"'\1'", str(error))
