"""What an author can say about a resource or template, beside its handler."""

from collections.abc import Iterable, Mapping
from typing import Any, TypedDict

import msgspec
from sansmcp_schema.content import Annotations, Icon

from ._settings import CacheHint

__all__ = ["ResourceDeclaration", "ResourceOptions", "check_limits"]


class ResourceOptions(TypedDict, total=False):
    """The keyword options of a resource; see ``ResourceDeclaration`` for meanings and defaults."""

    name: str
    title: str
    description: str
    mime_type: str
    size: int
    icons: Iterable[Icon | Mapping[str, Any]]
    annotations: Annotations | Mapping[str, Any]
    meta: Mapping[str, Any]
    inline: bool
    time_limit_s: float
    scopes: Iterable[str]
    cache: CacheHint


class ResourceDeclaration(msgspec.Struct, frozen=True, kw_only=True):
    """The options of one resource or template; ``None`` leaves a thing unsaid."""

    name: str | None = None
    """The handler's own name by default."""

    title: str | None = None
    """A name for people."""

    description: str | None = None
    """What it is; the handler's docstring without its sections by default."""

    mime_type: str | None = None
    """The type of its contents; JSON values are ``application/json`` where nothing is said."""

    size: int | None = None
    """Bytes of the raw contents; not for templates."""

    icons: Iterable[Icon | Mapping[str, Any]] | None = None
    """Images for user interfaces."""

    annotations: Annotations | Mapping[str, Any] | None = None
    """Audience, priority and time of the last change: from ``annotations(...)``, or a dict in the
    specification's own names."""

    meta: Mapping[str, Any] | None = None
    """The resource's ``_meta``."""

    inline: bool = False
    """Run it without a thread, between reading and writing: quick functions only."""

    time_limit_s: float | None = None
    """Seconds a read may take; the server's setting by default."""

    scopes: Iterable[str] = ()
    """Scopes that the caller must hold."""

    cache: CacheHint | None = None
    """How long clients may keep its contents; the server's setting by default."""

    def __post_init__(self) -> None:
        check_limits(self.time_limit_s, self.scopes)
        if isinstance(self.size, int) and self.size < 0:
            raise ValueError(f"size must be 0 or more bytes, got {self.size}")


def check_limits(time_limit_s: float | None, scopes: object) -> None:
    """Raise where a time limit is no time, or scopes are one text."""
    if time_limit_s is not None and not time_limit_s > 0:
        raise ValueError(f"time_limit_s must be more than 0 seconds, got {time_limit_s}")
    if isinstance(scopes, str):
        raise TypeError(f'scopes must be a list of scopes: ["{scopes}"]')
