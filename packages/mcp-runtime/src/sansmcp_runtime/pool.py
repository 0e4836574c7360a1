"""A bounded number of threads that carry out what is submitted, in order of submission."""

import os
import time
from _weakrefset import WeakSet  # weakref's own, loaded by threading already
from collections import deque
from collections.abc import Callable
from threading import Lock, Thread
from typing import Any, Generic, TypeVar

try:
    from _queue import SimpleQueue  # queue's own, without the rest of that module
except ImportError:
    from queue import SimpleQueue

__all__ = ["DEFAULT_MAX_THREADS", "Pool", "any_busy"]

DEFAULT_MAX_THREADS = min(32, (os.cpu_count() or 1) + 4)

_LAST_STEPS_S = 0.05
"""Seconds between the end of a call, as everybody else sees it, and that of the thread's work."""

Item = TypeVar("Item")

_pools: "WeakSet[Pool[Any]]" = WeakSet()


def any_busy() -> bool:
    """Whether a thread of any pool still works on something, and not just on its last steps."""
    until = time.monotonic() + _LAST_STEPS_S
    while any(pool.busy for pool in list(_pools)):
        if time.monotonic() > until:
            return True
        time.sleep(0.001)
    return False


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
        self.waiting: deque[Item] = deque()
        """What no thread has begun yet."""
        self._calls_to_work: SimpleQueue[bool] = SimpleQueue()
        """For each idle thread that is to work True, for each that is to end False."""
        self._lock = Lock()
        self._threads = 0
        self._working = 0
        _pools.add(self)

    @property
    def busy(self) -> bool:
        """Whether something was submitted and is not finished."""
        return self._working > 0

    def submit(self, item: Item, *, spread: bool = True) -> None:
        """Have ``item`` worked on as soon as a thread is free.

        Args:
            item: What is given to ``work``.
            spread: Whether one more thread is called to work for it, where there is one. To wake a
                thread takes longer than many an item: what is quick can be left to those that
                work, as long as ``spread`` is called should they not get on.
        """
        with self._lock:
            if spread or not self._working:
                self._call_to_work()
            self.waiting.append(item)

    def spread(self) -> None:
        """Call one more thread to work for each item that waits."""
        with self._lock:
            for _ in range(len(self.waiting)):
                self._call_to_work()

    def stop(self) -> None:
        """Let idle threads end, and busy ones after what they do; returns at once."""
        for _ in range(self._threads):
            self._calls_to_work.put(False)

    def _call_to_work(self) -> None:
        """Wake or start a thread, unless all of them work; holding the lock."""
        if self._working < self._threads:
            self._calls_to_work.put(True)
        elif self._threads == self._max_threads or not self._start():
            return
        self._working += 1

    def _start(self) -> bool:
        name = f"{self._name}-{self._threads + 1}"
        try:
            Thread(target=self._run, name=name, daemon=True).start()
        except RuntimeError:
            # The system has no more threads to give: those that run take the item, later.
            if not self._threads:
                raise
            return False
        self._threads += 1
        return True

    def _run(self) -> None:
        while self._has_more():
            try:
                item = self.waiting.popleft()
            except IndexError:  # another thread was faster
                continue
            self._work(item)
            del item  # an idle thread keeps nothing alive

    def _has_more(self) -> bool:
        """Wait for something to do; return False where the thread is to end."""
        if self.waiting:
            return True
        with self._lock:
            if self.waiting:  # it came since this thread looked
                return True
            self._working -= 1
        return self._calls_to_work.get()
