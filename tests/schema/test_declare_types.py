"""Each type: what is published for it, what it takes, what the handler gets."""

import collections
import datetime as dt
import decimal
import enum
import sys
import types
import typing
import uuid
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NamedTuple, NewType, NotRequired, Optional, TypedDict

import msgspec
import pytest
from msgspec import Meta, Struct
from sansmcp_schema.declare import (
    Bound,
    InputReader,
    Refused,
    input_from_signature,
    schema_of_type,
    to_json,
    to_value,
)


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Mixed(enum.Enum):
    ONE = 1
    B = "b"
    HALF = 1.5
    NONE = None


class Guessing(enum.Enum):
    A = "a"

    @classmethod
    def _missing_(cls, value: object) -> "Guessing":
        return cls.A


class Point(Struct):
    """A place.

    Args:
        x: To the east.
    """

    x: int
    y: float = 0.5


class Closed(Struct, forbid_unknown_fields=True):
    n: int


class Node(Struct):
    v: int
    kids: list["Node"] = []


class Cat(Struct, tag="cat"):
    lives: int


class Dog(Struct, tag="dog"):
    age: int


class Renamed(Struct, rename="camel"):
    first_name: str


class Pair(Struct, array_like=True):
    left: int
    right: str = "r"


@dataclass
class Box:
    n: int
    tags: list[str] = field(default_factory=list)


class Options(TypedDict):
    a: int
    b: NotRequired[str]


class Place(NamedTuple):
    row: int
    column: int = 0


T = typing.TypeVar("T")


class Holder(Struct, typing.Generic[T]):
    it: T


UserId = NewType("UserId", int)
Age = NewType("Age", Annotated[int, Meta(ge=0)])
UUID_TEXT = "12345678-1234-5678-1234-567812345678"
INT = {"type": "integer"}
STR = {"type": "string"}
NUMBER = r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$"
POINT = {
    "type": "object",
    "properties": {
        "x": {"type": "integer", "description": "To the east."},
        "y": {"type": "number", "default": 0.5},
    },
    "required": ["x"],
    "additionalProperties": False,
    "description": "A place.",
}


def reader_of(annotation: Any) -> InputReader:
    def tool(v: Any) -> None: ...

    tool.__annotations__["v"] = annotation
    reader = input_from_signature(tool)
    assert isinstance(reader, InputReader)
    return reader


# Type, its schema, and pairs of a JSON text and the value it becomes.
ACCEPTED: list[tuple[Any, dict[str, Any], list[tuple[str, Any]]]] = [
    (str, STR, [('"a"', "a"), ('"5"', "5"), ('"é"', "é")]),
    (bool, {"type": "boolean"}, [("true", True), ('"false"', False)]),
    (
        int,
        INT,
        [
            ("5", 5),
            ("5.0", 5),
            ("1e3", 1000),
            ('"5"', 5),
            ("1e23", 10**23),
            ("-0.0", 0),
            ("9007199254740993.0", 2**53 + 1),
            ("123456789012345678901234567890", None),
        ],
    ),
    (
        float,
        {"type": "number"},
        [
            ("5", 5.0),
            ("2.5", 2.5),
            ("1e300", 1e300),
            ("9007199254740993", 2**53 + 1),
            ("9007199254740993.0", 2**53 + 1),
            ("9007199254740992", 2.0**53),
        ],
    ),
    (Any, {}, [("null", None), ("[1]", [1]), ('"5"', "5")]),
    (object, {}, [("1.5", 1.5)]),
    (
        dt.datetime,
        STR | {"format": "date-time"},
        [('"2024-01-02T03:04:05Z"', dt.datetime(2024, 1, 2, 3, 4, 5, tzinfo=dt.UTC))],
    ),
    (dt.date, STR | {"format": "date"}, [('"2024-01-02"', dt.date(2024, 1, 2))]),
    (dt.time, STR | {"format": "time"}, [('"03:04:05"', dt.time(3, 4, 5))]),
    (dt.timedelta, STR | {"format": "duration"}, [('"P1D"', dt.timedelta(1))]),
    (
        uuid.UUID,
        STR | {"format": "uuid"},
        [
            (f'"{UUID_TEXT}"', uuid.UUID(UUID_TEXT)),
            (f'"{{{UUID_TEXT}}}"', uuid.UUID(UUID_TEXT)),
            (f'"urn:uuid:{UUID_TEXT}"', uuid.UUID(UUID_TEXT)),
            (f'"{UUID_TEXT.replace("-", "")}"', uuid.UUID(UUID_TEXT)),
        ],
    ),
    (
        decimal.Decimal,
        {"anyOf": [{"type": "number"}, STR | {"format": "decimal", "pattern": NUMBER}]},
        [("1.25", decimal.Decimal("1.25")), ('"0.1"', decimal.Decimal("0.1"))],
    ),
    (bytes, STR | {"contentEncoding": "base64"}, [('"aGk="', b"hi")]),
    (Color, STR | {"enum": ["red", "blue"]}, [('"red"', Color.RED)]),
    (Level, INT | {"enum": [1, 2]}, [("1", Level.LOW), ("2.0", Level.HIGH), ('"1"', Level.LOW)]),
    (
        Mixed,
        {"enum": [1, "b", 1.5, None]},
        [("1", Mixed.ONE), ('"b"', Mixed.B), ("1.5", Mixed.HALF), ("null", Mixed.NONE)],
    ),
    (Guessing, STR | {"enum": ["a"]}, [('"a"', Guessing.A)]),
    (Literal["a", 2, None], {"enum": ["a", 2, None]}, [('"a"', "a"), ("2", 2), ("null", None)]),  # noqa: PYI061
    (Literal[0.5, 2], {"enum": [0.5, 2]}, [("0.5", 0.5), ("2.0", 2)]),
    (Literal[True, 2], {"enum": [True, 2]}, [("true", True), ("2", 2)]),
    (Literal[Color.RED], STR | {"enum": ["red"]}, [('"red"', Color.RED)]),
    (int | None, {"anyOf": [INT, {"type": "null"}]}, [("1", 1), ("null", None), ('"1"', 1)]),
    (Optional[str], {"anyOf": [STR, {"type": "null"}]}, [('"null"', "null"), ("null", None)]),  # noqa: UP045
    (int | str, {"anyOf": [INT, STR]}, [("1", 1), ('"1"', "1"), ("1.0", 1)]),
    (float | int, {"anyOf": [{"type": "number"}, INT]}, [("1", 1), ("2.5", 2.5)]),
    (
        dt.datetime | str,
        {"anyOf": [STR | {"format": "date-time"}, STR]},
        [
            ('"soon"', "soon"),
            ('"2024-01-02T03:04:05"', dt.datetime(2024, 1, 2, 3, 4, 5)),
        ],
    ),
    (
        dict | Point,
        {"anyOf": [{"type": "object"}, POINT]},
        [('{"x": 1}', Point(1)), ('{"x": "1"}', {"x": "1"}), ("{}", {})],
    ),
    (
        list[int] | set[str],
        {"anyOf": [{"type": "array", "items": INT}, {"type": "array", "items": STR}]},
        [("[1]", [1]), ('["a"]', {"a"}), ("[]", [])],
    ),
    (
        Annotated[int | None, Meta(ge=1)],
        {"anyOf": [INT | {"minimum": 1}, {"type": "null"}]},
        [("1", 1), ("null", None)],
    ),
    (list[int], {"type": "array", "items": INT}, [("[1, 2.0]", [1, 2]), ('"[1,2]"', [1, 2])]),
    (list, {"type": "array"}, [('[1, "a"]', [1, "a"])]),
    (collections.abc.Sequence[int], {"type": "array", "items": INT}, [("[1]", [1])]),
    (set[int], {"type": "array", "items": INT}, [("[1, 1]", {1})]),
    (frozenset[str], {"type": "array", "items": STR}, [('["a"]', frozenset("a"))]),
    (collections.deque[int], {"type": "array", "items": INT}, [("[1]", collections.deque([1]))]),
    (tuple[int, ...], {"type": "array", "items": INT}, [("[1, 2]", (1, 2))]),
    (
        tuple[int, str],
        {"type": "array", "minItems": 2, "maxItems": 2, "prefixItems": [INT, STR]},
        [('[1, "a"]', (1, "a")), ('[1.0, "a"]', (1, "a"))],
    ),
    (dict[str, int], {"type": "object", "additionalProperties": INT}, [('{"a": 1.0}', {"a": 1})]),
    (
        dict[int, str],
        {
            "type": "object",
            "additionalProperties": STR,
            "propertyNames": {"pattern": "^-?(0|[1-9][0-9]*)$"},
        },
        [('{"1": "a"}', {1: "a"})],
    ),
    (
        dict[Color, int],
        {
            "type": "object",
            "additionalProperties": INT,
            "propertyNames": {"enum": ["red", "blue"]},
        },
        [('{"red": 1}', {Color.RED: 1})],
    ),
    (Point, POINT, [('{"x": 1}', Point(1)), ('{"x": 1.0, "y": 2}', Point(1, 2.0))]),
    (
        Renamed,
        {
            "type": "object",
            "properties": {"firstName": STR},
            "required": ["firstName"],
            "additionalProperties": False,
        },
        [('{"firstName": "a"}', Renamed("a"))],
    ),
    (
        Box,
        {
            "type": "object",
            "properties": {"n": INT, "tags": {"type": "array", "items": STR, "default": []}},
            "required": ["n"],
            "additionalProperties": False,
        },
        [('{"n": 1}', Box(1)), ('{"n": 1.0, "tags": ["a"]}', Box(1, ["a"]))],
    ),
    (
        Options,
        {
            "type": "object",
            "properties": {"a": INT, "b": STR},
            "required": ["a"],
            "additionalProperties": False,
        },
        [('{"a": 1}', {"a": 1}), ('{"a": 1.0, "b": "x"}', {"a": 1, "b": "x"})],
    ),
    (
        Place,
        {
            "type": "array",
            "minItems": 1,
            "prefixItems": [INT, INT | {"default": 0}],
            "maxItems": 2,
        },
        [("[1]", Place(1)), ("[1, 2]", Place(1, 2))],
    ),
    (
        Pair,
        {
            "type": "array",
            "minItems": 1,
            "prefixItems": [INT, STR | {"default": "r"}],
            "maxItems": 2,
        },
        [("[1]", Pair(1)), ('[1, "l"]', Pair(1, "l"))],
    ),
    (
        Holder[int],
        {
            "type": "object",
            "properties": {"it": INT},
            "required": ["it"],
            "additionalProperties": False,
        },
        [('{"it": 1}', Holder(1))],
    ),
    (
        Cat | Dog,
        {
            "anyOf": [
                {
                    "type": "object",
                    "properties": {"type": {"const": "cat"}, "lives": INT},
                    "required": ["type", "lives"],
                    "additionalProperties": False,
                },
                {
                    "type": "object",
                    "properties": {"type": {"const": "dog"}, "age": INT},
                    "required": ["type", "age"],
                    "additionalProperties": False,
                },
            ]
        },
        [('{"type": "cat", "lives": 9}', Cat(9)), ('{"type": "dog", "age": 1.0}', Dog(1))],
    ),
    (UserId, INT, [("1", 1)]),
    (Age, INT | {"minimum": 0}, [("1", 1)]),
    (
        Annotated[str, Meta(min_length=2, max_length=3, pattern="^a", description="d", title="t")],
        STR | {"minLength": 2, "maxLength": 3, "pattern": "^a", "description": "d", "title": "t"},
        [('"ab"', "ab"), ('"a😀"', "a😀")],
    ),
    (
        Annotated[float, Meta(multiple_of=0.1)],
        {"type": "number", "multipleOf": 0.1},
        [("0.3", 0.3)],
    ),
    (Annotated[int, Meta(ge=2**70)], INT | {"minimum": 2**70}, [(str(2**70), 2**70)]),
    (
        Annotated[set[int], Meta(max_length=2)],
        {"type": "array", "items": INT, "maxItems": 2, "uniqueItems": True},
        [("[1, 2]", {1, 2})],
    ),
]


@pytest.mark.parametrize(
    ("annotation", "schema", "cases"), ACCEPTED, ids=[str(row[0])[:60] for row in ACCEPTED]
)
def test_a_type_publishes_its_schema_and_takes_what_fits(
    annotation: Any, schema: dict[str, Any], cases: list[tuple[str, Any]]
) -> None:
    reader = reader_of(annotation)
    assert reader.schema["properties"]["v"] == schema
    for text, value in cases:
        wanted = msgspec.json.decode(text) if value is None else value
        bound = reader.read(f'{{"v":{text}}}'.encode())
        assert isinstance(bound, Bound), bound
        assert bound.args == (wanted,)
        assert type(bound.args[0]) is type(wanted)


# Type, a JSON text, the lines a model reads.
REFUSED: list[tuple[Any, str, list[str]]] = [
    (int, "5.5", ["v: expected integer, got 5.5"]),
    (int, "true", ["v: expected integer, got true"]),
    (int, '"soon"', ['v: expected integer, got "soon"']),
    (int, "null", ["v: expected integer, got null"]),
    (bool, "1", ["v: expected boolean, got 1"]),
    (bool, '"yes"', ['v: expected boolean, got "yes"']),
    (str, "5", ["v: expected string, got 5"]),
    (list[int], '"[1,"', ['v: expected array, got "[1,"']),
    (
        list[int],
        '[1, "a", true]',
        ['v[1]: expected integer, got "a"', "v[2]: expected integer, got true"],
    ),
    (dt.datetime, '"soon"', ['v: expected an RFC 3339 date-time, got "soon"']),
    (dt.date, '"2024-13-01"', ['v: expected an RFC 3339 date, got "2024-13-01"']),
    (uuid.UUID, '"{1234"', ['v: expected a UUID, got "{1234"']),
    (uuid.UUID, f'"{{{UUID_TEXT}"', [f'v: expected a UUID, got "{{{UUID_TEXT}"']),
    (
        decimal.Decimal,
        '"x"',
        [f'v: expected string that matches {msgspec.json.encode(NUMBER).decode()}, got "x"'],
    ),
    (bytes, '"!"', ['v: expected base64 text, got "!"']),
    (list[uuid.UUID], '["x"]', ['v[0]: expected a UUID, got "x"']),
    (
        dict[int, str],
        '{"a": "b"}',
        ['v: key "a": expected string that matches "^-?(0|[1-9][0-9]*)$", got "a"'],
    ),
    (Point, '{"x": 1, "z": 2}', ['v: unknown key "z": expected "x", "y"']),
    (Box, '{"n": 1, "z": 2}', ['v: unknown key "z": expected "n", "tags"']),
    (Options, '{"a": 1, "z": 2}', ['v: unknown key "z": expected "a", "b"']),
    (Guessing, '"z"', ['v: expected "a", got "z"']),
    (Level, "true", ["v: expected one of 1, 2, got true"]),
    (Literal[1, 2], "true", ["v: expected one of 1, 2, got true"]),
    (
        Annotated[str, Meta(pattern="^a$")],
        '"a\\n"',
        ['v: expected string that matches "^a$", got "a\\n"'],
    ),
    (
        Annotated[str, Meta(pattern=r"^\d$")],
        '"٣"',
        [r'v: expected string that matches "^\\d$", got "٣"'],
    ),
    (
        Annotated[float, Meta(multiple_of=0.1)],
        "0.35",
        ["v: expected number that is a multiple of 0.1, got 0.35"],
    ),
    (
        Annotated[dt.datetime, Meta(tz=True)],
        '"2024-01-02T03:04:05"',
        ['v: expected an RFC 3339 time with a UTC offset, got "2024-01-02T03:04:05"'],
    ),
]


@pytest.mark.parametrize(("annotation", "text", "lines"), REFUSED, ids=range(len(REFUSED)))
def test_a_value_that_does_not_fit_is_refused_in_words(
    annotation: Any, text: str, lines: list[str]
) -> None:
    refused = reader_of(annotation).read(f'{{"v":{text}}}'.encode())
    assert isinstance(refused, Refused), refused
    assert [line.partition("; did you mean")[0] for line in refused.violations] == lines


def test_a_recursive_type_is_the_only_one_that_is_referred_to() -> None:
    reader = reader_of(Node)
    assert reader.schema["properties"]["v"] == {"$ref": "#/$defs/Node"}
    assert list(reader.schema["$defs"]) == ["Node"]
    bound = reader.read(b'{"v":{"v":1,"kids":[{"v":2.0}]}}')
    assert bound == Bound((Node(1, [Node(2)]),), {})


def test_equal_names_of_different_recursive_types_do_not_clash(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = types.ModuleType("other_nodes")
    monkeypatch.setitem(sys.modules, "other_nodes", other)
    exec(
        "from msgspec import Struct\nclass Node(Struct):\n    next: 'Node | None' = None",
        vars(other),
    )

    def tool(a: Node, b: Any) -> None: ...

    tool.__annotations__["b"] = other.Node
    reader = input_from_signature(tool)
    assert isinstance(reader, InputReader)
    names = [reader.schema["properties"][name]["$ref"] for name in ("a", "b")]
    assert names == ["#/$defs/Node", "#/$defs/Node2"]
    assert isinstance(reader.read(b'{"a":{"v":1},"b":{"next":{"next":null}}}'), Bound)


def test_a_decimal_keeps_every_digit() -> None:
    def tool(v: decimal.Decimal, other: uuid.UUID) -> None: ...

    reader = input_from_signature(tool)
    assert isinstance(reader, InputReader)
    text = "0.12345678901234567890123"
    for other in (UUID_TEXT, f"{{{UUID_TEXT}}}"):
        bound = reader.read(f'{{"v":{text},"other":"{other}"}}'.encode())
        assert isinstance(bound, Bound)
        assert bound.args[0] == decimal.Decimal(text)


VALUES = [
    (list[Point], [Point(1), Point(2, 3.0)]),
    (dict[str, dt.date], {"a": dt.date(2024, 1, 2)}),
    (Box, Box(1, ["a"])),
    (Mixed, Mixed.HALF),
    (uuid.UUID | None, uuid.UUID(UUID_TEXT)),
    (bytes, b"\x00\xff"),
    (decimal.Decimal, decimal.Decimal("1.50")),
    (Node, Node(1, [Node(2)])),
    (Cat | Dog, Dog(3)),
    (set[int], {1, 2}),
    (Place, Place(1, 2)),
]


@pytest.mark.parametrize(("annotation", "value"), VALUES, ids=range(len(VALUES)))
def test_a_value_to_json_and_back_is_the_value(annotation: Any, value: Any) -> None:
    assert to_value(annotation, to_json(value)) == value


def test_a_json_value_that_does_not_fit_a_type_is_a_value_error() -> None:
    with pytest.raises(ValueError, match=r'value\[0\]: expected integer, got "a"'):
        to_value(list[int], ["a"])
    with pytest.raises(ValueError, match='value: expected a UUID, got "a"'):
        to_value(uuid.UUID, "a")


def test_the_schema_of_a_type_has_no_reference_at_its_root() -> None:
    schema = schema_of_type(Node)
    assert schema["type"] == "object"
    assert schema["properties"]["kids"]["items"] == {"$ref": "#/$defs/Node"}
