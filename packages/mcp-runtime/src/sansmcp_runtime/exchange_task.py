"""One HTTP exchange in the task of its request.

What is answered at once is written and done with: nothing else is set up. An async call that
suspends keeps the request's task, since a started coroutine must not move, and a second task sees
to the rest meanwhile; while a thread runs a call, the request's own task does. Whoever it is, is
the only one who calls the core and writes.
"""

import math
import time
from collections.abc import Callable
from contextvars import Context, copy_context
from functools import partial

import anyio.lowlevel
from sansmcp_core import Call, Mode, Report

from .beside import Beside
from .exchange_steps import ExchangeSteps
from .outcome import Step, stopped
from .stepping import Rest, first_step

__all__ = ["ExchangeTask"]

_BLOCKING = Mode.BLOCKING

_WATCH_AFTER_S = 0.05
"""Seconds that something has to take before anybody watches whether the client goes away."""


class ExchangeTask(ExchangeSteps):
    """Serves one exchange; see ``ExchangeSteps``."""

    _ended: Step | None = None
    """How a call ended that ran in a thread."""

    async def run(self) -> None:
        """Serve until the exchange is done."""
        runtime, exchange = self._runtime, self.exchange
        runtime.serving += 1
        try:
            effects = exchange.begin(time.time())
            if effects:
                await self.carry_out(effects)
            while exchange.wants_body:
                try:
                    data, more = await self._peer.receive()
                except Exception as exception:  # noqa: BLE001 - sorted out there
                    self.lose(exception)
                    await self.carry_out([])
                else:
                    await self.carry_out(exchange.receive(data, more, time.time()))
            while not exchange.done:
                call = self.next_call
                if call is None:
                    await self._attend(self._is_wanted)
                else:
                    self.next_call = None
                    await self._start(call)
        except BaseException as exception:
            await self._abandon(exception)
            raise
        finally:
            runtime.serving -= 1
            if not runtime.serving:
                runtime.changes.beat()

    async def _abandon(self, exception: BaseException) -> None:
        """Close the exchange, since its task raises ``exception``."""
        if isinstance(exception, anyio.get_cancelled_exc_class()):
            await self.end_stream()
        elif isinstance(exception, Exception):
            message = "an HTTP exchange failed, through no fault of the client"
            self._runtime.report(Report("error", message, exception))
        self.close()
        if self._ended is not None:
            self.do_mutely(self._ended)

    def take_end(self, step: Step) -> None:
        """Take how a call ended that ran in a thread; in the loop."""
        if self.closed:
            self.do_mutely(step)
        else:
            self._ended = step
            self.alarm.ring()

    # -- calls -------------------------------------------------------------------------------

    async def _start(self, call: Call) -> None:
        """Run a call that takes time, as far as that can be done in this task."""
        context = copy_context()
        if call.over:
            await self.do(stopped(call))
        elif call.mode is _BLOCKING:
            self._runtime.submit(self, call, context)
        else:
            await self._run_async(call, context)

    async def _run_async(self, call: Call, context: Context) -> None:
        """Run an async call; while it suspends, a task beside this one attends to the rest."""
        loop = self._runtime.loop
        times_cancelled = loop.times_cancelled()
        beside: Beside | None = None
        exception: BaseException | None = None
        value: object = None
        # Entered before the first step: the handler may enter scopes of its own in that.
        with loop.new_scope() as self.scope:
            try:
                value = first_step(context.run(call.invoke), context)
                if type(value) is Rest:
                    beside = Beside(loop, self._attend_beside, self.cancel)
                    value = await value
            except BaseException as error:
                if isinstance(value, Rest) and value.abandoned:
                    raise  # nothing may be awaited any more
                exception = error  # the core decides what it means
        self.scope = None
        step = partial(call.completed, value)
        if exception is not None:
            step = partial(call.failed, exception)
        try:
            if beside is not None:
                await self._end_beside(beside, step, exception, times_cancelled)
            await self.do(step)
        finally:
            del exception, step  # they lead back here, and what is no circle is freed at once

    async def _end_beside(
        self, beside: Beside, step: Step, exception: BaseException | None, times_cancelled: int
    ) -> None:
        """Take the exchange over from the task beside this one."""
        try:
            if exception is not None:
                await self._pass_on(exception, times_cancelled)
            self.alarm.ring()
            await beside.wait()
        except BaseException:
            self.close()
            self.do_mutely(step)
            await beside.stop()
            raise

    async def _pass_on(self, exception: BaseException, times_cancelled: int) -> None:
        """Raise a cancellation, where that came not for the call but for all that surrounds it."""
        if (
            self._runtime.loop.times_cancelled() > times_cancelled
            or anyio.current_effective_deadline() == -math.inf
        ):
            cancelled = anyio.get_cancelled_exc_class()
            if not isinstance(exception, cancelled):  # the handler made something else of it
                await anyio.lowlevel.checkpoint()  # raises, where a scope was cancelled
                exception = cancelled()
            raise exception

    # -- what comes from elsewhere -----------------------------------------------------------

    def _is_wanted(self) -> bool:
        """Whether the request's task has something to do other than to attend."""
        return self.next_call is not None or self.exchange.done

    async def _attend_beside(self) -> None:
        await self._attend(lambda: self.scope is None)

    async def _attend(self, is_over: Callable[[], bool]) -> None:
        """See to what comes from elsewhere, until that is over; after a while, watch the client."""
        if await self._look_after(is_over, _WATCH_AFTER_S):
            return
        async with anyio.create_task_group() as tasks:
            if not self.gone:
                tasks.start_soon(self._watch)
            await self._look_after(is_over)
            tasks.cancel_scope.cancel()

    async def _look_after(self, is_over: Callable[[], bool], longest_s: float = math.inf) -> bool:
        """Attend to it for so long at most; return whether it is over."""
        exchange, alarm = self.exchange, self.alarm
        until = time.monotonic() + longest_s
        while not is_over():
            rest_s = until - time.monotonic()
            if rest_s <= 0:
                return False
            time_has_come = await alarm.wait(exchange.deadline(), rest_s)
            await self.carry_out([])
            if self._ended is not None:
                step, self._ended = self._ended, None
                await self.do(step)
            if alarm.woken:
                alarm.woken = False
                await self.do(exchange.pending)
            if time_has_come:
                await self.do(exchange.tick)
        return True

    async def _watch(self) -> None:
        await self.watch()
        self.alarm.ring()
