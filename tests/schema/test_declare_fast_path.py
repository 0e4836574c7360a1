"""What the fast decoder accepts, the schema accepts, and both ways give the same value."""

import datetime as dt
import decimal
import enum
import math
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from types import GenericAlias
from typing import Annotated, Any, Literal, NotRequired, Optional, TypedDict

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Meta, Struct
from sansmcp_schema.declare import Bound, InputReader, Refused, input_from_signature
from sansmcp_schema.json_check import compile_check


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Mixed(enum.Enum):
    ONE = 1
    B = "b"


class Loose(Struct):
    n: int
    x: float = 0.5


class Closed(Struct, forbid_unknown_fields=True):
    n: int
    s: str = ""


class Bounded(Struct, forbid_unknown_fields=True):
    n: Annotated[int, Meta(ge=0, le=3)]
    s: Annotated[str, Meta(max_length=2)] = ""


class Patterned(Struct, forbid_unknown_fields=True):
    s: Annotated[str, Meta(pattern=r"^\d$")]


class Tree(Struct):
    n: int
    kids: list["Tree"] = []


class Cat(Struct, tag="cat"):
    n: int


class Dog(Struct, tag="dog"):
    n: float


@dataclass
class Data:
    n: int
    loose: Loose | None = None


class Typed(TypedDict):
    n: int
    s: NotRequired[str]


SCALARS: list[Any] = [
    str,
    int,
    float,
    bool,
    None,
    Any,
    dt.datetime,
    dt.date,
    dt.time,
    uuid.UUID,
    decimal.Decimal,
    bytes,
    Color,
    Level,
    Mixed,
    Literal["a", 1],
    Literal[1, 2],
    Literal[True, "b"],
    Literal[0.5],
    Annotated[int, Meta(ge=-2, lt=5)],
    Annotated[int, Meta(multiple_of=2)],
    Annotated[float, Meta(gt=0)],
    Annotated[float, Meta(le=3, ge=-3)],
    Annotated[float, Meta(multiple_of=0.1)],
    Annotated[str, Meta(min_length=1, max_length=2)],
    Annotated[str, Meta(pattern="^a$")],
    Annotated[int, Meta(description="d", extra_json_schema={"enum": [1, 2]})],
    Loose,
    Closed,
    Bounded,
    Patterned,
    Tree,
    Data,
    Typed,
    Cat,
    Cat | Dog,
    Loose | Closed,
]


def containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(
        inner.map(lambda t: GenericAlias(list, (t,))),
        inner.map(lambda t: Annotated[GenericAlias(list, (t,)), Meta(min_length=1, max_length=2)]),
        inner.map(lambda t: GenericAlias(tuple, (t, ...))),
        st.tuples(inner, inner).map(lambda pair: GenericAlias(tuple, pair)),
        inner.map(lambda t: GenericAlias(dict, (str, t))),
        inner.map(lambda t: Annotated[GenericAlias(dict, (str, t)), Meta(max_length=1)]),
        inner.map(lambda t: Optional[t]),  # noqa: UP045
        st.tuples(inner, inner).map(lambda pair: pair[0] | pair[1] if None not in pair else Any),
    )


TYPES = st.recursive(st.sampled_from(SCALARS), containers, max_leaves=4) | st.sampled_from(
    [
        set[int],
        Annotated[set[int], Meta(max_length=1)],
        Annotated[set[int], Meta(min_length=2)],
        frozenset[str],
        dict[int, str],
        dict[Color, int],
    ]
)

LEAVES = [
    *[
        "null",
        "true",
        "false",
        "0",
        "1",
        "2",
        "-1",
        "1.0",
        "0.5",
        "2.0",
        "0.3",
        "1e2",
        "-0.0",
        "5.5",
    ],
    *[str(2**53 + 1), "9007199254740993.0", str(2**64), str(-(2**63) - 1), "1e300", "1e400"],
    *['""', '"a"', '"ab"', '"abc"', '"a\\n"', '"1"', '"red"', '"b"', '"x"', '"\\u0663"', '"[1]"'],
    *['"2024-01-02"', '"2024-01-02T03:04:05Z"', '"03:04:05"', '"aGk="', '"NaN"', '"{}"'],
    *['"12345678-1234-5678-1234-567812345678"', '"\\ud800"'],
]
OBJECTS = [
    *["[]", "{}", "[[]]", "[1,1]", "[1,2,3]", '{"n":1}', '{"n":1,"z":2}', '{"n":"1"}', '{"n":4}'],
    *['{"n":1,"x":9007199254740993}', '{"n":1,"s":"abc"}', '{"s":"1"}', '{"s":"\\u0663"}'],
    *['{"s":"1\\n"}', '{"n":1,"kids":[{"n":2}]}', '{"n":1,"kids":[{"n":2,"z":1}]}'],
    *['{"n":1,"type":"cat"}', '{"n":1,"type":"dog"}', '{"n":1,"type":"cow"}', '{"type":"cat"}'],
    *['{"n":1,"loose":{"n":1,"z":2}}', '{"n":1,"loose":{"n":1,"x":2}}', '{"red":1}', '{"1":"a"}'],
    '{"n":1,"n":"a"}',
]
ANY_TEXT = st.sampled_from([*LEAVES, *OBJECTS])


def texts_for(schema: Any, root: dict[str, Any]) -> st.SearchStrategy[str]:
    """JSON texts that mostly have the form the schema wants, and sometimes another."""
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].removeprefix("#/$defs/")]
    if "anyOf" in schema:
        return st.one_of([texts_for(branch, root) for branch in schema["anyOf"]]) | ANY_TEXT
    if schema.get("type") == "array":
        return _arrays(schema, root) | ANY_TEXT
    if schema.get("type") == "object":
        return _objects(schema, root) | ANY_TEXT
    return ANY_TEXT


def later(schema: Any, root: dict[str, Any]) -> st.SearchStrategy[str]:
    """The same, made when it is drawn from, so that a recursive type ends."""
    return st.deferred(lambda: texts_for(schema, root))


def _arrays(schema: dict[str, Any], root: dict[str, Any]) -> st.SearchStrategy[str]:
    first = [texts_for(part, root) for part in schema.get("prefixItems", [])]
    rest: st.SearchStrategy[list[str]] = st.just([])
    if not first:
        rest = st.deferred(lambda: st.lists(texts_for(schema.get("items", {}), root), max_size=3))
    return st.tuples(st.tuples(*first), rest).map(lambda two: f"[{','.join([*two[0], *two[1]])}]")


def _objects(schema: dict[str, Any], root: dict[str, Any]) -> st.SearchStrategy[str]:
    named = {name: later(part, root) for name, part in schema.get("properties", {}).items()}
    other = schema.get("additionalProperties", {}) or {}
    extra = st.dictionaries(
        st.sampled_from(["z", "red", "1"]),
        later(other, root),
        max_size=1 if named else 2,
    )
    wanted = {name: named[name] for name in schema.get("required", [])}
    optional = {name: part for name, part in named.items() if name not in wanted}
    members = st.fixed_dictionaries(wanted, optional=optional)
    return st.tuples(members, extra | st.just({})).map(
        lambda two: "{" + ",".join(f'"{k}":{v}' for k, v in (two[0] | two[1]).items()) + "}"
    )


def reader_of(annotation: Any) -> InputReader:
    def tool(v: Any) -> None: ...

    tool.__annotations__["v"] = annotation
    reader = input_from_signature(tool)
    assert isinstance(reader, InputReader)
    return reader


def same(first: Any, second: Any) -> bool:
    """Equal, of equal types all the way down."""
    if type(first) is not type(second):
        return False
    if isinstance(first, list | tuple):
        return len(first) == len(second) and all(map(same, first, second))
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(same(first[key], second[key]) for key in first)
    if isinstance(first, Struct):
        return all(
            same(getattr(first, name), getattr(second, name)) for name in first.__struct_fields__
        )
    if isinstance(first, float | decimal.Decimal) and math.isnan(first):
        return math.isnan(second)
    return bool(first == second)


def require_agreement(reader: InputReader, raw: bytes) -> bool:
    """Whether the fast way took the text; if so the schema and the exact way have to agree."""
    if reader._fast is None:
        return False
    try:
        fast = reader._fast(raw)
    except Exception:
        return False
    slow = reader._read_slowly(raw, None)
    assert compile_check(reader.schema).is_valid(msgspec.json.decode(raw)), (raw, fast)
    assert isinstance(slow, Bound), (reader.schema, raw, fast, slow)
    assert same(fast, slow.args), (raw, fast, slow.args)
    return True


WRAPPERS: list[Callable[[Any], Any]] = [
    lambda t: t,
    lambda t: GenericAlias(list, (t,)),
    lambda t: GenericAlias(dict, (str, t)),
    lambda t: GenericAlias(tuple, (t, int)),
    lambda t: Optional[t],  # noqa: UP045
]


@pytest.mark.parametrize("annotation", SCALARS, ids=range(len(SCALARS)))
def test_the_fast_way_accepts_only_what_the_schema_accepts(annotation: Any) -> None:
    outside = ["%s", "[%s]", '{"a":%s}', "[%s,1]", "%s"]
    for wrapper, outer in zip(WRAPPERS, outside, strict=True):
        reader = reader_of(wrapper(annotation))
        for text in [*LEAVES, *OBJECTS]:
            require_agreement(reader, f'{{"v":{outer % text}}}'.encode())


@settings(max_examples=500, deadline=None)
@given(st.data())
def test_both_ways_agree_on_types_and_texts_that_were_made_up(data: st.DataObject) -> None:
    reader = reader_of(data.draw(TYPES))
    schema = reader.schema["properties"]["v"]
    for text in data.draw(st.lists(texts_for(schema, reader.schema), min_size=1, max_size=5)):
        require_agreement(reader, f'{{"v":{text}}}'.encode())


@settings(max_examples=300, deadline=None)
@given(TYPES, st.binary(max_size=30) | ANY_TEXT.map(lambda text: f'{{"v":{text}}}'.encode()))
def test_reading_any_bytes_gives_a_call_or_words(annotation: Any, raw: bytes) -> None:
    result = reader_of(annotation).read(raw)
    assert isinstance(result, Bound | Refused)
    if isinstance(result, Refused):
        assert result.violations
        assert all(isinstance(line, str) and line for line in result.violations)


FAST: list[tuple[Any, bool]] = [
    (int, True),
    (float, True),
    (Loose, True),
    (list[Loose], True),
    (Data, True),
    (Cat | Dog, True),
    (Annotated[int, Meta(ge=0)], True),
    (Annotated[str, Meta(max_length=3)], True),
    (decimal.Decimal, True),
    (uuid.UUID, True),
    (Annotated[str, Meta(pattern="a")], False),
    (Annotated[float, Meta(multiple_of=0.1)], False),
    (Literal[0.5], False),
    (Mixed, False),
]


@pytest.mark.parametrize(("annotation", "fast"), FAST, ids=range(len(FAST)))
def test_ordinary_types_are_read_fast(annotation: Any, fast: bool) -> None:
    assert (reader_of(annotation)._fast is not None) is fast
