"""Any text goes through a header and comes back; what is malformed is told, never guessed."""

from base64 import b64encode
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sansmcp_core.http._header_values import decode_header_value, encode_header_value

# The examples of the specification, and the borders beside them.
ENCODED: list[tuple[str | int | bool, str]] = [
    ("us-west1", "us-west1"),
    ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
    (" padded ", "=?base64?IHBhZGRlZCA=?="),
    ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
    ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
    ("=?base64?=", "=?base64?PT9iYXNlNjQ/PQ==?="),
    ("=?base64?only the prefix", "=?base64?only the prefix"),
    ("only the suffix?=", "only the suffix?="),
    ("=?BASE64?SGVsbG8=?=", "=?BASE64?SGVsbG8=?="),
    ("two  spaces inside", "two  spaces inside"),
    ("a\tb", "=?base64?YQli?="),
    ("\x7f", "=?base64?fw==?="),
    ("", ""),
    (" ", "=?base64?IA==?="),
    (42, "42"),
    (-7, "-7"),
    (True, "true"),
    (False, "false"),
]


@pytest.mark.parametrize(("value", "header"), ENCODED, ids=[repr(row[0]) for row in ENCODED])
def test_a_value_is_encoded_only_where_it_has_to_be(value: str | int | bool, header: str) -> None:
    assert encode_header_value(value) == header


@pytest.mark.parametrize("value", [None, 1.5, b"text", ["text"]], ids=repr)
def test_what_no_header_mirrors_is_the_callers_fault(value: Any) -> None:
    with pytest.raises(TypeError, match=f"got {type(value).__name__}"):
        encode_header_value(value)


def test_an_unpaired_surrogate_is_the_callers_fault() -> None:
    with pytest.raises(ValueError, match="surrogate"):
        encode_header_value("\ud800")


DECODED: list[tuple[bytes, str | None]] = [
    (b"plain", "plain"),
    (b"", ""),
    (b" \t around \t", "around"),
    (b"a\tb  c", "a\tb  c"),
    (b"=?base64?SGVsbG8=?=", "Hello"),
    (b"  =?base64?SGVsbG8=?=\t", "Hello"),
    (b"=?base64?IHBhZGRlZCA=?=", " padded "),
    (b"=?base64??=", ""),
    # Prefix and suffix count as written, both of them, and do not overlap.
    (b"=?base64?SGVsbG8=", "=?base64?SGVsbG8="),
    (b"SGVsbG8=?=", "SGVsbG8=?="),
    (b"=?base64?=", "=?base64?="),
    (b"=?Base64?SGVsbG8=?=", "=?Base64?SGVsbG8=?="),
    (b"=?BASE64?SGVsbG8=?=", "=?BASE64?SGVsbG8=?="),
    (b"x=?base64?SGVsbG8=?=", "x=?base64?SGVsbG8=?="),
    # Malformed Base64.
    (b"=?base64?SGVsbG8?=", None),
    (b"=?base64?SGVs!!!bG8=?=", None),
    (b"=?base64?SGVs bG8=?=", None),
    (b"=?base64?SGVsbG8==?=", None),
    (b"=?base64?SGVs=bG8=?=", None),
    (b"=?base64?=SGVsbG8=?=", None),
    (b"=?base64?S?=", None),
    (b"=?base64?_-8=?=", None),
    # No UTF-8, surrogates among it.
    (b"=?base64?/w==?=", None),
    (b"=?base64?7aCA?=", None),
    # Characters that no header value has.
    (b"caf\xc3\xa9", None),
    (b"caf\xe9", None),
    (b"a\x00b", None),
    (b"a\rb", None),
    (b"a\nb", None),
    (b"\x0babc", None),
    (b"a\x7f", None),
]


@pytest.mark.parametrize(("raw", "text"), DECODED, ids=[repr(row[0]) for row in DECODED])
def test_a_header_value_stands_for_one_text_or_for_none(raw: bytes, text: str | None) -> None:
    assert decode_header_value(raw) == text


@given(st.text(st.characters(codec="utf-8")))
def test_every_text_comes_back(value: str) -> None:
    header = encode_header_value(value)
    assert header.isascii()
    assert header.isprintable()
    assert header == header.strip()
    assert decode_header_value(header.encode()) == value


@given(st.integers())
def test_every_integer_comes_back(value: int) -> None:
    assert decode_header_value(encode_header_value(value).encode()) == str(value)


@given(st.binary() | st.binary().map(lambda data: b"=?base64?" + data + b"?="))
def test_any_bytes_are_text_or_malformed(raw: bytes) -> None:
    text = decode_header_value(raw)
    assert text is None or isinstance(text, str)


@given(st.binary())
def test_base64_is_decoded_where_it_holds_utf_8(data: bytes) -> None:
    try:
        expected = data.decode()
    except UnicodeDecodeError:
        expected = None
    assert decode_header_value(b"=?base64?" + b64encode(data) + b"?=") == expected
