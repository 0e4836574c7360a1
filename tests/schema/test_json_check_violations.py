"""Errors teach the model: their words, their order, and what they keep to themselves."""

from typing import Any

import pytest
from sansmcp_schema.json_check import (
    DEFAULT_SECRET_WORDS,
    SchemaLimits,
    Violation,
    compile_check,
    is_secret_name,
    path_text,
    render,
    show,
)

OLD = {"$schema": "http://json-schema.org/draft-07/schema#"}
FIGURE = {
    "oneOf": [
        {
            "properties": {"kind": {"const": "circle"}, "r": {"type": "number"}},
            "required": ["kind", "r"],
        },
        {"properties": {"kind": {"const": "square"}, "side": {"minimum": 1}}, "required": ["kind"]},
    ]
}
QUERY = {
    "type": "object",
    "properties": {"query": {"type": "string"}, "limit": {"type": "integer", "minimum": 1}},
    "required": ["query"],
    "additionalProperties": False,
}


def lines(schema: Any, value: Any, **options: Any) -> list[str]:
    return [render(one) for one in compile_check(schema, **options).violations(value)]


WORDS: list[tuple[Any, Any, list[str]]] = [
    # schema, value, lines
    (QUERY, {"query": "q", "limit": "soon"}, ['limit: expected integer, got "soon"']),
    (QUERY, {"query": "q", "limit": 0}, ["limit: expected integer >= 1, got 0"]),
    (QUERY, {"limit": 1},
     ['arguments: missing "query": received "limit"; expected "query", "limit"']),
    (QUERY, {}, ['arguments: missing "query": received no keys; expected "query", "limit"']),
    (QUERY, {"qurey": 1, "limit": 1}, [
        'arguments: missing "query": received "qurey", "limit"; expected "query", "limit"',
        'arguments: unknown key "qurey": expected "query", "limit"; did you mean "query"?']),
    (QUERY, {"query": "q", "page": 1},
     ['arguments: unknown key "page": expected "query", "limit"']),
    (QUERY, [], ["arguments: expected object, got array"]),
    (QUERY, None, ["arguments: expected object, got null"]),
    ({"properties": {"topic": {}}, "additionalProperties": False}, {"tpoic": 1},
     ['arguments: unknown key "tpoic": expected "topic"']),
    ({"additionalProperties": False}, {"a": 1},
     ['arguments: unknown key "a": no keys are expected']),
    ({"patternProperties": {"^x-": {}}, "properties": {"a": {}}, "additionalProperties": False},
     {"y": 1}, ['arguments: unknown key "y": expected "a" or names that match "^x-"']),
    ({"type": "number"}, True, ["arguments: expected number, got true"]),
    ({"type": "integer"}, 1.5, ["arguments: expected integer, got 1.5"]),
    ({"type": "integer"}, float("nan"), ["arguments: expected integer, got NaN"]),
    ({"type": "integer"}, float("-inf"), ["arguments: expected integer, got Infinity"]),
    ({"type": ["integer", "null"]}, {}, ["arguments: expected integer or null, got object"]),
    ({"type": "string"}, {1}, ["arguments: expected string, got set"]),
    ({"enum": ["a", "b"]}, "c", ['arguments: expected one of "a", "b", got "c"']),
    ({"type": "string", "enum": ["a", "b"]}, 5, ['arguments: expected one of "a", "b", got 5']),
    ({"type": "string", "minLength": 3}, 5, ["arguments: expected string, got 5"]),
    ({"enum": ["a"]}, "c", ['arguments: expected "a", got "c"']),
    ({"enum": [None, True, 1.5, [1], {"a": 1}]}, 2,
     ['arguments: expected one of null, true, 1.5, [1], {"a":1}, got 2']),
    ({"enum": [["x" * 90]]}, 2, ["arguments: expected a certain array, got 2"]),
    ({"enum": list(range(30))}, -1, [
        f"arguments: expected one of {', '.join(map(str, range(20)))}, ... (10 more), got -1"]),
    ({"const": {"a": 1}}, [], ['arguments: expected {"a":1}, got array']),
    ({"exclusiveMinimum": 1.5}, 1, ["arguments: expected number > 1.5, got 1"]),
    ({"maximum": 3}, 4, ["arguments: expected number <= 3, got 4"]),
    ({"type": "integer", "exclusiveMaximum": 3}, 3, ["arguments: expected integer < 3, got 3"]),
    ({"multipleOf": 5}, 7, ["arguments: expected number that is a multiple of 5, got 7"]),
    ({"minimum": 5, "multipleOf": 5}, 3, [
        "arguments: expected number that is a multiple of 5, got 3",
        "arguments: expected number >= 5, got 3"]),
    ({"minLength": 1}, "", [
        'arguments: expected string of at least 1 character, got "" (0 characters)']),
    ({"maxLength": 2}, "abc", [
        'arguments: expected string of at most 2 characters, got "abc" (3 characters)']),
    ({"pattern": "^a"}, "b", ['arguments: expected string that matches "^a", got "b"']),
    ({"minItems": 2}, [1], ["arguments: expected array of at least 2 items, got 1"]),
    ({"maxItems": 1}, [1, 2], ["arguments: expected array of at most 1 item, got 2"]),
    ({"minProperties": 1}, {}, ["arguments: expected object of at least 1 property, got 0"]),
    ({"maxProperties": 0}, {"a": 1}, ["arguments: expected object of at most 0 properties, got 1"]),
    ({"uniqueItems": True}, [0, 1, {}, 1.0], [
        "arguments: expected array without equal items, got array whose items 1 and 3 are equal"]),
    ({"items": {"properties": {"name": {"type": "string"}}}}, [{}, {"name": 1}, {"name": None}], [
        "arguments[1].name: expected string, got 1",
        "arguments[2].name: expected string, got null"]),
    ({"properties": {"a": {"items": {"items": {"type": "null"}}}}}, {"a": [[None, 1]]},
     ["a[0][1]: expected null, got 1"]),
    ({"prefixItems": [{"type": "null"}], "items": False}, [1, 2], [
        "arguments[0]: expected null, got 1", "arguments[1]: expected no value, got 2"]),
    ({"contains": {"type": "integer"}}, ["a"], [
        "arguments: expected array with at least 1 item that is integer, got 0"]),
    ({"contains": {"type": "integer"}, "minContains": 2}, [1], [
        "arguments: expected array with at least 2 items that are integer, got 1"]),
    ({"contains": {"type": "integer"}, "maxContains": 1}, [1, 2], [
        "arguments: expected array with at most 1 item that is integer, got 2"]),
    ({"propertyNames": {"pattern": "^a", "maxLength": 1}}, {"bc": 1}, [
        'arguments: key "bc": expected string of at most 1 character, got "bc" (2 characters)',
        'arguments: key "bc": expected string that matches "^a", got "bc"']),
    ({"dependentRequired": {"a": ["b", "c"]}}, {"a": 1},
     ['arguments: missing "b", "c", which "a" needs beside it']),
    ({**OLD, "dependencies": {"a": ["b"], "c": {"required": ["d"]}}}, {"a": 1, "c": 1}, [
        'arguments: missing "b", which "a" needs beside it',
        'arguments: missing "d": received "a", "c"; expected "d"']),
    ({"properties": {"a": False}}, {"a": 1}, ["a: expected no value, got 1"]),
    (False, 1, ["arguments: expected no value, got 1"]),
    ({"$defs": {"i": {"type": "integer"}}, "properties": {"a": {"$ref": "#/$defs/i"}}}, {"a": "x"},
     ['a: expected integer, got "x"']),
    ({"allOf": [{"type": "integer"}, {"type": "integer", "minimum": 3}]}, "x",
     ['arguments: expected integer, got "x"']),
    ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "x",
     ['arguments: expected integer or null, got "x"']),
    ({"anyOf": [{"type": "integer", "minimum": 3}, {"type": "null"}]}, 1,
     ["arguments: expected integer >= 3, got 1"]),
    ({"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]}, ["a", 1],
     ["arguments[1]: expected string, got 1"]),
    ({"anyOf": [{"pattern": "^a"}, {"maxLength": 1}, {"type": "null"}]}, "bc", [
        ('arguments: expected string that matches "^a" or string of at most 1 character or null, '
         'got "bc"')]),
    ({"anyOf": [{"required": ["a"]}, {"required": ["b", "c"]}]}, {}, [
        'arguments: expected object with "a" or object with "b", "c", got object']),
    ({"anyOf": [{"const": at} for at in range(12)]}, 99, [
        "arguments: expected 0 or 1 or 2 or 3 or 4 or 5 or 6 or 7 or ... (4 more), got 99"]),
    (FIGURE, {"kind": "circle"}, [
        'arguments: missing "r": received "kind"; expected "kind", "r"']),
    (FIGURE, {"kind": "square", "side": 0}, ["side: expected number >= 1, got 0"]),
    (FIGURE, {"kind": "line"}, ['kind: expected "circle" or "square", got "line"']),
    (FIGURE, {"r": 1}, [
        'arguments: expected object with "kind", "r" or object with "kind", got object']),
    ({"oneOf": [{"type": "number"}, {"type": "integer"}, {"enum": ["a"]}]}, 1, [
        ("arguments: expected exactly one of 3 alternatives to hold, got 1, for which 2 hold: "
         "number or integer")]),
    ({"not": {"const": "x"}}, "x", ['arguments: expected anything but "x", got "x"']),
    ({"not": {}}, 1, ["arguments: expected anything but another value, got 1"]),
    ({"not": True}, 1, ["arguments: expected anything but any value, got 1"]),
    ({"not": {"allOf": [{}, {"$ref": "#/$defs/s"}]}, "$defs": {"s": {"oneOf": [{"type": "null"}]}}},
     None, ["arguments: expected anything but null, got null"]),
    ({"not": {"anyOf": [{"type": "null"}, False]}}, None,
     ["arguments: expected anything but null or no value, got null"]),
    ({"if": {"minimum": 10}, "then": {"multipleOf": 10}, "else": {"maximum": 5}}, 15,
     ["arguments: expected number that is a multiple of 10, got 15"]),
    ({"if": {"minimum": 10}, "then": {"multipleOf": 10}, "else": {"maximum": 5}}, 7,
     ["arguments: expected number <= 5, got 7"]),
    ({"if": {"minimum": 10}, "then": {"multipleOf": 10}, "maximum": 5}, 7,
     ["arguments: expected number <= 5, got 7"]),
    ({"dependentSchemas": {"a": {"properties": {"b": {"type": "null"}}}}}, {"a": 1, "b": 2},
     ["b: expected null, got 2"]),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "value", "expected"), WORDS, ids=lambda one: repr(one)[:60])
def test_the_words_of_each_error(schema: Any, value: Any, expected: list[str]) -> None:
    assert lines(schema, value) == expected


def test_all_violations_come_at_once_in_one_shape() -> None:
    schema = {
        "type": "object",
        "properties": {
            "n": {"type": "integer"},
            "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
            "sort": {"enum": ["asc", "desc"]},
        },
        "required": ["n", "w"],
        "additionalProperties": False,
    }

    assert lines(schema, {"tags": ["a", 1, None], "sort": "up", "x": 1}) == [
        (
            'arguments: missing "n", "w": received "tags", "sort", "x"; '
            'expected "n", "tags", "sort", "w"'
        ),
        "tags: expected array of at most 2 items, got 3",
        "tags[1]: expected string, got 1",
        "tags[2]: expected string, got null",
        'sort: expected one of "asc", "desc", got "up"',
        'arguments: unknown key "x": expected "n", "tags", "sort", "w"',
    ]


def test_a_violation_is_data() -> None:
    check = compile_check({"properties": {"a": {"items": {"minimum": 1}}}})

    assert check.violations({"a": [1, 0]}) == [
        Violation(("a", 1), "minimum", "expected number >= 1, got 0")
    ]


SHOWN: list[tuple[Any, str]] = [
    (None, "null"),
    (False, "false"),
    (-1, "-1"),
    (1e300, "1e+300"),
    (10**5000, "integer of 16610 bits"),
    ("a" * 40, '"' + "a" * 40 + '"'),
    ("a" * 41, '"' + "a" * 40 + '..."'),
    ('\n"\x00\u2028\\', '"\\n\\"\\u0000\u2028\\\\"'),
    ("\xe9", '"\xe9"'),
    ("\ud800", '"\\\\ud800"'),
    ([1], "array"),
    ((1,), "array"),
    ({"a": 1}, "object"),
]


@pytest.mark.parametrize(("value", "shown"), SHOWN, ids=range(len(SHOWN)))
def test_a_scalar_is_shown_cut_and_escaped_and_anything_else_by_its_type(
    value: Any, shown: str
) -> None:
    assert show(value, secret=False) == shown


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((), "arguments"),
        (("limit",), "limit"),
        (("items", 2, "name"), "items[2].name"),
        ((0, "a"), "arguments[0].a"),
        (("a b", "c.d"), 'arguments["a b"]["c.d"]'),
        (("a", "\n"), 'a["\\n"]'),
        (("x" * 50,), 'arguments["' + "x" * 40 + '..."]'),
        (("$ref-1", "\xe9"), 'arguments["$ref-1"].\xe9'),
        (("a-b", "c$"), "a-b.c$"),
    ],
)
def test_a_path_is_written_as_people_write_it(path: tuple[str | int, ...], text: str) -> None:
    assert path_text(path) == text


@pytest.mark.parametrize(
    "name",
    [
        "password", "Password", "user_password", "passwords", "apiKey", "API_KEY",
        "APIKey", "api-key", "key", "keys", "accessToken", "accesstoken",
        "csrf_tokens", "client.secret", "clientsecret", "XKey", "key2",
    ],
)  # fmt: skip
def test_a_secret_word_in_a_name_makes_it_secret(name: str) -> None:
    assert is_secret_name(name, DEFAULT_SECRET_WORDS)


@pytest.mark.parametrize(
    "name", ["monkey", "keyboard", "hockey", "donkeys", "tokenize", "", "k_e_y"]
)
def test_a_secret_word_inside_of_another_does_not(name: str) -> None:
    assert not is_secret_name(name, DEFAULT_SECRET_WORDS)


HIDDEN: list[tuple[Any, Any]] = [
    # schema of the property p, or of everything; a value that must not show
    ({"properties": {"password": {"type": "integer"}}}, {"password": "hunter2"}),
    ({"properties": {"apiKey": {"maxLength": 3}}}, {"apiKey": "hunter2"}),
    ({"properties": {"p": {"writeOnly": True, "enum": ["a"]}}}, {"p": "hunter2"}),
    ({"properties": {"p": {"format": "password", "pattern": "^x"}}}, {"p": "hunter2"}),
    ({"properties": {"p": {"anyOf": [{"type": "null"}, {"format": "password", "maxLength": 1}]}}},
     {"p": "hunter2"}),
    ({"$defs": {"s": {"writeOnly": True}}, "properties": {"p":
      {"$ref": "#/$defs/s", "minLength": 9}}},
     {"p": "hunter2"}),
    ({"properties": {"secret": {"properties": {"deep": {"items": {"type": "null"}}}}}},
     {"secret": {"deep": ["hunter2"]}}),
    ({"properties": {"token": QUERY}}, {"token": {"hunter2": 1}}),
    ({"properties": {"token": {"propertyNames": {"maxLength": 2}}}}, {"token": {"hunter2": 1}}),
    ({"properties": {"token": {"required": ["a"]}}}, {"token": {"hunter2": 1}}),
    ({"additionalProperties": {"type": "integer"}}, {"auth_token": "hunter2"}),
    ({"patternProperties": {"": {"oneOf": [{}, {}]}}}, {"password": "hunter2"}),
    ({"properties": {"password": {"not": {"type": "string"}}}}, {"password": "hunter2"}),
    ({"properties": {"password": {"unevaluatedItems": False, "type": "null"}}},
     {"password": "hunter2"}),
    ({"properties": {"p": {"unevaluatedItems": False}}}, {"p": ["hunter2"]}),
    ({"properties": {"password": {"unevaluatedProperties": False}}}, {"password": {"hunter2": 1}}),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "value"), HIDDEN, ids=lambda one: repr(one)[:60])
def test_a_secret_value_is_never_shown(schema: Any, value: Any) -> None:
    found = lines(schema, value)

    assert found
    assert not any("hunter2" in line for line in found)


def test_a_secret_is_named_by_its_type() -> None:
    schema = {"properties": {"password": {"type": "integer", "minimum": 5}}}

    assert lines(schema, {"password": "hunter2"}) == ["password: expected integer, got string"]
    assert lines(schema, {"password": 1}) == ["password: expected integer >= 5, got integer"]


def test_secret_words_are_a_setting() -> None:
    schema = {"properties": {"pin": {"maximum": 1}, "key": {"maximum": 1}}}

    assert lines(schema, {"pin": 7, "key": 7}, secret_words=["PIN"]) == [
        "pin: expected number <= 1, got integer",
        "key: expected number <= 1, got 7",
    ]


def test_the_list_of_violations_is_bounded() -> None:
    check = compile_check({"items": {"type": "null"}}, limits=SchemaLimits(max_violations=3))

    assert [render(one) for one in check.violations([1] * 100_000)] == [
        "arguments[0]: expected null, got 1",
        "arguments[1]: expected null, got 1",
        "arguments[2]: expected null, got 1",
        "arguments: more is wrong than is listed here",
    ]
    assert len(check.violations([1] * 3)) == 3


def test_alternatives_inside_of_alternatives_are_looked_at_once() -> None:
    option = {
        "required": ["op"],
        "properties": {"arg": {"$ref": "#/$defs/e"}, "op": {"type": "string"}},
    }
    check = compile_check(
        {"$defs": {"e": {"anyOf": [option, {**option, "minProperties": 1}]}}, "$ref": "#/$defs/e"}
    )
    value: Any = {}
    for _ in range(40):
        value = {"op": "neg", "arg": value}

    assert [render(one) for one in check.violations(value)] == [
        f'{".".join(["arg"] * 40)}: missing "op": received no keys; expected "arg", "op"'
    ]
    assert check.repair(value) is value


def test_the_work_of_listing_is_bounded() -> None:
    inner = {"anyOf": [{"properties": {str(at): {"type": "null"}}} for at in range(120)]}
    check = compile_check({"items": {"items": inner}})
    value = [[{str(at): 1 for at in range(120)}] * 100] * 100

    assert check.violations(value)[-1].message == "more is wrong than is listed here"


def test_one_wrong_item_is_found_behind_many_good_ones() -> None:
    check = compile_check({"items": {"type": "integer"}})

    assert lines(check.schema, [1] * 100_000 + ["x"]) == [
        'arguments[100000]: expected integer, got "x"'
    ]


def test_a_long_unknown_key_is_cut_and_long_lists_are_too() -> None:
    names = {f"name{at}": True for at in range(300)}
    found = lines({"properties": names, "additionalProperties": False}, {"x" * 500: 1, "nmae7": 1})

    assert "x" * 41 not in found[0]
    assert "(280 more)" in found[0]
    assert found[1].endswith('did you mean "name7"?')


_INTS, _TEXTS = {"type": "integer"}, {"type": "string"}
_S1 = {"type": "object", "properties": {"a": _INTS}, "required": ["a"],
       "additionalProperties": False}  # fmt: skip
_S2 = {"type": "object", "properties": {"b": _TEXTS, "c": _INTS}, "required": ["b"],
       "additionalProperties": False}  # fmt: skip


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf"])
@pytest.mark.parametrize(
    ("options", "value", "lines"),
    [
        (
            [{"type": "array", "items": _INTS}, {"type": "array", "items": _TEXTS}],
            [1, "a"],
            ['v[1]: expected integer, got "a"'],
        ),
        (
            [{"type": "array", "items": _INTS}, {"type": "array", "items": _TEXTS}],
            ["a", 1],
            ["v[1]: expected string, got 1"],
        ),
        (
            [{"type": "array", "items": _INTS}, {"type": "array", "items": _TEXTS}],
            [None],
            ["v[0]: expected integer or string, got null"],
        ),
        (
            [{"type": "array", "items": _INTS}, {"type": "array", "items": _TEXTS}],
            [1, 2, "a", None],
            ['v[2]: expected integer, got "a"', "v[3]: expected integer, got null"],
        ),
        ([_S1, _S2], {"a": "zz"}, ['v.a: expected integer, got "zz"']),
        ([_S1, _S2], {"b": "x", "c": "y"}, ['v.c: expected integer, got "y"']),
        (
            [_S1, _S2],
            {"c": 1},
            ['v: missing "b": received "c"; expected "b", "c"'],
        ),
        (
            [{"type": "array", "items": _S1}, {"type": "array", "items": _TEXTS}],
            [{"a": "zz"}],
            ['v[0].a: expected integer, got "zz"'],
        ),
        (
            [_INTS, {"type": "array", "items": _S1}, {"type": "array", "items": _S2}],
            [{"b": 5}],
            ["v[0].b: expected string, got 5"],
        ),
    ],
)  # fmt: skip
def test_of_alternatives_the_one_that_gets_furthest_is_explained(
    keyword: str, options: list[Any], value: Any, lines: list[str]
) -> None:
    check = compile_check({"type": "object", "properties": {"v": {keyword: options}}})

    assert [render(one) for one in check.violations({"v": value})] == lines


@pytest.mark.parametrize(
    ("value", "line"),
    [
        ({}, 'v: expected object with "a" or object with "b", got object'),
        ({"z": 1}, 'v: expected object with "a" or object with "b", got object'),
        (5, 'v: expected object with "a" or object with "b", got 5'),
    ],
)
def test_alternatives_that_get_equally_far_are_listed(value: Any, line: str) -> None:
    check = compile_check({"type": "object", "properties": {"v": {"anyOf": [_S1, _S2]}}})

    assert [render(one) for one in check.violations({"v": value})] == [line]


def test_a_secret_is_not_shown_by_the_alternative_that_gets_furthest() -> None:
    lists = [{"type": "array", "items": _INTS}, {"type": "array", "items": {"type": "boolean"}}]
    check = compile_check({"type": "object", "properties": {"token": {"anyOf": lists}}})

    (violation,) = check.violations({"token": [1, "hush"]})

    assert "hush" not in render(violation)
