"""A schema is checked when it is registered: form, dialect, references, bounds."""

import json
import pickle
from typing import Any

import pytest
from sansmcp_schema.json_check import (
    SchemaError,
    SchemaLimits,
    UnenforceableKeyword,
    check_schema,
    compile_check,
    keyword_table,
    parse_schema,
)

NEW = "https://json-schema.org/draft/2020-12/schema"
OLD = "http://json-schema.org/draft-07/schema"


def refused(schema: Any, **options: Any) -> SchemaError:
    with pytest.raises(SchemaError) as caught:
        compile_check(schema, **options)
    return caught.value


def nested(levels: int, *steps: str) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    for _ in range(levels):
        inner: Any = schema
        for step in reversed(steps):
            inner = {step: inner}
        schema = inner
    return schema


MALFORMED = [
    ({"type": "int"}, "type", "", "expected one of null, boolean, integer, number, string, array"),
    ({"type": []}, "type", "", "at least one type"),
    ({"type": ["null", "null"]}, "type", "", "twice"),
    ({"type": 5}, "type", "", "got 5"),
    ({"enum": []}, "enum", "", "at least one value"),
    ({"enum": "ab"}, "enum", "", 'got "ab"'),
    ({"minimum": "1"}, "minimum", "", 'expected a number, got "1"'),
    ({"exclusiveMinimum": True}, "exclusiveMinimum", "", "draft-04"),
    ({"multipleOf": 0}, "multipleOf", "", "above 0, got 0"),
    ({"multipleOf": "2"}, "multipleOf", "", "expected a number"),
    ({"minLength": -1}, "minLength", "", "at least 0, got -1"),
    ({"maxLength": 1.5}, "maxLength", "", "at least 0, got 1.5"),
    ({"maxItems": True}, "maxItems", "", "got boolean"),
    ({"maxItems": 10**400 * -1}, "maxItems", "", "got integer"),
    ({"minProperties": "x"}, "minProperties", "", 'got "x"'),
    ({"uniqueItems": 1}, "uniqueItems", "", "expected a boolean"),
    ({"title": 1}, "title", "", "expected a string"),
    ({"examples": {}}, "examples", "", "expected a list"),
    ({"contentSchema": 1}, "contentSchema", "", "expected a schema"),
    ({"required": True}, "required", "", "belongs to the object"),
    ({"required": "a"}, "required", "", 'got "a"'),
    ({"required": [1]}, "required", "", "integer in it"),
    ({"required": ["a", "a"]}, "required", "", "twice"),
    ({"dependentRequired": []}, "dependentRequired", "", "expected an object of lists"),
    ({"dependentRequired": {"a": "b"}}, "dependentRequired", "", '"a": expected a list'),
    ({"properties": []}, "properties", "", "expected an object of schemas"),
    ({"properties": {"a": 1}}, "properties", "", '"a": expected a schema'),
    ({"properties": {"a": {"items": {"type": "x"}}}}, "type", "/properties/a/items", 'got "x"'),
    ({"properties": {"a/b~": {"not": 1}}}, "not", "/properties/a~1b~0", "expected a schema"),
    ({"allOf": []}, "allOf", "", "at least one schema"),
    ({"anyOf": [True, 1]}, "anyOf", "", "item 1: expected a schema"),
    ({"items": [True]}, "items", "", "prefixItems"),
    ({"pattern": 1}, "pattern", "", "expected a string"),
    ({"pattern": "a("}, "pattern", "", "missing )"),
    ({"patternProperties": {"[": True}}, "patternProperties", "", "missing ]"),
    ({"$anchor": "1a"}, "$anchor", "", "a name of letters"),
    ({"$defs": {"a": {"$anchor": "x"}, "b": {"$anchor": "x"}}}, "$anchor", "/$defs/b", "is taken"),
    ({"$schema": OLD, "dependencies": 1}, "dependencies", "", "expected an object"),
    ({"$schema": OLD, "dependencies": {"a": 1}}, "dependencies", "", '"a": expected a schema'),
    ({"$schema": OLD, "dependencies": {"a": ["b", "b"]}}, "dependencies", "", "twice"),
    ({"$schema": OLD, "items": []}, "items", "", "at least one schema"),
]


@pytest.mark.parametrize(("schema", "keyword", "path", "words"), MALFORMED, ids=repr)
def test_a_malformed_keyword_is_refused_by_name_and_place(
    schema: Any, keyword: str, path: str, words: str
) -> None:
    error = refused(schema)

    assert (error.keyword, error.path) == (keyword, path)
    assert words in str(error)
    assert f'schema at #{path}: keyword "{keyword}": ' in str(error)


def test_numbers_without_fraction_are_counts() -> None:
    check = compile_check({"minLength": 2.0, "maxLength": 3.0})

    assert [check.is_valid("x" * length) for length in (1, 2, 3, 4)] == [False, True, True, False]


@pytest.mark.parametrize("uri", [NEW, NEW + "#", OLD, OLD + "#"])
def test_the_two_dialects_are_known_with_and_without_an_empty_fragment(uri: str) -> None:
    check_schema({"$schema": uri, "properties": {"a": {"$schema": uri}}})


@pytest.mark.parametrize(
    "uri", ["http://json-schema.org/draft-04/schema#", "https://example.com/mine", "", 5, None]
)
def test_another_dialect_is_refused_with_the_ones_that_are_known(uri: Any) -> None:
    error = refused({"$schema": uri})

    assert error.keyword == "$schema"
    assert NEW in str(error)
    assert OLD in str(error)


def test_one_schema_has_one_dialect() -> None:
    error = refused({"$schema": NEW, "properties": {"a": {"$schema": OLD}}})

    assert (error.keyword, error.path) == ("$schema", "/properties/a")


@pytest.mark.parametrize(
    ("schema", "keyword", "hint"),
    [
        ({"dependencies": {}}, "dependencies", "dependentRequired"),
        ({"additionalItems": True}, "additionalItems", "prefixItems"),
        ({"$schema": OLD, "prefixItems": [True]}, "prefixItems", "under items"),
        ({"$schema": OLD, "dependentRequired": {}}, "dependentRequired", "dependencies"),
        ({"$schema": OLD, "minContains": 2}, "minContains", "contains"),
        ({"$schema": OLD, "$anchor": "a"}, "$anchor", "$id"),
        ({"$schema": OLD, "unevaluatedItems": True}, "unevaluatedItems", "items"),
        ({"nullable": True}, "nullable", '"null"'),
        ({"$recursiveRef": "#"}, "$recursiveRef", '"$ref": "#"'),
    ],
    ids=repr,
)
def test_a_keyword_that_means_nothing_in_the_dialect_is_refused(
    schema: Any, keyword: str, hint: str
) -> None:
    for engine in ("own", "jsonschema"):
        error = refused(schema, engine=engine)

        assert error.keyword == keyword
        assert "means nothing in" in str(error)
        assert hint in str(error)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("requird", "required"),
        ("require", "required"),
        ("Required", "required"),
        ("propertys", "properties"),
        ("min_length", "minLength"),
        ("maxlength", "maxLength"),
        ("enums", "enum"),
        ("item", "items"),
        ("types", "type"),
        ("ref", "$ref"),
        ("patern", "pattern"),
        ("aditionalProperties", "additionalProperties"),
    ],
)
def test_a_likely_misspelling_is_refused_with_the_keyword_that_is_meant(
    name: str, meant: str
) -> None:
    error = refused({"properties": {"a": {name: 1}}})

    assert (error.keyword, error.path) == (name, "/properties/a")
    assert f'write "{meant}"' in str(error)


@pytest.mark.parametrize("name", ["x-order", "x-required", "X-Note", "example", "discriminator"])
def test_a_note_of_the_author_or_of_openapi_is_an_annotation(name: str) -> None:
    schema = {name: {"$ref": "http://a/b", "type": 1}}

    assert compile_check(schema, engine="own").is_valid(1)


@pytest.mark.parametrize("name", ["min", "type2", "note", "cost", "order", "id", "a" * 99])
def test_an_unknown_keyword_is_refused_by_name_with_the_ways_out(name: str) -> None:
    schema = {"properties": {"a": {name: 5}}}

    error = refused(schema, engine="own")

    assert isinstance(error, UnenforceableKeyword)
    assert (error.keyword, error.path) == (name, "/properties/a")
    assert f'"x-{name}"'[:40] in str(error)
    assert "[jsonschema] extra" in str(error)
    assert "validated by the application" in str(error)
    assert compile_check(schema, engine="own", validated_by_application=True).is_valid({"a": 1})


@pytest.mark.parametrize("name", ["min", "type2"])
def test_an_unknown_keyword_is_an_annotation_of_the_other_engine(name: str) -> None:
    check = compile_check({"properties": {"a": {name: 5, "type": "integer"}}})

    assert check.is_valid({"a": 1})
    assert not check.is_valid({"a": "x"})


def test_annotations_are_published_and_change_nothing() -> None:
    check = compile_check(
        {
            "$schema": NEW,
            "$id": "https://example.com/a",
            "$comment": "c",
            "title": "t",
            "description": "d",
            "default": 5,
            "examples": [1],
            "deprecated": True,
            "readOnly": True,
            "writeOnly": True,
            "format": "email",
            "contentEncoding": "base64",
            "contentMediaType": "application/json",
            "contentSchema": {"type": "integer"},
        }
    )

    assert check.is_valid("no email, no base64, no JSON")


@pytest.mark.parametrize("name", ["$ref", "$id", "type", "required", "enum", "unevaluatedItems"])
def test_a_property_may_be_named_like_a_keyword(name: str) -> None:
    check = compile_check({"properties": {name: {"type": "string"}}, "required": [name]})

    assert check.is_valid({name: "x"})
    assert not check.is_valid({name: 1})


@pytest.mark.parametrize(
    "keyword", ["unevaluatedProperties", "unevaluatedItems", "$dynamicRef", "$dynamicAnchor"]
)
def test_what_the_subset_cannot_enforce_is_refused_with_two_ways_out(keyword: str) -> None:
    error = refused({"items": {keyword: "x"}}, engine="own")

    assert isinstance(error, UnenforceableKeyword)
    assert (error.keyword, error.path) == (keyword, "/items")
    assert "install the [jsonschema] extra" in str(error)
    assert "validated by the application" in str(error)


def test_an_identifier_below_the_root_is_beyond_the_subset() -> None:
    assert refused({"items": {"$id": "https://example.com/b"}}, engine="own").keyword == "$id"


def test_a_well_formed_schema_passes_the_check_of_form_whatever_can_be_enforced() -> None:
    check_schema({"unevaluatedProperties": False, "pattern": r"(a)\1"})


def test_the_table_names_each_keyword_once() -> None:
    names = [name for name, *_ in keyword_table()]

    assert len(set(names)) == len(names)
    assert {"type", "$ref", "format", "unevaluatedItems"} <= set(names)


# References


@pytest.mark.parametrize(
    ("reference", "more"),
    [
        ("#/$defs/a", {}),
        ("#/%24defs/a", {}),
        ("#/$defs/a~1b", {}),
        ("#/$defs/a%25~0", {}),
        ("#/$defs/%C3%A9", {}),
        ("#anchored", {}),
        ("#/allOf/1/items", {"allOf": [True, {"items": {"type": "integer"}}]}),
        ("#/components/schemas/Pet", {"components": {"schemas": {"Pet": {"type": "integer"}}}}),
        ("https://example.com/me#/$defs/a", {"$id": "https://example.com/me#"}),
    ],
)
def test_a_reference_names_a_subschema_of_the_same_document(
    reference: str, more: dict[str, Any]
) -> None:
    integer = {"type": "integer"}
    definitions = {"a": integer, "a/b": integer, "a%~": integer, "é": integer}
    anchored = {"x": {"$anchor": "anchored", "type": "integer"}}
    check = compile_check(
        {"$defs": definitions | anchored, "properties": {"p": {"$ref": reference}}, **more}
    )

    assert check.is_valid({"p": 1})
    assert not check.is_valid({"p": "x"})


def test_an_older_dialect_names_places_with_an_identifier_that_is_a_fragment() -> None:
    check = compile_check(
        {
            "$schema": OLD,
            "definitions": {"a": {"$id": "#here", "type": "integer"}},
            "items": {"$ref": "#here"},
        }
    )

    assert check.is_valid([1])
    assert not check.is_valid(["x"])


@pytest.mark.parametrize(
    ("reference", "words"),
    [
        ("https://example.com/schema", "nothing is ever fetched"),
        ("other.json#/a", "nothing is ever fetched"),
        ("file:///etc/passwd", "nothing is ever fetched"),
        ("#/$defs/b", 'there is no "b"'),
        ("#/$defs/a/enum/7", 'there is no "7"'),
        ("#/$defs/a/enum/01", 'there is no "01"'),
        ("#/$defs/a/enum/0", "no schema but a value of type integer"),
        ("#/title", "no schema but a value of type string"),
        ("#nowhere", "no subschema has that $anchor"),
        ("#/%FF", "no UTF-8"),
    ],
)
def test_a_reference_to_elsewhere_or_nowhere_is_refused(reference: str, words: str) -> None:
    schema = {"title": "t", "$defs": {"a": {"enum": [1]}}, "items": {"$ref": reference}}
    for options in ({}, {"engine": "jsonschema"}, {"validated_by_application": True}):
        error = refused(schema, **options)

        assert (error.keyword, error.path) == ("$ref", "/items")
        assert words in str(error)


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"allOf": [{"$ref": "#"}]},
        {"anyOf": [True, {"not": {"$ref": "#"}}]},
        {"if": {"$ref": "#"}},
        {"dependentSchemas": {"a": {"$ref": "#"}}},
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}},
        {"$defs": {"a": {"oneOf": [{"$ref": "#/$defs/a"}]}}},
    ],
    ids=repr,
)
def test_a_reference_that_comes_back_without_looking_into_the_value_is_refused(
    schema: Any,
) -> None:
    error = refused(schema)

    assert error.keyword == "$ref"
    assert "comes back to itself" in str(error)


def test_a_schema_may_contain_itself_where_it_looks_into_the_value() -> None:
    check = compile_check(
        {
            "type": "object",
            "properties": {
                "kids": {"type": "array", "items": {"$ref": "#"}},
                "v": {"type": "number"},
            },
            "additionalProperties": False,
        }
    )

    assert check.is_valid({"v": 1, "kids": [{"v": 2, "kids": []}, {}]})
    assert not check.is_valid({"kids": [{"kids": [{"w": 1}]}]})


def test_beside_a_reference_the_older_dialect_ignores_everything() -> None:
    schema = {
        "definitions": {"a": {"type": "integer"}},
        "items": {"$ref": "#/definitions/a", "minimum": 5, "default": 7},
    }

    assert compile_check({"$schema": OLD, **schema}).is_valid([1])
    assert not compile_check({"$schema": NEW, **schema}).is_valid([1])


# Bounds


@pytest.mark.parametrize(
    "schema",
    [
        nested(100_000, "properties", "a"),
        nested(100_000, "not"),
        nested(100_000, "unknown"),
        {"default": nested(100_000, "a")},
    ],
    ids=["properties", "not", "unknown", "default"],
)
def test_a_schema_of_any_depth_is_refused_without_recursion(schema: Any) -> None:
    error = refused(schema)

    assert "deeper than 64 levels (SchemaLimits.max_depth)" in str(error)
    while isinstance(schema, dict) and schema:  # or the interpreter would recurse to free it
        schema = next(iter(schema.values()))


def test_text_of_any_depth_is_refused_without_recursion() -> None:
    for text in ('{"not":' * 100_000 + "{}" + "}" * 100_000, '{"default":' + "[" * 100_000):
        with pytest.raises(SchemaError):
            parse_schema(text)


def test_depth_counts_levels_of_objects_and_arrays() -> None:
    compile_check(nested(63, "not"))

    assert refused(nested(64, "not")).keyword == ""
    compile_check(nested(64, "not"), limits=SchemaLimits(max_depth=65))


def test_a_schema_that_is_its_own_part_is_refused() -> None:
    schema: dict[str, Any] = {}
    schema["not"] = schema
    try:
        assert "deeper" in str(refused(schema))
    finally:
        schema.clear()


def test_a_schema_built_of_shared_parts_is_bounded_by_what_it_would_be_written_out() -> None:
    schema: dict[str, Any] = {}
    for _ in range(40):
        schema = {"properties": {"a": schema, "b": schema}}

    assert "values (SchemaLimits.max_values)" in str(
        refused(schema, limits=SchemaLimits(max_depth=100))
    )


def test_subschemas_are_counted() -> None:
    schema = {"anyOf": [{"const": at} for at in range(30)]}

    compile_check(schema, limits=SchemaLimits(max_subschemas=31))
    assert "more than 30 subschemas" in str(refused(schema, limits=SchemaLimits(max_subschemas=30)))


def test_a_chain_of_references_is_bounded() -> None:
    links = {f"a{at}": {"$ref": f"#/$defs/a{at + 1}"} for at in range(1000)}

    error = refused({"$defs": {**links, "a1000": {}}})

    assert "chains more than 64 subschemas on one value" in str(error)


def test_references_that_double_the_work_at_each_step_are_bounded() -> None:
    links = {f"a{at}": {"allOf": [{"$ref": f"#/$defs/a{at + 1}"}] * 2} for at in range(25)}

    error = refused({"$defs": {**links, "a25": {}}})

    assert "applies more than 2000 subschemas to one value" in str(error)


def test_a_pattern_is_bounded() -> None:
    error = refused({"pattern": "a" * 2001})

    assert "longer than 2000 characters" in str(error)


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"const": float("nan")}, "NaN is no JSON number"),
        ({"enum": [float("inf")]}, "Infinity is no JSON number"),
        ({"default": {1, 2}}, "expected a JSON value, got set"),
        ({"required": ("a",)}, "got tuple; write a list"),
        ({"properties": {1: {}}}, "property names are strings"),
        ({"title": "\ud800"}, "unpaired surrogate"),
        ({"properties": {"\udfff": {}}}, "unpaired surrogate"),
        (5, "expected an object or a boolean, got integer"),
        (None, "got null"),
        ([], "got array"),
    ],
    ids=repr,
)
def test_a_schema_that_is_no_json_is_refused(schema: Any, words: str) -> None:
    assert words in str(refused(schema))


# Text


def test_a_schema_may_be_text_bytes_or_the_object_itself() -> None:
    schema = {"type": "integer", "title": "é"}

    assert parse_schema(schema) is schema
    assert parse_schema(json.dumps(schema)) == schema
    assert parse_schema(json.dumps(schema, ensure_ascii=False).encode()) == schema
    assert parse_schema("true") is True


@pytest.mark.parametrize("text", ["", "{", b"\xff", "{} {}", "NaN", "[1]", "5", '"a"'])
def test_text_that_is_no_schema_is_refused(text: str | bytes) -> None:
    with pytest.raises(SchemaError, match=r"not JSON|expected an object or a boolean"):
        parse_schema(text)


def test_an_error_survives_a_process_border() -> None:
    error = refused({"type": "int"})

    copy = pickle.loads(pickle.dumps(error))

    assert (str(copy), copy.keyword, copy.path) == (str(error), "type", "")
