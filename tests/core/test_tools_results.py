"""What a tool's handler returned -> the result, checked against what the tool lists."""

import json
from collections.abc import Callable
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import msgspec
import pytest
from msgspec import Struct
from sansmcp_core._content import image, text
from sansmcp_core._errors import RegistrationError
from sansmcp_core._server import Server
from sansmcp_core._settings import DEFAULT_SETTINGS, Settings
from sansmcp_core._tool_results import tool_result
from sansmcp_core._tools import Tool
from sansmcp_schema.content import ImageContent, TextContent
from sansmcp_schema.declare import ObjectSchema, ResultError, output_of_anything
from sansmcp_schema.results import CallToolResult
from sansmcp_schema.revisions import LATEST_LEGACY, LATEST_MODERN, REVISIONS


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


def said(result: CallToolResult) -> dict[str, Any]:
    decoded: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(result))
    return decoded


class Point(Struct):
    x: int


def told(
    function: Callable[..., Any], value: Any, modern: bool = True, **options: Any
) -> dict[str, Any]:
    return said(made(function, **options).result(value, modern))


def block(text: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text}]


def ints() -> list[int]: ...  # type: ignore[empty-body]
def one() -> int: ...  # type: ignore[empty-body]
def word() -> str: ...  # type: ignore[empty-body]
def table() -> dict[str, int]: ...  # type: ignore[empty-body]
def point() -> Point: ...  # type: ignore[empty-body]
def maybe() -> Point | None: ...
def void() -> None: ...
def untyped(): ...  # type: ignore[no-untyped-def]


RESULTS: list[tuple[Callable[..., Any], Any, str, Any]] = [
    (ints, [1, 2], "[1,2]", [1, 2]),
    (ints, [7], "[7]", [7]),
    (ints, [], "[]", []),
    (one, 5, "5", 5),
    (table, {"a": 1}, '{"a":1}', {"a": 1}),
    (point, Point(1), '{"x":1}', {"x": 1}),
    (maybe, Point(1), '{"x":1}', {"x": 1}),
    (maybe, None, "null", None),
]


@pytest.mark.parametrize(("function", "value", "json_text", "structured"), RESULTS)
def test_a_typed_value_is_one_block_of_json_and_structured_content(
    function: Callable[..., Any], value: Any, json_text: str, structured: Any
) -> None:
    assert told(function, value) == {
        "content": block(json_text),
        "structuredContent": structured,
    }


WRAPPED = {ints, one, maybe}


@pytest.mark.parametrize(("function", "value", "json_text", "structured"), RESULTS)
def test_legacy_clients_get_an_object_that_their_schema_describes(
    function: Callable[..., Any], value: Any, json_text: str, structured: Any
) -> None:
    result = told(function, value, modern=False)
    wrapped = {"result": structured} if function in WRAPPED else structured
    assert result == {"content": block(json_text), "structuredContent": wrapped}


@pytest.mark.parametrize("function", [ints, one, table, point, maybe])
@pytest.mark.parametrize("revision", REVISIONS)
def test_the_listed_output_schema_is_an_object_where_the_revision_wants_one(
    function: Callable[..., Any], revision: str
) -> None:
    schema = listed(function, revision).get("outputSchema")
    if revision < "2025-06-18":
        assert schema is None
    elif revision == LATEST_MODERN:
        assert schema is not None
        assert "result" not in schema.get("properties", {})
    else:
        assert schema is not None
        assert schema["type"] == "object"
        assert ("result" in schema["properties"] if "properties" in schema else False) == (
            function in WRAPPED
        )


class Node(Struct):
    value: int
    kids: "list[Node]" = []


def tree() -> Node: ...  # type: ignore[empty-body]
def trees() -> list[Node]: ...  # type: ignore[empty-body]


@pytest.mark.parametrize(
    ("function", "value"),
    [
        *((function, value) for function, value, _, _ in RESULTS),
        (tree, Node(1, [Node(2)])),
        (trees, [Node(1, [Node(2)])]),
    ],
)
@pytest.mark.parametrize("revision", ["2025-06-18", "2025-11-25", LATEST_MODERN])
def test_structured_content_is_what_the_listed_schema_describes(
    function: Callable[..., Any], value: Any, revision: str
) -> None:
    schema = listed(function, revision)["outputSchema"]
    result = told(function, value, revision == LATEST_MODERN)
    jsonschema.Draft202012Validator(schema).validate(result["structuredContent"])


@pytest.mark.parametrize("function", [word, untyped])
def test_a_text_is_the_block_as_it_stands(function: Callable[..., Any]) -> None:
    assert told(function, 'a "b" é')["content"] == block('a "b" é')


def test_nothing_is_empty_content_and_no_schema() -> None:
    assert told(void, None) == {"content": []}
    assert told(untyped, None) == {"content": []}
    assert "outputSchema" not in listed(void)
    assert "outputSchema" not in listed(untyped)


def test_an_untyped_value_is_one_block_of_json_and_nothing_else() -> None:
    assert told(untyped, {"a": [1]}) == {"content": block('{"a":[1]}')}
    assert told(untyped, [1, 2]) == {"content": block("[1,2]")}
    assert told(untyped, b"\x00") == {"content": block('"AA=="')}


def test_structured_content_can_be_switched_off() -> None:
    assert told(ints, [1], structured=False) == {"content": block("[1]")}
    assert "outputSchema" not in listed(ints, structured=False)


def test_ok_result_publishes_and_returns_that_it_worked() -> None:
    assert told(void, None, ok_result=True) == {
        "content": block('{"ok":true}'),
        "structuredContent": {"ok": True},
    }
    for revision in (LATEST_MODERN, LATEST_LEGACY):
        schema = listed(void, revision, ok_result=True)["outputSchema"]
        assert schema["type"] == "object"
        assert schema["required"] == ["ok"]


def test_ok_result_without_structured_content_is_text() -> None:
    assert told(void, None, ok_result=True, structured=False) == {"content": block('{"ok":true}')}
    assert "outputSchema" not in listed(void, ok_result=True, structured=False)


def test_ok_result_is_for_handlers_that_return_nothing() -> None:
    with pytest.raises(RegistrationError, match="ok_result"):
        made(one, ok_result=True)


def test_content_blocks_are_the_content() -> None:
    picture = image(b"x", "image/png")
    encoded = {"type": "image", "data": "eA==", "mimeType": "image/png"}
    assert told(untyped, picture) == {"content": [encoded]}
    assert told(untyped, [text("a"), picture]) == {"content": [*block("a"), encoded]}


def test_a_list_that_mixes_blocks_and_values_is_json() -> None:
    result = told(untyped, [text("a"), 1])
    assert result["content"] == block('[{"type":"text","text":"a"},1]')


def test_a_typed_list_of_blocks_lists_no_schema() -> None:
    def pictures() -> list[ImageContent | TextContent]: ...  # type: ignore[empty-body]
    def picture() -> ImageContent: ...  # type: ignore[empty-body]
    def whole() -> CallToolResult: ...  # type: ignore[empty-body]

    for function in (pictures, picture, whole):
        assert "outputSchema" not in listed(function)


def test_blocks_alone_do_not_satisfy_a_listed_schema() -> None:
    with pytest.raises(ResultError, match="needs structured content"):
        made(point).result([text("a")], True)


@pytest.mark.parametrize("value", [{"x": "one"}, None, 5, [], Point("one")])  # type: ignore[arg-type]
def test_a_value_that_breaks_the_schema_is_the_handlers_fault(value: Any) -> None:
    with pytest.raises(ResultError):
        made(point).result(value, True)


@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        [float("inf")],
        {"a": float("-inf")},
        "\ud800",
        ["\udfff"],
        {"\ud800": 1},
        object(),
        {1, object()},
        iter([1]),
    ],
)
def test_what_json_has_not_is_the_handlers_fault(value: Any) -> None:
    with pytest.raises(ResultError):
        made(untyped).result(value, True)


def test_text_in_blocks_is_checked_too() -> None:
    for value in (text("\ud800"), [text("\ud800")], CallToolResult(content=[text("\ud800")])):
        with pytest.raises(ResultError):
            made(untyped).result(value, True)


def test_a_whole_result_passes_and_is_not_shared() -> None:
    whole = CallToolResult(content=[text("a")], meta={"com.example/x": 1})
    result = made(untyped).result(whole, True)
    assert said(result) == {"content": block("a"), "_meta": {"com.example/x": 1}}
    assert result is not whole
    assert result.content is not whole.content


def test_a_whole_result_is_checked_against_the_schema() -> None:
    tool = made(point)
    good = CallToolResult(content=[text("one")], structured_content={"x": 1})
    assert said(tool.result(good, True)) == {
        "content": block("one"),
        "structuredContent": {"x": 1},
    }
    typed = CallToolResult(content=[], structured_content=Point(1))
    assert said(tool.result(typed, True))["structuredContent"] == {"x": 1}
    with pytest.raises(ResultError):
        tool.result(CallToolResult(content=[], structured_content={"x": "one"}), True)
    with pytest.raises(ResultError, match="no structured_content"):
        tool.result(CallToolResult(content=[text("one")]), True)


def test_a_whole_result_is_wrapped_like_a_value() -> None:
    whole = CallToolResult(content=[], structured_content=[1])
    assert said(made(ints).result(whole, True))["structuredContent"] == [1]
    assert said(made(ints).result(whole, False))["structuredContent"] == {"result": [1]}


def test_an_error_result_has_no_structured_part_and_is_not_checked() -> None:
    broken = CallToolResult(content=[text("no")], structured_content={"x": "one"}, is_error=True)
    result = made(point).result(broken, True)
    assert said(result) == {"content": block("no"), "isError": True}
    assert broken.structured_content == {"x": "one"}


def test_structured_content_without_a_schema_is_still_json() -> None:
    with pytest.raises(ResultError):
        made(untyped).result(
            CallToolResult(content=[], structured_content={"a": float("nan")}), True
        )


def test_content_that_is_no_block_is_the_handlers_fault() -> None:
    with pytest.raises(ResultError, match=r"content\[0\] is str, expected one of TextContent"):
        made(untyped).result(CallToolResult(content=["text"]), True)  # type: ignore[list-item]


def test_a_coroutine_from_a_plain_function_is_explained() -> None:
    async def waits() -> int:
        return 1

    with pytest.raises(ResultError, match="has to be awaited; write it"):
        made(untyped).result(waits(), True)


def test_an_output_schema_can_be_declared_four_ways() -> None:
    schema = {
        "type": "object",
        "properties": {"x": {"type": "integer"}},
        "required": ["x"],
    }
    for output in (Point, schema, json.dumps(schema), ObjectSchema().integer("x")):
        tool = made(untyped, output=output)
        assert said(tool.result({"x": 1}, True))["structuredContent"] == {"x": 1}
        with pytest.raises(ResultError):
            tool.result({"x": "one"}, True)


def test_content_that_can_be_read_once_only_is_refused() -> None:
    result = CallToolResult(content=(TextContent(each) for each in "ab"))  # type: ignore[arg-type]
    with pytest.raises(ResultError):
        tool_result(result, output_of_anything(), True)
