"""Everything that is wrong with arguments is told at once, conversions and schema together."""

import datetime as dt
import decimal
import enum
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import pytest
from msgspec import Struct
from sansmcp_schema.declare import (
    InputReader,
    Parameter,
    Refused,
    input_from_signature,
    input_from_struct,
)


class Colour(enum.Enum):
    RED = "red"


def no_path(text: str) -> Path:
    raise ValueError("no such place")


class Inner(Struct):
    n: int
    d: dt.date
    e: dt.date


class Whole(Struct):
    a: int
    d: dt.date
    u: uuid.UUID
    inner: Inner


class Picky(Struct):
    day: dt.date
    count: int

    def __post_init__(self) -> None:
        raise ValueError("never good")


def lines(made: Any, raw: str) -> list[str]:
    reader = made if isinstance(made, InputReader) else input_from_signature(made)
    assert isinstance(reader, InputReader)
    result = reader.read(raw.encode())
    assert isinstance(result, Refused), result
    return sorted(line.partition(": ")[0] for line in result.violations)


CONVERTED: dict[str, tuple[Any, str]] = {
    "date": (dt.date, '"x"'),
    "time": (dt.time, '"x"'),
    "datetime": (dt.datetime, '"x"'),
    "timedelta": (dt.timedelta, '"x"'),
    "uuid": (uuid.UUID, '"x"'),
    "bytes": (bytes, '"?"'),
    "decimal": (decimal.Decimal, '"x"'),
    "hook": (Annotated[Path, Parameter(advertised=str, convert=no_path)], '"x"'),
}


@pytest.mark.parametrize("kind", CONVERTED)
def test_a_conversion_is_told_beside_a_schema_violation(kind: str) -> None:
    python, raw = CONVERTED[kind]

    def f(a: int, b: Any) -> None: ...

    f.__annotations__["b"] = python
    assert lines(f, f'{{"a":"no","b":{raw}}}') == ["a", "b"]
    assert lines(f, f'{{"b":{raw}}}') == ["arguments", "b"]


def all_wrong(a: int, d: dt.date, u: uuid.UUID, c: Colour) -> None: ...


def test_all_of_the_parameters_are_told_at_once() -> None:
    assert lines(all_wrong, '{"a":"x","d":"x","u":"x","c":"x","z":1}') == [
        "a", "arguments", "c", "d", "u",
    ]  # fmt: skip


def test_all_of_the_fields_of_a_class_are_told_at_once() -> None:
    reader = input_from_struct(Whole)
    raw = '{"a":"x","d":"x","u":"x","inner":{"n":"x","d":"x","e":"x"}}'
    assert lines(reader, raw) == ["a", "d", "inner.d", "inner.e", "inner.n", "u"]


@pytest.mark.parametrize(
    ("annotation", "raw", "places"),
    [
        (list[dt.date], '["x","2020-01-01","y"]', ["a[0]", "a[2]"]),
        (dict[str, dt.date], '{"k":"x","l":"y"}', ["a.k", "a.l"]),
        (tuple[dt.date, uuid.UUID], '["x","y"]', ["a[0]", "a[1]"]),
        (Inner | None, '{"n":1,"d":"x","e":"y"}', ["a.d", "a.e"]),
        (list[Inner], '[{"n":"x","d":"x","e":"y"}]', ["a[0].d", "a[0].e", "a[0].n"]),
    ],
)
def test_all_of_the_items_are_told_at_once(annotation: Any, raw: str, places: list[str]) -> None:
    def f(a: Any) -> None: ...

    f.__annotations__["a"] = annotation
    assert lines(f, f'{{"a":{raw}}}') == places


def test_the_authors_code_never_sees_a_part_that_breaks_its_schema() -> None:
    seen: list[Any] = []

    def f(
        a: Annotated[Path, Parameter(advertised={"type": "string"}, convert=seen.append)], b: int
    ) -> None: ...

    assert lines(f, '{"a":[],"b":"x"}') == ["a", "b"]
    assert seen == []


def picky(p: Picky) -> None: ...


@pytest.mark.parametrize(
    ("raw", "places"),
    [
        ('{"day":"x","count":1}', ["p.day"]),
        ('{"day":"2020-01-01","count":"x"}', ["p.count"]),
        ('{"day":"2020-01-01","count":1}', ["p"]),
    ],
)
def test_a_class_is_made_only_of_fields_that_are_right(raw: str, places: list[str]) -> None:
    assert lines(picky, f'{{"p":{raw}}}') == places


def many(a: list[dt.date]) -> None: ...


def test_a_long_list_of_mistakes_is_cut() -> None:
    reader = input_from_signature(many)
    assert isinstance(reader, InputReader)
    result = reader.read(b'{"a":[' + b",".join([b'"x"'] * 5000) + b"]}")
    assert isinstance(result, Refused)
    assert len(result.violations) == 101
    assert result.violations[-1] == "arguments: more is wrong than is listed here"


class Tree(Struct):
    day: dt.date
    children: "list[Tree]" = []


def grow(tree: Tree) -> None: ...


def test_a_recursive_type_is_told_at_once() -> None:
    raw = '{"tree":{"day":"x","children":[{"day":"y"},{"day":1}]}}'
    assert lines(grow, raw) == ["tree.children[0].day", "tree.children[1].day", "tree.day"]


Function = Callable[..., Any]
