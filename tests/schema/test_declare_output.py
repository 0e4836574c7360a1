"""What results are published, how they are written, and what is the handler's fault."""

import collections.abc
import datetime as dt
import decimal
import enum
import math
import uuid
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import msgspec
import pytest
from msgspec import Struct
from sansmcp_schema.declare import (
    DeclarationError,
    Deferred,
    ObjectSchema,
    OutputOptions,
    OutputWriter,
    Parameter,
    ResultError,
    output_from_return,
    output_from_schema,
    output_from_type,
    output_of_anything,
    schema_of_return,
    to_json,
)


class Model(Struct):
    a: int
    when: dt.date | None = None


class Derived(Model):
    more: str = "m"


class Tree(Struct):
    n: int
    kids: list["Tree"] = []


class Hooked(Struct):
    n: int

    def __post_init__(self) -> None:
        calls.append(self.n)


class Color(enum.Enum):
    RED = "red"


class Word(enum.StrEnum):
    YES = "yes"


@dataclass
class Data:
    a: int


class Block(Struct):
    text: str


calls: list[int] = []
INT = {"type": "integer"}


def written(writer: OutputWriter, value: Any) -> tuple[str | None, bytes | None]:
    result = writer.write(value)
    structured = result.structured
    return result.text, None if structured is msgspec.UNSET else bytes(structured)


# Type, natural schema, value, text, structured content.
NATURAL: list[tuple[Any, dict[str, Any], Any, str, str]] = [
    (int, INT, 5, "5", "5"),
    (float, {"type": "number"}, 5, "5", "5"),
    (bool, {"type": "boolean"}, True, "true", "true"),
    (list[int], {"type": "array", "items": INT}, [1, 2], "[1,2]", "[1,2]"),
    (list[int], {"type": "array", "items": INT}, [], "[]", "[]"),
    (set[int], {"type": "array", "items": INT}, {7}, "[7]", "[7]"),
    (
        dict[str, int],
        {"type": "object", "additionalProperties": INT},
        {"a": 1},
        '{"a":1}',
        '{"a":1}',
    ),
    (
        dt.date,
        {"type": "string", "format": "date"},
        dt.date(2024, 1, 2),
        '"2024-01-02"',
        '"2024-01-02"',
    ),
    (
        decimal.Decimal,
        {
            "type": "string",
            "format": "decimal",
            "pattern": r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$",
        },
        decimal.Decimal("1.50"),
        '"1.50"',
        '"1.50"',
    ),
    (bytes, {"type": "string", "contentEncoding": "base64"}, b"hi", '"aGk="', '"aGk="'),
    (Color, {"type": "string", "enum": ["red"]}, Color.RED, '"red"', '"red"'),
    (Word, {"type": "string", "enum": ["yes"]}, Word.YES, "yes", '"yes"'),
    (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}, "a", "a", '"a"'),
    (Literal[1, None], {"enum": [1, None]}, None, "null", "null"),  # noqa: PYI061
    (
        Data,
        {"type": "object", "properties": {"a": INT}, "required": ["a"]},
        Data(1),
        '{"a":1}',
        '{"a":1}',
    ),
]


@pytest.mark.parametrize(
    ("annotation", "schema", "value", "text", "structured"), NATURAL, ids=range(len(NATURAL))
)
def test_a_typed_result_has_its_natural_schema_and_its_json_as_text(
    annotation: Any, schema: dict[str, Any], value: Any, text: str, structured: str
) -> None:
    writer = output_from_type(annotation)
    assert writer.schema == schema
    assert written(writer, value) == (text, structured.encode())
    if schema.get("type") == "object":
        assert writer.legacy_schema == schema
        assert not writer.wrapped
    else:
        assert writer.wrapped
        assert writer.legacy_schema == {
            "type": "object",
            "properties": {"result": schema},
            "required": ["result"],
        }
        legacy = writer.legacy_structured(writer.write(value).structured)
        assert not isinstance(legacy, msgspec.UnsetType)
        assert bytes(legacy) == f'{{"result":{structured}}}'.encode()


def test_an_object_result_is_the_same_in_both_eras() -> None:
    writer = output_from_type(Model)
    result = writer.write(Model(1))
    assert writer.legacy_schema == writer.schema
    assert writer.legacy_structured(result.structured) is result.structured


def test_an_optional_result_publishes_null() -> None:
    writer = output_from_type(Model | None)
    assert writer.schema is not None
    assert writer.schema["anyOf"][1] == {"type": "null"}
    assert written(writer, None) == ("null", b"null")
    assert written(writer, Model(1)) == ('{"a":1,"when":null}', b'{"a":1,"when":null}')


WITHOUT_SCHEMA: list[tuple[Any, Any, str | None]] = [
    (None, None, None),
    (Any, {"a": 1}, '{"a":1}'),
    (Any, "text", "text"),
    (object, [1], "[1]"),
    (str, 'as "it" stands', 'as "it" stands'),
    (str, "é", "é"),
    (str, None, None),
]


@pytest.mark.parametrize(("annotation", "value", "text"), WITHOUT_SCHEMA)
def test_a_result_without_a_schema_is_text_only(
    annotation: Any, value: Any, text: str | None
) -> None:
    writer = output_from_type(annotation)
    assert writer.schema is None
    assert writer.legacy_schema is None
    assert written(writer, value) == (text, None)


def test_a_text_can_be_structured_too_where_that_is_wanted() -> None:
    writer = output_from_type(str, OutputOptions(text_schema=True))
    assert writer.schema == {"type": "string"}
    assert written(writer, "hi") == ("hi", b'"hi"')


def no_annotation(): ...  # type: ignore[no-untyped-def]
def returns_int() -> int: ...  # type: ignore[empty-body]
async def coroutine() -> int: ...  # type: ignore[empty-body]
def awaitable() -> Awaitable[int]: ...  # type: ignore[empty-body]
def of_coroutine() -> Coroutine[Any, Any, int]: ...  # type: ignore[empty-body]
def block() -> Block: ...  # type: ignore[empty-body]
def blocks() -> list[Block]: ...  # type: ignore[empty-body]
def maybe_block() -> Block | str | None: ...


RETURNS: list[tuple[Callable[..., Any], dict[str, Any] | None]] = [
    (no_annotation, None),
    (returns_int, INT),
    (coroutine, INT),
    (awaitable, INT),
    (of_coroutine, INT),
    (block, None),
    (blocks, None),
    (maybe_block, None),
    (print, None),
]


@pytest.mark.parametrize(("function", "schema"), RETURNS)
def test_the_return_annotation_is_the_output_schema(
    function: Callable[..., Any], schema: dict[str, Any] | None
) -> None:
    assert schema_of_return(function, OutputOptions(ready_made=(Block,))) == schema


def test_a_recursive_result_is_written_out_at_the_root_and_hoisted_when_wrapped() -> None:
    root = output_from_type(Tree)
    assert root.schema is not None
    assert root.schema["type"] == "object"
    assert root.schema["properties"]["kids"]["items"] == {"$ref": "#/$defs/Tree"}
    assert not root.wrapped
    wrapped = output_from_type(list[Tree])
    assert wrapped.legacy_schema is not None
    assert wrapped.legacy_schema["properties"]["result"] == {
        "type": "array",
        "items": {"$ref": "#/$defs/Tree"},
    }
    assert list(wrapped.legacy_schema["$defs"]) == ["Tree"]


def test_references_of_a_raw_schema_follow_it_when_it_is_wrapped() -> None:
    schema = {
        "anyOf": [{"type": "integer"}, {"type": "array", "items": {"$ref": "#"}}],
        "x-a": {"$ref": "#/anyOf/0"},
        "default": {"$ref": "#"},
    }
    writer = output_from_schema(schema)
    assert writer.schema == schema
    assert writer.legacy_schema is not None
    moved = writer.legacy_schema["properties"]["result"]
    assert moved["anyOf"][1]["items"] == {"$ref": "#/properties/result"}
    assert moved["x-a"] == {"$ref": "#/properties/result/anyOf/0"}
    assert moved["default"] == {"$ref": "#"}


SCHEMAS = [
    ObjectSchema().integer("a"),
    ObjectSchema().integer("a").to_schema(),
    '{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}',
    Data,
    Model,
]


@pytest.mark.parametrize("schema", SCHEMAS, ids=range(len(SCHEMAS)))
def test_a_result_is_declared_by_builder_raw_schema_or_class_alike(schema: Any) -> None:
    writer = output_from_schema(schema)
    assert written(writer, {"a": 1}) == ('{"a":1}', b'{"a":1}')
    with pytest.raises(ResultError, match='a: expected integer, got "x"'):
        writer.write({"a": "x"})


circular: list[Any] = []
circular.append(circular)

# Type, value, a word of the message.
FAULTS: list[tuple[Any, Any, str]] = [
    (Model, None, "expected object, got null"),
    (Model, Model("x"), 'a: expected integer, got "x"'),  # type: ignore[arg-type]
    (Model, {}, "missing"),
    (list[int], ["x"], r"result\[0\]"),
    (Literal["a"], "b", 'expected "a", got "b"'),
    (float, math.nan, "NaN"),
    (Any, [None, math.inf], "NaN or infinite"),
    (list[float | None], [None, -math.inf], "NaN or infinite"),
    (dict[str, Any], {"a": {"b": [math.nan]}}, "NaN or infinite"),
    (Any, Model(1, math.nan), "NaN or infinite"),  # type: ignore[arg-type]
    (str, "\ud800", "surrogate"),
    (Any, {"\ud800": 1}, "surrogate"),
    (list[str], ["\ud800"], "surrogate"),
    (Any, object(), "no JSON form"),
    (Any, {(1, 2): 3}, "no JSON form"),
    (Any, {1, "a", object()}, "no JSON form"),
    (Any, circular, "too deeply"),
]


@pytest.mark.parametrize(("annotation", "value", "word"), FAULTS, ids=range(len(FAULTS)))
def test_a_result_that_json_or_the_schema_does_not_allow_is_the_handlers_fault(
    annotation: Any, value: Any, word: str
) -> None:
    with pytest.raises(ResultError, match=word):
        output_from_type(annotation).write(value)


def test_nulls_that_are_meant_are_no_fault() -> None:
    assert written(output_of_anything(), [None, {"a": None}, 1.5]) == (
        '[null,{"a":null},1.5]',
        None,
    )
    assert written(output_of_anything(), "null")[0] == "null"


def test_more_than_the_class_has_is_allowed_in_a_result() -> None:
    writer = output_from_type(Model)
    assert written(writer, Derived(1))[0] == '{"a":1,"when":null,"more":"m"}'


def test_the_check_of_a_result_runs_no_code_of_its_class() -> None:
    writer = output_from_type(list[Hooked])
    value = [Hooked(1)]
    calls.clear()
    assert written(writer, value)[0] == '[{"n":1}]'
    assert calls == []


def test_an_advertised_result_type_is_published_and_enforced() -> None:
    stamp: Any = Annotated[
        dt.datetime,
        Parameter(advertised=int, convert=lambda when: int(when.timestamp()), description="s"),
    ]
    writer = output_from_type(stamp)
    assert writer.schema == {"type": "integer", "description": "s"}
    assert written(writer, dt.datetime(1970, 1, 2, tzinfo=dt.UTC)) == ("86400", b"86400")
    with pytest.raises(ResultError, match="could not be converted"):
        writer.write("soon")


def test_an_advertised_result_type_that_can_never_be_is_refused() -> None:
    with pytest.raises(DeclarationError, match="advertised"):
        output_from_type(Annotated[list[int], Parameter(advertised=bool)])


def a_socket() -> Callable[[], None]: ...  # type: ignore[empty-body]


def test_a_return_type_without_json_is_refused_by_name() -> None:
    with pytest.raises(DeclarationError, match=r"tool 'a_socket', its return: .*Callable"):
        output_from_return(a_socket)


def test_a_whole_value_to_json() -> None:
    value = {
        "when": dt.date(2024, 1, 2),
        "id": uuid.UUID(int=1),
        "price": decimal.Decimal("1.5"),
        "color": Color.RED,
        "data": b"hi",
        "set": {1},
    }
    assert msgspec.json.decode(to_json(value)) == {
        "when": "2024-01-02",
        "id": "00000000-0000-0000-0000-000000000001",
        "price": "1.5",
        "color": "red",
        "data": "aGk=",
        "set": [1],
    }


def test_an_output_of_a_resolvable_return_is_no_deferred() -> None:
    assert not isinstance(output_from_return(returns_int), Deferred)


@pytest.mark.parametrize(
    "annotation",
    [
        list,
        list[Any],
        list[object],
        tuple,
        tuple[Any, ...],
        collections.abc.Sequence,
        collections.abc.Sequence[Any],
        list[Any] | None,
        Annotated[list[Any], "a note"],
    ],
    ids=str,
)
def test_a_list_that_may_hold_ready_made_items_lists_no_schema(annotation: Any) -> None:
    def tool() -> Any: ...

    tool.__annotations__["return"] = annotation
    options = OutputOptions(ready_made=(Block,))

    assert schema_of_return(tool, options) is None
    assert schema_of_return(tool, OutputOptions(ready_made=(Block,), text_schema=True)) is not None
    assert output_from_type(annotation, options).schema is not None


@pytest.mark.parametrize(
    "annotation", [list[int], tuple[int, ...], dict[str, Any], set[Any]], ids=str
)
def test_a_list_of_something_lists_a_schema(annotation: Any) -> None:
    def tool() -> Any: ...

    tool.__annotations__["return"] = annotation

    assert schema_of_return(tool, OutputOptions(ready_made=(Block,))) is not None
