"""A class, a builder or a raw schema as the arguments of a tool."""

import copy
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypedDict

import pytest
from msgspec import Struct
from sansmcp_schema.declare import (
    Bound,
    DeclarationError,
    InputOptions,
    InputReader,
    ObjectSchema,
    Parameter,
    Refused,
    input_from_schema,
    input_from_struct,
)
from sansmcp_schema.declare._seeds import seeder
from sansmcp_schema.json_check import compile_check


class Context:
    """Stands for the context of a call."""


class Add(Struct):
    """Two numbers."""

    a: float
    b: float = 1.0

    def __post_init__(self) -> None:
        if self.a == 13:
            raise ValueError("unlucky")
        if self.a == 14:
            raise KeyError("/etc/secret")


@dataclass
class Batch:
    n: int
    tags: list[str] = field(default_factory=list)


class Row(TypedDict):
    n: int


class Pair(Struct, array_like=True):
    a: int


class Tree(Struct):
    n: int
    kids: list["Tree"] = []


CONTEXT = InputOptions(context_type=Context)


def reader_of(python: Any, function: Callable[..., Any] | None = None) -> InputReader:
    reader = input_from_struct(python, function, CONTEXT)
    assert isinstance(reader, InputReader)
    return reader


def lines(result: Bound | Refused) -> list[str]:
    assert isinstance(result, Refused), result
    return result.violations


CLASSES = [
    (Add, b'{"a":1}', Add(1.0)),
    (Add, b'{"a":"1","b":2}', Add(1.0, 2.0)),
    (Batch, b'{"n":1.0}', Batch(1)),
    (Row, b'{"n":1}', {"n": 1}),
    (Tree, b'{"n":1,"kids":[{"n":2}]}', Tree(1, [Tree(2)])),
]


@pytest.mark.parametrize(("python", "raw", "value"), CLASSES, ids=range(len(CLASSES)))
def test_a_class_is_the_whole_schema_and_the_handler_gets_one_instance(
    python: Any, raw: bytes, value: Any
) -> None:
    reader = reader_of(python)
    assert reader.schema["type"] == "object"
    assert reader.schema["additionalProperties"] is False
    assert "$ref" not in reader.schema
    assert reader.read(raw) == Bound((value,), {})
    assert lines(reader.read(b'{"z":1}'))


def test_a_check_of_the_class_itself_is_an_argument_error_and_leaks_nothing_else() -> None:
    assert lines(reader_of(Add).read(b'{"a":13}')) == [
        "arguments: expected a valid Add, got object (unlucky)"
    ]
    assert lines(reader_of(Add).read(b'{"a":14}')) == [
        "arguments: expected a valid Add, got object"
    ]


def test_the_instance_goes_where_the_handler_takes_it() -> None:
    def first(ctx: Context, arguments: Add) -> None: ...
    def keyword(*, arguments: Add, ctx: Context) -> None: ...

    assert reader_of(Add, first).read(b'{"a":1}', "c") == Bound(("c", Add(1.0)), {})
    assert reader_of(Add, keyword).read(b'{"a":1}', "c") == Bound(
        (), {"arguments": Add(1.0), "ctx": "c"}
    )


def two(a: Add, b: int) -> None: ...
def none() -> None: ...


WRONG_CLASSES: list[tuple[Any, Callable[..., Any] | None, str]] = [
    (Add, two, "a, b"),
    (Add, none, "none"),
    (int, None, "no Struct"),
    (Pair, None, "array"),
]


@pytest.mark.parametrize(("python", "function", "word"), WRONG_CLASSES)
def test_a_class_that_cannot_be_the_arguments_is_refused(
    python: Any, function: Callable[..., Any] | None, word: str
) -> None:
    with pytest.raises(DeclarationError, match=word):
        input_from_struct(python, function)


def test_the_builder_says_what_its_methods_say() -> None:
    schema = (
        ObjectSchema(description="A search.")
        .string("query", "Search terms", min_length=1, max_length=9, pattern="a", format="x")
        .integer("limit", default=25, minimum=1, maximum=99, multiple_of=5)
        .number("ratio", required=False, exclusive_minimum=0, exclusive_maximum=1)
        .boolean("deep", default=False, title="Deep")
        .array("tags", "string", "Tags", min_items=1, max_items=2, unique_items=True)
        .array("rows", ObjectSchema().integer("n"), required=False)
        .array("any", required=False)
        .object("where", ObjectSchema().string("city", default="Bern"), required=False)
        .object("free", required=False)
        .enum("kind", ["a", 1, None], default="a")
        .enum("color", {"red": "Red"}, required=False, nullable=True)
        .to_schema()
    )
    assert schema == {
        "type": "object",
        "description": "A search.",
        "properties": {
            "query": {
                "type": "string",
                "minLength": 1,
                "maxLength": 9,
                "pattern": "a",
                "format": "x",
                "description": "Search terms",
            },
            "limit": {
                "type": "integer",
                "minimum": 1,
                "maximum": 99,
                "multipleOf": 5,
                "default": 25,
            },
            "ratio": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
            "deep": {"type": "boolean", "title": "Deep", "default": False},
            "tags": {
                "type": "array",
                "items": {"type": "string"},
                "minItems": 1,
                "maxItems": 2,
                "uniqueItems": True,
                "description": "Tags",
            },
            "rows": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"n": {"type": "integer"}},
                    "required": ["n"],
                    "additionalProperties": False,
                },
            },
            "any": {"type": "array"},
            "where": {
                "type": "object",
                "properties": {"city": {"type": "string", "default": "Bern"}},
                "additionalProperties": False,
            },
            "free": {"type": "object"},
            "kind": {"enum": ["a", 1, None], "default": "a"},
            "color": {
                "anyOf": [
                    {"type": "string", "oneOf": [{"const": "red", "title": "Red"}]},
                    {"type": "null"},
                ]
            },
        },
        "required": ["query", "tags"],
        "additionalProperties": False,
    }
    input_from_schema(schema)


def test_the_builder_opens_the_object_where_it_is_told_to() -> None:
    assert ObjectSchema().to_schema() == {"type": "object", "additionalProperties": False}
    assert ObjectSchema(additional_properties=True).to_schema() == {"type": "object"}
    assert ObjectSchema().additional_properties().to_schema() == {"type": "object"}
    typed = ObjectSchema().additional_properties({"type": "integer"}).to_schema()
    assert typed == {"type": "object", "additionalProperties": {"type": "integer"}}


WRONG_BUILDERS: list[tuple[Callable[[], object], str]] = [
    (lambda: ObjectSchema().string("a").integer("a"), "'a' is declared twice"),
    (lambda: ObjectSchema().string("a", minimum=1), "'minimum' is no option of string"),
    (lambda: ObjectSchema().integer("a", defualt=1), "'defualt' is no option of integer"),
    (lambda: ObjectSchema().integer("a", default=object()), "no JSON form"),
    (lambda: ObjectSchema().enum("a", []), "at least one value"),
]


@pytest.mark.parametrize(("build", "word"), WRONG_BUILDERS, ids=range(len(WRONG_BUILDERS)))
def test_a_wrong_builder_call_is_refused_at_once(build: Callable[[], object], word: str) -> None:
    with pytest.raises(DeclarationError, match=word):
        build()


SEARCH = (
    ObjectSchema()
    .string("query")
    .integer("limit", default=25)
    .object("where", ObjectSchema().string("city", default="Bern"), required=False)
)


def mapping(arguments: dict[str, Any]) -> None: ...
def untyped(arguments): ...  # type: ignore[no-untyped-def]
def with_context(ctx: Context, arguments: Mapping[str, Any]) -> None: ...
def named(query: str, limit: int, where: dict[str, Any]) -> None: ...
def defaulted(query: str, where: object = "nowhere") -> None: ...
def keywords(query: str, **rest: Any) -> None: ...
def all_keywords(**rest: Any) -> None: ...
def keyword_only(ctx: Context, *, limit: int, query: str) -> None: ...


WHOLE = {"query": "q", "where": {"city": "Bern"}, "limit": 25}
HANDLERS: list[tuple[Callable[..., Any] | None, Bound]] = [
    (None, Bound((WHOLE,), {})),
    (mapping, Bound((WHOLE,), {})),
    (untyped, Bound((WHOLE,), {})),
    (with_context, Bound(("c", WHOLE), {})),
    (named, Bound(("q", 25, {"city": "Bern"}), {})),
    (defaulted, Bound(("q", {"city": "Bern"}), {})),
    (keywords, Bound(("q",), {"where": {"city": "Bern"}, "limit": 25})),
    (all_keywords, Bound((), WHOLE)),
    (keyword_only, Bound(("c",), {"limit": 25, "query": "q"})),
]


@pytest.mark.parametrize(("function", "bound"), HANDLERS, ids=range(len(HANDLERS)))
@pytest.mark.parametrize(
    "form", [SEARCH, SEARCH.to_schema(), json.dumps(SEARCH.to_schema())], ids=range(3)
)
def test_a_handler_takes_one_mapping_or_parameters_named_like_the_properties(
    function: Callable[..., Any] | None, bound: Bound, form: Any
) -> None:
    reader = input_from_schema(form, function, CONTEXT)
    assert reader.schema == SEARCH.to_schema()
    assert reader.read(b'{"query":"q","where":{}}', "c") == bound


def test_defaults_are_fresh_for_every_call() -> None:
    reader = input_from_schema(ObjectSchema().array("xs", default=[1]))
    first, second = reader.read(None), reader.read(None)
    assert isinstance(first, Bound)
    first.args[0]["xs"].append(2)
    assert second == Bound(({"xs": [1]},), {})


SEEDED: list[dict[str, Any]] = [
    {"type": "object"},
    {"properties": {"a": {"type": "integer", "default": 1}, "b": {"default": None}}},
    {"properties": {"a": {"default": [1]}, "b": {"default": {"c": 1}}}},
    {"properties": {"a": {"type": "object", "properties": {"n": {"default": 2}}}}},
    {"properties": {"a": {"$ref": "#/$defs/d"}}, "$defs": {"d": {"default": 3}}},
    {"properties": {"a": {"items": {"properties": {"n": {"default": 4}}}}}},
    {"additionalProperties": {"properties": {"n": {"default": 5}}}},
    {"allOf": [{"properties": {"a": {"default": 6}}}]},
]
GIVEN: list[dict[str, Any]] = [{}, {"a": {}}, {"a": [{}]}, {"b": 0, "z": {}}]


@pytest.mark.parametrize("schema", SEEDED, ids=range(len(SEEDED)))
def test_the_short_way_to_the_defaults_fills_in_what_the_long_one_does(
    schema: dict[str, Any],
) -> None:
    check = compile_check(schema)
    seeded = seeder(schema, check)
    for given in GIVEN:
        before = copy.deepcopy(given)
        assert seeded(given) == check.seed_defaults(given)
        assert given == before


def test_an_absent_optional_argument_without_any_default_is_none() -> None:
    def handler(a: int, b: str) -> None: ...

    schema = ObjectSchema().integer("a").string("b", required=False)
    assert input_from_schema(schema, handler).read(b'{"a":1}') == Bound((1, None), {})


def test_values_arrive_as_they_were_sent() -> None:
    raw = b'{"n":5.0,"big":9007199254740993,"lossy":9007199254740993.0,"extra":[1,"x",null]}'
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    bound = input_from_schema(schema).read(raw)
    assert isinstance(bound, Bound)
    sent = {"n": 5.0, "big": 2**53 + 1, "lossy": 2**53 + 1, "extra": [1, "x", None]}
    assert bound.args[0] == sent
    assert type(bound.args[0]["n"]) is float


def test_a_raw_schema_means_what_it_says_and_is_published_unchanged() -> None:
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "x-note": 1,
        "properties": {"a": {"$ref": "#/definitions/n"}},
        "definitions": {"n": {"type": "integer"}},
    }
    reader = input_from_schema(schema)
    assert reader.schema == schema
    assert reader.read(b'{"a":1,"z":2}') == Bound(({"a": 1, "z": 2},), {})
    assert lines(reader.read(b'{"a":"x"}')) == ['a: expected integer, got "x"']


def test_a_raw_schema_that_lacks_the_type_of_an_object_gets_it() -> None:
    assert input_from_schema({}).schema == {"type": "object"}
    assert input_from_schema({"properties": {}}).schema == {"type": "object", "properties": {}}


def test_a_property_that_is_an_object_goes_to_the_parameter_of_its_name() -> None:
    def handler(options: dict[str, Any]) -> None: ...

    of_objects = ObjectSchema().object("options")
    assert input_from_schema(of_objects, handler).read(b'{"options":{}}') == Bound(({},), {})
    of_texts = ObjectSchema().string("options")
    assert input_from_schema(of_texts, handler).read(b'{"options":"x"}') == Bound(
        ({"options": "x"},), {}
    )


def test_a_wire_name_that_is_no_python_name_can_be_given() -> None:
    def handler(file_path: str, limit: int = 1) -> None: ...

    options = InputOptions(parameters={"file_path": Parameter(name="file-path")})
    schema = ObjectSchema().string("file-path").integer("limit", required=False)
    assert input_from_schema(schema, handler, options).read(b'{"file-path":"x"}') == Bound(
        ("x", 1), {}
    )


def test_an_application_that_checks_for_itself_gets_everything() -> None:
    options = InputOptions(validated_by_application=True)
    reader = input_from_schema({"type": "object", "required": ["a"]}, None, options)
    assert reader.read(b'{"b":1}') == Bound(({"b": 1},), {})


def lacking(limit: int) -> None: ...
def unknown(query: str, other: int) -> None: ...


WRONG_SCHEMAS: list[tuple[Any, Callable[..., Any] | None, str]] = [
    ("{", None, "not JSON"),
    ("[1]", None, "array"),
    (True, None, "a JSON object is needed"),
    ({"type": "array"}, None, '"type": "array"'),
    ({"type": ["object", "null"]}, None, "always an object"),
    ({"$ref": "#/$defs/a", "$defs": {"a": {"type": "object"}}}, None, "no type"),
    ({"type": "object", "properties": {"a": {"type": "int"}}}, None, "type"),
    ({"type": "object", "properties": {"a": {"$ref": "https://x.test/a"}}}, None, "ref"),
    (SEARCH, lacking, "Nothing takes query"),
    (SEARCH, unknown, "No property is called other"),
    (SEARCH, none, "Nothing takes query"),
]


@pytest.mark.parametrize(
    ("schema", "function", "word"), WRONG_SCHEMAS, ids=range(len(WRONG_SCHEMAS))
)
def test_a_schema_or_handler_that_cannot_be_served_is_refused(
    schema: Any, function: Callable[..., Any] | None, word: str
) -> None:
    with pytest.raises(DeclarationError) as caught:
        input_from_schema(schema, function, InputOptions(tool_name="t"))
    assert word in str(caught.value)
    assert "tool 't'" in str(caught.value)
