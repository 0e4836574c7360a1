"""What parts of the core ask of each other; for type checkers alone, never loaded."""

from collections.abc import Callable
from typing import Any, Protocol

import msgspec

from ._effects import Report
from ._lists import ListKind
from ._operation import Mode
from ._registry import Snapshot

__all__ = ["ListSource", "ListSources", "Listable", "Operation", "Place", "Timed"]


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


class Listable(Protocol):
    """An entry that a list shows."""

    def listing(self) -> msgspec.Struct:
        """What clients see of it, before a revision takes out what it lacks."""

    def before_listing(self) -> Report | None:
        """Bring it up to date before its list is made again; what went wrong, if anything."""


class ListSource(Protocol):
    """A registry, seen from its list."""

    version: int

    def snapshot(self) -> Snapshot[Any]:
        """Its entries now, in order, with their serial numbers."""


class ListSources(Protocol):
    """The registry behind each list."""

    def __getitem__(self, kind: ListKind, /) -> ListSource: ...


class Place(Protocol):
    """An entry in a list, in ascending order of serial numbers."""

    @property
    def serial(self) -> int:
        """Its serial number, never used for another entry of this process."""

    @property
    def key(self) -> str:
        """The name it is kept under."""


class Timed(Protocol):
    """Something that has a deadline, in elapsed seconds; None once it has none any more."""

    due_s: float | None
