"""Which hosts and origins one endpoint serves, seen from one request."""

from ._cors import CorsHeaders, cors_headers
from ._head import RequestHead
from ._hosts import (
    DEFAULT_PORTS,
    Address,
    Bound,
    Pattern,
    is_loopback,
    matches_any,
    parse_origin,
    read_patterns,
)
from ._names import HOST, ORIGIN, X_FORWARDED_HOST, X_FORWARDED_PROTO
from ._settings import HttpSettings

__all__ = ["Allowed"]


class Allowed:
    """The settings about hosts and origins, applied to heads.

    | | the server's own address | a list is set | no list, loopback | no list, elsewhere |
    | --- | --- | --- | --- | --- |
    | ``Host`` | yes | what is on it | loopback names, any port | all |
    | ``Origin`` | yes | what is on it | loopback names, any port | none |

    Whether it is loopback is told by ``bind_host``, else by the address that the adapter says the
    server is bound to; which address is its own, by ``bind_host`` or the one that was reached.

    Raises:
        ValueError: A pattern in the settings is none.
    """

    def __init__(self, settings: HttpSettings) -> None:
        self._bind_host = settings.bind_host
        self._trust_forwarded = settings.trust_forwarded
        self._hosts = _patterns("allowed_hosts", settings.allowed_hosts)
        self._origins = _patterns("allowed_origins", settings.allowed_origins)
        self._readers = _patterns("cors_origins", settings.cors_origins)

    def serves(self, host: Address, head: RequestHead) -> bool:
        """Return whether requests for ``host`` are served."""
        bound = self._bound(head)
        if bound.is_host(host):
            return True
        if self._hosts is not None:
            return matches_any(self._hosts, host)
        return not bound.loopback or is_loopback(host.name)

    def trusts(self, origin: Address, head: RequestHead) -> bool:
        """Return whether pages of ``origin`` are served."""
        bound = self._bound(head)
        if bound.is_origin(origin):
            return True
        if self._origins is not None:
            return matches_any(self._origins, origin)
        return bound.loopback and origin.scheme in DEFAULT_PORTS and is_loopback(origin.name)

    def cors(self, head: RequestHead) -> CorsHeaders:
        """Return the headers that every answer to this head must have, errors too."""
        value = head.fields.get(ORIGIN)
        if value is None or ORIGIN in head.repeated:
            return ()
        origin = parse_origin(value)
        if origin is None or not self.trusts(origin, head):
            return ()
        if self._readers is not None and not matches_any(self._readers, origin):
            return ()
        return cors_headers(value.strip(b" \t"))

    def host_value(self, head: RequestHead) -> bytes:
        """Return the ``Host`` that the client sent, as far as a trusted proxy tells it."""
        value = head.fields[HOST]
        if self._trust_forwarded:
            value = _nearest(head.fields.get(X_FORWARDED_HOST, value))
        return value

    def scheme(self, head: RequestHead) -> str:
        """Return the scheme that the client used, as far as a trusted proxy tells it."""
        if self._trust_forwarded:
            scheme = _nearest(head.fields.get(X_FORWARDED_PROTO, b"")).lower().decode("latin-1")
            if scheme in DEFAULT_PORTS:
                return scheme
        return head.scheme

    def _bound(self, head: RequestHead) -> Bound:
        own = self._bind_host or head.local_host
        bound = self._bind_host or head.bound_host or head.local_host
        return Bound(own, head.local_port, self.scheme(head), is_loopback(bound or ""))


def _nearest(value: bytes) -> bytes:
    """Return the last of several values.

    Each proxy adds its own at the end, and only the nearest is known to be honest.
    """
    return value.rpartition(b",")[2].strip(b" \t")


def _patterns(setting: str, texts: tuple[str, ...] | None) -> tuple[Pattern, ...] | None:
    return None if texts is None else read_patterns(setting, texts)
