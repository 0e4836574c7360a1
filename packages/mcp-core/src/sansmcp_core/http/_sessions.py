"""Sessions of legacy clients: opened by ``initialize``, found by their id, ended or idle.

Source: MCP 2025-11-25 basic/transports, Session Management.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from .._back_channel import BackChannel
from .._clock import SteadyClock
from .._effects import Data
from .._listening import Listeners
from .._session import LegacySession
from ._events import EventStore, MemoryEventStore
from ._settings import HttpSettings
from ._streams import Carrier, SessionStream

if TYPE_CHECKING:
    from .._call import Call
    from .._server import Server
    from .._subscriptions import Listener

__all__ = ["HttpSession", "Sessions"]

_ID_BYTES = 24
_MAX_ENDED_STREAMS = 64
_PRIMED_SINCE = "2025-11-25"


class HttpSession:
    """What the server keeps of one legacy client between its requests.

    Args:
        id: The value of ``Mcp-Session-Id``.
        server: What is served.
        store: Keeps the events of its streams; None where they cannot be resumed.
    """

    __slots__ = (
        "_store",
        "back_channel",
        "ended",
        "id",
        "legacy",
        "listeners",
        "open",
        "running",
        "standing",
        "streams",
    )

    def __init__(self, id: str, server: "Server", store: EventStore | None) -> None:
        self.id = id
        self.legacy = LegacySession()
        self.open: dict[str | int, Call] = {}
        """Its calls that are not answered yet."""
        self.back_channel = BackChannel()
        self.listeners = Listeners(
            server.hub, self._changed, server.settings.limits.max_uris_per_listen
        )
        self.standing: SessionStream | None = None
        """The stream that the client opened with GET, where it is connected."""
        self.streams: dict[str, SessionStream] = {}
        """Streams that can be resumed, oldest first."""
        self.running = 0
        """Exchanges that belong to it at the moment."""
        self.ended = False
        self._store = store

    @property
    def carrier(self) -> Carrier | None:
        """The exchange that carries the standing stream."""
        return None if self.standing is None else self.standing.carrier

    def say(self, lines: bytes) -> None:
        """Send messages on the standing stream, for a call that has no stream of its own."""
        if self.standing is None:
            return
        data = self.standing.put(lines)
        if self.carrier is not None:
            self.carrier.hand_over([] if self.resumable else [Data(data)])
            self.carrier.ring()

    @property
    def resumable(self) -> bool:
        """Whether its streams can be taken up again."""
        return self._store is not None

    @property
    def polls(self) -> bool:
        """Whether its client comes back by itself to a stream that was closed on it."""
        return self.resumable and self.legacy.revision >= _PRIMED_SINCE

    def new_stream(self, random: Callable[[int], bytes]) -> SessionStream:
        """Return a new stream of this session."""
        stream = SessionStream(random(_ID_BYTES).hex(), self._store, primes=self.polls)
        if self._store is not None:
            self.streams[stream.id] = stream
            self._drop_ended()
        return stream

    def stream_of(self, event_id: str) -> SessionStream | None:
        """Return the stream of this session that holds an event; None where there is none."""
        id = None if self._store is None else self._store.stream_of(event_id)
        return None if id is None else self.streams.get(id)

    def forget(self, stream: SessionStream) -> None:
        """Keep a stream no longer."""
        if self.streams.pop(stream.id, None) is not None and self._store is not None:
            self._store.forget(stream.id)

    def end(self) -> None:
        """Hear of nothing any more and keep nothing."""
        self.ended = True
        self.listeners.close()
        for stream in list(self.streams.values()):
            stream.over = True
            self.forget(stream)
            if stream.carrier is not None:
                stream.carrier.ring()
        if self.standing is not None:
            self.standing.over = True
        if self.carrier is not None:
            self.carrier.ring()

    def _changed(self, listener: "Listener") -> None:
        """Have the client told; from any thread. Where nobody carries it, it waits at the hub."""
        carrier = self.carrier
        if carrier is not None:
            carrier.ring()

    def _drop_ended(self) -> None:
        ended = [s for s in self.streams.values() if s.over and s.carrier is None]
        for stream in ended[: max(0, len(self.streams) - _MAX_ENDED_STREAMS)]:
            self.forget(stream)


class Sessions:
    """The sessions of one endpoint.

    Args:
        server: What is served.
        settings: Ceiling, idle time and event store.
    """

    def __init__(self, server: "Server", settings: HttpSettings) -> None:
        self._server = server
        self._max_sessions = settings.max_sessions
        self._idle_s = settings.session_idle_s
        self._store: EventStore | None = None
        if settings.resumable:
            given = settings.event_store
            self._store = MemoryEventStore() if given is None else given
        self._by_id: dict[str, HttpSession] = {}
        # In order of their due time, since all have the same time to be idle. No one has to come
        # at a certain time here, so a long silence is real: the clock is not asked to doubt it.
        self._idle: dict[HttpSession, float] = {}
        self._clock = SteadyClock()

    def __len__(self) -> int:
        return len(self._by_id)

    def __iter__(self) -> Iterator[HttpSession]:
        return iter(list(self._by_id.values()))

    def find(self, id: str) -> HttpSession | None:
        """Return the session of that id; None where it never was, or is over."""
        return self._by_id.get(id)

    @property
    def full(self) -> bool:
        """Whether no more session may be opened."""
        return len(self._by_id) >= self._max_sessions

    def new(self) -> HttpSession:
        """Return a session that nobody can find yet."""
        return HttpSession(self._server.random(_ID_BYTES).hex(), self._server, self._store)

    def add(self, session: HttpSession, now: float) -> None:
        """Let a session be found."""
        self._by_id[session.id] = session
        self.leave(session, now)

    def enter(self, session: HttpSession) -> None:
        """Note that an exchange of a session begins."""
        session.running += 1
        self._idle.pop(session, None)

    def leave(self, session: HttpSession, now: float) -> None:
        """Note that an exchange of a session has ended, or that it was just opened."""
        session.running = max(0, session.running - 1)
        if not session.running and not session.ended and self._idle_s is not None:
            self._idle[session] = self._clock.advance(now, None) + self._idle_s

    def touch(self, session: HttpSession, now: float) -> None:
        """Note that the client of a session was heard of."""
        if session.id in self._by_id:
            self.enter(session)
            self.leave(session, now)

    def end(self, session: HttpSession) -> None:
        """End a session: from now on nobody finds it."""
        self._by_id.pop(session.id, None)
        self._idle.pop(session, None)
        session.end()

    def sweep(self, now: float) -> None:
        """End the sessions that were idle for too long."""
        if not self._idle:
            return
        elapsed = self._clock.advance(now, None)
        while self._idle:
            session, due_s = next(iter(self._idle.items()))
            if due_s > elapsed:
                return
            self.end(session)

    def deadline(self) -> float | None:
        """Return the Unix time at which the next session has been idle for too long."""
        return self._clock.to_unix(next(iter(self._idle.values()))) if self._idle else None
