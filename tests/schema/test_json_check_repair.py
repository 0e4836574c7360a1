"""String-encoded values are decoded once where that is what was meant; defaults are filled in."""

import json
import time
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sansmcp_schema.json_check import compile_check, render

CALL = {
    "type": "object",
    "properties": {
        "ids": {"type": "array", "items": {"type": "integer"}},
        "opts": {"type": "object"},
        "n": {"type": "integer"},
        "flag": {"type": "boolean"},
        "x": {"type": "number"},
    },
    "required": ["ids", "opts", "n", "flag", "x"],
    "additionalProperties": False,
}
MEANT = {"ids": [1, 2], "opts": {"a": "1"}, "n": 5, "flag": False, "x": 0.5}


def test_every_argument_as_its_json_text() -> None:
    check = compile_check(CALL)
    sent = {name: json.dumps(value) for name, value in MEANT.items()}

    assert not check.is_valid(sent)
    repaired = check.repair(sent)
    assert repaired == MEANT
    assert repaired["flag"] is False
    assert repaired["opts"] == {"a": "1"}  # a string that is welcome stays one
    assert check.is_valid(repaired)
    assert sent == {name: json.dumps(value) for name, value in MEANT.items()}


@pytest.mark.parametrize(
    "text", ["yes", "", "[1,", "NaN", "Infinity", "0x5", "1e999", "'a'", "tru"]
)
def test_text_that_says_no_json_value_stays(text: str) -> None:
    check = compile_check(CALL)
    sent = dict.fromkeys(MEANT, text)

    assert check.repair(sent) is sent
    assert {one.path[0] for one in check.violations(sent)} == set(MEANT)
    assert f'flag: expected boolean, got "{text}"' in map(render, check.violations(sent))


TEXTS: list[tuple[Any, Any, Any]] = [
    # schema, value sent, value repaired
    ({"type": "integer"}, "42", 42),
    ({"type": "integer"}, "0", 0),
    ({"type": "integer"}, " 7 ", 7),
    ({"type": "integer"}, "5.0", 5.0),
    ({"type": "integer"}, "5.5", "5.5"),
    ({"type": "integer"}, "true", "true"),
    ({"type": "integer"}, "null", "null"),
    ({"type": "integer"}, '"5"', '"5"'),
    ({"type": "integer"}, "9007199254740993", 9007199254740993),
    ({"type": "integer", "minimum": 1}, "0", 0),
    ({"type": "number"}, "1e3", 1000.0),
    ({"type": "boolean"}, "true", True),
    ({"type": "boolean"}, "false", False),
    ({"type": "boolean"}, "1", "1"),
    ({"type": "boolean"}, "False", "False"),
    ({"type": "null"}, "null", None),
    ({"type": ["integer", "null"]}, "null", None),
    ({"type": ["integer", "null"]}, "3", 3),
    ({"type": ["string", "integer"]}, "3", "3"),
    ({"type": ["string", "integer"], "maxLength": 0}, "3", 3),
    ({"type": ["string", "integer"], "maxLength": 0, "maximum": 2}, "3", "3"),
    ({"type": "string", "maxLength": 0}, "3", "3"),
    ({"type": "string"}, "null", "null"),
    ({}, "3", "3"),
    ({"enum": [1, 2]}, "1", 1),
    ({"enum": [1, 2]}, "3", 3),
    ({"enum": [1, "1"]}, "1", "1"),
    ({"enum": [1, "a"]}, "1", 1),
    ({"enum": [1, "a"]}, "3", "3"),
    ({"const": True}, "true", True),
    ({"type": "array"}, "[1,2]", [1, 2]),
    ({"type": "array"}, '["[1]"]', ["[1]"]),
    ({"type": "array", "items": {"type": "integer"}}, '["1", 2]', [1, 2]),
    ({"type": "array", "items": {"type": "integer"}}, ["1", "x", 2], [1, "x", 2]),
    ({"type": "array"}, '{"a":1}', '{"a":1}'),
    ({"type": "object"}, '{"a":"1"}', {"a": "1"}),
    ({"type": "object", "properties": {"a": {"type": "integer"}}}, '{"a":"1"}', {"a": 1}),
    ({"type": "object"}, "[" * 100_000, "[" * 100_000),
    ({"type": "array"}, "[" * 65 + "]" * 65, "[" * 65 + "]" * 65),
    ({"prefixItems": [{"type": "integer"}], "items": {"type": "boolean"}}, ["1", "true", "1"],
     [1, True, "1"]),
    ({"additionalProperties": {"type": "integer"}}, {"a": "1", "b": 2}, {"a": 1, "b": 2}),
    ({"patternProperties": {"^n": {"type": "integer"}}}, {"n1": "1", "x": "1"},
     {"n1": 1, "x": "1"}),
    ({"allOf": [{"properties": {"a": {"type": "integer"}}},
                {"properties": {"b": {"type": "null"}}}]},
     {"a": "1", "b": "null"}, {"a": 1, "b": None}),
    ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "5", 5),
    ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "null", "null"),
    ({"anyOf": [{"type": "integer"}, {"enum": ["a"]}]}, "5", 5),
    ({"anyOf": [{"type": "integer"}, {"enum": ["a"]}]}, "b", "b"),
    ({"oneOf": [{"type": "integer"}, {"type": "boolean"}]}, "true", True),
    ({"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "null"}]}, '["1"]', [1]),
    ({"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "null"}]}, ["1", "x"],
     [1, "x"]),
    ({"anyOf": [{"required": ["a"], "properties": {"a": {"type": "null"}}},
                {"required": ["b"], "properties": {"b": {"type": "integer"}}}]},
     {"b": "1"}, {"b": 1}),
    ({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}, {"c": "1"}, {"c": "1"}),
    ({"anyOf": [{"required": ["a"]}, {}], "properties": {"c": {"type": "null"}}}, {"c": "null"},
     {"c": None}),
    ({"anyOf": [{"properties": {"a": {"type": "integer"}}},
                {"properties": {"a": {"type": "string"}}}]},
     {"a": "1"}, {"a": "1"}),
    ({"$defs": {"i": {"type": "integer"}}, "items": {"$ref": "#/$defs/i"}}, ["1"], [1]),
    ({"$defs": {"n": {"properties": {"v": {"type": "integer"},
                                     "kids": {"items": {"$ref": "#/$defs/n"}}}}},
      "$ref": "#/$defs/n"}, {"v": "1", "kids": [{"v": "2", "kids": [{"v": "3"}]}]},
     {"v": 1, "kids": [{"v": 2, "kids": [{"v": 3}]}]}),
    ({"if": {"required": ["a"]}, "then": {"properties": {"a": {"type": "integer"}}},
      "else": {"properties": {"b": {"type": "null"}}}}, {"a": "1", "b": "null"},
     {"a": 1, "b": "null"}),
    ({"if": {"required": ["a"]}, "else": {"properties": {"b": {"type": "null"}}}}, {"b": "null"},
     {"b": None}),
    ({"if": {"required": ["a"]}, "else": {}}, {"a": "null"}, {"a": "null"}),
    ({"dependentSchemas": {"a": {"properties": {"b": {"type": "integer"}}},
                           "c": {"properties": {"b": {"type": "null"}}}}},
     {"a": 1, "b": "2"}, {"a": 1, "b": 2}),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "sent", "meant"), TEXTS, ids=lambda one: repr(one)[:50])
def test_what_is_repaired_and_what_is_not(schema: Any, sent: Any, meant: Any) -> None:
    check = compile_check(schema)
    before = deepcopy(sent)
    repaired = check.repair(sent)

    assert (repaired, type(repaired)) == (meant, type(meant))
    assert json.dumps(repaired) == json.dumps(meant)
    assert sent == before
    if sent == meant:
        assert repaired is sent


@pytest.mark.parametrize("value", [MEANT, 5, None, [], "x", {"ids": ["x"]}], ids=repr)
def test_where_nothing_is_repaired_the_value_itself_comes_back(value: Any) -> None:
    assert compile_check(CALL).repair(value) is value


def test_parts_that_are_not_repaired_are_not_copied() -> None:
    sent = {"opts": {"a": [1]}, "n": "5"}
    repaired = compile_check(CALL).repair(sent)

    assert repaired == {"opts": {"a": [1]}, "n": 5}
    assert repaired["opts"] is sent["opts"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5) | st.sampled_from(["1", "true", "null", "[1]", "{}", "5.0"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abn"), inner),
    max_leaves=8,
)  # fmt: skip
SCHEMAS = [
    CALL,
    {"type": "array", "items": {"anyOf": [{"type": "integer"}, {"enum": ["a"]}, {"type": "null"}]}},
    {"$defs": {"n": {"type": ["object", "boolean"], "additionalProperties": {"$ref": "#/$defs/n"}}},
     "$ref": "#/$defs/n"},
    {"oneOf": [{"type": "integer"}, {"type": "object", "properties": {"a": {"type": "number"}}}]},
]  # fmt: skip


@given(st.sampled_from(SCHEMAS), JSON)
@settings(max_examples=300, deadline=None, derandomize=True)
def test_a_valid_value_is_never_touched_and_repairing_twice_adds_nothing(
    schema: Any, value: Any
) -> None:
    check = compile_check(schema)
    before = json.dumps(value)
    repaired = check.repair(value)

    assert json.dumps(value) == before
    assert not check.is_valid(value) or repaired is value
    assert json.dumps(check.repair(repaired)) == json.dumps(repaired)


def test_the_work_of_a_repair_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sansmcp_schema.json_check._repair._MAX_STEPS", 3)
    check = compile_check({"items": {"items": {"type": "integer"}}})

    assert check.repair([["1"], ["2"], ["3"], ["4"]]) == [[1], [2], ["3"], ["4"]]


# Defaults

SEEDED: list[tuple[Any, Any, Any]] = [
    # schema, value, value with defaults
    ({"properties": {"a": {"default": 1}, "b": {"default": None}, "c": {}}}, {},
     {"a": 1, "b": None}),
    ({"properties": {"a": {"default": 1}}}, {"a": None, "z": 2}, {"a": None, "z": 2}),
    ({"properties": {"a": {"default": 1}}}, [], []),
    ({"properties": {"a": {"default": 1}}}, "x", "x"),
    ({"properties": {"o": {"properties": {"a": {"default": 1}}}}}, {"o": {}}, {"o": {"a": 1}}),
    ({"properties": {"o": {"properties": {"a": {"default": 1}}}}}, {}, {}),
    ({"properties": {"o": {"default": {}, "properties": {"a": {"default": [1]}}}}}, {},
     {"o": {"a": [1]}}),
    ({"properties": {"l": {"items": {"properties": {"a": {"default": 1}}}}}},
     {"l": [{}, {"a": 2}, 3]},
     {"l": [{"a": 1}, {"a": 2}, 3]}),
    ({"prefixItems": [{"properties": {"a": {"default": 1}}}]}, [{}, {}], [{"a": 1}, {}]),
    ({"additionalProperties": {"properties": {"a": {"default": 1}}}}, {"x": {}}, {"x": {"a": 1}}),
    ({"patternProperties": {"^x": {"properties": {"a": {"default": 1}}}}}, {"x": {}, "y": {}},
     {"x": {"a": 1}, "y": {}}),
    ({"$defs": {"d": {"default": 7}}, "properties": {"a": {"$ref": "#/$defs/d"}}}, {}, {"a": 7}),
    ({"properties": {"a": {"allOf": [{}, {"default": 7}]}}}, {}, {"a": 7}),
    ({"$defs": {"o": {"properties": {"a": {"default": 1}}}}, "$ref": "#/$defs/o"}, {}, {"a": 1}),
    ({"allOf": [{"properties": {"a": {"default": 1}}}, {"properties": {"b": {"default": 2}}}]}, {},
     {"a": 1, "b": 2}),
    ({"anyOf": [{"type": "null"}, {"properties": {"a": {"default": 1}}}]}, {}, {"a": 1}),
    ({"oneOf": [{"required": ["k"]}, {"maxProperties": 0, "properties": {"a": {"default": 1}}}]},
     {}, {"a": 1}),
    ({"anyOf": [{"required": ["k"], "properties": {"a": {"default": 1}}}]}, {}, {}),
    ({"if": {"required": ["k"]}, "then": {"properties": {"a": {"default": 1}}},
      "else": {"properties": {"b": {"default": 2}}}}, {}, {"b": 2}),
    ({"if": {"required": ["k"]}, "then": {"properties": {"a": {"default": 1}}}}, {}, {}),
    ({"dependentSchemas": {"k": {"properties": {"a": {"default": 1}}}}}, {"k": 0},
     {"k": 0, "a": 1}),
    ({"dependentSchemas": {"k": {"properties": {"a": {"default": 1}}}}}, {}, {}),
    ({"properties": {"kids": {"items": {"$ref": "#"}}, "v": {"default": 0}}},
     {"kids": [{"kids": [{}]}]},
     {"kids": [{"kids": [{"v": 0}], "v": 0}], "v": 0}),
    ({"default": 5}, None, None),
    ({"properties": {"a": True}}, {}, {}),
    (True, {}, {}),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "value", "seeded"), SEEDED, ids=lambda one: repr(one)[:50])
def test_absent_properties_get_their_default(schema: Any, value: Any, seeded: Any) -> None:
    check = compile_check(schema)
    before = deepcopy(value)

    assert check.seed_defaults(value) == seeded
    assert value == before
    if value == seeded:
        assert check.seed_defaults(value) is value


def test_a_mutable_default_is_never_shared() -> None:
    schema: Any = {"properties": {"a": {"default": {"list": [1, {}]}}, "b": {"default": []}}}
    check = compile_check(schema)
    first = check.seed_defaults({})
    first["a"]["list"].append(2)
    first["a"]["list"][1]["x"] = 1
    first["b"].append(3)

    assert check.seed_defaults({}) == {"a": {"list": [1, {}]}, "b": []}
    assert schema["properties"]["a"]["default"] == {"list": [1, {}]}


def test_a_wide_value_is_repaired_and_seeded_in_linear_time() -> None:
    schema = {"items": {"properties": {"a": {"type": "integer"}, "b": {"default": 1}}}}
    check = compile_check(schema)
    began = time.monotonic()

    assert check.repair([{"a": "1"}] * 10_000) == [{"a": 1}] * 10_000
    assert check.seed_defaults([{}] * 10_000) == [{"b": 1}] * 10_000
    assert time.monotonic() - began < 10
