"""The params that a server of tools alone seldom gets: loaded with the first of them."""

from typing import Any

from msgspec import UNSET, Raw, Struct, UnsetType, field

from .capabilities import ClientCapabilities, Implementation
from .completion import (
    CompletionArgument,
    CompletionContext,
    PromptReference,
    ResourceTemplateReference,
)
from .jsonrpc import RequestId
from .requests import InputResponseRequestParams, LoggingLevel, RequestParams

__all__ = [
    "CancelledNotificationParams",
    "CompleteRequestParams",
    "GetPromptRequestParams",
    "InitializeRequestParams",
    "NotificationParams",
    "ReadResourceRequestParams",
    "SetLevelRequestParams",
    "SubscribeRequestParams",
    "SubscriptionFilter",
    "SubscriptionsListenRequestParams",
    "UnsubscribeRequestParams",
]


class GetPromptRequestParams(InputResponseRequestParams, kw_only=True, gc=False):
    """The params of ``prompts/get``; ``arguments`` as in ``CallToolRequestParams``."""

    name: str
    arguments: Raw | UnsetType = UNSET


class ReadResourceRequestParams(InputResponseRequestParams, kw_only=True, gc=False):
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
