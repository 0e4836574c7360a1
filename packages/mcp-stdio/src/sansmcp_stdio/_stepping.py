"""An awaitable whose first step is taken at once, and the rest in whatever task awaits it."""

from collections.abc import Awaitable, Coroutine, Generator
from contextvars import Context
from functools import partial
from types import CoroutineType
from typing import Any

__all__ = ["Rest", "first_step"]


class Rest:
    """What remains of an awaitable that suspended; await it once, in the same task.

    Args:
        coroutine: What has taken its first step.
        context: The context of every step, so that nothing leaks from one call into the next.
        trap: What the first step gave to the event loop.
    """

    __slots__ = ("_context", "_coroutine", "_trap")

    def __init__(self, coroutine: Coroutine[Any, Any, Any], context: Context, trap: object) -> None:
        self._coroutine = coroutine
        self._context = context
        self._trap = trap

    def __await__(self) -> Generator[Any, Any, Any]:
        """Pass on what the event loop and the awaitable have to say to each other."""
        trap = self._trap
        while True:
            try:
                sent = yield trap
            except BaseException as exception:  # noqa: BLE001 - it is the awaitable's to handle
                step = partial(self._coroutine.throw, exception)
            else:
                step = partial(self._coroutine.send, sent)
            try:
                trap = self._context.run(step)
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
        trap = context.run(coroutine.send, None)
    except StopIteration as end:
        return end.value
    return Rest(coroutine, context, trap)


async def _await(awaitable: Awaitable[Any]) -> Any:
    return await awaitable
