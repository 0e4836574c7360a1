"""OpenTelemetry spans around the handlers of a server; needs the extra ``opentelemetry``.

::

    from sansmcp_core.tracing import trace_calls

    trace_calls(server)

Importing this module is what loads ``opentelemetry``; nothing else of the library does.
"""

import logging
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET, UnsetType
from sansmcp_schema.completion import PromptReference
from sansmcp_schema.json_check import is_secret_name
from sansmcp_schema.results import CallToolResult

from ._endings import Asking, end_with_exception, end_with_value
from ._errors import RequestError
from ._input_required import InputRequired
from ._targets import CompletionTarget

try:
    from opentelemetry import context as otel_context
    from opentelemetry import trace
    from opentelemetry.baggage.propagation import W3CBaggagePropagator
    from opentelemetry.propagators.composite import CompositePropagator
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
except ImportError as error:
    raise ImportError(
        "sansmcp_core.tracing needs OpenTelemetry's API, which is not installed; "
        "run: pip install 'sansmcp-core[opentelemetry]'"
    ) from error

if TYPE_CHECKING:
    from opentelemetry.context import Context as TraceContext

    from ._call import Around, Call
    from ._server import Server
    from ._targets import Failure

__all__ = ["trace_calls"]

_logger = logging.getLogger(__name__)

# The protocol fixes the format of these keys, whatever propagator the program uses elsewhere.
_propagator = CompositePropagator([TraceContextTextMapPropagator(), W3CBaggagePropagator()])

_MAX_VALUE_CHARACTERS = 8192  # what W3C Baggage lets a whole value have; the others need less

# The propagators take quadratic time over a run of blanks, and no honest value holds a long one.
_long_blank = re.compile(r"\s{17}").search

_NAME_ATTRIBUTES = {"tools/call": "gen_ai.tool.name", "prompts/get": "gen_ai.prompt.name"}

_CANCELLED = "the call was cancelled, or took longer than it may"


class _TraceKeys(msgspec.Struct):
    traceparent: Any = None
    tracestate: Any = None
    baggage: Any = None


class _TraceParams(msgspec.Struct):
    meta: _TraceKeys | UnsetType = msgspec.field(name="_meta", default=UNSET)


_decode_keys = msgspec.json.Decoder(_TraceParams).decode


def trace_calls(
    server: "Server",
    *,
    tracer_provider: trace.TracerProvider | None = None,
    record_arguments: bool = False,
) -> None:
    """Make each run of a handler of ``server`` a span; call it once, before serving starts.

    The span's parent is the W3C trace context in the request's ``_meta``; the span that is current
    anyway, such as that of an HTTP server, is then linked. Without a context in ``_meta``, or with
    one that cannot be read, the current span is the parent. What ``server.around_calls`` holds
    already runs inside the span.

    A handler that asks the client runs again with the answers: one span for each run.

    Args:
        server: Whose tools, prompts, resources and completions are traced.
        tracer_provider: Makes the tracer; the global one by default, which may be set later.
        record_arguments: Put the arguments of tools on the span, those whose names hold one of
            ``settings.secret_words`` masked. They may be personal data: off by default.

    Source: MCP 2026-07-28 basic/index, OpenTelemetry trace context; OpenTelemetry semantic
    conventions for MCP, Server; W3C Trace Context; W3C Baggage.
    """
    tracer = trace.get_tracer("sansmcp_core.tracing", tracer_provider=tracer_provider)
    inner: Around = server.around_calls or _nothing
    words = server.settings.secret_words if record_arguments else None

    @contextmanager
    def around(call: "Call") -> Iterator[None]:
        parent, links = _parent(call.request.message.params)
        name, attributes = _describe(call)
        if words is not None:
            attributes |= _arguments(call, words)
        span = tracer.start_span(
            name, parent, trace.SpanKind.SERVER, attributes=attributes, links=links
        )
        token = otel_context.attach(_within(span, parent))
        try:
            with inner(call):
                yield
        except BaseException as exception:
            _end(_raised, span, call, exception)
            raise
        else:
            _end(_returned, span, call, call.returned)
        finally:
            otel_context.detach(token)
            span.end()

    server.around_calls = around


def _nothing(call: "Call") -> AbstractContextManager[None]:
    return nullcontext()


# -- where a span begins ---------------------------------------------------------------------


def _parent(params: bytes) -> "tuple[TraceContext, list[trace.Link]]":
    """Return the context a span begins in, and the link to the span it would else belong to."""
    current = otel_context.get_current()
    carrier = _carrier(params)
    if not carrier:
        return current, []
    parent = _propagator.extract(carrier, current)
    surrounding = trace.get_current_span(current).get_span_context()
    if not surrounding.is_valid or trace.get_current_span(parent).get_span_context() == surrounding:
        return parent, []
    return parent, [trace.Link(surrounding)]


def _within(span: trace.Span, parent: "TraceContext") -> "TraceContext":
    """Return the context that a handler runs in; a span of no trace must not hide its parent's."""
    if span.get_span_context().is_valid:
        return trace.set_span_in_context(span, parent)
    return parent


def _carrier(params: bytes) -> dict[str, str]:
    """Return what ``_meta`` says of the trace; what cannot be meant is as if it were absent."""
    try:
        keys = _decode_keys(params).meta
    except (ValueError, RecursionError):  # a number that Python has not, say
        return {}
    if keys is UNSET:
        return {}
    return {
        key: value
        for key, value in msgspec.structs.asdict(keys).items()
        if isinstance(value, str)
        and len(value) <= _MAX_VALUE_CHARACTERS
        and _long_blank(value) is None
    }


def _describe(call: "Call") -> tuple[str, dict[str, str]]:
    """Return the name and the attributes of a call's span, none of them an argument."""
    request = call.request
    method = request.message.method
    attributes = {
        "mcp.method.name": method,
        "mcp.protocol.version": request.revision,
        "jsonrpc.request.id": str(request.id),
    }
    target, _ = call.target.bound_to
    if method == "resources/read":
        attributes["mcp.resource.uri"] = target
        return method, attributes  # a name with the URI would be one of too many
    if method in _NAME_ATTRIBUTES:
        attributes[_NAME_ATTRIBUTES[method]] = target
        if method == "tools/call":
            attributes["gen_ai.operation.name"] = "execute_tool"
        return f"{method} {target}", attributes
    reference = getattr(request.params, "ref", None)
    if isinstance(reference, PromptReference):
        attributes["gen_ai.prompt.name"] = reference.name
        return f"{method} {reference.name}", attributes
    return method, attributes


def _arguments(call: "Call", secret_words: tuple[str, ...]) -> dict[str, str]:
    _, raw = call.target.bound_to
    if call.request.message.method != "tools/call" or raw is None:
        return {}
    try:
        shown = _masked(msgspec.json.decode(raw), secret_words)
    except (ValueError, RecursionError):
        return {}
    return {"gen_ai.tool.call.arguments": msgspec.json.encode(shown).decode()}


def _masked(value: Any, secret_words: tuple[str, ...]) -> Any:
    if isinstance(value, dict):
        return {
            name: "***" if is_secret_name(name, secret_words) else _masked(inner, secret_words)
            for name, inner in value.items()
        }
    if isinstance(value, list):
        return [_masked(inner, secret_words) for inner in value]
    return value


# -- how it ends -----------------------------------------------------------------------------


def _end(
    record: "Callable[[trace.Span, Call, Any], None]", span: trace.Span, call: "Call", outcome: Any
) -> None:
    """Record the outcome; a failure to do so is never the call's."""
    if not span.is_recording():
        return
    try:
        record(span, call, outcome)
    except Exception:  # an exception's __str__, say, is the author's code
        _logger.exception("the outcome of %s could not be recorded", call.label)


def _raised(span: trace.Span, call: "Call", exception: BaseException) -> None:
    if call.over:
        span.record_exception(exception)
        _fails(span, "cancelled", _CANCELLED)
        return
    ending = end_with_exception(call, exception, True)
    if isinstance(ending, Asking):
        _asks(span)
        return
    span.record_exception(exception)
    # What is reported was not raised for the client; beside Exception, it is there to stop a task.
    if ending.reports and not isinstance(exception, (Exception, KeyboardInterrupt, SystemExit)):
        _fails(span, "cancelled", _CANCELLED)
    else:
        _fails_with(span, ending.answer)


def _returned(span: trace.Span, call: "Call", value: Any) -> None:
    if call.over:
        _fails(span, "cancelled", _CANCELLED)
    elif call.open_questions:
        # The handler caught the signal of a question, which no value makes up for.
        ending = end_with_value(call, value, True)
        assert not isinstance(ending, Asking)
        _fails_with(span, ending.answer, ending.reports[0].message)
    elif type(value) is InputRequired and not isinstance(call.target, CompletionTarget):
        _asks(span)
    elif isinstance(value, CallToolResult) and value.is_error is True:
        _fails_with(span, value)


def _asks(span: trace.Span) -> None:
    span.set_attribute("mcp.result_type", "input_required")


def _fails_with(span: trace.Span, answer: "Failure", text: str | None = None) -> None:
    """Mark the span as failed, in the words of what the client gets unless there are better."""
    if isinstance(answer, RequestError):
        code = str(answer.code)
        span.set_attribute("rpc.response.status_code", code)
        _fails(span, code, text or answer.message)
    else:
        first = next(iter(getattr(answer, "content", ())), None)
        _fails(span, "tool_error", text or getattr(first, "text", None))


def _fails(span: trace.Span, error_type: str, text: str | None) -> None:
    span.set_attribute("error.type", error_type)
    span.set_status(trace.Status(trace.StatusCode.ERROR, text))
