"""A call is run, and out comes the step that tells the core how it ended."""

from collections.abc import Callable
from contextvars import Context
from functools import partial
from typing import TypeAlias

from sansmcp_core import Call, Effect

from .forks import PROCESS, end_forked_child

__all__ = ["CallStopped", "Step", "outcome", "stopped"]

Step: TypeAlias = Callable[[float], list[Effect]]
"""One call of the core; it takes the Unix time in seconds."""


class CallStopped(Exception):
    """The end of a call that was cancelled; the core is told, nobody else."""


def outcome(call: Call, context: Context) -> Step:
    """Run a call that is not async, in a copy of ``context``; return how it ended.

    A call that was cancelled before it began does not run.
    """
    if call.over:
        return stopped(call)
    forks = PROCESS.forks
    try:
        value = context.copy().run(call.invoke)
    except BaseException as exception:  # noqa: BLE001 - the core decides what it means
        if PROCESS.forks != forks:
            end_forked_child(exception)
        return partial(call.failed, exception)
    if PROCESS.forks != forks:
        end_forked_child()
    return partial(call.completed, value)


def stopped(call: Call) -> Step:
    """The end of a call that was cancelled before it began."""
    return partial(call.failed, CallStopped("cancelled before it began"))
