"""Every kind of question, what a client must have declared, and steps that run once."""

import math
from collections.abc import Callable
from typing import Any

import pytest
from asking import (
    ACCEPTED,
    ALL,
    DECLINED,
    ROOTS,
    SAMPLED,
    Name,
    ask,
    make_asking,
    retry,
    said,
    several,
)
from core_peer import Peer, meta, modern
from mcp_types import _v2026_07_28 as models
from opaque import Opaque
from sansmcp_core import (
    Context,
    Elicit,
    ElicitUrl,
    InputRequired,
    ListRoots,
    ObjectSchema,
    Sample,
    Server,
)
from sansmcp_core.testing import TestClient

# Every kind of question


KINDS: dict[str, tuple[Callable[[Context], Any], Any, str]] = {
    "form of a Struct": (
        lambda ctx: ctx.elicit("k", "?", Name).content.name,
        ACCEPTED,
        "Ada",
    ),
    "form of the builder": (
        lambda ctx: ctx.elicit("k", "?", ObjectSchema().string("name")).content["name"],
        ACCEPTED,
        "Ada",
    ),
    "raw form": (
        lambda ctx: ctx.elicit(
            "k", "?", {"type": "object", "properties": {"name": {"type": "string"}}}
        ).content["name"],
        ACCEPTED,
        "Ada",
    ),
    "URL": (
        lambda ctx: ctx.elicit_url("k", "?", "https://example.com/").action,
        {"action": "accept"},
        "accept",
    ),
    "sampling": (lambda ctx: ctx.sample("k", "?", max_tokens=5).model, SAMPLED, "m"),
    "roots": (lambda ctx: ctx.list_roots("k")[0].name, ROOTS, "a"),
    "roots without any": (lambda ctx: str(ctx.list_roots("k")), {"roots": []}, "[]"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_question(kind: str) -> None:
    handler, response, text = KINDS[kind]

    def asks(ctx: Context) -> str:
        return str(handler(ctx))

    peer, target = make_asking(asks)
    result = ask(peer, target)
    answer = retry(peer, result["requestState"], {"k": response}, target)
    assert said(answer) == text


def test_the_content_of_a_refused_form_is_an_error_of_the_author() -> None:
    def careless(ctx: Context) -> str:
        return ctx.elicit("k", "?", Name).content.name

    peer, target = make_asking(careless)
    answer = retry(peer, None, {"k": DECLINED}, target)
    assert answer["result"]["isError"] is True
    assert "accepted" in str(peer.reports[0].exception)


# Capabilities


NEEDS: dict[str, tuple[Callable[[Context], Any], dict[str, Any], list[dict[str, Any]]]] = {
    "form": (
        lambda ctx: ctx.elicit("k", "?", Name),
        {"elicitation": {"form": {}}},
        [{"elicitation": {}}, {"elicitation": {"form": {}}}, {"elicitation": {"form": {"x": 1}}}],
    ),
    "url": (
        lambda ctx: ctx.elicit_url("k", "?", "https://example.com/"),
        {"elicitation": {"url": {}}},
        [{"elicitation": {"url": {}}}],
    ),
    "sampling": (
        lambda ctx: ctx.sample("k", "?", max_tokens=1),
        {"sampling": {}},
        [{"sampling": {}}, {"sampling": {"tools": {}}}],
    ),
    "sampling with tools": (
        lambda ctx: ctx.sample("k", "?", max_tokens=1, tools=[]),
        {"sampling": {"tools": {}}},
        [{"sampling": {"tools": {}}}],
    ),
    "roots": (lambda ctx: ctx.list_roots(), {"roots": {}}, [{"roots": {}}]),
}
DECLARED: list[dict[str, Any]] = [
    {},
    {"elicitation": {}},
    {"elicitation": {"form": {}}},
    {"elicitation": {"form": {"x": 1}}},
    {"elicitation": {"url": {}}},
    {"sampling": {}},
    {"sampling": {"tools": {}}},
    {"roots": {}},
    {"experimental": {"elicitation": {}}},
]


@pytest.mark.parametrize("explicit", [False, True], ids=["asked", "returned"])
@pytest.mark.parametrize("need", NEEDS)
def test_what_a_client_did_not_declare_is_never_asked(need: str, explicit: bool) -> None:
    handler, required, enough = NEEDS[need]
    questions: dict[str, Any] = {
        "form": Elicit("?", Name),
        "url": ElicitUrl("?", "https://example.com/"),
        "sampling": Sample("?", max_tokens=1),
        "sampling with tools": Sample("?", max_tokens=1, tools=[]),
        "roots": ListRoots(),
    }

    def asks(ctx: Context) -> Any:
        return InputRequired({"k": questions[need]}) if explicit else str(handler(ctx))

    peer, target = make_asking(asks)
    for capabilities in DECLARED:
        answer = peer.one(modern(1, target[0], meta(capabilities), **target[1]))
        if capabilities in enough:
            assert answer["result"]["resultType"] == "input_required", capabilities
        else:
            error = answer["error"]
            assert error["code"] == -32021
            assert error["data"] == {"requiredCapabilities": required}
            models.MissingRequiredClientCapabilityError.model_validate(
                {"jsonrpc": "2.0", "id": 1, "error": error}
            )


def test_all_that_is_lacking_is_named_at_once() -> None:
    peer, target = make_asking(several)
    error = peer.error(modern(1, target[0], meta({"roots": {}}), **target[1]))
    assert error["data"] == {"requiredCapabilities": {"elicitation": {"form": {}}, "sampling": {}}}


def test_a_capability_counts_for_its_own_request_only() -> None:
    peer, target = make_asking(several)
    state = ask(peer, target)["requestState"]
    params = {**target[1], "requestState": state, "inputResponses": {"a": ACCEPTED}}
    assert peer.error(modern(1, target[0], meta({"roots": {}}), **params))["code"] == -32021
    full = {**params, "inputResponses": ALL}
    assert said(peer.one(modern(1, target[0], meta({}), **full))) == "Ada file:///a Paris"


# Steps that run once


def test_a_step_that_runs_once_comes_back_as_it_was() -> None:
    ran: list[int] = []

    def order() -> dict[str, Any]:
        ran.append(1)
        return {"id": (1, 2), "none": None}

    def steps(ctx: Context) -> str:
        first = ctx.once("order", order)
        assert first == {"id": [1, 2], "none": None}
        name = ctx.elicit("who", "Who?", Name).content.name
        again = ctx.once("order", order)
        return f"{name} {again['id']}"

    peer, target = make_asking(steps)
    state = ask(peer, target)["requestState"]
    assert said(retry(peer, state, {"who": ACCEPTED}, target)) == "Ada [1, 2]"
    assert ran == [1]


def test_a_step_that_gives_nothing_runs_once_too() -> None:
    ran: list[int] = []

    def steps(ctx: Context) -> str:
        assert ctx.once("step", lambda: ran.append(1)) is None
        return ctx.elicit("who", "Who?", Name).action

    peer, target = make_asking(steps)
    state = ask(peer, target)["requestState"]
    assert said(retry(peer, state, {"who": DECLINED}, target)) == "decline"
    assert ran == [1]


async def test_a_step_may_be_async() -> None:
    ran: list[int] = []
    server = Server("once")

    async def step() -> int:
        ran.append(1)
        return 7

    @server.tool
    async def steps(ctx: Context) -> str:
        kept = await ctx.once("step", step)
        return f"{kept} {ctx.elicit('who', 'Who?', Name).action}"

    with TestClient(server, answers={"who": DECLINED}) as client:
        result = await client.acall_tool("steps")
    assert result["content"][0]["text"] == "7 decline"
    assert ran == [1]


@pytest.mark.parametrize("value", [Opaque(), math.nan, "\ud800", {"a": math.inf}], ids=repr)
def test_a_step_whose_result_has_no_json_is_the_authors_error(value: Any) -> None:
    server = Server("x")

    @server.tool
    def t(ctx: Context) -> str:
        return str(ctx.once("k", lambda: value))

    peer = Peer(server)
    assert peer.result(modern(1, "tools/call", name="t"))["isError"] is True
    assert len(peer.reports) == 1


@pytest.mark.parametrize(
    ("revision", "asked"), [("2025-06-18", False), ("2025-11-25", True), ("2026-07-28", True)]
)
def test_a_choice_of_several_values_is_asked_of_those_whose_revision_has_it(
    revision: str, asked: bool
) -> None:
    choices = {"type": "array", "items": {"type": "string", "enum": ["x"]}}
    server = Server("s")

    @server.tool
    def choose(ctx: Context) -> str:
        return ctx.elicit("k", "?", {"type": "object", "properties": {"m": choices}}).action

    with TestClient(server, revision, answers={"k": {"action": "decline"}}) as client:
        pending = client.begin("tools/call", {"name": "choose"})
        answer = client.inbox.answer_to(pending.id)

        assert answer is not None
        assert ("error" in answer) is not asked
