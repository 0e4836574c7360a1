"""How a call ends: what its handler's value or exception means for the client and for the log."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec
from sansmcp_schema.declare import ResultError
from sansmcp_schema.jsonrpc import INTERNAL_ERROR, MISSING_REQUIRED_CLIENT_CAPABILITY

from ._client import required_capabilities
from ._effects import Report
from ._errors import RequestError, ResourceNotFound, ToolError
from ._input_required import InputRequired
from ._signals import ClientLacks, NeedsInput, Signal
from ._targets import Failure, not_found

if TYPE_CHECKING:
    from ._call import Call
    from ._questions import AnyQuestion

__all__ = ["Asking", "Ending", "end_with_exception", "end_with_value"]

_FAILED = "failed; the server's log has the details"


class Asking(msgspec.Struct, frozen=True):
    """The call goes on once the client has answered."""

    questions: "Mapping[str, AnyQuestion]"


class Ending(msgspec.Struct, frozen=True):
    """The call is over, with this answer."""

    answer: Failure
    reports: tuple[Report, ...] = ()


def end_with_value(call: "Call", value: Any, *, show_exceptions: bool) -> Ending | Asking:
    """Return what a handler's value means."""
    if call.context.open_questions:
        keys = ", ".join(call.context.open_questions)
        text = (
            f"{call.label} asked the client for {keys} and caught the exception that leads there; "
            "let BaseException pass"
        )
        return Ending(
            RequestError(INTERNAL_ERROR, f"Internal error: {call.label} {_FAILED}"),
            (Report("error", text, None, call.request_id),),
        )
    if type(value) is InputRequired:
        return _ask_explicitly(call, value, show_exceptions=show_exceptions)
    try:
        return Ending(call.target.wrap(value))
    except Exception as error:
        return _fault(call, error, show_exceptions=show_exceptions)


def end_with_exception(
    call: "Call", exception: BaseException, *, show_exceptions: bool
) -> Ending | Asking:
    """Return what a handler's exception means."""
    if isinstance(exception, BaseExceptionGroup):
        exception = _signal_in(exception) or exception
    if isinstance(exception, NeedsInput):
        return Asking(exception.questions)
    if isinstance(exception, ClientLacks):
        return Ending(_lacks(exception.capabilities))
    if isinstance(exception, ToolError):
        return Ending(call.target.fail(str(exception)))
    if isinstance(exception, RequestError):
        return Ending(exception)
    if isinstance(exception, ResourceNotFound):
        uri = call.target.bound_to[0]
        return Ending(not_found(uri, call.request.era))
    return _fault(call, exception, show_exceptions=show_exceptions)


def _ask_explicitly(
    call: "Call", value: InputRequired, *, show_exceptions: bool
) -> Ending | Asking:
    lacking = [
        question.capability
        for question in value.requests.values()
        if not call.context.client_supports(question.capability)
    ]
    if lacking:
        return Ending(_lacks(lacking))
    try:
        call.rounds.asked_explicitly(value.requests, value.state)
    except Exception as error:
        return _fault(call, error, show_exceptions=show_exceptions)
    return Asking(value.requests)


def _lacks(capabilities: list[str]) -> RequestError:
    return RequestError(
        MISSING_REQUIRED_CLIENT_CAPABILITY,
        f"Missing required client capability: {', '.join(capabilities)}",
        {"requiredCapabilities": required_capabilities(capabilities)},
    )


def _fault(call: "Call", exception: BaseException, *, show_exceptions: bool) -> Ending:
    """Return the fixed text for the client and the details for the log."""
    text = f"{call.label} {_FAILED}"
    if show_exceptions:
        text = f"{call.label} failed: {type(exception).__name__}: {exception}"
    what = "returned what cannot be sent" if isinstance(exception, ResultError) else "raised"
    report = Report("error", f"{call.label} {what}", exception, call.request_id)
    return Ending(call.target.fail(text), (report,))


def _signal_in(group: "BaseExceptionGroup[BaseException]") -> BaseException | None:
    """Return the one question of a handler that asks inside task groups."""
    signals = group.subgroup(Signal)
    if signals is None:
        return None
    first: BaseException = signals
    while isinstance(first, BaseExceptionGroup):
        first = first.exceptions[0]
    return first
