"""Every switch of a server, with its default."""

from typing import Any, Literal

import msgspec

from ._limits import DEFAULT_LIMITS, Limits

__all__ = ["DEFAULT_SETTINGS", "CacheHint", "Settings"]


class CacheHint(msgspec.Struct, frozen=True):
    """How long, and by whom, a result may be kept (modern era only).

    Source: MCP 2026-07-28 server/utilities/caching.
    """

    ttl_ms: int = 0
    """Milliseconds for which a client may take the result for fresh; 0 means not at all."""

    cache_scope: Literal["public", "private"] = "private"
    """``public`` only where every user gets the same result."""

    def __post_init__(self) -> None:
        if self.ttl_ms < 0:
            raise ValueError(f"ttl_ms must be 0 or more milliseconds, got {self.ttl_ms}")
        if self.cache_scope not in ("public", "private"):
            raise ValueError(f'cache_scope must be "public" or "private", got {self.cache_scope!r}')


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """The switches of one server."""

    modern: bool = True
    """Serve revision 2026-07-28."""

    legacy: bool = True
    """Serve the ``initialize`` revisions, 2024-11-05 to 2025-11-25."""

    list_legacy_versions: bool = False
    """Name the legacy revisions in ``server/discover`` and in ``-32022``, too."""

    modern_ping: bool = False
    """Answer ``ping`` in the modern era, which no longer has it."""

    server_info_in_results: bool = True
    """Put name and version of the server in the ``_meta`` of each modern result."""

    cancel_ended_subscriptions: bool = False
    """Send ``notifications/cancelled``, too, when the server ends a subscription."""

    logging: bool = True
    """Offer the ``logging`` capability: handlers may send log messages to the client."""

    offer_tools: bool = False
    """Offer the capability although no tool is registered yet; likewise the next three."""

    offer_resources: bool = False
    offer_prompts: bool = False
    offer_completions: bool = False

    extensions: dict[str, dict[str, Any]] = {}
    """Extensions to advertise: identifier to settings."""

    experimental: dict[str, dict[str, Any]] = {}
    """Experimental capabilities to advertise."""

    page_size: int | None = None
    """Entries on one page of a list; ``None`` sends each list whole."""

    cache: CacheHint = CacheHint()
    """The hint for everything that has no hint of its own."""

    cache_lists: dict[str, CacheHint] = {}
    """Hints for ``tools``, ``resources``, ``resource_templates``, ``prompts``, ``discover``."""

    repair_arguments: bool = True
    """Decode string-encoded arguments once where the strict check fails."""

    allow_unknown_arguments: bool = False
    """Open the argument objects of typed and builder tools; their schemas say so, too."""

    show_exceptions: bool = False
    """Give clients the text of unexpected exceptions; for development only."""

    secret_words: tuple[str, ...] = ("password", "token", "secret", "key")
    """Arguments whose name holds one of these words are never shown in an error."""

    time_limit_s: float | None = None
    """Seconds a call may take where its declaration does not say; ``None`` is no limit."""

    state_ttl_s: float = 600.0
    """Seconds for which a sealed request state is accepted."""

    state_keys: tuple[bytes, ...] = ()
    """Key ring for request state, newest first; empty makes a random key for this process."""

    encrypt_state: bool = False
    """Hide request state from the client, too, not only protect it; needs the extra ``aead``."""

    answer_timeout_s: float = 600.0
    """Seconds a legacy client has to answer one question."""

    limits: Limits = DEFAULT_LIMITS
    """The bounds."""

    def __post_init__(self) -> None:
        for name in ("state_ttl_s", "answer_timeout_s", "time_limit_s"):
            seconds = getattr(self, name)
            if seconds is not None and not seconds > 0:
                raise ValueError(f"{name} must be more than 0 seconds, got {seconds}")
        if isinstance(self.secret_words, str):
            raise TypeError(f"secret_words is a tuple of words, got the text {self.secret_words!r}")
        if not (self.modern or self.legacy):
            raise ValueError("modern and legacy are both off: such a server would serve nobody")


DEFAULT_SETTINGS = Settings()
