"""What each message of a peer leads to, once it is decoded."""

from typing import TYPE_CHECKING

from msgspec import UNSET, Raw
from sansmcp_schema.jsonrpc import INTERNAL_ERROR
from sansmcp_schema.results import EmptyResult, Result

from ._decode import Answer, Incoming, Message, Rejection
from ._discovery import initialize_result
from ._effects import Effect, Send
from ._outcomes import AtOnce, Begin, Follow, Listen, Reply, Start
from ._refusals import (
    BUSY_LISTENERS,
    GOING_DOWN,
    cancelled_id,
    id_still_open,
    too_many_followed,
    unanswerable,
)
from ._request import Request, read_request
from ._session import LegacySession
from ._settings import CacheHint

if TYPE_CHECKING:
    from ._calls import Calls
    from ._duplex import DuplexChannel
    from ._envelope import Envelope
    from ._listening import Listeners
    from ._server import Server

__all__ = ["Reception"]


class Reception:
    """Takes the messages of one duplex connection.

    Args:
        server: What is served.
        envelope: Wraps the answers.
        calls: Runs what has to be run.
        channel: Where the calls of this connection have their say.
        listeners: Who listens on this connection.
    """

    def __init__(
        self,
        server: "Server",
        envelope: "Envelope",
        calls: "Calls",
        channel: "DuplexChannel",
        listeners: "Listeners",
    ) -> None:
        self.refusing = False
        """Whether new requests are refused, since the server is going down."""
        self._server = server
        self._envelope = envelope
        self._calls = calls
        self._channel = channel
        self._open = channel.open
        self._listeners = listeners
        self._session = LegacySession()

    def take(self, message: Incoming, now: float, effects: list[Effect]) -> None:
        """Add the effects of one message to ``effects``."""
        if type(message) is not Message:
            self._take_other(message, now, effects)
            return
        id = message.id
        if id is UNSET:
            self._take_notification(message, effects)
            return
        if id in self._open or id in self._listeners.subscriptions:
            effects.append(self._rejected(id_still_open(id)))
            return
        if self.refusing:
            effects.append(self._rejected(Rejection(INTERNAL_ERROR, GOING_DOWN, UNSET, id)))
            return
        request = read_request(message, self._session, self._server)
        if type(request) is Rejection:
            effects.append(self._rejected(request))
            return
        try:
            outcome = request.method.serve(request, self._server, now)
            if type(outcome) is Start:
                calls = self._calls
                call = calls.open(self._channel, request, outcome.target, outcome.rounds)
                effects += calls.run(call, now)
            else:
                self._carry_out(request, outcome, effects)
        except Exception as error:  # noqa: BLE001 - the author's declarations may hold anything
            report, rejection = unanswerable(message, error)
            effects += [report, self._rejected(rejection)]

    def _take_other(self, message: Incoming, now: float, effects: list[Effect]) -> None:
        if isinstance(message, Rejection):
            effects.append(self._rejected(message))
        elif isinstance(message, Answer):
            taken = self._calls.asker.take_answer(self._channel.back_channel, message, now)
            effects += [] if taken is None else taken[1]

    def _take_notification(self, message: Message, effects: list[Effect]) -> None:
        """Notifications are never answered, whatever is wrong with them."""
        if message.method != "notifications/cancelled":
            return
        id = cancelled_id(message)
        if id is UNSET:
            return
        if not self._listeners.cancel(id):
            call = self._channel.open.get(id)
            effects += [] if call is None else self._calls.cancel(call)

    # -- answers -----------------------------------------------------------------------------

    def _carry_out(self, request: Request, outcome: AtOnce, effects: list[Effect]) -> None:
        """Carry out what leads to an answer at once."""
        if type(outcome) is Reply:
            effects.append(self._reply(request, outcome.result, outcome.cache))
            if type(outcome.result) is Raw:
                effects += self._server.lists.take_reports()
        elif isinstance(outcome, Rejection):
            effects.append(self._rejected(outcome))
        elif isinstance(outcome, Listen):
            effects.append(self._listen(request, outcome))
        elif isinstance(outcome, Begin):
            effects.append(self._begin(request, outcome))
        elif isinstance(outcome, Follow):
            effects.append(self._follow(request, outcome))

    def _listen(self, request: Request, listen: Listen) -> Send:
        subscription = self._listeners.open(request.id, request.revision, listen.honoured)
        if subscription is None:
            return self._rejected(Rejection(INTERNAL_ERROR, BUSY_LISTENERS, UNSET, request.id))
        return Send(subscription.acknowledgement())

    def _begin(self, request: Request, begin: Begin) -> Send:
        if not self._listeners.begin_session(self._session, begin.kinds):
            return self._rejected(Rejection(INTERNAL_ERROR, BUSY_LISTENERS, UNSET, request.id))
        self._session.begin(begin.params)
        request.revision = self._session.revision
        return self._reply(request, initialize_result(self._server, request.revision))

    def _follow(self, request: Request, follow: Follow) -> Send:
        if self._listeners.follow(self._session, follow.uri, wanted=follow.wanted):
            return self._reply(request, EmptyResult())
        most = self._server.settings.limits.max_uris_per_listen
        return self._rejected(too_many_followed(request.id, most))

    def _rejected(self, rejection: Rejection) -> Send:
        return Send(
            self._envelope.error(rejection.id, rejection.code, rejection.message, rejection.data)
        )

    def _reply(
        self, request: Request, result: Result | Raw, cache: CacheHint | None = None
    ) -> Send:
        id = request.id
        return Send(self._envelope.result(id, result, request.era, request.revision, cache))
