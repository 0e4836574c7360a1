"""What a call runs: the one shape that tools, prompts, resources and completions share."""

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, Protocol

import msgspec

__all__ = ["Bound", "Mode", "Operation", "Refused"]


class Mode(Enum):
    """How an adapter carries a call out."""

    INLINE = "inline"
    """Call it at once, between reading and writing: quick handlers only."""

    BLOCKING = "blocking"
    """Call it in a thread."""

    ASYNC = "async"
    """Call it and await what it returns."""


class Bound(msgspec.Struct, frozen=True):
    """A handler with its checked arguments, ready to be called."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]


class Refused(msgspec.Struct, frozen=True):
    """Arguments that break the declaration: one line for each violation."""

    violations: list[str]


class Operation(Protocol):
    """One entry of a registry, seen by the dispatcher."""

    @property
    def mode(self) -> Mode:
        """How the handler is run."""

    @property
    def time_limit_s(self) -> float | None:
        """Seconds one run may take; ``None`` asks the server's settings."""

    @property
    def scopes(self) -> frozenset[str]:
        """Scopes a principal must hold; empty for none."""
