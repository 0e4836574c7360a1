"""The results that a server of tools alone seldom makes: loaded with the first of them."""

from msgspec import UNSET, UnsetType

from .capabilities import Implementation, ServerCapabilities
from .completion import Completion
from .content import ResourceContents
from .prompts import Prompt, PromptMessage
from .resources import Resource, ResourceTemplate
from .results import CacheableResult, PaginatedResult, Result
from .tools import Tool

__all__ = [
    "CompleteResult",
    "GetPromptResult",
    "InitializeResult",
    "ListPromptsResult",
    "ListResourceTemplatesResult",
    "ListResourcesResult",
    "ListToolsResult",
    "ReadResourceResult",
    "SubscriptionsListenResult",
]


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


class InitializeResult(Result, kw_only=True, rename="camel"):
    """The result of ``initialize`` (until 2025-11-25)."""

    protocol_version: str
    capabilities: ServerCapabilities
    server_info: Implementation
    instructions: str | UnsetType = UNSET


class SubscriptionsListenResult(Result):
    """The end of a ``subscriptions/listen``; ``_meta`` names the subscription."""
