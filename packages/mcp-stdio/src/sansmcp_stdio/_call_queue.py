"""The way of a call from the core to the thread that runs it."""

from collections import deque
from collections.abc import Callable

from sansmcp_core import Call, Mode
from sansmcp_runtime.pool import Pool

from ._pace import Pace, name_of

__all__ = ["CallQueue"]


class CallQueue:
    """Hands blocking calls to a pool of threads and keeps the others for the thread that reads.

    While the peer does not take what is there for it, no call is started: more results would only
    pile up behind those. The results of calls that run already come all the same, so what can pile
    up is one result for each of them: ``max_threads``, and as many async calls as run at once.

    Args:
        run_blocking: Called in a thread of the pool with each blocking call; must not raise.
        max_threads: The most blocking calls that run at once.
        is_held: Whether calls are held back at that moment. Whenever that may have changed to
            False, ``release`` has to be called.
        pace: Which blocking calls are so quick that one thread does them one after the other;
            then ``spread`` has to be called where they do not get on. By default none are.
    """

    def __init__(
        self,
        run_blocking: Callable[[Call], None],
        max_threads: int,
        is_held: Callable[[], bool],
        pace: Pace | None = None,
    ) -> None:
        self._pool: Pool[Call] = Pool(run_blocking, max_threads, "sansmcp-stdio")
        self._is_held = is_held
        self._pace = Pace() if pace is None else pace
        self._blocking: deque[Call] = deque()
        self._others: deque[Call] = deque()

    def put(self, call: Call) -> None:
        """Send a call on its way."""
        if call.mode is not Mode.BLOCKING:
            self._others.append(call)
        elif self._is_held():
            self._blocking.append(call)
        else:
            self._pool.submit(call, spread=self._pace.is_slow(name_of(call)))

    @property
    def ready(self) -> bool:
        """Whether ``take`` has a call to give."""
        return bool(self._others) and not self._is_held()

    def take(self) -> Call | None:
        """The next call that the thread that reads is to run; ``None`` for none now."""
        return self._others.popleft() if self._others and not self._is_held() else None

    @property
    def crowded(self) -> bool:
        """Whether blocking calls wait for a thread."""
        return bool(self._pool.waiting)

    def quick_one_waits(self) -> bool:
        """Whether the next blocking call, which a thread will begin at once, is a quick one."""
        waiting = self._pool.waiting
        try:
            return bool(waiting) and not self._pace.is_slow(name_of(waiting[0]))
        except IndexError:  # it has just been begun
            return False

    def spread(self) -> None:
        """Have as many threads as there are see to the blocking calls that wait."""
        self._pool.spread()

    def release(self) -> None:
        """Send on what was held back, unless it still is."""
        while self._blocking and not self._is_held():
            self._pool.submit(self._blocking.popleft())

    def stop(self) -> None:
        """Let idle threads end, and busy ones after what they do; returns at once."""
        self._pool.stop()
