"""One connection over a transport in an event loop, trio's or asyncio's.

Everything but blocking calls happens in the loop's thread, so the core needs no lock. One task
reads. It takes the first step of each async call itself; a call that suspends keeps the task,
since a started coroutine must not move, and another task goes on reading. A second task waits for
what comes from elsewhere: threads, other connections, the clock. A third writes, but only where
the peer does not take everything at once.
"""

import time
from functools import partial
from typing import TYPE_CHECKING, Any

from sansmcp_core import Cancel, Connection, Report, Run, Send, Server
from sansmcp_runtime.alarm import Alarm
from sansmcp_runtime.loops import Loop
from sansmcp_runtime.outcome import Step
from sansmcp_runtime.pulse import Pulse
from sansmcp_runtime.stepping import Rest

from ._call_queue import CallQueue
from ._ending import LAST_WORDS_S
from ._log import log
from ._loop_runner import LoopRunner
from ._loop_writer import LoopWriter
from ._pace import Pace, name_of

if TYPE_CHECKING:
    from sansmcp_runtime.libraries import Tasks

    from ._transports import Transport

__all__ = ["LoopConnection"]

_LOOK_S = 0.25
"""Seconds between two looks for a hang-up, while nothing is read.

Neither loop can wait for a hang-up alone: what is unread makes the input readable all the time. So
the task that would read looks by itself, and only as long as it may not read.
"""


class LoopConnection:
    """Serves one connection; made and run in one event loop, ``run`` returns when it is over.

    Args:
        server: What is served.
        transport: The peer.
        loop: The loop that runs the current task.
        max_threads: The most blocking calls that run at once.
        drain_s: Seconds that calls are given to end after the end of input.
        lifespan_value: What handlers find as the lifespan's value.
    """

    def __init__(
        self,
        server: Server,
        transport: "Transport",
        loop: Loop,
        *,
        max_threads: int,
        drain_s: float,
        lifespan_value: Any = None,
    ) -> None:
        self.turns = 0
        """Grows whenever something has happened."""
        self._transport = transport
        self._loop = loop
        self._library = library = loop.library
        self._drain_s = drain_s
        self._tasks: Tasks
        self._reads = True
        self._ending = False
        self._at_once = False
        self._over = library.Event()
        self._changes = Pulse(library)
        self._alarm = Alarm(loop)
        self._connection = Connection(
            server,
            wake=self._alarm.wake,
            lifespan_value=lifespan_value,
            max_blocking_calls=max_threads,
        )
        self._connection.sent(0)  # from here on it counts what is unsent
        self._writer = LoopWriter(
            transport, self._connection.sent, lost=self._begin_end, library=library
        )
        self._pace = Pace()
        self._runner = LoopRunner(
            self._alarm.wake, partial(self._do, self._connection.close), library
        )
        self._calls = CallQueue(self._runner.run_blocking, max_threads, self._is_held)

    async def run(self) -> None:
        """Serve until the input ends or ``stop`` is called, then end the calls and return.

        A peer that has hung up while nothing was read is read to its end within the time to drain.
        """
        try:
            async with self._loop.open_tasks() as self._tasks:
                self._tasks.start_soon(self._attend)
                self._tasks.start_soon(self._write)
                self._tasks.start_soon(self._read)
                await self._over.wait()
                await self._end()
                self._tasks.cancel_scope.cancel()
        finally:
            self._do(self._connection.close)
            self._calls.stop()

    def stop(self, at_once: bool = False) -> None:
        """End as at the end of input; from any thread or signal handler.

        Args:
            at_once: Give running calls no more time.
        """
        self._at_once |= at_once
        self._loop.post(self._begin_end)

    # -- the end -----------------------------------------------------------------------------

    def _begin_end(self, *, reads: bool = False) -> None:
        self._reads = reads
        self._ending = True
        self._over.set()
        self._changes.beat()

    async def _end(self) -> None:
        with self._library.move_on_after(self._drain_s) as time_to_drain:
            while not self._at_once and (
                self._reads or self._connection.calls_open or self._writer.has_more
            ):
                await self._changes.wait()
        self._reads = False
        self._do(self._connection.shutdown)
        self._settle()
        rest_s = time_to_drain.deadline - self._library.current_time()
        with self._library.move_on_after(max(rest_s, LAST_WORDS_S)):
            while not self._at_once and self._writer.has_more:
                await self._changes.wait()
        self._do(self._connection.close)

    # -- the tasks ---------------------------------------------------------------------------

    async def _read(self) -> None:
        """Start what has arrived and read on, until a call suspends and keeps this task."""
        with self._loop.new_scope() as scope:
            while True:
                began = time.time()
                while (call := self._calls.take()) is not None:
                    name = name_of(call)
                    if slow := self._pace.is_slow(name):
                        self._flush()
                    begun = self._runner.begin(call)
                    if isinstance(begun, Rest):
                        self._pace.took(name, time.time() - began)
                        self._tasks.start_soon(self._read)
                        self._do(await self._runner.finish(call, begun, scope))
                        self._settle()
                        return
                    now = self._do(begun)
                    if slow or now - began > self._pace.quick_s:
                        self._pace.took(name, now - began)
                    began = now
                self._flush()
                if self._calls.ready:
                    continue  # they were held back until that was written
                if self._is_held():
                    await self._until_it_may_read()
                if not self._reads:
                    return
                self._receive(await self._transport.receive())

    async def _until_it_may_read(self) -> None:
        while self._reads and self._is_held():
            with self._library.move_on_after(_LOOK_S):
                await self._changes.wait()
            if not self._ending and self._transport.has_hung_up():
                self._begin_end(reads=True)

    async def _run(self) -> None:
        """Run what came up outside the reading task, until a call suspends and keeps this task."""
        with self._loop.new_scope() as scope:
            while (call := self._calls.take()) is not None:
                begun = self._runner.begin(call)
                if isinstance(begun, Rest):
                    self._settle()
                    self._do(await self._runner.finish(call, begun, scope))
                    break
                self._do(begun)
            self._settle()

    async def _attend(self) -> None:
        """See to what comes from elsewhere."""
        while True:
            time_has_come = await self._alarm.wait(self._connection.deadline())
            # While the peer does not read, the core's turn is put off until it has.
            woken = self._alarm.woken and not self._writer.stalled
            if woken:
                self._alarm.woken = False
            for step in self._runner.take_ended():
                self._do(step)
            if woken:
                self._do(self._connection.pending)
            if time_has_come:
                self._do(self._connection.tick)
            self._settle()

    async def _write(self) -> None:
        while True:
            await self._writer.catch_up()
            if self._alarm.woken:
                self._alarm.ring()
            self._settle()

    # -- their steps -------------------------------------------------------------------------

    def _is_held(self) -> bool:
        """Whether the peer has to read before anything more is read or started."""
        return self._writer.stalled or self._connection.paused

    def _receive(self, data: bytes) -> None:
        if not self._reads:
            return
        if data:
            self._do(partial(self._connection.receive, data))
        else:
            self._do(self._connection.receive_eof)
            self._begin_end()

    def _do(self, step: Step) -> float:
        """Call the core and carry out what it asks for, except for running what it hands out.

        Returns:
            The Unix time that was.
        """
        self.turns += 1
        now = time.time()
        for effect in step(now):
            if type(effect) is Send:
                self._writer.put(effect.data)
            elif type(effect) is Run:
                self._calls.put(effect.call)
            elif type(effect) is Cancel:
                self._runner.cancel(effect.call)
            elif type(effect) is Report:
                log(effect, self._loop.name)
            else:
                self._at_once = True
                self._begin_end()
        return now

    def _settle(self) -> None:
        """Finish what was begun outside the reading task: write, and run what was handed out."""
        self._flush()
        if self._calls.ready:
            self._tasks.start_soon(self._run)

    def _flush(self) -> None:
        """Write what is queued, and tell everybody that something has changed."""
        self._writer.flush()
        self._calls.release()
        self._alarm.hasten(self._connection.deadline())
        self._changes.beat()
