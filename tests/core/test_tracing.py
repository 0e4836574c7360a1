"""Each run of a handler is one span: of the client's trace, and without arguments."""

import contextvars
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry import baggage, trace
from opentelemetry.trace import SpanKind, StatusCode
from sansmcp_core import Call, Server
from sansmcp_core.testing import TestClient
from sansmcp_core.tracing import trace_calls
from sansmcp_schema.revisions import LATEST_MODERN
from traced_server import Traced, attributes, events, held_call, identity, parent_of

TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
SPAN_ID = "00f067aa0ba902b7"
TRACEPARENT = f"00-{TRACE_ID}-{SPAN_ID}-01"


@pytest.fixture
def traced() -> Traced:
    return Traced()


# -- name and attributes ---------------------------------------------------------------------


def everything(server: Server) -> None:
    @server.tool
    def add(a: int, b: int) -> int:
        return a + b

    @server.tool
    async def later(a: int) -> int:
        return a

    @server.tool(inline=True)
    def quick() -> str:
        return "quick"

    @server.prompt
    def review(code: str) -> str:
        return code

    @server.resource("notes://today")
    def today() -> str:
        return "today"

    @server.resource("logs://{level}")
    def logs(level: str) -> str:
        return level

    @server.completion("review", "code")
    def complete_code(value: str) -> list[str]:
        return [value]

    @server.completion("logs://{level}", "level")
    def complete_level(value: str) -> list[str]:
        return [value]


EXECUTE = {"gen_ai.operation.name": "execute_tool"}
ARGUMENT = {"name": "code", "value": "SECRET"}

REQUESTS: list[Any] = [
    pytest.param(
        "tools/call",
        {"name": "add", "arguments": {"a": 1, "b": 2}},
        "tools/call add",
        {"gen_ai.tool.name": "add", **EXECUTE},
        id="blocking tool",
    ),
    pytest.param(
        "tools/call",
        {"name": "later", "arguments": {"a": 1}},
        "tools/call later",
        {"gen_ai.tool.name": "later", **EXECUTE},
        id="async tool",
    ),
    pytest.param(
        "tools/call",
        {"name": "quick"},
        "tools/call quick",
        {"gen_ai.tool.name": "quick", **EXECUTE},
        id="inline tool",
    ),
    pytest.param(
        "prompts/get",
        {"name": "review", "arguments": {"code": "SECRET"}},
        "prompts/get review",
        {"gen_ai.prompt.name": "review"},
        id="prompt",
    ),
    pytest.param(
        "resources/read",
        {"uri": "notes://today"},
        "resources/read",
        {"mcp.resource.uri": "notes://today"},
        id="resource",
    ),
    pytest.param(
        "resources/read",
        {"uri": "logs://high"},
        "resources/read",
        {"mcp.resource.uri": "logs://high"},
        id="template",
    ),
    pytest.param(
        "completion/complete",
        {"ref": {"type": "ref/prompt", "name": "review"}, "argument": ARGUMENT},
        "completion/complete review",
        {"gen_ai.prompt.name": "review"},
        id="completion of a prompt",
    ),
    pytest.param(
        "completion/complete",
        {
            "ref": {"type": "ref/resource", "uri": "logs://{level}"},
            "argument": {"name": "level", "value": "SECRET"},
        },
        "completion/complete",
        {},
        id="completion of a template",
    ),
]


@pytest.mark.parametrize("revision", [LATEST_MODERN, "2025-11-25"])
@pytest.mark.parametrize(("method", "params", "name", "own"), REQUESTS)
async def test_a_run_is_a_server_span_that_says_what_ran_and_no_argument(
    traced: Traced,
    revision: str,
    method: str,
    params: dict[str, Any],
    name: str,
    own: dict[str, Any],
) -> None:
    everything(traced.server)
    with TestClient(traced.server, revision) as client:
        pending = client.begin(method, params)
        await client.settle()
        pending.result()
    span = traced.span()
    assert span.name == name
    assert span.kind is SpanKind.SERVER
    assert span.status.status_code is StatusCode.UNSET
    assert attributes(span) == {
        "mcp.method.name": method,
        "mcp.protocol.version": revision,
        "jsonrpc.request.id": str(pending.id),
        **own,
    }
    assert span.end_time is not None


def test_what_runs_no_handler_is_no_span(traced: Traced) -> None:
    everything(traced.server)
    with TestClient(traced.server) as client:
        client.request("server/discover")
        client.request("tools/list")
        client.begin("tools/call", {"name": "unknown"})
        client.begin("tools/call", {"name": "add", "arguments": {"a": "no number", "b": 2}})
    assert traced.spans() == []


def test_arguments_are_recorded_on_request_with_secrets_masked() -> None:
    traced = Traced(record_arguments=True)

    @traced.server.tool
    def login(user: str, password: str, options: dict[str, list[dict[str, str]]]) -> None: ...

    with TestClient(traced.server) as client:
        client.call_tool(
            "login", user="ada", password="hunter2", options={"tries": [{"apiKey": "k", "n": "1"}]}
        )
    assert attributes(traced.span())["gen_ai.tool.call.arguments"] == (
        '{"user":"ada","password":"***","options":{"tries":[{"apiKey":"***","n":"1"}]}}'
    )


async def test_arguments_of_tools_alone_are_recorded() -> None:
    traced = Traced(record_arguments=True)
    everything(traced.server)
    with TestClient(traced.server) as client:
        for method, params, *_ in (request.values for request in REQUESTS):
            await client.arequest(method, params)
    recorded = {
        span.name: attributes(span).get("gen_ai.tool.call.arguments") for span in traced.spans()
    }
    assert {name: value for name, value in recorded.items() if value is not None} == {
        "tools/call add": '{"a":1,"b":2}',
        "tools/call later": '{"a":1}',
    }


# -- the parent ------------------------------------------------------------------------------


def test_the_context_in_meta_is_the_parent(traced: Traced) -> None:
    span = traced.run(lambda: None, traceparent=TRACEPARENT, tracestate="rojo=1,congo=2")
    assert parent_of(span) == (TRACE_ID, SPAN_ID)
    assert span.parent is not None
    assert span.parent.is_remote
    assert span.parent.trace_state.to_header() == "rojo=1,congo=2"
    assert list(span.links) == []


def test_baggage_in_meta_reaches_the_handler(traced: Traced) -> None:
    seen = []
    span = traced.run(lambda: seen.append(baggage.get_baggage("user")), baggage="user=ada%20l")
    assert seen == ["ada l"]
    assert span.parent is None
    assert baggage.get_baggage("user") is None


def test_a_span_around_the_call_stays_the_parent_without_a_context_in_meta(traced: Traced) -> None:
    with traced.tracer.start_as_current_span("http") as http:
        traced.server.tool(lambda: None, name="tool")
        with TestClient(traced.server) as client:
            client.call_tool("tool")
    span = traced.spans()[0]
    assert parent_of(span) == identity(http)
    assert list(span.links) == []


def test_the_context_in_meta_wins_over_a_span_around_the_call_which_is_linked(
    traced: Traced,
) -> None:
    with traced.tracer.start_as_current_span("http") as http:
        span = traced.run(lambda: None, traceparent=TRACEPARENT)
    assert parent_of(span) == (TRACE_ID, SPAN_ID)
    assert [link.context for link in span.links] == [http.get_span_context()]


def test_a_client_that_did_not_sample_is_followed(traced: Traced) -> None:
    inner = []
    traced.server.tool(lambda: inner.append(trace.get_current_span()), name="tool")
    with TestClient(traced.server) as client:
        client.begin("tools/call", {"name": "tool"}, traceparent=TRACEPARENT[:-1] + "0")
    assert traced.spans() == []
    assert identity(inner[0])[0] == TRACE_ID


GARBAGE: list[Any] = [
    {},
    {"traceparent": ""},
    {"traceparent": "garbage"},
    {"traceparent": None},
    {"traceparent": 5},
    {"traceparent": [TRACEPARENT]},
    {"traceparent": {"traceparent": TRACEPARENT}},
    {"traceparent": f"00-{'0' * 32}-{SPAN_ID}-01"},
    {"traceparent": f"00-{TRACE_ID}-{'0' * 16}-01"},
    {"traceparent": f"ff-{TRACE_ID}-{SPAN_ID}-01"},
    {"traceparent": TRACEPARENT.upper()},
    {"traceparent": TRACEPARENT + "-more"},
    {"traceparent": " " * 100_000},
    {"tracestate": "rojo=1"},
    {"Traceparent": TRACEPARENT},
    {"baggage": "\t " * 4000 + "\x00"},
    {"baggage": ",=,;"},
    {"traceparent": "x", "tracestate": [], "baggage": 1.5},
]


@pytest.mark.parametrize("meta", GARBAGE, ids=lambda meta: str(meta)[:90])
def test_garbage_in_meta_is_as_if_it_were_absent(traced: Traced, meta: dict[str, Any]) -> None:
    with traced.tracer.start_as_current_span("http") as http:
        span = traced.run(lambda: "ran", **meta)
    assert parent_of(span) == identity(http)
    assert list(span.links) == []


@pytest.mark.parametrize("state", ["no state", 7, "a=1,a=2", "x" * 9000])
def test_a_broken_tracestate_leaves_the_parent(traced: Traced, state: Any) -> None:
    span = traced.run(lambda: None, traceparent=TRACEPARENT, tracestate=state)
    assert parent_of(span) == (TRACE_ID, SPAN_ID)


def test_a_number_that_python_has_not_hides_the_context_and_breaks_nothing(traced: Traced) -> None:
    traced.server.tool(lambda: None, name="tool")
    with TestClient(traced.server, "2025-11-25") as client:
        client.wire.send(
            b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"tool","_meta":'
            b'{"other":1e999,"traceparent":"%b"}}}' % TRACEPARENT.encode()
        )
        assert parent_of(traced.span()) == (TRACE_ID, SPAN_ID)
        client.wire.send(
            b'{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"tool","_meta":'
            b'{"baggage":1e999,"traceparent":"%b"}}}' % TRACEPARENT.encode()
        )
        assert parent_of(traced.span()) is None


JSON: Any = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=80),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)
MUTATED = st.builds(
    lambda text, at, char: text[:at] + char + text[at + 1 :],
    st.just(TRACEPARENT),
    st.integers(0, len(TRACEPARENT)),
    st.text(max_size=2),
)


@given(
    meta=st.fixed_dictionaries(
        {}, optional={"traceparent": JSON | MUTATED, "tracestate": JSON, "baggage": JSON}
    )
)
def test_whatever_stands_in_meta_the_call_is_served_and_traced_once(meta: dict[str, Any]) -> None:
    traced = Traced()
    traced.server.tool(lambda: 1, name="tool")
    with traced.tracer.start_as_current_span("http") as http, TestClient(traced.server) as client:
        result = client.request("tools/call", {"name": "tool"}, **meta)
    assert not result.get("isError", False)
    spans = [span for span in traced.spans() if span.kind is SpanKind.SERVER]
    for span in spans:
        by_meta = bool(span.links)
        assert by_meta or parent_of(span) == identity(http)
    # None where the client says that it is not sampled.
    assert len(spans) == 1 or isinstance(meta.get("traceparent"), str)


# -- what runs inside ------------------------------------------------------------------------


def child_tool(traced: Traced) -> None:
    @traced.server.tool
    def tool() -> None:
        with traced.tracer.start_as_current_span("child"):
            pass


def test_a_span_of_the_handler_is_a_child(traced: Traced) -> None:
    child_tool(traced)
    with TestClient(traced.server) as client:
        client.call_tool("tool")
    child, span = traced.spans()
    assert parent_of(child) == identity(span)
    assert not trace.get_current_span().get_span_context().is_valid


def test_a_handler_in_a_thread_inherits_what_surrounds_the_call(traced: Traced) -> None:
    child_tool(traced)
    with TestClient(traced.server) as client:
        call = held_call(client)
        with traced.tracer.start_as_current_span("http") as http:
            copied = contextvars.copy_context()
        thread = threading.Thread(target=copied.run, args=(call.invoke,), daemon=True)
        thread.start()
        thread.join(10)
    _, child, span = traced.spans()
    assert parent_of(child) == identity(span)
    assert parent_of(span) == identity(http)


async def test_async_handlers_that_run_at_once_keep_their_spans_apart(traced: Traced) -> None:
    both = [trio.Event(), trio.Event()]

    @traced.server.tool
    async def tool() -> None:
        mine, other = both if not both[0].is_set() else reversed(both)
        mine.set()
        await other.wait()
        with traced.tracer.start_as_current_span("child"):
            await trio.lowlevel.checkpoint()

    with TestClient(traced.server) as client, trio.fail_after(10):
        calls = [held_call(client), held_call(client)]
        async with trio.open_nursery() as nursery:
            for call in calls:
                nursery.start_soon(call.invoke)
    spans = traced.spans()
    children = {parent_of(span) for span in spans if span.name == "child"}
    assert children == {identity(span) for span in spans if span.name == "tools/call tool"}
    assert len(children) == 2


def test_what_was_around_the_calls_before_runs_inside_the_span() -> None:
    seen = []

    @contextmanager
    def mine(call: Call) -> Iterator[None]:
        seen.append(identity(trace.get_current_span()))
        yield
        seen.append(call.returned)

    server, traced = Server("mine"), Traced()
    server.around_calls = mine
    trace_calls(server, tracer_provider=traced.provider)
    server.tool(lambda: "value", name="tool")
    with TestClient(server) as client:
        client.call_tool("tool")
    assert seen == [identity(traced.span()), "value"]


def test_a_failure_of_what_was_around_the_calls_before_marks_the_span() -> None:
    @contextmanager
    def mine(call: Call) -> Iterator[None]:
        yield
        raise RuntimeError("mine is broken")

    server, traced = Server("mine"), Traced()
    server.around_calls = mine
    trace_calls(server, tracer_provider=traced.provider)
    server.tool(lambda: "value", name="tool")
    with TestClient(server) as client:
        assert client.call_tool("tool")["isError"]
    assert events(traced.span()) == ["mine is broken"]


# -- what is loaded --------------------------------------------------------------------------


def run_python(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout.strip()


def test_a_server_that_is_not_traced_loads_no_opentelemetry() -> None:
    code = """
import sys
from sansmcp_core import Server
from sansmcp_core.testing import TestClient
server = Server("plain")
server.tool(lambda: 1, name="one")
TestClient(server).call_tool("one")
print([name for name in sys.modules if name.startswith("opentelemetry")])
"""
    assert run_python(code) == "[]"


def test_without_opentelemetry_the_import_says_what_to_install() -> None:
    code = """
import sys
sys.modules["opentelemetry"] = None
try:
    import sansmcp_core.tracing
except ImportError as error:
    print(error)
"""
    assert "pip install 'sansmcp-core[opentelemetry]'" in run_python(code)


def test_without_a_provider_a_traced_server_serves_and_hands_the_context_on() -> None:
    code = f"""
from opentelemetry import trace
from sansmcp_core import Server
from sansmcp_core.testing import TestClient
from sansmcp_core.tracing import trace_calls
server = Server("plain")
trace_calls(server)
@server.tool
def tool() -> str:
    return format(trace.get_current_span().get_span_context().trace_id, "032x")
client = TestClient(server)
result = client.request("tools/call", {{"name": "tool"}}, traceparent="{TRACEPARENT}")
print(result["content"][0]["text"])
"""
    assert run_python(code) == TRACE_ID
