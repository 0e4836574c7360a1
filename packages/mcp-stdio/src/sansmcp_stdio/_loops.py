"""The little that trio and asyncio do not share through anyio, or do faster by themselves."""

import sys
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from typing import Literal, NamedTuple, Protocol

import anyio

__all__ = ["Loop", "Scope", "current_loop", "use_daemon_threads"]


class Scope(AbstractContextManager["Scope"], Protocol):
    """A cancel scope."""

    @property
    def cancel_called(self) -> bool:
        """Whether ``cancel`` was called."""

    def cancel(self) -> None:
        """Cancel what runs inside."""


class Loop(NamedTuple):
    """The event loop that runs the current task."""

    name: Literal["trio", "asyncio"]

    call_soon: Callable[[Callable[[], object]], object]
    """What ``post`` calls; raises RuntimeError once the loop has ended."""

    new_scope: Callable[[], Scope]
    wait_readable: Callable[[int], Awaitable[None]]
    wait_writable: Callable[[int], Awaitable[None]]

    def post(self, function: Callable[[], object]) -> None:
        """Have a function called in the loop, from any thread or signal handler."""
        try:
            self.call_soon(function)
        except RuntimeError:
            return  # the loop has ended: a thread that was left behind has nobody to tell


def current_loop() -> Loop:
    """The loop of the running task."""
    trio = sys.modules.get("trio")
    if trio is not None and trio.lowlevel.in_trio_task():
        lowlevel = trio.lowlevel
        token = lowlevel.current_trio_token()
        return Loop(
            "trio",
            token.run_sync_soon,
            trio.CancelScope,
            lowlevel.wait_readable,
            lowlevel.wait_writable,
        )
    import asyncio  # noqa: PLC0415 - loaded already, since it runs

    call_soon = asyncio.get_running_loop().call_soon_threadsafe
    return Loop("asyncio", call_soon, anyio.CancelScope, anyio.wait_readable, anyio.wait_writable)


def use_daemon_threads(max_threads: int) -> None:
    """Under asyncio: let no thread of ``asyncio.to_thread`` keep the process from ending."""
    import asyncio  # noqa: PLC0415 - loaded already, since it runs

    from ._executor import DaemonExecutor  # noqa: PLC0415 - not for trio

    asyncio.get_running_loop().set_default_executor(DaemonExecutor(max_threads))
