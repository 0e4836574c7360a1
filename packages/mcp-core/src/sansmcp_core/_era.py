"""The one place where the era of a message is decided.

Source: MCP 2026-07-28 basic/versioning, Backward Compatibility with Initialization-Based Versions.
"""

from enum import Enum

from msgspec import UNSET
from sansmcp_schema.requests import RequestMeta
from sansmcp_schema.revisions import MODERN_REVISIONS

__all__ = ["LEGACY", "MODERN", "Era", "classify_era"]


class Era(Enum):
    """How a message says who sends it: in itself, or by a handshake that came before."""

    MODERN = "modern"
    """Per-request metadata, revision 2026-07-28 and later."""

    LEGACY = "legacy"
    """The ``initialize`` handshake, revision 2025-11-25 and earlier."""


# Python 3.11 takes longer to find a member of an enumeration than to do all else with it.
MODERN, LEGACY = Era.MODERN, Era.LEGACY


# Methods that only one era can mean, unless the message itself says otherwise.
_ERA_OF_METHOD = {"server/discover": MODERN, "initialize": LEGACY}


def classify_era(method: str, meta: RequestMeta, header_version: str | None) -> Era:
    """Return the era of a message, by the first row that fits.

    | what the message shows | era |
    | --- | --- |
    | ``_meta`` names a protocol version or client capabilities | modern |
    | the method is ``server/discover`` | modern |
    | the method is ``initialize`` | legacy |
    | the HTTP version header names a modern revision | modern |
    | anything else, other ``io.modelcontextprotocol/*`` keys too | legacy |

    Args:
        method: The message's method.
        meta: Its ``_meta``; an empty one where there is none.
        header_version: The HTTP version header; ``None`` where there is none, as on stdio.
    """
    if meta.protocol_version is not UNSET or meta.client_capabilities is not UNSET:
        return MODERN
    known = _ERA_OF_METHOD.get(method)
    if known is not None:
        return known
    return MODERN if header_version in MODERN_REVISIONS else LEGACY
