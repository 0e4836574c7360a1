"""The bounds of an HTTP/1.1 connection, with their defaults."""

import msgspec

__all__ = ["DEFAULT_CONNECTION_LIMITS", "ConnectionLimits"]

_KIB = 1024


class ConnectionLimits(msgspec.Struct, frozen=True, kw_only=True):
    """What a client may take of the server's memory, time and descriptors.

    The bound of a request's body is ``HttpSettings.max_body_bytes``, those of calls are in the
    server's ``Limits``.
    """

    max_connections: int = 2000
    """Connections open at once. One more takes the place of the one that has been idle longest;
    where none is idle it waits, unanswered, until another closes."""

    max_head_bytes: int = 32 * _KIB
    """Bytes of a request's head; a longer one is 431. Bounds a chunk's extensions and the trailer
    section, too."""

    max_ahead_bytes: int = 64 * _KIB
    """Bytes read of further requests while one is being answered; the rest waits in the socket."""

    max_discarded_bytes: int = 1024 * _KIB
    """Bytes read and thrown away, of a body that was refused, so that its sender reads why."""

    head_s: float = 10.0
    """Seconds from a connection's beginning, or from the first byte of a request, to the end of
    the head: 408, or a closed connection where no byte came. Bounds the TLS handshake, too."""

    body_s: float = 30.0
    """Seconds between two pieces of a body: 408."""

    body_total_s: float = 600.0
    """Seconds for the whole of a body: 408."""

    idle_s: float = 75.0
    """Seconds from the end of one answer to the first byte of the next request."""

    write_s: float = 60.0
    """Seconds for which a client may take nothing of what is written: the connection is dropped,
    and with it what runs for that request."""

    half_closed_s: float = 0.5
    """Seconds for which a client that has sent its last byte still gets an answer. Then it counts
    as gone: nothing tells a client that only half closed its connection from one that hung up."""

    linger_s: float = 2.0
    """Seconds for which a connection that this side closes waits for the other side to do so."""

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if not value > 0:
                raise ValueError(f"{name} must be more than 0, got {value}")


DEFAULT_CONNECTION_LIMITS = ConnectionLimits()
