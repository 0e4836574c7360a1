"""Requests read by h11.

h11 keeps the state of both sides of a connection. Answers are written without it, so each request
gets a reader of its own; that costs less than to tell one reader of every answer. A body that says
its length needs no more reading than counting.
"""

import re

import h11

from ._parser import BadRequest, Head, is_too_long, too_long

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
        self._reader = self._new_reader()
        self._fed = 0
        """Bytes of the current request that were given to the reader."""
        self._body: bytes | None = None
        """What is there of a body of known length and beyond it; None outside of one."""
        self._rest = 0
        """Bytes that a body of known length still lacks."""

    def feed(self, data: bytes) -> None:
        """Take what has arrived."""
        if self._body is not None:
            self._body += data
            return
        if not self._fed:
            data = data.lstrip(_EMPTY_LINES)
            if not data:
                return
        self._fed += len(data)
        self._reader.receive_data(data)

    def next_head(self) -> Head | None:
        """The head of the next request."""
        if not self._fed:
            return None
        event = self._next_event()
        if not isinstance(event, h11.Request):
            return None
        head = Head(
            event.method.decode("ascii"),
            event.target,
            event.http_version.decode("ascii"),
            [(name.lower(), value) for name, value in event.headers.raw_items()],
        )
        if self._fed > self._max_head_bytes and is_too_long(head, self._max_head_bytes):
            raise too_long(self._max_head_bytes)
        for name, value in head.headers:
            if name == b"transfer-encoding":
                return head
            if name == b"content-length":
                self._rest = int(value)
        self._body = self._reader.trailing_data[0]
        return head

    def next_body(self) -> tuple[bytes, bool]:
        """What has come of the body, and whether more is to come."""
        body = self._body
        if body is None:
            return self._next_chunks()
        rest = self._rest - len(body)
        if rest > 0:
            self._rest, self._body = rest, b""
            return body, True
        self._body = None
        self._start(body[self._rest :])
        body, self._rest = body[: self._rest], 0
        return body, False

    def _next_chunks(self) -> tuple[bytes, bool]:
        pieces: list[bytes] = []
        while isinstance(event := self._next_event(), h11.Data):
            pieces.append(event.data)
        more = not isinstance(event, h11.EndOfMessage)
        if not more:
            self._start(self._reader.trailing_data[0])
        return b"".join(pieces), more

    def _next_event(self) -> object:
        try:
            return self._reader.next_event()
        except h11.RemoteProtocolError as error:
            if error.error_status_hint == 431:
                raise too_long(self._max_head_bytes) from None
            raise BadRequest(error.error_status_hint, _shown(error)) from None

    def _start(self, data: bytes) -> None:
        """Begin a new request, of which ``data`` has come already."""
        self._reader = self._new_reader()
        self._fed = 0
        if data:
            self.feed(data)

    def _new_reader(self) -> h11.Connection:
        return h11.Connection(h11.SERVER, max_incomplete_event_size=self._max_head_bytes)


def _shown(error: h11.RemoteProtocolError) -> str:
    """What was wrong, without Python's own way to write bytes."""
    return _PYTHON_BYTES.sub(r"'\1'", str(error))
