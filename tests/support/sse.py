"""A parser of Server-Sent Events, to the letter, that refuses what the standard would ignore.

Source: https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
"""

from typing import NamedTuple

__all__ = ["SseError", "SseEvent", "SseParser"]


class SseError(Exception):
    """A stream holds what no server should send."""


class SseEvent(NamedTuple):
    """What a browser would dispatch."""

    type: str
    data: str
    id: str


class SseParser:
    """Reads one stream, in any segmentation."""

    def __init__(self) -> None:
        self.events: list[SseEvent] = []
        self.comments = 0
        self.retry_ms: int | None = None
        self._rest = b""
        self._started = False
        self._after_return = False
        self._type = ""
        self._data = ""
        self._id = ""
        self._open = False

    def feed(self, data: bytes) -> None:
        """Take some more of the stream."""
        self._rest += data
        if not self._started:
            if len(self._rest) < 3 and b"\xef\xbb\xbf".startswith(self._rest):
                return
            self._started = True
            self._rest = self._rest.removeprefix(b"\xef\xbb\xbf")
        while (line := self._next_line()) is not None:
            try:
                self._take(line.decode())
            except UnicodeDecodeError as error:
                raise SseError(f"no UTF-8: {line!r}") from error

    def end(self) -> None:
        """Raise where the stream ends within an event."""
        if self._rest or self._open:
            raise SseError(f"the stream ends within an event: {self._rest!r}")

    def _next_line(self) -> bytes | None:
        if self._after_return and self._rest:
            # CR LF ends one line, and the two may come apart.
            self._after_return = False
            self._rest = self._rest.removeprefix(b"\n")
        ends = [end for end in (self._rest.find(b"\n"), self._rest.find(b"\r")) if end >= 0]
        if not ends:
            return None
        end = min(ends)
        self._after_return = self._rest[end : end + 1] == b"\r"
        line, self._rest = self._rest[:end], self._rest[end + 1 :]
        return line

    def _take(self, line: str) -> None:
        if not line:
            self._dispatch()
        elif line.startswith(":"):
            self.comments += 1
        else:
            self._open = True
            name, _, value = line.partition(":")
            self._field(name, value.removeprefix(" "))

    def _field(self, name: str, value: str) -> None:
        match name:
            case "event":
                self._type = value
            case "data":
                self._data += value + "\n"
            case "id" if "\0" not in value:
                self._id = value
            case "retry" if value.isascii() and value.isdigit():
                self.retry_ms = int(value)
            case _:
                raise SseError(f"a client would ignore the field {name!r} with {value!r}")

    def _dispatch(self) -> None:
        data, type = self._data, self._type
        self._data = self._type = ""
        self._open = False
        if data:
            self.events.append(SseEvent(type or "message", data.removesuffix("\n"), self._id))
