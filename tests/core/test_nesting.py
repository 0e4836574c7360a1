"""Nesting is told from the bytes, before any object is built, in linear time."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sansmcp_core._nesting import nests_deeper

CASES = [
    pytest.param(b"[" * 64 + b"]" * 64, False, id="exactly the limit"),
    pytest.param(b"[" * 65 + b"]" * 65, True, id="one deeper"),
    pytest.param(b'{"a":' * 65 + b"1" + b"}" * 65, True, id="objects"),
    pytest.param(b"[" + b"[],{}," * 1000 + b"1]", False, id="wide"),
    pytest.param(b'"' + b"[" * 100_000 + b'"', False, id="brackets in a string"),
    pytest.param(b'"\\"' + b"[" * 100 + b'"', False, id="behind an escaped quote"),
    pytest.param(b'"\\\\"' + b"[" * 100, True, id="behind an escaped backslash"),
    pytest.param(b"[" * 100_000, True, id="never closed"),
    pytest.param(b'"' + b"[" * 100_000, False, id="a string never closed"),
]


@pytest.mark.parametrize(("data", "deeper"), CASES)
def test_depth_counts_brackets_that_are_open_at_once(data: bytes, deeper: bool) -> None:
    assert nests_deeper(data, 64) is deeper


def depth(value: Any) -> int:
    if isinstance(value, dict):
        return 1 + max(map(depth, value.values()), default=0)
    if isinstance(value, list):
        return 1 + max(map(depth, value), default=0)
    return 0


JSON = st.recursive(
    st.none() | st.text() | st.integers(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(JSON, st.integers(0, 4))
def test_it_agrees_with_the_decoded_value(value: Any, limit: int) -> None:
    data = json.dumps(value, ensure_ascii=False).encode()

    assert nests_deeper(data, limit) is (depth(value) > limit)


@given(st.binary())
def test_any_bytes_are_looked_at_without_harm(data: bytes) -> None:
    nests_deeper(data, 0)
