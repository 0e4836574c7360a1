"""One line of bytes in, one message out, or the reason why there is none.

Source: JSON-RPC 2.0 sections 4 and 5; MCP 2026-07-28 basic/index, Messages.
"""

import re
from typing import Any, Literal, TypeAlias, final

import msgspec
from msgspec import UNSET, UnsetType
from sansmcp_schema.jsonrpc import INVALID_REQUEST, PARSE_ERROR

from ._nesting import nests_deeper

__all__ = ["OPEN_BRACE", "Answer", "Ignored", "Incoming", "Message", "Rejection", "decode_message"]

NO_PARAMS = b"{}"
OPEN_BRACE = ord("{")
"""How every JSON object begins, as a byte."""


@final
class Message(msgspec.Struct, frozen=True, gc=False):
    """A request, or a notification where ``id`` is unset."""

    method: str
    id: str | int | UnsetType
    params: bytes
    """The JSON object of the parameters, not decoded yet."""


@final
class Answer(msgspec.Struct, frozen=True, gc=False):
    """What the peer answers to a request of ours: one of result and error is set."""

    id: str | int
    result: bytes | None
    error: bytes | None


@final
class Rejection(msgspec.Struct, frozen=True):
    """Why the peer's message is not served: the JSON-RPC error it gets."""

    code: int
    message: str
    data: Any = UNSET
    id: str | int | UnsetType = UNSET
    status: int | None = None
    """The HTTP status; None where code and era tell it."""
    modern: bool = True
    """Whether the era is modern, or none at all."""


class Ignored(msgspec.Struct, frozen=True, gc=False):
    """A message that must not be answered and means nothing here."""

    reason: str


Incoming: TypeAlias = Message | Answer | Rejection | Ignored


class _Envelope(msgspec.Struct):
    jsonrpc: Literal["2.0"]
    method: str | UnsetType = UNSET
    id: str | int | UnsetType = UNSET
    params: msgspec.Raw | UnsetType = UNSET
    result: msgspec.Raw | UnsetType = UNSET
    error: msgspec.Raw | UnsetType = UNSET


_decode_envelope = msgspec.json.Decoder(_Envelope).decode
_decode_any = msgspec.json.Decoder().decode


def decode_message(line: bytes, max_nesting: int) -> Incoming:
    """Return the message in ``line``, or why there is none; never raises.

    Args:
        line: One JSON document.
        max_nesting: Brackets that may be open at once.
    """
    if not line.isascii():
        # The decoder takes raw parameters as they are, so their UTF-8 is settled here.
        try:
            line.decode()
        except UnicodeDecodeError as error:
            reason = f"byte {error.start} is not valid UTF-8"
            return Rejection(PARSE_ERROR, f"Parse error: {reason}")
    # The cheap count settles nearly every message.
    if line.count(b"[") + line.count(b"{") > max_nesting and nests_deeper(line, max_nesting):
        return Rejection(PARSE_ERROR, f"Parse error: nested deeper than {max_nesting} brackets")
    try:
        envelope = _decode_envelope(line)
    except (ValueError, RecursionError):
        return _explain(line)
    method, id = envelope.method, envelope.id
    if method is UNSET or envelope.result is not UNSET or envelope.error is not UNSET:
        return _not_a_call(envelope)
    params = envelope.params
    raw = NO_PARAMS if params is UNSET else bytes(params)
    if raw[0] != OPEN_BRACE:
        if raw == b"null":
            return Message(method, id, NO_PARAMS)
        if id is UNSET:
            return Ignored("a notification whose params are no object")
        return Rejection(INVALID_REQUEST, "Invalid request: params must be an object", UNSET, id)
    return Message(method, id, raw)


def _not_a_call(envelope: _Envelope) -> Incoming:
    """Tell an answer from a message that is no JSON-RPC message at all."""
    if envelope.method is not UNSET:
        return Rejection(
            INVALID_REQUEST,
            "Invalid request: a message has a method, or a result, or an error; got more than one",
            UNSET,
            envelope.id,
        )
    result, error = envelope.result, envelope.error
    if result is UNSET and error is UNSET:
        return Rejection(INVALID_REQUEST, "Invalid request: method is missing", UNSET, envelope.id)
    # An answer is never answered, however wrong it is: two peers could go on for ever.
    if envelope.id is UNSET:
        return Ignored("an answer without id")
    if result is not UNSET and error is not UNSET:
        return Ignored("an answer with both a result and an error")
    return Answer(
        envelope.id,
        None if result is UNSET else bytes(result),
        None if error is UNSET else bytes(error),
    )


def _explain(line: bytes) -> Incoming:
    """Find out why the strict decoding of ``line`` failed."""
    try:
        value = _decode_any(line)
    except (ValueError, RecursionError) as error:
        if not line.strip():
            return Ignored("a blank line")
        return Rejection(PARSE_ERROR, f"Parse error: {_why_unreadable(line, error)}")
    if isinstance(value, list):
        return Rejection(
            INVALID_REQUEST,
            "Invalid request: batches are not supported; send one message at a time",
        )
    if not isinstance(value, dict):
        return Rejection(INVALID_REQUEST, "Invalid request: a message is a JSON object")
    if "method" not in value and ("result" in value or "error" in value):
        return Ignored("an answer that is no valid JSON-RPC response")
    return _wrong_shape(value)


def _wrong_shape(value: dict[str, Any]) -> Rejection:
    id = value.get("id", UNSET)
    if id is not UNSET and (isinstance(id, bool) or not isinstance(id, str | int)):
        return Rejection(INVALID_REQUEST, "Invalid request: id must be a string or an integer")
    if value.get("jsonrpc") != "2.0":
        return Rejection(INVALID_REQUEST, 'Invalid request: jsonrpc must be "2.0"', UNSET, id)
    return Rejection(INVALID_REQUEST, "Invalid request: method must be a string", UNSET, id)


_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_SURROGATE = rb"\\u[dD][89a-fA-F]"


def _why_unreadable(line: bytes, error: Exception) -> str:
    """Word what the decoder is vague about."""
    if line.startswith(_BYTE_ORDER_MARK):
        return "the message begins with a byte order mark; send UTF-8 without one"
    if re.search(_SURROGATE, line):
        return f"perhaps half of a surrogate pair, \\ud800 to \\udfff, without the other ({error})"
    return str(error)
