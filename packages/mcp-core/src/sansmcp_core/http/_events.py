"""Where the events of resumable streams are kept, so that a client can take up a broken one.

Source: MCP 2025-11-25 basic/transports, Resumability and Redelivery.
"""

from _thread import allocate_lock
from collections import deque
from itertools import count
from typing import Protocol

from .._errors import LocalProtocolError

__all__ = ["EventStore", "MemoryEventStore"]

_MIB = 1024 * 1024
_MAX_NUMBER_DIGITS = 20


class EventStore(Protocol):
    """Keeps the events of resumable streams; a shared store of your own lets others replay them.

    Every method is called from the endpoint's own thread, between reading and writing, so it must
    not take long. Ids of events stand in an SSE line and in an HTTP header: visible ASCII only.
    """

    def append(self, stream_id: str, data: bytes) -> str:
        """Keep an event and return its id, which no other event of any stream ever has.

        Args:
            stream_id: The stream; visible ASCII.
            data: The message as a line, or ``b""`` for an event that carries an id only.
        """

    def stream_of(self, event_id: str) -> str | None:
        """Return the stream of an event; None where the store does not know it (any more).

        Args:
            event_id: What a client sent; it may be anything.
        """

    def after(self, event_id: str) -> list[tuple[str, bytes]] | None:
        """Return ids and data of the events after this one on its stream, in order.

        None where the id is unknown, or where one of those events is not kept any more: a replay
        has no gaps.
        """

    def forget(self, stream_id: str) -> None:
        """Drop everything about a stream; one that is not there is no error."""


class _Stream:
    """The newest events of one stream."""

    __slots__ = ("dropped_id", "events", "newest", "size")

    def __init__(self) -> None:
        self.events: deque[tuple[str, bytes]] = deque()
        self.size = 0
        self.newest = 0
        """The number of the last event, dropped or not."""
        self.dropped_id: str | None = None
        """The newest event that is not kept any more; what comes after it is complete."""


class MemoryEventStore:
    """Keeps events in this process's memory, bounded in every direction; the oldest go first.

    Safe to share between endpoints in several threads.

    Args:
        max_events_per_stream: Events kept of one stream.
        max_bytes_per_stream: Bytes of data kept of one stream.
        max_streams: Streams kept; the one with the longest silence goes first.
        max_bytes: Bytes of data kept in all; whole streams go, as above.

    Raises:
        ValueError: A bound is less than 1.
    """

    def __init__(
        self,
        *,
        max_events_per_stream: int = 1000,
        max_bytes_per_stream: int = 4 * _MIB,
        max_streams: int = 10_000,
        max_bytes: int = 64 * _MIB,
    ) -> None:
        bounds = {
            "max_events_per_stream": max_events_per_stream,
            "max_bytes_per_stream": max_bytes_per_stream,
            "max_streams": max_streams,
            "max_bytes": max_bytes,
        }
        for name, bound in bounds.items():
            if bound < 1:
                raise ValueError(f"{name} must be 1 or more, got {bound}")
        self._max_events = max_events_per_stream
        self._max_stream_bytes = max_bytes_per_stream
        self._max_streams = max_streams
        self._max_bytes = max_bytes
        self._size = 0
        # Numbers run over all streams: a stream that is forgotten and comes again under the same
        # id never gives an event the id of an older one.
        self._numbers = count(1)
        # In order of their last event.
        self._streams: dict[str, _Stream] = {}
        self._lock = allocate_lock()

    def append(self, stream_id: str, data: bytes) -> str:
        """Keep an event and return its id: the id of its stream, a dot and a number.

        Raises:
            LocalProtocolError: The stream id could not stand in an HTTP header.
        """
        with self._lock:
            stream = self._streams.pop(stream_id, None)
            if stream is None:
                _check_stream_id(stream_id)
                stream = _Stream()
            self._streams[stream_id] = stream
            stream.newest = next(self._numbers)
            event_id = f"{stream_id}.{stream.newest}"
            stream.events.append((event_id, data))
            self._count(stream, len(data))
            while len(stream.events) > self._max_events or stream.size > self._max_stream_bytes:
                stream.dropped_id, dropped = stream.events.popleft()
                self._count(stream, -len(dropped))
            while len(self._streams) > self._max_streams or self._too_large():
                self._drop(next(iter(self._streams)))
            return event_id

    def stream_of(self, event_id: str) -> str | None:
        """Return the stream of an event; None where the stream or the event was never there."""
        stream_id, _, number = event_id.rpartition(".")
        with self._lock:
            stream = self._streams.get(stream_id)
            known = stream is not None and 0 < _number(number) <= stream.newest
            return stream_id if known else None

    def after(self, event_id: str) -> list[tuple[str, bytes]] | None:
        """Return the events after this one on its stream; None rather than a list with a gap."""
        with self._lock:
            stream = self._streams.get(event_id.rpartition(".")[0])
            if stream is None:
                return None
            events = list(stream.events)
        if event_id == stream.dropped_id:
            return events
        for index, (id, _) in enumerate(events, 1):
            if id == event_id:
                return events[index:]
        return None

    def forget(self, stream_id: str) -> None:
        """Drop everything about a stream; one that is not there is no error."""
        with self._lock:
            if stream_id in self._streams:
                self._drop(stream_id)

    def _too_large(self) -> bool:
        # The stream that was just written to has a bound of its own.
        return self._size > self._max_bytes and len(self._streams) > 1

    def _drop(self, stream_id: str) -> None:
        self._size -= self._streams.pop(stream_id).size

    def _count(self, stream: _Stream, size: int) -> None:
        stream.size += size
        self._size += size


def _check_stream_id(stream_id: str) -> None:
    if not stream_id or any(not "!" <= character <= "~" for character in stream_id):
        raise LocalProtocolError(
            f"the id of a stream is made of visible ASCII characters, got {stream_id!r}"
        )


def _number(digits: str) -> int:
    """Return the number that ``append`` would have written so; 0 for anything else."""
    if not (digits.isascii() and digits.isdigit()) or len(digits) > _MAX_NUMBER_DIGITS:
        return 0
    return 0 if digits.startswith("0") else int(digits)
