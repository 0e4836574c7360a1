"""From a decoded message to a request whose era, revision and client are known.

The ladder of checks, in this order; the first that fails answers:

| check | code |
| --- | --- |
| ``_meta`` has the right types | ``-32602`` |
| modern: ``_meta`` names a protocol version | ``-32602`` |
| modern, HTTP: the version header says the same | ``-32020`` |
| modern: this server speaks it | ``-32022`` |
| modern: ``_meta`` holds the client's capabilities | ``-32602`` |
| modern, HTTP: the method header says the same as the body | ``-32020`` |
| legacy, HTTP: the version header is known, and there is a session | ``-32600`` |
| the era has the method, and the server offers what it belongs to | ``-32601`` |
| the parameters are those of the method | ``-32602`` |
| modern, HTTP: the name header says the same as the body | ``-32020`` |

What comes after it depends on the method: over HTTP the id is not open in its session
(``-32600``) and the server is not going down (503); ``subscriptions/listen`` needs a client that
takes streams (406) and room for one (503); what is named exists (``-32602``); ``Mcp-Param-*`` says
the same as the arguments (``-32020``); there is a place for the call (503); the client can do what
its handler asks of it (``-32021``).

The types of ``_meta`` come before everything, since the version stands in it.
"""

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET
from msgspec.structs import replace
from sansmcp_schema.capabilities import ClientCapabilities, Implementation
from sansmcp_schema.jsonrpc import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    UNSUPPORTED_PROTOCOL_VERSION,
)
from sansmcp_schema.meta_keys import PROTOCOL_VERSION_KEY
from sansmcp_schema.requests import RequestMeta, RequestParams
from sansmcp_schema.revisions import MODERN_REVISIONS

from ._decode import Message, Rejection
from ._discovery import server_versions
from ._era import LEGACY, MODERN, Era, classify_era
from ._methods import METHODS, Method
from ._session import LegacySession

if TYPE_CHECKING:
    from ._server import Server
    from .http._mirror import Mirror

__all__ = ["NO_META", "NO_SESSION", "Request", "read_request"]

NO_META = RequestMeta()
_BAD_REQUEST = 400

NO_SESSION = LegacySession()
"""Stands where a request needs none; never changed."""
_decode_meta_only = msgspec.json.Decoder(RequestParams).decode


class Request(msgspec.Struct):
    """One request or notification that passed the ladder."""

    id: str | int
    message: Message
    method: Method
    params: Any
    """The Struct that the method's row names."""

    meta: RequestMeta
    era: Era
    revision: str
    client: RequestMeta
    """What the client says of itself: in this request, or once in the handshake."""
    session: LegacySession
    """The connection's legacy session; what it says holds for legacy requests only."""

    mirror: "Mirror | None" = None
    """What the head of a modern HTTP request says about its body."""

    @property
    def client_info(self) -> Implementation | None:
        """What the client calls itself."""
        info = self.client.client_info
        return None if info is UNSET else info

    @property
    def capabilities(self) -> ClientCapabilities:
        """What the client declared."""
        assert self.client.client_capabilities is not UNSET
        return self.client.client_capabilities

    @property
    def log_level(self) -> str | None:
        """The least level of log messages the client asked for; None for none at all."""
        if self.era is LEGACY:
            return self.session.log_level
        level = self.meta.log_level
        return None if level is UNSET else level


def read_request(
    message: Message,
    session: "LegacySession | Rejection",
    server: "Server",
    mirror: "Mirror | None" = None,
) -> Request | Rejection:
    """Return the request in ``message``, or the rejection of the first check that fails.

    Args:
        message: A message with an id.
        session: The session of a legacy request, or why it has none.
        server: What is served.
        mirror: What the head of an HTTP request says about the body; None for other transports.
    """
    method = METHODS.get(message.method)
    failure: str | None = None
    try:
        decode = _decode_meta_only if method is None else method.decode_params
        params: Any = decode(message.params)
    except (ValueError, RecursionError) as error:
        params, failure = _decode_meta(message.params, str(error))
        if params is None:
            return _without_meta(message, failure, mirror)
    meta: RequestMeta = NO_META if params.meta is UNSET else params.meta
    settings = server.settings
    header_version = None if mirror is None else mirror.version
    if settings.modern and classify_era(message.method, meta, header_version) is MODERN:
        return _modern_request(message, method, params, meta, server, mirror, failure=failure)
    if not settings.legacy:
        return _reject_legacy(message, params, server)
    if type(session) is Rejection:
        return replace(session, id=message.id)
    return _legacy_request(message, method, params, meta, server, session, failure=failure)


def _modern_request(
    message: Message,
    method: Method | None,
    params: Any,
    meta: RequestMeta,
    server: "Server",
    mirror: "Mirror | None",
    *,
    failure: str | None,
) -> Request | Rejection:
    """Return a request that says everything by itself, where it says it as it should."""
    version = meta.protocol_version
    if version is UNSET:
        return _missing(message, "protocolVersion")
    if mirror is not None and mirror.version != version:
        return _reject(message, HEADER_MISMATCH, mirror.wrong_version(version))
    if version not in MODERN_REVISIONS:
        return _unsupported(message, version, server)
    if meta.client_capabilities is UNSET:
        return _missing(message, "clientCapabilities")
    if mirror is not None and mirror.method != message.method:
        wrong = mirror.check_method(message.method)
        if wrong is not None:
            return _reject(message, HEADER_MISMATCH, wrong)
    if method is None or not method.modern(server):
        return _not_found(message, modern=True)
    if failure is not None:
        return _reject(message, INVALID_PARAMS, f"Invalid params: {failure}")
    if mirror is not None and method.named is not None:
        name = method.named(params)
        wrong = None if mirror.name == name else mirror.check_name(name)
        if wrong is not None:
            return _reject(message, HEADER_MISMATCH, wrong)
    if meta.log_level is not UNSET and not server.settings.logging:
        # Who offers no log messages sends none.
        meta.log_level = UNSET
    id = message.id
    assert id is not UNSET
    return Request(id, message, method, params, meta, MODERN, version, meta, NO_SESSION, mirror)


def _legacy_request(
    message: Message,
    method: Method | None,
    params: Any,
    meta: RequestMeta,
    server: "Server",
    session: LegacySession,
    *,
    failure: str | None,
) -> Request | Rejection:
    """Return a request of which its session says the rest."""
    if method is None or not method.legacy(server):
        return _not_found(message, modern=False)
    if failure is not None:
        return _reject(message, INVALID_PARAMS, f"Invalid params: {failure}")
    id = message.id
    assert id is not UNSET
    revision, client = session.revision, session.client
    return Request(id, message, method, params, meta, LEGACY, revision, client, session)


def _decode_meta(raw: bytes, failure: str) -> tuple[Any, str]:
    """Return what holds ``_meta`` and what is wrong; nothing where ``_meta`` itself is wrong.

    With no such method, or parameters it does not have, the era decides which is said, and that
    stands in ``_meta``.
    """
    try:
        return _decode_meta_only(raw), failure
    except (ValueError, RecursionError) as error:
        return None, str(error)


def _without_meta(message: Message, failure: str, mirror: "Mirror | None") -> Rejection:
    # Its own word cannot be read, but that it has one can be seen.
    modern = (
        mirror is not None and mirror.version in MODERN_REVISIONS
    ) or PROTOCOL_VERSION_KEY.encode() in message.params
    status = _BAD_REQUEST if modern else None
    return _reject(message, INVALID_PARAMS, f"Invalid params: {failure}", status)


def _not_found(message: Message, *, modern: bool) -> Rejection:
    text = f"Method not found: {message.method[:128]}"
    return Rejection(METHOD_NOT_FOUND, text, UNSET, message.id, modern=modern)


def _reject_legacy(message: Message, params: Any, server: "Server") -> Rejection:
    # A client of an older revision shows this to its user: it cannot find out by itself.
    if message.method == "initialize":
        return _unsupported(message, getattr(params, "protocol_version", "none"), server)
    return _reject(
        message,
        INVALID_PARAMS,
        "Invalid params: _meta lacks io.modelcontextprotocol/protocolVersion and "
        "io.modelcontextprotocol/clientCapabilities; this server speaks "
        f"{', '.join(MODERN_REVISIONS)} only",
        _BAD_REQUEST,
    )


def _missing(message: Message, name: str) -> Rejection:
    return _reject(
        message,
        INVALID_PARAMS,
        f"Invalid params: _meta lacks io.modelcontextprotocol/{name}, "
        "which every request of this revision carries",
        _BAD_REQUEST,
    )


def _unsupported(message: Message, requested: str, server: "Server") -> Rejection:
    supported = server_versions(server)
    return Rejection(
        UNSUPPORTED_PROTOCOL_VERSION,
        f"Unsupported protocol version {requested[:40]}; supported: {', '.join(supported)}",
        {"supported": supported, "requested": requested},
        message.id,
    )


def _reject(message: Message, code: int, text: str, status: int | None = None) -> Rejection:
    return Rejection(code, text, UNSET, message.id, status)
