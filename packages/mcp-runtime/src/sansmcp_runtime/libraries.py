"""What trio and anyio have in common, for type checkers alone; never loaded."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from typing import Protocol

__all__ = ["Checkpoints", "Event", "Library", "Scope", "Tasks", "TimeLimit"]


class Scope(AbstractContextManager["Scope"], Protocol):
    """A cancel scope."""

    @property
    def cancel_called(self) -> bool:
        """Whether ``cancel`` was called."""

    def cancel(self) -> None:
        """Cancel what runs inside."""


class Event(Protocol):
    """Happens once."""

    def set(self) -> object:
        """Let it happen."""

    async def wait(self) -> object:
        """Wait until it has happened."""


class TimeLimit(AbstractContextManager["TimeLimit"], Protocol):
    """A cancel scope with a deadline."""

    deadline: float


class Checkpoints(Protocol):
    """The part of a library that lets other tasks run."""

    async def checkpoint(self) -> object:
        """Let other tasks run, and be cancelled here."""


class Tasks(Protocol):
    """The tasks of a group."""

    @property
    def cancel_scope(self) -> Scope:
        """What surrounds all of them."""

    def start_soon(self, function: Callable[[], Awaitable[object]], /) -> object:
        """Start a task."""


class Library(Protocol):
    """What trio and anyio call by the same names."""

    @property
    def lowlevel(self) -> Checkpoints:
        """The checkpoints."""

    def Event(self) -> Event:  # noqa: N802 - a class of the library
        """Make an event."""

    def move_on_after(self, seconds: float, /) -> TimeLimit:
        """Make a scope that is cancelled after that time."""

    def current_time(self) -> float:
        """The time on the loop's clock, in seconds."""

    def current_effective_deadline(self) -> float:
        """When the current task will be cancelled, on that clock."""
