"""Prompts: how they are declared, listed, got, and told."""

import json
from collections.abc import Callable
from typing import Annotated, Any, Literal

import msgspec
import pytest
from msgspec import Meta, Struct
from sansmcp_core import _content as build
from sansmcp_core._context import Context
from sansmcp_core._errors import RegistrationError
from sansmcp_core._operation import Bound, Mode, Refused
from sansmcp_core._prompts import Prompt, PromptRegistry, assistant, user
from sansmcp_core._settings import Settings
from sansmcp_schema.declare import ResultError
from sansmcp_schema.prompts import PromptArgument, PromptMessage
from sansmcp_schema.results import GetPromptResult

CONTEXT: Any = object.__new__(Context)


@pytest.fixture
def registry() -> PromptRegistry:
    return PromptRegistry(lambda: None)


def listed(prompt: Prompt) -> Any:
    return json.loads(msgspec.json.encode(prompt.listing()))


def got(prompt: Prompt, arguments: Any = None) -> Any:
    """What a plain handler returns for these arguments, or the violations."""
    bound = prompt.bind(None if arguments is None else msgspec.json.encode(arguments), CONTEXT)
    if isinstance(bound, Refused):
        return bound.violations
    return prompt.function(*bound.args, **bound.kwargs)


def review(code: str, language: str = "python", depth: Annotated[int, Meta(ge=1)] = 1) -> Any:
    """Ask for a review of some code.

    Args:
        code: The code to review.
        language: Its language.
    """
    return [code, language, depth]


class ReviewArguments(Struct):
    code: Annotated[str, Meta(description="The code to review.")]
    depth: int = 1


REVIEW_LISTED = {
    "name": "review",
    "description": "Ask for a review of some code.",
    "arguments": [
        {"name": "code", "description": "The code to review.", "required": True},
        {"name": "language", "description": "Its language.", "required": False},
        {"name": "depth", "required": False},
    ],
}


def test_a_signature_gives_name_description_and_arguments(registry: PromptRegistry) -> None:
    prompt = registry.add_function(review)
    assert listed(prompt) == REVIEW_LISTED
    assert prompt.argument_names == ("code", "language", "depth")
    assert registry.find("review") is prompt
    assert registry.entries() == (prompt,)


def test_options_win_over_what_the_function_says(registry: PromptRegistry) -> None:
    prompt = registry.add_function(
        review,
        name="code_review",
        title="Review",
        description="",
        icons=[{"src": "https://x/i.png", "mimeType": "image/png"}],
        meta={"k": 1},
        inline=True,
        time_limit_s=1.5,
        scopes=["read"],
    )
    assert listed(prompt) == {
        **REVIEW_LISTED,
        "name": "code_review",
        "title": "Review",
        "description": "",
        "icons": [{"src": "https://x/i.png", "mimeType": "image/png"}],
        "_meta": {"k": 1},
    }
    assert (prompt.mode, prompt.time_limit_s, prompt.scopes) == (
        Mode.INLINE,
        1.5,
        frozenset({"read"}),
    )


def test_a_prompt_without_parameters_lists_no_arguments(registry: PromptRegistry) -> None:
    prompt = registry.add_function(lambda given: given, name="plain", arguments=[])
    assert listed(prompt) == {"name": "plain"}

    def greet(ctx: Context) -> str:
        assert ctx is CONTEXT
        return "hi"

    assert got(registry.add_function(greet)) == "hi"
    assert listed(registry.entries()[1]) == {"name": "greet"}


def test_a_struct_is_the_arguments(registry: PromptRegistry) -> None:
    def about(arguments: ReviewArguments) -> Any:
        return arguments

    prompt = registry.add_function(about, arguments=ReviewArguments)
    assert listed(prompt)["arguments"] == [
        {"name": "code", "description": "The code to review.", "required": True},
        {"name": "depth", "required": False},
    ]
    assert got(prompt, {"code": "x", "depth": "3"}) == ReviewArguments(code="x", depth=3)


def test_a_list_of_arguments_gives_the_handler_one_dict_of_strings(
    registry: PromptRegistry,
) -> None:
    def about(arguments: dict[str, str]) -> Any:
        return arguments

    prompt = registry.add_function(
        about,
        arguments=[
            PromptArgument(name="code", title="Code", description="The code", required=True),
            {"name": "language", "required": False},
            "depth",
        ],
    )
    assert listed(prompt)["arguments"] == [
        {"name": "code", "title": "Code", "description": "The code", "required": True},
        {"name": "language", "required": False},
        {"name": "depth", "required": True},
    ]
    assert got(prompt, {"code": "true", "depth": "3"}) == {"code": "true", "depth": "3"}
    (missing,) = got(prompt, {"code": "x"})
    assert "depth" in missing


def test_arguments_arrive_as_strings_and_are_converted(registry: PromptRegistry) -> None:
    def convert(
        text: str,
        count: int,
        ratio: float = 0.5,
        flag: bool = False,
        tags: list[str] = [],  # noqa: B006
        kind: Literal["a", "b"] = "a",
        maybe: int | None = None,
    ) -> Any:
        return [text, count, ratio, flag, tags, kind, maybe]

    for settings in (Settings(), Settings(repair_arguments=False)):
        prompt = PromptRegistry(lambda: None, settings).add_function(convert)
        sent = {
            "text": "42",
            "count": "42",
            "ratio": "1.5",
            "flag": "true",
            "tags": '["x"]',
            "kind": "b",
            "maybe": "7",
        }
        assert got(prompt, sent) == ["42", 42, 1.5, True, ["x"], "b", 7]
        assert got(prompt, {"text": "", "count": "1"}) == ["", 1, 0.5, False, [], "a", None]


REFUSED: list[tuple[Any, list[str]]] = [
    (None, ["code"]),
    ({}, ["code"]),
    ({"code": "x", "depth": "soon"}, ["depth", "integer", '"soon"']),
    ({"code": "x", "depth": "0"}, ["depth", "0"]),
    ({"code": "x", "dpeth": "1"}, ["dpeth", "depth"]),
    ({"code": 5}, ["code", "expected string", "5"]),
    ({"code": None}, ["code", "expected string", "null"]),
    ([], ["expected object", "array"]),
    ("x", ["expected object", '"x"']),
]


@pytest.mark.parametrize(("arguments", "words"), REFUSED)
def test_arguments_that_break_the_declaration_are_refused_in_words(
    registry: PromptRegistry, arguments: Any, words: list[str]
) -> None:
    lines = "\n".join(got(registry.add_function(review), arguments))
    for word in words:
        assert word in lines


def test_absent_null_and_empty_arguments_are_the_same(registry: PromptRegistry) -> None:
    def plain(style: str = "short") -> str:
        return style

    prompt = registry.add_function(plain)
    for raw in (None, b"null", b"{}"):
        bound = prompt.bind(raw, CONTEXT)
        assert isinstance(bound, Bound)
        assert prompt.function(*bound.args, **bound.kwargs) == "short"


USER_HI = {"role": "user", "content": {"type": "text", "text": "hi"}}
IMAGE = build.image(b"x", "image/png")
IMAGE_JSON = {"type": "image", "data": "eA==", "mimeType": "image/png"}
RESULTS: list[tuple[Any, list[dict[str, Any]]]] = [
    ("hi", [USER_HI]),
    (build.text("hi"), [USER_HI]),
    (IMAGE, [{"role": "user", "content": IMAGE_JSON}]),
    (user("hi"), [USER_HI]),
    (PromptMessage("assistant", build.text("hi")), [{**USER_HI, "role": "assistant"}]),
    ([], []),
    (("hi", "hi"), [USER_HI, USER_HI]),
    (
        ["hi", IMAGE, assistant("hi"), assistant(IMAGE)],
        [
            USER_HI,
            {"role": "user", "content": IMAGE_JSON},
            {**USER_HI, "role": "assistant"},
            {"role": "assistant", "content": IMAGE_JSON},
        ],
    ),
    (
        [
            user(build.audio(b"x", "audio/wav")),
            user(build.resource_link("x://a", "a")),
            user(build.embedded_text("x://a", "hi")),
            user(build.embedded_blob("x://a", b"x", "image/png")),
            user(build.text("hi", annotations=build.annotations(priority=1))),
        ],
        [
            {"role": "user", "content": {"type": "audio", "data": "eA==", "mimeType": "audio/wav"}},
            {"role": "user", "content": {"type": "resource_link", "uri": "x://a", "name": "a"}},
            {
                "role": "user",
                "content": {
                    "type": "resource",
                    "resource": {"uri": "x://a", "mimeType": "text/plain", "text": "hi"},
                },
            },
            {
                "role": "user",
                "content": {
                    "type": "resource",
                    "resource": {"uri": "x://a", "mimeType": "image/png", "blob": "eA=="},
                },
            },
            {
                "role": "user",
                "content": {"type": "text", "text": "hi", "annotations": {"priority": 1}},
            },
        ],
    ),
]


@pytest.mark.parametrize(("value", "messages"), RESULTS, ids=range(len(RESULTS)))
def test_what_a_handler_returns_becomes_messages(
    registry: PromptRegistry, value: Any, messages: list[dict[str, Any]]
) -> None:
    prompt = registry.add_function(lambda: "", name="p", description="About it")
    result = json.loads(msgspec.json.encode(prompt.result(value)))
    assert result == {"description": "About it", "messages": messages}


def test_a_whole_result_passes_and_gets_the_prompts_description(registry: PromptRegistry) -> None:
    prompt = registry.add_function(lambda: "", name="p", description="About it")
    silent = GetPromptResult(messages=[user("hi")], meta={"k": 1})
    assert prompt.result(silent).description == "About it"
    assert prompt.result(silent).meta == {"k": 1}
    assert prompt.result(GetPromptResult(messages=[], description="Mine")).description == "Mine"
    plain = registry.add_function(lambda: "", name="q")
    assert plain.result(silent) == silent
    assert msgspec.to_builtins(plain.result("hi")) == {"messages": [USER_HI]}


async def _coroutine() -> str:
    return "late"


FAULTS: list[Callable[[], Any]] = [
    lambda: None,
    lambda: 5,
    lambda: {"role": "user", "content": "hi"},
    lambda: ["hi", None],
    lambda: [["hi"]],
    lambda: b"hi",
    lambda: (item for item in "ab"),
    lambda: build.text_contents("x://a", "hi"),
    _coroutine,
    lambda: "\ud800",
    lambda: ["hi", "\ud800"],
]


@pytest.mark.parametrize("make", FAULTS, ids=range(len(FAULTS)))
def test_what_makes_up_no_prompt_is_the_handlers_fault(
    registry: PromptRegistry, make: Callable[[], Any]
) -> None:
    prompt = registry.add_function(lambda: "", name="p")
    with pytest.raises(ResultError):
        prompt.result(make())


def _positional(*names: str) -> str:
    return ""


def _untyped(value: object) -> str:
    return ""


DECLARATIONS: list[tuple[Callable[..., Any], dict[str, Any], str]] = [
    (lambda: "", {}, "no name"),
    (review, {"name": ""}, "not empty"),
    (_positional, {}, "names"),
    (_untyped, {"arguments": ["a", "a"]}, "declared twice"),
    (_untyped, {"arguments": [5]}, "is no argument"),
    (_untyped, {"arguments": [{"title": "A"}]}, "is no argument"),
    (_untyped, {"arguments": [""]}, "not empty"),
    (review, {"meta": {"com.modelcontextprotocol/x": 1}}, "reserved"),
]


@pytest.mark.parametrize(("function", "options", "words"), DECLARATIONS)
def test_a_declaration_that_cannot_be_served_is_refused(
    registry: PromptRegistry, function: Callable[..., Any], options: dict[str, Any], words: str
) -> None:
    with pytest.raises(RegistrationError) as refused:
        registry.add_function(function, **options)
    assert words in str(refused.value)
    assert len(registry) == 0


def test_a_name_is_taken_once(registry: PromptRegistry) -> None:
    registry.add_function(review)
    with pytest.raises(RegistrationError, match="already registered"):
        registry.add_function(review)


def test_a_name_that_is_defined_later_is_looked_up_when_serving_starts(
    registry: PromptRegistry,
) -> None:
    def about(kind: "Kind") -> str:  # type: ignore[name-defined]  # noqa: F821
        return str(kind)

    names: dict[str, Any] = {}
    prompt = registry.add_function(about, names)
    with pytest.raises(RegistrationError, match="Kind"):
        prompt.resolve()
    with pytest.raises(RegistrationError, match="Kind"):
        registry.add_function(about, names, name="strict", may_postpone=False)
    names["Kind"] = Literal["a", "b"]
    prompt.resolve()
    assert got(prompt, {"kind": "a"}) == "a"
    assert listed(prompt)["arguments"] == [{"name": "kind", "required": True}]


async def test_an_async_handler_is_awaited(registry: PromptRegistry) -> None:
    async def later(topic: str) -> str:
        return f"about {topic}"

    prompt = registry.add_function(later)
    assert prompt.mode is Mode.ASYNC
    assert await got(prompt, {"topic": "x"}) == "about x"
