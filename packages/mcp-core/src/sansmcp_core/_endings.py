"""How a call ends: what its handler's value or exception means for the client and for the log."""

from typing import TYPE_CHECKING, Any, final

import msgspec
from sansmcp_schema.declare import ResultError, to_json
from sansmcp_schema.jsonrpc import INTERNAL_ERROR, MISSING_REQUIRED_CLIENT_CAPABILITY

from ._client import client_supports, required_capabilities
from ._effects import Report
from ._era import Era
from ._errors import RequestError, ResourceNotFound, ToolError
from ._input_required import InputRequired
from ._signals import ClientLacks, NeedsInput, Signal
from ._targets import CompletionTarget, Failure, ResourceTarget, ToolTarget, not_found

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ._call import Call
    from ._questions import AnyQuestion

__all__ = ["Asking", "Ending", "end_with_exception", "end_with_value"]

_FAILED = "failed; the server's log has the details"


@final
class Asking(msgspec.Struct, frozen=True):
    """The call goes on once the client has answered."""

    questions: "Mapping[str, AnyQuestion]"


@final
class Ending(msgspec.Struct, frozen=True):
    """The call is over, with this answer."""

    answer: Failure
    reports: tuple[Report, ...] = ()


def end_with_value(call: "Call", value: Any, show_exceptions: bool) -> Ending | Asking:
    """Return what a handler's value means."""
    if call.open_questions:
        keys = ", ".join(call.open_questions)
        text = (
            f"{call.label} asked the client for {keys} and caught the exception that leads there; "
            "let BaseException pass"
        )
        return Ending(
            RequestError(INTERNAL_ERROR, f"Internal error: {call.label} {_FAILED}"),
            (Report("error", text, None, call.request_id),),
        )
    try:
        if type(value) is InputRequired and type(call.target) is not CompletionTarget:
            return _ask_explicitly(call, value)
        return Ending(call.target.wrap(value))
    except Exception as error:  # noqa: BLE001 - the handler's own code may be behind it
        return _fault(call, error, show_exceptions)


def end_with_exception(
    call: "Call", exception: BaseException, show_exceptions: bool
) -> Ending | Asking:
    """Return what a handler's exception means."""
    if isinstance(exception, BaseExceptionGroup):
        exception = _told_in(exception) or exception
    if isinstance(exception, NeedsInput):
        return Asking(exception.questions)
    if isinstance(exception, ClientLacks):
        return Ending(_lacks(call, exception.capabilities))
    try:
        if isinstance(exception, ToolError) or _is_told_by_a_tool(exception, call):
            return Ending(call.target.fail(_sendable(str(exception) or f"{call.label} failed")))
        if isinstance(exception, RequestError):
            return Ending(_checked(exception))
    except Exception as error:  # noqa: BLE001 - the handler's own code may be behind it
        return _fault(call, error, show_exceptions)
    if isinstance(exception, ResourceNotFound) and isinstance(call.target, ResourceTarget):
        return Ending(not_found(call.target.uri, call.request.era))
    return _fault(call, exception, show_exceptions)


def _is_told_by_a_tool(exception: BaseException, call: "Call") -> bool:
    """Whether a tool says that something is not there: the text is the author's own."""
    return isinstance(exception, ResourceNotFound) and isinstance(call.target, ToolTarget)


def _ask_explicitly(call: "Call", value: InputRequired) -> Ending | Asking:
    request = call.request
    lacking = {
        question.capability: None
        for question in value.requests.values()
        if not client_supports(request.capabilities, request.revision, question.capability)
    }
    if lacking:
        return Ending(_lacks(call, list(lacking)))
    from ._questions import read_any_answer  # noqa: PLC0415 - loaded with the first question

    call.rounds.asked_explicitly(value.requests, value.state, read_any_answer)
    return Asking(value.requests)


def _checked(error: RequestError) -> RequestError:
    """Return a chosen error that can be sent; raises where that is the handler's fault."""
    if not isinstance(error.code, int) or isinstance(error.code, bool):
        raise ResultError(f"the code of a RequestError is an integer, got {error.code!r}")
    if not isinstance(error.message, str):
        raise ResultError(f"the message of a RequestError is a string, got {error.message!r}")
    to_json([error.message, error.data])
    return error


def _sendable(text: str) -> str:
    if not text.isascii():
        # Only an unpaired surrogate cannot be encoded, and it is never ASCII.
        to_json(text)
    return text


def _lacks(call: "Call", capabilities: list[str]) -> Failure:
    # Where nobody can be asked, nobody knows either what the client is able to do.
    reason = call.channel.why_no_answers() if call.request.era is Era.LEGACY else None
    if reason is not None:
        return call.target.fail(f"{call.label} needs {', '.join(capabilities)}: {reason}")
    return RequestError(
        MISSING_REQUIRED_CLIENT_CAPABILITY,
        f"Missing required client capability: {', '.join(capabilities)}",
        {"requiredCapabilities": required_capabilities(capabilities)},
    )


def _fault(call: "Call", exception: BaseException, show_exceptions: bool) -> Ending:
    """Return the fixed text for the client and the details for the log."""
    text = f"{call.label} {_FAILED}"
    if show_exceptions:
        text = f"{call.label} failed: {type(exception).__name__}: {_shown(exception)}"
    what = "returned what cannot be sent" if isinstance(exception, ResultError) else "raised"
    report = Report("error", f"{call.label} {what}", exception, call.request_id)
    return Ending(call.target.fail(text), (report,))


def _shown(exception: BaseException) -> str:
    """Return the text of an exception, which an author's class may fail to give."""
    try:
        return str(exception).encode(errors="backslashreplace").decode()
    except Exception:  # noqa: BLE001 - the author's own code
        return "(its text cannot be shown)"


def _told_in(group: "BaseExceptionGroup[BaseException]") -> BaseException | None:
    """Return what a handler that works in task groups wants to say: one question, or one error."""
    signals = group.subgroup(Signal)
    if signals is not None:
        return next(_leaves(signals))
    leaves = list(_leaves(group))
    told = len(leaves) == 1 and isinstance(leaves[0], ToolError | RequestError | ResourceNotFound)
    return leaves[0] if told else None


def _leaves(group: "BaseExceptionGroup[BaseException]") -> "Iterator[BaseException]":
    for part in group.exceptions:
        if isinstance(part, BaseExceptionGroup):
            yield from _leaves(part)
        else:
            yield part
