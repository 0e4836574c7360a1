"""Questions to a modern client: asked in the result, answered in the next request."""

from typing import Any

import pytest
from asking import (
    ACCEPTED,
    ALL,
    CANCELLED,
    DECLINED,
    ROOTS,
    SAMPLED,
    TARGETS,
    Name,
    ask,
    make_asking,
    make_server,
    retry,
    said,
    several,
)
from core_peer import Peer, modern
from mcp_types import _v2026_07_28 as models
from sansmcp_core import (
    Context,
    Server,
)

# The plain way


@pytest.mark.parametrize("kind", TARGETS)
def test_a_question_is_asked_in_the_result_and_answered_in_the_next_request(kind: str) -> None:
    peer = Peer(make_server())
    target = TARGETS[kind]
    result = ask(peer, target)
    assert set(result) == {"resultType", "inputRequests", "requestState", "_meta"}
    question = result["inputRequests"]["who"]
    assert question["method"] == "elicitation/create"
    assert set(question) == {"method", "params"}
    assert question["params"]["message"] == "Who?"
    assert question["params"]["requestedSchema"]["required"] == ["name"]
    models.InputRequiredResult.model_validate(result)
    answer = retry(peer, result["requestState"], {"who": ACCEPTED}, target)
    assert said(answer) == "Hi, Ada"
    assert peer.reports == []


def test_an_async_handler_is_asked_and_run_again_just_the_same() -> None:
    peer = Peer(make_server())
    target = ("tools/call", {"name": "waits"})
    results: list[dict[str, Any]] = []
    for number in range(2):
        params = results[0] if number else {}
        peer.send(modern(number, target[0], **target[1], **params))
        (call,) = peer.runs
        coroutine = call.invoke()
        try:
            coroutine.send(None)
        except StopIteration as done:
            peer.runs.clear()
            peer.take(call.completed(done.value, peer.now))
        except BaseException as error:
            peer.runs.clear()
            peer.take(call.failed(error, peer.now))
        (answer,) = peer.read()
        result = answer["result"]
        results.append(
            {"requestState": result.get("requestState"), "inputResponses": {"who": DECLINED}}
        )
    assert result["content"][0]["text"] == "decline"


def test_a_question_inside_task_groups_is_found() -> None:
    server = Server("groups")

    @server.tool
    def grouped(ctx: Context) -> str:
        try:
            return ctx.elicit("who", "Who?", Name).action
        except BaseException as error:
            raise BaseExceptionGroup(
                "outer", [RuntimeError("x"), BaseExceptionGroup("inner", [error])]
            ) from None

    peer = Peer(server)
    target = ("tools/call", {"name": "grouped"})
    assert list(ask(peer, target)["inputRequests"]) == ["who"]


# Answers


def test_answers_count_without_a_state() -> None:
    assert said(retry(Peer(make_server()), None, {"who": ACCEPTED})) == "Hi, Ada"
    assert said(retry(Peer(make_server()), None, {"who": DECLINED})) == "decline"


@pytest.mark.parametrize("answer", [DECLINED, CANCELLED], ids=["decline", "cancel"])
@pytest.mark.parametrize("content", [{}, {"content": None}, {"content": {"name": "Eve"}}], ids=str)
def test_a_refusal_is_not_an_acceptance_whatever_comes_with_it(
    answer: dict[str, Any], content: dict[str, Any]
) -> None:
    peer = Peer(make_server())
    state = ask(peer)["requestState"]
    assert said(retry(peer, state, {"who": {**answer, **content}})) == answer["action"]


MISSING: dict[str, Any] = {
    "no responses": ...,
    "null": None,
    "an empty object": {},
    "another key only": {"whom": ACCEPTED},
    "a null answer": {"who": None},
    "a number": {"who": 5},
    "a list": {"who": []},
    "an empty answer": {"who": {}},
    "an unknown action": {"who": {"action": "maybe"}},
    "an action of another case": {"who": {"action": "Accept"}},
    "accepted without content": {"who": {"action": "accept"}},
    "accepted with null": {"who": {"action": "accept", "content": None}},
    "content that is no object": {"who": {"action": "accept", "content": ["Ada"]}},
    "content of a wrong type": {"who": {"action": "accept", "content": {"name": 5}}},
    "content without the field": {"who": {"action": "accept", "content": {}}},
    "an answer to something else": {"who": ROOTS},
    "a sampled message": {"who": SAMPLED},
}


@pytest.mark.parametrize("with_state", [True, False], ids=["state", "no state"])
@pytest.mark.parametrize("name", MISSING)
def test_a_missing_or_wrong_answer_is_asked_for_again(name: str, with_state: bool) -> None:
    peer = Peer(make_server())
    first = ask(peer)
    answer = retry(peer, first["requestState"] if with_state else None, MISSING[name])
    result = answer["result"]
    assert result["resultType"] == "input_required"
    assert result["inputRequests"] == first["inputRequests"]
    assert said(retry(peer, result["requestState"], {"who": ACCEPTED})) == "Hi, Ada"


def test_extra_answers_are_ignored() -> None:
    peer = Peer(make_server())
    state = ask(peer)["requestState"]
    extra = {"who": ACCEPTED, "sudo": ACCEPTED, "": 5, "x": [[]]}
    assert said(retry(peer, state, extra)) == "Hi, Ada"


def test_extra_fields_of_an_answer_are_ignored() -> None:
    peer = Peer(make_server())
    state = ask(peer)["requestState"]
    answer = {**ACCEPTED, "_meta": {"a": 1}, "resultType": "complete", "more": [1]}
    assert said(retry(peer, state, {"who": answer})) == "Hi, Ada"


# Several questions


def test_several_questions_at_once() -> None:
    peer, target = make_asking(several)
    result = ask(peer, target)
    assert {key: value["method"] for key, value in result["inputRequests"].items()} == {
        "a": "elicitation/create",
        "b": "roots/list",
        "c": "sampling/createMessage",
    }
    models.InputRequiredResult.model_validate(result)
    assert said(retry(peer, result["requestState"], ALL, target)) == "Ada file:///a Paris"


def test_a_partial_answer_is_kept_and_only_the_rest_is_asked_again() -> None:
    peer, target = make_asking(several)
    state = ask(peer, target)["requestState"]
    second = retry(peer, state, {"a": ACCEPTED, "b": 5}, target)["result"]
    assert list(second["inputRequests"]) == ["b", "c"]
    third = retry(peer, second["requestState"], {"c": SAMPLED}, target)["result"]
    assert list(third["inputRequests"]) == ["b"]
    answer = retry(peer, third["requestState"], {"b": ROOTS}, target)
    assert said(answer) == "Ada file:///a Paris"


def test_an_accepted_answer_is_not_overwritten_by_a_later_one() -> None:
    peer, target = make_asking(several)
    state = ask(peer, target)["requestState"]
    second = retry(peer, state, {"a": ACCEPTED}, target)["result"]
    changed = {**ALL, "a": {"action": "accept", "content": {"name": "Eve"}}}
    answer = retry(peer, second["requestState"], changed, target)
    assert said(answer) == "Ada file:///a Paris"


def test_questions_one_after_another_carry_every_answer_so_far() -> None:
    def chain(ctx: Context) -> str:
        names = [ctx.elicit(key, f"{key}?", Name).content.name for key in "abc"]
        return " ".join(names)

    peer, target = make_asking(chain)
    result = ask(peer, target)
    states = {result["requestState"]}
    for key in "abc":
        assert list(result["inputRequests"]) == [key]
        accepted = {key: {"action": "accept", "content": {"name": key.upper()}}}
        answer = retry(peer, result["requestState"], accepted, target)
        result = answer["result"]
        states.add(result.get("requestState", ""))
    assert said(answer) == "A B C"
    assert len(states) == 4


def test_an_older_state_can_be_played_again_within_its_time() -> None:
    peer = Peer(make_server())
    state = ask(peer)["requestState"]
    assert said(retry(peer, state, {"who": ACCEPTED})) == "Hi, Ada"
    assert said(retry(peer, state, {"who": DECLINED})) == "decline"


def test_two_calls_at_once_keep_their_rounds_apart() -> None:
    peer, target = make_asking(several)
    one = ask(peer, target)["requestState"]
    two = ask(peer, target)["requestState"]
    one_more = retry(peer, one, {"a": ACCEPTED}, target)["result"]
    two_more = retry(peer, two, {"b": ROOTS}, target)["result"]
    assert list(one_more["inputRequests"]) == ["b", "c"]
    assert list(two_more["inputRequests"]) == ["a", "c"]
