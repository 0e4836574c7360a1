"""An awaitable whose first step is taken at once, and the rest in whatever task awaits it."""

from collections.abc import Awaitable, Callable, Coroutine, Generator
from contextvars import Context
from types import CoroutineType
from typing import Any

from .forks import PROCESS, end_forked_child

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
                over, trap = _take(self._coroutine.throw, exception, self._context)
            else:
                over, trap = _take(self._coroutine.send, sent, self._context)
            if over:
                return trap


def first_step(awaitable: Awaitable[Any], context: Context) -> Any:
    """The value of ``awaitable``, where one step was enough; otherwise the ``Rest`` of it.

    Must be called in the task that then awaits the rest. Raises what the awaitable raises.
    """
    if type(awaitable) is CoroutineType:
        coroutine: Coroutine[Any, Any, Any] = awaitable
    else:
        coroutine = _await(awaitable)
    over, value = _take(coroutine.send, None, context)
    return value if over else Rest(coroutine, context, value)


def _take(step: Callable[[Any], Any], given: Any, context: Context) -> tuple[bool, Any]:
    """Take one step; return whether it was the last, and the value or what the loop is to do.

    Raises what the step raises. A child that it forked does not come back.
    """
    forks = PROCESS.forks
    try:
        trap = context.run(step, given)
    except StopIteration as end:
        if PROCESS.forks != forks:
            end_forked_child()
        return True, end.value
    except BaseException as exception:
        if PROCESS.forks != forks:
            end_forked_child(exception)
        raise
    if PROCESS.forks != forks:
        end_forked_child(_AWAITED)
    return False, trap


async def _await(awaitable: Awaitable[Any]) -> Any:
    return await awaitable
