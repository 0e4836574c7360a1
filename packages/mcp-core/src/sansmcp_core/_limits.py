"""Every bound of the core: name, default, and what the peer gets beyond it."""

import msgspec

__all__ = ["DEFAULT_LIMITS", "Limits"]

_KIB = 1024
_MIB = 1024 * 1024


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """The bounds of one server; each has a default that suits a server on a laptop."""

    max_line_bytes: int = 32 * _MIB
    """A longer line is one ``-32600`` without id and is skipped to its newline."""

    max_nesting: int = 64
    """Brackets open at once in one message; beyond it ``-32700``."""

    max_concurrent_calls: int = 256
    """Calls running at once on one connection; 1 answers them in order of arrival."""

    max_waiting_calls: int = 1024
    """Calls waiting for a place on one connection; beyond it one busy error."""

    max_queued_messages: int = 1024
    """Progress and log messages waiting to be written; beyond it the newest are dropped."""

    max_unsent_bytes: int = 8 * _MIB
    """Bytes handed out and not yet written, as the adapter tells; beyond it ``paused``."""

    max_listeners: int = 10_000
    """Open ``subscriptions/listen`` requests of one server; beyond it one busy error."""

    max_uris_per_listen: int = 1000
    """Resource URIs one listener or one legacy session may follow; beyond it ``-32602``."""

    max_state_bytes: int = 64 * _KIB
    """Size of a sealed request state; beyond it the call fails with ``-32603``."""

    max_rounds: int = 8
    """Rounds of questions in one call; beyond it the call fails with ``-32603``."""

    max_cursor_chars: int = 512
    """Length of a pagination cursor that is looked at; a longer one is ``-32602``."""

    max_uri_chars: int = 8192
    """Length of a resource URI; a longer one is ``-32602``."""

    max_schema_depth: int = 64
    """Levels of a declared JSON Schema, two for an object in an object; beyond it registration
    fails."""

    max_subschemas: int = 2000
    """Subschemas of a declared JSON Schema; beyond it registration fails."""

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if value < _LEAST.get(name, 1):
                raise ValueError(f"{name} must be {_LEAST.get(name, 1)} or more, got {value}")


_LEAST = {
    "max_waiting_calls": 0,
    "max_queued_messages": 0,
    "max_listeners": 0,
    "max_unsent_bytes": 0,
}

DEFAULT_LIMITS = Limits()
