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
from sansmcp_core import (
    Call,
    Cancel,
    Data,
    Effect,
    EndOfMessage,
    Mode,
    Report,
    Respond,
    Response,
    Run,
)

from .alarm import Alarm
from .beside import Beside
from .outcome import Step, outcome, stopped
from .stepping import Rest, first_step

if TYPE_CHECKING:
    from sansmcp_core.http import RequestHead

    from .exchanges import HttpPeer, HttpRuntime
    from .loops import Scope

__all__ = ["WATCH_AFTER_S", "ExchangeTask"]

WATCH_AFTER_S = 0.05
"""Seconds that something has to take before anybody watches whether the client goes away."""


class ExchangeTask:
    """Serves one exchange.

    Args:
        runtime: What exchanges share.
        head: The request's head.
        peer: The client.
    """

    __slots__ = (
        "_alarm",
        "_closed",
        "_ended",
        "_exchange",
        "_gone",
        "_peer",
        "_runs",
        "_runtime",
        "_scope",
        "_told_gone",
        "_why_gone",
        "_woken",
    )

    def __init__(self, runtime: "HttpRuntime", head: "RequestHead", peer: "HttpPeer") -> None:
        self._runtime = runtime
        self._peer = peer
        self._exchange = runtime.endpoint.open(head, self._wake)
        self._runs: deque[Call] = deque()
        self._ended: deque[Step] = deque()
        self._scope: Scope | None = None
        """What surrounds the async call that keeps the request's task."""
        self._alarm: Alarm | None = None
        self._woken = False
        """Whether ``_wake`` was called before there was an alarm."""
        self._gone = False
        self._why_gone: Exception | None = None
        self._told_gone = False
        self._closed = False

    async def run(self) -> None:
        """Serve until the exchange is done."""
        exchange = self._exchange
        await self._do(exchange.begin)
        while exchange.wants_body:
            try:
                data, more = await self._peer.receive()
            except Exception as exception:  # noqa: BLE001 - sorted out there
                self._lose(exception)
                await self._do(_nothing)
            else:
                await self._do(partial(exchange.receive, data, more))
        while True:
            while self._runs:
                await self._start(self._runs.popleft())
            if exchange.done:
                return
            await self._attend(self._is_wanted)

    def abandon(self, exception: BaseException) -> None:
        """Close the exchange, since its task raises ``exception``."""
        if isinstance(exception, Exception):
            message = "an HTTP exchange failed, through no fault of the client"
            self._runtime.report(Report("error", message, exception))
        self._close()

    def take_end(self, step: Step) -> None:
        """Take how a call ended that ran in a thread; in the loop."""
        if self._closed:
            self._do_mutely(step)
        else:
            self._ended.append(step)
            self._attending().ring()

    # -- calls -------------------------------------------------------------------------------

    async def _start(self, call: Call) -> None:
        """Run a call, as far as that can be done in this task."""
        context = copy_context()
        if call.over:
            await self._do(stopped(call))
        elif call.mode is Mode.BLOCKING:
            self._attending()
            self._runtime.submit(self, call, context)
        elif call.mode is Mode.INLINE:
            await self._do(outcome(call, context))
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
        with loop.new_scope() as self._scope:
            try:
                value = first_step(context.run(call.invoke), context)
                if type(value) is Rest:
                    beside = Beside(loop, self._attend_beside, self._cancel)
                    value = await value
            except GeneratorExit:
                raise
            except BaseException as error:  # noqa: BLE001 - the core decides what it means
                exception = error
        self._scope = None
        step = partial(call.completed, value)
        if exception is not None:
            step = partial(call.failed, exception)
        if beside is not None:
            try:
                if exception is not None:
                    await self._pass_on(exception, times_cancelled)
                self._attending().ring()
                await beside.wait()
            except BaseException:
                self._close()
                self._do_mutely(step)
                await beside.stop()
                raise
        await self._do(step)

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

    def _cancel(self) -> None:
        if self._scope is not None:
            self._scope.cancel()

    # -- what comes from elsewhere -----------------------------------------------------------

    def _wake(self) -> None:
        """Have the core looked after; from any thread."""
        self._woken = True
        if self._alarm is not None:
            self._alarm.wake()

    def _attending(self) -> Alarm:
        if self._alarm is None:
            self._alarm = Alarm(self._runtime.loop)
            if self._woken:
                self._alarm.wake()
        return self._alarm

    def _is_wanted(self) -> bool:
        """Whether the request's task has something to do other than to attend."""
        return bool(self._runs) or self._exchange.done

    async def _attend_beside(self) -> None:
        await self._attend(lambda: self._scope is None)

    async def _attend(self, is_over: Callable[[], bool]) -> None:
        """See to what comes from elsewhere, until that is over; after a while, watch the client."""
        if await self._look_after(is_over, WATCH_AFTER_S):
            return
        async with anyio.create_task_group() as tasks:
            if not self._gone:
                tasks.start_soon(self._watch)
            await self._look_after(is_over)
            tasks.cancel_scope.cancel()

    async def _look_after(self, is_over: Callable[[], bool], longest_s: float = math.inf) -> bool:
        exchange, alarm = self._exchange, self._attending()
        until = time.monotonic() + longest_s
        while not is_over():
            rest_s = until - time.monotonic()
            if rest_s <= 0:
                return False
            time_has_come = await alarm.wait(exchange.deadline(), rest_s)
            if self._gone:
                await self._do(_nothing)
            while self._ended:
                await self._do(self._ended.popleft())
            if alarm.woken:
                alarm.woken = False
                await self._do(exchange.pending)
            if time_has_come:
                await self._do(exchange.tick)
        return True

    async def _watch(self) -> None:
        try:
            await self._peer.wait_gone()
        except Exception as exception:  # noqa: BLE001 - sorted out there
            self._lose(exception)
        else:
            self._gone = True
        self._attending().ring()

    # -- effects -----------------------------------------------------------------------------

    async def _do(self, step: Step) -> None:
        """Call the core and carry out what it asks for; calls are left for the request's task."""
        effects = step(time.time())
        while True:
            for effect in effects:
                if isinstance(effect, Respond | Response | Data | EndOfMessage):
                    if not self._gone:
                        await self._write(effect)
                else:
                    self._carry_out(effect)
            if not self._gone or self._told_gone:
                return
            effects = self._tell_gone()

    def _carry_out(self, effect: Effect) -> None:
        if isinstance(effect, Run):
            self._runs.append(effect.call)
        elif isinstance(effect, Cancel):
            self._cancel()
        elif isinstance(effect, Report):
            self._runtime.report(effect)

    async def _write(self, effect: Effect) -> None:
        try:
            if isinstance(effect, Respond):
                await self._peer.respond(effect.status, effect.headers, effect.body)
            elif self._runtime.send_timeout_s is None:
                await self._write_piece(effect)
            else:
                with anyio.move_on_after(self._runtime.send_timeout_s) as scope:
                    await self._write_piece(effect)
                if scope.cancelled_caught:
                    self._lose(TimeoutError("it has not taken what was sent in time"))
        except Exception as exception:  # noqa: BLE001 - sorted out there
            self._lose(exception)

    async def _write_piece(self, effect: Effect) -> None:
        if isinstance(effect, Data):
            await self._peer.send(effect.data)
        elif isinstance(effect, Response):
            await self._peer.start(effect.status, effect.headers)
        else:
            await self._peer.end()

    def _lose(self, exception: Exception) -> None:
        """Note that the client cannot be reached; what is no mere hang-up is worth a line."""
        self._gone = True
        self._why_gone = exception
        if not isinstance(exception, OSError):
            self._runtime.report(Report("error", "the client cannot be reached", exception))

    def _tell_gone(self) -> list[Effect]:
        self._told_gone = True
        if not self._exchange.ended:
            why = "" if self._why_gone is None else f": {self._why_gone}"
            self._runtime.report(Report("debug", f"the client went away before the answer{why}"))
        return self._exchange.disconnected(time.time())

    # -- the end of all things ---------------------------------------------------------------

    def _close(self) -> None:
        """Tell the core that nothing goes on, and how those calls ended that had not begun."""
        if self._closed:
            return
        self._closed = self._gone = self._told_gone = True
        if not self._exchange.done:
            self._do_mutely(self._exchange.close)
        while self._ended:
            self._do_mutely(self._ended.popleft())

    def _do_mutely(self, step: Step) -> None:
        for effect in step(time.time()):
            self._carry_out(effect)
        while self._runs:
            call = self._runs.popleft()
            for effect in stopped(call)(time.time()):
                self._carry_out(effect)


def _nothing(now: float) -> list[Effect]:
    return []
