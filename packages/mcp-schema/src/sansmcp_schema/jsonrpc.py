"""JSON-RPC 2.0 as MCP uses it: ids, envelopes and error codes."""

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from msgspec import UNSET, Raw, Struct, UnsetType

__all__ = [
    "HEADER_MISMATCH",
    "INTERNAL_ERROR",
    "INVALID_PARAMS",
    "INVALID_REQUEST",
    "JSONRPC_VERSION",
    "METHOD_NOT_FOUND",
    "MISSING_REQUIRED_CLIENT_CAPABILITY",
    "PARSE_ERROR",
    "RESOURCE_NOT_FOUND",
    "UNSUPPORTED_PROTOCOL_VERSION",
    "URL_ELICITATION_REQUIRED",
    "Error",
    "JSONObject",
    "JSONRPCErrorResponse",
    "JSONRPCNotification",
    "JSONRPCRequest",
    "JSONRPCResultResponse",
    "ProgressToken",
    "RawJSON",
    "RequestId",
    "UnsupportedProtocolVersionData",
]

JSONRPC_VERSION = "2.0"

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603

HEADER_MISMATCH = -32020
MISSING_REQUIRED_CLIENT_CAPABILITY = -32021
UNSUPPORTED_PROTOCOL_VERSION = -32022

RESOURCE_NOT_FOUND = -32002
"""Revisions before 2026-07-28 only."""
URL_ELICITATION_REQUIRED = -32042
"""Revision 2025-11-25 only."""

RequestId: TypeAlias = str | int
ProgressToken: TypeAlias = str | int

if TYPE_CHECKING:
    JSONObject: TypeAlias = dict[str, Any] | Raw
    RawJSON: TypeAlias = Any
else:
    # msgspec decodes no union of dict and Raw. Encoding does not look at annotations.
    JSONObject = dict[str, Any]
    RawJSON = Raw


class JSONRPCRequest(Struct, kw_only=True):
    """A request of any method; decoded ``params`` are a ``Raw``, any JSON value may be encoded."""

    jsonrpc: Literal["2.0"] = "2.0"
    id: RequestId
    method: str
    params: RawJSON | UnsetType = UNSET


class JSONRPCNotification(Struct, kw_only=True):
    """A notification of any method; ``params`` as in ``JSONRPCRequest``."""

    jsonrpc: Literal["2.0"] = "2.0"
    method: str
    params: RawJSON | UnsetType = UNSET


class JSONRPCResultResponse(Struct, kw_only=True):
    """The answer to a request that succeeded; a decoded ``result`` is a ``Raw``."""

    jsonrpc: Literal["2.0"] = "2.0"
    id: RequestId
    result: RawJSON


class Error(Struct):
    """What went wrong: a code of this module or of the application, a sentence, details."""

    code: int
    message: str
    data: Any = UNSET


class JSONRPCErrorResponse(Struct, kw_only=True):
    """The answer to a request that failed; without ``id`` where the request's could not be read."""

    jsonrpc: Literal["2.0"] = "2.0"
    id: RequestId | None | UnsetType = UNSET
    error: Error


class UnsupportedProtocolVersionData(Struct, kw_only=True, gc=False):
    """The ``data`` of an ``UNSUPPORTED_PROTOCOL_VERSION`` error."""

    supported: list[str]
    requested: str
