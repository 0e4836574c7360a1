"""``Endpoint``: the one HTTP endpoint of a server, for every exchange and both eras."""

from _thread import allocate_lock
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from msgspec import UNSET
from msgspec.structs import replace
from sansmcp_schema.jsonrpc import INVALID_REQUEST

from .._admission import Admission
from .._back_channel import BackChannel
from .._calls import Calls
from .._effects import Respond
from .._envelope import Envelope
from ._answers import whole_answer
from ._exchange import Exchange
from ._gate import Gate
from ._head import RequestHead
from ._info import info_for
from ._sessions import Sessions
from ._settings import DEFAULT_HTTP_SETTINGS, HttpSettings

if TYPE_CHECKING:
    from .._call import Call
    from .._server import Server

__all__ = ["Endpoint"]


class Endpoint:
    """Serves HTTP exchanges, of modern and legacy clients alike; it does no I/O.

    Whoever owns it opens an ``Exchange`` for each request and carries out the effects that it
    returns. One owner calls every method of an endpoint and of its exchanges; handlers may run
    anywhere. Nothing that a client sends raises.

    Args:
        server: What is served.
        settings: Switches and bounds of HTTP.
        lifespan_value: What the server's lifespan yielded; may be set later, before the first call.
        async_handlers: Whether the owner can await.
        max_blocking_calls: How many blocking calls the owner can run at once; further ones wait in
            the core. By default as many as run at all.

    Raises:
        RegistrationError: A declaration of the server cannot be served.
        ValueError: A pattern in the settings is none.

    Source: MCP 2026-07-28 basic/transports/streamable-http; 2025-11-25 basic/transports.
    """

    def __init__(
        self,
        server: "Server",
        settings: HttpSettings = DEFAULT_HTTP_SETTINGS,
        *,
        lifespan_value: Any = None,
        async_handlers: bool = True,
        max_blocking_calls: int | None = None,
    ) -> None:
        if not isinstance(settings, HttpSettings):
            raise TypeError(
                "settings must be a sansmcp_core.http.HttpSettings, got "
                f"{type(settings).__name__}; Settings are the server's: Server(..., settings=...)"
            )
        server.prepare(async_handlers)
        limits = server.settings.limits
        if not server.settings.legacy:
            settings = replace(settings, sessions=False)
        self.server = server
        self.settings = settings
        self.random = server.random
        self.max_nesting = limits.max_nesting
        self.max_queued_messages = limits.max_queued_messages
        self.envelope = Envelope(server)
        self.gate = Gate(settings, self.envelope, info_for(server))
        self.sessions = Sessions(server, settings)
        admission = Admission(
            limits.max_concurrent_calls, limits.max_waiting_calls, max_blocking_calls
        )
        self.calls = Calls(server, self.envelope, admission, lifespan_value)
        self.no_back_channel = BackChannel()
        """Stands where nobody can be asked; always empty."""
        self.lock = allocate_lock()
        """Held for a moment where something of an exchange is made by whoever needs it first."""
        self.streams_open = 0
        self.has_told_of_workers = False
        """Whether the log was told what an unknown session may mean."""
        self.refusing = False
        """Whether new requests are refused, since the server is going down."""
        self._lasting: dict[Exchange, None] = {}

    # -- what the owner calls ----------------------------------------------------------------

    def open(self, head: RequestHead, wake: Callable[[], None]) -> Exchange:
        """Return the exchange of a request; call its ``begin`` next.

        Args:
            head: The request's head.
            wake: Called, from any thread, when the exchange's ``pending`` has something to return;
                it must neither block nor call back.
        """
        return Exchange(self, head, wake)

    def refusal(self, status: int, text: str) -> Respond:
        """Return the answer to what is no HTTP request that could be opened, for an adapter.

        Args:
            status: The HTTP status.
            text: What was wrong, and what was expected.
        """
        body = self.envelope.error(UNSET, INVALID_REQUEST, f"Invalid request: {text}")
        return whole_answer(status, body)

    @property
    def lifespan_value(self) -> Any:
        """What handlers find as the lifespan's value."""
        return self.calls.lifespan

    @lifespan_value.setter
    def lifespan_value(self, value: Any) -> None:
        self.calls.lifespan = value

    @property
    def exchanges_open(self) -> int:
        """How many exchanges last: their call runs or waits, or their stream is open."""
        return len(self._lasting)

    @property
    def calls_open(self) -> int:
        """How many calls run or wait, cancelled ones that still run included."""
        asking = sum(len(session.back_channel.legs()) for session in self.sessions)
        return len(self.calls.admission) + asking

    def deadline(self) -> float | None:
        """Return the Unix time at which a session will have been idle for too long.

        Nobody has to call ``tick`` then: each new exchange looks, too.
        """
        return self.sessions.deadline()

    def tick(self, now: float) -> None:
        """End the sessions that were idle for too long."""
        self.sessions.sweep(now)

    def shutdown(self, now: float) -> None:
        """End every stream that belongs to no call, and refuse what is new; calls go on."""
        self.refusing = True
        for exchange in list(self._lasting):
            exchange.hand_over(exchange.shut_down())

    def close(self, now: float) -> None:
        """Stop every exchange; the owners are woken to carry that out."""
        self.refusing = True
        for exchange in list(self._lasting):
            exchange.hand_over(exchange.close(now))

    # -- what exchanges call -----------------------------------------------------------------

    @property
    def has_room_for_streams(self) -> bool:
        """Whether one more stream may be opened."""
        return self.streams_open < self.settings.max_streams

    def stay(self, exchange: Exchange, now: float) -> None:
        """Note that an exchange lasts, and when it should be looked after next."""
        self._lasting[exchange] = None
        exchange.quiet = True
        if self.settings.keep_alive_s is not None and not exchange.ended:
            exchange.timers.stop(exchange)
            exchange.timers.start(exchange, self.settings.keep_alive_s, now)

    def leave(self, exchange: Exchange, now: float) -> None:
        """Note that an exchange is done."""
        if self._lasting:
            self._lasting.pop(exchange, None)
        exchange.drop_timers()
        # It leads back here, and what is no circle is freed at once.
        exchange.call = None
        feed, session = exchange.feed, exchange.session
        if feed is not None:
            exchange.feed = None
            feed.close()
        if session is not None:
            exchange.session = None
            self.sessions.leave(session, now)

    def cancel(self, call: "Call") -> None:
        """Stop a call of another exchange, which is then not answered."""
        exchange = call.channel
        effects = self.calls.cancel(call)
        assert isinstance(exchange, Exchange)
        exchange.hand_over(effects + exchange.give_up())
