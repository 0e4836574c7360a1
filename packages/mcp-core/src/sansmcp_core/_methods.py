"""The table of methods: which era has them, what they need, what they do."""

from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import msgspec
from sansmcp_schema.requests import (
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

from . import _actions as actions

if TYPE_CHECKING:
    from ._outcomes import Outcome
    from ._request import Request
    from ._server import Server

__all__ = ["METHODS", "Method"]

_Action: TypeAlias = "Callable[[Request, Server, float], Outcome]"
_Offer: TypeAlias = "Callable[[Server], bool]"


class Method(NamedTuple):
    """One row of the table."""

    modern: "_Offer"
    """Whether a server has it in the modern era."""

    legacy: "_Offer"
    """Whether a server has it in the legacy era."""

    decode_params: Callable[[bytes], Any]
    """Decodes the parameters into the method's Struct, ``_meta`` included."""

    serve: "_Action"

    named: Callable[[Any], str] | None = None
    """Returns what an HTTP request names in its head, where the method has it."""


def _always(server: "Server") -> bool:
    return True


def _never(server: "Server") -> bool:
    return False


def _tools(server: "Server") -> bool:
    return server.tools.offered or server.settings.offer_tools


def _resources(server: "Server") -> bool:
    registries = server.resources
    return (
        registries.fixed.offered or registries.templates.offered or server.settings.offer_resources
    )


def _prompts(server: "Server") -> bool:
    return server.prompts.offered or server.settings.offer_prompts


def _completions(server: "Server") -> bool:
    return server.completions.offered or server.settings.offer_completions


def _logging(server: "Server") -> bool:
    return server.settings.logging


def _modern_ping(server: "Server") -> bool:
    return server.settings.modern_ping


def _row(
    modern: "_Offer",
    legacy: "_Offer",
    params: type,
    serve: "_Action",
    named: Callable[[Any], str] | None = None,
) -> Method:
    return Method(modern, legacy, msgspec.json.Decoder(params).decode, serve, named)


_by_name = attrgetter("name")
_by_uri = attrgetter("uri")


_PAGE, _URI = PaginatedRequestParams, ReadResourceRequestParams
_FOLLOW, _LEAVE = SubscribeRequestParams, UnsubscribeRequestParams

METHODS: dict[str, Method] = {
    "server/discover": _row(_always, _never, RequestParams, actions.discover),
    "initialize": _row(_never, _always, InitializeRequestParams, actions.begin),
    "ping": _row(_modern_ping, _always, RequestParams, actions.ping),
    "tools/list": _row(_tools, _tools, _PAGE, actions.list_page("tools")),
    "tools/call": _row(_tools, _tools, CallToolRequestParams, actions.call_tool, _by_name),
    "resources/list": _row(_resources, _resources, _PAGE, actions.list_page("resources")),
    "resources/templates/list": _row(
        _resources, _resources, _PAGE, actions.list_page("resource_templates")
    ),
    "resources/read": _row(_resources, _resources, _URI, actions.read_resource, _by_uri),
    "resources/subscribe": _row(_never, _resources, _FOLLOW, actions.follow(wanted=True)),
    "resources/unsubscribe": _row(_never, _resources, _LEAVE, actions.follow(wanted=False)),
    "prompts/list": _row(_prompts, _prompts, _PAGE, actions.list_page("prompts")),
    "prompts/get": _row(_prompts, _prompts, GetPromptRequestParams, actions.get_prompt, _by_name),
    "completion/complete": _row(
        _completions, _completions, CompleteRequestParams, actions.complete
    ),
    "logging/setLevel": _row(_never, _logging, SetLevelRequestParams, actions.set_level),
    "subscriptions/listen": _row(_always, _never, SubscriptionsListenRequestParams, actions.listen),
}
"""Requests by method; what stands in no row is ``-32601`` on every revision."""
