"""The head of one HTTP request, as an adapter gives it."""

from collections.abc import Sequence
from typing import ClassVar

import msgspec

__all__ = ["RequestHead"]

_NONE: frozenset[bytes] = frozenset()


class RequestHead(msgspec.Struct):
    """What an HTTP request says before its body.

    Args:
        method: The HTTP method, such as ``POST``.
        path: The path below the place where the endpoint is mounted, percent-decoded, without the
            query.
        headers: Header fields in order of arrival, duplicates kept; names in lower case.
        scheme: ``http`` or ``https``.
        local_host: The server's own address, as far as it is known, such as ``127.0.0.1``; None
            where it is not an address, as with a Unix socket.
        local_port: The port it listens at.
        mount: The path where the endpoint is mounted, without a slash at its end.
        bound_host: The address it is bound to, where that is another one, such as ``0.0.0.0``.
    """

    method: str
    path: str
    headers: Sequence[tuple[bytes, bytes]]
    scheme: str = "http"
    local_host: str | None = None
    local_port: int | None = None
    mount: str = ""
    bound_host: str | None = None

    fields: dict[bytes, bytes] = {}
    """Header fields by name; of a repeated one the last."""
    repeated: frozenset[bytes] = _NONE
    """Names that came more than once."""

    LISTS: ClassVar[frozenset[bytes]] = frozenset({b"accept", b"accept-encoding", b"cookie"})
    """Fields that may come in several lines."""

    def __post_init__(self) -> None:
        # A dictionary is made in one go; only where it is smaller is there anything to look for.
        self.fields = fields = dict(self.headers)
        if len(fields) != len(self.headers):
            self._join()

    def _join(self) -> None:
        """Join what came in several lines. Source: RFC 9110 section 5.3."""
        seen: dict[bytes, list[bytes]] = {}
        for name, value in self.headers:
            seen.setdefault(name, []).append(value)
        several = {name: values for name, values in seen.items() if len(values) > 1}
        self.repeated = frozenset(several) - self.LISTS
        for name in several.keys() & self.LISTS:
            self.fields[name] = b", ".join(several[name])
