"""A tool's declaration -> what is listed, what its arguments become, what its results say."""

import dataclasses
import functools
import json
from collections.abc import Callable
from typing import Annotated, Any

import msgspec
import pytest
from msgspec import UNSET, Meta, Struct
from sansmcp_core._context import Context
from sansmcp_core._errors import RegistrationError
from sansmcp_core._operation import Mode, Refused
from sansmcp_core._server import Server
from sansmcp_core._settings import DEFAULT_SETTINGS, Settings
from sansmcp_core._tool_options import ToolDeclaration, ToolOptions
from sansmcp_core._tools import Tool
from sansmcp_schema.declare import ObjectSchema
from sansmcp_schema.results import CallToolResult
from sansmcp_schema.revisions import LATEST_MODERN

EMPTY = {"type": "object", "additionalProperties": False}
CONTEXT = Context.__new__(Context)


def made(
    function: Callable[..., Any], settings: Settings = DEFAULT_SETTINGS, **options: Any
) -> Tool:
    server = Server("s", settings=settings)
    server.tool(function, **options)
    (tool,) = server.tools.entries()
    return tool


def listed(
    function: Callable[..., Any], revision: str = LATEST_MODERN, **options: Any
) -> dict[str, Any]:
    server = Server("s")
    server.tool(function, **options)
    page = server.lists.page("tools", revision, None)
    assert page is not None
    (tool,) = msgspec.json.decode(page)["tools"]
    assert isinstance(tool, dict)
    return tool


def call(tool: Tool, arguments: Any = None) -> Any:
    """What the handler returns, or the lines that say what is wrong with the arguments."""
    raw = None if arguments is None else json.dumps(arguments).encode()
    bound = tool.bind(raw, CONTEXT)
    if isinstance(bound, Refused):
        return bound.violations
    return tool.function(*bound.args, **bound.kwargs)


def input_schema(tool: Tool) -> dict[str, Any]:
    schema = tool.listing().input_schema
    assert isinstance(schema, dict)
    return schema


def said(result: CallToolResult) -> dict[str, Any]:
    decoded: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(result))
    return decoded


# What is listed


def test_a_tool_without_parameters_lists_an_empty_closed_object() -> None:
    def nothing() -> None: ...

    assert listed(nothing) == {"name": "nothing", "inputSchema": EMPTY}


def test_name_and_description_come_from_the_function() -> None:
    def greet(name: str) -> str:
        """Greet a person.

        Args:
            name: Whom to greet.
        """
        return name

    tool = listed(greet)
    assert tool["name"] == "greet"
    assert tool["description"] == "Greet a person."
    assert tool["inputSchema"]["properties"]["name"]["description"] == "Whom to greet."


def test_every_option_that_clients_see_is_listed() -> None:
    def f() -> None: ...

    options: ToolOptions = {
        "name": "g",
        "title": "G",
        "description": "Does g.",
        "read_only": True,
        "destructive": False,
        "idempotent": True,
        "open_world": False,
        "annotations_title": "g!",
        "icons": [{"src": "https://example.com/g.png"}],
        "meta": {"com.example/x": [1]},
        "task_support": "optional",
    }
    modern = {
        "name": "g",
        "title": "G",
        "description": "Does g.",
        "inputSchema": EMPTY,
        "annotations": {
            "title": "g!",
            "readOnlyHint": True,
            "destructiveHint": False,
            "idempotentHint": True,
            "openWorldHint": False,
        },
        "icons": [{"src": "https://example.com/g.png"}],
        "_meta": {"com.example/x": [1]},
    }
    assert listed(f, **options) == modern
    assert listed(f, "2025-11-25", **options) == {
        **modern,
        "execution": {"taskSupport": "optional"},
    }
    assert set(listed(f, "2024-11-05", **options)) == {"name", "description", "inputSchema"}


def test_the_options_for_the_type_checker_are_those_that_exist() -> None:
    assert set(ToolOptions.__annotations__) == set(ToolDeclaration.__struct_fields__)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"task_support": "maybe"}, "task_support must be"),
        ({"time_limit_s": 0}, "time_limit_s must be more than 0"),
        ({"time_limit_s": float("nan")}, "time_limit_s must be more than 0"),
        ({"scopes": "files:read"}, "scopes must be a list"),
        ({"nmae": "x"}, "nmae"),
        ({"name": ""}, "name that is not empty"),
        ({"meta": {"io.modelcontextprotocol/x": 1}}, "reserved"),
        ({"icons": [{"src": "javascript:x"}]}, "use https:"),
    ],
)
def test_a_wrong_option_is_refused_where_it_is_written(
    options: dict[str, Any], message: str
) -> None:
    with pytest.raises((RegistrationError, ValueError, TypeError), match=message):
        made(lambda: None, **{"name": "x", **options})


# Arguments, four ways


class AddArgs(Struct):
    a: Annotated[int, Meta(description="First")]
    b: int = 2


@dataclasses.dataclass
class AddData:
    a: int
    b: int = 2


RAW = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"type": "integer", "default": 2}},
    "required": ["a"],
    "additionalProperties": False,
}


def by_names(a: int, b: int = 2) -> Any:
    return {"a": a, "b": b}


def by_mapping(arguments: dict[str, Any]) -> Any:
    return arguments


def by_struct(arguments: AddArgs) -> Any:
    return {"a": arguments.a, "b": arguments.b}


def by_dataclass(arguments: AddData) -> Any:
    return dataclasses.asdict(arguments)


class Adder:
    def add(self, a: int, b: int = 2) -> Any:
        return {"a": a, "b": b}

    __call__ = add


BUILDER = ObjectSchema().integer("a").integer("b", default=2)

WAYS: list[tuple[str, Callable[..., Any], dict[str, Any]]] = [
    ("signature", by_names, {}),
    ("method", Adder().add, {}),
    ("callable object", Adder(), {"name": "adder"}),
    ("partial", functools.partial(by_names), {}),
    ("Struct", by_struct, {"arguments": AddArgs}),
    ("dataclass", by_dataclass, {"arguments": AddData}),
    ("builder", by_mapping, {"arguments": BUILDER}),
    ("builder, parameters by name", by_names, {"arguments": BUILDER}),
    ("dict", by_mapping, {"arguments": RAW}),
    ("text", by_mapping, {"arguments": json.dumps(RAW)}),
    ("dict, parameters by name", by_names, {"arguments": RAW}),
]


@pytest.mark.parametrize(("function", "options"), [pytest.param(f, o, id=i) for i, f, o in WAYS])
def test_four_ways_to_declare_arguments_mean_the_same(
    function: Callable[..., Any], options: dict[str, Any]
) -> None:
    tool = made(function, structured=False, **options)
    assert call(tool, {"a": 1}) == {"a": 1, "b": 2}
    assert call(tool, {"a": "1", "b": 3}) == {"a": 1, "b": 3}
    (unknown,) = call(tool, {"a": 1, "c": 3})
    assert "c" in unknown
    (missing,) = call(tool, {})
    assert "a" in missing
    (wrong,) = call(tool, {"a": "soon"})
    assert wrong == 'a: expected integer, got "soon"'


def test_absent_arguments_are_no_arguments() -> None:
    def topic(topic: str = "x") -> str:
        return topic

    tool = made(topic)
    assert call(tool) == "x"
    assert call(tool, {}) == "x"
    assert tool.bind(b"null", CONTEXT) == tool.bind(b"{}", CONTEXT)


@pytest.mark.parametrize("arguments", [[], "x", 5, True])
def test_arguments_that_are_no_object_are_refused(arguments: Any) -> None:
    def nothing() -> None: ...

    assert isinstance(call(made(nothing), arguments), list)


def test_a_misspelt_argument_is_named_beside_the_known_ones() -> None:
    def topic(topic: str = "x") -> str:
        return topic

    (line,) = call(made(topic), {"tpoic": "y"})
    assert "tpoic" in line
    assert "topic" in line


def test_unknown_arguments_are_accepted_where_the_schema_says_so() -> None:
    def topic(topic: str = "x") -> str:
        return topic

    for tool in (
        made(topic, allow_unknown_arguments=True),
        made(topic, Settings(allow_unknown_arguments=True)),
    ):
        assert call(tool, {"tpoic": "y"}) == "x"
        assert input_schema(tool).get("additionalProperties", True) is not False
    closed = made(topic, Settings(allow_unknown_arguments=True), allow_unknown_arguments=False)
    assert isinstance(call(closed, {"tpoic": "y"}), list)


def test_extra_keyword_parameters_open_the_object() -> None:
    def topic(**rest: Any) -> Any:
        return rest

    assert call(made(topic, structured=False), {"a": 1}) == {"a": 1}


def test_optional_parameters() -> None:
    def f(
        a: int | None = None, b: int | None = 5, c: list[str] | None = None, d: int = 3
    ) -> list[Any]:
        return [a, b, c, d]

    def needs(b: int | None) -> int | None:
        return b

    tool = made(f, structured=False)
    assert "required" not in input_schema(tool)
    assert call(tool, {}) == [None, 5, None, 3]
    assert call(tool, {"a": None, "b": None, "c": None}) == [None, None, None, 3]
    assert call(tool, {"a": 1, "c": ["x"], "d": 4}) == [1, 5, ["x"], 4]
    (line,) = call(tool, {"d": None})
    assert line.startswith("d: ")
    required = made(needs)
    assert input_schema(required)["required"] == ["b"]
    assert call(required, {"b": None}) is None


def test_repair_can_be_switched_off_per_server_and_per_tool() -> None:
    off = Settings(repair_arguments=False)
    assert isinstance(call(made(by_names, off), {"a": "1"}), list)
    assert call(made(by_names, off, repair=True), {"a": "1"}) == {"a": 1, "b": 2}
    assert isinstance(call(made(by_names, repair=False), {"a": "1"}), list)


def test_integral_floats_are_integers_and_booleans_are_not() -> None:
    def f(n: int) -> int:
        return n

    tool = made(f)
    assert call(tool, {"n": 5.0}) == 5
    assert tool.bind(b'{"n":1e3}', CONTEXT).args == (1000,)  # type: ignore[union-attr]
    assert tool.bind(b'{"n":9007199254740993.0}', CONTEXT).args == (9007199254740993,)  # type: ignore[union-attr]
    for wrong in (5.5, True):
        assert isinstance(call(tool, {"n": wrong}), list)


def test_mutable_defaults_are_fresh_for_every_call() -> None:
    def f(items: list[int] = []) -> list[int]:  # noqa: B006
        items.append(1)
        return items

    tool = made(f)
    assert call(tool) == [1]
    assert call(tool) == [1]


def test_the_context_is_given_and_not_listed() -> None:
    def f(ctx: Context, a: int) -> Any:
        return ctx

    tool = made(f, structured=False)
    assert list(input_schema(tool)["properties"]) == ["a"]
    assert call(tool, {"a": 1}) is CONTEXT


def test_a_type_without_json_is_refused_by_tool_and_parameter() -> None:
    def f(when: complex) -> None: ...

    with pytest.raises(RegistrationError, match=r"tool 'f', parameter 'when'.*complex"):
        made(f)


def test_a_schema_that_cannot_be_used_is_refused_by_tool() -> None:
    def f(arguments: dict[str, Any]) -> None: ...

    for schema in ({"type": "objekt"}, {"type": "object", "properties": 5}, "{", {"type": "array"}):
        with pytest.raises(RegistrationError, match="tool 'f'"):
            made(f, arguments=schema)


# Whole definitions


DEFINITION = {
    "name": "adder",
    "title": "Adder",
    "description": "Adds.",
    "inputSchema": RAW,
    "outputSchema": {"type": "object", "properties": {"sum": {"type": "integer"}}},
    "annotations": {"title": "add", "readOnlyHint": True},
    "icons": [{"src": "https://example.com/a.png"}],
    "_meta": {"com.example/x": 1},
}


@pytest.mark.parametrize("definition", [DEFINITION, json.dumps(DEFINITION)], ids=["dict", "text"])
def test_a_whole_definition_is_listed_as_it_stands(definition: Any) -> None:
    server = Server("s")
    server.add_tool(definition, by_mapping)
    page = server.lists.page("tools", LATEST_MODERN, None)
    assert page is not None
    assert msgspec.json.decode(page)["tools"] == [DEFINITION]


def test_a_definitions_handler_is_called_and_its_result_checked() -> None:
    server = Server("s")
    server.add_tool(DEFINITION, lambda a, b: {"sum": a + b}, scopes=["add"], inline=True)
    tool = server.tools.find("adder")
    assert tool is not None
    assert tool.mode is Mode.INLINE
    assert tool.scopes == {"add"}
    assert said(tool.result(call(tool, {"a": 1}), True))["structuredContent"] == {"sum": 3}


def test_a_definition_without_output_schema_has_none() -> None:
    server = Server("s")
    server.add_tool({"name": "n", "inputSchema": {"type": "object"}}, one_of_mapping)
    tool = server.tools.find("n")
    assert tool is not None
    assert tool.listing().output_schema is UNSET


def one_of_mapping(arguments: dict[str, Any]) -> int:
    return 1


@pytest.mark.parametrize(
    ("definition", "message"),
    [
        ("{", "could not be read"),
        ("[]", "could not be read"),
        ({}, "name"),
        ({"name": "x"}, "inputSchema"),
        ({"name": 5, "inputSchema": {}}, "name"),
        ({"name": "x", "input_schema": {}, "inputSchema": {}}, "input_schema"),
        ({"name": "x", "inputSchema": {"type": "array"}}, "tool 'x'"),
        ({"name": "x", "inputSchema": True}, "inputSchema"),
    ],
)
def test_a_wrong_definition_is_refused_with_a_reason(definition: Any, message: str) -> None:
    with pytest.raises(RegistrationError, match=message):
        Server("s").add_tool(definition, by_mapping)
