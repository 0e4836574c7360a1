"""A span says how the run of its handler ended: well, with an error, with a question, cancelled."""

import asyncio
from collections.abc import Callable, Generator
from typing import Any

import pytest
import trio
from msgspec import Struct
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import StatusCode
from sansmcp_core import (
    CallCancelled,
    Context,
    Elicit,
    InputRequired,
    RequestError,
    ResourceNotFound,
    ToolError,
    error_result,
)
from sansmcp_core.testing import PeerError, TestClient
from sansmcp_schema.revisions import LATEST_MODERN
from traced_server import Traced, attributes, events, held_call


class Name(Struct):
    name: str


@pytest.fixture
def traced() -> Traced:
    return Traced()


# -- the outcome -----------------------------------------------------------------------------


def raising(exception: BaseException) -> Callable[[], None]:
    def handler() -> None:
        raise exception

    return handler


def refuses() -> None:
    raise RequestError(-32001, "no such account")


FAILURES: list[Any] = [
    pytest.param(
        raising(ValueError("boom")), "tool_error", "tool tool failed: ValueError: boom", id="any"
    ),
    pytest.param(raising(ToolError("try x")), "tool_error", "try x", id="ToolError"),
    pytest.param(refuses, "-32001", "no such account", id="RequestError"),
    pytest.param(
        raising(SystemExit(3)), "tool_error", "tool tool failed: SystemExit: 3", id="exit"
    ),
    pytest.param(raising(CallCancelled("stop")), "cancelled", None, id="CallCancelled"),
    pytest.param(raising(asyncio.CancelledError()), "cancelled", None, id="CancelledError"),
    pytest.param(raising(GeneratorExit()), "cancelled", None, id="GeneratorExit"),
    pytest.param(
        raising(BaseExceptionGroup("tasks", [asyncio.CancelledError(), ValueError("boom")])),
        "cancelled",
        None,
        id="group",
    ),
    pytest.param(
        raising(StopIteration()), "tool_error", "tool tool failed: StopIteration: ", id="stop"
    ),
]


@pytest.mark.parametrize(("handler", "error_type", "text"), FAILURES)
def test_an_exception_marks_the_span_and_is_recorded(
    traced: Traced, handler: Callable[[], None], error_type: str, text: str | None
) -> None:
    span = traced.run(handler)
    assert span.status.status_code is StatusCode.ERROR
    assert attributes(span)["error.type"] == error_type
    if text is not None:
        assert span.status.description == text
    else:
        assert "cancelled" in (span.status.description or "")
    assert len(span.events) == 1
    is_code = error_type.startswith("-")
    assert attributes(span).get("rpc.response.status_code") == (error_type if is_code else None)


@pytest.mark.parametrize(
    ("method", "params", "error_type"),
    [
        ("prompts/get", {"name": "broken"}, "-32603"),
        ("resources/read", {"uri": "broken://x"}, "-32603"),
        ("resources/read", {"uri": "absent://x"}, "-32602"),
    ],
)
def test_an_exception_elsewhere_than_in_a_tool_is_typed_by_the_error_code(
    traced: Traced, method: str, params: dict[str, Any], error_type: str
) -> None:
    traced.server.prompt(raising(ValueError("boom")), name="broken")
    traced.server.resource("broken://x", raising(ValueError("boom")), name="broken")
    traced.server.resource("absent://x", raising(ResourceNotFound("gone")), name="absent")
    with TestClient(traced.server) as client, pytest.raises(PeerError) as caught:
        client.request(method, params)
    span = traced.span()
    assert str(caught.value.code) == error_type
    assert attributes(span)["error.type"] == error_type
    assert attributes(span)["rpc.response.status_code"] == error_type
    assert len(span.events) == 1


async def test_an_exception_of_an_async_handler_marks_the_span(traced: Traced) -> None:
    @traced.server.tool
    async def tool() -> None:
        await trio.lowlevel.checkpoint()
        raise ValueError("boom")

    with TestClient(traced.server) as client:
        assert (await client.acall_tool("tool"))["isError"]
    span = traced.span()
    assert events(span) == ["boom"]
    assert attributes(span)["error.type"] == "tool_error"


def test_a_returned_error_marks_the_span(traced: Traced) -> None:
    span = traced.run(lambda: error_result("no such city"))
    assert span.status.status_code is StatusCode.ERROR
    assert span.status.description == "no such city"
    assert attributes(span)["error.type"] == "tool_error"
    assert list(span.events) == []


def test_an_exception_that_cannot_be_shown_still_ends_the_span(
    traced: Traced, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no text")

    traced.server.tool(raising(Broken()), name="tool")
    with TestClient(traced.server) as client:
        assert client.call_tool("tool")["isError"]
        assert [type(report.exception) for report in client.reports] == [Broken]
    assert traced.span().end_time is not None
    assert "the outcome of tool tool could not be recorded" in caplog.text


# -- questions to the client -----------------------------------------------------------------


def greet(ctx: Context) -> str:
    answer = ctx.elicit("who", "Who?", Name)
    return f"Hello, {answer.content.name if answer.accepted else 'stranger'}!"


def greet_explicitly(ctx: Context) -> str | InputRequired:
    if not ctx.answers:
        return InputRequired({"who": Elicit("Who?", Name)})
    return "Hello!"


def greet_in_a_group(ctx: Context) -> str:
    try:
        return greet(ctx)
    except BaseException as question:
        raise BaseExceptionGroup("tasks", [question]) from None


@pytest.mark.parametrize("revision", [LATEST_MODERN, "2025-11-25"])
@pytest.mark.parametrize("handler", [greet, greet_explicitly, greet_in_a_group])
def test_a_question_to_the_client_is_no_error_and_each_run_a_span(
    traced: Traced, revision: str, handler: Callable[..., Any]
) -> None:
    traced.server.tool(handler, name="greet", structured=False)
    accept = {"who": {"action": "accept", "content": {"name": "Ada"}}}
    answers = {**accept, "elicitation/create": accept["who"]}
    with TestClient(traced.server, revision, answers=answers) as client:
        client.call_tool("greet")
    asked, answered = traced.spans()
    assert attributes(asked)["mcp.result_type"] == "input_required"
    assert "mcp.result_type" not in attributes(answered)
    for span in (asked, answered):
        assert span.status.status_code is StatusCode.UNSET
        assert list(span.events) == []


def test_a_question_that_the_client_cannot_answer_is_an_error(traced: Traced) -> None:
    traced.server.tool(greet)
    with TestClient(traced.server, capabilities={}) as client:
        client.begin("tools/call", {"name": "greet"})
    assert attributes(traced.span())["error.type"] == "-32021"


def test_a_question_that_the_handler_swallowed_is_an_error(traced: Traced) -> None:
    @traced.server.tool
    def swallow(ctx: Context) -> str:
        try:
            return greet(ctx)
        except BaseException:
            return "nobody"

    with TestClient(traced.server) as client:
        client.begin("tools/call", {"name": "swallow"})
    span = traced.span()
    assert attributes(span)["error.type"] == "-32603"
    assert "caught the exception" in (span.status.description or "")


def test_a_completer_cannot_ask_so_its_question_is_none(traced: Traced) -> None:
    traced.server.prompt(lambda code: code, name="review")
    traced.server.completion("review", "code", lambda value: InputRequired(state=1))
    ref = {"type": "ref/prompt", "name": "review"}
    with TestClient(traced.server) as client:
        client.begin("completion/complete", {"ref": ref, "argument": {"name": "code", "value": ""}})
    assert "mcp.result_type" not in attributes(traced.span())


# -- cancellation ----------------------------------------------------------------------------


def assert_cancelled(span: ReadableSpan) -> None:
    assert span.end_time is not None
    assert span.status.status_code is StatusCode.ERROR
    assert attributes(span)["error.type"] == "cancelled"


@pytest.mark.parametrize(
    "outcome",
    [lambda: "too late", raising(ValueError("boom")), raising(CallCancelled("stop"))],
    ids=["a value", "an exception", "CallCancelled"],
)
def test_a_run_whose_call_was_cancelled_says_so_however_it_ends(
    traced: Traced, outcome: Callable[[], Any]
) -> None:
    def tool(ctx: Context) -> Any:
        client.notify("notifications/cancelled", {"requestId": ctx.request.id})
        assert ctx.cancelled
        return outcome()

    traced.server.tool(tool)
    with TestClient(traced.server) as client:
        client.begin("tools/call", {"name": "tool"})
    assert_cancelled(traced.span())


def test_a_run_that_outlives_its_time_limit_is_cancelled(traced: Traced) -> None:
    traced.server.tool(lambda: "late", name="tool", time_limit_s=1)
    with TestClient(traced.server) as client:
        call = held_call(client)
        client.advance(2)
        call.invoke()
    assert_cancelled(traced.span())


async def test_a_task_that_trio_cancels_ends_the_span(traced: Traced) -> None:
    @traced.server.tool
    async def tool() -> None:
        scope.cancel()
        await trio.sleep_forever()

    with TestClient(traced.server) as client, trio.fail_after(10):
        call = held_call(client)
        with trio.CancelScope() as scope:
            await call.invoke()
    assert_cancelled(traced.span())


def test_a_task_that_asyncio_cancels_ends_the_span(traced: Traced) -> None:
    @traced.server.tool
    async def tool() -> None:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.sleep(10)

    async def main() -> None:
        with pytest.raises(asyncio.CancelledError):
            await call.invoke()

    with TestClient(traced.server) as client:
        call = held_call(client)
        asyncio.run(main())
    assert_cancelled(traced.span())


def test_a_coroutine_that_is_given_up_ends_the_span(traced: Traced) -> None:
    class Forever:
        def __await__(self) -> Generator[None]:
            yield

    @traced.server.tool
    async def tool() -> None:
        await Forever()

    with TestClient(traced.server) as client:
        coroutine = held_call(client).invoke()
        coroutine.send(None)
        coroutine.close()
    assert_cancelled(traced.span())
