"""What a call runs: the one shape that tools, prompts, resources and completions share."""

from collections.abc import Callable
from enum import Enum
from typing import Any, Protocol

from sansmcp_schema.declare import Bound, Refused

__all__ = ["Bound", "Mode", "Operation", "Refused"]


class Mode(Enum):
    """How an adapter carries a call out."""

    INLINE = "inline"
    """Call it at once, between reading and writing: quick handlers only."""

    BLOCKING = "blocking"
    """Call it in a thread."""

    ASYNC = "async"
    """Call it and await what it returns."""


class Operation(Protocol):
    """One entry of a registry, seen by the dispatcher."""

    @property
    def function(self) -> Callable[..., Any]:
        """The handler, as it is called."""

    @property
    def takes_context(self) -> bool:
        """Whether the handler has a parameter for the context."""

    @property
    def mode(self) -> Mode:
        """How the handler is run."""

    @property
    def time_limit_s(self) -> float | None:
        """Seconds one run may take; ``None`` asks the server's settings."""

    @property
    def scopes(self) -> frozenset[str]:
        """Scopes a principal must hold; empty for none."""
