"""What a request leads to: from its head, then from the message in its body."""

from typing import TYPE_CHECKING

from msgspec import UNSET, Raw
from sansmcp_schema.jsonrpc import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
)
from sansmcp_schema.results import EmptyResult

from .._decode import Answer, Incoming, Message, Rejection, decode_message
from .._effects import Effect, Report
from .._era import LEGACY, MODERN, Era, classify_era
from .._listening import Subscription
from .._methods import METHODS
from .._operation import INLINE
from .._outcomes import AtOnce, Begin, Follow, Listen, Reply, Start
from .._refusals import (
    BUSY_CALLS,
    BUSY_LISTENERS,
    GOING_DOWN,
    cancelled_id,
    id_still_open,
    too_many_followed,
    unanswerable,
)
from .._request import NO_META, Request, read_request
from ._feeds import ListenFeed
from ._gate import Refused
from ._legacy import (
    NO_SESSION_ID,
    UNKNOWN_SESSION,
    begin_session,
    end_session,
    enter_session,
    is_modern_notification,
    open_stream,
    session_for,
)
from ._mirror import mirror_of
from ._statuses import BUSY, NOT_ACCEPTABLE, status_of

if TYPE_CHECKING:
    from ._endpoint import Endpoint
    from ._exchange import Exchange
    from ._sessions import HttpSession

__all__ = ["begin_from_head", "take_body"]

_NEED_SESSION = frozenset({"logging/setLevel", "resources/subscribe", "resources/unsubscribe"})

_WORKERS = (
    "a client named a session that is not in this process: it has ended, or another worker keeps "
    "it; several workers want HttpSettings(sessions=False) and one Settings(state_keys=...)"
)


def begin_from_head(exchange: "Exchange", endpoint: "Endpoint", now: float) -> list[Effect]:
    """Return the answer where the head is enough for one; otherwise let the body come."""
    endpoint.sessions.sweep(now)
    head = exchange.head
    verdict = endpoint.gate.judge(head)
    if type(verdict) is Refused:
        exchange.ended = True
        return [verdict.answer] if verdict.report is None else [verdict.report, verdict.answer]
    exchange.accepts_json = verdict.accepts_json
    exchange.accepts_stream = verdict.accepts_stream
    exchange.extra_headers = verdict.cors
    if head.method == "POST":
        exchange.wants_body = True
        return []
    if endpoint.refusing:
        return reject(exchange, endpoint, _busy(GOING_DOWN), LEGACY)
    session = session_for(endpoint, head, method=None)
    if isinstance(session, Rejection):
        return _without_session(exchange, endpoint, session)
    follow = end_session if head.method == "DELETE" else open_stream
    done = follow(exchange, endpoint, session, now)
    return reject(exchange, endpoint, done, LEGACY) if isinstance(done, Rejection) else done


def take_body(exchange: "Exchange", endpoint: "Endpoint", body: bytes, now: float) -> list[Effect]:
    """Return the effects of the whole body."""
    message = decode_message(body, endpoint.max_nesting)
    if type(message) is Message:
        if message.id is UNSET:
            return _take_notification(exchange, endpoint, message, now)
        return _take_request(exchange, endpoint, message, now)
    return _take_other(exchange, endpoint, message, now)


def reject(
    exchange: "Exchange", endpoint: "Endpoint", rejection: Rejection, era: Era
) -> list[Effect]:
    """Return the answer that carries a rejection."""
    line = endpoint.envelope.error(rejection.id, rejection.code, rejection.message, rejection.data)
    status = rejection.status or status_of(rejection.code, era)
    if status == BUSY:
        retry_after = b"%d" % endpoint.settings.retry_after_s
        return exchange.respond(status, line, (b"retry-after", retry_after))
    return exchange.finish(line, status)


def _without_session(
    exchange: "Exchange", endpoint: "Endpoint", rejection: Rejection
) -> list[Effect]:
    """Return the answer to a legacy request whose session is not here, and why that may be."""
    effects = reject(exchange, endpoint, rejection, LEGACY)
    if rejection.message == UNKNOWN_SESSION.message and not endpoint.has_told_of_workers:
        endpoint.has_told_of_workers = True
        return [Report("warning", _WORKERS), *effects]
    return effects


# -- requests -------------------------------------------------------------------------------------


def _take_request(
    exchange: "Exchange", endpoint: "Endpoint", message: Message, now: float
) -> list[Effect]:
    mirror = mirror_of(exchange.head)
    session: HttpSession | Rejection = NO_SESSION_ID
    # Where the head alone says that it is modern, no session is made or looked for.
    if not (
        endpoint.server.settings.modern
        and classify_era(message.method, NO_META, mirror.version) is MODERN
    ):
        session = session_for(endpoint, exchange.head, message.method)
    legacy = session if type(session) is Rejection else session.legacy
    request = read_request(message, legacy, endpoint.server, mirror)
    if type(request) is Rejection:
        if request.message == UNKNOWN_SESSION.message:
            return _without_session(exchange, endpoint, request)
        return reject(exchange, endpoint, request, MODERN if request.modern else LEGACY)
    exchange.era = era = request.era
    if endpoint.refusing:
        return reject(exchange, endpoint, _busy(GOING_DOWN, request), era)
    if era is LEGACY:
        rejection = _enter(exchange, endpoint, request, session)
        if rejection is not None:
            return reject(exchange, endpoint, rejection, era)
    try:
        outcome = request.method.serve(request, endpoint.server, now)
        if type(outcome) is Start:
            return _start(exchange, endpoint, request, outcome, now)
        return _carry_out(exchange, endpoint, request, outcome, now)
    except Exception as error:  # noqa: BLE001 - the author's declarations may hold anything
        report, rejection = unanswerable(message, error)
        return [report, *reject(exchange, endpoint, rejection, era)]


def _enter(
    exchange: "Exchange",
    endpoint: "Endpoint",
    request: Request,
    session: "HttpSession | Rejection",
) -> Rejection | None:
    """Let a legacy request belong to its session; return why it cannot be served."""
    if type(session) is not Rejection:
        if request.id in session.open:
            return id_still_open(request.id)
        enter_session(exchange, endpoint, session)
    method = request.message.method
    if not endpoint.settings.sessions and method in _NEED_SESSION:
        text = f"Method not found: {method} needs a session, and this server keeps none"
        return Rejection(METHOD_NOT_FOUND, text, UNSET, request.id)
    return None


def _carry_out(
    exchange: "Exchange", endpoint: "Endpoint", request: Request, outcome: AtOnce, now: float
) -> list[Effect]:
    if type(outcome) is Reply:
        line = endpoint.envelope.result(
            request.id, outcome.result, request.era, request.revision, outcome.cache
        )
        effects = exchange.finish(line)
        if type(outcome.result) is Raw:
            effects += endpoint.server.lists.take_reports()
        return effects
    if isinstance(outcome, Rejection):
        return reject(exchange, endpoint, outcome, request.era)
    if isinstance(outcome, Listen):
        return _listen(exchange, endpoint, request, outcome)
    if isinstance(outcome, Begin):
        begun = begin_session(exchange, endpoint, request, outcome, now)
        if isinstance(begun, Rejection):
            return reject(exchange, endpoint, begun, LEGACY)
        return begun
    return _follow(exchange, endpoint, request, outcome)


def _start(
    exchange: "Exchange", endpoint: "Endpoint", request: Request, start: Start, now: float
) -> list[Effect]:
    mode = start.target.operation.mode
    if mode is not INLINE and endpoint.calls.admission.full:
        return reject(exchange, endpoint, _busy(BUSY_CALLS, request), request.era)
    calls = endpoint.calls
    exchange.call = call = calls.open(exchange, request, start.target, start.rounds)
    return calls.run(call, now)


def _busy(text: str, request: Request | None = None) -> Rejection:
    id = UNSET if request is None else request.id
    return Rejection(INTERNAL_ERROR, text, UNSET, id, BUSY)


def _listen(
    exchange: "Exchange", endpoint: "Endpoint", request: Request, listen: Listen
) -> list[Effect]:
    if not exchange.accepts_stream:
        text = f"Not acceptable: {request.message.method} answers with text/event-stream only"
        rejection = Rejection(INVALID_REQUEST, text, UNSET, request.id, NOT_ACCEPTABLE)
        return reject(exchange, endpoint, rejection, request.era)
    subscription = Subscription(
        request.id, request.revision, listen.honoured, lambda _listener: exchange.ring()
    )
    hub = endpoint.server.hub
    if not (endpoint.has_room_for_streams and hub.add(subscription.listener)):
        return reject(exchange, endpoint, _busy(BUSY_LISTENERS, request), request.era)
    exchange.feed = ListenFeed(
        subscription,
        hub,
        endpoint.envelope,
        cancel_too=endpoint.server.settings.cancel_ended_subscriptions,
    )
    return exchange.messages(subscription.acknowledgement())


def _follow(
    exchange: "Exchange", endpoint: "Endpoint", request: Request, follow: Follow
) -> list[Effect]:
    session = exchange.session
    assert session is not None
    limits = endpoint.server.settings.limits
    if not session.listeners.follow(session.legacy, follow.uri, wanted=follow.wanted):
        most = limits.max_uris_per_listen
        return reject(exchange, endpoint, too_many_followed(request.id, most), request.era)
    line = endpoint.envelope.result(request.id, EmptyResult(), request.era, request.revision, None)
    return exchange.finish(line)


# -- everything else ------------------------------------------------------------------------------


def _take_notification(
    exchange: "Exchange", endpoint: "Endpoint", message: Message, now: float
) -> list[Effect]:
    if message.method in METHODS:
        text = f"Invalid request: {message.method} is a request and needs an id"
        return reject(exchange, endpoint, Rejection(INVALID_REQUEST, text), MODERN)
    modern = endpoint.server.settings.modern
    if modern and is_modern_notification(message, exchange.head):
        return exchange.respond(202, b"")
    session = session_for(endpoint, exchange.head, message.method)
    if isinstance(session, Rejection):
        return _without_session(exchange, endpoint, session)
    endpoint.sessions.touch(session, now)
    if message.method == "notifications/cancelled":
        id = cancelled_id(message)
        call = None if id is UNSET else session.open.get(id)
        if call is not None:
            endpoint.cancel(call)
    return exchange.respond(202, b"")


def _take_other(
    exchange: "Exchange", endpoint: "Endpoint", message: Incoming, now: float
) -> list[Effect]:
    """Take an answer to a live question, or what is no message at all."""
    if isinstance(message, Rejection):
        return reject(exchange, endpoint, message, MODERN)
    if not isinstance(message, Answer):
        assert not isinstance(message, Message)
        code = PARSE_ERROR if message.reason == "a blank line" else INVALID_REQUEST
        text = f"Invalid request: {message.reason}"
        if code == PARSE_ERROR:
            text = "Parse error: the body is empty; send one JSON-RPC message"
        return reject(exchange, endpoint, Rejection(code, text), MODERN)
    session = session_for(endpoint, exchange.head, method="")
    if isinstance(session, Rejection):
        return _without_session(exchange, endpoint, session)
    endpoint.sessions.touch(session, now)
    taken = endpoint.calls.asker.take_answer(session.back_channel, message, now)
    if taken is not None:
        call, effects = taken
        call.channel.hand_over(effects)
    return exchange.respond(202, b"")
