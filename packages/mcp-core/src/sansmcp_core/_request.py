"""From a decoded message to a request whose era, revision and client are known.

The ladder of checks, in this order; the first that fails answers:

| check | code |
| --- | --- |
| the parameters and ``_meta`` have the right types | ``-32602`` |
| modern: ``_meta`` names a protocol version | ``-32602`` |
| modern: this server speaks it | ``-32022`` |
| modern: ``_meta`` holds the client's capabilities | ``-32602`` |
| the era has the method, and the server offers what it belongs to | ``-32601`` |
| the parameters are those of the method | ``-32602`` |

The types of ``_meta`` come before everything, since the version stands in it.
"""

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET
from sansmcp_schema.capabilities import ClientCapabilities, Implementation
from sansmcp_schema.jsonrpc import INVALID_PARAMS, METHOD_NOT_FOUND, UNSUPPORTED_PROTOCOL_VERSION
from sansmcp_schema.requests import RequestMeta, RequestParams
from sansmcp_schema.revisions import MODERN_REVISIONS

from ._decode import Message, Rejection
from ._discovery import server_versions
from ._era import Era, classify_era
from ._methods import METHODS, Method
from ._session import LegacySession

if TYPE_CHECKING:
    from ._server import Server

__all__ = ["Request", "read_request"]

_NO_META = RequestMeta()
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
    client_info: Implementation | None
    capabilities: ClientCapabilities
    session: LegacySession
    """The connection's legacy session; what it says holds for legacy requests only."""

    @property
    def log_level(self) -> str | None:
        """The least level of log messages the client asked for; None for none at all."""
        if self.era is Era.LEGACY:
            return self.session.log_level
        level = self.meta.log_level
        return None if level is UNSET else level


def read_request(
    message: Message, session: LegacySession, server: "Server", header_version: str | None = None
) -> Request | Rejection:
    """Return the request in ``message``, or the rejection of the first check that fails."""
    method = METHODS.get(message.method)
    params, failure = _decode_params(method, message.params)
    if params is None:
        return _reject(message, INVALID_PARAMS, f"Invalid params: {failure}")
    meta = _NO_META if params.meta is UNSET else params.meta
    settings = server.settings
    if settings.modern and classify_era(message.method, meta, header_version) is Era.MODERN:
        era, revision = Era.MODERN, meta.protocol_version
        info, capabilities = meta.client_info, meta.client_capabilities
        if revision not in MODERN_REVISIONS or capabilities is UNSET:
            return _reject_modern(message, meta, server)
        exists = method is not None and method.modern(server)
    elif settings.legacy:
        era, revision = Era.LEGACY, session.revision
        info, capabilities = session.client_info, session.capabilities
        exists = method is not None and method.legacy(server)
    else:
        return _reject_legacy(message, params, server)
    if method is None or not exists:
        return _reject(message, METHOD_NOT_FOUND, f"Method not found: {message.method[:128]}")
    if failure is not None:
        return _reject(message, INVALID_PARAMS, f"Invalid params: {failure}")
    if meta.log_level is not UNSET and not settings.logging:
        # Who offers no log messages sends none.
        meta.log_level = UNSET
    id = message.id
    assert id is not UNSET
    assert revision is not UNSET
    return Request(
        id,
        message,
        method,
        params,
        meta,
        era,
        revision,
        None if info is UNSET else info,
        capabilities,
        session,
    )


def _decode_params(method: Method | None, raw: bytes) -> tuple[Any, str | None]:
    """Return the parameters and what is wrong with them; none where ``_meta`` itself is wrong."""
    failure: str | None = None
    if method is not None:
        try:
            return method.decode_params(raw), None
        except (ValueError, RecursionError) as error:
            failure = str(error)
    # No such method, or parameters it does not have: the era decides which is said, and it stands
    # in _meta, so that is looked at alone.
    try:
        return _decode_meta_only(raw), failure
    except (ValueError, RecursionError) as error:
        return None, str(error)


def _reject_modern(message: Message, meta: RequestMeta, server: "Server") -> Rejection:
    version = meta.protocol_version
    if version is UNSET:
        return _missing(message, "protocolVersion")
    if version not in MODERN_REVISIONS:
        return _unsupported(message, version, server)
    return _missing(message, "clientCapabilities")


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
    )


def _missing(message: Message, name: str) -> Rejection:
    return _reject(
        message,
        INVALID_PARAMS,
        f"Invalid params: _meta lacks io.modelcontextprotocol/{name}, "
        "which every request of this revision carries",
    )


def _unsupported(message: Message, requested: str, server: "Server") -> Rejection:
    supported = server_versions(server)
    return Rejection(
        UNSUPPORTED_PROTOCOL_VERSION,
        f"Unsupported protocol version {requested[:40]}; supported: {', '.join(supported)}",
        {"supported": supported, "requested": requested},
        message.id,
    )


def _reject(message: Message, code: int, text: str) -> Rejection:
    return Rejection(code, text, UNSET, message.id)
