"""Forms that a client shows: flat schemas of classes, and answers back into them."""

import datetime as dt
import enum
from typing import Annotated, Any, Literal

import pytest
from msgspec import Meta, Struct
from sansmcp_schema.declare import (
    DeclarationError,
    FormRefused,
    ObjectSchema,
    form_of,
    requested_schema_of,
)


class Size(enum.Enum):
    SMALL = "s"
    LARGE = "l"


class Person(Struct):
    """Who you are."""

    name: Annotated[str, Meta(description="Your name", min_length=1, max_length=9)]
    age: Annotated[int, Meta(ge=0, le=150)]
    height: float = 1.7
    member: bool = False
    size: Size = Size.SMALL
    plan: Literal["free", "paid"] | None = None
    tags: list[Literal["x", "y"]] = []
    born: dt.date | None = None
    nickname: str | None = None
    note: Annotated[str | None, Meta(title="Note")] = None


class Bare(Struct):
    maybe: int | None


class Inner(Struct):
    n: int


class WithObject(Struct):
    inner: Inner


class WithMap(Struct):
    m: dict[str, str]


class WithList(Struct):
    xs: list[int]


class WithUnion(Struct):
    v: int | str


class WithPattern(Struct):
    s: Annotated[str, Meta(pattern="a")]


class WithNumbers(Struct):
    n: Literal[1, 2]


class WithAny(Struct):
    v: Any


class Recursive(Struct):
    again: "Recursive | None" = None


def test_a_form_has_flat_properties_only() -> None:
    assert requested_schema_of(Person) == {
        "type": "object",
        "properties": {
            "name": {
                "type": "string",
                "description": "Your name",
                "minLength": 1,
                "maxLength": 9,
            },
            "age": {"type": "integer", "minimum": 0, "maximum": 150},
            "height": {"type": "number", "default": 1.7},
            "member": {"type": "boolean", "default": False},
            "size": {"type": "string", "enum": ["s", "l"], "default": "s"},
            "plan": {"type": "string", "enum": ["free", "paid"]},
            "tags": {
                "type": "array",
                "items": {"type": "string", "enum": ["x", "y"]},
                "default": [],
            },
            "born": {"type": "string", "format": "date"},
            "nickname": {"type": "string"},
            "note": {"type": "string", "title": "Note"},
        },
        "required": ["name", "age"],
    }


def test_an_answer_becomes_an_instance_and_further_keys_are_ignored() -> None:
    content = {"name": "Ann", "age": 30.0, "size": "l", "born": "2024-01-02", "other": 1}
    assert form_of(Person).read(content) == Person(
        "Ann", 30, size=Size.LARGE, born=dt.date(2024, 1, 2)
    )


def test_a_bare_optional_field_may_be_left_out_and_is_none() -> None:
    form = form_of(Bare)
    assert form.schema == {"type": "object", "properties": {"maybe": {"type": "integer"}}}
    assert form.read({}) == Bare(None)
    assert form.read({"maybe": 1}) == Bare(1)


ANSWERS: list[tuple[Any, list[str]]] = [
    (None, ["arguments: expected object, got null"]),
    ({"name": "Ann", "age": "x"}, ['age: expected integer, got "x"']),
    ({"name": "Ann", "age": 1, "born": "soon"}, ['born: expected an RFC 3339 date, got "soon"']),
    ({"name": "Ann", "age": 1, "tags": ["z"]}, ['tags[0]: expected one of "x", "y", got "z"']),
]


@pytest.mark.parametrize(("content", "lines"), ANSWERS, ids=range(len(ANSWERS)))
def test_an_answer_that_does_not_fit_is_refused_in_words(content: Any, lines: list[str]) -> None:
    refused = form_of(Person).read(content)
    assert isinstance(refused, FormRefused)
    assert refused.violations == lines


WRONG = [
    (WithObject, "inner"),
    (WithMap, "m"),
    (WithList, "xs"),
    (WithUnion, "v"),
    (WithPattern, "s"),
    (WithNumbers, "n"),
    (WithAny, "v"),
    (Recursive, "contains itself"),
    (int, "no Struct"),
]


@pytest.mark.parametrize(("python", "word"), WRONG)
def test_what_a_form_cannot_ask_is_refused_by_field(python: Any, word: str) -> None:
    with pytest.raises(DeclarationError, match=word):
        requested_schema_of(python)


def test_a_form_of_a_builder_or_a_raw_schema_gives_a_dict_with_defaults() -> None:
    builder = (
        ObjectSchema()
        .string("name", format="email")
        .enum("color", {"r": "Red"}, required=False)
        .integer("n", default=3)
    )
    for declaration in (builder, builder.to_schema()):
        form = form_of(declaration)
        assert form.schema["properties"]["color"]["oneOf"] == [{"const": "r", "title": "Red"}]
        assert form.schema["required"] == ["name"]
        assert "additionalProperties" not in form.schema
        assert form.read({"name": "a@b"}) == {"name": "a@b", "n": 3}
    with pytest.raises(DeclarationError, match="'deep'"):
        form_of(ObjectSchema().object("deep"))
