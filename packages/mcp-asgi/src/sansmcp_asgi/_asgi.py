"""The shapes of ASGI, and a request's scope as the head of an HTTP request.

Source: ASGI specification 3.0, HTTP and WebSocket protocol 2.5, lifespan protocol 2.0.
"""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias

from sansmcp_core.http import RequestHead

__all__ = ["Message", "Receive", "Scope", "Send", "head_of"]

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]

_NOWHERE = (None, None)


def head_of(scope: Scope) -> RequestHead:
    """The head of the request that a scope describes.

    ``path`` holds ``root_path`` as its beginning, by the specification. Some servers and frameworks
    leave it out, so it is taken off only where it is there.
    """
    path: str = scope["path"]
    mount: str = scope.get("root_path", "")
    if mount:
        mount = mount.rstrip("/")
        if path.startswith(mount) and path[len(mount) : len(mount) + 1] in ("", "/"):
            path = path[len(mount) :]
    if not path.startswith("/"):  # nothing is left, or a router took the slash
        path = f"/{path}"
    headers = scope["headers"]
    if type(headers) is not list:
        headers = list(headers)
    host, port = scope.get("server") or _NOWHERE
    if port is None:  # a Unix socket has a path and no port
        host = None
    scheme = scope.get("scheme", "http")
    return RequestHead(scope["method"], path, headers, scheme, host, port, mount)
