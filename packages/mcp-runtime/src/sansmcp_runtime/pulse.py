"""A signal to those who wait for it at that moment, and to nobody else."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .libraries import Event, Library

__all__ = ["Pulse"]


class Pulse:
    """Beats whenever something may have changed; costs nothing where nobody waits.

    Args:
        library: What makes its events; anyio by default.
    """

    def __init__(self, library: "Library | None" = None) -> None:
        if library is None:
            import anyio  # noqa: PLC0415 - not where trio alone will do

            library = anyio
        self._library = library
        self._next: Event | None = None

    def beat(self) -> None:
        """End every ``wait`` that has begun."""
        if self._next is not None:
            self._next.set()
            self._next = None

    async def wait(self) -> None:
        """Wait for the next beat."""
        if self._next is None:
            self._next = self._library.Event()
        await self._next.wait()
