"""A task that runs beside the current one, and is waited for by it."""

from collections.abc import Awaitable, Callable

import anyio

from .loops import Loop

__all__ = ["Beside"]


class Beside:
    """Runs a function in a task that no cancel scope of the current task surrounds.

    A coroutine that was begun in the current task may have entered scopes of its own there. To
    enter a task group around it is too late by then: scopes are left in the reverse order.

    Args:
        loop: The loop that runs the current task.
        function: What the task runs.
        failed: Called, in the task, where ``function`` raised an exception; ``wait`` raises that.
    """

    def __init__(
        self,
        loop: Loop,
        function: Callable[[], Awaitable[None]],
        failed: Callable[[], None],
    ) -> None:
        self._function = function
        self._failed = failed
        self.failure: Exception | None = None
        """What the function raised."""
        self._over = anyio.Event()
        self._scope = loop.new_scope()
        self._task = loop.spawn(self._run)

    async def wait(self) -> None:
        """Wait for its end; raises what its function raised."""
        await self._over.wait()
        if self.failure is not None:
            raise self.failure

    async def stop(self) -> None:
        """Cancel it and wait for its end, whatever has been cancelled here."""
        self._scope.cancel()
        with anyio.CancelScope(shield=True):
            await self._over.wait()

    async def _run(self) -> None:
        try:
            with self._scope:
                await self._function()
        except Exception as exception:  # noqa: BLE001 - told to the task that it belongs to
            self.failure = exception
            self._failed()
        finally:
            self._over.set()
