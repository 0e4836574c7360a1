"""How calls run in an event loop's thread and in threads beside it."""

import contextvars
import math
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from sansmcp_core import Call, Mode
from sansmcp_runtime.outcome import Step, outcome
from sansmcp_runtime.stepping import Rest, first_step

if TYPE_CHECKING:
    from sansmcp_runtime.libraries import Library, Scope

__all__ = ["LoopRunner"]


class LoopRunner:
    """Runs calls one by one; what comes out are the steps that tell the core how they ended.

    Args:
        wake: Called, in a thread of its own, when there is something in ``take_ended``.
        abandoned: Called when not a call is cancelled but all that surrounds it, before the call
            ends.
        library: What runs the loop.
    """

    def __init__(
        self, wake: Callable[[], None], abandoned: Callable[[], object], library: "Library"
    ) -> None:
        self._deadline = library.current_effective_deadline
        self._wake = wake
        self._abandoned = abandoned
        self._context = contextvars.copy_context()
        self._scopes: dict[Call, Scope] = {}
        self._ended: deque[Step] = deque()

    def begin(self, call: Call) -> Step | Rest:
        """Run an inline call, or the first step of an async one; what remains, if anything does."""
        if call.mode is not Mode.ASYNC or call.over:
            return outcome(call, self._context)
        context = self._context.copy()
        try:
            value = first_step(context.run(call.invoke), context)
        except BaseException as exception:  # noqa: BLE001 - the core decides what it means
            return partial(call.failed, exception)
        return value if type(value) is Rest else partial(call.completed, value)

    async def finish(self, call: Call, rest: Rest, scope: "Scope") -> Step:
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
            if not scope.cancel_called and self._deadline() == -math.inf:
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
