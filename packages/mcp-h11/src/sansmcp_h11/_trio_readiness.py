"""Waiting for a socket under trio: by itself, or in a crowd of them."""

from collections.abc import Callable
from socket import socket
from typing import Generic, TypeVar

from trio import ClosedResourceError
from trio.lowlevel import (
    Abort,
    Task,
    current_task,
    notify_closing,
    reschedule,
    wait_readable,
    wait_task_rescheduled,
    wait_writable,
)

from ._crowd import Crowd
from ._readiness import Interrupted

__all__ = ["TrioReadiness"]

Item = TypeVar("Item")


class TrioReadiness(Generic[Item]):
    """A socket under trio."""

    def __init__(self, crowd: Crowd, sock: socket, take: Callable[[], Item], /) -> None:
        self._crowd = crowd
        self._sock = sock
        self._take = take
        self._task: Task | None = None
        """Who waits in the crowd."""
        self._taken: Item | None = None
        self._error: Exception | None = None
        self._in_crowd = False

    async def take(self) -> Item:
        """Wait until the socket can be read, and return what was taken from it."""
        if not self._crowd.is_large:
            return await self._take_alone()
        if not self._in_crowd:
            self._in_crowd = True
            self._crowd.add_reader(self._sock.fileno(), self._on_readable)
        self._task = current_task()
        await wait_task_rescheduled(self._abort)
        taken, self._taken = self._taken, None
        if taken is None:
            assert self._error is not None
            raise self._error
        return taken

    async def writable(self) -> None:
        """Wait until there is room to write."""
        try:
            await wait_writable(self._sock)
        except ClosedResourceError:
            raise Interrupted from None

    def interrupt(self) -> None:
        """End the waits that have begun."""
        self._leave_crowd()
        if self._task is not None:
            self._error = Interrupted()
            self._wake(self._task)
        notify_closing(self._sock)

    async def _take_alone(self) -> Item:
        while True:
            try:
                await wait_readable(self._sock)
                return self._take()
            except BlockingIOError:
                continue
            except ClosedResourceError:
                raise Interrupted from None

    def _on_readable(self) -> None:
        task = self._task
        if task is None:
            # Nobody asks for more as yet: it can wait in the socket.
            self._leave_crowd()
            return
        try:
            self._taken = self._take()
        except BlockingIOError:
            return
        except Exception as error:  # noqa: BLE001 - for the task that waits
            self._error = error
        self._wake(task)

    def _wake(self, task: Task) -> None:
        self._task = None
        reschedule(task)

    def _abort(self, _: object) -> Abort:
        self._task = None
        return Abort.SUCCEEDED

    def _leave_crowd(self) -> None:
        if self._in_crowd:
            self._in_crowd = False
            self._crowd.remove_reader(self._sock.fileno())
