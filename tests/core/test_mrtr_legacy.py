"""The same handlers on a legacy connection: live requests, and then the call runs again."""

import contextlib
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from core_peer import Peer, initialize, legacy, notification
from mcp_types import _v2025_11_25 as models
from official_schema import check_message
from sansmcp_core import (
    Context,
    Elicit,
    ElicitUrl,
    InputRequired,
    Limits,
    ListRoots,
    Sample,
    Server,
    Settings,
)


class Name(msgspec.Struct):
    name: str


ACCEPTED = {"action": "accept", "content": {"name": "Ada"}}
ROOTS = {"roots": [{"uri": "file:///a"}]}
SAMPLED = {"role": "assistant", "content": {"type": "text", "text": "Paris"}, "model": "m"}


def make_server(**settings: Any) -> Server:
    server = Server("live", settings=Settings(**settings))

    @server.tool
    def greet(ctx: Context) -> str:
        return f"Hello, {ctx.elicit('who', 'Who?', Name).content.name}"

    @server.tool
    def chain(ctx: Context) -> str:
        ctx.report_progress(1)
        first = ctx.elicit("a", "A?", Name).content.name
        ctx.report_progress(2)
        second = ctx.sample("b", "B?", max_tokens=3).model
        ctx.report_progress(3)
        return f"{first} {second} {len(ctx.list_roots('c'))}"

    @server.tool
    def several(ctx: Context) -> str:
        answers = ctx.ask({"a": Elicit("A?", Name), "b": ListRoots()})
        return f"{answers['a'].action} {len(answers['b'])}"

    @server.tool
    def plain() -> str:
        return "plain"

    @server.prompt
    def hello(ctx: Context) -> str:
        return f"Hello, {ctx.elicit('who', 'Who?', Name).content.name}"

    @server.resource("greet://x")
    def resource(ctx: Context) -> str:
        return f"Hello, {ctx.elicit('who', 'Who?', Name).content.name}"

    return server


def connect(server: Server, revision: str = "2025-11-25", capabilities: Any = ...) -> Peer:
    peer = Peer(server)
    if capabilities is ...:
        peer.send(initialize("first", revision))
    else:
        peer.send(initialize("first", revision, capabilities))
    return peer


def call(id: Any, name: str, **params: Any) -> dict[str, Any]:
    return legacy(id, "tools/call", name=name, arguments={}, **params)


def answer(question: dict[str, Any], result: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": question["id"], "result": result}


def refuse(question: dict[str, Any], error: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": question["id"], "error": error}


def said(message: dict[str, Any]) -> str:
    result = message["result"]
    if "messages" in result:
        text = result["messages"][0]["content"]["text"]
    elif "contents" in result:
        text = result["contents"][0]["text"]
    else:
        text = result["content"][0]["text"]
    assert isinstance(text, str)
    return text


@pytest.mark.parametrize(
    "request_",
    [
        call(1, "greet"),
        legacy(1, "prompts/get", name="hello"),
        legacy(1, "resources/read", uri="greet://x"),
    ],
    ids=lambda request: request["method"],
)
def test_a_question_is_a_request_to_the_client(request_: dict[str, Any]) -> None:
    peer = connect(make_server())
    question = peer.one(request_)
    assert question["method"] == "elicitation/create"
    models.ElicitRequest.model_validate(question)
    assert isinstance(question["id"], int)
    final = peer.one(answer(question, ACCEPTED))
    assert final["id"] == 1
    assert said(final) == "Hello, Ada"
    assert peer.connection.deadline() is None
    assert peer.connection.calls_open == 0


def test_several_rounds_are_one_request_to_the_client() -> None:
    peer = connect(make_server())
    said_ = peer.ask(call(1, "chain", _meta={"progressToken": "p"}))
    questions = []
    for result in (ACCEPTED, SAMPLED, ROOTS):
        question = said_[-1]
        questions.append(question["method"])
        assert not [message for message in said_ if "result" in message]
        said_ = peer.ask(answer(question, result))
    assert questions == ["elicitation/create", "sampling/createMessage", "roots/list"]
    assert said_[-1]["id"] == 1
    assert said(said_[-1]) == "Ada m 1"


def test_progress_never_goes_back_over_the_runs() -> None:
    peer = connect(make_server())
    said_ = everything = peer.ask(call(1, "chain", _meta={"progressToken": "p"}))
    for result in (ACCEPTED, SAMPLED, ROOTS):
        said_ = peer.ask(answer(said_[-1], result))
        everything = everything + said_
    values = [message["params"]["progress"] for message in everything if "progress" in str(message)]
    assert values == [1, 2, 3]


@pytest.mark.parametrize("order", [("a", "b"), ("b", "a")], ids=str)
def test_several_questions_at_once_may_be_answered_in_any_order(order: tuple[str, str]) -> None:
    peer = connect(make_server())
    first, second = peer.ask(call(1, "several"))
    assert [first["method"], second["method"]] == ["elicitation/create", "roots/list"]
    assert first["id"] != second["id"]
    answers = {"a": answer(first, {"action": "decline"}), "b": answer(second, ROOTS)}
    assert peer.ask(answers[order[0]]) == []
    assert said(peer.one(answers[order[1]])) == "decline 1"


def test_a_wrong_answer_is_asked_again_and_a_right_one_kept() -> None:
    peer = connect(make_server())
    first, second = peer.ask(call(1, "several"))
    (again,) = peer.ask(answer(first, {"action": "perhaps"}), answer(second, ROOTS))
    assert again["method"] == "elicitation/create"
    assert again["id"] not in (first["id"], second["id"])
    assert said(peer.one(answer(again, ACCEPTED))) == "accept 1"


WRONG: list[Any] = [
    None,
    5,
    "x",
    [],
    {},
    {"action": 5},
    {"action": "accept", "content": {"name": 5}},
]


@pytest.mark.parametrize("wrong", WRONG, ids=repr)
def test_whatever_an_answer_holds_the_call_goes_on(wrong: Any) -> None:
    peer = connect(make_server())
    question = peer.one(call(1, "greet"))
    again = peer.one(answer(question, wrong))
    assert again["method"] == "elicitation/create"
    assert said(peer.one(answer(again, ACCEPTED))) == "Hello, Ada"


def test_a_client_that_never_answers_right_is_asked_a_bounded_number_of_times() -> None:
    peer = connect(make_server(limits=Limits(max_rounds=3)))
    message = peer.one(call(1, "greet"))
    asked = 1
    while "method" in message:
        message = peer.one(answer(message, {}))
        asked += "method" in message
    assert asked == 3
    assert message["error"]["code"] == -32603


@pytest.mark.parametrize(
    "error",
    [
        {"code": -1, "message": "User said no"},
        {"code": -32601, "message": "Method not found", "data": {}},
        {"code": "x"},
        5,
        {},
        None,
    ],
    ids=repr,
)
def test_a_refusal_ends_the_call_with_a_text_for_the_model(error: Any) -> None:
    peer = connect(make_server())
    question = peer.one(call(1, "greet"))
    final = peer.one(refuse(question, error))
    assert final["id"] == 1
    assert final["result"]["isError"] is True
    assert "'who'" in said(final)
    question = peer.one(legacy(2, "prompts/get", name="hello"))
    final = peer.one(refuse(question, error))
    assert final["error"]["code"] == -32603


def test_one_refusal_takes_the_other_questions_back() -> None:
    peer = connect(make_server())
    first, second = peer.ask(call(1, "several"))
    told, final = peer.ask(refuse(first, {"code": -1, "message": "no"}))
    assert told["method"] == "notifications/cancelled"
    assert told["params"]["requestId"] == second["id"]
    assert final["result"]["isError"] is True
    assert peer.ask(answer(second, ROOTS)) == []
    assert peer.connection.calls_open == 0


def test_an_answer_counts_once_and_only_with_its_very_id() -> None:
    peer = connect(make_server())
    question = peer.one(call(1, "greet"))
    for id in (str(question["id"]), question["id"] + 1, "x", -1):
        assert peer.ask(answer({"id": id}, ACCEPTED)) == []
    assert said(peer.one(answer(question, ACCEPTED))) == "Hello, Ada"
    assert peer.ask(answer(question, ACCEPTED)) == []


def test_the_ids_of_both_sides_are_apart() -> None:
    peer = connect(make_server())
    question = peer.one(call("x", "greet"))
    assert said(peer.one(call(question["id"], "plain"))) == "plain"
    assert said(peer.one(answer(question, ACCEPTED))) == "Hello, Ada"


# Time


def test_a_question_is_answered_in_time_or_the_call_fails() -> None:
    peer = connect(make_server(answer_timeout_s=60))
    question = peer.one(call(1, "greet"))
    assert peer.connection.deadline() == peer.now + 60
    assert peer.tick(59) == []
    told, final = peer.tick(2)
    assert told["method"] == "notifications/cancelled"
    assert told["params"]["requestId"] == question["id"]
    assert final["result"]["isError"] is True
    assert "in time" in said(final)
    assert peer.ask(answer(question, ACCEPTED)) == []


def test_each_round_has_its_own_time() -> None:
    peer = connect(make_server(answer_timeout_s=60))
    message = peer.one(call(1, "chain"))
    for result in (ACCEPTED, SAMPLED, ROOTS):
        assert peer.tick(50) == []
        message = peer.one(answer(message, result))
    assert said(message) == "Ada m 1"


def test_the_time_limit_of_a_call_does_not_count_while_the_user_thinks() -> None:
    peer = connect(make_server(time_limit_s=1, answer_timeout_s=600))
    question = peer.one(call(1, "greet"))
    assert peer.tick(500) == []
    assert said(peer.one(answer(question, ACCEPTED))) == "Hello, Ada"


def test_a_call_that_asks_takes_no_place() -> None:
    peer = connect(make_server(limits=Limits(max_concurrent_calls=1, max_waiting_calls=3)))
    question = peer.one(call(1, "greet"))
    assert said(peer.one(call(2, "plain"))) == "plain"
    peer.send(call(3, "plain"), call(4, "plain"))
    # Its next run goes before those that have not begun.
    peer.send(answer(question, ACCEPTED))
    order = []
    while peer.runs:
        order += [message["id"] for message in peer.run()]
    assert order == [3, 1, 4]


def test_calls_that_ask_are_bounded_too() -> None:
    peer = connect(make_server(limits=Limits(max_waiting_calls=5)))
    answers = [message for id in range(20) for message in peer.ask(call(id, "greet"))]
    questions = [message for message in answers if "method" in message]
    busy = [message for message in answers if "error" in message]
    assert len(questions) == 5
    assert {message["error"]["code"] for message in busy} == {-32603}
    assert len(busy) == 15


# Cancellation


def test_cancelling_the_call_takes_its_questions_back() -> None:
    peer = connect(make_server())
    first, second = peer.ask(call(1, "several"))
    told = peer.ask(notification("notifications/cancelled", requestId=1))
    assert [message["method"] for message in told] == ["notifications/cancelled"] * 2
    assert [message["params"]["requestId"] for message in told] == [first["id"], second["id"]]
    for message in told:
        check_message(message, "2025-11-25")
    assert peer.ask(answer(first, ACCEPTED), answer(second, ROOTS)) == []
    assert peer.connection.calls_open == 0
    assert peer.connection.deadline() is None


def test_cancelling_a_call_that_waits_to_run_again_is_silent() -> None:
    peer = connect(make_server(limits=Limits(max_concurrent_calls=1)))
    question = peer.one(call(1, "greet"))
    peer.send(call(2, "plain"), answer(question, ACCEPTED))
    assert peer.send(notification("notifications/cancelled", requestId=1)) == []
    assert [message["id"] for message in peer.run()] == [2]
    assert peer.runs == []


def test_the_id_of_a_call_that_asks_stays_taken() -> None:
    peer = connect(make_server())
    question = peer.one(call(1, "greet"))
    assert peer.error(call(1, "plain"))["code"] == -32600
    assert said(peer.one(answer(question, ACCEPTED))) == "Hello, Ada"


# What a connection of this era cannot do


def test_a_state_alone_is_one_clear_error() -> None:
    server = make_server()

    @server.tool
    def keeps(ctx: Context) -> Any:
        return InputRequired(state=1)

    peer = connect(server)
    error = peer.error(call(1, "keeps"))
    assert error["code"] == -32603
    assert "state without a question" in error["message"]
    assert len(peer.reports) == 1


def test_a_handler_may_ask_by_itself_and_keep_a_state() -> None:
    server = make_server()

    @server.tool
    def counts(ctx: Context) -> Any:
        count = ctx.state or 0
        if count == 2:
            return f"{count} {sorted(ctx.answers)}"
        return InputRequired({f"r{count}": ListRoots()}, state=count + 1)

    peer = connect(server)
    message = peer.one(call(1, "counts"))
    for _ in range(2):
        assert message["method"] == "roots/list"
        message = peer.one(answer(message, ROOTS))
    assert said(message) == "2 ['r0', 'r1']"


def test_a_client_that_never_shook_hands_can_be_asked_nothing() -> None:
    peer = Peer(make_server())
    error = peer.error(call(1, "greet"))
    assert error["code"] == -32021
    assert error["data"] == {"requiredCapabilities": {"elicitation": {"form": {}}}}


# question, first revision that has it
QUESTIONS: dict[str, tuple[Callable[[], Any], str]] = {
    "form": (lambda: Elicit("?", Name), "2025-06-18"),
    "url": (lambda: ElicitUrl("?", "https://example.com/"), "2025-11-25"),
    "sampling": (lambda: Sample("?", max_tokens=1), "2024-11-05"),
    "sampling with tools": (lambda: Sample("?", max_tokens=1, tools=[]), "2025-11-25"),
    "roots": (ListRoots, "2024-11-05"),
}


@pytest.mark.parametrize("revision", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
@pytest.mark.parametrize("kind", QUESTIONS)
def test_a_question_is_asked_only_where_the_revision_has_it(kind: str, revision: str) -> None:
    make, since = QUESTIONS[kind]
    server = Server("kinds")

    @server.tool
    def asks(ctx: Context) -> str:
        return str(ctx.ask({"k": make()}))

    message = connect(server, revision).one(call(1, "asks"))
    if revision >= since:
        check_message(message, revision)
    else:
        assert message["error"]["code"] == -32021


def test_a_legacy_client_is_asked_only_for_what_it_declared() -> None:
    peer = connect(make_server(), capabilities={"roots": {}})
    assert peer.error(call(1, "greet"))["code"] == -32021
    # One that is lacking is enough: nothing is asked by halves.
    assert peer.error(call(2, "several"))["code"] == -32021


def test_url_questions_have_an_id_where_the_revision_wants_one() -> None:
    server = Server("url")

    @server.tool
    def asks(ctx: Context) -> str:
        return ctx.elicit_url("page", "Open", "https://example.com/").action

    question = connect(server).one(call(1, "asks"))
    assert question["params"]["elicitationId"] == "page"
    models.ElicitRequest.model_validate(question)


def test_the_end_of_the_connection_leaves_nothing_behind() -> None:
    peer = connect(make_server())
    peer.ask(call(1, "several"))
    peer.take(peer.connection.close(peer.now))
    assert peer.read() == []
    assert peer.connection.calls_open == 0
    assert peer.connection.deadline() is None


def test_a_swallowed_question_is_an_internal_error_here_too() -> None:
    server = Server("swallows")

    @server.tool
    def swallows(ctx: Context) -> str:
        with contextlib.suppress(BaseException):
            ctx.list_roots()
        return "never mind"

    peer = connect(server)
    assert peer.error(call(1, "swallows"))["code"] == -32603
    assert "roots" in peer.reports[0].message


def test_a_step_that_runs_once_runs_once_here_too() -> None:
    server = Server("once")
    ran: list[int] = []

    @server.tool
    def steps(ctx: Context) -> str:
        ctx.once("step", lambda: ran.append(1))
        return str(len(ctx.list_roots()))

    peer = connect(server)
    question = peer.one(call(1, "steps"))
    assert said(peer.one(answer(question, ROOTS))) == "1"
    assert ran == [1]
