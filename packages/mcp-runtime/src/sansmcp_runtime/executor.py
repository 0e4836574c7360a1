"""The threads behind ``asyncio.to_thread``: none of them keeps the process from ending."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, ParamSpec, TypeVar

from .pool import Pool

__all__ = ["DaemonExecutor"]

P = ParamSpec("P")
T = TypeVar("T")


class DaemonExecutor(ThreadPoolExecutor):
    """A thread pool whose threads nobody joins.

    The standard one is joined when the interpreter exits, however long its threads hang. asyncio
    takes no other class for its default, hence the base.

    Args:
        max_threads: The most threads there will be.
        name: What the threads are called, before their number.
    """

    def __init__(self, max_threads: int, name: str) -> None:
        super().__init__(max_workers=1)
        self._daemons: Pool[tuple[Future[Any], Callable[[], Any]]] = Pool(
            _carry_out, max_threads, name
        )

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> "Future[T]":
        """Have a function called in a thread."""
        future: Future[T] = Future()
        self._daemons.submit((future, partial(fn, *args, **kwargs)))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Let idle threads end; returns at once."""
        del wait, cancel_futures
        self._daemons.stop()


def _carry_out(item: tuple[Future[Any], Callable[[], Any]]) -> None:
    future, call = item
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(call())
    except BaseException as exception:  # noqa: BLE001 - for whoever awaits it
        future.set_exception(exception)
