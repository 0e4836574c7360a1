"""What a legacy connection has agreed on; modern requests bring all of it themselves."""

from typing import TYPE_CHECKING

from sansmcp_schema.capabilities import ClientCapabilities
from sansmcp_schema.requests import RequestMeta
from sansmcp_schema.revisions import LATEST_LEGACY, LEGACY_REVISIONS

if TYPE_CHECKING:
    from sansmcp_schema.requests import InitializeRequestParams

    from ._subscriptions import Listener

__all__ = ["LOG_LEVELS", "LegacySession"]

LOG_LEVELS = {
    level: rank
    for rank, level in enumerate(
        ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
    )
}
"""The log levels and their order. Source: RFC 5424 section 6.2.1."""


class LegacySession:
    """The state of one legacy connection.

    Before ``initialize`` it is served as the newest legacy revision, to a client without
    capabilities: some clients never shake hands.

    Source: MCP 2025-11-25 basic/lifecycle.
    """

    __slots__ = ("client", "listener", "log_level", "revision")

    def __init__(self) -> None:
        self.revision = LATEST_LEGACY
        self.client = RequestMeta(client_capabilities=ClientCapabilities())
        """What the client said of itself, in the form in which modern ones say it each time."""
        self.log_level: str | None = None
        self.listener: Listener | None = None

    def begin(self, params: "InitializeRequestParams") -> None:
        """Agree on the client's revision where it is a legacy one, otherwise on the newest."""
        asked = params.protocol_version
        self.revision = asked if asked in LEGACY_REVISIONS else LATEST_LEGACY
        self.client = RequestMeta(
            client_info=params.client_info, client_capabilities=params.capabilities
        )
        self.log_level = None
