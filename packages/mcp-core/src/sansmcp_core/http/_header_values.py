"""Values of ``Mcp-Name`` and ``Mcp-Param-*``: text as it stands, or as Base64 where it has to be.

Source: MCP 2026-07-28 basic/transports/streamable-http, Value Encoding; RFC 9110 section 5.5.
"""

from binascii import a2b_base64, b2a_base64

__all__ = [
    "KNOWN",
    "decode_header_value",
    "encode_header_value",
    "looks_encoded",
    "plain_header_value",
    "remember_header_value",
]

_PREFIX = "=?base64?"
_SUFFIX = "?="
_SHORTEST = len(_PREFIX) + len(_SUFFIX)


def encode_header_value(value: str | int | bool) -> str:
    """Return the header value that stands for a text, an integer or a boolean.

    Visible ASCII with spaces inside stays as it is, and so does the empty text. Anything else, and
    text that could be taken for the encoded form, becomes ``=?base64?...?=``.

    Args:
        value: What the body of the request holds.

    Raises:
        TypeError: It is of another type.
        ValueError: The text holds an unpaired surrogate, which UTF-8 cannot carry.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if not isinstance(value, str):
        raise TypeError(
            f"a header mirrors a str, an int or a bool, got {type(value).__name__}; a client "
            "leaves the header out where the value is null or absent"
        )
    ambiguous = value.startswith(_PREFIX) and value.endswith(_SUFFIX)
    if value.isascii() and value.isprintable() and value == value.strip(" ") and not ambiguous:
        return value
    return f"{_PREFIX}{b2a_base64(value.encode(), newline=False).decode('ascii')}{_SUFFIX}"


def decode_header_value(raw: bytes) -> str | None:
    """Return the text that a header value stands for, whatever the bytes are.

    A value with only the prefix or only the suffix of the encoded form stands for itself.

    Args:
        raw: The value of the field as it arrived; blanks around it do not count.

    Returns:
        The text, or None where the value holds other characters than visible ASCII, spaces and
        tabs, or is in the encoded form with Base64 that lacks padding, has other characters than
        those of RFC 4648 section 4, or does not hold UTF-8.
    """
    text = plain_header_value(raw)
    if text is None or not looks_encoded(text):
        return text
    try:
        return a2b_base64(text[len(_PREFIX) : -len(_SUFFIX)], strict_mode=True).decode()
    except ValueError:
        return None


def plain_header_value(raw: bytes) -> str | None:
    """Return the text of a value that is never encoded, None where it holds other characters."""
    try:
        text = raw.decode("ascii").strip(" \t")
    except UnicodeDecodeError:
        return None
    if text.isprintable() or text.replace("\t", " ").isprintable():
        return text
    return None


KNOWN: dict[bytes | None, str] = {}
"""Texts of values that are the same whether they may be encoded or not, since clients send the same
few with each request."""

_MAX_KNOWN = 256
_MAX_KNOWN_BYTES = 128


def remember_header_value(raw: bytes) -> str | None:
    """Return the text of a value that is plain text, and remember it; None where it has to be seen.

    Args:
        raw: The value of the field as it arrived.
    """
    text = plain_header_value(raw)
    if text is None or looks_encoded(text):
        return None
    if len(raw) <= _MAX_KNOWN_BYTES:
        if len(KNOWN) >= _MAX_KNOWN:
            KNOWN.clear()
        KNOWN[raw] = text
    return text


def looks_encoded(text: str) -> bool:
    """Return whether a value is in the encoded form, well-formed or not."""
    return text.startswith(_PREFIX) and text.endswith(_SUFFIX) and len(text) >= _SHORTEST
