"""The params of what clients send, as a server decodes them: one pass, strict types.

Arguments and answers stay ``Raw``, since only the handler's own types say what they mean. The
params of prompts, resources, completion, the handshake and notifications are loaded by first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from msgspec import UNSET, Raw, Struct, UnsetType, field
from msgspec.json import decode

from .capabilities import ClientCapabilities, Implementation
from .jsonrpc import ProgressToken
from .meta_keys import (
    CLIENT_CAPABILITIES_KEY,
    CLIENT_INFO_KEY,
    LOG_LEVEL_KEY,
    PROGRESS_TOKEN_KEY,
    PROTOCOL_VERSION_KEY,
)

if TYPE_CHECKING:
    from ._feature_requests import (
        CancelledNotificationParams,
        CompleteRequestParams,
        GetPromptRequestParams,
        InitializeRequestParams,
        NotificationParams,
        ReadResourceRequestParams,
        SetLevelRequestParams,
        SubscribeRequestParams,
        SubscriptionFilter,
        SubscriptionsListenRequestParams,
        UnsubscribeRequestParams,
    )

__all__ = [
    "CallToolRequestParams",
    "CancelledNotificationParams",
    "CompleteRequestParams",
    "GetPromptRequestParams",
    "InitializeRequestParams",
    "InputResponseRequestParams",
    "LoggingLevel",
    "NotificationParams",
    "PaginatedRequestParams",
    "ReadResourceRequestParams",
    "RequestMeta",
    "RequestParams",
    "SetLevelRequestParams",
    "SubscribeRequestParams",
    "SubscriptionFilter",
    "SubscriptionsListenRequestParams",
    "UnsubscribeRequestParams",
    "decode_meta",
]

LoggingLevel: TypeAlias = Literal[
    "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"
]

_META_NAMES = {
    "progress_token": PROGRESS_TOKEN_KEY,
    "protocol_version": PROTOCOL_VERSION_KEY,
    "client_info": CLIENT_INFO_KEY,
    "client_capabilities": CLIENT_CAPABILITIES_KEY,
    "log_level": LOG_LEVEL_KEY,
}


class RequestMeta(Struct, kw_only=True, rename=_META_NAMES, gc=False):
    """The keys of a request's ``_meta`` that the protocol gives a meaning; others are skipped.

    All are optional here: which of them a request must have depends on its era. The whole object
    comes from ``decode_meta``.

    Source: 2026-07-28, schema, ``RequestMetaObject``.
    """

    progress_token: ProgressToken | UnsetType = UNSET
    protocol_version: str | UnsetType = UNSET
    client_info: Implementation | UnsetType = UNSET
    client_capabilities: ClientCapabilities | UnsetType = UNSET
    log_level: LoggingLevel | UnsetType = UNSET


class RequestParams(Struct, kw_only=True, rename="camel", gc=False):
    """The params of a request that has none of its own (discover, ping)."""

    meta: RequestMeta | UnsetType = field(name="_meta", default=UNSET)


class PaginatedRequestParams(RequestParams, kw_only=True, gc=False):
    """The params of the four lists."""

    cursor: str | None | UnsetType = UNSET


class InputResponseRequestParams(RequestParams, kw_only=True, rename="camel", gc=False):
    """The params of a request that may come again with answers."""

    input_responses: dict[str, Raw] | None | UnsetType = UNSET
    request_state: str | None | UnsetType = UNSET


class CallToolRequestParams(InputResponseRequestParams, kw_only=True, gc=False):
    """The params of ``tools/call``.

    ``arguments`` are undecoded and may be any JSON value, ``null`` too: their reader refuses what
    is not an object.
    """

    name: str
    arguments: Raw | UnsetType = UNSET


class _MetaOnly(Struct, gc=False):
    meta: dict[str, Any] | UnsetType = field(name="_meta", default=UNSET)


def decode_meta(params: bytes | Raw) -> dict[str, Any]:
    """Return the whole ``_meta`` of encoded ``params``, every key as sent; empty where absent.

    Args:
        params: The JSON object that was, or could be, decoded into a ``RequestParams``.
    """
    meta = decode(params, type=_MetaOnly).meta
    return {} if meta is UNSET else meta


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module("._feature_requests", __package__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
