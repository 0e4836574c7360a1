"""What browsers want to be told before a page of another origin may call, and read.

Source: https://fetch.spec.whatwg.org, HTTP extensions, CORS protocol.
"""

import re

__all__ = ["CorsHeaders", "cors_headers", "preflight_headers"]

CorsHeaders = tuple[tuple[bytes, bytes], ...]

REQUEST_METHOD = b"access-control-request-method"
_REQUEST_HEADERS = b"access-control-request-headers"
_REQUEST_PRIVATE_NETWORK = b"access-control-request-private-network"
_EXPOSED = b"mcp-session-id, www-authenticate, retry-after, mcp-protocol-version"
# Browsers cut it down to what they allow, which is two hours at most.
_MAX_AGE_S = b"7200"
_TOKEN = re.compile(rb"[a-z0-9!#$%&'*+.^_`|~-]+", re.IGNORECASE)


def cors_headers(origin: bytes) -> CorsHeaders:
    """Return the headers that let a page of ``origin`` read the answer.

    Args:
        origin: A well-formed ``Origin`` as it arrived, for browsers compare it byte by byte.
    """
    return (
        (b"access-control-allow-origin", origin),
        (b"access-control-expose-headers", _EXPOSED),
        (b"vary", b"origin"),
    )


def preflight_headers(fields: dict[bytes, bytes], methods: bytes) -> CorsHeaders:
    """Return what a preflight is told beside the headers of every answer.

    Args:
        fields: The preflight's header fields. The headers it asks for are all granted, since the
            names that tools give to theirs are not known here.
        methods: The methods of the path, with commas.
    """
    headers = [(b"access-control-allow-methods", methods), (b"access-control-max-age", _MAX_AGE_S)]
    names = [name.strip(b" \t") for name in fields.get(_REQUEST_HEADERS, b"").split(b",")]
    names = [name for name in names if _TOKEN.fullmatch(name)]
    if names:
        headers.append((b"access-control-allow-headers", b", ".join(names)))
    if fields.get(_REQUEST_PRIVATE_NETWORK) == b"true":
        headers.append((b"access-control-allow-private-network", b"true"))
    return tuple(headers)
