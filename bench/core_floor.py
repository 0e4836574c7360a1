"""The least to be done with a message: msgspec decodes the same bytes and encodes the answer.

Both ends are Structs for the whole message; nothing is looked up, checked or wrapped.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import msgspec
from core_drive import Step
from msgspec import UNSET, Raw, Struct, UnsetType, field

__all__ = [
    "Error",
    "Failed",
    "Floor",
    "InputRequired",
    "Listed",
    "added",
    "answered",
    "greeted",
    "invalid_arguments",
    "raised",
    "unreadable",
]


class Meta(Struct):
    """``_meta`` of a modern request."""

    version: str = field(name="io.modelcontextprotocol/protocolVersion")
    capabilities: dict[str, Any] = field(name="io.modelcontextprotocol/clientCapabilities")
    client: dict[str, Any] | None = field(name="io.modelcontextprotocol/clientInfo", default=None)


class Name(Struct):
    """What the client is asked for."""

    name: str


class Elicited(Struct):
    """The client's answer to a question."""

    action: str
    content: Name


class Params(Struct, rename="camel"):
    """Parameters of every request here."""

    meta: Meta | UnsetType = field(name="_meta", default=UNSET)
    name: str | UnsetType = UNSET
    arguments: Raw | UnsetType = UNSET
    input_responses: dict[str, Elicited] | UnsetType = UNSET
    request_state: str | UnsetType = UNSET


class Request(Struct):
    """A request."""

    id: int | str
    method: str
    params: Params


class Arguments(Struct):
    """What ``add`` takes."""

    a: int
    b: int


class Text(Struct):
    """A text, as content."""

    type: str
    text: str


class Called(Struct, rename="camel", omit_defaults=True):
    """The result of a tool."""

    content: list[Text]
    structured_content: Any = UNSET
    """A mapping in the legacy era, anything in the modern one."""

    is_error: bool | UnsetType = UNSET
    result_type: str | UnsetType = UNSET
    meta: Raw | UnsetType = field(name="_meta", default=UNSET)


class Question(Struct):
    """What a client is asked."""

    method: str
    params: Raw


class InputRequired(Struct, rename="camel"):
    """The result that asks."""

    result_type: str
    input_requests: dict[str, Question]
    request_state: str
    meta: Raw = field(name="_meta")


Listed: TypeAlias = Raw
"""A list: its bytes are there already."""


class Response(Struct):
    """A response with any result."""

    jsonrpc: str
    id: int | str
    result: Any


class Error(Struct):
    """What is wrong with a request."""

    code: int
    message: str
    data: Raw | UnsetType = UNSET


class Failed(Struct):
    """A response that says what is wrong."""

    jsonrpc: str
    error: Error
    id: int | str | UnsetType | None = UNSET


Floor: TypeAlias = Callable[[bytes, bytes], Step]
"""Makes the floor of a request and its answer."""

_decode = msgspec.json.Decoder(Request).decode
_decode_arguments = msgspec.json.Decoder(Arguments).decode
_encode = msgspec.json.Encoder().encode


def added(request: bytes, answer: bytes) -> Step:
    """Decode, add, encode."""
    like = _result(answer, Called)
    result_type, meta = like.result_type, like.meta
    wraps = isinstance(like.structured_content, dict)

    def step() -> bytes:
        message = _decode(request)
        arguments = _decode_arguments(message.params.arguments)  # type: ignore[arg-type]
        total = arguments.a + arguments.b
        content = [Text("text", str(total))]
        structured = {"result": total} if wraps else total
        result = Called(content, structured, UNSET, result_type, meta)
        return _encode(Response("2.0", message.id, result))

    return step


def greeted(request: bytes, answer: bytes) -> Step:
    """Decode the client's answer, greet, encode."""
    like = _result(answer, Called)
    result_type, meta = like.result_type, like.meta

    def step() -> bytes:
        message = _decode(request)
        responses = message.params.input_responses
        text = f"Hello, {responses['who'].content.name}!"  # type: ignore[index]
        result = Called([Text("text", text)], UNSET, UNSET, result_type, meta)
        return _encode(Response("2.0", message.id, result))

    return step


def answered(kind: type[Any]) -> Floor:
    """Decode, and encode what is ready as Structs: a result of this type, or ``Failed``."""

    def floor(request: bytes, answer: bytes) -> Step:
        ready = _failed(answer) if kind is Failed else _response(answer, kind)

        def step() -> bytes:
            ready.id = _decode(request).id
            return _encode(ready)

        return step

    return floor


def invalid_arguments(request: bytes, answer: bytes) -> Step:
    """Decode, find that the arguments do not fit, encode what is ready."""
    ready = _response(answer, Called)

    def step() -> bytes:
        message = _decode(request)
        try:
            _decode_arguments(message.params.arguments)  # type: ignore[arg-type]
        except msgspec.ValidationError:
            ready.id = message.id
        return _encode(ready)

    return step


def raised(request: bytes, answer: bytes) -> Step:
    """Decode, raise, catch, encode what is ready."""
    ready = _response(answer, Called)

    def step() -> bytes:
        message = _decode(request)
        try:
            _raise()
        except ValueError:
            ready.id = message.id
        return _encode(ready)

    return step


def unreadable(request: bytes, answer: bytes) -> Step:
    """Fail to decode, encode what is ready."""
    ready = _failed(answer)

    def step() -> bytes:
        try:
            return _encode(_decode(request))
        except msgspec.DecodeError:
            return _encode(ready)

    return step


def _raise() -> None:
    raise ValueError("something that nobody expected")


def _response(answer: bytes, kind: type[Any]) -> Response:
    response = msgspec.json.decode(answer, type=Response)
    result: Any = _result(answer, kind)
    response.result = result
    return response


def _result(answer: bytes, kind: type[Any]) -> Any:
    fields = msgspec.json.decode(answer, type=dict[str, Raw])
    if kind is Raw:
        return fields["result"].copy()
    return msgspec.json.decode(fields["result"], type=kind)


def _failed(answer: bytes) -> Failed:
    return msgspec.json.decode(answer, type=Failed)
