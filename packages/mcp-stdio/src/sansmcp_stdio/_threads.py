"""One connection over a channel on plain threads: no event loop is loaded.

The thread that called reads, keeps the time and runs inline calls; a pool runs blocking ones. One
lock is held around every call of the core, and while the messages that come out of it are queued,
so that they leave in the core's order. Whoever has added messages writes all that is queued; where
the peer does not read, the rest waits for the reading thread, and nothing more is read.
"""

import contextvars
import math
import time
from collections.abc import Callable
from threading import Lock
from typing import Any

from sansmcp_core import Call, Close, Connection, Effect, Report, Run, Send, Server
from sansmcp_runtime.outcome import Step, outcome
from sansmcp_runtime.sleep import Sleep

from ._call_queue import CallQueue
from ._channel import Channel
from ._ending import LAST_WORDS_S
from ._log import log
from ._pace import Pace
from ._watch import watch

__all__ = ["ThreadedConnection"]


class ThreadedConnection:
    """Serves one connection; ``run`` returns when it is over.

    Args:
        server: What is served; it must have no async handlers.
        channel: The peer.
        max_threads: The most blocking calls that run at once.
        drain_s: Seconds that calls are given to end after the end of input.
        lifespan_value: What handlers find as the lifespan's value.
    """

    def __init__(
        self,
        server: Server,
        channel: Channel,
        *,
        max_threads: int,
        drain_s: float,
        lifespan_value: Any = None,
    ) -> None:
        self.turns = 0
        """Grows whenever something has happened."""
        self._channel = channel
        self._drain_s = drain_s
        self._watch = watch(channel)
        self._pace = Pace()
        self._context = contextvars.copy_context()
        self._lock = Lock()
        self._writing = Lock()
        # Guarded by the lock around the core.
        self._queued: list[bytes] = []
        self._reports: list[Report] = []
        self._calls = CallQueue(self._run_blocking, max_threads, self._is_held)
        # Guarded by the writing lock.
        self._unsent: memoryview | None = None
        # Simple facts, read by anybody.
        self._stalled = False
        self._woken = False
        self._mute = False
        self._reads = True
        self._ending = False
        self._at_once = False
        self._awaits_calls = False
        self._sleep = Sleep(None)
        self._connection = Connection(
            server,
            wake=self._watch.wake,
            lifespan_value=lifespan_value,
            async_handlers=False,
            max_blocking_calls=max_threads,
        )
        self._connection.sent(0)  # from here on it counts what is unsent

    def run(self) -> None:
        """Serve until the input ends or ``stop`` is called, then end the calls and return.

        A peer that has hung up while nothing was read is read to its end within the time to drain.
        """
        while not self._ending:
            self._turn()
        until = time.monotonic() + self._drain_s
        self._work_off(until, lambda: self._reads or self._connection.calls_open > 0)
        self._reads = False
        self._do(self._connection.shutdown)
        self._work_off(max(until, time.monotonic() + LAST_WORDS_S), lambda: False)
        self._do(self._connection.close)
        self._calls.stop()
        with self._writing:
            self._mute = True

    def stop(self, at_once: bool = False) -> None:
        """End as at the end of input; from any thread or signal handler.

        Args:
            at_once: Give running calls no more time.
        """
        self._at_once |= at_once
        self._reads = False
        self._ending = True
        self._watch.wake()

    # -- the thread that reads ---------------------------------------------------------------

    def _work_off(self, until: float, busy: Callable[[], bool]) -> None:
        """Go on while there is something to do or to write, until ``until``."""
        self._flush()
        while not self._at_once and (rest := until - time.monotonic()) > 0:
            # Set before looking: a call that ends from here on wakes this thread.
            self._awaits_calls = True
            if not (busy() or self._queued or self._stalled):
                return
            self._turn(longest_s=rest)

    def _turn(self, *, longest_s: float = math.inf) -> None:
        """Wait for one thing to happen, and see to it."""
        with self._lock:
            reading = self._reads and not self._is_held()
            self._awaits_calls = self._ending or not reading
            self._sleep = sleep = Sleep(self._connection.deadline())
        seen = self._watch.wait(
            reading=reading,
            writing=self._stalled,
            timeout_s=0.0 if self._calls.ready else _finite(min(sleep.rest_s, longest_s)),
            hang_up=self._reads and not self._ending,
        )
        self._awaits_calls = False
        self._woken |= seen.awake
        self._ending |= seen.hung_up
        if seen.data is not None:
            self._receive(seen.data)
        if self._stalled:
            self._flush(resume=True)
        if sleep.is_over():
            self._do(self._connection.tick)
        if self._woken and not self._stalled:
            self._woken = False
            self._do(self._connection.pending)
        self._run_inline()
        self._flush()

    def _receive(self, data: bytes) -> None:
        if data:
            self._do(lambda now: self._connection.receive(data, now))
        else:
            self._reads = False
            self._ending = True
            self._do(self._connection.receive_eof)

    def _run_inline(self) -> None:
        while (call := self._calls.take()) is not None:
            if self._pace.is_slow(call.label):
                self._flush()
            started = time.perf_counter()
            self._do(outcome(call, self._context))
            self._pace.took(call.label, time.perf_counter() - started)

    # -- any thread --------------------------------------------------------------------------

    def _is_held(self) -> bool:
        """Whether the peer has to read before anything more is read or started."""
        return self._stalled or self._connection.paused

    def _run_blocking(self, call: Call) -> None:
        hastens = self._do(outcome(call, self._context))
        self._flush()
        if hastens or self._awaits_calls or self._calls.ready:
            self._watch.wake()

    def _do(self, step: Step) -> bool:
        """Call the core and carry out what it asks for.

        Returns:
            Whether something is due before the thread that reads would look.
        """
        self.turns += 1
        with self._lock:
            for effect in step(time.time()):
                self._carry_out(effect)
            reports, self._reports = self._reports, []
            deadline = self._connection.deadline()
        for report in reports:
            log(report)
        return deadline is not None and deadline < self._sleep.until

    def _carry_out(self, effect: Effect) -> None:
        if isinstance(effect, Send):
            self._queued.append(effect.data)
        elif isinstance(effect, Run):
            self._calls.put(effect.call)
        elif isinstance(effect, Report):
            self._reports.append(effect)
        elif isinstance(effect, Close):  # a thread cannot be cancelled, only its call told
            self._reads = False
            self._ending = self._at_once = True

    # -- writing -----------------------------------------------------------------------------

    def _flush(self, *, resume: bool = False) -> None:
        """Write all that is queued, unless another thread is at it or the peer does not read."""
        while (self._queued or resume) and (resume or not self._stalled):
            if not self._writing.acquire(blocking=False):
                return  # the holder looks again after it has let go
            try:
                self._write()
            finally:
                self._writing.release()
            resume = False

    def _write(self) -> None:
        data = self._unsent
        if data is None:
            with self._lock:
                queued, self._queued = self._queued, []
            data = memoryview(b"".join(queued))
        total = len(data)
        sent = total
        if not self._mute:
            try:
                sent = self._channel.send(data)
            except OSError:
                # Nobody listens any more: as at the end of input, and the rest is dropped.
                self._mute = True
                self.stop()
        with self._lock:
            self._connection.sent(sent)
            self._unsent = data[sent:] if sent < total else None
            was_stalled, self._stalled = self._stalled, sent < total
            self._calls.release()
        if self._stalled and not was_stalled:
            self._watch.wake()  # the thread that reads shall wait for room


def _finite(seconds: float) -> float | None:
    return None if seconds == math.inf else seconds
