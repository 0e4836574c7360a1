"""An awaitable whose first step is taken at once, and the rest in whatever task awaits it."""

import os
from collections.abc import Awaitable, Callable, Coroutine, Generator
from contextvars import Context
from functools import partial
from types import CoroutineType
from typing import Any

from .forks import end_forked_child

__all__ = ["Rest", "first_step"]

_AWAITED = RuntimeError("a forked child cannot await: the event loop is its parent's")


class Rest:
    """What remains of an awaitable that suspended; await it once, in the same task.

    Args:
        coroutine: What has taken its first step.
        context: The context of every step, so that nothing leaks from one call into the next.
        trap: What the first step gave to the event loop.
    """

    __slots__ = ("_context", "_coroutine", "_trap", "abandoned")

    def __init__(self, coroutine: Coroutine[Any, Any, Any], context: Context, trap: object) -> None:
        self._coroutine = coroutine
        self._context = context
        self._trap = trap
        self.abandoned = False
        """Whether whoever awaited it was closed, as opposed to finished or cancelled."""

    def __await__(self) -> Generator[Any, Any, Any]:
        """Pass on what the event loop and the awaitable have to say to each other."""
        trap = self._trap
        while True:
            try:
                sent = yield trap
            except BaseException as exception:  # noqa: BLE001 - it is the awaitable's to handle
                self.abandoned |= isinstance(exception, GeneratorExit)
                step = partial(self._coroutine.throw, exception)
            else:
                step = partial(self._coroutine.send, sent)
            try:
                trap = _take(step, self._context)
            except StopIteration as end:
                return end.value


def first_step(awaitable: Awaitable[Any], context: Context) -> Any:
    """The value of ``awaitable``, where one step was enough; otherwise the ``Rest`` of it.

    Must be called in the task that then awaits the rest. Raises what the awaitable raises.
    """
    if type(awaitable) is CoroutineType:
        coroutine: Coroutine[Any, Any, Any] = awaitable
    else:
        coroutine = _await(awaitable)
    try:
        trap = _take(partial(coroutine.send, None), context)
    except StopIteration as end:
        return end.value
    return Rest(coroutine, context, trap)


def _take(step: Callable[[], Any], context: Context) -> Any:
    """Take one step; raises what it raises. A child that it forked does not come back."""
    process_id = os.getpid()
    try:
        trap = context.run(step)
    except StopIteration:
        end_forked_child(process_id)
        raise
    except BaseException as exception:
        end_forked_child(process_id, exception)
        raise
    end_forked_child(process_id, _AWAITED)
    return trap


async def _await(awaitable: Awaitable[Any]) -> Any:
    return await awaitable
