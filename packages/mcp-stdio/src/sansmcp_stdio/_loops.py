"""The little that trio and asyncio do not share through anyio, or do faster by themselves."""

import sys
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

import anyio

__all__ = ["Loop", "Scope", "current_loop"]


class Scope(AbstractContextManager["Scope"], Protocol):
    """A cancel scope."""

    @property
    def cancel_called(self) -> bool:
        """Whether ``cancel`` was called."""

    def cancel(self) -> None:
        """Cancel what runs inside."""


class Loop(NamedTuple):
    """The event loop that runs the current task."""

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
            token.run_sync_soon, trio.CancelScope, lowlevel.wait_readable, lowlevel.wait_writable
        )
    import asyncio  # noqa: PLC0415 - loaded already, since it runs

    call_soon = asyncio.get_running_loop().call_soon_threadsafe
    return Loop(call_soon, anyio.CancelScope, anyio.wait_readable, anyio.wait_writable)
