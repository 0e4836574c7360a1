"""Streams of legacy sessions: what is said on one, whoever carries it at the moment.

Source: MCP 2025-11-25 basic/transports, Resumability and Redelivery.
"""

from typing import Protocol

from .._effects import Effect
from ._events import EventStore
from ._sse import events, priming_event, replay

__all__ = ["Carrier", "SessionStream"]


class Carrier(Protocol):
    """The exchange that carries a stream to the client."""

    def ring(self) -> None:
        """Have its owner look at what there is to carry; from any thread."""

    def end(self) -> list[Effect]:
        """Return the end of what it sends."""

    def hand_over(self, effects: list[Effect]) -> list[Effect]:
        """Let effects wait for its owner."""


class SessionStream:
    """One stream, as the client knows it; with a store it outlives the exchange it began on.

    Args:
        id: Names the stream; nobody can guess it.
        store: Keeps what is said; None for a stream that ends with its connection.
        primes: Whether it begins with an event that only carries an id.
    """

    __slots__ = ("_store", "carried_id", "carrier", "id", "last_id", "over", "primes", "standing")

    def __init__(self, id: str, store: EventStore | None, *, primes: bool) -> None:
        self.id = id
        self.primes = primes
        self.carrier: Carrier | None = None
        self.last_id = ""
        """The id of the newest event."""
        self.carried_id = ""
        """The id of the newest event that a carrier of its own has taken."""
        self.over = False
        """Whether all is said."""
        self.standing = False
        """Whether a GET opened it, to hear of what belongs to no call."""
        self._store = store

    @property
    def resumable(self) -> bool:
        """Whether another exchange can take it up."""
        return self._store is not None

    def begin(self) -> bytes:
        """Return what comes before every message."""
        if self._store is None:
            return b""
        # Kept, if not sent, so that there is always an event after which to go on.
        id = self._keep(b"")
        return priming_event(id) if self.primes else b""

    def put(self, lines: bytes) -> bytes:
        """Return the events of messages, which are kept where there is a store."""
        return events(lines, None if self._store is None else self._keep)

    def after(self, event_id: str) -> tuple[str, bytes] | None:
        """Return what was said after an event, and the last id; None where there is a gap."""
        kept = None if self._store is None else self._store.after(event_id)
        if kept is None:
            return None
        return (kept[-1][0], replay(kept)) if kept else (event_id, b"")

    def untold(self) -> bytes:
        """Return the messages that no carrier has taken yet."""
        kept = None if self._store is None else self._store.after(self.carried_id)
        return b"".join([line for _, line in kept or ()])

    def _keep(self, line: bytes) -> str:
        assert self._store is not None
        self.last_id = self._store.append(self.id, line)
        return self.last_id
