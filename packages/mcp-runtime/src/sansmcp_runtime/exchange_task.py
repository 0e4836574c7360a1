"""One HTTP exchange in the task of its request.

What is answered at once is written and done with: nothing else is set up. An async call that
suspends keeps the request's task, since a started coroutine must not move, and a second task sees
to the rest meanwhile; while a thread runs a call, the request's own task does. Whoever it is, is
the only one who calls the core and writes.
"""

import math
import time
from collections import deque
from collections.abc import Callable
from contextvars import Context, copy_context
from functools import partial
from typing import TYPE_CHECKING

import anyio
from sansmcp_core import Call, Mode, Report

from .beside import Beside
from .exchange_steps import ExchangeSteps
from .outcome import Step, outcome, stopped
from .stepping import Rest, first_step

if TYPE_CHECKING:
    from sansmcp_core.http import RequestHead

    from .exchanges import HttpPeer, HttpRuntime

__all__ = ["ExchangeTask"]

_WATCH_AFTER_S = 0.05
"""Seconds that something has to take before anybody watches whether the client goes away."""


class ExchangeTask:
    """Serves one exchange.

    Args:
        runtime: What exchanges share.
        head: The request's head.
        peer: The client.
    """

    __slots__ = ("_ended", "_exchange", "_runtime", "_steps")

    def __init__(self, runtime: "HttpRuntime", head: "RequestHead", peer: "HttpPeer") -> None:
        self._runtime = runtime
        self._steps = ExchangeSteps(runtime, head, peer)
        self._exchange = self._steps.exchange
        self._ended: deque[Step] = deque()
        """How calls ended that ran in threads."""

    async def run(self) -> None:
        """Serve until the exchange is done."""
        steps, exchange = self._steps, self._exchange
        await steps.do(exchange.begin)
        while exchange.wants_body:
            piece = await steps.client.receive()
            if piece is None:
                await steps.see_to_client()
            else:
                await steps.do(partial(exchange.receive, *piece))
        while True:
            while steps.runs:
                await self._start(steps.runs.popleft())
            if exchange.done:
                return
            await self._attend(self._is_wanted)

    async def abandon(self, exception: BaseException) -> None:
        """Close the exchange, since its task raises ``exception``."""
        if isinstance(exception, anyio.get_cancelled_exc_class()):
            await self._steps.end_stream()
        elif isinstance(exception, Exception):
            message = "an HTTP exchange failed, through no fault of the client"
            self._runtime.report(Report("error", message, exception))
        self._steps.close()
        while self._ended:
            self._steps.do_mutely(self._ended.popleft())

    def take_end(self, step: Step) -> None:
        """Take how a call ended that ran in a thread; in the loop."""
        if self._steps.closed:
            self._steps.do_mutely(step)
        else:
            self._ended.append(step)
            self._steps.alarm.ring()

    # -- calls -------------------------------------------------------------------------------

    async def _start(self, call: Call) -> None:
        """Run a call, as far as that can be done in this task."""
        context = copy_context()
        if call.over:
            await self._steps.do(stopped(call))
        elif call.mode is Mode.BLOCKING:
            self._runtime.submit(self, call, context)
        elif call.mode is Mode.INLINE:
            await self._steps.do(outcome(call, context))
        else:
            await self._run_async(call, context)

    async def _run_async(self, call: Call, context: Context) -> None:
        """Run an async call; while it suspends, a task beside this one attends to the rest."""
        steps, loop = self._steps, self._runtime.loop
        times_cancelled = loop.times_cancelled()
        beside: Beside | None = None
        exception: BaseException | None = None
        value: object = None
        # Entered before the first step: the handler may enter scopes of its own in that.
        with loop.new_scope() as steps.scope:
            try:
                value = first_step(context.run(call.invoke), context)
                if type(value) is Rest:
                    beside = Beside(loop, self._attend_beside, steps.cancel)
                    value = await value
            except BaseException as error:
                if isinstance(value, Rest) and value.abandoned:
                    raise  # nothing may be awaited any more
                exception = error  # the core decides what it means
        steps.scope = None
        step = partial(call.completed, value)
        if exception is not None:
            step = partial(call.failed, exception)
        if beside is not None:
            try:
                if exception is not None:
                    await self._pass_on(exception, times_cancelled)
                steps.alarm.ring()
                await beside.wait()
            except BaseException:
                steps.close()
                steps.do_mutely(step)
                await beside.stop()
                raise
        await steps.do(step)

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
        return bool(self._steps.runs) or self._exchange.done

    async def _attend_beside(self) -> None:
        await self._attend(lambda: self._steps.scope is None)

    async def _attend(self, is_over: Callable[[], bool]) -> None:
        """See to what comes from elsewhere, until that is over; after a while, watch the client."""
        if await self._look_after(is_over, _WATCH_AFTER_S):
            return
        async with anyio.create_task_group() as tasks:
            if not self._steps.client.gone:
                tasks.start_soon(self._watch)
            await self._look_after(is_over)
            tasks.cancel_scope.cancel()

    async def _look_after(self, is_over: Callable[[], bool], longest_s: float = math.inf) -> bool:
        """Attend to it for so long at most; return whether it is over."""
        steps, exchange, alarm = self._steps, self._exchange, self._steps.alarm
        until = time.monotonic() + longest_s
        while not is_over():
            rest_s = until - time.monotonic()
            if rest_s <= 0:
                return False
            time_has_come = await alarm.wait(exchange.deadline(), rest_s)
            await steps.see_to_client()
            while self._ended:
                await steps.do(self._ended.popleft())
            if alarm.woken:
                alarm.woken = False
                await steps.do(exchange.pending)
            if time_has_come:
                await steps.do(exchange.tick)
        return True

    async def _watch(self) -> None:
        await self._steps.client.watch()
        self._steps.alarm.ring()
