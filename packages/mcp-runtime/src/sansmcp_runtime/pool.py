"""A bounded number of threads that carry out what is submitted, in order of submission."""

import os
from collections.abc import Callable
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, Generic, TypeVar
from weakref import WeakSet

__all__ = ["DEFAULT_MAX_THREADS", "Pool", "any_busy"]

DEFAULT_MAX_THREADS = min(32, (os.cpu_count() or 1) + 4)

Item = TypeVar("Item")

_pools: "WeakSet[Pool[Any]]" = WeakSet()


def any_busy() -> bool:
    """Whether a thread of any pool still works on something."""
    return any(pool.busy for pool in list(_pools))


class Pool(Generic[Item]):
    """Threads are started when there is more to do than threads to do it, and never joined.

    They are daemons, so one that hangs keeps neither ``stop`` nor the interpreter from ending.

    Args:
        work: Called in a thread with each item; must not raise.
        max_threads: The most threads there will be, at least 1.
        name: What the threads are called, before their number.
    """

    def __init__(self, work: Callable[[Item], None], max_threads: int, name: str) -> None:
        if max_threads < 1:
            raise ValueError(f"max_threads must be at least 1, got {max_threads}")
        self._work = work
        self._max_threads = max_threads
        self._name = name
        self._queue: SimpleQueue[Item | None] = SimpleQueue()
        self._lock = Lock()
        self._threads = 0
        self._unfinished = 0
        _pools.add(self)

    @property
    def busy(self) -> bool:
        """Whether something was submitted and is not finished."""
        return self._unfinished > 0

    def submit(self, item: Item) -> None:
        """Have ``item`` worked on as soon as a thread is free."""
        with self._lock:
            self._unfinished += 1
            if self._threads < self._unfinished and self._threads < self._max_threads:
                self._start()
        self._queue.put(item)

    def stop(self) -> None:
        """Let idle threads end, and busy ones after what they do; returns at once."""
        for _ in range(self._threads):
            self._queue.put(None)

    def _start(self) -> None:
        name = f"{self._name}-{self._threads + 1}"
        try:
            Thread(target=self._run, name=name, daemon=True).start()
        except RuntimeError:
            # The system has no more threads to give: those that run take the item, later.
            if not self._threads:
                raise
        else:
            self._threads += 1

    def _run(self) -> None:
        while (item := self._queue.get()) is not None:
            self._work(item)
            del item  # an idle thread keeps nothing alive
            with self._lock:
                self._unfinished -= 1
