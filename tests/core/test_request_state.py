"""Request state opens on the request it was sealed for, and nowhere else."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sansmcp_core._request_state import (
    Binding,
    RequestState,
    Sealer,
    canonical_json,
    make_sealer,
)

NOW = 1_800_000_000.0
BINDING = Binding("tools/call", "greet", canonical_json({"a": 1}), "alice")
STATE = RequestState(
    2, {"who": msgspec.Raw(b'{"action":"accept"}')}, {"step": [1]}, {"kept": True}, {}
)
KEY, OTHER_KEY = b"k" * 32, b"o" * 32


def random_bytes(count: int) -> bytes:
    return bytes(range(count))


def sealer(*keys: bytes, encrypt: bool = False) -> Sealer:
    return make_sealer(keys, 600, random_bytes, encrypt=encrypt)


@pytest.fixture(params=[False, True], ids=["signed", "encrypted"])
def encrypt(request: pytest.FixtureRequest) -> bool:
    encrypt: bool = request.param
    return encrypt


def test_what_was_sealed_comes_back(encrypt: bool) -> None:
    one = sealer(KEY, encrypt=encrypt)

    assert one.open(one.seal(STATE, BINDING, NOW), BINDING, NOW + 599) == STATE


MISMATCHES: dict[str, dict[str, Any]] = {
    "another method": {"method": "prompts/get"},
    "another target": {"target": "other"},
    "other arguments": {"arguments": canonical_json({"a": 2})},
    "another principal": {"principal": "bob"},
    "no principal": {"principal": None},
}


@pytest.mark.parametrize("change", MISMATCHES.values(), ids=MISMATCHES)
def test_it_opens_on_no_other_request(change: dict[str, Any], encrypt: bool) -> None:
    one = sealer(KEY, encrypt=encrypt)
    token = one.seal(STATE, BINDING, NOW)

    assert one.open(token, msgspec.structs.replace(BINDING, **change), NOW) is None


def test_it_expires(encrypt: bool) -> None:
    one = sealer(KEY, encrypt=encrypt)

    assert one.open(one.seal(STATE, BINDING, NOW), BINDING, NOW + 600) is None


def test_a_shared_key_opens_in_another_process_and_a_random_one_does_not(encrypt: bool) -> None:
    token = sealer(KEY, encrypt=encrypt).seal(STATE, BINDING, NOW)

    assert sealer(KEY, encrypt=encrypt).open(token, BINDING, NOW) == STATE
    assert sealer(OTHER_KEY, encrypt=encrypt).open(token, BINDING, NOW) is None
    assert sealer(encrypt=encrypt).open(token, BINDING, NOW) is None


def test_an_older_key_of_the_ring_still_opens(encrypt: bool) -> None:
    token = sealer(KEY, encrypt=encrypt).seal(STATE, BINDING, NOW)

    assert sealer(OTHER_KEY, KEY, encrypt=encrypt).open(token, BINDING, NOW) == STATE


@given(position=st.integers(0, 10_000), bit=st.integers(0, 5), encrypt=st.booleans())
def test_any_changed_character_closes_it(position: int, bit: int, encrypt: bool) -> None:
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    one = sealer(KEY, encrypt=encrypt)
    token = one.seal(STATE, BINDING, NOW)
    index = position % len(token)
    changed = alphabet[alphabet.index(token[index]) ^ (1 << bit)]

    assert one.open(token[:index] + changed + token[index + 1 :], BINDING, NOW) is None


@given(st.text())
def test_any_text_is_refused_without_harm(token: str) -> None:
    assert sealer(KEY).open(token, BINDING, NOW) is None
    assert sealer(KEY, encrypt=True).open(token, BINDING, NOW) is None


def test_the_client_can_read_what_is_signed_and_not_what_is_encrypted() -> None:
    import base64

    def seen(token: str) -> bytes:
        return base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))

    assert b"kept" in seen(sealer(KEY).seal(STATE, BINDING, NOW))
    assert b"kept" not in seen(sealer(KEY, encrypt=True).seal(STATE, BINDING, NOW))


EQUAL = [
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    ({"a": 1}, {"a": 1.0}),
    ([{"x": [1.0]}], [{"x": [1]}]),
]
DIFFERENT = [
    ({"a": 1}, {"a": 2}),
    ({"a": 1}, {"a": True}),
    ({"a": 1}, {"a": "1"}),
    ([1, 2], [2, 1]),
]


@pytest.mark.parametrize(("left", "right"), EQUAL)
def test_equal_json_has_one_spelling(left: Any, right: Any) -> None:
    assert canonical_json(left) == canonical_json(right)


@pytest.mark.parametrize(("left", "right"), DIFFERENT)
def test_different_json_has_different_spellings(left: Any, right: Any) -> None:
    assert canonical_json(left) != canonical_json(right)
