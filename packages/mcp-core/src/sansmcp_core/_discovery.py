"""What a server says of itself before anything is asked of it.

Source: MCP 2026-07-28 server/discover; 2025-11-25 basic/lifecycle, Initialization.
"""

from typing import TYPE_CHECKING

import sansmcp_schema as schema
from msgspec import UNSET
from sansmcp_schema.revisions import LEGACY_REVISIONS, MODERN_REVISIONS

if TYPE_CHECKING:
    from sansmcp_schema.results import InitializeResult

    from ._server import Server

__all__ = ["initialize_result", "server_versions"]


def server_versions(server: "Server") -> list[str]:
    """Return the revisions a server names to modern clients, newest first."""
    settings = server.settings
    legacy = LEGACY_REVISIONS if settings.legacy and settings.list_legacy_versions else ()
    return [*reversed(MODERN_REVISIONS), *reversed(legacy)]


def initialize_result(server: "Server", revision: str) -> "InitializeResult":
    """Return the answer to ``initialize`` that agrees on ``revision``."""
    return schema.InitializeResult(
        protocol_version=revision,
        capabilities=server.capabilities(revision),
        server_info=server.info,
        instructions=UNSET if server.instructions is None else server.instructions,
    )
