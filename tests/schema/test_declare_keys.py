"""Keys of maps that are no text: the schema says which there are, and the call takes just those."""

import datetime as dt
import decimal
import enum
import uuid
from typing import Any, Literal

import msgspec
import pytest
from sansmcp_schema.declare import (
    Bound,
    InputReader,
    Refused,
    ResultError,
    input_from_signature,
    output_from_type,
    schema_of_type,
)
from sansmcp_schema.json_check import compile_check


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Mixed(enum.Enum):
    ONE = 1
    B = "b"
    HALF = 1.5
    NONE = None


ID = "12345678-1234-5678-1234-567812345678"
DAY = dt.date(2025, 2, 28)

# Key type -> names with the keys they stand for, and names that are refused.
_KEYS: list[tuple[Any, dict[str, Any], list[str]]] = [
    (int, {"1": 1, "-5": -5, "0": 0}, ["a", " 1", "1 ", "01", "1.0", "+1", "", "1e2", "\u0661"]),
    (float, {"1.5": 1.5, "2": 2.0, "-1e3": -1000.0}, ["a", " 1", "NaN", "1.", ".5", ""]),
    (Level, {"1": Level.LOW, "2": Level.HIGH}, ["3", "LOW", " 1", "1.0"]),
    (Literal[1, 2], {"1": 1, "2": 2}, ["3", " 1"]),
    (Mixed, {"1": Mixed.ONE, "b": Mixed.B, "1.5": Mixed.HALF, "null": Mixed.NONE}, ["c", " 1"]),
    (bool, {"true": True, "false": False}, ["True", "1", ""]),
    (uuid.UUID, {ID: uuid.UUID(ID)}, ["x", f" {ID}", f"{{{ID}}}"]),
    (dt.date, {"2025-02-28": DAY}, ["x", "2025-2-28", "2025-13-01", " 2025-02-28"]),
    (decimal.Decimal, {"1.50": decimal.Decimal("1.50")}, ["NaN", " 1", "x"]),
    (int | None, {"1": 1, "null": None}, ["a", " 1"]),
]  # fmt: skip


def reader_of(key: Any) -> InputReader:
    def tool(v: Any) -> None: ...

    tool.__annotations__["v"] = dict[key, str]
    reader = input_from_signature(tool)
    assert isinstance(reader, InputReader)
    return reader


@pytest.mark.parametrize(("key", "taken", "refused"), _KEYS, ids=[str(row[0]) for row in _KEYS])
def test_the_schema_and_the_call_agree_on_the_keys(
    key: Any, taken: dict[str, Any], refused: list[str]
) -> None:
    reader = reader_of(key)
    published = compile_check(schema_of_type(dict[key, str]), engine="own")

    for name, value in taken.items():
        bound = reader.read_value({"v": {name: "x"}})
        assert isinstance(bound, Bound), bound
        assert bound.args == ({value: "x"},)
        assert type(next(iter(bound.args[0]))) is type(value)
        assert published.is_valid({name: "x"})
    for name in refused:
        assert isinstance(reader.read_value({"v": {name: "x"}}), Refused), name
        assert not published.is_valid({name: "x"}), name


@pytest.mark.parametrize(
    ("key", "taken"),
    # JSON has no form for a key that is True or None.
    [(key, taken) for key, taken, _ in _KEYS if key not in (Mixed, bool, int | None)],
    ids=str,
)
def test_keys_that_are_returned_satisfy_the_schema(key: Any, taken: dict[str, Any]) -> None:
    written = output_from_type(dict[key, str]).write(dict.fromkeys(taken.values(), "x"))

    assert isinstance(written.structured, msgspec.Raw)


def test_the_published_names_are_a_pattern_or_the_choices() -> None:
    assert schema_of_type(dict[int, str])["propertyNames"] == {"pattern": "^-?(0|[1-9][0-9]*)$"}
    assert schema_of_type(dict[Level, str])["propertyNames"] == {"enum": ["1", "2"]}


def test_a_key_that_may_be_any_text_is_not_taken_for_a_number_where_it_has_blanks() -> None:
    bound = reader_of(int | str).read_value({"v": {" 1": "x", "2": "y"}})

    assert isinstance(bound, Bound)
    assert bound.args == ({" 1": "x", 2: "y"},)


_NO_DECIMALS = [
    "NaN", "sNaN", "-NaN12", "Infinity", "-Infinity", "inf", " 1 ", "1_000", "\u0661", "1\n", "+1",
    "1.", ".5", "01", "", "x",
]  # fmt: skip


@pytest.mark.parametrize("text", _NO_DECIMALS)
@pytest.mark.parametrize("python", [decimal.Decimal, decimal.Decimal | None, list[decimal.Decimal]])
def test_a_text_that_is_no_decimal_number_is_refused_and_the_schema_says_so(
    text: str, python: Any
) -> None:
    def tool(v: Any) -> None: ...

    tool.__annotations__["v"] = python
    reader = input_from_signature(tool)
    value = [text] if python == list[decimal.Decimal] else text
    assert isinstance(reader, InputReader)

    assert isinstance(reader.read(msgspec.json.encode({"v": value})), Refused)
    assert not compile_check(schema_of_type(python), engine="own").is_valid(value)


@pytest.mark.parametrize("text", ["0", "-0", "1.50", "1e3", "1E+2", "0E-10", "-12.5e-7", "9" * 40])
def test_a_decimal_number_is_taken_digit_by_digit(text: str) -> None:
    def tool(v: decimal.Decimal) -> None: ...

    reader = input_from_signature(tool)
    assert isinstance(reader, InputReader)
    bound = reader.read(msgspec.json.encode({"v": text}))

    assert isinstance(bound, Bound)
    assert str(bound.args[0]) == str(decimal.Decimal(text))


@pytest.mark.parametrize("text", ["NaN", "sNaN", "-NaN12", "Infinity", "-Infinity"])
@pytest.mark.parametrize(
    ("python", "wrap"),
    [
        (decimal.Decimal, lambda value: value),
        (Any, lambda value: value),
        (Any, lambda value: [{"a": [value]}]),
        (Any, lambda value: {value: 1}),
        (dict[str, Any], lambda value: {"a": value}),
        (list[decimal.Decimal], lambda value: [value]),
    ],
    ids=["typed", "any", "nested", "key", "member", "item"],
)
def test_a_decimal_that_is_no_number_is_no_result(text: str, python: Any, wrap: Any) -> None:
    if text == "sNaN" and wrap(1) == {1: 1}:
        wrap = lambda value: [value]  # noqa: E731 - a signaling NaN has no hash
    with pytest.raises(ResultError):
        output_from_type(python).write(wrap(decimal.Decimal(text)))


def test_texts_that_read_like_no_numbers_are_results_all_the_same() -> None:
    written = output_from_type(Any).write(["NaN", "Infinity", decimal.Decimal("1E+2")])

    assert written.text == '["NaN","Infinity","1E+2"]'
