"""What a schema means for values: the places where Python and JSON Schema differ, one by one."""

import json
import time
from collections import OrderedDict
from datetime import UTC, datetime
from enum import IntEnum, StrEnum
from typing import Any

import msgspec
import pytest
from sansmcp_schema.json_check import compile_check

BIG = 2**53 + 1


class Colour(StrEnum):
    RED = "red"


class Level(IntEnum):
    LOW = 1


VERDICTS: list[tuple[Any, list[Any], list[Any]]] = [
    # schema, valid values, invalid values
    (True, [None, {}, 1], []),
    (False, [], [None, {}, 1]),
    ({}, [None, {}, [], "", 0], []),
    ({"type": "integer"}, [5, 5.0, 1e3, -0.0, BIG, 10**4000, 1e300], [5.5, True, "5", None, 1e-5]),
    ({"type": "number"}, [1, 1.5, BIG], [True, "1", None]),
    ({"type": ["integer", "null"]}, [1.0, None], [1.5, False]),
    ({"type": "boolean"}, [True, False], [0, 1, "true"]),
    ({"type": "null"}, [None], [0, False, "", []]),
    ({"type": "string"}, ["", "\ud800"], [1, None, ["a"]]),
    ({"type": "array"}, [[], [1]], [{}, "[]"]),
    ({"type": "object"}, [{}], [[], "{}"]),
    ({"enum": [1, "a", None, [1, {"a": 2}]]}, [1, 1.0, "a", None, [1.0, {"a": 2.0}]],
     [True, False, 0, "1", [], [1], {}]),
    ({"enum": [True, 0.5, {"a": [1], "b": 2}]}, [True, 0.5, {"b": 2.0, "a": [1.0]}],
     [1, "true", {"a": [1]}, {"a": [True], "b": 2}]),
    ({"const": 1}, [1, 1.0], [True, "1", None]),
    ({"const": False}, [False], [0, None, ""]),
    ({"const": None}, [None], [False, 0]),
    ({"const": BIG}, [BIG], [float(BIG), BIG - 1]),
    ({"const": 2**64}, [2**64, 2.0**64], [2**64 + 1, -(2**64)]),
    ({"const": 1.5}, [1.5], [1, "1.5"]),
    ({"const": {"a": 1}}, [{"a": 1.0}], [{"a": True}, {"a": 1, "b": 1}, []]),
    ({"minimum": 2**70}, [2**70, 2**70 + 1, 1e30, "x"], [2**70 - 1, 0]),
    ({"maximum": BIG}, [BIG, float(BIG - 1)], [BIG + 1]),
    ({"minimum": -(10**400)}, [0, -1e300], []),
    ({"exclusiveMinimum": 0}, [0.1, "x", None], [0, -0.0, -1]),
    ({"exclusiveMaximum": 0.5}, [0.4], [0.5, 1]),
    ({"minimum": 1}, ["", None, [], {}, True, False, 1], [0]),
    ({"multipleOf": 0.1}, [0.3, 1, 0, 1.1, -0.7, 1e20, "x"], [0.35, 1e-20]),
    ({"multipleOf": 0.01}, [4.35, 19.99, 0.07], [4.355]),
    ({"multipleOf": 1e-8}, [12391239123, 0.12345678], [1e-9]),
    ({"multipleOf": 3}, [9, 9.0, 3 * 10**500, 0], [10, 9.5, 3 * 10**500 + 1]),
    ({"multipleOf": 1e-300}, [1e308, 10**500, 1], []),
    ({"multipleOf": 1e308}, [0, 1e308, 10**309], [1e-308, 1, 10**307]),
    ({"multipleOf": 2.5e10}, [5e10, 25_000_000_000], [1e10, 2.5]),
    ({"multipleOf": 5e-324}, [5e-324, 1e308], []),
    ({"minLength": 1, "maxLength": 1}, ["a", "\U0001f600", "\u0301", 5, [], None],
     ["", "ab", "e\u0301"]),
    ({"maxLength": 2}, ["\U0001f600\U0001f600"], ["\U0001f600\U0001f600\U0001f600"]),
    ({"pattern": "^a$"}, ["a", 5], ["a\n", "\na", "ba"]),
    ({"pattern": r"^\d$"}, ["5"], ["\u0665", "a"]),
    ({"pattern": "b"}, ["abc"], ["ac"]),
    ({"minItems": 1, "maxItems": 2}, [[1], [1, 2], "x", {}], [[], [1, 2, 3]]),
    ({"uniqueItems": True}, [[1, True, "1", None], [[1], [True]], [{"a": 1}, {"a": "1"}],
                            [0, False]],
     [[1, 1.0], [{"a": 1, "b": 2}, {"b": 2.0, "a": 1}], [[1], [1.0]], [2**64, 2.0**64]]),
    ({"uniqueItems": False}, [[1, 1]], []),
    ({"items": {"type": "integer"}}, [[], [1, 2.0], "x"], [[1, "x"]]),
    ({"prefixItems": [{"type": "integer"}, True], "items": False}, [[], [1], [1, "x"]],
     [["x"], [1, 2, 3]]),
    ({"contains": {"type": "integer"}}, [["x", 1], "x"], [[], ["x"]]),
    ({"contains": {"type": "integer"}, "minContains": 2, "maxContains": 3},
     [[1, 2], [1, "x", 2, 3]], [[1], [1, 2, 3, 4]]),
    ({"contains": False, "minContains": 0}, [[], [1]], []),
    ({"minContains": 5, "maxContains": 0}, [[], [1]], []),
    ({"required": ["a"]}, [{"a": None}, [], "x"], [{}, {"b": 1}]),
    ({"required": ["a", "b"]}, [{"a": 1, "b": 1}], [{"a": 1}, {"b": 1}]),
    ({"properties": {"a": {"type": "integer"}}}, [{}, {"a": 1}, {"b": "x"}], [{"a": "x"}]),
    ({"properties": {"a": True}, "additionalProperties": False}, [{"a": 1}, {}], [{"b": 1}]),
    ({"properties": {"a": False}}, [{}], [{"a": 1}]),
    ({"additionalProperties": {"type": "integer"}}, [{"x": 1}], [{"x": "1"}]),
    ({"patternProperties": {"^x": {"type": "integer"}}, "additionalProperties": False},
     [{"x1": 1}, {}], [{"x1": "a"}, {"y": 1}]),
    ({"properties": {"xa": {"minimum": 1}}, "patternProperties": {"^x": {"maximum": 2}, "a$": {}}},
     [{"xa": 1}, {"b": 9}], [{"xa": 0}, {"xa": 3}]),
    ({"propertyNames": {"maxLength": 1}}, [{"a": 1}, {}], [{"ab": 1}]),
    ({"minProperties": 1, "maxProperties": 1}, [{"a": 1}, []], [{}, {"a": 1, "b": 1}]),
    ({"dependentRequired": {"a": ["b"]}}, [{"b": 1}, {"a": 1, "b": 1}, "a"], [{"a": 1}]),
    ({"dependentSchemas": {"a": {"required": ["b"]}}}, [{"b": 1}, {"a": 1, "b": 1}], [{"a": 1}]),
    ({"allOf": [{"minimum": 1}, {"maximum": 2}]}, [1, 2, "x"], [0, 3]),
    ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, [1, None], ["x", 1.5]),
    ({"oneOf": [{"minimum": 1}, {"maximum": 2}]}, [0, 3], [1, 2, "x"]),
    ({"not": {"type": "integer"}}, ["x", 1.5], [1, 1.0]),
    ({"if": {"minimum": 10}, "then": {"multipleOf": 10}, "else": {"maximum": 5}}, [20, 5, "x"],
     [15, 7]),
    ({"if": {"minimum": 10}, "then": {"multipleOf": 10}}, [20, 7], [15]),
    ({"if": {"minimum": 10}, "else": {"maximum": 5}}, [15, 5], [7]),
    ({"if": {"minimum": 10}}, [15, 7], []),
    ({"then": False, "else": False}, [15], []),
    ({"format": "date-time"}, ["no date"], []),
]  # fmt: skip

OLDER: list[tuple[Any, list[Any], list[Any]]] = [
    ({"items": [{"type": "integer"}], "additionalItems": False}, [[], [1]], [["x"], [1, 2]]),
    ({"items": [True], "additionalItems": {"type": "null"}}, [[1, None]], [[1, 2]]),
    ({"items": {"type": "null"}, "additionalItems": False}, [[None, None]], [[1]]),
    ({"additionalItems": False}, [[1]], []),
    ({"dependencies": {"a": ["b"], "c": {"required": ["d"]}}}, [{"b": 1}, {"c": 1, "d": 1}],
     [{"a": 1}, {"c": 1}]),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "valid", "invalid"), VERDICTS, ids=lambda one: repr(one)[:60])
def test_verdicts(schema: Any, valid: list[Any], invalid: list[Any]) -> None:
    check = compile_check(schema, engine="own")

    assert [value for value in valid if not check.is_valid(value)] == []
    assert [value for value in invalid if check.is_valid(value)] == []
    assert [value for value in valid if check.violations(value)] == []
    assert [value for value in invalid if not check.violations(value)] == []


@pytest.mark.parametrize(("schema", "valid", "invalid"), OLDER, ids=lambda one: repr(one)[:60])
def test_verdicts_of_the_older_dialect(schema: Any, valid: list[Any], invalid: list[Any]) -> None:
    test_verdicts({"$schema": "http://json-schema.org/draft-07/schema#", **schema}, valid, invalid)


def test_a_number_keeps_its_every_digit_on_the_way_from_text() -> None:
    check = compile_check({"const": 9007199254740993})

    assert check.is_valid(msgspec.json.decode(b"9007199254740993"))
    assert not check.is_valid(msgspec.json.decode(b"9007199254740992"))
    assert compile_check({"type": "integer"}).is_valid(msgspec.json.decode(b"1e3"))
    assert compile_check({"type": "integer"}).is_valid(msgspec.json.decode(b"9007199254740993.0"))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")], ids=str)
def test_what_json_cannot_say_is_no_number(value: float) -> None:
    for schema in ({"type": "number"}, {"type": "integer"}, {"multipleOf": 1}):
        assert not compile_check(schema).is_valid(value)
        assert compile_check(schema).violations(value)


def test_values_that_are_like_json_count_as_what_they_are_like() -> None:
    assert compile_check({"type": "string", "minLength": 3}).is_valid(Colour.RED)
    assert compile_check({"type": "integer", "maximum": 1}).is_valid(Level.LOW)
    assert compile_check({"type": "object", "required": ["a"]}).is_valid(OrderedDict(a=1))
    assert compile_check({"type": "array", "maxItems": 1}).is_valid((1,))
    assert not compile_check({"type": "array", "maxItems": 1}).is_valid((1, 2))


def test_a_value_that_json_does_not_have_fits_no_type() -> None:
    value = datetime(2026, 1, 1, tzinfo=UTC)

    for kind in ("string", "number", "object", "array", "null", "boolean"):
        assert not compile_check({"type": kind}).is_valid(value)
    assert compile_check({"minimum": 1}).is_valid(value)
    assert not compile_check({"enum": [1]}).is_valid(value)


RECURSIVE = {
    "$defs": {
        "list": {"type": "array", "items": {"$ref": "#/$defs/list"}},
        "tree": {"anyOf": [{"type": "null"}, {"additionalProperties": {"$ref": "#/$defs/tree"}}]},
    }
}


@pytest.mark.parametrize("levels", [10_000, 100_000])
@pytest.mark.parametrize("engine", ["own", "jsonschema"])
@pytest.mark.parametrize("name", ["list", "tree"])
def test_a_value_of_any_depth_is_judged_without_an_exception(
    name: str, engine: Any, levels: int
) -> None:
    check = compile_check({**RECURSIVE, "$ref": f"#/$defs/{name}"}, engine=engine)
    value: Any = [] if name == "list" else {}
    for _ in range(levels):
        value = [value] if name == "list" else {"a": value}

    assert not check.is_valid(value)
    assert [one.message for one in check.violations(value)] == ["nested too deeply to be checked"]
    assert check.repair(value) is value
    assert check.seed_defaults(value) is value


@pytest.mark.parametrize("schema", [{"uniqueItems": True}, {"const": [[[]]]}, {"enum": [{}, []]}])
def test_deep_values_are_compared_without_an_exception(schema: Any) -> None:
    value: Any = []
    for _ in range(10_000):
        value = [value]
    check = compile_check(schema)

    assert not check.is_valid([value, value])
    assert check.violations([value, value])


def test_a_value_of_any_depth_is_seeded_without_an_exception() -> None:
    check = compile_check(
        {"properties": {"a": {"$ref": "#"}, "b": {"default": 1}}, "required": ["a"]}
    )
    value: Any = {}
    for _ in range(10_000):
        value = {"a": value}

    assert check.seed_defaults(value) is value


def test_values_as_deep_as_messages_may_be_are_judged() -> None:
    check = compile_check({**RECURSIVE, "$ref": "#/$defs/tree"})
    value: Any = None
    for _ in range(64):
        value = {"a": value}

    assert check.is_valid(value)


def test_a_schema_that_looks_at_the_same_value_twice_at_each_level_takes_linear_time() -> None:
    doubled = {"properties": {"a": {"$ref": "#/$defs/n"}}}
    check = compile_check(
        {
            "$defs": {
                "n": {"type": "object", "allOf": [doubled, doubled], "oneOf": [doubled, False]}
            },
            "$ref": "#/$defs/n",
        }
    )
    good: Any = {}
    bad: Any = {"a": 1}
    for _ in range(60):
        good, bad = {"a": good}, {"a": bad}
    began = time.monotonic()

    assert check.is_valid(good)
    assert not check.is_valid(bad)
    assert check.violations(bad)
    assert check.repair(bad) is bad
    assert time.monotonic() - began < 10


def test_many_items_are_compared_in_linear_time() -> None:
    check = compile_check({"uniqueItems": True})
    began = time.monotonic()

    assert check.is_valid(list(range(100_000)))
    # Python gives all of these the same hash.
    assert check.is_valid([at * (2**61 - 1) for at in range(20_000)])
    assert time.monotonic() - began < 10


def test_a_check_may_be_used_by_a_second_one_in_its_course() -> None:
    check = compile_check({**RECURSIVE, "$ref": "#/$defs/list"})

    assert [check.is_valid([[], [[]]]), check.is_valid([[], [1]])] == [True, False]
    assert json.loads(json.dumps(check.schema)) == check.schema
