"""Named entries in order of registration, changed from any thread, looked up without a lock."""

from _thread import allocate_lock
from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec

from ._errors import RegistrationError
from ._operation import Mode

if TYPE_CHECKING:
    from ._protocols import Operation

__all__ = ["Registry", "Row", "Snapshot", "describe_function"]

E = TypeVar("E", bound="Operation")

_SHOWN_NAMES = 10


class Row(msgspec.Struct, Generic[E], frozen=True):
    """An entry with its serial number, which grows with each registration and is never reused."""

    serial: int
    key: str
    entry: E


class Snapshot(msgspec.Struct, Generic[E], frozen=True):
    """The enabled entries of one version of a registry, in order of registration."""

    version: int
    rows: tuple[Row[E], ...]


class Registry(Generic[E]):
    """The tools, resources, templates, prompts or completers of one server.

    Writers take turns under a lock. ``find`` is one look-up in a dict and takes none; the tuple of
    all entries is made once per version.

    Args:
        noun: What one entry is called in errors, such as ``"tool"``.
        changed: Called after each change, outside the lock.
        key: Gives the name under which an entry is kept; its ``name`` by default.
    """

    def __init__(
        self,
        noun: str,
        changed: Callable[[], None],
        key: Callable[[E], str] = attrgetter("name"),
    ) -> None:
        self.noun = noun
        self.version = 0
        self.offered = False
        """Whether there is, or has been, an entry: clients that were told so may still ask."""
        self.frozen = False
        self.refuses_async = False
        self._changed = changed
        self._key = key
        self._lock = allocate_lock()
        self._serial = 0
        self._rows: dict[str, Row[E]] = {}
        self._enabled: dict[str, E] = {}
        self._snapshot: Snapshot[E] = Snapshot(0, ())

    def __len__(self) -> int:
        """The number of entries, disabled ones included."""
        return len(self._rows)

    def find(self, name: str) -> E | None:
        """The enabled entry of that name, or ``None``."""
        return self._enabled.get(name)

    def entries(self) -> tuple[E, ...]:
        """The enabled entries, in order of registration."""
        return tuple(row.entry for row in self.snapshot().rows)

    def every(self) -> list[E]:
        """All entries, disabled ones included, in order of registration."""
        with self._lock:
            return [row.entry for row in self._rows.values()]

    def snapshot(self) -> Snapshot[E]:
        """The enabled entries with their serial numbers; one object until something changes."""
        with self._lock:
            if self._snapshot.version != self.version:
                rows = tuple(row for key, row in self._rows.items() if key in self._enabled)
                self._snapshot = Snapshot(self.version, rows)
            return self._snapshot

    def add(self, entry: E) -> None:
        """Keep ``entry`` under its name, enabled.

        Raises:
            RegistrationError: The name is taken, the server is frozen, or the handler is async and
                what serves this server cannot run such handlers.
        """
        key = self._key(entry)
        with self._lock:
            self._refuse_if_frozen("add", key)
            if self.refuses_async:
                _refuse_async(self.noun, key, entry)
            existing = self._rows.get(key)
            if existing is not None:
                function = describe_function(getattr(existing.entry, "function", None))
                raise RegistrationError(
                    f"{self.noun} {key!r} is already registered (handler: {function}); choose "
                    "another name, or remove the first one before adding the second"
                )
            self._serial += 1
            self.offered = True
            self._rows[key] = Row(self._serial, key, entry)
            self._enabled[key] = entry
            self.version += 1
        self._changed()

    def remove(self, name: str) -> None:
        """Forget the entry of that name, enabled or not.

        Raises:
            RegistrationError: There is no such entry, or the server is frozen.
        """
        with self._lock:
            self._refuse_if_frozen("remove", name)
            self._row(name)
            del self._rows[name]
            was_enabled = self._enabled.pop(name, None) is not None
            self.version += was_enabled
        if was_enabled:
            self._changed()

    def disable(self, name: str) -> None:
        """Hide the entry of that name: not listed and not found, until enabled again.

        Raises:
            RegistrationError: There is no such entry, or the server is frozen.
        """
        with self._lock:
            self._refuse_if_frozen("disable", name)
            self._row(name)
            was_enabled = self._enabled.pop(name, None) is not None
            self.version += was_enabled
        if was_enabled:
            self._changed()

    def enable(self, name: str) -> None:
        """Show a disabled entry again, in its old place.

        Raises:
            RegistrationError: There is no such entry, or the server is frozen.
        """
        with self._lock:
            self._refuse_if_frozen("enable", name)
            row = self._row(name)
            was_disabled = name not in self._enabled
            self._enabled[name] = row.entry
            self.version += was_disabled
        if was_disabled:
            self._changed()

    def update(self, name: str, change: Callable[[E], None]) -> None:
        """Let ``change`` alter the entry of that name, enabled or not, then announce it.

        Raises:
            RegistrationError: There is no such entry, or the server is frozen.
        """
        with self._lock:
            self._refuse_if_frozen("change", name)
            entry = self._row(name).entry
        change(entry)
        with self._lock:
            self.version += 1
        self._changed()

    def freeze(self) -> None:
        """Refuse every later change."""
        with self._lock:
            self.frozen = True

    def refuse_async(self) -> None:
        """Refuse async handlers, those registered already and those to come.

        Raises:
            RegistrationError: An async handler is registered; the message names it.
        """
        with self._lock:
            for key, row in self._rows.items():
                _refuse_async(self.noun, key, row.entry)
            self.refuses_async = True

    def _row(self, name: str) -> Row[E]:
        row = self._rows.get(name)
        if row is not None:
            return row
        known = ", ".join(repr(key) for key in list(self._rows)[:_SHOWN_NAMES]) or "none"
        more = ", ..." if len(self._rows) > _SHOWN_NAMES else ""
        raise RegistrationError(f"no {self.noun} {name!r} is registered; known: {known}{more}")

    def _refuse_if_frozen(self, verb: str, name: str) -> None:
        if self.frozen:
            raise RegistrationError(
                f"cannot {verb} {self.noun} {name!r}: the server is frozen and its clients were "
                "told that its lists never change; do it before freeze()"
            )


def describe_function(function: Any) -> str:
    """``module.name`` of a handler, as far as it has them."""
    target = function
    while hasattr(target, "func"):
        target = target.func
    name = getattr(target, "__qualname__", None) or type(target).__qualname__
    module = getattr(target, "__module__", None)
    return f"{module}.{name}" if module else str(name)


def _refuse_async(noun: str, key: str, entry: "Operation") -> None:
    if entry.mode is Mode.ASYNC:
        raise RegistrationError(
            f"the handler of {noun} {key!r} is async, but this server is served without an event "
            "loop: either that was asked for (a backend of threads), or it had no async handler "
            "when serving started; write the handler with def, or, before serving starts, choose "
            "an event loop or register an async handler"
        )
