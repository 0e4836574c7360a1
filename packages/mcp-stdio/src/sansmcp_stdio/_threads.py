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
from functools import partial
from threading import Lock
from typing import Any

from sansmcp_core import Call, Close, Connection, Report, Run, Send, Server
from sansmcp_runtime.outcome import Step, outcome
from sansmcp_runtime.sleep import Sleep

from ._call_queue import CallQueue
from ._channel import Channel
from ._ending import LAST_WORDS_S
from ._log import log
from ._pace import Pace, name_of
from ._watch import watch

__all__ = ["ThreadedConnection"]

_FOREVER = Sleep(None)

_QUICK_S = 0.0001
"""The longest that a blocking call may take for others to wait behind it, in seconds: what it takes
to wake a thread and to change to it."""

_LOOK_S = 0.002
"""Seconds between two looks at what waits for quick calls: other calls, and what is to be written.
"""

_MOST_JOINED = 64
"""How many messages are written together at most, where more are about to come."""


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
        self._inline_pace = Pace()
        self._blocking_pace = Pace(_QUICK_S)
        self._context = contextvars.copy_context()
        self._lock = Lock()
        self._writing = Lock()
        # Guarded by the lock around the core.
        self._queued: list[bytes] = []
        self._reports: list[Report] = []
        self._calls = CallQueue(self._run_blocking, max_threads, self._is_held, self._blocking_pace)
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
        self._looks_again = False
        """Whether the thread that reads will look, in a moment, how blocking calls get on."""
        self._sleep = _FOREVER
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
        calls = self._calls
        with self._lock:
            reading = self._reads and not self._is_held()
            self._awaits_calls = self._ending or not reading
            deadline = self._connection.deadline()
            self._sleep = sleep = _FOREVER if deadline is None else Sleep(deadline)
            crowded = calls.crowded
            self._looks_again = crowded or (bool(self._queued) and not self._stalled)
        if calls.ready:
            longest_s = 0.0
        elif self._looks_again:
            longest_s = min(longest_s, _LOOK_S)
        turns = self.turns
        seen = self._watch.wait(
            reading=reading,
            writing=self._stalled,
            timeout_s=min(sleep.rest_s, longest_s),
            hang_up=self._reads and not self._ending,
        )
        self._awaits_calls = False
        self._woken |= seen.awake
        self._ending |= seen.hung_up
        if crowded and turns == self.turns:
            calls.spread()
        if seen.data is not None:
            self._receive(seen.data)
        if self._stalled:
            self._flush(resume=True)
        if deadline is not None and sleep.is_over():
            self._do(self._connection.tick)
        if self._woken and not self._stalled:
            self._woken = False
            self._do(self._connection.pending)
        if calls.ready:
            self._run_inline()
        self._flush()

    def _receive(self, data: bytes) -> None:
        if data:
            self._do(partial(self._connection.receive, data))
        else:
            self._reads = False
            self._ending = True
            self._do(self._connection.receive_eof)

    def _run_inline(self) -> None:
        began = time.time()
        while (call := self._calls.take()) is not None:
            name = name_of(call)
            if slow := self._inline_pace.is_slow(name):
                self._flush()
            now = self._do(outcome(call, self._context))
            if slow or now - began > self._inline_pace.quick_s:
                self._inline_pace.took(name, now - began)
            began = now

    # -- any thread --------------------------------------------------------------------------

    def _is_held(self) -> bool:
        """Whether the peer has to read before anything more is read or started."""
        return self._stalled or self._connection.paused

    def _run_blocking(self, call: Call) -> None:
        began = time.time()
        now = self._do(outcome(call, self._context))
        self._blocking_pace.took(name_of(call), now - began)
        if self._looks_again and len(self._queued) < _MOST_JOINED and self._calls.quick_one_waits():
            return  # who runs that one writes what came of both, or the thread that reads does
        with self._lock:
            deadline = self._connection.deadline()
        hastens = deadline is not None and deadline < self._sleep.until
        self._flush()
        # Little is done from here on, for the peer may have answered already.
        if (
            hastens
            or self._awaits_calls
            or self._calls.ready
            or (self._calls.crowded and not self._looks_again)
        ):
            self._watch.wake()

    def _do(self, step: Step) -> float:
        """Call the core and carry out what it asks for; return the Unix time that was."""
        self.turns += 1
        with self._lock:
            now = time.time()
            for effect in step(now):
                if type(effect) is Send:
                    self._queued.append(effect.data)
                elif type(effect) is Run:
                    self._calls.put(effect.call)
                elif type(effect) is Report:
                    self._reports.append(effect)
                elif type(effect) is Close:  # a thread cannot be cancelled, only its call told
                    self._reads = False
                    self._ending = self._at_once = True
        if self._reports:
            self._report()
        return now

    def _report(self) -> None:
        with self._lock:
            reports, self._reports = self._reports, []
        for report in reports:
            log(report)

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
        data: bytes | memoryview | None = self._unsent
        if data is None:
            with self._lock:
                queued, self._queued = self._queued, []
            data = b"".join(queued)
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
            self._unsent = memoryview(data)[sent:] if sent < total else None
            was_stalled, self._stalled = self._stalled, sent < total
            self._calls.release()
        if self._stalled and not was_stalled:
            self._watch.wake()  # the thread that reads shall wait for room
