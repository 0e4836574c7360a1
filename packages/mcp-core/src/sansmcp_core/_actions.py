"""What the methods do that every client uses: from an admitted request to an outcome."""

from typing import TYPE_CHECKING, Any

from msgspec import UNSET
from sansmcp_schema.jsonrpc import HEADER_MISMATCH, INVALID_PARAMS
from sansmcp_schema.results import DiscoverResult, EmptyResult

from ._decode import OPEN_BRACE, Rejection
from ._discovery import server_versions
from ._era import LEGACY, MODERN
from ._outcomes import Outcome, Reply, Start
from ._rounds import RequestState, Rounds
from ._targets import Target, ToolTarget

if TYPE_CHECKING:
    from ._request import Request
    from ._server import Server

__all__ = ["call_tool", "discover", "list_page", "ping", "reject", "start"]

_NOTHING: dict[str, bytes] = {}


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


def list_page(kind: Any) -> Any:
    """Return the action of one of the four lists."""

    def action(request: "Request", server: "Server", now: float) -> Outcome:
        cursor = request.params.cursor
        page = server.lists.page(kind, request.revision, None if cursor is UNSET else cursor)
        if page is None:
            return reject(request, "Invalid params: this list has never given out that cursor")
        return Reply(page)

    return action


def call_tool(request: "Request", server: "Server", now: float) -> Outcome:
    """``tools/call``."""
    params = request.params
    tool = server.tools.find(params.name)
    if tool is None:
        return reject(request, f"Unknown tool: {params.name[:128]}")
    raw = None if params.arguments is UNSET else bytes(params.arguments)
    if raw is not None and raw[0] != OPEN_BRACE:
        if raw != b"null":
            # No such request exists, so it is the client's error and not the model's.
            return reject(request, "Invalid params: arguments must be an object")
        raw = None
    if request.mirror is not None and tool.headers:
        wrong = request.mirror.check_params(tool.headers, raw)
        if wrong is not None:
            return Rejection(HEADER_MISMATCH, wrong, UNSET, request.id)
    target = ToolTarget(tool, raw, request.era is MODERN)
    if tool.scopes or params.request_state is not UNSET or params.input_responses is not UNSET:
        return start(request, target, server, now)
    return Start(target)


def start(request: "Request", target: Target, server: "Server", now: float) -> Outcome:
    """Begin a call, with what earlier rounds left of it."""
    operation = target.operation
    if operation.scopes:
        scopes = ", ".join(sorted(operation.scopes))
        return reject(
            request, f"{target.label} requires {scopes}, and this connection has no principal"
        )
    params = request.params
    token, responses = params.request_state, params.input_responses
    if request.era is LEGACY or (token is UNSET and responses is UNSET):
        return Start(target)
    supplied = (
        _NOTHING
        if responses is UNSET or responses is None
        else {key: bytes(raw) for key, raw in responses.items()}
    )
    if token is UNSET or token is None:
        return Start(target, Rounds(RequestState(), supplied))
    from ._request_state import binding_of  # noqa: PLC0415 - few requests bring a state

    state = server.sealer.open(token, binding_of(request, target), now)
    if state is None:
        return reject(request, "Invalid params: this requestState cannot be used here")
    return Start(target, Rounds(state, supplied))


def reject(request: "Request", text: str) -> Rejection:
    """Return the refusal of parameters that are not those of the method."""
    return Rejection(INVALID_PARAMS, text, UNSET, request.message.id)
