"""What the methods do that a server of tools alone never sees; loaded by the first of them."""

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET, UnsetType
from sansmcp_schema.completion import Completion, PromptReference
from sansmcp_schema.requests import SubscriptionFilter
from sansmcp_schema.results import CompleteResult, EmptyResult

from ._actions import reject, start
from ._completions import NO_COMPLETER
from ._decode import Rejection
from ._outcomes import Begin, Follow, Listen, Outcome, Reply, Start
from ._targets import CompletionTarget, PromptTarget, ResourceTarget, not_found
from ._uri_template import decode_once

if TYPE_CHECKING:
    from ._request import Request
    from ._server import Server
    from ._subscriptions import Kind

__all__ = [
    "begin",
    "complete",
    "follow",
    "get_prompt",
    "leave",
    "listen",
    "read_resource",
    "set_level",
]


def begin(request: "Request", server: "Server", now: float) -> Outcome:
    """``initialize``."""
    offered = server.capabilities(request.revision)
    promised: dict[Kind, Any] = {
        "tools": offered.tools,
        "prompts": offered.prompts,
        "resources": offered.resources,
    }
    kinds = tuple(kind for kind, capability in promised.items() if _both(True, capability) is True)
    return Begin(request.params, kinds)


def set_level(request: "Request", server: "Server", now: float) -> Outcome:
    """``logging/setLevel``."""
    request.session.log_level = request.params.level
    return Reply(EmptyResult())


def get_prompt(request: "Request", server: "Server", now: float) -> Outcome:
    """``prompts/get``."""
    params = request.params
    prompt = server.prompts.find(params.name)
    if prompt is None:
        return reject(request, f"Unknown prompt: {params.name[:128]}")
    return start(request, PromptTarget(prompt, _raw_arguments(params.arguments)), server, now)


def read_resource(request: "Request", server: "Server", now: float) -> Outcome:
    """``resources/read``."""
    uri: str = request.params.uri
    if _too_long(uri, server):
        return _reject_uri(request, server)
    if "%" in uri and decode_once(uri) is None:
        return reject(request, "Invalid params: uri holds a percent sign that escapes nothing")
    match = server.resources.match(uri)
    if match is None:
        error = not_found(uri, request.era)
        return Rejection(error.code, error.message, error.data, request.message.id)
    return start(request, ResourceTarget(match, uri), server, now)


def complete(request: "Request", server: "Server", now: float) -> Outcome:
    """``completion/complete``."""
    params = request.params
    completer = server.completions.find(params.ref, params.argument.name)
    if completer is None:
        ref = params.ref
        kind, name = (
            ("prompt", ref.name) if isinstance(ref, PromptReference) else ("resource", ref.uri)
        )
        return reject(
            request,
            f"Invalid params: there is no {kind} {name[:128]} "
            f"with an argument {params.argument.name[:128]}",
        )
    if completer is NO_COMPLETER:
        return Reply(CompleteResult(completion=Completion(values=[])))
    context = params.context
    filled = UNSET if context is UNSET or context is None else context.arguments
    target = CompletionTarget(
        completer, params.argument.value, {} if filled is UNSET or filled is None else filled
    )
    return Start(target)


def listen(request: "Request", server: "Server", now: float) -> Outcome:
    """``subscriptions/listen``: the filter, narrowed to what this server can tell."""
    wanted: SubscriptionFilter = request.params.notifications
    uris = wanted.resource_subscriptions
    limit = server.settings.limits.max_uris_per_listen
    if uris is not UNSET and len(uris) > limit:
        return reject(request, f"Invalid params: more than {limit} resourceSubscriptions")
    if uris is not UNSET and any(_too_long(uri, server) for uri in uris):
        return _reject_uri(request, server)
    offered = server.capabilities(request.revision)
    tools, prompts, resources = offered.tools, offered.prompts, offered.resources
    return Listen(
        SubscriptionFilter(
            tools_list_changed=_both(wanted.tools_list_changed, tools),
            prompts_list_changed=_both(wanted.prompts_list_changed, prompts),
            resources_list_changed=_both(wanted.resources_list_changed, resources),
            resource_subscriptions=UNSET
            if uris is UNSET or resources is UNSET
            else list(dict.fromkeys(uris)),
        )
    )


def follow(request: "Request", server: "Server", now: float) -> Outcome:
    """``resources/subscribe``."""
    return _follow(request, server, wanted=True)


def leave(request: "Request", server: "Server", now: float) -> Outcome:
    """``resources/unsubscribe``."""
    return _follow(request, server, wanted=False)


def _follow(request: "Request", server: "Server", *, wanted: bool) -> Outcome:
    uri: str = request.params.uri
    return _reject_uri(request, server) if _too_long(uri, server) else Follow(uri, wanted)


def _raw_arguments(arguments: msgspec.Raw | UnsetType) -> bytes | None:
    # Raw compares equal to nothing but itself.
    raw = None if arguments is UNSET else bytes(arguments)
    return None if raw == b"null" else raw


def _both(wanted: bool | UnsetType, capability: Any) -> bool | UnsetType:
    if wanted is not True or capability is UNSET or capability.list_changed is not True:
        return UNSET
    return True


def _too_long(uri: str, server: "Server") -> bool:
    return len(uri) > server.settings.limits.max_uri_chars


def _reject_uri(request: "Request", server: "Server") -> Rejection:
    longest = server.settings.limits.max_uri_chars
    return reject(request, f"Invalid params: a URI is longer than {longest} characters")
