"""The four lists as bytes: encoded once per registry version, revision and page."""

from _thread import allocate_lock
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec
from sansmcp_schema import results
from sansmcp_schema.capabilities import Implementation
from sansmcp_schema.meta_keys import SERVER_INFO_KEY
from sansmcp_schema.revisions import MODERN_REVISIONS, for_revision

from ._effects import Report
from ._registry import Row
from ._settings import CacheHint, Settings

if TYPE_CHECKING:
    from ._cursors import Cursors
    from ._protocols import ListSources

__all__ = ["SERVER_INFO_KEY", "ListKind", "Lists"]

ListKind: TypeAlias = Literal["tools", "resources", "resource_templates", "prompts"]

_RESULTS: dict[ListKind, str] = {
    "tools": "ListToolsResult",
    "resources": "ListResourcesResult",
    "resource_templates": "ListResourceTemplatesResult",
    "prompts": "ListPromptsResult",
}
"""The names of the results, whose Structs are loaded with the first list."""


class _Listed(msgspec.Struct, frozen=True):
    version: int
    rows: tuple[Row[Any], ...]
    pages: dict[tuple[str, int], msgspec.Raw]


class Lists:
    """Gives each page of each list as encoded bytes.

    Args:
        sources: The registry behind each list.
        info: The server, named in the ``_meta`` of modern results.
        settings: Page size, cache hints, keys.
        random: Gives random bytes, for a signing key where the settings have none.
    """

    def __init__(
        self,
        sources: "ListSources",
        info: Implementation,
        settings: Settings,
        random: Callable[[int], bytes],
    ) -> None:
        if settings.page_size is not None and settings.page_size < 1:
            raise ValueError(f"page_size must be 1 or more entries, got {settings.page_size}")
        unknown = sorted(set(settings.cache_lists) - {*_RESULTS, "discover"})
        if unknown:
            raise ValueError(
                f"cache_lists has no list {unknown[0]!r}; lists are: "
                f"{', '.join(_RESULTS)}, discover"
            )
        self._sources = sources
        self._info = info
        self._settings = settings
        self._size = settings.page_size
        self._cursors = _cursors(info.name, settings, random)
        self._lock = allocate_lock()
        self._listed: dict[ListKind, _Listed] = {}
        self._reports: list[Report] = []

    def page(self, kind: ListKind, revision: str, cursor: str | None) -> msgspec.Raw | None:
        """The encoded result for one page, the same object until the list changes.

        Args:
            kind: Which list.
            revision: The revision the client speaks.
            cursor: Where the page starts; ``None`` for the first one.

        Returns:
            The result object, or ``None`` where this server never issued ``cursor`` for this list.

        Source: MCP 2026-07-28 server/utilities/pagination and server/utilities/caching.
        """
        listed = self._current(kind)
        start = 0
        if cursor is not None:
            found = self._start(kind, listed.rows, cursor)
            if found is None:
                return None
            start = found
        key = (revision, start)
        page = listed.pages.get(key)
        if page is None:
            page = self._encode(kind, revision, listed.rows, start)
            # Pages that start elsewhere come from cursors older than the list; they are few, and
            # keeping them could fill the memory.
            if start % (self._size or 1) == 0:
                page = listed.pages.setdefault(key, page)
        return page

    def hint(self, kind: str) -> CacheHint:
        """The cache hint of a list, or of ``discover``."""
        return self._settings.cache_lists.get(kind, self._settings.cache)

    def take_reports(self) -> Iterable[Report]:
        """What went wrong while lists were made again, each once."""
        if not self._reports:
            return ()
        with self._lock:
            reports, self._reports = self._reports, []
        return reports

    def _current(self, kind: ListKind) -> _Listed:
        source = self._sources[kind]
        listed = self._listed.get(kind)
        if listed is not None and listed.version == source.version:
            return listed
        with self._lock:
            listed = self._listed.get(kind)
            snapshot = source.snapshot()
            if listed is None or listed.version != snapshot.version:
                reports = [row.entry.before_listing() for row in snapshot.rows]
                self._reports += [report for report in reports if report is not None]
                listed = self._listed[kind] = _Listed(snapshot.version, snapshot.rows, {})
            return listed

    def _start(self, kind: ListKind, rows: tuple[Row[Any], ...], cursor: str) -> int | None:
        # Where lists are not paginated no cursor was ever issued.
        return None if self._cursors is None else self._cursors.start(kind, rows, cursor)

    def _encode(
        self, kind: ListKind, revision: str, rows: tuple[Row[Any], ...], start: int
    ) -> msgspec.Raw:
        end = len(rows) if self._size is None else min(start + self._size, len(rows))
        modern = revision in MODERN_REVISIONS
        entries = [row.entry.listing() for row in rows[start:end]]
        result: results.PaginatedResult = getattr(results, _RESULTS[kind])(**{kind: entries})
        if self._cursors is not None and end < len(rows):
            result.next_cursor = self._cursors.after(kind, rows[end - 1])
        if modern:
            hint = self.hint(kind)
            result.result_type = "complete"
            result.ttl_ms = hint.ttl_ms
            result.cache_scope = hint.cache_scope
            if self._settings.server_info_in_results:
                result.meta = {SERVER_INFO_KEY: for_revision(self._info, revision)}
        return msgspec.Raw(msgspec.json.encode(for_revision(result, revision)))


def _cursors(
    server_name: str, settings: Settings, random: Callable[[int], bytes]
) -> "Cursors | None":
    if settings.page_size is None:
        return None
    from ._cursors import Cursors  # noqa: PLC0415 - most lists are one page

    return Cursors(server_name, settings.state_keys, random, settings.limits.max_cursor_chars)
