"""What the adapters ask of an event loop: trio itself, or asyncio through anyio.

Whatever both libraries call by the same name is asked of ``Loop.library``: where trio runs, anyio
is not loaded.
"""

import sys
from collections.abc import Awaitable, Callable, Coroutine
from contextvars import copy_context
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from .libraries import Library, Scope, Tasks

__all__ = ["Loop", "current_loop", "use_daemon_threads"]


class Loop(NamedTuple):
    """The event loop that runs the current task."""

    name: Literal["trio", "asyncio"]

    library: "Library"

    open_tasks: "Callable[[], AbstractAsyncContextManager[Tasks]]"
    """Opens a group of tasks; it is left when all of them have ended."""

    call_soon: Callable[[Callable[[], object]], object]
    """What ``post`` calls; raises RuntimeError once the loop has ended."""

    new_scope: "Callable[[], Scope]"
    wait_readable: Callable[[int], Awaitable[None]]
    wait_writable: Callable[[int], Awaitable[None]]

    token: object
    """What tells this loop from others."""

    current_token: Callable[[], object]
    """The token of the loop that runs the current task; raises RuntimeError where none does."""

    runs: Callable[[], bool]
    """Whether it has not ended."""

    spawn: Callable[[Callable[[], Coroutine[Any, Any, None]]], object]
    """Starts a task outside the current one's cancel scopes, in a copy of its context.

    What is returned has to be kept until the task ends. The task must not raise an exception.
    """

    times_cancelled: Callable[[], int]
    """How often the current task was cancelled by other means than a cancel scope."""

    def is_current(self) -> bool:
        """Whether the current task is run by this loop."""
        try:
            return self.current_token() is self.token
        except RuntimeError:
            return False

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
            trio,
            trio.open_nursery,
            token.run_sync_soon,
            trio.CancelScope,
            lowlevel.wait_readable,
            lowlevel.wait_writable,
            token,
            lowlevel.current_trio_token,
            partial(_runs_in_trio, token.run_sync_soon),
            partial(_spawn_in_trio, lowlevel.spawn_system_task),
            int,
        )
    import asyncio  # noqa: PLC0415 - loaded already, since it runs

    import anyio  # noqa: PLC0415 - not for trio

    loop = asyncio.get_running_loop()

    def times_cancelled() -> int:
        task = asyncio.current_task()
        return 0 if task is None else task.cancelling()

    return Loop(
        "asyncio",
        anyio,
        cast("Callable[[], AbstractAsyncContextManager[Tasks]]", anyio.create_task_group),
        loop.call_soon_threadsafe,
        type(anyio.CancelScope()),  # the class for asyncio, which anyio looks up each time
        anyio.wait_readable,
        anyio.wait_writable,
        loop,
        asyncio.get_running_loop,
        loop.is_running,
        lambda function: loop.create_task(function()),
        times_cancelled,
    )


def _runs_in_trio(run_sync_soon: Callable[[Callable[[], object]], object]) -> bool:
    try:
        run_sync_soon(int)
    except RuntimeError:
        return False
    return True


def _spawn_in_trio(spawn: Callable[..., object], function: Callable[[], object]) -> object:
    return spawn(function, context=copy_context())


def use_daemon_threads(max_threads: int, name: str) -> None:
    """Under asyncio: let no thread of ``asyncio.to_thread`` keep the process from ending."""
    import asyncio  # noqa: PLC0415 - loaded already, since it runs

    from .executor import DaemonExecutor  # noqa: PLC0415 - not for trio

    asyncio.get_running_loop().set_default_executor(DaemonExecutor(max_threads, name))
