"""Whole requests of a client, each of its method; a server decodes envelope and params apart."""

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from .jsonrpc import RequestId
from .requests import (
    CallToolRequestParams,
    CompleteRequestParams,
    GetPromptRequestParams,
    InitializeRequestParams,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    RequestParams,
    SetLevelRequestParams,
    SubscribeRequestParams,
    SubscriptionsListenRequestParams,
    UnsubscribeRequestParams,
)

__all__ = [
    "CallToolRequest",
    "CompleteRequest",
    "DiscoverRequest",
    "GetPromptRequest",
    "InitializeRequest",
    "ListPromptsRequest",
    "ListResourceTemplatesRequest",
    "ListResourcesRequest",
    "ListToolsRequest",
    "PingRequest",
    "ReadResourceRequest",
    "SetLevelRequest",
    "SubscribeRequest",
    "SubscriptionsListenRequest",
    "UnsubscribeRequest",
]


class _Request(Struct, kw_only=True, tag_field="method"):
    jsonrpc: Literal["2.0"] = "2.0"
    id: RequestId


class DiscoverRequest(_Request, tag="server/discover", kw_only=True):
    """What can this server do? (2026-07-28)"""

    params: RequestParams


class CallToolRequest(_Request, tag="tools/call", kw_only=True):
    """Call a tool."""

    params: CallToolRequestParams


class ListToolsRequest(_Request, tag="tools/list", kw_only=True):
    """Which tools are there?"""

    params: PaginatedRequestParams | UnsetType = UNSET


class GetPromptRequest(_Request, tag="prompts/get", kw_only=True):
    """Fill in a prompt."""

    params: GetPromptRequestParams


class ListPromptsRequest(_Request, tag="prompts/list", kw_only=True):
    """Which prompts are there?"""

    params: PaginatedRequestParams | UnsetType = UNSET


class ReadResourceRequest(_Request, tag="resources/read", kw_only=True):
    """Read a resource."""

    params: ReadResourceRequestParams


class ListResourcesRequest(_Request, tag="resources/list", kw_only=True):
    """Which resources are there?"""

    params: PaginatedRequestParams | UnsetType = UNSET


class ListResourceTemplatesRequest(_Request, tag="resources/templates/list", kw_only=True):
    """Which resource templates are there?"""

    params: PaginatedRequestParams | UnsetType = UNSET


class CompleteRequest(_Request, tag="completion/complete", kw_only=True):
    """Which values begin like this?"""

    params: CompleteRequestParams


class SubscriptionsListenRequest(_Request, tag="subscriptions/listen", kw_only=True):
    """Tell me when something changes. (2026-07-28)"""

    params: SubscriptionsListenRequestParams


class InitializeRequest(_Request, tag="initialize", kw_only=True):
    """Let us agree on a revision. (until 2025-11-25)"""

    params: InitializeRequestParams


class PingRequest(_Request, tag="ping", kw_only=True):
    """Are you there? (until 2025-11-25)"""

    params: RequestParams | UnsetType = UNSET


class SetLevelRequest(_Request, tag="logging/setLevel", kw_only=True):
    """Log from this level on. (until 2025-11-25)"""

    params: SetLevelRequestParams


class SubscribeRequest(_Request, tag="resources/subscribe", kw_only=True):
    """Tell me when this resource changes. (until 2025-11-25)"""

    params: SubscribeRequestParams


class UnsubscribeRequest(_Request, tag="resources/unsubscribe", kw_only=True):
    """Tell me no longer. (until 2025-11-25)"""

    params: UnsubscribeRequestParams
