"""Waiting for a socket under asyncio.

anyio asks the selector anew for each wait. A connection is read many times, so here it stays
registered, and what has come is taken at once: a socket that is still full at the next look of the
loop would be reported once more.
"""

from asyncio import AbstractEventLoop, Future, get_running_loop
from collections.abc import Callable
from socket import socket
from typing import Generic, TypeVar

from ._readiness import Interrupted

__all__ = ["AsyncioReadiness", "running_loop"]

Item = TypeVar("Item")


def running_loop() -> AbstractEventLoop:
    """The loop of the current task.

    Raises:
        RuntimeError: It cannot wait for sockets.
    """
    loop = get_running_loop()
    if type(loop).add_reader is AbstractEventLoop.add_reader:
        raise RuntimeError(
            f"{type(loop).__name__} cannot wait for sockets; serve under trio, or run asyncio with "
            "asyncio.SelectorEventLoop"
        )
    return loop


class AsyncioReadiness(Generic[Item]):
    """A socket under asyncio."""

    def __init__(self, loop: AbstractEventLoop, sock: socket, take: Callable[[], Item]) -> None:
        self._loop = loop
        self._sock = sock
        self._take = take
        self._taken: Item | None = None
        self._error: Exception | None = None
        self._reader: Future[None] | None = None
        self._writer: Future[None] | None = None
        self._watches_input = False

    async def take(self) -> Item:
        """Wait until the socket can be read, and return what was taken from it."""
        while self._taken is None:
            if self._error is not None:
                error, self._error = self._error, None
                raise error
            self._reader = future = self._loop.create_future()
            if not self._watches_input:
                self._watches_input = True
                self._loop.add_reader(self._sock, self._on_readable)
            try:
                await future
            finally:
                self._reader = None
        taken, self._taken = self._taken, None
        return taken

    async def writable(self) -> None:
        """Wait until there is room to write."""
        self._writer = future = self._loop.create_future()
        self._loop.add_writer(self._sock, _resolve, future)
        try:
            await future
        finally:
            if self._writer is future:
                self._forget_writer()

    def interrupt(self) -> None:
        """End the waits that have begun, and watch the socket no longer."""
        waiting = [self._reader, self._writer]
        if self._watches_input:
            self._watches_input = False
            self._loop.remove_reader(self._sock)
        if self._writer is not None:
            self._forget_writer()
        for future in waiting:
            if future is not None and not future.done():
                future.set_exception(Interrupted())

    def _forget_writer(self) -> None:
        self._writer = None
        self._loop.remove_writer(self._sock)

    def _on_readable(self) -> None:
        future = self._reader
        if future is None or future.done():
            # Nobody asks for more as yet: it can wait in the socket.
            self._watches_input = False
            self._loop.remove_reader(self._sock)
            return
        try:
            self._taken = self._take()
        except BlockingIOError:
            return
        except Exception as error:  # noqa: BLE001 - for the task that waits
            self._error = error
        future.set_result(None)


def _resolve(future: Future[None]) -> None:
    if not future.done():
        future.set_result(None)
