"""Who wants to hear of which change: one hub for modern listeners and legacy sessions alike."""

from _thread import allocate_lock
from collections.abc import Callable, Iterable
from typing import Literal, TypeAlias

import msgspec

__all__ = ["Changes", "Hub", "Kind", "Listener"]

Kind: TypeAlias = Literal["tools", "prompts", "resources"]


class Changes(msgspec.Struct, frozen=True):
    """What changed since a listener was last asked, each change once."""

    kinds: tuple[Kind, ...]
    uris: tuple[str, ...]


class Listener:
    """One open subscription, or one legacy session.

    Args:
        kinds: Lists whose changes it wants.
        uris: Resources whose updates it wants.
        ready: Called once when changes begin to wait, from any thread; must not block.
    """

    __slots__ = ("_pending_kinds", "_pending_uris", "_ready", "kinds", "uris")

    def __init__(
        self, kinds: Iterable[Kind], uris: Iterable[str], ready: Callable[["Listener"], None]
    ) -> None:
        self.kinds: frozenset[Kind] = frozenset(kinds)
        self.uris: set[str] = set(uris)
        self._ready = ready
        # Dictionaries as ordered sets: a change that still waits is told once.
        self._pending_kinds: dict[Kind, None] = {}
        self._pending_uris: dict[str, None] = {}

    def _note(self, kind: Kind | None, uri: str | None) -> bool:
        """Note a change under the hub's lock; tell whether it is the first that waits."""
        first = not self._pending_kinds and not self._pending_uris
        if kind is not None:
            self._pending_kinds[kind] = None
        if uri is not None:
            self._pending_uris[uri] = None
        return first

    def _take(self) -> Changes:
        changes = Changes(tuple(self._pending_kinds), tuple(self._pending_uris))
        self._pending_kinds.clear()
        self._pending_uris.clear()
        return changes


class Hub:
    """Passes each change to those who asked for it; every method may be called from any thread.

    What waits for a slow listener is bounded by what it asked for, since the same change waits
    only once.
    """

    def __init__(self, max_listeners: int) -> None:
        self._max_listeners = max_listeners
        self._lock = allocate_lock()
        self._listeners: set[Listener] = set()
        self._by_kind: dict[Kind, dict[Listener, None]] = {}
        self._by_uri: dict[str, dict[Listener, None]] = {}

    def add(self, listener: Listener) -> bool:
        """Let ``listener`` hear of changes from now on; False where the limit is reached."""
        with self._lock:
            if len(self._listeners) >= self._max_listeners:
                return False
            self._listeners.add(listener)
            for kind in listener.kinds:
                self._by_kind.setdefault(kind, {})[listener] = None
            for uri in listener.uris:
                self._by_uri.setdefault(uri, {})[listener] = None
            return True

    def remove(self, listener: Listener) -> None:
        """Let ``listener`` hear of nothing any more; one that is not there is no error."""
        with self._lock:
            if listener not in self._listeners:
                return
            self._listeners.discard(listener)
            for kind in listener.kinds:
                self._by_kind.get(kind, {}).pop(listener, None)
            for uri in listener.uris:
                self._drop_uri(uri, listener)

    def follow(self, listener: Listener, uri: str) -> None:
        """Add one resource to what ``listener`` hears of."""
        with self._lock:
            listener.uris.add(uri)
            if listener in self._listeners:
                self._by_uri.setdefault(uri, {})[listener] = None

    def unfollow(self, listener: Listener, uri: str) -> None:
        """Take one resource from what ``listener`` hears of."""
        with self._lock:
            listener.uris.discard(uri)
            self._drop_uri(uri, listener)

    def list_changed(self, kind: Kind) -> None:
        """Tell everyone who asked that the list of ``kind`` changed."""
        with self._lock:
            first = [
                listener for listener in self._by_kind.get(kind, ()) if listener._note(kind, None)
            ]
        for listener in first:
            listener._ready(listener)

    def resource_updated(self, uri: str) -> None:
        """Tell everyone who asked that the resource at ``uri`` changed."""
        with self._lock:
            first = [
                listener for listener in self._by_uri.get(uri, ()) if listener._note(None, uri)
            ]
        for listener in first:
            listener._ready(listener)

    def take(self, listener: Listener) -> Changes:
        """Return what changed for ``listener`` since the last call, and forget it."""
        with self._lock:
            return listener._take()

    def _drop_uri(self, uri: str, listener: Listener) -> None:
        followers = self._by_uri.get(uri)
        if followers is not None:
            followers.pop(listener, None)
            if not followers:
                del self._by_uri[uri]
