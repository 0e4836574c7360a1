"""The params of what clients send, as a server decodes them: one pass, strict types.

Arguments and answers stay ``Raw``, since only the handler's own types say what they mean.
"""

from typing import Any, Literal, TypeAlias

from msgspec import UNSET, Raw, Struct, UnsetType, field
from msgspec.json import decode

from .capabilities import ClientCapabilities, Implementation
from .completion import (
    CompletionArgument,
    CompletionContext,
    PromptReference,
    ResourceTemplateReference,
)
from .jsonrpc import ProgressToken, RequestId
from .meta_keys import (
    CLIENT_CAPABILITIES_KEY,
    CLIENT_INFO_KEY,
    LOG_LEVEL_KEY,
    PROGRESS_TOKEN_KEY,
    PROTOCOL_VERSION_KEY,
)

__all__ = [
    "CallToolRequestParams",
    "CancelledNotificationParams",
    "CompleteRequestParams",
    "GetPromptRequestParams",
    "InitializeRequestParams",
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


class _InputResponseRequestParams(RequestParams, kw_only=True, rename="camel", gc=False):
    input_responses: dict[str, Raw] | None | UnsetType = UNSET
    request_state: str | None | UnsetType = UNSET


class CallToolRequestParams(_InputResponseRequestParams, kw_only=True, gc=False):
    """The params of ``tools/call``.

    ``arguments`` are undecoded and may be any JSON value, ``null`` too: their reader refuses what
    is not an object.
    """

    name: str
    arguments: Raw | UnsetType = UNSET


class GetPromptRequestParams(_InputResponseRequestParams, kw_only=True, gc=False):
    """The params of ``prompts/get``; ``arguments`` as in ``CallToolRequestParams``."""

    name: str
    arguments: Raw | UnsetType = UNSET


class ReadResourceRequestParams(_InputResponseRequestParams, kw_only=True, gc=False):
    """The params of ``resources/read``."""

    uri: str


class CompleteRequestParams(RequestParams, kw_only=True, gc=False):
    """The params of ``completion/complete``."""

    ref: PromptReference | ResourceTemplateReference
    argument: CompletionArgument
    context: CompletionContext | None | UnsetType = UNSET


class SubscriptionFilter(Struct, kw_only=True, rename="camel", gc=False):
    """The kinds of change, and the resources, that a listener wants to hear of."""

    tools_list_changed: bool | UnsetType = UNSET
    prompts_list_changed: bool | UnsetType = UNSET
    resources_list_changed: bool | UnsetType = UNSET
    resource_subscriptions: list[str] | UnsetType = UNSET


class SubscriptionsListenRequestParams(RequestParams, kw_only=True, gc=False):
    """The params of ``subscriptions/listen`` (2026-07-28)."""

    notifications: SubscriptionFilter


class InitializeRequestParams(RequestParams, kw_only=True, rename="camel", gc=False):
    """The params of ``initialize`` (until 2025-11-25)."""

    protocol_version: str
    capabilities: ClientCapabilities
    client_info: Implementation


class SetLevelRequestParams(RequestParams, kw_only=True, gc=False):
    """The params of ``logging/setLevel`` (until 2025-11-25)."""

    level: LoggingLevel


class SubscribeRequestParams(RequestParams, kw_only=True, gc=False):
    """The params of ``resources/subscribe`` (until 2025-11-25)."""

    uri: str


class UnsubscribeRequestParams(RequestParams, kw_only=True, gc=False):
    """The params of ``resources/unsubscribe`` (until 2025-11-25)."""

    uri: str


class NotificationParams(Struct, kw_only=True, gc=False):
    """The params of a notification that has none of its own."""

    meta: dict[str, Any] | UnsetType = field(name="_meta", default=UNSET)


class CancelledNotificationParams(NotificationParams, kw_only=True, rename="camel", gc=False):
    """The params of ``notifications/cancelled``, from either side.

    ``request_id`` may be absent in 2025-11-25, where a task is cancelled by other means.
    """

    request_id: RequestId | UnsetType = UNSET
    reason: str | UnsetType = UNSET


class _MetaOnly(Struct, gc=False):
    meta: dict[str, Any] | UnsetType = field(name="_meta", default=UNSET)


def decode_meta(params: bytes | Raw) -> dict[str, Any]:
    """Return the whole ``_meta`` of encoded ``params``, every key as sent; empty where absent.

    Args:
        params: The JSON object that was, or could be, decoded into a ``RequestParams``.
    """
    meta = decode(params, type=_MetaOnly).meta
    return {} if meta is UNSET else meta
