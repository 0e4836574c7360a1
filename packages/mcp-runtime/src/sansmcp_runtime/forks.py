"""What becomes of a forked child that comes back from the handler that forked it."""

import os
import sys
from contextlib import suppress

__all__ = ["end_forked_child"]


def end_forked_child(parent_id: int, exception: BaseException | None = None) -> None:
    """Do nothing in the process of that id; in any other, end at once.

    A handler that calls ``os.fork`` returns twice. Only the parent serves: the child has a copy of
    one thread, shares the event loop's descriptors with its parent, and could answer nobody. So it
    ends where its part of the handler ends, or where it would give way to the event loop, with
    the exit status that Python would give it. Nothing that ``run`` calls forks by itself.

    Args:
        parent_id: The process that called the handler.
        exception: What the handler raised.
    """
    if os.getpid() == parent_id:
        return
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
