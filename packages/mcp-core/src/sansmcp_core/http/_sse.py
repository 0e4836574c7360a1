"""Messages in, Server-Sent Events out.

Source: https://html.spec.whatwg.org/multipage/server-sent-events.html, Parsing an event stream.
"""

from collections.abc import Callable, Iterable

__all__ = ["COMMENT", "STREAM_HEADERS", "event", "events", "priming_event", "replay", "retry"]

COMMENT = b":\n\n"
"""A line that every client ignores; it keeps a quiet stream open."""

STREAM_HEADERS = (
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
)
"""The head of every stream: nothing on the way may keep it, change it or hold it back."""


def event(data: bytes, id: str | None = None) -> bytes:
    """Return one message as an event.

    It names no event type: every client takes that for ``message``.

    Args:
        data: The message, ended by its only newline.
        id: The id to resume after; None for a stream that cannot be resumed.
    """
    if b"\r" in data:
        data = _without_returns(data)
    if id is None:
        return b"data: " + data + b"\n"
    return b"id: " + id.encode("ascii") + b"\ndata: " + data + b"\n"


def events(lines: bytes, id_of: Callable[[bytes], str] | None = None) -> bytes:
    """Return several messages as one event each.

    Args:
        lines: The messages, each ended by its only newline; one or more.
        id_of: Gives each message, newline included, the id to resume after.
    """
    if id_of is not None:
        return b"".join([event(line, id_of(line)) for line in _split(lines)])
    if b"\r" in lines:
        lines = _without_returns(lines)
    return b"data: " + lines[:-1].replace(b"\n", b"\n\ndata: ") + b"\n\n"


def priming_event(id: str) -> bytes:
    """Return an event without a message, which tells the client where to resume.

    Source: MCP 2025-11-25 basic/transports, Sending Messages to the Server, 6.
    """
    return b"id: " + id.encode("ascii") + b"\ndata:\n\n"


def replay(kept: Iterable[tuple[str, bytes]]) -> bytes:
    """Return events once more, as an event store gives them: id and line, or id and nothing."""
    return b"".join([event(data, id) if data else priming_event(id) for id, data in kept])


def retry(milliseconds: int) -> bytes:
    """Return what tells the client how long to wait before it connects again."""
    return b"retry: %d\n\n" % milliseconds


def _split(lines: bytes) -> list[bytes]:
    return [line + b"\n" for line in lines[:-1].split(b"\n")]


def _without_returns(lines: bytes) -> bytes:
    # A carriage return ends a line of an event. In JSON it is never anything but white space, left
    # there by somebody else's formatting.
    return lines.replace(b"\r", b" ")
