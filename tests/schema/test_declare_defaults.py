"""A default that is published is one that the published schema accepts."""

import dataclasses
import datetime as dt
import decimal
import enum
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import pytest
from msgspec import Meta, Struct, field
from sansmcp_schema.declare import (
    Bound,
    DeclarationError,
    InputOptions,
    InputReader,
    ObjectSchema,
    Parameter,
    Refused,
    input_from_schema,
    input_from_signature,
    input_from_struct,
    requested_schema_of,
    schema_of_signature,
)

OPTIONS = InputOptions(tool_name="t")


class Colour(enum.Enum):
    RED = "red"


class Node(Struct):
    value: int = 0
    children: "list[Node]" = field(default_factory=list)


class Maybe(Struct):
    count: int = None  # type: ignore[assignment]


@dataclasses.dataclass
class Derived:
    a: int = 1
    twice: int = dataclasses.field(init=False, default_factory=int)


def wrong_type(a: int = "x") -> None: ...  # type: ignore[assignment]
def too_small(a: Annotated[int, Meta(ge=5)] = 1) -> None: ...
def wrong_item(a: list[int] = ["x"]) -> None: ...  # type: ignore[list-item]  # noqa: B006
def wrong_option(a: Annotated[str, Parameter(max_length=2, default="long")]) -> None: ...
def truth(a: int = True) -> None: ...


class WrongField(Struct):
    a: int = "x"  # type: ignore[assignment]


def in_a_class(p: WrongField) -> None: ...


@pytest.mark.parametrize(
    ("function", "named"),
    [
        (wrong_type, ["parameter 'a'", "'x'", "expected integer"]),
        (too_small, ["parameter 'a'", "default 1", "expected integer >= 5"]),
        (wrong_item, ["parameter 'a'", "['x']", "[0]: expected integer"]),
        (wrong_option, ["parameter 'a'", "'long'", "at most 2 characters"]),
        (truth, ["parameter 'a'", "True", "expected integer"]),
        (in_a_class, ["parameter 'p'", "field 'a' of WrongField", "expected integer"]),
    ],
    ids=lambda part: getattr(part, "__name__", ""),
)
def test_a_default_that_breaks_its_own_schema_is_refused(
    function: Callable[..., Any], named: list[str]
) -> None:
    with pytest.raises(DeclarationError) as caught:
        schema_of_signature(function, OPTIONS)
    text = str(caught.value)
    assert text.startswith("tool 't', parameter ")
    assert [part for part in named if part not in text] == []


@pytest.mark.parametrize(
    ("annotation", "default", "published"),
    [
        (int, 5.0, 5.0),
        (float, 1, 1),
        (Colour, Colour.RED, "red"),
        (dt.date, dt.date(2024, 1, 2), "2024-01-02"),
        (uuid.UUID, uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (decimal.Decimal, decimal.Decimal("1.5"), "1.5"),
        (bytes, b"x", "eA=="),
        (set[int], {1}, [1]),
        (tuple[int, str], (1, "a"), [1, "a"]),
        (int | None, None, None),
        (Any, None, None),
        (Node, Node(children=[Node()]), {"value": 0, "children": [{"value": 0, "children": []}]}),
    ],
)
def test_a_default_that_fits_is_published(annotation: Any, default: Any, published: Any) -> None:
    def f(a: Any = default) -> None: ...

    f.__annotations__["a"] = annotation
    assert schema_of_signature(f)["properties"]["a"]["default"] == published


def test_an_object_with_more_than_its_fields_is_a_default_that_is_not_published() -> None:
    def f(a: Derived = Derived()) -> None: ...  # noqa: B008

    assert "default" not in schema_of_signature(f)["properties"]["a"]


def test_a_default_of_the_converted_type_need_not_be_what_is_advertised() -> None:
    def f(
        a: Annotated[dt.timedelta, Parameter(advertised=int, convert=dt.timedelta)] = dt.timedelta(
            5
        ),
    ) -> None: ...

    assert schema_of_signature(f)["properties"]["a"] == {"type": "integer"}


def test_a_path_is_taken_as_the_advertised_text_and_so_is_its_default() -> None:
    def f(
        a: Annotated[Path, Parameter(advertised={"type": "string"}, convert=Path)] = Path("x"),
    ) -> None: ...

    assert schema_of_signature(f)["properties"]["a"] == {"type": "string", "default": "x"}


Many = Annotated[int, Meta(ge=5, description="How many")]


def optional(a: Many = None) -> None: ...  # type: ignore[assignment]


def test_a_default_of_none_makes_a_parameter_optional() -> None:
    assert schema_of_signature(optional)["properties"]["a"] == {
        "anyOf": [{"type": "integer", "minimum": 5}, {"type": "null"}],
        "description": "How many",
        "default": None,
    }
    reader = input_from_signature(optional)
    assert isinstance(reader, InputReader)
    assert reader.read(b"{}") == Bound((None,), {})
    assert reader.read(b'{"a":null}') == Bound((None,), {})
    assert reader.read(b'{"a":7}') == Bound((7,), {})
    assert not isinstance(reader.read(b'{"a":4}'), Bound)


@pytest.mark.parametrize("mark", [Parameter(write_only=True), Parameter(format="password")])
def test_what_is_secret_stays_secret_when_it_is_optional(mark: Parameter) -> None:
    def f(a: uuid.UUID = None) -> None: ...  # type: ignore[assignment]  # noqa: RUF013

    reader = input_from_signature(f, InputOptions(parameters={"a": mark}))
    assert isinstance(reader, InputReader)
    assert reader.read(b'{"a":"hidden"}') == Refused(["a: expected a UUID, got string"])


def test_a_default_of_none_makes_a_field_optional() -> None:
    reader = input_from_struct(Maybe)
    assert isinstance(reader, InputReader)
    assert reader.schema["properties"]["count"] == {
        "anyOf": [{"type": "integer"}, {"type": "null"}],
        "default": None,
    }
    assert reader.read(b'{"count":null}') == Bound((Maybe(),), {})
    assert reader.read(b'{"count":2}') == Bound((Maybe(2),), {})


@pytest.mark.parametrize(
    ("advertised", "takes_null"),
    [
        ({"type": "string"}, False),
        ({"type": ["string", "null"]}, True),
        ({"const": "a"}, False),
        ({"oneOf": [{"type": "string"}, {"type": "null"}]}, True),
        ({"anyOf": [True]}, True),
        ({}, True),
    ],
)
def test_null_is_added_to_what_is_advertised_only_where_it_lacks(
    advertised: dict[str, Any], takes_null: bool
) -> None:
    def f(a: Any = None) -> None: ...

    f.__annotations__["a"] = Annotated[str, Parameter(advertised=advertised, convert=str)]
    part = schema_of_signature(f)["properties"]["a"]
    assert part["default"] is None
    assert (part == advertised | {"default": None}) == takes_null
    assert takes_null or part["anyOf"] == [advertised, {"type": "null"}]


def test_a_field_of_a_form_with_the_default_none_may_be_left_out() -> None:
    assert requested_schema_of(Maybe) == {
        "type": "object",
        "properties": {"count": {"type": "integer"}},
    }


def test_a_recursive_parameter_with_the_default_none_takes_null() -> None:
    def f(node: Node = None) -> None: ...  # type: ignore[assignment]

    reader = input_from_signature(f)
    assert isinstance(reader, InputReader)
    assert reader.read(b'{"node":null}') == Bound((None,), {})


@pytest.mark.parametrize(
    ("schema", "named"),
    [
        ({"a": {"type": "string", "default": 5}}, ["property 'a'", "default 5", "string"]),
        ({"a": {"type": "string", "default": None}}, ["property 'a'", "default null", "string"]),
        (
            {"o": {"type": "object", "properties": {"a": {"minimum": 3, "default": 1}}}},
            ["property 'o.a'", "default 1", ">= 3"],
        ),
        (
            {"l": {"items": {"properties": {"a": {"type": "string", "default": 1}}}}},
            ["property 'l[0].a'", "default 1", "string"],
        ),
    ],
)
def test_a_default_that_breaks_a_raw_schema_is_refused(
    schema: dict[str, Any], named: list[str]
) -> None:
    with pytest.raises(DeclarationError) as caught:
        input_from_schema({"type": "object", "properties": schema}, None, OPTIONS)
    text = str(caught.value)
    assert text.startswith("tool 't', ")
    assert [part for part in named if part not in text] == []


def test_a_default_that_breaks_a_built_schema_is_refused() -> None:
    with pytest.raises(DeclarationError, match=r"property 'a': its default 5"):
        input_from_schema(ObjectSchema().string("a", default=5), None, OPTIONS)


def test_a_raw_default_behind_a_reference_is_looked_at_and_recursion_ends() -> None:
    schema = {
        "type": "object",
        "properties": {"n": {"$ref": "#/$defs/N"}},
        "$defs": {
            "N": {
                "type": "object",
                "properties": {
                    "next": {"$ref": "#/$defs/N"},
                    "a": {"type": "string", "default": 5},
                },
            }
        },
    }
    with pytest.raises(DeclarationError, match=r"'n\.a'"):
        input_from_schema(schema)


def test_a_default_that_lacks_what_its_siblings_require_is_no_fault_of_the_default() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "integer", "default": 1}, "b": {"type": "string"}},
        "required": ["b"],
        "additionalProperties": False,
    }
    input_from_schema(schema)


def test_what_the_application_validates_is_its_own_affair() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string", "default": 5}}}
    input_from_schema(schema, None, InputOptions(validated_by_application=True))
