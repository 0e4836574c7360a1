"""The table of methods: which era has them, what they need, what they do."""

from collections.abc import Callable
from importlib import import_module
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec
import sansmcp_schema as schema

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

    params: str
    """The name of the Struct of its parameters, ``_meta`` included."""

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
        self.decode_params = msgspec.json.Decoder(getattr(schema, self.params)).decode
        return self.decode_params(raw)


def _always(server: "Server") -> bool:
    return True


def _never(server: "Server") -> bool:
    return False


def _tools(server: "Server") -> bool:
    return server.tools.offered or server.settings.offer_tools


def _resources(server: "Server") -> bool:
    return server.registries.offered().resources or server.settings.offer_resources


def _prompts(server: "Server") -> bool:
    return server.registries.offered().prompts or server.settings.offer_prompts


def _completions(server: "Server") -> bool:
    return server.registries.offered().completions or server.settings.offer_completions


def _logging(server: "Server") -> bool:
    return server.settings.logging


def _modern_ping(server: "Server") -> bool:
    return server.settings.modern_ping


_by_name = attrgetter("name")
_by_uri = attrgetter("uri")


def _late(name: str) -> _Action:
    """An action that is loaded by its first request."""

    def load(request: "Request", server: "Server", now: float) -> "Outcome":
        action: _Action = getattr(import_module("._feature_actions", __package__), name)
        request.method.serve = action
        return action(request, server, now)

    return load


_PAGE = "PaginatedRequestParams"

METHODS: dict[str, Method] = {
    "server/discover": Method(_always, _never, "RequestParams", actions.discover),
    "initialize": Method(_never, _always, "InitializeRequestParams", _late("begin")),
    "ping": Method(_modern_ping, _always, "RequestParams", actions.ping),
    "tools/list": Method(_tools, _tools, _PAGE, actions.list_page("tools")),
    "tools/call": Method(_tools, _tools, "CallToolRequestParams", actions.call_tool, _by_name),
    "resources/list": Method(_resources, _resources, _PAGE, actions.list_page("resources")),
    "resources/templates/list": Method(
        _resources, _resources, _PAGE, actions.list_page("resource_templates")
    ),
    "resources/read": Method(
        _resources, _resources, "ReadResourceRequestParams", _late("read_resource"), _by_uri
    ),
    "resources/subscribe": Method(_never, _resources, "SubscribeRequestParams", _late("follow")),
    "resources/unsubscribe": Method(_never, _resources, "UnsubscribeRequestParams", _late("leave")),
    "prompts/list": Method(_prompts, _prompts, _PAGE, actions.list_page("prompts")),
    "prompts/get": Method(
        _prompts, _prompts, "GetPromptRequestParams", _late("get_prompt"), _by_name
    ),
    "completion/complete": Method(
        _completions, _completions, "CompleteRequestParams", _late("complete")
    ),
    "logging/setLevel": Method(_never, _logging, "SetLevelRequestParams", _late("set_level")),
    "subscriptions/listen": Method(
        _always, _never, "SubscriptionsListenRequestParams", _late("listen")
    ),
}
"""Requests by method; what stands in no row is ``-32601`` on every revision."""
