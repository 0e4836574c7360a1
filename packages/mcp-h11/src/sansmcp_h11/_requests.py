"""A head as it was sent -> a request of the HTTP binding, or the reason why it is none.

Both parsers leave open what is decided here, or decide it differently.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

import msgspec
from sansmcp_core.http import RequestHead

from ._parser import BadRequest, Head

__all__ = ["Place", "Request", "request_of"]


class Place(NamedTuple):
    """Where a connection arrived."""

    host: str
    """The server's own address."""

    port: int
    scheme: str
    bound_host: str | None = None
    """The address that the listener is bound to, where that is no single one."""


class Request(msgspec.Struct, frozen=True):
    """One request, but for its body."""

    head: RequestHead
    keeps_alive: bool
    """Whether the client can send another request on the same connection."""

    is_1_1: bool
    expects_continue: bool
    """Whether the client waits for 100 before it sends the body."""


def request_of(head: Head, place: Place) -> Request:
    """The request with that head.

    Raises:
        BadRequest: The head is none of HTTP/1.1 or HTTP/1.0, or leaves the length of the body
            open to more than one reading.

    Source: RFC 9112 sections 2.3, 3.2, 6.1, 6.3, 9.3; RFC 9110 section 10.1.1.
    """
    path, authority = _paths.get(head.target), b""
    if path is None:
        path, authority = _read_target(head.target)
    request = _request_head(head.method, path, head.headers, place)
    _check(head.version, request)
    if authority:
        headers = [field for field in head.headers if field[0] != b"host"]
        headers.append((b"host", authority))
        request = _request_head(head.method, path, headers, place)
    fields = request.fields
    connection = fields.get(b"connection")
    is_1_1 = head.version == "1.1"
    keeps_alive = is_1_1 if connection is None else _keeps_alive(request, is_1_1)
    expects = fields.get(b"expect")
    expects_continue = expects is not None and is_1_1 and expects.lower() == b"100-continue"
    return Request(request, keeps_alive, is_1_1, expects_continue)


def _request_head(
    method: str, path: str, headers: Sequence[tuple[bytes, bytes]], place: Place
) -> RequestHead:
    host, port, scheme, bound_host = place
    return RequestHead(method, path, headers, scheme, host, port, "", bound_host)


def _check(version: str, request: RequestHead) -> None:
    fields = request.fields
    if version != "1.1":
        if version != "1.0":
            raise BadRequest(505, f"HTTP/{version} is not served here, but HTTP/1.1 is")
        if b"transfer-encoding" in fields:
            raise BadRequest(400, "HTTP/1.0 has no Transfer-Encoding")
    elif b"host" not in fields:
        raise BadRequest(400, "the Host header field is missing")
    if b"transfer-encoding" in fields:
        if b"content-length" in fields:
            raise BadRequest(400, "Content-Length and Transfer-Encoding exclude each other")
        if fields[b"transfer-encoding"].lower() != b"chunked":
            raise BadRequest(501, "of transfer codings, only chunked is implemented")
    if request.repeated:
        for name in _ONCE & request.repeated:
            raise BadRequest(400, f"the field {name.decode('ascii')} came more than once")
    if request.method == "CONNECT":
        raise BadRequest(501, "CONNECT is not implemented")


_ONCE = frozenset({b"host", b"content-length", b"transfer-encoding"})


def _keeps_alive(request: RequestHead, is_1_1: bool) -> bool:
    values = [value for name, value in request.headers if name == b"connection"]
    options = {option.strip().lower() for option in b",".join(values).split(b",")}
    if b"close" in options:
        return False
    return is_1_1 or b"keep-alive" in options


# -- the target -----------------------------------------------------------------------------------

_paths: dict[bytes, str] = {}
"""Targets without an authority that came up before."""

_MAX_PATHS = 64

_TARGET = re.compile(
    rb"(?:(?P<asterisk>\*)|(?:[Hh][Tt][Tt][Pp][Ss]?://(?P<authority>[^/?#@\s]+))?"
    rb"(?P<path>/[^?#]*)?(?:\?[^#]*)?)"
)


def _read_target(target: bytes) -> tuple[str, bytes]:
    """The decoded path of a target, and its authority, which takes the place of Host."""
    match = _TARGET.fullmatch(target)
    path = match and (match["asterisk"] or match["path"] or (match["authority"] and b"/"))
    if match is None or not path:
        raise BadRequest(400, "the request's target is neither a path nor a URL")
    decoded = unquote_to_bytes(path).decode("utf-8", "replace")
    authority = match["authority"] or b""
    if not authority and len(_paths) < _MAX_PATHS and len(target) <= 256:
        _paths[target] = decoded
    return decoded, authority
