"""What each method does: from a request that passed the ladder to an outcome."""

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET, UnsetType
from sansmcp_schema.completion import Completion, PromptReference
from sansmcp_schema.jsonrpc import HEADER_MISMATCH, INVALID_PARAMS
from sansmcp_schema.requests import SubscriptionFilter
from sansmcp_schema.results import CompleteResult, DiscoverResult, EmptyResult

from ._completions import NO_COMPLETER
from ._decode import Rejection
from ._discovery import server_versions
from ._era import Era
from ._outcomes import Begin, Follow, Listen, Outcome, Reply, Start
from ._request_state import Binding, RequestState, canonical_json
from ._rounds import Rounds
from ._targets import (
    CompletionTarget,
    PromptTarget,
    ResourceTarget,
    Target,
    ToolTarget,
    not_found,
)
from ._uri_template import decode_once

if TYPE_CHECKING:
    from ._request import Request
    from ._server import Server
    from ._subscriptions import Kind

__all__ = [
    "begin",
    "call_tool",
    "complete",
    "discover",
    "follow",
    "get_prompt",
    "list_page",
    "listen",
    "ping",
    "read_resource",
    "set_level",
]

_NOTHING: dict[str, bytes] = {}
_OPEN_BRACE = ord("{")


def discover(request: "Request", server: "Server", now: float) -> Outcome:
    """``server/discover``."""
    result = DiscoverResult(
        supported_versions=server_versions(server),
        capabilities=server.capabilities(request.revision),
        instructions=UNSET if server.instructions is None else server.instructions,
    )
    return Reply(result, server.lists.hint("discover"))


def ping(request: "Request", server: "Server", now: float) -> Outcome:
    """``ping``."""
    return Reply(EmptyResult())


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


def list_page(kind: Any) -> Any:
    """Return the action of one of the four lists."""

    def action(request: "Request", server: "Server", now: float) -> Outcome:
        cursor = request.params.cursor
        page = server.lists.page(kind, request.revision, None if cursor is UNSET else cursor)
        if page is None:
            return _reject(request, "Invalid params: this list has never given out that cursor")
        return Reply(page)

    return action


def call_tool(request: "Request", server: "Server", now: float) -> Outcome:
    """``tools/call``."""
    params = request.params
    tool = server.tools.find(params.name)
    if tool is None:
        return _reject(request, f"Unknown tool: {params.name[:128]}")
    raw = None if params.arguments is UNSET else bytes(params.arguments)
    if raw is not None and raw[0] != _OPEN_BRACE:
        if raw != b"null":
            # No such request exists, so it is the client's error and not the model's.
            return _reject(request, "Invalid params: arguments must be an object")
        raw = None
    if request.mirror is not None and tool.headers:
        wrong = request.mirror.check_params(tool.headers, raw)
        if wrong is not None:
            return Rejection(HEADER_MISMATCH, wrong, UNSET, request.id)
    target = ToolTarget(tool, raw, request.era is Era.MODERN)
    if tool.scopes or params.request_state is not UNSET or params.input_responses is not UNSET:
        return _start(request, target, server, now)
    return Start(target)


def get_prompt(request: "Request", server: "Server", now: float) -> Outcome:
    """``prompts/get``."""
    params = request.params
    prompt = server.prompts.find(params.name)
    if prompt is None:
        return _reject(request, f"Unknown prompt: {params.name[:128]}")
    return _start(request, PromptTarget(prompt, _raw_arguments(params.arguments)), server, now)


def read_resource(request: "Request", server: "Server", now: float) -> Outcome:
    """``resources/read``."""
    uri: str = request.params.uri
    if _too_long(uri, server):
        return _reject_uri(request, server)
    if "%" in uri and decode_once(uri) is None:
        return _reject(request, "Invalid params: uri holds a percent sign that escapes nothing")
    match = server.resources.match(uri)
    if match is None:
        error = not_found(uri, request.era)
        return Rejection(error.code, error.message, error.data, request.message.id)
    return _start(request, ResourceTarget(match, uri), server, now)


def complete(request: "Request", server: "Server", now: float) -> Outcome:
    """``completion/complete``."""
    params = request.params
    completer = server.completions.find(params.ref, params.argument.name)
    if completer is None:
        ref = params.ref
        kind, name = (
            ("prompt", ref.name) if isinstance(ref, PromptReference) else ("resource", ref.uri)
        )
        return _reject(
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
        return _reject(request, f"Invalid params: more than {limit} resourceSubscriptions")
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


def follow(wanted: bool) -> Any:
    """Return the action of ``resources/subscribe`` or ``resources/unsubscribe``."""

    def action(request: "Request", server: "Server", now: float) -> Outcome:
        uri: str = request.params.uri
        if _too_long(uri, server):
            return _reject_uri(request, server)
        return Follow(uri, wanted)

    return action


def _start(request: "Request", target: Target, server: "Server", now: float) -> Outcome:
    """Begin a call, with what earlier rounds left of it."""
    operation = target.operation
    if operation.scopes:
        scopes = ", ".join(sorted(operation.scopes))
        return _reject(
            request, f"{target.label} requires {scopes}, and this connection has no principal"
        )
    params = request.params
    token, responses = params.request_state, params.input_responses
    if request.era is Era.LEGACY or (token is UNSET and responses is UNSET):
        return Start(target)
    supplied = (
        _NOTHING
        if responses is UNSET or responses is None
        else {key: bytes(raw) for key, raw in responses.items()}
    )
    if token is UNSET or token is None:
        return Start(target, Rounds(RequestState(), supplied))
    binding = binding_of(request, target)
    state = server.sealer.open(token, binding, now)
    if state is None:
        return _reject(request, "Invalid params: this requestState cannot be used here")
    return Start(target, Rounds(state, supplied))


def binding_of(request: "Request", target: Target) -> Binding:
    """Return what a request's state is bound to."""
    name, raw = target.bound_to
    if raw is None:
        raw = b"{}"
    try:
        arguments = canonical_json(msgspec.json.decode(raw))
    except (ValueError, RecursionError):
        # An argument that nobody reads may hold what cannot be read; then the spelling counts.
        arguments = raw
    return Binding(request.message.method, name, arguments)


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
    return _reject(request, f"Invalid params: a URI is longer than {longest} characters")


def _reject(request: "Request", text: str) -> Rejection:
    return Rejection(INVALID_PARAMS, text, UNSET, request.message.id)
