"""Resources and templates: how they are declared, found, read, and told."""

import base64
import json
from collections.abc import Callable
from typing import Annotated, Any, Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta, Struct
from sansmcp_core._content import annotations, blob_contents, text, text_contents
from sansmcp_core._context import Context
from sansmcp_core._errors import RegistrationError
from sansmcp_core._operation import Bound, Mode, Refused
from sansmcp_core._resources import Match, Resource, ResourceRegistry, ResourceTemplate
from sansmcp_core._settings import CacheHint, Settings
from sansmcp_schema.content import Icon
from sansmcp_schema.declare import ResultError
from sansmcp_schema.results import ReadResourceResult

CONTEXT: Any = object.__new__(Context)


class Changes:
    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> None:
        self.count += 1


@pytest.fixture
def changes() -> Changes:
    return Changes()


@pytest.fixture
def registry(changes: Changes) -> ResourceRegistry:
    return ResourceRegistry(changes)


def found(registry: ResourceRegistry, uri: str) -> Match:
    match = registry.match(uri)
    assert match is not None
    return match


def read(registry: ResourceRegistry, uri: str) -> Any:
    """The JSON of what a plain handler answers, or the violations."""
    match = found(registry, uri)
    bound = match.entry.bind(uri, match.variables, CONTEXT)
    if isinstance(bound, Refused):
        return bound.violations
    value = match.entry.function(*bound.args, **bound.kwargs)
    return json.loads(msgspec.json.encode(match.entry.result(value, uri)))


def giving(value: Any) -> Callable[[], Any]:
    def handler() -> Any:
        return value

    return handler


def one(**contents: Any) -> dict[str, Any]:
    return {"contents": [{"uri": "x://a", **contents}]}


BYTES = b"\x00\xff"
BLOB = base64.b64encode(BYTES).decode()
RESULTS: list[tuple[Any, str | None, dict[str, Any]]] = [
    ("hi", None, one(text="hi")),
    ("hi", "text/markdown", one(mimeType="text/markdown", text="hi")),
    ("", None, one(text="")),
    (BYTES, "image/png", one(mimeType="image/png", blob=BLOB)),
    (bytearray(BYTES), None, one(blob=BLOB)),
    (memoryview(BYTES), None, one(blob=BLOB)),
    (b"", None, one(blob="")),
    ({"a": [1]}, None, one(mimeType="application/json", text='{"a":[1]}')),
    ({"a": 1}, "application/ld+json", one(mimeType="application/ld+json", text='{"a":1}')),
    ([], None, one(mimeType="application/json", text="[]")),
    ([1, "b"], None, one(mimeType="application/json", text='[1,"b"]')),
    (["a", "b"], None, one(mimeType="application/json", text='["a","b"]')),
    (0, None, one(mimeType="application/json", text="0")),
    (False, None, one(mimeType="application/json", text="false")),
    (
        text_contents("x://b", "b", "text/b"),
        "text/a",
        {"contents": [{"uri": "x://b", "mimeType": "text/b", "text": "b"}]},
    ),
    (
        [text_contents("x://b", "b"), blob_contents("x://c", BYTES, "image/png")],
        None,
        {
            "contents": [
                {"uri": "x://b", "text": "b"},
                {"uri": "x://c", "mimeType": "image/png", "blob": BLOB},
            ]
        },
    ),
    ((text_contents("x://b", "b"),), None, {"contents": [{"uri": "x://b", "text": "b"}]}),
    (
        ReadResourceResult(contents=[text_contents("x://b", "b")], meta={"k": 1}),
        None,
        {"contents": [{"uri": "x://b", "text": "b"}], "_meta": {"k": 1}},
    ),
]


@pytest.mark.parametrize(("value", "mime_type", "expected"), RESULTS, ids=range(len(RESULTS)))
def test_what_a_handler_returns_becomes_contents(
    registry: ResourceRegistry, value: Any, mime_type: str | None, expected: dict[str, Any]
) -> None:
    options: Any = {} if mime_type is None else {"mime_type": mime_type}
    registry.add_function("x://a", giving(value), **options)
    assert read(registry, "x://a") == expected


async def _coroutine() -> str:
    return "late"


FAULTS = [
    (lambda: None, "None"),
    (lambda: ReadResourceResult(contents=[]), "without contents"),
    (lambda: [text_contents("x://b", "b"), "c"], "TextResourceContents, str"),
    (lambda: text("hi"), "TextContent, which is no resource contents"),
    (lambda: [text("hi")], "TextContent"),
    (lambda: float("nan"), "NaN"),
    (lambda: [float("inf")], "infinite"),
    (lambda: ["\ud800"], "surrogate"),
    (lambda: "\ud800", "surrogate"),
    (object, "no JSON form"),
    (lambda: (n for n in "ab"), "no JSON form"),
    (_coroutine, "async def"),
]


@pytest.mark.parametrize(("make", "words"), FAULTS, ids=range(len(FAULTS)))
def test_what_a_resource_cannot_hold_is_the_handlers_fault_never_empty_contents(
    registry: ResourceRegistry, make: Callable[[], Any], words: str
) -> None:
    entry = registry.add_function("x://a", giving("unused"))
    with pytest.raises(ResultError, match=words):
        entry.result(make(), "x://a")


def test_a_listing_tells_everything_that_was_declared(registry: ResourceRegistry) -> None:
    def settings() -> str:
        """How the program is set up.

        Returns:
            All of it.
        """
        return ""

    options: Any = {
        "title": "Settings",
        "mime_type": "text/plain",
        "icons": [Icon(src="https://x/i.png")],
        "annotations": annotations(audience="user", priority=0.5),
        "meta": {"a.b/c": 1},
    }
    registry.add_function("app://settings", settings, size=3, **options)
    registry.add_function(
        "app://{part}", lambda part: part, name="part", description="A part", **options
    )
    shared = {
        "title": "Settings",
        "mimeType": "text/plain",
        "icons": [{"src": "https://x/i.png"}],
        "annotations": {"audience": ["user"], "priority": 0.5},
        "_meta": {"a.b/c": 1},
    }
    listed = [msgspec.to_builtins(entry.listing()) for entry in registry.every()]
    assert listed == [
        {
            "uri": "app://settings",
            "name": "settings",
            "description": "How the program is set up.",
            "size": 3,
            **shared,
        },
        {"uriTemplate": "app://{part}", "name": "part", "description": "A part", **shared},
    ]


def test_an_entry_tells_how_it_is_run(registry: ResourceRegistry) -> None:
    async def later() -> str:
        return ""

    hint = CacheHint(ttl_ms=5, cache_scope="public")
    plain = registry.add_function("x://plain", giving(""))
    quick = registry.add_function(
        "x://quick", giving(""), inline=True, time_limit_s=2.0, scopes=["read"], cache=hint
    )
    slow = registry.add_function("x://{+rest}", lambda rest: rest, name="rest")
    awaited = registry.add_function("x://later", later)
    assert [entry.mode for entry in (plain, quick, slow, awaited)] == [
        Mode.BLOCKING,
        Mode.INLINE,
        Mode.BLOCKING,
        Mode.ASYNC,
    ]
    assert (plain.time_limit_s, plain.scopes, plain.cache) == (None, frozenset(), None)
    assert (quick.time_limit_s, quick.scopes, quick.cache) == (2.0, frozenset({"read"}), hint)


def test_a_uri_matches_exactly_first_then_templates_in_order(registry: ResourceRegistry) -> None:
    registry.add_function("x://{+rest}", lambda rest: f"rest {rest}", name="rest")
    registry.add_function("x://{one}", lambda one: f"one {one}", name="one")
    registry.add_function("x://exact", giving("exact"))
    assert read(registry, "x://exact")["contents"][0]["text"] == "exact"
    assert read(registry, "x://other")["contents"][0]["text"] == "rest other"
    registry.disable("x://{+rest}")
    assert read(registry, "x://other")["contents"][0]["text"] == "one other"
    assert registry.match("x://a/b") is None
    registry.enable("x://{+rest}")
    assert read(registry, "x://a/b")["contents"][0]["text"] == "rest a/b"
    registry.remove("x://exact")
    assert read(registry, "x://exact")["contents"][0]["text"] == "rest exact"


def test_each_change_is_announced_once_and_grows_the_version_of_its_list(
    registry: ResourceRegistry, changes: Changes
) -> None:
    registry.add_function("x://a", giving(""))
    registry.add_function("x://{b}", lambda b: b, name="b")
    for step in (registry.disable, registry.enable, registry.remove):
        step("x://a")
        step("x://{b}")
    assert changes.count == 8
    assert (registry.fixed.version, registry.templates.version) == (4, 4)
    assert (registry.entries(), registry.template_entries(), len(registry)) == ((), (), 0)
    with pytest.raises(RegistrationError, match=r"no resource template 'x://\{b\}'"):
        registry.remove("x://{b}")


def test_a_disabled_resource_is_neither_listed_nor_found(registry: ResourceRegistry) -> None:
    entry = registry.add_function("x://a", giving(""))
    assert registry.entries() == (entry,)
    registry.disable("x://a")
    assert registry.entries() == ()
    assert registry.match("x://a") is None
    assert registry.every() == [entry]


def test_variables_are_converted_to_the_types_of_the_parameters(registry: ResourceRegistry) -> None:
    def page(
        book: str,
        number: Annotated[int, Meta(ge=1)],
        ctx: Context,
        style: Literal["html", "text"] = "text",
        marks: bool = False,
    ) -> Any:
        return [book, number, style, marks, ctx is CONTEXT]

    registry.add_function("lib://{book}/{number}{?style,marks}", page)
    for uri, expected in {
        "lib://42/7": ["42", 7, "text", False, True],
        "lib://a%20b/7?marks=true&style=html": ["a b", 7, "html", True, True],
    }.items():
        assert json.loads(read(registry, uri)["contents"][0]["text"]) == expected
    for uri, words in {
        "lib://a/seven": ("number", "integer", '"seven"'),
        "lib://a/0": ("number", "0"),
        "lib://a/1?style=pdf": ("style", '"pdf"'),
    }.items():
        (line,) = read(registry, uri)
        assert all(word in line for word in words), line


def test_a_parameter_that_takes_text_gets_the_text_as_it_stands(registry: ResourceRegistry) -> None:
    registry.add_function("x://{value}", lambda value: [value], name="value")
    registry.add_function("y://{value}", _text)
    for variable in ("42", "true", "null", "%5B1%5D", "%7B%7D", "%22q%22"):
        plain = variable.replace("%5B", "[").replace("%5D", "]").replace("%7B", "{")
        plain = plain.replace("%7D", "}").replace("%22", '"')
        for scheme in ("x", "y"):
            contents = read(registry, f"{scheme}://{variable}")["contents"][0]
            assert json.loads(contents["text"]) == [plain]


def _text(value: str) -> list[str]:
    return [value]


def test_strings_are_converted_even_where_argument_repair_is_off() -> None:
    registry = ResourceRegistry(Changes(), Settings(repair_arguments=False))

    def item(number: int) -> int:
        return number + 1

    registry.add_function("x://{number}", item)
    assert read(registry, "x://41")["contents"][0]["text"] == "42"


def _takes_a(a: str) -> str:
    return a


def _takes_a_and_b(a: str, b: str) -> str:
    return a + b


def _takes_rest(a: str, **rest: str) -> str:
    return a


def _takes_complex(a: complex) -> str:
    return str(a)


REFUSED: list[tuple[str, Callable[..., Any], dict[str, Any], list[str]]] = [
    ("x://{b}", _takes_a, {}, ["variables are b", "are a", "_takes_a"]),
    ("x://{a}/{b}", _takes_a, {}, ["variables are a, b", "are a"]),
    ("x://{a}", _takes_a_and_b, {}, ["variables are a", "are a, b"]),
    ("x://plain", _takes_a, {}, ["variables are none", "are a"]),
    ("x://{a}{?b}", _takes_a_and_b, {}, ["{?b}", "needs a default"]),
    ("x://{a}", _takes_rest, {}, ["**kwargs"]),
    ("x://{a}", _takes_a, {"size": 3}, ["size"]),
    ("x://{a*}", _takes_a, {}, ["{a*} is not supported"]),
    ("x://a}", giving(""), {}, ["has no counterpart"]),
    ("no-scheme", giving(""), {}, ["scheme"]),
    ("x://a b", giving(""), {}, ["blanks"]),
    ("", giving(""), {}, ["scheme"]),
    ("x://{a}", _takes_complex, {}, ["resource 'x://{a}', parameter 'a': complex"]),
    ("x://a", lambda: "", {}, ["no name", "resource"]),
    ("x://a", giving(""), {"name": " "}, ["not empty"]),
    ("x://a", giving(""), {"meta": {"com.mcp/x": 1}}, ["reserved"]),
    ("x://a", giving(""), {"icons": [{"src": "file:///x"}]}, ["icon"]),
]


@pytest.mark.parametrize(("uri", "function", "options", "words"), REFUSED)
def test_a_declaration_that_cannot_be_served_is_refused_by_name(
    registry: ResourceRegistry,
    uri: str,
    function: Callable[..., Any],
    options: dict[str, Any],
    words: list[str],
) -> None:
    with pytest.raises(RegistrationError) as refused:
        registry.add_function(uri, function, **options)
    for word in words:
        assert word in str(refused.value)
    assert len(registry) == 0


def test_a_uri_or_template_is_taken_once(registry: ResourceRegistry) -> None:
    registry.add_function("x://a", giving(""))
    registry.add_function("x://{a}", _takes_a)
    for uri, function in (("x://a", giving("")), ("x://{a}", _takes_a)):
        with pytest.raises(RegistrationError, match="already registered"):
            registry.add_function(uri, function)


def test_fixed_values_need_no_function(registry: ResourceRegistry) -> None:
    registry.add_value("x://a", "café", mime_type="text/plain")
    registry.add_value("x://b", {"k": 1}, name="b", description="Some JSON")
    assert read(registry, "x://a") == one(mimeType="text/plain", text="café")
    assert read(registry, "x://b")["contents"][0]["text"] == '{"k":1}'
    first, second = registry.entries()
    assert msgspec.to_builtins(first.listing()) == {
        "uri": "x://a",
        "name": "x://a",
        "mimeType": "text/plain",
        "size": 5,
    }
    assert msgspec.to_builtins(second.listing())["description"] == "Some JSON"
    assert first.mode is Mode.INLINE
    with pytest.raises(RegistrationError, match="'x://c': the handler returned None"):
        registry.add_value("x://c", None)
    with pytest.raises(RegistrationError, match="without variables"):
        registry.add_value("x://{c}", "c")


def test_options_that_make_no_sense_are_refused(registry: ResourceRegistry) -> None:
    with pytest.raises(ValueError, match="time_limit_s"):
        registry.add_function("x://a", giving(""), time_limit_s=0)
    with pytest.raises(ValueError, match="size"):
        registry.add_function("x://a", giving(""), size=-1)
    with pytest.raises(TypeError, match="scopes must be a list"):
        registry.add_function("x://a", giving(""), scopes="read")
    assert len(registry) == 0


def test_a_frozen_registry_refuses_changes_of_both_lists(registry: ResourceRegistry) -> None:
    registry.freeze()
    for uri, function in (("x://a", giving("")), ("x://{a}", _takes_a)):
        with pytest.raises(RegistrationError, match="frozen"):
            registry.add_function(uri, function)


def test_async_handlers_can_be_refused_now_and_later(registry: ResourceRegistry) -> None:
    async def later(a: str) -> str:
        return a

    registry.refuse_async()
    with pytest.raises(RegistrationError, match="async"):
        registry.add_function("x://{a}", later)
    other = ResourceRegistry(Changes())
    other.add_function("x://{a}", later)
    with pytest.raises(RegistrationError, match="async"):
        other.refuse_async()


class Late(Struct):
    pass


def test_a_name_that_is_defined_later_is_looked_up_when_serving_starts(
    registry: ResourceRegistry,
) -> None:
    def item(kind: "Kind") -> str:  # type: ignore[name-defined]  # noqa: F821
        return str(kind)

    names: dict[str, Any] = {}
    entry = registry.add_function("x://{kind}", item, names)
    with pytest.raises(RegistrationError, match="Kind"):
        entry.resolve()
    names["Kind"] = Literal["a", "b"]
    entry.resolve()
    assert read(registry, "x://a")["contents"][0]["text"] == "a"
    assert len(read(registry, "x://c")) == 1


def test_parameters_are_compared_with_variables_when_a_late_name_is_defined(
    registry: ResourceRegistry,
) -> None:
    def item(sort: "Kind") -> str:  # type: ignore[name-defined]  # noqa: F821
        return str(sort)

    names: dict[str, Any] = {}
    entry = registry.add_function("x://{kind}", item, names)
    names["Kind"] = str
    with pytest.raises(RegistrationError, match="variables are kind"):
        entry.resolve()


def test_a_completion_reference_finds_a_template_by_text_or_by_uri(
    registry: ResourceRegistry,
) -> None:
    template = registry.add_function("x://{a}", _takes_a)
    registry.add_function("x://exact", giving(""))
    assert isinstance(template, ResourceTemplate)
    assert registry.find_template("x://{a}") is template
    assert registry.find_template("x://something") is template
    assert registry.find_template("x://exact") is None
    assert registry.find_template("y://something") is None


def test_bound_handlers_may_be_methods_and_partials(registry: ResourceRegistry) -> None:
    class Library:
        def page(self, a: str) -> str:
            return f"page {a}"

    entry = registry.add_function("x://{a}", Library().page)
    bound = entry.bind("x://1", {"a": "1"}, CONTEXT)
    assert isinstance(bound, Bound)
    assert read(registry, "x://1")["contents"][0]["text"] == "page 1"
    assert entry.name == "page"
    assert not isinstance(entry, Resource)


@given(st.text())
def test_any_uri_is_found_or_not_and_never_raises(uri: str) -> None:
    registry = ResourceRegistry(Changes())
    registry.add_function("x://{a}{?b}", lambda a, b="": a, name="a")
    registry.add_function("{+rest}", lambda rest: rest, name="rest")
    for text_uri in (uri, "x://" + uri):
        match = registry.match(text_uri)
        if match is not None:
            assert isinstance(match.entry.bind(text_uri, match.variables, CONTEXT), Bound)
