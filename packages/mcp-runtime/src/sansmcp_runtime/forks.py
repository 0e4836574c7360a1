"""What becomes of a forked child that comes back from the handler that forked it."""

import os
import sys
from contextlib import suppress
from typing import Final

__all__ = ["PROCESS", "end_forked_child"]


class _Process:
    """This process, as opposed to the one that forked it."""

    __slots__ = ("forks",)

    def __init__(self) -> None:
        self.forks = 0
        """How many forks lie between this process and the one that loaded this module.

        Whoever finds another number than before a call is a child that was forked meanwhile. To
        ask the system for the number of the process costs more than many a handler.
        """

    def note_fork(self) -> None:
        """Count a fork; called in the child."""
        self.forks += 1


PROCESS: Final = _Process()

if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork
    os.register_at_fork(after_in_child=PROCESS.note_fork)


def end_forked_child(exception: BaseException | None = None) -> None:
    """End this process, which was forked by a handler and comes back from it.

    A handler that calls ``os.fork`` returns twice. Only the parent serves: the child has a copy of
    one thread, shares the event loop's descriptors with its parent, and could answer nobody. So it
    ends where its part of the handler ends, or where it would give way to the event loop, with
    the exit status that Python would give it. Nothing that ``run`` calls forks by itself.

    Args:
        exception: What the handler raised.
    """
    status = 0
    if isinstance(exception, SystemExit):
        code = exception.code
        status = code if isinstance(code, int) else int(code is not None)
    elif exception is not None:
        status = 1
        with suppress(Exception):
            sys.excepthook(type(exception), exception, exception.__traceback__)
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):  # absent, gone, closed
            stream.flush()
    os._exit(status & 0xFF)
