"""The in-memory client that authors test their own servers with, plain and awaited."""

import contextlib
from collections.abc import AsyncIterator, Iterator
from typing import Any

import anyio
import msgspec
import pytest
from sansmcp_core import Context, Server, Settings
from sansmcp_core.testing import PeerError, TestClient
from sansmcp_schema.revisions import LEGACY_REVISIONS, REVISIONS


class Name(msgspec.Struct):
    name: str


ADA = {"action": "accept", "content": {"name": "Ada"}}
ANSWERS = {
    "elicitation/create": ADA,
    "roots/list": {"roots": [{"uri": "file:///a"}]},
    "sampling/createMessage": {
        "role": "assistant",
        "content": {"type": "text", "text": "x"},
        "model": "m",
    },
}
RAN: list[str] = []


def make_server(**settings: Any) -> Server:
    server = Server("tested", "1", settings=Settings(**settings))

    @server.tool
    def add(a: float, b: float) -> float:
        RAN.append("add")
        return a + b

    @server.tool
    def greet(ctx: Context) -> str:
        return f"Hello, {ctx.elicit('who', 'Who?', Name).content.name}"

    @server.tool
    def ask_all(ctx: Context) -> str:
        name = ctx.elicit("who", "Who?", Name).content.name
        return f"{name} {len(ctx.list_roots())} {ctx.sample('s', '?', max_tokens=1).model}"

    @server.tool
    async def waits(ctx: Context) -> str:
        await anyio.lowlevel.checkpoint()
        RAN.append("waits")
        return f"waited for {ctx.elicit('who', 'Who?', Name).content.name}"

    @server.tool
    async def sleeps() -> str:
        await anyio.sleep_forever()
        return "never"

    @server.tool
    async def fails() -> str:
        raise RuntimeError("secret")

    @server.tool(time_limit_s=5)
    def slow() -> str:
        return "slow"

    @server.tool
    def chatty(ctx: Context) -> str:
        ctx.report_progress(1)
        ctx.log("error", "said")
        return "done"

    return server


def text(result: dict[str, Any]) -> str:
    value = result["content"][0]["text"]
    assert isinstance(value, str)
    return value


# Plain


@pytest.mark.parametrize("revision", REVISIONS)
def test_one_line_calls_a_tool_in_any_revision(revision: str) -> None:
    with TestClient(make_server(), revision) as client:
        assert client.revision == revision
        assert text(client.call_tool("add", a=1, b=2)) == "3.0"
        tools = client.request("tools/list")["tools"]
        assert [tool["name"] for tool in tools][:2] == ["add", "greet"]


@pytest.mark.parametrize("revision", REVISIONS[2:])
def test_the_same_test_answers_questions_in_both_eras(revision: str) -> None:
    with TestClient(make_server(), revision, answers=ANSWERS) as client:
        assert text(client.call_tool("greet")) == "Hello, Ada"
        assert text(client.call_tool("ask_all")) == "Ada 1 m"


def test_answers_may_be_by_key_or_by_a_function_of_the_request() -> None:
    with TestClient(make_server(), answers={"who": ADA}) as client:
        assert text(client.call_tool("greet")) == "Hello, Ada"
    asked: list[tuple[str, str]] = []

    def answer(key: str, request: dict[str, Any]) -> Any:
        asked.append((key, request["params"]["message"]))
        return ADA

    with TestClient(make_server(), answers=answer) as client:
        assert text(client.call_tool("greet")) == "Hello, Ada"
    assert asked == [("who", "Who?")]


def test_a_question_nobody_answers_is_left_to_the_test() -> None:
    with TestClient(make_server()) as client:
        result = client.call_tool("greet")
        assert result["resultType"] == "input_required"
        retry = {"requestState": result["requestState"], "inputResponses": {"who": ADA}}
        params = {"name": "greet", "arguments": {}, **retry}
        assert text(client.request("tools/call", params)) == "Hello, Ada"


@pytest.mark.parametrize("revision", LEGACY_REVISIONS[2:])
def test_a_live_question_nobody_answers_is_left_to_the_test(revision: str) -> None:
    with TestClient(make_server(), revision) as client:
        pending = client.begin("tools/call", {"name": "greet"})
        assert not pending.done
        question = client.wire.messages[-1]
        assert question["method"] == "elicitation/create"
        client.wire.send({"jsonrpc": "2.0", "id": question["id"], "result": ADA})
        assert text(pending.result()) == "Hello, Ada"


def test_errors_are_raised_with_their_code_message_and_data() -> None:
    with TestClient(make_server()) as client:
        with pytest.raises(PeerError) as caught:
            client.call_tool("unknown")
        assert caught.value.code == -32602
        assert "unknown" in caught.value.message
        assert caught.value.data is None
        with pytest.raises(PeerError) as caught:
            client.request("bogus")
        assert caught.value.code == -32601


def test_what_a_client_can_do_is_up_to_the_test() -> None:
    for revision in REVISIONS[2:]:
        with TestClient(make_server(), revision, capabilities={}, answers=ANSWERS) as client:
            with pytest.raises(PeerError) as caught:
                client.call_tool("greet")
            assert caught.value.code == -32021


def test_every_message_and_report_can_be_looked_at() -> None:
    with TestClient(make_server()) as client:
        level = {"io.modelcontextprotocol/logLevel": "debug"}
        client.request("tools/call", {"name": "chatty"}, progressToken=7, **level)
        methods = [message["method"] for message in client.receive()]
        assert methods == ["notifications/progress", "notifications/message"]
        assert client.receive() == []
        assert len(client.wire.messages) == 3
        assert client.reports == []


def test_changes_are_heard_of() -> None:
    server = make_server()
    with TestClient(server) as client:
        listening = client.begin(
            "subscriptions/listen", {"notifications": {"toolsListChanged": True}}
        )
        server.tools.remove("add")
        methods = [message["method"] for message in client.receive()]
        assert methods == [
            "notifications/subscriptions/acknowledged",
            "notifications/tools/list_changed",
        ]
        assert not listening.done
        client.wire.shutdown()
        assert listening.result()["resultType"] == "complete"
    server.tool(lambda: "", name="more")
    with TestClient(server, LEGACY_REVISIONS[-1]) as client:
        server.tools.remove("more")
        assert [message["method"] for message in client.receive()] == [
            "notifications/tools/list_changed"
        ]


def test_several_requests_may_be_open_and_held_back() -> None:
    with TestClient(make_server()) as client:
        client.hold()
        RAN.clear()
        one = client.begin("tools/call", {"name": "add", "arguments": {"a": 1, "b": 1}})
        two = client.begin("tools/call", {"name": "add", "arguments": {"a": 2, "b": 2}})
        three = client.begin("tools/call", {"name": "add", "arguments": {"a": 3, "b": 3}})
        assert RAN == []
        two.cancel("no longer wanted")
        assert not one.done
        with pytest.raises(AssertionError, match="hold"):
            one.result()
        client.release()
        assert [text(pending.result()) for pending in (one, three)] == ["2.0", "6.0"]
        assert not two.done
        # A cancelled call that had not begun never runs.
        assert RAN == ["add", "add"]


def test_a_cancelled_async_call_that_had_not_begun_leaves_no_coroutine_behind() -> None:
    with TestClient(make_server()) as client:
        pending = client.begin("tools/call", {"name": "waits"})
        pending.cancel()
        assert not pending.done
        assert client.wire.calls_open == 0


def test_the_clock_moves_when_it_is_moved() -> None:
    with TestClient(make_server()) as client:
        client.hold()
        pending = client.begin("tools/call", {"name": "slow"})
        client.advance(4.9)
        assert not pending.done
        client.advance(0.2)
        assert pending.result()["isError"] is True


@pytest.mark.parametrize("limit", [0.001, 0.1, 0.3, 1 / 3, 5, 12.7, 1e6])
def test_moving_the_clock_never_hangs(limit: float) -> None:
    server = Server("limits", settings=Settings(time_limit_s=limit))
    server.tool(lambda: "x", name="x")
    with TestClient(server, now=1_799_999_999.123) as client:
        client.hold()
        pending = client.begin("tools/call", {"name": "x"})
        client.advance(limit / 2)
        assert not pending.done
        client.advance(limit)
        assert pending.done


def test_a_state_expires_when_the_clock_says_so() -> None:
    with TestClient(make_server(state_ttl_s=60)) as client:
        result = client.call_tool("greet")
        retry = {"requestState": result["requestState"], "inputResponses": {"who": ADA}}
        client.advance(61)
        with pytest.raises(PeerError):
            client.request("tools/call", {"name": "greet", "arguments": {}, **retry})


def test_a_dropped_connection_ends_in_silence_and_twice_is_once() -> None:
    client = TestClient(make_server())
    client.hold()
    RAN.clear()
    pending = client.begin("tools/call", {"name": "add", "arguments": {"a": 1, "b": 1}})
    client.close()
    client.close()
    assert not pending.done
    assert RAN == []
    assert client.wire.closed


def test_the_end_of_the_input_is_not_the_end_of_the_answers() -> None:
    with TestClient(make_server()) as client:
        client.hold()
        pending = client.begin("tools/call", {"name": "add", "arguments": {"a": 1, "b": 1}})
        client.wire.end_of_input()
        client.release()
        assert text(pending.result()) == "2.0"


def test_raw_bytes_are_answered_like_any_others() -> None:
    with TestClient(make_server()) as client:
        client.wire.receive_raw(b'{"jsonrpc":"2.0","id":"raw",')
        client.wire.receive_raw(b'"method":"ping"}\nbroken\n')
        assert client.inbox.answer_to("raw") == {"jsonrpc": "2.0", "id": "raw", "result": {}}
        assert client.wire.messages[-1]["error"]["code"] == -32700


def test_a_lifespan_is_entered_and_left() -> None:
    entered: list[str] = []

    @contextlib.contextmanager
    def lifespan(server: Server) -> Iterator[str]:
        entered.append("in")
        yield "value"
        entered.append("out")

    server = Server("lifespan", lifespan=lifespan)

    @server.tool
    def value(ctx: Context) -> str:
        return str(ctx.lifespan)

    with TestClient(server) as client:
        assert text(client.call_tool("value")) == "value"
        assert entered == ["in"]
    assert entered == ["in", "out"]
    with TestClient(server, lifespan_value="given") as client:
        assert text(client.call_tool("value")) == "given"
    assert entered == ["in", "out"]


def test_an_async_lifespan_is_the_tests_to_enter() -> None:
    @contextlib.asynccontextmanager
    async def lifespan(server: Server) -> AsyncIterator[None]:
        yield

    with pytest.raises(TypeError, match="lifespan_value"):
        TestClient(Server("lifespan", lifespan=lifespan))


def test_a_plain_test_of_an_async_tool_is_told_what_to_do() -> None:
    with TestClient(make_server()) as client, pytest.raises(AssertionError, match="settle"):
        client.call_tool("waits")


def test_an_interrupt_is_the_tests_and_not_the_tools() -> None:
    server = Server("interrupt")

    @server.tool
    def interrupt() -> None:
        raise KeyboardInterrupt

    with TestClient(server) as client, pytest.raises(KeyboardInterrupt):
        client.call_tool("interrupt")


# Awaited, under both loops, with a client that came from a fixture of another task


@pytest.fixture
def client() -> Iterator[TestClient]:
    with TestClient(make_server(), answers=ANSWERS) as client:
        yield client


@pytest.mark.anyio
async def test_an_async_tool_runs_in_the_tests_own_task(client: TestClient) -> None:
    assert text(await client.acall_tool("waits")) == "waited for Ada"
    assert text(await client.acall_tool("add", a=1, b=2)) == "3.0"
    assert (await client.acall_tool("fails"))["isError"] is True
    with pytest.raises(PeerError):
        await client.arequest("bogus")


@pytest.mark.anyio
@pytest.mark.parametrize("revision", LEGACY_REVISIONS[2:])
async def test_an_async_tool_asks_a_legacy_client(revision: str) -> None:
    with TestClient(make_server(), revision, answers=ANSWERS) as client:
        assert text(await client.acall_tool("waits")) == "waited for Ada"


@pytest.mark.anyio
async def test_several_async_calls_are_settled_one_after_the_other(client: TestClient) -> None:
    RAN.clear()
    meta = {"name": "waits", "inputResponses": {"who": ADA}}
    open_ = [client.begin("tools/call", meta) for _ in range(3)]
    assert RAN == []
    await client.settle()
    assert RAN == ["waits"] * 3
    assert all(pending.done for pending in open_)


@pytest.mark.anyio
async def test_a_call_left_open_never_hangs_the_end(client: TestClient) -> None:
    pending = client.begin("tools/call", {"name": "sleeps"})
    with anyio.move_on_after(0.01) as scope:
        await client.settle()
    # The test's own cancellation is not swallowed, and ended the handler.
    assert scope.cancelled_caught
    assert pending.done
    client.begin("tools/call", {"name": "sleeps"})


@pytest.mark.anyio
async def test_a_client_that_another_task_uses_is_no_matter(client: TestClient) -> None:
    async def use() -> None:
        assert text(await client.acall_tool("waits")) == "waited for Ada"

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(use)


@pytest.mark.parametrize("revision", ["2026-07-28", "2025-11-25", "2025-06-18"])
def test_answers_are_found_by_the_key_of_the_question_in_either_era(revision: str) -> None:
    server = Server("s")

    @server.tool
    def ask(ctx: Context) -> str:
        first = ctx.elicit("first", "1?", {"type": "object", "properties": {}})
        second = ctx.elicit("second", "2?", {"type": "object", "properties": {}})
        return f"{first.action} {second.action}"

    answers = {"first": {"action": "accept"}, "second": {"action": "decline"}}
    with TestClient(server, revision, answers=answers) as client:
        assert text(client.call_tool("ask")) == "accept decline"
