"""Handlers that ask by themselves, and what can go wrong with a question."""

import math
from collections.abc import Callable
from typing import Any

import pytest
from asking import (
    ACCEPTED,
    DECLINED,
    GREET,
    ROOTS,
    Name,
    ask,
    make_asking,
    make_server,
    retry,
    said,
)
from core_peer import Peer, legacy, modern
from sansmcp_core import (
    Context,
    Elicit,
    InputRequired,
    Limits,
    ListRoots,
    Server,
)
from sansmcp_core.testing import TestClient

# Asking by oneself


def explicit(ctx: Context) -> Any:
    """Ask for a and b in two rounds, keeping a counter."""
    count = 0 if ctx.state is None else ctx.state["count"]
    answers: Any = ctx.answers
    for key in ("a", "b"):
        if key not in answers:
            return InputRequired({key: Elicit(f"{key}?", Name)}, state={"count": count + 1})
    names = [answers[key].content["name"] for key in ("a", "b")]
    return f"{names} after {count}"


def test_a_handler_may_ask_by_itself_and_keep_a_state() -> None:
    peer, target = make_asking(explicit)
    first = ask(peer, target)
    assert list(first["inputRequests"]) == ["a"]
    second = retry(peer, first["requestState"], {"a": ACCEPTED}, target)["result"]
    assert list(second["inputRequests"]) == ["b"]
    bob = {"action": "accept", "content": {"name": "Bob"}}
    answer = retry(peer, second["requestState"], {"b": bob}, target)
    assert said(answer) == "['Ada', 'Bob'] after 2"


def test_an_answer_that_does_not_fit_the_form_is_none() -> None:
    peer, target = make_asking(explicit)
    state = ask(peer, target)["requestState"]
    for wrong in ({"action": "accept", "content": {"name": 5}}, {"action": "accept"}, 5):
        result = retry(peer, state, {"a": wrong}, target)["result"]
        assert list(result["inputRequests"]) == ["a"]


def test_a_state_alone_is_enough() -> None:
    def counts(ctx: Context) -> Any:
        count = ctx.state or 0
        return "done" if count == 2 else InputRequired(state=count + 1)

    peer, target = make_asking(counts)
    result = ask(peer, target)
    assert "inputRequests" not in result
    second = retry(peer, result["requestState"], ..., target)["result"]
    assert said(retry(peer, second["requestState"], ..., target)) == "done"


@pytest.mark.parametrize(
    "kept", [0, False, "", [], {}, [1, {"a": None}], 1.5, "\U0001f600"], ids=repr
)
def test_a_kept_state_comes_back_as_it_was(kept: Any) -> None:
    seen: list[Any] = []

    def keeps(ctx: Context) -> Any:
        if ctx.state is None:
            return InputRequired({"r": ListRoots()}, state=kept)
        seen.append(ctx.state)
        return "done"

    peer, target = make_asking(keeps)
    state = ask(peer, target)["requestState"]
    assert said(retry(peer, state, {"r": ROOTS}, target)) == "done"
    assert seen == [kept]


NOT_ASKABLE: dict[str, Callable[[], Any]] = {
    "a state JSON has not": lambda: InputRequired(state=object()),
    "a state that is not a number": lambda: InputRequired(state=math.nan),
    "half a surrogate pair kept": lambda: InputRequired(state="\ud800"),
    "half a surrogate pair asked": lambda: InputRequired({"k": Elicit("\ud800", Name)}),
    "a question that is none": lambda: InputRequired({"k": {"method": "roots/list"}}),  # type: ignore[dict-item]
    "a question that is a class": lambda: InputRequired({"k": ListRoots}),  # type: ignore[dict-item]
    "nothing": InputRequired,
    "a form that is none": lambda: InputRequired({"k": Elicit("?", {"type": "array"})}),
    "a deep form": lambda: InputRequired({"k": Elicit("?", dict[str, Any])}),
}


@pytest.mark.parametrize("era", [modern, legacy], ids=["modern", "legacy"])
@pytest.mark.parametrize("name", NOT_ASKABLE)
def test_a_question_that_cannot_be_sent_is_the_authors_error(name: str, era: Any) -> None:
    def asks() -> Any:
        return NOT_ASKABLE[name]()

    peer, target = make_asking(asks)
    if era is legacy:
        from core_peer import initialize

        peer.send(initialize())
    answer = peer.one(era(1, target[0], **target[1]))
    assert "resultType" not in answer.get("result", {}) or answer["result"]["isError"]
    assert len(peer.reports) == 1
    assert peer.one(legacy("good", "ping"))["result"] == {}


# What goes wrong


def test_a_swallowed_question_is_an_internal_error_that_the_log_explains() -> None:
    def swallows(ctx: Context) -> str:
        try:
            ctx.elicit("who", "Who?", Name)
        except BaseException:
            return "never mind"
        return "answered"

    peer, target = make_asking(swallows)
    answer = peer.one(modern(1, target[0], **target[1]))
    assert answer["error"]["code"] == -32603
    (report,) = peer.reports
    assert "who" in report.message
    assert "BaseException" in report.message
    assert said(retry(peer, None, {"who": DECLINED}, target)) == "answered"


def test_except_exception_lets_a_question_pass() -> None:
    def careful(ctx: Context) -> str:
        try:
            return ctx.elicit("who", "Who?", Name).action
        except Exception:
            return "caught"

    peer, target = make_asking(careful)
    assert list(ask(peer, target)["inputRequests"]) == ["who"]


def test_one_key_for_two_questions_is_the_authors_error() -> None:
    def twice(ctx: Context) -> str:
        ctx.elicit("who", "First?", Name)
        return ctx.elicit("who", "Second?", Name).action

    peer, target = make_asking(twice)
    state = ask(peer, target)["requestState"]
    answer = retry(peer, state, {"who": ACCEPTED}, target)
    assert answer["result"]["isError"] is True
    assert "'who'" in str(peer.reports[0].exception)


def test_the_same_question_may_be_asked_twice_in_one_run() -> None:
    def twice(ctx: Context) -> str:
        first = ctx.elicit("who", "Who?", Name).action
        return first + ctx.elicit("who", "Who?", Name).action

    peer, target = make_asking(twice)
    assert said(retry(peer, None, {"who": DECLINED}, target)) == "declinedecline"


def endless(ctx: Context) -> Any:
    return InputRequired({"r": ListRoots()})


def test_a_handler_that_asks_for_ever_is_stopped() -> None:
    peer, target = make_asking(endless, limits=Limits(max_rounds=3))
    state = None
    for _ in range(3):
        answer = retry(peer, state, {"r": ROOTS}, target)
        state = answer["result"]["requestState"]
    answer = retry(peer, state, {"r": ROOTS}, target)
    assert answer["error"]["code"] == -32603
    assert "3 times" in peer.reports[0].message


def test_a_state_that_is_too_large_is_an_internal_error() -> None:
    def hoards(ctx: Context) -> Any:
        return InputRequired({"r": ListRoots()}, state="x" * 2000)

    peer, target = make_asking(hoards, limits=Limits(max_state_bytes=1000))
    answer = peer.one(modern(1, target[0], **target[1]))
    assert answer["error"]["code"] == -32603
    assert "1000 bytes" in peer.reports[0].message
    peer, target = make_asking(hoards, limits=Limits(max_state_bytes=4000))
    assert ask(peer, target)


def test_answers_that_make_the_state_too_large_are_one_error_not_a_growing_state() -> None:
    def chain(ctx: Context) -> str:
        ctx.elicit("a", "?", Name)
        return ctx.elicit("b", "?", Name).action

    peer, target = make_asking(chain)
    huge = {"action": "accept", "content": {"name": "x" * 100_000}}
    answer = retry(peer, None, {"a": huge}, target)
    assert answer["error"]["code"] == -32603


def test_a_completer_cannot_ask() -> None:
    server = Server("completes")

    @server.prompt
    def p(a: str = "", b: str = "") -> str:
        return a

    @server.completion("p", "a")
    def asks(value: str, ctx: Context) -> list[str]:
        return [ctx.elicit("who", "Who?", Name).action]

    @server.completion("p", "b")
    def returns(value: str) -> Any:
        return InputRequired({"r": ListRoots()})

    for argument in ("a", "b"):
        peer = Peer(server)
        params = {
            "ref": {"type": "ref/prompt", "name": "p"},
            "argument": {"name": argument, "value": ""},
        }
        assert peer.error(modern(1, "completion/complete", **params))["code"] == -32603
        assert len(peer.reports) == 1


@pytest.mark.parametrize("era", [modern, legacy], ids=["modern", "legacy"])
def test_other_methods_take_no_notice_of_answers(era: Any) -> None:
    peer = Peer(make_server())
    for method in ("tools/list", "server/discover"):
        message = modern(1, method, inputResponses=5, requestState=5)
        assert peer.result(message)["resultType"] == "complete"


def test_a_legacy_client_sends_no_states() -> None:
    peer = Peer(make_server())
    params = {**GREET[1], "requestState": "bogus", "inputResponses": {"who": ACCEPTED}}
    error = peer.error(legacy(1, GREET[0], **params))
    assert error["code"] == -32021


@pytest.mark.parametrize("revision", ["2026-07-28", "2025-11-25"])
def test_an_answer_that_was_looked_at_is_carried_to_the_next_round(revision: str) -> None:
    form = {"type": "object", "properties": {"x": {"type": "string"}}}
    server = Server("s")

    @server.tool
    def mix(ctx: Context) -> str:
        if "a" not in ctx.answers:
            ctx.elicit("a", "A", form)
        ctx.elicit("b", "B", form)
        return "done"

    accepted = {"action": "accept", "content": {"x": "y"}}
    with TestClient(server, revision, answers={"a": accepted, "b": accepted}) as client:
        assert client.call_tool("mix")["content"][0]["text"] == "done"
