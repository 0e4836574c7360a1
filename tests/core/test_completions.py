"""Completion: who proposes values, with what, and how many are sent."""

import json
from collections import OrderedDict
from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import Any

import msgspec
import pytest
from sansmcp_core._completions import NO_COMPLETER, Completer, CompletionRegistry
from sansmcp_core._context import Context
from sansmcp_core._errors import RegistrationError
from sansmcp_core._operation import Mode
from sansmcp_core._prompts import PromptRegistry
from sansmcp_core._resources import ResourceRegistry
from sansmcp_schema.completion import Completion, PromptReference, ResourceTemplateReference
from sansmcp_schema.declare import ResultError
from sansmcp_schema.results import CompleteResult

CONTEXT: Any = object.__new__(Context)
TEMPLATE = "repo://{owner}/{name}"
PROMPT = PromptReference(name="review")


def review(language: str, framework: str = "") -> str:
    return language + framework


def repository(owner: str, name: str) -> str:
    return owner + name


class Registries:
    def __init__(self) -> None:
        self.prompts = PromptRegistry(lambda: None)
        self.resources = ResourceRegistry(lambda: None)
        self.completions = CompletionRegistry(self.prompts, self.resources)
        self.prompts.add_function(review, scopes=["review"])
        self.resources.add_function(TEMPLATE, repository)
        self.resources.add_function("repo://about", lambda: "", name="about")

    def completer(self, function: Callable[..., Any], **options: Any) -> Completer:
        self.completions.add("review", "language", function, **options)
        found = self.completions.find(PROMPT, "language")
        assert isinstance(found, Completer)
        return found


@pytest.fixture
def registries() -> Registries:
    return Registries()


def completed(completer: Completer, value: str = "", **filled: str) -> Any:
    bound = completer.bind(value, filled, CONTEXT)
    result = completer.result(completer.function(*bound.args, **bound.kwargs))
    return json.loads(msgspec.json.encode(result))["completion"]


def numbered(count: int) -> list[str]:
    return [f"v{index}" for index in range(count)]


class Language(StrEnum):
    PYTHON = "python"


HUNDRED = numbered(100)
OFFERS: list[tuple[Callable[[], Any], dict[str, Any]]] = [
    (list, {"values": [], "total": 0, "hasMore": False}),
    (lambda: None, {"values": [], "total": 0, "hasMore": False}),
    (lambda: ["a"], {"values": ["a"], "total": 1, "hasMore": False}),
    (lambda: ("a", "b"), {"values": ["a", "b"], "total": 2, "hasMore": False}),
    (lambda: ("a",), {"values": ["a"], "total": 1, "hasMore": False}),
    (lambda: [Language.PYTHON], {"values": ["python"], "total": 1, "hasMore": False}),
    ({"a": 1}.keys, {"values": ["a"], "total": 1, "hasMore": False}),
    (lambda: numbered(100), {"values": HUNDRED, "total": 100, "hasMore": False}),
    (lambda: numbered(101), {"values": HUNDRED, "total": 101, "hasMore": True}),
    (lambda: numbered(100_000), {"values": HUNDRED, "total": 100_000, "hasMore": True}),
    (lambda: iter(numbered(3)), {"values": numbered(3), "total": 3, "hasMore": False}),
    (lambda: iter(numbered(100)), {"values": HUNDRED, "total": 100, "hasMore": False}),
    (lambda: iter(numbered(101)), {"values": HUNDRED, "hasMore": True}),
    (lambda: (["a"], 10), {"values": ["a"], "total": 10, "hasMore": True}),
    (lambda: (["a"], 1), {"values": ["a"], "total": 1, "hasMore": False}),
    (lambda: (["a", "b"], 0), {"values": ["a", "b"], "total": 2, "hasMore": False}),
    (lambda: (["a"], None), {"values": ["a"], "total": 1, "hasMore": False}),
    (lambda: (iter(numbered(101)), 500), {"values": HUNDRED, "total": 500, "hasMore": True}),
    (lambda: Completion(values=["a"]), {"values": ["a"], "total": 1, "hasMore": False}),
    (lambda: Completion(values=["a"], has_more=True), {"values": ["a"], "hasMore": True}),
    (
        lambda: Completion(values=["a"], total=7, has_more=True),
        {"values": ["a"], "total": 7, "hasMore": True},
    ),
    (
        lambda: Completion(values=numbered(101)),
        {"values": HUNDRED, "total": 101, "hasMore": True},
    ),
    (
        lambda: CompleteResult(completion=Completion(values=numbered(101))),
        {"values": HUNDRED, "total": 101, "hasMore": True},
    ),
]


@pytest.mark.parametrize(("offer", "expected"), OFFERS, ids=range(len(OFFERS)))
def test_at_most_a_hundred_values_are_sent_and_the_rest_is_told(
    registries: Registries, offer: Callable[[], Any], expected: dict[str, Any]
) -> None:
    assert completed(registries.completer(lambda value: offer())) == expected


def test_an_endless_generator_is_cut(registries: Registries) -> None:
    def forever(value: str) -> Iterator[str]:
        while True:
            yield value

    assert completed(registries.completer(forever), "x") == {"values": ["x"] * 100, "hasMore": True}


def test_a_generator_runs_where_its_function_runs(registries: Registries) -> None:
    def failing(value: str) -> Iterator[str]:
        yield value
        raise RuntimeError("no more")

    completer = registries.completer(failing)
    bound = completer.bind("x", {}, CONTEXT)
    with pytest.raises(RuntimeError, match="no more"):
        completer.function(*bound.args, **bound.kwargs)


async def _coroutine() -> list[str]:
    return []


FAULTS: list[tuple[Callable[[], Any], str]] = [
    (lambda: "python", "str"),
    (lambda: b"python", "bytes"),
    (lambda: 5, "int"),
    (lambda: {"a": "b"}, "dict"),
    (lambda: OrderedDict(a="b"), "OrderedDict"),
    (lambda: ["a", 5], "item 1 is int"),
    (lambda: [None], "item 0 is NoneType"),
    (lambda: ("a", 5), "item 1 is int"),
    (lambda: (["a"], -1), "total"),
    (lambda: (["a"], True), "total"),
    (lambda: (["a"], "many"), "total"),
    (lambda: ["\ud800"], "surrogate"),
    (_coroutine, "async def"),
]


@pytest.mark.parametrize(("offer", "words"), FAULTS, ids=range(len(FAULTS)))
def test_anything_but_strings_is_the_completers_fault(
    registries: Registries, offer: Callable[[], Any], words: str
) -> None:
    completer = registries.completer(lambda value: offer())
    with pytest.raises(ResultError, match=words):
        completed(completer)
    with pytest.raises(ResultError, match=words):
        completer.result(offer())


def test_a_completer_gets_what_its_signature_asks_for(registries: Registries) -> None:
    def by_value(value: str) -> list[str]:
        return [value]

    def with_filled(typed: str, others: dict[str, str]) -> list[str]:
        return [typed, *others, *others.values()]

    def by_keyword(value: str, *, filled: Any = None, limit: int = 3) -> list[str]:
        return [value, *filled, str(limit)]

    def with_context(ctx: Context, value: str, filled: Any = None) -> list[str]:
        return [value, *filled, str(ctx is CONTEXT)]

    def named_context(value: str, *, ctx: "Context") -> list[str]:
        return [value, str(ctx is CONTEXT)]

    def with_default(value: str, limit: int = 3) -> list[str]:
        return [value, str(limit)]

    class Source:
        def method(self, value: str, *rest: Any, **options: Any) -> list[str]:
            return [value, str(len(rest) + len(options))]

        def __call__(self, value: str) -> list[str]:
            return ["called", value]

    rows: list[tuple[Callable[..., Any], list[str]]] = [
        (by_value, ["py"]),
        (with_filled, ["py", "framework", "flask"]),
        (by_keyword, ["py", "framework", "3"]),
        (with_context, ["py", "framework", "True"]),
        (named_context, ["py", "True"]),
        (with_default, ["py", "3"]),
        (Source().method, ["py", "0"]),
        (Source(), ["called", "py"]),
    ]
    for function, expected in rows:
        registries = Registries()
        completer = registries.completer(function)
        assert completed(completer, "py", framework="flask")["values"] == expected


def test_the_arguments_filled_so_far_are_the_completers_own_copy(registries: Registries) -> None:
    def spoil(value: str, filled: dict[str, str]) -> list[str]:
        filled.clear()
        return []

    filled = {"framework": "flask"}
    completer = registries.completer(spoil)
    bound = completer.bind("", filled, CONTEXT)
    completer.function(*bound.args, **bound.kwargs)
    assert filled == {"framework": "flask"}


async def test_an_async_completer_is_awaited(registries: Registries) -> None:
    async def later(value: str) -> list[str]:
        return [value]

    completer = registries.completer(later)
    assert completer.mode is Mode.ASYNC
    bound = completer.bind("x", {}, CONTEXT)
    result = completer.result(await completer.function(*bound.args, **bound.kwargs))
    assert result.completion.values == ["x"]


def test_a_reference_finds_its_completer_nothing_or_is_unknown(registries: Registries) -> None:
    completions = registries.completions
    assert len(completions) == 0
    completions.add("review", "language", lambda value: ["python"])
    completions.add(TEMPLATE, "owner", lambda value: ["me"])
    assert len(completions) == 2

    def resource(uri: str, argument: str) -> Any:
        return completions.find(ResourceTemplateReference(uri=uri), argument)

    language = completions.find(PROMPT, "language")
    owner = resource(TEMPLATE, "owner")
    assert isinstance(language, Completer)
    assert isinstance(owner, Completer)
    assert resource("repo://someone/something", "owner") is owner
    assert completions.find(PROMPT, "framework") is NO_COMPLETER
    assert resource(TEMPLATE, "name") is NO_COMPLETER
    assert completions.find(PROMPT, "colour") is None
    assert completions.find(PromptReference(name="other"), "language") is None
    assert resource(TEMPLATE, "colour") is None
    assert resource("repo://{other}", "other") is None
    assert resource("repo://about", "owner") is None
    assert resource("nothing", "owner") is None


def test_a_disabled_prompt_cannot_be_completed(registries: Registries) -> None:
    registries.completer(lambda value: [])
    registries.prompts.disable("review")
    assert registries.completions.find(PROMPT, "language") is None
    registries.prompts.enable("review")
    assert isinstance(registries.completions.find(PROMPT, "language"), Completer)


def test_completers_go_with_a_removed_prompt_and_can_come_back(registries: Registries) -> None:
    first = registries.completer(lambda value: [])
    registries.prompts.remove("review")
    assert registries.completions.find(PROMPT, "language") is None
    registries.prompts.add_function(review)
    assert registries.completions.find(PROMPT, "language") is NO_COMPLETER
    assert registries.completer(lambda value: []) is not first


def test_a_completer_needs_the_scopes_of_its_prompt_unless_told_otherwise() -> None:
    assert Registries().completer(lambda value: []).scopes == {"review"}
    assert Registries().completer(lambda value: [], scopes=[]).scopes == frozenset()
    quick = Registries().completer(lambda value: [], inline=True, time_limit_s=1.0)
    assert (quick.mode, quick.time_limit_s) == (Mode.INLINE, 1.0)


REFUSED: list[tuple[str, str, Any, str]] = [
    ("other", "language", lambda value: [], "no prompt or resource template 'other'"),
    ("repo://{x}", "x", lambda value: [], "no prompt or resource template"),
    ("review", "colour", lambda value: [], "it has: language, framework"),
    ("review", "language", list, "list is a class"),
    ("review", "language", lambda *, limit=3: [], "takes no value"),
    ("review", "language", lambda value, filled, more: [], "'more' too many"),
    ("review", "language", ["python"], "something to call"),
    ("review", "language", max, "tells no signature"),
]


@pytest.mark.parametrize(("ref", "argument", "function", "words"), REFUSED)
def test_a_completer_that_cannot_work_is_refused(
    registries: Registries, ref: str, argument: str, function: Any, words: str
) -> None:
    with pytest.raises(RegistrationError) as refused:
        registries.completions.add(ref, argument, function)
    assert words in str(refused.value)
    assert len(registries.completions) == 0


def test_a_prompt_that_waits_for_a_name_can_have_a_completer(registries: Registries) -> None:
    def about(kind: "Kind") -> str:  # type: ignore[name-defined]  # noqa: F821
        return str(kind)

    names: dict[str, Any] = {}
    registries.prompts.add_function(about, names)
    registries.completions.add("about", "kind", lambda value: ["a"])
    names["Kind"] = str
    assert isinstance(registries.completions.find(PromptReference(name="about"), "kind"), Completer)
    assert registries.completions.find(PromptReference(name="about"), "other") is None


def test_an_argument_has_one_completer(registries: Registries) -> None:
    registries.completer(lambda value: [])
    with pytest.raises(RegistrationError, match="already registered"):
        registries.completer(lambda value: [])
    registries.completions.remove("review", "language")
    assert registries.completions.find(PROMPT, "language") is NO_COMPLETER
    registries.completer(lambda value: [])
    assert [completer.owner.name for completer in registries.completions.every()] == ["review"]


def test_frozen_and_async_are_refused_like_everywhere(registries: Registries) -> None:
    async def later(value: str) -> list[str]:
        return []

    registries.completions.refuse_async()
    with pytest.raises(RegistrationError, match="async"):
        registries.completer(later)
    registries.completions.freeze()
    with pytest.raises(RegistrationError, match="frozen"):
        registries.completer(lambda value: [])
