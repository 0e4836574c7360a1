"""A traced server, and what its spans say."""

from collections.abc import Callable
from typing import Any

from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from sansmcp_core import Call, Server, Settings
from sansmcp_core.testing import TestClient
from sansmcp_core.tracing import trace_calls

__all__ = ["Traced", "attributes", "events", "held_call", "identity", "parent_of"]


class Traced:
    """A provider whose spans are looked at, and a server that is traced by it."""

    def __init__(self, *, record_arguments: bool = False, settings: Settings | None = None) -> None:
        self.exporter = InMemorySpanExporter()
        self.provider = TracerProvider()
        self.provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.tracer = self.provider.get_tracer("test")
        self.server = Server("traced", settings=settings or Settings())
        trace_calls(self.server, tracer_provider=self.provider, record_arguments=record_arguments)

    def spans(self) -> list[ReadableSpan]:
        """The spans that ended, in that order; forgets them."""
        ended = list(self.exporter.get_finished_spans())
        self.exporter.clear()
        return ended

    def span(self) -> ReadableSpan:
        """The only span that ended."""
        (span,) = self.spans()
        return span

    def run(self, handler: Callable[..., Any], **meta: Any) -> ReadableSpan:
        """The span of one call of a tool."""
        self.server.tool(handler, name="tool")
        with TestClient(self.server) as client:
            client.begin("tools/call", {"name": "tool", "arguments": {}}, **meta)
        return self.span()


def attributes(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


def parent_of(span: ReadableSpan) -> tuple[str, str] | None:
    if span.parent is None:
        return None
    return f"{span.parent.trace_id:032x}", f"{span.parent.span_id:016x}"


def identity(span: trace.Span | ReadableSpan) -> tuple[str, str]:
    context = span.get_span_context()
    assert context is not None
    return f"{context.trace_id:032x}", f"{context.span_id:016x}"


def events(span: ReadableSpan) -> list[str]:
    return [str((event.attributes or {})["exception.message"]) for event in span.events]


def held_call(client: TestClient, name: str = "tool") -> Call:
    """A call that an adapter would run now."""
    client.hold()
    client.begin("tools/call", {"name": name, "arguments": {}})
    return client.wire.waiting.popleft()
