"""The info path: where the endpoint is, and what it speaks."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec
from sansmcp_schema.revisions import LEGACY_REVISIONS, MODERN_REVISIONS

if TYPE_CHECKING:
    from .._server import Server

__all__ = ["endpoint_url", "info_for", "quoted_path"]

# What may stand in the path of a URL as it is. Source: RFC 3986 section 3.3.
_ESCAPED = re.compile(rb"[^A-Za-z0-9._~!$&'()*+,;=:@/-]")


def info_for(server: "Server") -> Callable[[str], bytes]:
    """Return a function from the URL of the endpoint to the JSON that tells of it.

    The JSON has ``endpoint``, ``name``, ``version`` and ``protocolVersions``, newest first.
    """
    settings = server.settings
    versions = (
        *reversed(MODERN_REVISIONS if settings.modern else ()),
        *reversed(LEGACY_REVISIONS if settings.legacy else ()),
    )
    info = server.info

    def tell(url: str) -> bytes:
        return msgspec.json.encode(
            {
                "endpoint": url,
                "name": info.name,
                "version": info.version,
                "protocolVersions": versions,
            }
        )

    return tell


def endpoint_url(scheme: str, authority: str, mount: str, paths: tuple[str, ...]) -> str:
    """Return the URL of the endpoint.

    Of several paths it is the one where the application is mounted, if that is one of them, else
    the first that has a name.

    Args:
        scheme: ``http`` or ``https``.
        authority: Host and port as the client knows them.
        mount: The decoded path of the mount, without a slash at its end.
        paths: The paths of the endpoint below it, without slashes at their ends.
    """
    named = [path for path in paths if path]
    path = "" if not named or (mount and "" in paths) else named[0]
    return f"{scheme}://{authority}{quoted_path(mount + path) or '/'}"


def quoted_path(path: str) -> str:
    """Return a decoded path as it stands in a URL; whatever is in it, all of it is ASCII then."""
    data = path.encode("utf-8", "surrogatepass")
    return _ESCAPED.sub(lambda match: b"%%%02X" % match[0][0], data).decode("ascii")
