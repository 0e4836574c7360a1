"""One duplex byte stream, as bytes in and effects out: stdio, a socket, anything with two ends.

Source: MCP 2026-07-28 basic/transports/stdio.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET, Raw
from sansmcp_schema.jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST
from sansmcp_schema.requests import CancelledNotificationParams
from sansmcp_schema.results import EmptyResult, Result

from ._calls import Calls
from ._decode import Answer, Message, Rejection, decode_message
from ._discovery import initialize_result
from ._effects import Close, Effect, Send
from ._envelope import Envelope
from ._errors import LocalProtocolError
from ._lines import LineBuffer, TooLong
from ._listening import Listeners
from ._outbox import Outbox
from ._outcomes import Begin, Follow, Listen, Outcome, Reply, Start
from ._request import Request, read_request
from ._session import LegacySession
from ._settings import CacheHint
from ._subscriptions import Listener

if TYPE_CHECKING:
    from ._server import Server

__all__ = ["Connection"]

_TOO_MANY = "Server busy: too many listeners; try again later"

_decode_cancelled = msgspec.json.Decoder(CancelledNotificationParams).decode


def _stay_asleep() -> None:
    """Do nothing: for owners that look at ``pending`` by themselves."""


class Connection:
    """Serves one peer that speaks newline-delimited JSON-RPC, in both eras at once.

    It does no I/O, knows no clock and starts no thread. Whoever owns it passes in what arrived and
    carries out the effects, in order. Only the owner calls its methods, one at a time; handlers
    may run anywhere. Nothing that the peer sends raises.

    Args:
        server: What is served; one server may have many connections.
        wake: Called, from any thread, when ``pending`` has something to return; it must neither
            block nor call back. Does nothing by default.
        lifespan_value: What the server's lifespan yielded.
        async_handlers: Whether the owner can await; where it cannot, coroutine functions are
            refused at registration.

    Raises:
        RegistrationError: A declaration of the server cannot be served.
    """

    def __init__(
        self,
        server: "Server",
        *,
        wake: Callable[[], None] = _stay_asleep,
        lifespan_value: Any = None,
        async_handlers: bool = True,
    ) -> None:
        server.prepare(async_handlers)
        limits = server.settings.limits
        self._server = server
        self._limits = limits
        self._lines = LineBuffer(limits.max_line_bytes)
        self._envelope = Envelope(server)
        self._outbox = Outbox(wake, limits.max_queued_messages)
        self._calls = Calls(server, self._envelope, self._outbox, self._drain, lifespan_value)
        self._session = LegacySession()
        self._listeners = Listeners(server.hub, self._outbox.put, limits.max_uris_per_listen)
        self._ended = False
        self._refusing = False
        self._unsent_bytes: int | None = None

    # -- what the owner calls ----------------------------------------------------------------

    def receive(self, data: bytes, now: float) -> list[Effect]:
        """Return the effects of bytes that arrived, in any segmentation.

        Args:
            data: What was read; it may end in the middle of a message.
            now: Unix time in seconds.

        Raises:
            LocalProtocolError: The stream was said to have ended.
        """
        if self._ended:
            raise LocalProtocolError("receive() after receive_eof(): the stream has ended")
        effects: list[Effect] = []
        for line in self._lines.feed(data):
            self._take_line(line, now, effects)
        return effects if self._unsent_bytes is None else self._counted(effects)

    def receive_eof(self, now: float) -> list[Effect]:
        """Return the effects of the stream's end: a last line without newline is served, too."""
        effects: list[Effect] = []
        if not self._ended:
            self._ended = True
            line = self._lines.end()
            if line:
                self._take_line(line, now, effects)
            effects += self._calls.give_up_all("the client has closed the stream")
        return self._counted(effects)

    def pending(self, now: float) -> list[Effect]:
        """Return what arose elsewhere: progress, log messages, changes. Call it after ``wake``."""
        return self._counted(self._drain())

    def tick(self, now: float) -> list[Effect]:
        """Return the effects of time that has passed; call it at ``deadline()``."""
        return self._counted(self._calls.tick(now))

    def deadline(self) -> float | None:
        """Return the Unix time at which ``tick`` wants to be called; None for never."""
        return self._calls.deadline()

    @property
    def calls_open(self) -> int:
        """How many calls run or wait, cancelled ones that still run included."""
        return len(self._calls)

    @property
    def paused(self) -> bool:
        """Whether the owner should read no more for now, since too much is unsent."""
        return (self._unsent_bytes or 0) > self._limits.max_unsent_bytes

    def sent(self, count: int) -> None:
        """Tell that ``count`` bytes were written; without ever calling it nothing pauses."""
        self._unsent_bytes = max(0, (self._unsent_bytes or 0) - count)
        self._calls.count = self._counted

    def shutdown(self, now: float) -> list[Effect]:
        """Return the effects of an orderly end: subscriptions end, new requests are refused.

        Calls that run or wait go on; when they are done, or have had time enough, ``close``.
        """
        self._refusing = True
        effects = self._drain()
        cancel_too = self._server.settings.cancel_ended_subscriptions
        endings = self._listeners.end_all(self._envelope, cancel_too=cancel_too)
        if endings:
            effects.append(Send(endings))
        return self._counted(effects)

    def close(self, now: float) -> list[Effect]:
        """Return what stops every call, and the end of the stream; nothing is answered any more."""
        self._ended = self._refusing = True
        self._listeners.close()
        return [*self._calls.close(), Close()]

    # -- one message -------------------------------------------------------------------------

    def _take_line(self, line: bytes | TooLong, now: float, effects: list[Effect]) -> None:
        if isinstance(line, TooLong):
            longest = self._limits.max_line_bytes
            text = f"Invalid request: a line is longer than {longest} bytes"
            effects.append(Send(self._envelope.error(UNSET, INVALID_REQUEST, text)))
            return
        if not line or line == b"\r":
            return
        message = decode_message(line, self._limits.max_nesting)
        if isinstance(message, Message):
            if message.id is UNSET:
                self._take_notification(message, effects)
            else:
                self._take_request(message, now, effects)
        elif isinstance(message, Rejection):
            effects.append(self._rejected(message))
        elif isinstance(message, Answer):
            effects += self._calls.take_answer(message, now)

    def _take_request(self, message: Message, now: float, effects: list[Effect]) -> None:
        id = message.id
        assert id is not UNSET
        if id in self._calls.open or id in self._listeners:
            # Without id: with it, this would pass for the answer to the request that is open.
            text = f"Invalid request: the id {id!r} belongs to a request that is still open"
            effects.append(Send(self._envelope.error(UNSET, INVALID_REQUEST, text)))
            return
        if self._refusing:
            text = "Server is shutting down"
            effects.append(Send(self._envelope.error(id, INTERNAL_ERROR, text)))
            return
        request = read_request(message, self._session, self._server)
        if isinstance(request, Rejection):
            effects.append(self._rejected(request))
            return
        outcome = request.method.serve(request, self._server, now)
        if isinstance(outcome, Start):
            effects += self._calls.start(request, outcome.target, outcome.rounds, now)
        else:
            self._carry_out(request, outcome, effects)

    def _take_notification(self, message: Message, effects: list[Effect]) -> None:
        """Notifications are never answered, whatever is wrong with them."""
        if message.method != "notifications/cancelled":
            return
        try:
            id = _decode_cancelled(message.params).request_id
        except (ValueError, RecursionError):
            return
        if id is UNSET:
            return
        if not self._listeners.cancel(id):
            effects += self._calls.cancel(id)

    # -- answers -----------------------------------------------------------------------------

    def _carry_out(self, request: Request, outcome: Outcome, effects: list[Effect]) -> None:
        """Carry out what leads to an answer at once."""
        id = request.message.id
        assert id is not UNSET
        if isinstance(outcome, Rejection):
            effects.append(self._rejected(outcome))
        elif isinstance(outcome, Reply):
            effects.append(self._reply(request, outcome.result, outcome.cache))
            if isinstance(outcome.result, Raw):
                effects += self._server.lists.take_reports()
        elif isinstance(outcome, Listen):
            subscription = self._listeners.open(id, request.revision, outcome.honoured)
            if subscription is None:
                effects.append(self._rejected(Rejection(INTERNAL_ERROR, _TOO_MANY, UNSET, id)))
            else:
                effects.append(Send(subscription.acknowledgement()))
        elif isinstance(outcome, Begin):
            if self._listeners.begin_session(self._session, outcome.kinds):
                self._session.begin(outcome.params)
                request.revision = self._session.revision
                result = initialize_result(self._server, request.revision)
                effects.append(self._reply(request, result))
            else:
                effects.append(self._rejected(Rejection(INTERNAL_ERROR, _TOO_MANY, UNSET, id)))
        elif isinstance(outcome, Follow):
            if self._listeners.follow(self._session, outcome.uri, wanted=outcome.wanted):
                effects.append(self._reply(request, EmptyResult()))
            else:
                text = f"Invalid params: no more than {self._limits.max_uris_per_listen} resources"
                effects.append(self._rejected(Rejection(INVALID_PARAMS, text, UNSET, id)))

    def _rejected(self, rejection: Rejection) -> Send:
        return Send(
            self._envelope.error(rejection.id, rejection.code, rejection.message, rejection.data)
        )

    def _reply(
        self, request: Request, result: Result | Raw, cache: CacheHint | None = None
    ) -> Send:
        id = request.message.id
        assert id is not UNSET
        return Send(self._envelope.result(id, result, request.era, request.revision, cache))

    # -- what arose elsewhere ----------------------------------------------------------------

    def _drain(self) -> list[Effect]:
        effects: list[Effect] = []
        for item in self._outbox.take():
            if isinstance(item, Listener):
                data = self._listeners.lines(item)
            else:
                data = b"" if item.call.over else item.data
            if data:
                effects.append(Send(data))
        return effects

    def _counted(self, effects: list[Effect]) -> list[Effect]:
        if self._unsent_bytes is not None:
            self._unsent_bytes += sum(
                len(effect.data) for effect in effects if isinstance(effect, Send)
            )
        return effects
