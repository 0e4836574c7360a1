"""A signal to those who wait for it at that moment, and to nobody else."""

import anyio

__all__ = ["Pulse"]


class Pulse:
    """Beats whenever something may have changed; costs nothing where nobody waits."""

    def __init__(self) -> None:
        self._next: anyio.Event | None = None

    def beat(self) -> None:
        """End every ``wait`` that has begun."""
        if self._next is not None:
            self._next.set()
            self._next = None

    async def wait(self) -> None:
        """Wait for the next beat."""
        if self._next is None:
            self._next = anyio.Event()
        await self._next.wait()
