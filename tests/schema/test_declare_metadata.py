"""``Annotated`` metadata of other libraries: enforced, published, or refused, but never dropped."""

from collections.abc import Callable
from typing import Annotated, Any

import annotated_types
import pydantic
import pytest
from msgspec import Meta, Struct
from sansmcp_schema.declare import (
    DeclarationError,
    InputOptions,
    InputReader,
    Parameter,
    Refused,
    input_from_signature,
    schema_of_signature,
)


def taking(annotation: Any, **options: Any) -> Callable[..., None]:
    def f(x: Any) -> None: ...

    f.__annotations__["x"] = annotation
    if "default" in options:
        f.__defaults__ = (options["default"],)
    return f


def property_of(annotation: Any) -> dict[str, Any]:
    part = schema_of_signature(taking(annotation))["properties"]["x"]
    assert isinstance(part, dict)
    return part


def refusal(function: Callable[..., Any]) -> str:
    with pytest.raises(DeclarationError) as caught:
        schema_of_signature(function, InputOptions(tool_name="t"))
    return str(caught.value)


class Doc:
    """Looks like ``typing_extensions.Doc``."""

    def __init__(self, documentation: str) -> None:
        self.documentation = documentation


@pytest.mark.parametrize(
    ("annotation", "keywords", "good", "bad"),
    [
        (Annotated[int, annotated_types.Gt(3)], {"exclusiveMinimum": 3}, b"4", b"3"),
        (Annotated[int, annotated_types.Ge(3)], {"minimum": 3}, b"3", b"2"),
        (Annotated[float, annotated_types.Lt(3)], {"exclusiveMaximum": 3}, b"2.5", b"3"),
        (Annotated[float, annotated_types.Le(3)], {"maximum": 3}, b"3", b"3.5"),
        (Annotated[int, annotated_types.MultipleOf(5)], {"multipleOf": 5}, b"10", b"11"),
        (Annotated[str, annotated_types.MinLen(2)], {"minLength": 2}, b'"ab"', b'"a"'),
        (Annotated[list[int], annotated_types.MaxLen(1)], {"maxItems": 1}, b"[1]", b"[1,2]"),
        (
            Annotated[str, annotated_types.Len(1, 2)],
            {"minLength": 1, "maxLength": 2},
            b'"a"',
            b'"abc"',
        ),
        (
            Annotated[int, annotated_types.Interval(ge=1, lt=5)],
            {"minimum": 1, "exclusiveMaximum": 5},
            b"1",
            b"5",
        ),
    ],
)
def test_bounds_of_annotated_types_are_published_and_enforced(
    annotation: Any, keywords: dict[str, Any], good: bytes, bad: bytes
) -> None:
    part = property_of(annotation)
    assert keywords.items() <= part.items()
    reader = input_from_signature(taking(annotation))
    assert isinstance(reader, InputReader)
    assert not isinstance(reader.read(b'{"x":' + good + b"}"), Refused)
    assert isinstance(reader.read(b'{"x":' + bad + b"}"), Refused)


class Bounded(Struct):
    count: Annotated[int, annotated_types.Gt(3)]


def test_bounds_in_a_field_of_a_class_are_enforced_too() -> None:
    reader = input_from_signature(taking(Bounded))
    assert isinstance(reader, InputReader)
    assert reader.read(b'{"x":{"count":3}}') == Refused(["x.count: expected integer > 3, got 3"])


@pytest.mark.parametrize("note", ["what it is", Doc("what it is")])
def test_a_text_beside_the_type_is_the_description(note: object) -> None:
    assert property_of(Annotated[int, note]) == {"type": "integer", "description": "what it is"}


@pytest.mark.parametrize("better", [Meta(description="D"), Parameter(description="D")])
def test_an_explicit_description_wins_over_a_text(better: object) -> None:
    assert property_of(Annotated[int, better, "text"])["description"] == "D"
    assert property_of(Annotated[int, "text", better])["description"] == "D"


def test_what_no_library_we_know_of_reads_is_left_alone() -> None:
    assert property_of(Annotated[int, object()]) == {"type": "integer"}


@pytest.mark.parametrize(
    "constraint",
    [
        annotated_types.Predicate(str.islower),
        annotated_types.Timezone(None),
        pydantic.BeforeValidator(str),
        pydantic.StringConstraints(min_length=3),
        pydantic.Strict(),
    ],
    ids=lambda one: type(one).__name__,
)
def test_a_constraint_that_is_not_enforced_is_refused_by_name(constraint: Any) -> None:
    text = refusal(taking(Annotated[str, constraint]))
    assert text.startswith("tool 't', parameter 'x': ")
    assert type(constraint).__name__ in text
    assert "msgspec.Meta" in text


def test_a_pydantic_field_is_refused_and_what_to_write_is_spelled() -> None:
    for function in (
        taking(Annotated[int, pydantic.Field(gt=3, description="How many")]),
        taking(int, default=pydantic.Field(gt=3, description="How many")),
    ):
        text = refusal(function)
        assert "parameter 'x'" in text
        assert "pydantic.Field" in text
        assert "Meta(gt=3, description='How many')" in text


class WithField(Struct):
    count: int = pydantic.Field(gt=3)


def test_a_pydantic_field_as_the_default_of_a_field_is_refused() -> None:
    assert "field 'count' of WithField" in refusal(taking(WithField))
