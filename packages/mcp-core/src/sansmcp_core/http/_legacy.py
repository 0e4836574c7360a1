"""How requests of the legacy era find, open and end their session, and open its stream.

Source: MCP 2025-11-25 basic/transports, Session Management, Protocol Version Header, Listening for
Messages from the Server.
"""

from typing import TYPE_CHECKING

import msgspec
from msgspec import UNSET
from msgspec.structs import replace
from sansmcp_schema.jsonrpc import INTERNAL_ERROR, INVALID_REQUEST
from sansmcp_schema.requests import RequestParams
from sansmcp_schema.revisions import (
    DEFAULT_HEADERLESS,
    LATEST_LEGACY,
    LEGACY_REVISIONS,
    MODERN_REVISIONS,
    REVISIONS,
)

from .._decode import Message, Rejection
from .._discovery import initialize_result
from .._effects import Data, Effect
from .._era import Era, classify_era
from .._outcomes import Begin
from .._request import Request
from ._feeds import SessionFeed
from ._names import LAST_EVENT_ID, MCP_PROTOCOL_VERSION, MCP_SESSION_ID
from ._sessions import HttpSession
from ._statuses import BAD_REQUEST, BUSY, NOT_FOUND
from ._streams import SessionStream

if TYPE_CHECKING:
    from ._endpoint import Endpoint
    from ._exchange import Exchange
    from ._head import RequestHead

__all__ = [
    "NO_SESSION_ID",
    "UNKNOWN_SESSION",
    "begin_session",
    "end_session",
    "enter_session",
    "is_modern_notification",
    "open_stream",
    "session_for",
]

_MAX_EVENT_ID_CHARS = 256

_decode_meta_only = msgspec.json.Decoder(RequestParams).decode

NO_SESSION_ID = Rejection(
    INVALID_REQUEST,
    "Invalid request: a legacy request needs the Mcp-Session-Id that the answer to initialize had; "
    "a modern one needs MCP-Protocol-Version, and _meta with version and client capabilities",
    status=BAD_REQUEST,
)
UNKNOWN_SESSION = Rejection(
    INVALID_REQUEST,
    "Session not found: it has ended or never was; begin anew with initialize",
    status=NOT_FOUND,
)
_NO_EVENT = Rejection(
    INVALID_REQUEST,
    "Invalid request: no stream of this session can be resumed after that Last-Event-ID",
    status=BAD_REQUEST,
)


def session_for(
    endpoint: "Endpoint", head: "RequestHead", method: str | None
) -> HttpSession | Rejection:
    """Return the session that a legacy request belongs to, or why it has none.

    ``initialize`` gets a new one, which nobody can find yet. Where the endpoint keeps no sessions,
    so does everything.

    Args:
        endpoint: Where it arrived.
        head: The request's head.
        method: The method of the message; None for GET and DELETE.
    """
    version = head.fields.get(MCP_PROTOCOL_VERSION)
    if version is not None:
        both = method == "initialize" or endpoint.server.settings.modern
        known = REVISIONS if both else LEGACY_REVISIONS
        if version.decode("latin-1") not in known or MCP_PROTOCOL_VERSION in head.repeated:
            return _unknown_version(version, known)
    if method == "initialize":
        return endpoint.sessions.new()
    if not endpoint.settings.sessions:
        session = endpoint.sessions.new()
        said = DEFAULT_HEADERLESS if version is None else version.decode()
        session.legacy.revision = said if said in LEGACY_REVISIONS else LATEST_LEGACY
        return session
    id = head.fields.get(MCP_SESSION_ID)
    if id is None or MCP_SESSION_ID in head.repeated:
        return NO_SESSION_ID
    return endpoint.sessions.find(id.decode("latin-1")) or UNKNOWN_SESSION


def is_modern_notification(message: Message, head: "RequestHead") -> bool:
    """Tell whether a notification is a modern one, which nothing is done for."""
    try:
        meta = _decode_meta_only(message.params).meta
    except (ValueError, RecursionError):
        meta = UNSET
    if meta is not UNSET and classify_era(message.method, meta, None) is Era.MODERN:
        return True
    version = head.fields.get(MCP_PROTOCOL_VERSION, b"")
    return version.decode("latin-1") in MODERN_REVISIONS


def enter_session(exchange: "Exchange", endpoint: "Endpoint", session: HttpSession) -> None:
    """Let an exchange belong to a legacy session, where sessions are kept."""
    if endpoint.settings.sessions:
        exchange.session = session
        exchange.open = session.open
        exchange._back_channel = session.back_channel
        endpoint.sessions.enter(session)


def begin_session(
    exchange: "Exchange", endpoint: "Endpoint", request: Request, begin: Begin, now: float
) -> list[Effect] | Rejection:
    """Return the answer to ``initialize``; its session is kept only where it succeeds."""
    session = exchange.session
    exchange.session = None
    if session is None:
        # Without sessions nobody is there to tell of changes, nor to set a level for.
        request.session.begin(begin.params)
        return _initialized(exchange, endpoint, request, stateless=True)
    busy = endpoint.sessions.full or not session.listeners.begin_session(
        session.legacy, begin.kinds
    )
    if busy:
        text = "Server busy: too many sessions are open; try again later"
        return Rejection(INTERNAL_ERROR, text, UNSET, request.id, BUSY)
    session.legacy.begin(begin.params)
    headers = exchange.extra_headers
    exchange.extra_headers = (*headers, (MCP_SESSION_ID, session.id.encode()))
    try:
        effects = _initialized(exchange, endpoint, request, stateless=False)
    except BaseException:
        exchange.extra_headers = headers
        session.end()
        raise
    endpoint.sessions.add(session, now)
    return effects


def _initialized(
    exchange: "Exchange", endpoint: "Endpoint", request: Request, *, stateless: bool
) -> list[Effect]:
    revision = request.session.revision
    result = initialize_result(endpoint.server, revision)
    if stateless:
        offered = result.capabilities
        result.capabilities = replace(
            offered,
            logging=UNSET,
            **{
                name: replace(capability, list_changed=UNSET)
                for name in ("tools", "prompts")
                if (capability := getattr(offered, name)) is not UNSET
            },
            resources=UNSET
            if offered.resources is UNSET
            else replace(offered.resources, list_changed=UNSET, subscribe=UNSET),
        )
    line = endpoint.envelope.result(request.id, result, Era.LEGACY, revision, None)
    return exchange.finish(line)


def end_session(
    exchange: "Exchange", endpoint: "Endpoint", session: HttpSession, now: float
) -> list[Effect] | Rejection:
    """Return the answer to DELETE: the session's calls and streams end, too."""
    for call in list(session.open.values()):
        endpoint.cancel(call)
    endpoint.sessions.end(session)
    return exchange.respond(204, b"")


def open_stream(
    exchange: "Exchange", endpoint: "Endpoint", session: HttpSession, now: float
) -> list[Effect] | Rejection:
    """Return the beginning of a stream that a GET opens or takes up again."""
    event_id = exchange.head.fields.get(LAST_EVENT_ID)
    after, stream, untold = "", session.standing, b""
    if event_id and session.resumable:
        after = event_id[:_MAX_EVENT_ID_CHARS].decode("latin-1")
        stream = session.stream_of(after)
        if stream is None or stream.after(after) is None:
            return _NO_EVENT
    taken_from = session.carrier if stream is None or stream.standing else stream.carrier
    if taken_from is not None:
        taken_from.hand_over(taken_from.end())
    if not endpoint.has_room_for_streams:
        text = "Server busy: too many streams are open; try again later"
        return Rejection(INTERNAL_ERROR, text, UNSET, UNSET, BUSY)
    if stream is None or not after:
        stream = session.new_stream(endpoint.random)
        untold = _replace(session, stream)
    stream.carrier = exchange
    enter_session(exchange, endpoint, session)
    exchange.stream = stream
    effects = exchange.begin_stream()
    if not after:
        first = stream.begin()
        after = stream.last_id
        effects += [Data(first)] if first else []
        if untold:
            stream.put(untold)
    exchange.feed = SessionFeed(session, stream, after, standing=stream.standing)
    return effects + exchange.take_feed()


def _replace(session: HttpSession, stream: SessionStream) -> bytes:
    """Let ``stream`` be the one that tells of changes; the one before it is over.

    Returns the messages of that one which nobody has carried yet.
    """
    before = session.standing
    stream.standing = True
    session.standing = stream
    if before is None:
        return b""
    before.over = True
    untold = before.untold()
    session.forget(before)
    return untold


def _unknown_version(version: bytes, known: tuple[str, ...]) -> Rejection:
    shown = version[:40].decode("ascii", "backslashreplace")
    return Rejection(
        INVALID_REQUEST,
        f"Invalid request: MCP-Protocol-Version {shown} is not supported; "
        f"supported: {', '.join(known)}",
        status=BAD_REQUEST,
    )
