"""What a server answers with. ``InputRequiredResult`` is in ``input_required``.

``result_type``, ``ttl_ms`` and ``cache_scope`` exist from 2026-07-28; whoever wraps a result for
the wire fills them in, so they are optional here and the Structs are not frozen.

The results of prompts, resources, completion and the handshake are loaded by their first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

from msgspec import UNSET, Struct, UnsetType, field

from .capabilities import ServerCapabilities
from .content import ContentBlock
from .jsonrpc import JSONObject

if TYPE_CHECKING:
    from ._feature_results import (
        CompleteResult,
        GetPromptResult,
        InitializeResult,
        ListPromptsResult,
        ListResourcesResult,
        ListResourceTemplatesResult,
        ListToolsResult,
        ReadResourceResult,
        SubscriptionsListenResult,
    )

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


class DiscoverResult(CacheableResult, kw_only=True, rename="camel"):
    """The result of ``server/discover`` (2026-07-28)."""

    supported_versions: list[str]
    capabilities: ServerCapabilities
    instructions: str | UnsetType = UNSET


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module("._feature_results", __package__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
