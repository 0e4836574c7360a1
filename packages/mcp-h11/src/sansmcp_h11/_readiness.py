"""Waiting for a socket, whatever the event loop."""

from collections.abc import Callable, Sized
from functools import partial
from socket import socket
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from anyio.abc import TaskGroup

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


def readiness_of(loop_name: str, sockets: Sized, tasks: "TaskGroup") -> NewReadiness:
    """What makes a ``Readiness`` in the event loop of that name, which runs the current task.

    Args:
        loop_name: ``trio`` or ``asyncio``.
        sockets: All that are open; changes meanwhile.
        tasks: Where a task may run until no socket is waited for any more.
    """
    if loop_name == "trio":
        from ._crowd import Crowd  # noqa: PLC0415 - trio is loaded already, since it runs
        from ._trio_readiness import TrioReadiness  # noqa: PLC0415

        crowd = Crowd(sockets)
        tasks.start_soon(crowd.look)
        return partial(TrioReadiness, crowd)
    from ._asyncio_readiness import AsyncioReadiness, running_loop  # noqa: PLC0415 - as with trio

    return partial(AsyncioReadiness, running_loop())
