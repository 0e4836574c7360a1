"""What a server offers, by what is registered and what its settings say."""

from msgspec import UNSET
from sansmcp_schema.capabilities import (
    PromptsCapability,
    ResourcesCapability,
    ServerCapabilities,
    ToolsCapability,
)
from sansmcp_schema.revisions import for_revision

from ._registries import Offered
from ._settings import Settings

__all__ = ["server_capabilities"]


def server_capabilities(offered: Offered, settings: Settings, revision: str) -> ServerCapabilities:
    """The capabilities as that revision can say them.

    Source: MCP 2026-07-28 schema, ServerCapabilities; 2025-11-25 basic/lifecycle.
    """
    changes = UNSET if offered.frozen else True
    capabilities = ServerCapabilities()
    if offered.tools or settings.offer_tools:
        capabilities.tools = ToolsCapability(list_changed=changes)
    if offered.resources or settings.offer_resources:
        capabilities.resources = ResourcesCapability(subscribe=True, list_changed=changes)
    if offered.prompts or settings.offer_prompts:
        capabilities.prompts = PromptsCapability(list_changed=changes)
    if offered.completions or settings.offer_completions:
        capabilities.completions = {}
    if settings.logging:
        capabilities.logging = {}
    if settings.extensions:
        capabilities.extensions = dict(settings.extensions)
    if settings.experimental:
        capabilities.experimental = dict(settings.experimental)
    return for_revision(capabilities, revision)
