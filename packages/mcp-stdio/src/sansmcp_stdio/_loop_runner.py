"""How calls run in an event loop's thread and in threads beside it."""

import contextvars
import math
import time
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial

import anyio
from sansmcp_core import Call, Mode
from sansmcp_runtime.loops import Scope
from sansmcp_runtime.outcome import Step, outcome, stopped
from sansmcp_runtime.stepping import Rest, first_step

from ._pace import Pace

__all__ = ["LoopRunner"]


class LoopRunner:
    """Runs calls one by one; what comes out are the steps that tell the core how they ended.

    Args:
        pace: Learns how long calls keep the loop's thread.
        wake: Called, in a thread of its own, when there is something in ``take_ended``.
        abandoned: Called when not a call is cancelled but all that surrounds it, before the call
            ends.
    """

    def __init__(self, pace: Pace, wake: Callable[[], None], abandoned: Callable[[], None]) -> None:
        self._pace = pace
        self._wake = wake
        self._abandoned = abandoned
        self._context = contextvars.copy_context()
        self._scopes: dict[Call, Scope] = {}
        self._ended: deque[Step] = deque()

    def begin(self, call: Call) -> Step | Rest:
        """Run an inline call, or the first step of an async one; what remains, if anything does."""
        if call.over:
            return stopped(call)
        started = time.perf_counter()
        if call.mode is Mode.ASYNC:
            begun = self._take_first_step(call)
        else:
            begun = outcome(call, self._context)
        self._pace.took(call.label, time.perf_counter() - started)
        return begun

    async def finish(self, call: Call, rest: Rest, scope: Scope) -> Step:
        """Await what remains of a call, in the task that began it.

        Args:
            call: The call.
            rest: What ``begin`` returned.
            scope: What surrounds the task; ``cancel`` cancels it.
        """
        self._scopes[call] = scope
        try:
            return partial(call.completed, await rest)
        except BaseException as exception:  # noqa: BLE001 - the core decides what it means
            # A cancellation is no exception to this: nothing is awaited after it in this task.
            if not scope.cancel_called and anyio.current_effective_deadline() == -math.inf:
                self._abandoned()
            return partial(call.failed, exception)
        finally:
            del self._scopes[call]

    def cancel(self, call: Call) -> None:
        """Stop a call where it awaits something; one that has not begun will not."""
        scope = self._scopes.get(call)
        if scope is not None:
            scope.cancel()

    def run_blocking(self, call: Call) -> None:
        """Run a call in the current thread, which is not the loop's."""
        self._ended.append(outcome(call, self._context))
        self._wake()

    def take_ended(self) -> Iterator[Step]:
        """How the calls ended that ran in threads."""
        while self._ended:
            yield self._ended.popleft()

    def _take_first_step(self, call: Call) -> Step | Rest:
        context = self._context.copy()
        try:
            value = first_step(context.run(call.invoke), context)
        except BaseException as exception:  # noqa: BLE001 - the core decides what it means
            return partial(call.failed, exception)
        return value if isinstance(value, Rest) else partial(call.completed, value)
