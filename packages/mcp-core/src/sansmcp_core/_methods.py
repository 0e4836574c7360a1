"""The table of methods: which era has them, what they need, what they do."""

from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeAlias

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


class Method(msgspec.Struct):
    """One row of the table."""

    modern: "_Offer"
    """Whether a server has it in the modern era."""

    legacy: "_Offer"
    """Whether a server has it in the legacy era."""

    params: type
    """The Struct of its parameters, ``_meta`` included."""

    serve: "_Action"

    named: Callable[[Any], str] | None = None
    """Returns what an HTTP request names in its head, where the method has it."""

    decode_params: Callable[[bytes], Any] = msgspec.json.decode
    """Decodes the parameters into their Struct."""

    def __post_init__(self) -> None:
        self.decode_params = self._decode_first

    def _decode_first(self, raw: bytes) -> Any:
        # Decoders are made with the first request: a process that is started for a few requests
        # has no use for most of them.
        self.decode_params = msgspec.json.Decoder(self.params).decode
        return self.decode_params(raw)


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


_by_name = attrgetter("name")
_by_uri = attrgetter("uri")


_PAGE, _URI = PaginatedRequestParams, ReadResourceRequestParams
_FOLLOW, _LEAVE = SubscribeRequestParams, UnsubscribeRequestParams

METHODS: dict[str, Method] = {
    "server/discover": Method(_always, _never, RequestParams, actions.discover),
    "initialize": Method(_never, _always, InitializeRequestParams, actions.begin),
    "ping": Method(_modern_ping, _always, RequestParams, actions.ping),
    "tools/list": Method(_tools, _tools, _PAGE, actions.list_page("tools")),
    "tools/call": Method(_tools, _tools, CallToolRequestParams, actions.call_tool, _by_name),
    "resources/list": Method(_resources, _resources, _PAGE, actions.list_page("resources")),
    "resources/templates/list": Method(
        _resources, _resources, _PAGE, actions.list_page("resource_templates")
    ),
    "resources/read": Method(_resources, _resources, _URI, actions.read_resource, _by_uri),
    "resources/subscribe": Method(_never, _resources, _FOLLOW, actions.follow(wanted=True)),
    "resources/unsubscribe": Method(_never, _resources, _LEAVE, actions.follow(wanted=False)),
    "prompts/list": Method(_prompts, _prompts, _PAGE, actions.list_page("prompts")),
    "prompts/get": Method(_prompts, _prompts, GetPromptRequestParams, actions.get_prompt, _by_name),
    "completion/complete": Method(
        _completions, _completions, CompleteRequestParams, actions.complete
    ),
    "logging/setLevel": Method(_never, _logging, SetLevelRequestParams, actions.set_level),
    "subscriptions/listen": Method(
        _always, _never, SubscriptionsListenRequestParams, actions.listen
    ),
}
"""Requests by method; what stands in no row is ``-32601`` on every revision."""
