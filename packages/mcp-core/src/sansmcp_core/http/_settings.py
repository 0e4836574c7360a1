"""Every switch and bound of the HTTP binding, with its default."""

from typing import TYPE_CHECKING

import msgspec

from ._hosts import is_bare_host, read_patterns

if TYPE_CHECKING:
    from ._events import EventStore

__all__ = ["DEFAULT_HTTP_SETTINGS", "HttpSettings"]

_MIB = 1024 * 1024


class HttpSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The switches of one HTTP endpoint; the bounds of calls are in the server's ``Limits``."""

    paths: tuple[str, ...] = ("/", "/mcp")
    """Where the endpoint answers, below the place where it is mounted; a slash at the end of a
    path makes no difference. Anything else is 404."""

    info_path: str | None = None
    """A path at which a GET tells the endpoint's URL and versions, not one of ``paths``; None for
    none."""

    bind_host: str | None = None
    """The address the server is bound to, where the adapter cannot know it: behind a proxy that
    listens elsewhere, give the public one."""

    allowed_hosts: tuple[str, ...] | None = None
    """Values of ``Host`` that are served, beside the server's own address: ``host``, ``host:port``,
    ``host:*``, ``*``. None: on a loopback address its names with any port, elsewhere every host."""

    allowed_origins: tuple[str, ...] | None = None
    """Values of ``Origin`` that are served, beside the server's own address:
    ``scheme://host[:port]``, ``scheme://host:*``, ``*``; ``null`` never is, and a request without
    ``Origin`` always. None: on a loopback address its names with any port, elsewhere none."""

    cors_origins: tuple[str, ...] | None = None
    """Origins whose pages may read the answers; None for those that are allowed, () for none."""

    trust_forwarded: bool = False
    """Take host and scheme from ``X-Forwarded-Host`` and ``X-Forwarded-Proto``, which a proxy in
    front of this server sets; of several values the last. Never switch it on without one."""

    max_body_bytes: int = 4 * _MIB
    """A longer body is 413."""

    keep_alive_s: float | None = 15.0
    """Seconds of silence after which a stream gets a comment line, and a call that still runs
    becomes a stream; None switches both off."""

    retry_after_s: int = 1
    """What ``Retry-After`` says where the server is busy (503)."""

    max_streams: int = 10_000
    """Streams open at once; one more is 503."""

    sessions: bool = True
    """Keep sessions for legacy clients. Switch it off where several processes serve one address:
    then each legacy request stands alone, and handlers cannot ask legacy clients anything."""

    max_sessions: int = 10_000
    """Legacy sessions open at once; one more ``initialize`` is 503."""

    session_idle_s: float | None = 1800.0
    """Seconds after which a session that nobody uses is ended; None for never. No time counts
    while one of its requests runs or its stream is open."""

    resumable: bool = True
    """Let legacy clients resume broken streams (``Last-Event-ID``)."""

    event_store: "EventStore | None" = None
    """Where the events of resumable streams are kept; None for this process's memory."""

    def __post_init__(self) -> None:
        _check_paths(self.paths, self.info_path)
        if self.bind_host is not None and not is_bare_host(self.bind_host):
            raise ValueError(
                f"bind_host is a name or an address without scheme and port, got {self.bind_host!r}"
            )
        for name in ("allowed_hosts", "allowed_origins", "cors_origins"):
            patterns = getattr(self, name)
            if patterns is not None:
                read_patterns(name, patterns)
        _check_types(self)
        for name in ("max_body_bytes", "retry_after_s", "max_streams", "max_sessions"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be 1 or more, got {getattr(self, name)}")
        for name in ("keep_alive_s", "session_idle_s"):
            seconds = getattr(self, name)
            if seconds is not None and not seconds > 0:
                raise ValueError(f"{name} must be more than 0 seconds, or None, got {seconds}")


_KINDS: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("max_body_bytes", "max_streams", "max_sessions", "retry_after_s"), (int,)),
    **dict.fromkeys(("keep_alive_s", "session_idle_s"), (int, float, type(None))),
    **dict.fromkeys(("sessions", "resumable", "trust_forwarded"), (bool,)),
}


def _check_types(settings: HttpSettings) -> None:
    for name, kinds in _KINDS.items():
        value = getattr(settings, name)
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            wanted = " or ".join("None" if k is type(None) else k.__name__ for k in kinds)
            raise TypeError(f"{name} must be of type {wanted}, got {value!r}")
    store = settings.event_store
    if store is not None and (isinstance(store, type) or not hasattr(store, "stream_of")):
        raise TypeError(
            f"event_store must be an object such as MemoryEventStore(), or None, got {store!r}"
        )


def _check_paths(paths: tuple[str, ...], info_path: str | None) -> None:
    if isinstance(paths, str) or not paths:
        raise ValueError(f"paths is a tuple of one path or more, got {paths!r}")
    for path in paths if info_path is None else (*paths, info_path):
        if path and not path.startswith("/"):
            raise ValueError(f"a path begins with a slash, got {path!r}")
    if info_path is not None and info_path.removesuffix("/") in {
        p.removesuffix("/") for p in paths
    }:
        raise ValueError(f"info_path must not be one of paths, got {info_path!r}")


DEFAULT_HTTP_SETTINGS = HttpSettings()
