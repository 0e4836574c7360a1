"""Values that JSON has a form for, though msgspec alone does not write them."""

import collections
import types
from pathlib import PurePosixPath
from typing import Any

import msgspec
import pydantic
import pytest
from sansmcp_schema.declare import ResultError, to_json


class Text(str):
    __slots__ = ()


class Whole(int):
    __slots__ = ()


class Real(float):
    __slots__ = ()


class Model(pydantic.BaseModel):
    a: int = 1


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Text("a"), b'"a"'),
        (Whole(3), b"3"),
        (Real(1.5), b"1.5"),
        ([Text("a"), {"k": Whole(1)}], b'["a",{"k":1}]'),
        (PurePosixPath("/a/b"), b'"/a/b"'),
        ({"p": PurePosixPath("x")}, b'{"p":"x"}'),
        ({PurePosixPath("x"): Whole(1)}, b'{"x":1}'),
        (collections.deque([1, Text("a")]), b'[1,"a"]'),
        (range(3), b"[0,1,2]"),
        (collections.UserList([1]), b"[1]"),
        ({"a": 1}.keys(), b'["a"]'),
        (types.MappingProxyType({"a": Whole(1)}), b'{"a":1}'),
        (collections.ChainMap({"a": 1}), b'{"a":1}'),
    ],
)
def test_it_is_written_as_what_it_is(value: Any, text: bytes) -> None:
    assert to_json(value) == text


@pytest.mark.parametrize("value", [object(), (one for one in [1]), iter([1]), 1j])
def test_what_has_no_form_is_refused_with_the_way_out(value: Any) -> None:
    with pytest.raises(ResultError, match="return a dict, Struct or dataclass, or convert it"):
        to_json({"a": [value]})


def test_a_pydantic_model_is_refused_with_what_makes_a_dict_of_it() -> None:
    with pytest.raises(ResultError, match=r'Model.*model_dump\(mode="json"\)'):
        to_json(Model())


def test_a_float_of_a_subclass_that_is_not_finite_is_refused() -> None:
    with pytest.raises(ResultError, match="NaN or infinite"):
        to_json([Real("nan")])


def test_a_sequence_that_holds_itself_is_refused() -> None:
    endless: collections.deque[Any] = collections.deque()
    endless.append(endless)
    with pytest.raises(ResultError, match="nested too deeply"):
        to_json(endless)


def test_the_types_of_msgspec_are_written_by_it() -> None:
    assert to_json({1}) == b"[1]"
    assert to_json(msgspec.Raw(b"1")) == b"1"
