"""What the client of one request can be asked for.

Source: MCP 2026-07-28 client/elicitation, Capabilities; client/sampling, Capabilities.
"""

from collections.abc import Callable
from typing import Any

from msgspec import UNSET
from sansmcp_schema.capabilities import ClientCapabilities

__all__ = ["CAPABILITIES", "client_supports", "required_capabilities"]


def _form(capabilities: ClientCapabilities) -> bool:
    elicitation = capabilities.elicitation
    # An empty object means forms, for that is all the first revision had.
    return elicitation is not UNSET and (elicitation.form is not UNSET or elicitation.url is UNSET)


def _url(capabilities: ClientCapabilities) -> bool:
    elicitation = capabilities.elicitation
    return elicitation is not UNSET and elicitation.url is not UNSET


def _sampling(capabilities: ClientCapabilities) -> bool:
    return capabilities.sampling is not UNSET


def _sampling_tools(capabilities: ClientCapabilities) -> bool:
    return capabilities.sampling is not UNSET and capabilities.sampling.tools is not UNSET


def _roots(capabilities: ClientCapabilities) -> bool:
    return capabilities.roots is not UNSET


_Test = Callable[[ClientCapabilities], bool]

CAPABILITIES: dict[str, tuple[str, _Test, dict[str, Any]]] = {
    # name: (first revision that has it, test, what the error names)
    "elicitation": ("2025-06-18", lambda c: c.elicitation is not UNSET, {"elicitation": {}}),
    "elicitation.form": ("2025-06-18", _form, {"elicitation": {"form": {}}}),
    # A form in which several of several values are chosen.
    "elicitation.choices": ("2025-11-25", _form, {"elicitation": {"form": {}}}),
    "elicitation.url": ("2025-11-25", _url, {"elicitation": {"url": {}}}),
    "sampling": ("2024-11-05", _sampling, {"sampling": {}}),
    "sampling.tools": ("2025-11-25", _sampling_tools, {"sampling": {"tools": {}}}),
    "roots": ("2024-11-05", _roots, {"roots": {}}),
}
"""What a client can declare, since when, and how that is told."""


def client_supports(capabilities: ClientCapabilities, revision: str, name: str) -> bool:
    """Tell whether a client that speaks ``revision`` declared the capability ``name``.

    Raises:
        ValueError: There is no capability of that name.
    """
    if name not in CAPABILITIES:
        raise ValueError(f"unknown capability {name!r}; there are {', '.join(CAPABILITIES)}")
    since, test, _ = CAPABILITIES[name]
    return revision >= since and test(capabilities)


def required_capabilities(names: list[str]) -> dict[str, Any]:
    """Return the ``requiredCapabilities`` of an error that says what a client lacks."""
    required: dict[str, Any] = {}
    for name in names:
        for key, parts in CAPABILITIES[name][2].items():
            required.setdefault(key, {}).update(parts)
    return required
