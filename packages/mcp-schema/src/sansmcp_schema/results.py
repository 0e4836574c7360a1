"""What a server answers with. ``InputRequiredResult`` is in ``input_required``.

``result_type``, ``ttl_ms`` and ``cache_scope`` exist from 2026-07-28; whoever wraps a result for
the wire fills them in, so they are optional here and the Structs are not frozen.
"""

from typing import Any, ClassVar, Literal, TypeAlias

from msgspec import UNSET, Struct, UnsetType, field

from .capabilities import Implementation, ServerCapabilities
from .completion import Completion
from .content import ContentBlock, ResourceContents
from .jsonrpc import JSONObject
from .prompts import Prompt, PromptMessage
from .resources import Resource, ResourceTemplate
from .tools import Tool

__all__ = [
    "CacheScope",
    "CacheableResult",
    "CallToolResult",
    "CompleteResult",
    "DiscoverResult",
    "EmptyResult",
    "GetPromptResult",
    "InitializeResult",
    "ListPromptsResult",
    "ListResourceTemplatesResult",
    "ListResourcesResult",
    "ListToolsResult",
    "PaginatedResult",
    "ReadResourceResult",
    "Result",
    "SubscriptionsListenResult",
]

CacheScope: TypeAlias = Literal["public", "private"]


class Result(Struct, kw_only=True, rename="camel"):
    """What every result may carry."""

    cacheable: ClassVar[bool] = False
    """Whether it is a ``CacheableResult``."""

    result_type: str | UnsetType = UNSET
    meta: JSONObject | UnsetType = field(name="_meta", default=UNSET)


class EmptyResult(Result):
    """The result that says nothing but that it worked."""


class CacheableResult(Result, kw_only=True, rename="camel"):
    """A result that may be kept for ``ttl_ms`` milliseconds, by everyone or by this user only."""

    cacheable: ClassVar[bool] = True

    ttl_ms: int | UnsetType = UNSET
    cache_scope: CacheScope | UnsetType = UNSET


class PaginatedResult(CacheableResult, kw_only=True, rename="camel"):
    """One page of a list; ``next_cursor`` leads to the following one."""

    next_cursor: str | UnsetType = UNSET


class CallToolResult(Result, kw_only=True, rename="camel"):
    """The result of ``tools/call``.

    ``structured_content`` is any JSON value, or ``Raw``; before 2026-07-28 it has to be an object,
    and before 2025-06-18 it does not exist.
    """

    content: list[ContentBlock]
    structured_content: Any = UNSET
    is_error: bool | UnsetType = UNSET


class ListToolsResult(PaginatedResult, kw_only=True):
    """The result of ``tools/list``."""

    tools: list[Tool]


class GetPromptResult(Result, kw_only=True):
    """The result of ``prompts/get``."""

    description: str | UnsetType = UNSET
    messages: list[PromptMessage]


class ListPromptsResult(PaginatedResult, kw_only=True):
    """The result of ``prompts/list``."""

    prompts: list[Prompt]


class ReadResourceResult(CacheableResult, kw_only=True):
    """The result of ``resources/read``."""

    contents: list[ResourceContents]


class ListResourcesResult(PaginatedResult, kw_only=True):
    """The result of ``resources/list``."""

    resources: list[Resource]


class ListResourceTemplatesResult(PaginatedResult, kw_only=True, rename="camel"):
    """The result of ``resources/templates/list``."""

    resource_templates: list[ResourceTemplate]


class CompleteResult(Result, kw_only=True):
    """The result of ``completion/complete``."""

    completion: Completion


class DiscoverResult(CacheableResult, kw_only=True, rename="camel"):
    """The result of ``server/discover`` (2026-07-28)."""

    supported_versions: list[str]
    capabilities: ServerCapabilities
    instructions: str | UnsetType = UNSET


class InitializeResult(Result, kw_only=True, rename="camel"):
    """The result of ``initialize`` (until 2025-11-25)."""

    protocol_version: str
    capabilities: ServerCapabilities
    server_info: Implementation
    instructions: str | UnsetType = UNSET


class SubscriptionsListenResult(Result):
    """The end of a ``subscriptions/listen``; ``_meta`` names the subscription."""
