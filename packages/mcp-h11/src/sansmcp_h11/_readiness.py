"""Waiting for a socket, under trio and under asyncio.

anyio asks the selector anew for each wait. Under asyncio a connection is read many times, so here
it stays registered, and what has come is taken at once: a socket that is still full at the next
look of the loop would be reported once more.
"""

from collections.abc import Awaitable, Callable
from functools import partial
from socket import socket
from typing import TYPE_CHECKING, Generic, Protocol, TypeAlias, TypeVar

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Future

__all__ = ["Interrupted", "NewReadiness", "Readiness", "readiness_of"]

Item = TypeVar("Item")
Item_co = TypeVar("Item_co", covariant=True)


class Interrupted(Exception):
    """Whoever waited for a socket shall not wait any longer."""


class Readiness(Protocol[Item_co]):
    """Waits for one socket; one task at a time for each of its two ways."""

    async def take(self) -> Item_co:
        """Wait until the socket can be read, and return what was taken from it.

        Nothing that was taken is lost where the wait is cancelled: the next one returns it.

        Raises:
            Interrupted: ``interrupt`` was called meanwhile.
            OSError: What taking it raises.
        """

    async def writable(self) -> None:
        """Wait until there is room to write.

        Raises:
            Interrupted: ``interrupt`` was called meanwhile.
        """

    def interrupt(self) -> None:
        """End the waits that have begun; before the socket is closed, too."""


class NewReadiness(Protocol):
    """Makes a ``Readiness``."""

    def __call__(self, sock: socket, take: Callable[[], Item], /) -> Readiness[Item]:
        """Wait for ``sock``.

        Args:
            sock: Not blocking.
            take: Takes something out of it, not None; BlockingIOError where there is nothing.
        """


def readiness_of(loop_name: str) -> NewReadiness:
    """What makes a ``Readiness`` in the event loop of that name, which runs the current task."""
    if loop_name == "trio":
        return TrioReadiness
    import asyncio  # noqa: PLC0415 - loaded already, since it runs

    loop = asyncio.get_running_loop()
    if type(loop).add_reader is asyncio.AbstractEventLoop.add_reader:
        raise RuntimeError(
            f"{type(loop).__name__} cannot wait for sockets; serve under trio, or run asyncio with "
            "asyncio.SelectorEventLoop"
        )
    return partial(AsyncioReadiness, loop)


Wait: TypeAlias = Callable[[socket], Awaitable[None]]


class TrioReadiness(Generic[Item]):
    """A socket under trio."""

    def __init__(self, sock: socket, take: Callable[[], Item], /) -> None:
        import trio  # noqa: PLC0415 - loaded already, since it runs

        self._sock = sock
        self._take = take
        self._closed = trio.ClosedResourceError
        self._wait_readable: Wait = trio.lowlevel.wait_readable
        self._wait_writable: Wait = trio.lowlevel.wait_writable
        self._notify_closing: Callable[[socket], None] = trio.lowlevel.notify_closing

    async def take(self) -> Item:
        """Wait until the socket can be read, and return what was taken from it."""
        while True:
            try:
                await self._wait_readable(self._sock)
                return self._take()
            except BlockingIOError:
                continue
            except self._closed:
                raise Interrupted from None

    async def writable(self) -> None:
        """Wait until there is room to write."""
        try:
            await self._wait_writable(self._sock)
        except self._closed:
            raise Interrupted from None

    def interrupt(self) -> None:
        """End the waits that have begun."""
        self._notify_closing(self._sock)


class AsyncioReadiness(Generic[Item]):
    """A socket under asyncio."""

    def __init__(self, loop: "AbstractEventLoop", sock: socket, take: Callable[[], Item]) -> None:
        self._loop = loop
        self._sock = sock
        self._take = take
        self._taken: Item | None = None
        self._error: OSError | None = None
        self._reader: Future[None] | None = None
        self._writer: Future[None] | None = None
        self._watches_input = False

    async def take(self) -> Item:
        """Wait until the socket can be read, and return what was taken from it."""
        while self._taken is None:
            if self._error is not None:
                raise self._error
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
        except OSError as error:
            self._error = error
        future.set_result(None)


def _resolve(future: "Future[None]") -> None:
    if not future.done():
        future.set_result(None)
