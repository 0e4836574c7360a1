"""The way of a call from the core to the thread that runs it."""

from collections import deque
from collections.abc import Callable

from sansmcp_core import Call, Mode

from ._pool import Pool

__all__ = ["CallQueue"]


class CallQueue:
    """Hands blocking calls to a pool of threads and keeps the others in ``ready``.

    While the peer does not read, all of them are held back: more results would only pile up behind
    those that it has not taken.

    Args:
        run_blocking: Called in a thread of the pool with each blocking call; must not raise.
        max_threads: The most blocking calls that run at once.
    """

    def __init__(self, run_blocking: Callable[[Call], None], max_threads: int) -> None:
        self.ready: deque[Call] = deque()
        """The calls that the thread that reads is to run, in order."""
        self._pool: Pool[Call] = Pool(run_blocking, max_threads)
        self._holding = False
        self._held: list[Call] = []

    def put(self, call: Call) -> None:
        """Send a call on its way."""
        if self._holding:
            self._held.append(call)
        elif call.mode is Mode.BLOCKING:
            self._pool.submit(call)
        else:
            self.ready.append(call)

    def hold(self) -> None:
        """Hold back what is put from now on."""
        self._holding = True

    def release(self) -> None:
        """Send on what was held back, and hold back no more."""
        self._holding = False
        if self._held:
            held, self._held = self._held, []
            for call in held:
                self.put(call)

    def stop(self) -> None:
        """Let idle threads end, and busy ones after what they do; returns at once."""
        self._pool.stop()
