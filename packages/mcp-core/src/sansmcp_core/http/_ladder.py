"""What the head of a request is answered: one ladder of rungs, the first that objects answers.

| rung | what the head shows | answer |
| --- | --- | --- |
| path | a path that is neither one of ``paths`` nor ``info_path`` | 404 |
| host | ``Host`` absent, repeated or malformed | 400 |
| | ``Host`` not allowed | 403 |
| origin | ``Origin`` repeated, malformed, ``null`` or not allowed | 403 |
| options | ``OPTIONS`` with ``Origin`` and ``Access-Control-Request-Method`` | 204, CORS |
| | ``OPTIONS`` | 204, ``Allow`` |
| info | ``GET`` of ``info_path`` | 200, JSON |
| method | not ``POST``, nor ``GET`` or ``DELETE`` of a session | 405, ``Allow`` |
| content | ``POST`` of anything but JSON in UTF-8, or encoded (compressed) | 415 |
| accept | ``POST`` that takes neither JSON nor a stream; ``GET`` that takes no stream | 406 |
| length | ``Content-Length`` that is no number, or several | 400 |
| | ``Content-Length`` over ``max_body_bytes`` | 413 |

Source: MCP 2026-07-28 basic/transports/streamable-http, Security & Endpoint and Sending Messages;
2025-11-25 basic/transports, Streamable HTTP; RFC 9110 sections 8.6, 12.5.1 and 15.5.
"""

from collections.abc import Callable

import msgspec

from ._accept import accepted_types, is_plain, is_utf8_json
from ._allowed import Allowed
from ._cors import REQUEST_METHOD, CorsHeaders, preflight_headers
from ._head import RequestHead
from ._hosts import parse_host, parse_origin
from ._info import endpoint_url, quoted_path
from ._names import (
    ACCEPT,
    APPLICATION_JSON,
    CONTENT_ENCODING,
    CONTENT_LENGTH,
    CONTENT_TYPE,
    HOST,
    MCP_SESSION_ID,
    ORIGIN,
)
from ._settings import HttpSettings

__all__ = ["Ladder", "Rejoinder"]

_METHODS = b"OPTIONS, POST"
_SESSION_METHODS = b"DELETE, GET, OPTIONS, POST"
_INFO_METHODS = b"GET, OPTIONS"
_MAX_SHOWN = 60
_MAX_DIGITS = 18


class Rejoinder(msgspec.Struct):
    """What a rung answers."""

    status: int
    text: str = ""
    """Why the request is refused, and what to do about it; empty where it is not."""
    headers: CorsHeaders = ()
    body: bytes = b""
    """JSON, in place of an error."""
    setting: str = ""
    """The setting that could let ``value`` pass; the log is to hear of it."""
    value: bytes = b""


class Ladder:
    """The rungs of one endpoint.

    Args:
        settings: The endpoint's settings.
        allowed: Which hosts and origins it serves.
        info: From the URL of the endpoint to the JSON of the info path.
    """

    def __init__(
        self, settings: HttpSettings, allowed: Allowed, info: Callable[[str], bytes]
    ) -> None:
        self._settings = settings
        self._allowed = allowed
        self._info = info
        self._paths = tuple(_bare(path) for path in settings.paths)
        self._info_path = None if settings.info_path is None else _bare(settings.info_path)
        self._methods = _SESSION_METHODS if settings.sessions else _METHODS

    def climb(self, head: RequestHead) -> Rejoinder | None:
        """Return what the first rung that objects answers; the length is not looked at."""
        for rung in (
            self._path,
            self._host,
            self._origin,
            self._options,
            self._info_page,
            self._method,
            self._content,
            self._accept,
        ):
            rejoinder = rung(head)
            if rejoinder is not None:
                return rejoinder
        return None

    def length(self, head: RequestHead) -> Rejoinder | None:
        """Return what the last rung answers; several lengths pass if they are equal."""
        lines = [value for name, value in head.headers if name == CONTENT_LENGTH]
        lengths = {part.strip(b" \t") for line in lines for part in line.split(b",")}
        if not lengths:
            return None
        declared = lengths.pop()
        if lengths or not declared.isdigit():
            return Rejoinder(400, "Content-Length must be one number of bytes")
        digits = declared.lstrip(b"0")
        most = self._settings.max_body_bytes
        if len(digits) > _MAX_DIGITS or int(digits or b"0") > most:
            return Rejoinder(413, f"The body is longer than {most} bytes (max_body_bytes)")
        return None

    def _path(self, head: RequestHead) -> Rejoinder | None:
        path = _bare(head.path)
        if path in self._paths or path == self._info_path:
            return None
        known = " and ".join(quoted_path(head.mount + path) or "/" for path in self._paths)
        return Rejoinder(404, f"Nothing is served at this path; the endpoint is at {known}")

    def _host(self, head: RequestHead) -> Rejoinder | None:
        if HOST not in head.fields or HOST in head.repeated:
            return Rejoinder(400, "Host must be there, and once only")
        value = self._allowed.host_value(head)
        host = parse_host(value)
        if host is None:
            expected = "host or host:port, with a port from 0 to 65535"
            return Rejoinder(400, f"Host must be {expected}; got {_shown(value)}")
        if self._allowed.serves(host, head):
            return None
        return Rejoinder(
            403,
            f"Host {_shown(value)} is not served here; the server's owner can add it to"
            " allowed_hosts in HttpSettings",
            setting="allowed_hosts",
            value=value,
        )

    def _origin(self, head: RequestHead) -> Rejoinder | None:
        value = head.fields.get(ORIGIN)
        if value is None:
            return None
        if ORIGIN in head.repeated:
            return Rejoinder(403, "Origin must be there once only")
        origin = parse_origin(value)
        if origin is not None and self._allowed.trusts(origin, head):
            return None
        if origin is None:
            way_out = "only scheme://host or scheme://host:port can be, by allowed_origins"
        else:
            way_out = "the server's owner can add it to allowed_origins"
        return Rejoinder(
            403,
            f"Origin {_shown(value)} is not served here; {way_out} in HttpSettings",
            setting="allowed_origins",
            value=value,
        )

    def _options(self, head: RequestHead) -> Rejoinder | None:
        if head.method != "OPTIONS":
            return None
        methods = _INFO_METHODS if self._is_info(head) else self._methods
        headers: CorsHeaders = ((b"allow", methods),)
        if REQUEST_METHOD in head.fields and self._allowed.cors(head):
            headers += preflight_headers(head.fields, methods)
        return Rejoinder(204, headers=headers)

    def _info_page(self, head: RequestHead) -> Rejoinder | None:
        if not self._is_info(head) or head.method != "GET":
            return None
        host = parse_host(self._allowed.host_value(head))
        assert host is not None
        url = endpoint_url(self._allowed.scheme(head), host.authority, head.mount, self._paths)
        return Rejoinder(200, headers=((b"cache-control", b"no-store"),), body=self._info(url))

    def _method(self, head: RequestHead) -> Rejoinder | None:
        if self._is_info(head):
            methods = _INFO_METHODS
        elif self._settings.sessions and MCP_SESSION_ID in head.fields:
            methods = _SESSION_METHODS
        else:
            methods = _METHODS
        if head.method.encode("utf-8", "surrogatepass") in methods.split(b", "):
            return None
        text = f"Method {_shown(head.method)} is not served here, only {methods.decode()}"
        if methods == _METHODS and self._settings.sessions:
            text += "; GET and DELETE need the Mcp-Session-Id of a session that initialize opened"
        return Rejoinder(405, text, ((b"allow", methods),))

    def _content(self, head: RequestHead) -> Rejoinder | None:
        if head.method != "POST":
            return None
        content_type = head.fields.get(CONTENT_TYPE, b"")
        if CONTENT_TYPE in head.repeated or not is_utf8_json(content_type):
            got = _shown(content_type) if content_type else "none"
            return Rejoinder(
                415,
                f"Content-Type must be application/json, in UTF-8, and once only; got {got}",
                ((b"accept", APPLICATION_JSON),),
            )
        encoding = head.fields.get(CONTENT_ENCODING, b"")
        if CONTENT_ENCODING in head.repeated or not is_plain(encoding):
            return Rejoinder(
                415,
                f"The body must be sent without Content-Encoding; got {_shown(encoding)}",
                ((b"accept-encoding", b"identity"),),
            )
        return None

    def _accept(self, head: RequestHead) -> Rejoinder | None:
        json, stream = accepted_types(head.fields.get(ACCEPT))
        if head.method == "POST" and not json and not stream:
            expected = "application/json, text/event-stream or both"
        elif head.method == "GET" and not stream:
            expected = "text/event-stream"
        else:
            return None
        got = _shown(head.fields.get(ACCEPT, b""))
        return Rejoinder(406, f"Accept must allow {expected}; got {got}")

    def _is_info(self, head: RequestHead) -> bool:
        return self._info_path is not None and _bare(head.path) == self._info_path


def _bare(path: str) -> str:
    """Return the path without a slash at its end, so that ``/`` is the empty one."""
    return path.removesuffix("/")


def _shown(value: bytes | str) -> str:
    """Return what arrived, short and without control characters, for a client or a log."""
    text = value if isinstance(value, str) else value.decode("latin-1")
    return repr(text if len(text) <= _MAX_SHOWN else text[:_MAX_SHOWN] + "...")
