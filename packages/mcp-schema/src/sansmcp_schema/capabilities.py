"""Who the parties are and what they can do.

Capabilities nobody knows yet are ignored when decoded; official extensions go into ``extensions``.
"""

from typing import Any

from msgspec import UNSET, Struct, UnsetType

from .content import Icon
from .jsonrpc import JSONObject

__all__ = [
    "ClientCapabilities",
    "ElicitationCapability",
    "Implementation",
    "MissingRequiredClientCapabilityData",
    "PromptsCapability",
    "ResourcesCapability",
    "RootsCapability",
    "SamplingCapability",
    "ServerCapabilities",
    "ToolsCapability",
]


class Implementation(Struct, kw_only=True, rename="camel", gc=False):
    """The name and version of a client or server, and how to present it."""

    name: str
    version: str
    title: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    website_url: str | UnsetType = UNSET
    icons: list[Icon] | UnsetType = UNSET


class RootsCapability(Struct, rename="camel", gc=False):
    """``roots``; ``list_changed`` does not exist from 2026-07-28."""

    list_changed: bool | UnsetType = UNSET


class SamplingCapability(Struct, gc=False):
    """``sampling``; its parts do not exist before 2025-11-25."""

    context: dict[str, Any] | UnsetType = UNSET
    tools: dict[str, Any] | UnsetType = UNSET


class ElicitationCapability(Struct, gc=False):
    """``elicitation``; its parts do not exist before 2025-11-25, and none of them means form."""

    form: dict[str, Any] | UnsetType = UNSET
    url: dict[str, Any] | UnsetType = UNSET


class ClientCapabilities(Struct, kw_only=True, gc=False):
    """What a client can do for a server."""

    experimental: dict[str, Any] | UnsetType = UNSET
    roots: RootsCapability | UnsetType = UNSET
    sampling: SamplingCapability | UnsetType = UNSET
    elicitation: ElicitationCapability | UnsetType = UNSET
    extensions: dict[str, Any] | UnsetType = UNSET


class PromptsCapability(Struct, rename="camel", gc=False):
    """``prompts``, and whether a change of the list is announced."""

    list_changed: bool | UnsetType = UNSET


class ResourcesCapability(Struct, rename="camel", gc=False):
    """``resources``, whether single ones can be subscribed to and a change of the list is told."""

    subscribe: bool | UnsetType = UNSET
    list_changed: bool | UnsetType = UNSET


class ToolsCapability(Struct, rename="camel", gc=False):
    """``tools``, and whether a change of the list is announced."""

    list_changed: bool | UnsetType = UNSET


class ServerCapabilities(Struct, kw_only=True, gc=False):
    """What a server offers."""

    experimental: JSONObject | UnsetType = UNSET
    logging: JSONObject | UnsetType = UNSET
    completions: JSONObject | UnsetType = UNSET
    prompts: PromptsCapability | UnsetType = UNSET
    resources: ResourcesCapability | UnsetType = UNSET
    tools: ToolsCapability | UnsetType = UNSET
    extensions: JSONObject | UnsetType = UNSET


class MissingRequiredClientCapabilityData(Struct, rename="camel", gc=False):
    """The ``data`` of a ``MISSING_REQUIRED_CLIENT_CAPABILITY`` error."""

    required_capabilities: ClientCapabilities
