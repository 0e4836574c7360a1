"""One connection over a transport in an event loop, trio's or asyncio's.

Everything but blocking calls happens in the loop's thread, so the core needs no lock. One task
reads. It takes the first step of each async call itself; a call that suspends keeps the task,
since a started coroutine must not move, and another task goes on reading. A second task waits for
what comes from elsewhere: threads, other connections, the clock. A third writes, but only where
the peer does not take everything at once.
"""

import contextvars
import math
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
from sansmcp_core import Call, Cancel, Connection, Effect, Mode, Report, Run, Send, Server

from ._ending import LAST_WORDS_S, CallStopped
from ._log import log
from ._loops import Loop, Scope
from ._pace import Pace
from ._pool import Pool
from ._stepping import Rest, first_step
from ._transports import Transport

if TYPE_CHECKING:
    from anyio.abc import TaskGroup

__all__ = ["LoopConnection"]


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
        transport: Transport,
        loop: Loop,
        *,
        max_threads: int,
        drain_s: float,
        lifespan_value: Any = None,
    ) -> None:
        self._transport = transport
        self._loop = loop
        self._drain_s = drain_s
        self._pool: Pool[Call] = Pool(self._run_blocking, max_threads)
        self._pace = Pace()
        self._context = contextvars.copy_context()
        self._tasks: TaskGroup
        self._starting: deque[Call] = deque()
        self._scopes: dict[int, Scope] = {}
        self._cancelled: set[int] = set()
        # Calls that ended in threads.
        self._finished: deque[tuple[Call, Callable[[float], list[Effect]]]] = deque()
        # What is to be written; stalled means that the writing task is at it.
        self._queued: list[bytes] = []
        self._unsent = memoryview(b"")
        self._stalled = False
        self._mute = False
        self._held_back: list[Call] = []
        # The end.
        self._ending = False
        self._at_once = False
        self._over = anyio.Event()
        # Who waits for what.
        self._woken = False
        self._attention = anyio.Event()
        self._sleeps_until = math.inf
        self._stall = anyio.Event()
        self._changed: anyio.Event | None = None
        self._connection = Connection(server, wake=self._wake, lifespan_value=lifespan_value)
        self._connection.sent(0)  # from here on it counts what is unsent

    async def run(self) -> None:
        """Serve until the input ends or ``stop`` is called, then end the calls and return."""
        try:
            async with anyio.create_task_group() as self._tasks:
                self._tasks.start_soon(self._attend)
                self._tasks.start_soon(self._write)
                self._tasks.start_soon(self._read)
                await self._over.wait()
                await self._end()
                self._tasks.cancel_scope.cancel()
        finally:
            self._do(self._connection.close)
            self._pool.stop()

    def stop(self, at_once: bool = False) -> None:
        """End as at the end of input; from any thread or signal handler.

        Args:
            at_once: Give running calls no more time.
        """
        self._at_once |= at_once
        self._post(self._begin_end)

    # -- the end -----------------------------------------------------------------------------

    def _begin_end(self) -> None:
        self._ending = True
        self._over.set()
        self._notice()

    async def _end(self) -> None:
        with anyio.move_on_after(self._drain_s) as time_to_drain:
            while not self._at_once and (self._connection.calls_open or self._unwritten()):
                await self._change()
        self._do(self._connection.shutdown)
        self._settle()
        rest_s = time_to_drain.deadline - anyio.current_time()
        with anyio.move_on_after(max(rest_s, LAST_WORDS_S)):
            while not self._at_once and self._unwritten():
                await self._change()
        self._do(self._connection.close)

    async def _change(self) -> None:
        """Wait until anything has changed."""
        if self._changed is None:
            self._changed = anyio.Event()
        await self._changed.wait()

    def _notice(self) -> None:
        if self._changed is not None:
            self._changed.set()
            self._changed = None

    # -- the core ----------------------------------------------------------------------------

    def _do(self, step: Callable[[float], list[Effect]]) -> None:
        """Call the core and carry out what it asks for, except for running what it hands out."""
        for effect in step(time.time()):
            if isinstance(effect, Send):
                self._queued.append(effect.data)
            elif isinstance(effect, Run):
                self._take_on(effect.call)
            elif isinstance(effect, Cancel):
                self._cancel(effect.call)
            elif isinstance(effect, Report):
                log(effect)
            else:
                self._at_once = True
                self._begin_end()

    def _take_on(self, call: Call) -> None:
        if self._stalled:
            # More results would only pile up behind those that the peer does not read.
            self._held_back.append(call)
        elif call.mode is Mode.BLOCKING:
            self._pool.submit(call)
        else:
            self._starting.append(call)

    def _cancel(self, call: Call) -> None:
        scope = self._scopes.get(id(call))
        if scope is None:
            self._cancelled.add(id(call))
        else:
            scope.cancel()

    # -- reading -----------------------------------------------------------------------------

    async def _read(self) -> None:
        """Start what has arrived and read on, until a call suspends and keeps this task."""
        with self._loop.new_scope() as scope:
            while True:
                while self._starting:
                    call = self._starting.popleft()
                    if self._pace.is_slow(call.label):
                        self._flush()
                    rest = self._begin(call)
                    if rest is not None:
                        self._tasks.start_soon(self._read)
                        await self._finish(call, rest, scope)
                        return
                self._flush()
                while self._stalled or (self._connection.paused and not self._ending):
                    await self._change()
                if self._ending:
                    return
                self._receive(await self._transport.receive())

    def _receive(self, data: bytes) -> None:
        if self._ending:
            return
        if data:
            self._do(partial(self._connection.receive, data))
        else:
            self._do(self._connection.receive_eof)
            self._begin_end()

    # -- running calls -----------------------------------------------------------------------

    def _settle(self) -> None:
        """Finish what was begun outside the reading task: run what was handed out, and write."""
        while self._starting:
            call = self._starting.popleft()
            if call.mode is Mode.INLINE:
                self._begin(call)
            else:
                self._tasks.start_soon(self._run_async, call)
        self._flush()

    async def _run_async(self, call: Call) -> None:
        """In a task of its own."""
        with self._loop.new_scope() as scope:
            rest = self._begin(call)
            if rest is not None:
                await self._finish(call, rest, scope)
            else:
                self._settle()

    def _begin(self, call: Call) -> Rest | None:
        """Run an inline call, or the first step of an async one; what remains, if anything does."""
        started = time.perf_counter()
        context = self._context.copy()
        end: Callable[[float], list[Effect]]
        if id(call) in self._cancelled:
            end = partial(call.failed, CallStopped("cancelled before it began"))
        else:
            try:
                value = context.run(call.invoke)
                if call.mode is Mode.ASYNC:
                    value = first_step(value, context)
                    if isinstance(value, Rest):
                        return value
                end = partial(call.completed, value)
            except BaseException as exception:  # noqa: BLE001 - the core decides what it means
                end = partial(call.failed, exception)
            finally:
                self._pace.took(call.label, time.perf_counter() - started)
        self._cancelled.discard(id(call))
        self._do(end)
        return None

    async def _finish(self, call: Call, rest: Rest, scope: Scope) -> None:
        """Await what remains of a call, which may cancel ``scope`` meanwhile."""
        self._scopes[id(call)] = scope
        end: Callable[[float], list[Effect]]
        try:
            end = partial(call.completed, await rest)
        except BaseException as exception:  # noqa: BLE001 - the core decides what it means
            # A cancellation is no exception to this: nothing is awaited after it in this task.
            end = partial(call.failed, exception)
            if not scope.cancel_called and anyio.current_effective_deadline() == -math.inf:
                # All of this connection is being cancelled, from outside.
                self._do(self._connection.close)
        del self._scopes[id(call)]
        self._do(end)
        self._settle()

    def _run_blocking(self, call: Call) -> None:
        """In a thread of the pool."""
        end: Callable[[float], list[Effect]]
        if id(call) in self._cancelled:
            end = partial(call.failed, CallStopped("cancelled before it began"))
        else:
            try:
                end = partial(call.completed, self._context.copy().run(call.invoke))
            except BaseException as exception:  # noqa: BLE001 - the core decides what it means
                end = partial(call.failed, exception)
        self._finished.append((call, end))
        self._wake()

    # -- what comes from elsewhere -----------------------------------------------------------

    def _wake(self) -> None:
        """From any thread: have the core, and the calls that ended in threads, looked after."""
        if not self._woken:
            self._woken = True
            self._post(self._attend_now)

    def _attend_now(self) -> None:
        self._attention.set()

    def _post(self, function: Callable[[], object]) -> None:
        try:
            self._loop.post(function)
        except RuntimeError:
            return  # the loop has ended: a thread that was left behind has nobody to tell

    async def _attend(self) -> None:
        while True:
            deadline = self._connection.deadline()
            self._sleeps_until = math.inf if deadline is None else deadline
            started = time.monotonic()
            rest_s = max(0.0, self._sleeps_until - time.time())
            if deadline is None:
                await self._attention.wait()
            else:
                with anyio.move_on_after(rest_s):
                    await self._attention.wait()
            self._attention = anyio.Event()
            self._look_around()
            # Time that was slept has passed, whatever was done to the clock meanwhile.
            if time.time() >= self._sleeps_until or time.monotonic() - started >= rest_s:
                self._do(self._connection.tick)
            self._settle()

    def _look_around(self) -> None:
        woken, self._woken = self._woken, False
        while self._finished:
            call, end = self._finished.popleft()
            self._cancelled.discard(id(call))
            self._do(end)
        if woken and self._stalled:
            self._woken = True  # the core's turn comes when the peer has read
        elif woken:
            self._do(self._connection.pending)

    # -- writing -----------------------------------------------------------------------------

    def _unwritten(self) -> bool:
        return bool(self._queued) or self._stalled

    def _flush(self) -> None:
        """Write what is queued, as far as that goes without waiting."""
        if self._queued and not self._stalled:
            data = self._take_queued()
            try:
                sent = len(data) if self._mute else self._transport.send_now(data)
            except OSError:
                self._lose_output()
                sent = len(data)
            self._connection.sent(sent)
            if sent < len(data):
                self._unsent = memoryview(data)[sent:]
                self._stalled = True
                self._stall.set()
        deadline = self._connection.deadline()
        if deadline is not None and deadline < self._sleeps_until:
            self._attention.set()
        self._notice()

    def _take_queued(self) -> bytes:
        queued, self._queued = self._queued, []
        return queued[0] if len(queued) == 1 else b"".join(queued)

    def _lose_output(self) -> None:
        """Nobody listens any more: as at the end of input, and the rest is dropped."""
        self._mute = True
        self._begin_end()

    async def _write(self) -> None:
        while True:
            await self._stall.wait()
            self._stall = anyio.Event()
            while self._unsent:
                try:
                    if not self._mute:
                        await self._transport.send(self._unsent)
                except OSError:
                    self._lose_output()
                self._connection.sent(len(self._unsent))
                self._unsent = memoryview(self._take_queued())
            self._stalled = False
            held_back, self._held_back = self._held_back, []
            for call in held_back:
                self._take_on(call)
            if self._woken:
                self._attention.set()
            self._settle()
