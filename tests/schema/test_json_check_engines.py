"""The own engine and jsonschema-rs give the same verdicts, and together enforce both dialects."""

import random
import sys
from collections.abc import Callable
from typing import Any

import pytest
from opaque import Opaque
from sansmcp_schema.json_check import (
    Check,
    SchemaError,
    UnenforceableKeyword,
    compile_check,
    keyword_table,
    render,
)

NAMES = ("a", "b", "ab", "x1", "é")
PATTERNS = ("^a", "b$", r"^\d+$", r"\w", "^[^x]*$", "^(?:ab|a)*$", r"^.{1,2}$", r"^\S", r"^\p{L}+$")
SCALARS: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 3, 1.0, 0.5, -2.5, 5.0, 1e3, 9007199254740993, 2**63, 2**64,
    1e300, "", "a", "b", "ab", "1", "12", "a\n", "é", "\U0001f600", "x y", "aba",
)  # fmt: skip
DIALECTS = {
    "2020-12": "https://json-schema.org/draft/2020-12/schema",
    "draft-07": "http://json-schema.org/draft-07/schema#",
}
CASES = 300


class Generator:
    """Schemas of one dialect that use every keyword, and values that often are near to valid."""

    def __init__(self, seed: int, dialect: str) -> None:
        self.random = random.Random(seed)
        self.dialect = dialect
        self.is_new = dialect == "2020-12"

    def pick(self, options: Any) -> Any:
        return self.random.choice(options)

    def count(self) -> int:
        return self.random.randint(0, 3)

    def document(self) -> dict[str, Any]:
        definitions = "$defs" if self.random.random() < 0.7 else "definitions"
        schema = self.schema(3)
        schema = schema if isinstance(schema, dict) else {"not": schema}
        root: dict[str, Any] = {"$schema": DIALECTS[self.dialect]}
        anchor = {"$anchor": "anchored"} if self.is_new else {"$id": "#anchored"}
        root["definitions"] = {"anchored": {**anchor, "type": ["object", "string"]}}
        root[definitions] = {
            **root.get(definitions, {}),
            "list": {"type": "array", "items": {"$ref": f"#/{definitions}/list"}},
            "leaf": self.leaf(),
        }
        reference = self.pick([f"#/{definitions}/list", f"#/{definitions}/leaf", "#anchored"])
        if self.random.random() < 0.5:
            schema.setdefault("properties", {})["a"] = {"$ref": reference}
        elif self.is_new and self.random.random() < 0.5:
            schema["$ref"] = reference
        return {**root, **schema}

    def leaf(self) -> dict[str, Any]:
        number = self.pick([0, 1, -1, 2.5, 2**53 + 1])
        choices = [*self.random.sample(SCALARS, 3), [1, "a"], {"a": 1}]
        keyword, value = self.pick(
            [
                ("type", self.pick(["null", "boolean", "integer", "number", "string", "array"])),
                ("type", self.random.sample(["null", "integer", "string", "object"], 2)),
                ("enum", choices),
                ("const", self.pick(choices)),
                ("multipleOf", self.pick([1, 2, 0.5, 0.1, 1e-8])),
                ("minimum", number),
                ("maximum", number),
                ("exclusiveMinimum", number),
                ("exclusiveMaximum", number),
                ("minLength", self.count()),
                ("maxLength", float(self.count())),
                ("pattern", self.pick(PATTERNS)),
                ("minItems", self.count()),
                ("maxItems", self.count()),
                ("uniqueItems", self.pick([True, True, False])),
                ("minProperties", self.count()),
                ("maxProperties", self.count()),
                ("required", self.random.sample(NAMES, 2)),
            ]
        )
        return {keyword: value}

    def schema(self, depth: int) -> Any:
        if self.random.random() < 0.06:
            return self.pick([True, True, False])
        schema: dict[str, Any] = {}
        for _ in range(self.random.randint(1, 2)):
            schema |= self.leaf()
        if depth:
            for _ in range(self.random.randint(1, 3)):
                schema |= self.applicator(depth - 1)
        return schema

    def schemas(self, depth: int) -> list[Any]:
        return [self.schema(depth) for _ in range(self.random.randint(1, 3))]

    def named(self, depth: int) -> dict[str, Any]:
        return {name: self.schema(depth) for name in self.random.sample(NAMES, 2)}

    def applicator(self, depth: int) -> dict[str, Any]:
        options: list[Callable[[Any], dict[str, Any]]] = [
            lambda one: {"properties": self.named(depth)},
            lambda one: {"properties": self.named(depth), "additionalProperties": one},
            lambda one: {"additionalProperties": one},
            lambda one: {"patternProperties": {self.pick(PATTERNS): one}},
            lambda one: {
                "propertyNames": self.pick(
                    [{"minLength": 1}, {"pattern": self.pick(PATTERNS)}, one]
                )
            },
            lambda one: {"items": one},
            lambda one: {"contains": one},
            lambda one: {"allOf": self.schemas(depth)},
            lambda one: {"anyOf": self.schemas(depth)},
            lambda one: {"oneOf": self.schemas(depth)},
            lambda one: {"not": one},
            lambda one: {"if": one, "then": self.schema(depth), "else": self.schema(depth)},
        ]
        if self.is_new:
            options += [
                lambda one: {"prefixItems": self.schemas(depth)},
                lambda one: {"prefixItems": self.schemas(depth), "items": one},
                lambda one: {
                    "contains": one,
                    "minContains": self.count(),
                    "maxContains": self.count(),
                },
                lambda one: {"dependentRequired": {"a": ["b"], "x1": []}},
                lambda one: {"dependentSchemas": {"a": one}},
            ]
        else:
            options += [
                lambda one: {"items": self.schemas(depth), "additionalItems": one},
                lambda one: {"dependencies": {"a": ["b"], "b": one}},
            ]
        build: Callable[[Any], dict[str, Any]] = self.pick(options)
        return build(self.schema(depth))

    def value(self, depth: int = 3) -> Any:
        chance = self.random.random()
        if depth and chance < 0.3:
            return [self.value(depth - 1) for _ in range(self.random.randint(0, 4))]
        if depth and chance < 0.7:
            names = self.random.sample(NAMES, self.random.randint(0, 4))
            return {name: self.value(depth - 1) for name in names}
        return self.pick(SCALARS)


def keywords_in(schema: Any) -> set[str]:
    """All property names anywhere in a schema: a superset of its keywords."""
    if isinstance(schema, dict):
        return set(schema).union(*(keywords_in(item) for item in schema.values()))
    if isinstance(schema, list):
        return set().union(*(keywords_in(item) for item in schema))
    return set()


@pytest.mark.parametrize("dialect", DIALECTS)
def test_both_engines_agree_on_schemas_that_use_every_keyword(dialect: str) -> None:
    generator = Generator(20261128, dialect)
    used: set[str] = set()
    verdicts = {True: 0, False: 0}
    differences = []

    for _ in range(CASES):
        schema = generator.document()
        own = compile_check(schema, engine="own")
        other = compile_check(schema, engine="jsonschema")
        used |= keywords_in(schema)
        for _ in range(4):
            value = generator.value()
            if own.is_valid(value) != other.is_valid(value):
                differences.append((schema, value, own.is_valid(value)))
            verdicts[own.is_valid(value)] += 1
            assert bool(own.violations(value)) is not own.is_valid(value)
            assert bool(other.violations(value)) is not other.is_valid(value)

    enforced = {
        name
        for name, role, dialects, _ in keyword_table()
        if role in ("enforced", "structure") and dialect in dialects and name != "$id"
    }
    assert differences == []
    assert enforced - used == set()
    assert min(verdicts.values()) > CASES // 2


def lines(check: Check, value: Any) -> list[str]:
    return [render(one) for one in check.violations(value)]


BEYOND: list[tuple[Any, Any, list[str]]] = [
    # schema that only the other engine enforces, an invalid value, lines
    ({"properties": {"a": {"type": "integer"}}, "unevaluatedProperties": False}, {"a": "x", "b": 1},
     ['a: expected integer, got "x"', 'arguments: unknown key "b"']),
    ({"prefixItems": [True], "unevaluatedItems": False}, [1, 2],
     ['arguments: expected a value that fits "unevaluatedItems", got array']),
    ({"properties": {"a": {"pattern": r"^(.)\1$"}}}, {"a": "xy"},
     ['a: expected a value that fits "pattern", got string']),
    ({"$dynamicAnchor": "n", "type": "object", "additionalProperties": {"$dynamicRef": "#n"}},
     {"a": {"b": 1}}, ['a.b: expected a value that fits "type", got integer']),
    ({"anyOf": [{"unevaluatedItems": False}, {"type": "null"}]}, [1],
     ['arguments: expected a value that fits "anyOf", got array']),
    ({"items": {"$id": "https://example.com/b", "type": "null"}}, [1],
     ["arguments[0]: expected null, got 1"]),
    ({"$id": "http://e/x", "$defs": {"a": {"$id": "y", "type": "null"}}, "$ref": "y"}, 1,
     ['arguments: expected a value that fits "type", got integer']),
    ({"$id": "http://e/x", "$defs": {"a": {
        "$id": "y", "$defs": {"b": {"type": "null"}}, "items": {"$ref": "#/$defs/b"}}},
      "$ref": "y"}, [1], ['arguments[0]: expected a value that fits "type", got integer']),
    ({"unevaluatedItems": False, "type": "object", "required": ["a"]}, {},
     ['arguments: missing "a": received no keys; expected "a"']),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "value", "expected"), BEYOND, ids=lambda one: repr(one)[:60])
def test_what_the_subset_cannot_enforce_goes_to_the_other_engine(
    schema: Any, value: Any, expected: list[str]
) -> None:
    check = compile_check(schema)

    assert not check.is_valid(value)
    assert lines(check, value) == expected


def test_repair_and_defaults_work_beside_the_other_engine() -> None:
    schema = {
        "properties": {"n": {"type": "integer"}, "d": {"default": []}},
        "unevaluatedProperties": False,
    }
    check = compile_check(schema)

    assert not check.is_valid({"n": "5"})
    assert check.repair({"n": "5"}) == {"n": 5}
    assert check.seed_defaults({"n": 5}) == {"n": 5, "d": []}
    assert check.is_valid({"n": 5, "d": []})
    assert check.violations({"n": 5}) == []


@pytest.mark.parametrize("value", [Opaque(), {1: 2}, "\ud800", {"a": {"b": {1}}}], ids=ascii)
def test_what_is_no_json_is_invalid_in_the_other_engine_too(value: Any) -> None:
    check = compile_check({"type": "string", "maxLength": 0}, engine="jsonschema")

    assert not check.is_valid(value)
    assert check.violations(value)


def test_annotations_stay_annotations_in_the_other_engine() -> None:
    names = {"contentEncoding": {"type": "integer"}, "contentMediaType": {}}
    schema = {
        "$schema": DIALECTS["draft-07"],
        "properties": names,
        "items": {"contentEncoding": "base64", "contentMediaType": "application/json"},
        "enum": [["{"], {"contentEncoding": 1}],
        "format": "email",
    }
    for value, verdict in ((["{"], True), ({"contentEncoding": 1}, True), ([], False)):
        assert compile_check(schema, engine="own").is_valid(value) is verdict
        assert compile_check(schema, engine="jsonschema").is_valid(value) is verdict


def test_what_the_other_engine_finds_malformed_is_a_schema_error() -> None:
    outside = {"$ref": "http://example.com/x"}
    for schema in ({"unevaluatedItems": 5}, {"unevaluatedItems": outside}):
        with pytest.raises(SchemaError, match="malformed"):
            compile_check(schema)


def test_without_the_extra_a_schema_beyond_the_subset_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, "sansmcp_schema.json_check._jsonschema_rs", raising=False)
    monkeypatch.delattr("sansmcp_schema.json_check._jsonschema_rs", raising=False)
    monkeypatch.setitem(sys.modules, "jsonschema_rs", None)

    with pytest.raises(UnenforceableKeyword, match="mark the tool as validated by the application"):
        compile_check({"unevaluatedItems": False})
    with pytest.raises(ImportError):
        compile_check({}, engine="jsonschema")
    assert compile_check({}).is_valid(1)


def test_a_check_that_the_application_makes_itself_accepts_everything() -> None:
    schema = {
        "type": "object",
        "properties": {"n": {"type": "integer"}, "d": {"default": 1}},
        "unevaluatedProperties": False,
        "pattern": r"(a)\1",
    }
    check = compile_check(schema, validated_by_application=True)
    value = {"n": "5"}

    assert check.is_valid(value)
    assert check.violations(value) == []
    assert check.repair(value) is value
    assert check.seed_defaults(value) == {"n": "5", "d": 1}
    with pytest.raises(SchemaError, match="names nothing"):
        compile_check({"$ref": "#/a"}, validated_by_application=True)


def test_a_reference_into_a_document_inside_is_refused_by_the_keyword_that_starts_it() -> None:
    schema = {"$id": "http://e/x", "$defs": {"a": {"$id": "y"}}, "$ref": "y"}

    with pytest.raises(UnenforceableKeyword, match="below the root") as caught:
        compile_check(schema, engine="own")

    assert (caught.value.keyword, caught.value.path) == ("$id", "/$defs/a")


def test_a_reference_to_nothing_is_refused_beside_a_document_inside_too() -> None:
    schema = {"$id": "http://e/x", "$defs": {"a": {"$id": "y"}}, "$ref": "z"}

    with pytest.raises(SchemaError):
        compile_check(schema)
