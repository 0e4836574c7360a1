"""A call ends exactly once: its order, its place, its cancellation, its time limit."""

from typing import Any

import msgspec
import pytest
from core_peer import Peer, initialize, legacy, meta, modern, notification
from sansmcp_core import (
    CallCancelled,
    Cancel,
    Connection,
    Context,
    Limits,
    LocalProtocolError,
    Mode,
    Run,
    Send,
    Server,
    Settings,
)


def make_server(**limits: Any) -> Server:
    settings = Settings(limits=Limits(**limits))
    server = Server("calls", settings=settings)

    @server.tool(structured=False)
    def echo(x: str = "") -> str:
        return x

    @server.tool(inline=True)
    def quick() -> str:
        return "quick"

    @server.tool(time_limit_s=5)
    def slow() -> str:
        return "slow"

    @server.tool
    def ask(ctx: Context) -> str:
        return ctx.elicit("k", "?", {"type": "object", "properties": {}}).action

    @server.tool
    async def waits() -> str:
        return "waited"

    @server.resource("slow://", time_limit_s=5)
    def slow_resource() -> str:
        return "slow"

    @server.prompt
    def hello() -> str:
        return "hello"

    return server


def call(id: Any, name: str = "echo", **arguments: Any) -> dict[str, Any]:
    return modern(id, "tools/call", name=name, arguments=arguments)


def cancel(id: Any) -> dict[str, Any]:
    return notification("notifications/cancelled", requestId=id, reason="no longer wanted")


def ids(said: list[dict[str, Any]]) -> list[Any]:
    return [message["id"] for message in said]


def test_the_mode_of_a_call_is_the_handlers() -> None:
    peer = Peer(make_server())
    peer.send(call(1), call(2, "quick"), call(3, "waits"))
    assert [run.mode for run in peer.runs] == [Mode.BLOCKING, Mode.INLINE, Mode.ASYNC]
    assert [run.label for run in peer.runs] == ["tool echo", "tool quick", "tool waits"]
    assert peer.connection.calls_open == 3


def test_calls_may_end_in_any_order() -> None:
    peer = Peer(make_server())
    assert peer.send(call("a"), call("b"), call("c")) == []
    assert ids(peer.run(peer.runs[2])) == ["c"]
    assert ids(peer.run(peer.runs[0])) == ["a"]
    assert ids(peer.run()) == ["b"]
    assert peer.connection.calls_open == 0


# Places


def test_one_place_answers_in_order_of_arrival() -> None:
    peer = Peer(make_server(max_concurrent_calls=1))
    peer.send(*(call(id, "quick" if id % 2 else "echo") for id in range(6)))
    answered = []
    while peer.runs:
        assert len(peer.runs) == 1
        answered += ids(peer.run())
    assert answered == [0, 1, 2, 3, 4, 5]


def test_other_requests_do_not_wait_for_calls() -> None:
    peer = Peer(make_server(max_concurrent_calls=1))
    peer.send(call(1), call(2))
    assert ids(peer.send(modern(3, "tools/list"), legacy(4, "ping"))) == [3, 4]


def test_calls_beyond_the_places_wait_and_calls_beyond_those_get_one_busy_error() -> None:
    peer = Peer(make_server(max_concurrent_calls=2, max_waiting_calls=2))
    (busy,) = peer.send(*(call(id) for id in range(5)))
    assert busy["id"] == 4
    assert busy["error"]["code"] == -32603
    assert "busy" in busy["error"]["message"]
    assert (len(peer.runs), peer.connection.calls_open) == (2, 4)
    assert ids(peer.run(peer.runs[1])) == [1]
    assert [run.request_id for run in peer.runs] == [0, 2]
    assert ids(peer.run()) + ids(peer.run()) + ids(peer.run()) == [0, 2, 3]
    assert ids(peer.ask(call(4))) == [4]


def test_an_inline_call_takes_no_place_beside_others() -> None:
    peer = Peer(make_server(max_concurrent_calls=2, max_waiting_calls=0))
    peer.send(call(1), call(2))
    assert ids(peer.send(call(3))) == [3]
    assert peer.send(call(4, "quick")) == []
    assert ids(peer.run(peer.runs[-1])) == [4]


def test_a_place_is_free_again_after_bad_arguments_and_unknown_tools() -> None:
    peer = Peer(make_server(max_concurrent_calls=1, max_waiting_calls=0))
    for id in range(3):
        assert peer.result(call(id, "echo", nonsense=1))["isError"] is True
        assert peer.error(call(id, "unknown"))["code"] == -32602
    assert peer.result(call(9, x="x"))["content"][0]["text"] == "x"


# Cancellation


def test_a_cancelled_running_call_is_stopped_and_never_answered() -> None:
    peer = Peer(make_server(max_concurrent_calls=1))
    peer.send(call(1), call(2))
    (running,) = peer.runs
    assert peer.send(cancel(1)) == []
    assert peer.cancelled == [running]
    # The place stays taken until the end of the handler is told.
    assert peer.runs == [running]
    assert peer.run() == []
    assert [run.request_id for run in peer.runs] == [2]
    assert ids(peer.run()) == [2]


@pytest.mark.parametrize("error", [CallCancelled("x"), RuntimeError("x"), SystemExit(3)])
def test_whatever_a_cancelled_handler_raises_is_silent(error: BaseException) -> None:
    peer = Peer(make_server())
    peer.send(call(1))
    peer.send(cancel(1))
    assert peer.end(peer.runs.pop(), error) == []
    assert peer.reports == []
    assert peer.connection.calls_open == 0


def test_a_cancelled_waiting_call_never_runs() -> None:
    peer = Peer(make_server(max_concurrent_calls=1))
    peer.send(call(1), call(2), call(3))
    assert peer.send(cancel(2)) == []
    assert peer.cancelled == []
    assert ids(peer.run()) == [1]
    assert [run.request_id for run in peer.runs] == [3]
    assert ids(peer.run()) == [3]


def test_a_cancelled_waiting_call_makes_room_in_the_queue() -> None:
    peer = Peer(make_server(max_concurrent_calls=1, max_waiting_calls=1))
    peer.send(call(1), call(2))
    peer.send(cancel(2))
    assert peer.send(call(3)) == []
    assert ids(peer.run()) + ids(peer.run()) == [1, 3]


def test_a_call_that_asks_a_legacy_client_can_be_cancelled() -> None:
    peer = Peer(make_server())
    peer.send(initialize())
    peer.send(legacy(1, "tools/call", name="ask"))
    (question,) = peer.run()
    assert question["method"] == "elicitation/create"
    (told,) = peer.send(cancel(1))
    assert told["method"] == "notifications/cancelled"
    assert told["params"]["requestId"] == question["id"]
    assert peer.connection.calls_open == 0
    assert peer.send(legacy(question["id"], "x") | {"result": {"action": "accept"}}) != []
    answer = {"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept"}}
    assert peer.ask(answer) == []
    assert peer.connection.deadline() is None


def test_a_cancellation_that_comes_late_or_twice_does_nothing() -> None:
    peer = Peer(make_server())
    peer.ask(call(1))
    assert peer.send(cancel(1), cancel(1), cancel("1"), cancel("never")) == []
    peer.send(call(2))
    assert peer.send(cancel(2), cancel(2)) == []
    assert len(peer.cancelled) == 1


def test_a_handler_sees_that_it_was_cancelled() -> None:
    server = Server("sees")
    seen: list[bool] = []

    @server.tool
    def look(ctx: Context) -> None:
        seen.append(ctx.cancelled)
        ctx.check_cancelled()

    peer = Peer(server)
    assert peer.result(call(1, "look"))["content"] == []
    peer.send(call(2, "look"))
    peer.send(cancel(2))
    with pytest.raises(CallCancelled):
        peer.runs[0].invoke()
    assert peer.run() == []
    assert seen == [False, True, True]


def test_a_handler_that_says_it_was_cancelled_though_it_was_not_has_failed() -> None:
    server = Server("says")

    @server.tool
    def say() -> None:
        raise CallCancelled("I was not")

    assert Peer(server).result(call(1, "say"))["isError"] is True


# Time limits


def test_a_tool_that_takes_too_long_is_an_error_for_the_model() -> None:
    peer = Peer(make_server(max_concurrent_calls=1))
    peer.send(call(1, "slow"), call(2))
    assert peer.connection.deadline() == peer.now + 5
    assert peer.tick(4.9) == []
    (answer,) = peer.tick(0.2)
    assert answer["id"] == 1
    assert answer["result"]["isError"] is True
    assert "too long" in answer["result"]["content"][0]["text"] or "longer" in str(answer)
    (running,) = peer.cancelled
    # Its place is free only when its thread has returned.
    assert peer.runs == [running]
    assert peer.run() == []
    assert ids(peer.run()) == [2]
    assert peer.connection.deadline() is None


def test_a_resource_that_takes_too_long_is_an_internal_error() -> None:
    peer = Peer(make_server())
    peer.send(modern(1, "resources/read", uri="slow://"))
    (answer,) = peer.tick(5.1)
    assert answer["error"]["code"] == -32603


def test_the_server_has_a_limit_for_what_has_none_of_its_own() -> None:
    server = make_server()
    server.settings = Settings(time_limit_s=2)
    peer = Peer(server)
    peer.send(modern(1, "prompts/get", name="hello"), call(2, "slow"))
    assert ids(peer.tick(2.1)) == [1]
    assert ids(peer.tick(3)) == [2]


def test_the_time_that_a_call_waits_does_not_count() -> None:
    peer = Peer(make_server(max_concurrent_calls=1))
    peer.send(call(1), call(2, "slow"))
    assert peer.tick(100) == []
    assert ids(peer.run()) == [1]
    assert peer.tick(4.9) == []
    assert ids(peer.run()) == [2]


@pytest.mark.parametrize("limit", [0.001, 0.1, 0.3, 1 / 3, 5, 12.7, 600])
def test_a_limit_has_passed_at_its_very_deadline(limit: float) -> None:
    server = Server("deadline", settings=Settings(time_limit_s=limit))
    server.tool(lambda: "x", name="x")
    for start in range(100):
        peer = Peer(server)
        peer.now += start * 0.123457
        peer.send(call(1, "x"))
        deadline = peer.connection.deadline()
        assert deadline is not None
        peer.take(peer.connection.tick(deadline))
        assert ids(peer.read()) == [1]


def test_a_clock_that_is_set_stops_nothing() -> None:
    peer = Peer(make_server())
    peer.send(call(1, "slow"))
    assert peer.tick(1_000_000) == []
    assert peer.tick(-2_000_000) == []
    assert peer.tick(4) == []
    assert ids(peer.tick(1.1)) == [1]


# The end


def test_at_the_end_of_the_input_what_arrived_is_still_answered() -> None:
    peer = Peer(make_server(max_concurrent_calls=1))
    peer.send(call(1), call(2))
    peer.take(peer.connection.receive_eof(peer.now))
    assert peer.connection.calls_open == 2
    assert ids(peer.run()) + ids(peer.run()) == [1, 2]
    assert peer.connection.calls_open == 0
    with pytest.raises(LocalProtocolError):
        peer.connection.receive(b"", peer.now)


def test_at_the_end_of_the_input_questions_to_a_legacy_client_fail_at_once() -> None:
    peer = Peer(make_server())
    peer.send(
        initialize(), legacy(1, "tools/call", name="ask"), legacy(2, "tools/call", name="ask")
    )
    peer.run()
    peer.take(peer.connection.receive_eof(peer.now))
    told, answer = peer.read()
    assert told["method"] == "notifications/cancelled"
    assert answer["id"] == 1
    assert answer["result"]["isError"] is True
    # One that asks only now fails, too, instead of waiting for an answer that cannot come.
    (answer,) = peer.run()
    assert answer["id"] == 2
    assert answer["result"]["isError"] is True
    assert peer.connection.calls_open == 0


def test_close_cancels_every_call_and_nothing_is_said_any_more() -> None:
    peer = Peer(make_server(max_concurrent_calls=2))
    peer.send(initialize())
    peer.send(legacy("asks", "tools/call", name="ask"), call(1), call(2))
    peer.run()
    peer.send(modern("listen", "subscriptions/listen", notifications={}))
    peer.take(peer.connection.close(peer.now))
    assert peer.closed
    assert peer.read() == []
    assert {run.request_id for run in peer.cancelled} == {1, 2}
    assert peer.run() == peer.run() == []
    assert peer.runs == []
    assert peer.pending() == peer.tick(10_000) == []
    assert peer.connection.calls_open == 0
    assert peer.connection.deadline() is None
    peer.take(peer.connection.close(peer.now))


def test_after_shutdown_new_requests_are_refused_and_old_ones_answered() -> None:
    peer = Peer(make_server())
    peer.send(call(1))
    peer.take(peer.connection.shutdown(peer.now))
    (answer,) = peer.send(call(2))
    assert answer["error"]["code"] == -32603
    assert ids(peer.run()) == [1]
    assert peer.send(notification("notifications/x")) == []


# Pausing


def test_reading_pauses_while_too_much_is_unsent() -> None:
    server = make_server(max_unsent_bytes=1000)
    peer = Peer(server)
    peer.connection.sent(0)
    assert not peer.connection.paused
    peer.ask(call(1, x="x" * 2000))
    assert peer.connection.paused
    peer.connection.sent(10_000)
    assert not peer.connection.paused


def test_an_owner_that_tells_nothing_is_never_paused() -> None:
    peer = Peer(make_server(max_unsent_bytes=10))
    peer.ask(call(1, x="x" * 2000))
    assert not peer.connection.paused


# The lifespan's value


def test_the_lifespans_value_is_on_the_context() -> None:
    server = Server("lifespan")

    @server.tool
    def value(ctx: Context) -> str:
        assert ctx.request.principal is None
        assert ctx.request.scopes == frozenset()
        return str(ctx.lifespan)

    peer = Peer(server, lifespan_value="alive")
    assert peer.result(call(1, "value"))["content"][0]["text"] == "alive"
    assert Peer(server).result(call(1, "value"))["content"][0]["text"] == "None"


def test_a_tool_that_requires_a_scope_is_refused_where_nobody_can_have_one() -> None:
    server = Server("scopes")
    ran: list[int] = []

    @server.tool(scopes=["files:write"])
    def write() -> None:
        ran.append(1)

    error = Peer(server).error(call(1, "write"))
    assert error["code"] == -32602
    assert "files:write" in error["message"]
    assert ran == []


def test_the_context_knows_its_request() -> None:
    server = Server("context")

    @server.tool
    def facts(ctx: Context) -> dict[str, Any]:
        request = ctx.request
        return {
            "id": request.id,
            "era": request.era.value,
            "token": request.progress_token,
            "meta": request.meta,
            "roots": ctx.client_supports("roots"),
            "url": ctx.client_supports("elicitation.url"),
        }

    peer = Peer(server)
    whole = {**meta({"roots": {}}, progressToken=0), "example.com/x": [1, None]}
    facts_ = peer.result(modern("i", "tools/call", whole, name="facts"))["structuredContent"]
    assert facts_ == {
        "id": "i",
        "era": "modern",
        "token": 0,
        "meta": whole,
        "roots": True,
        "url": False,
    }
    facts_ = peer.result(legacy(1, "tools/call", name="facts"))["structuredContent"]
    assert facts_ == {
        "id": 1,
        "era": "legacy",
        "token": None,
        "meta": {},
        "roots": False,
        "url": False,
    }


def test_an_unknown_capability_is_the_authors_error() -> None:
    server = Server("unknown")

    @server.tool
    def f(ctx: Context) -> bool:
        return ctx.client_supports("telepathy")

    peer = Peer(server)
    assert peer.result(call(1, "f"))["isError"] is True
    assert "telepathy" in str(peer.reports[0].exception)


def test_a_blocking_call_waits_for_a_thread_in_the_core_and_others_pass_it() -> None:
    """Its time limit begins when it does, and a handler that needs no thread goes first."""
    server = Server("s")
    server.tool(lambda: "slow", name="slow", time_limit_s=1.0)

    @server.tool
    async def quick() -> str:
        return "quick"

    connection = Connection(server, max_blocking_calls=1)
    effects = connection.receive(calls_of(ORDER), 0.0)
    first, passing = [effect.call for effect in effects if isinstance(effect, Run)]

    assert (first.request_id, passing.request_id) == (0, 2)
    assert connection.tick(0.5) == []
    effects = first.completed("slow", 0.9)
    (second,) = [effect.call for effect in effects if isinstance(effect, Run)]
    assert second.request_id == 1
    assert not [effect for effect in connection.tick(1.5) if isinstance(effect, Cancel)]
    assert [effect for effect in connection.tick(1.95) if isinstance(effect, Cancel)]


ORDER = ["slow", "slow", "quick"]


def calls_of(names: list[str]) -> bytes:
    requests = [modern(id, "tools/call", name=name) for id, name in enumerate(names)]
    return b"".join(msgspec.json.encode(request) + b"\n" for request in requests)


def test_with_one_place_the_order_of_arrival_holds_over_every_kind_of_handler() -> None:
    server = Server("s", settings=Settings(limits=Limits(max_concurrent_calls=1)))
    server.tool(lambda: "x", name="slow")
    server.tool(lambda: "x", name="inline", inline=True)

    @server.tool
    async def quick() -> str:
        return "x"

    connection = Connection(server, max_blocking_calls=1)
    names = ["quick", "slow", "inline", "slow", "quick"]
    effects = connection.receive(calls_of(names), 0.0)
    order = []
    while effects:
        (run,) = [effect for effect in effects if isinstance(effect, Run)]
        order.append(run.call.request_id)
        effects = [
            effect for effect in run.call.completed("x", 0.0) if not isinstance(effect, Send)
        ]

    assert order == [0, 1, 2, 3, 4]
