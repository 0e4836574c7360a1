"""The interpreter's exit where daemon threads still print.

Python flushes its standard streams at the very end, and aborts where a thread that it has stopped
holds the lock of one of them. Streams without a buffer have no such lock.
"""

import atexit
import contextlib
import io
import sys
from typing import Any

__all__ = ["unlock_at_exit"]

_registered: list[bool] = []


def unlock_at_exit() -> None:
    """Have the standard streams made free of locks when the interpreter begins to end."""
    if not _registered:
        _registered.append(True)
        atexit.register(_unlock)


def _unlock() -> None:
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        with contextlib.suppress(AttributeError, OSError, ValueError):
            plain = io.TextIOWrapper(
                io.FileIO(stream.fileno(), "w", closefd=False),
                encoding=stream.encoding,
                errors=stream.errors,
                write_through=True,
            )
            _keep_for_ever(stream)
            _keep_for_ever(getattr(sys, f"__{name}__"))
            setattr(sys, name, plain)
            # Python itself puts the latter back in place of the former while it ends.
            setattr(sys, f"__{name}__", plain)


def _keep_for_ever(thing: Any) -> None:
    """Let nobody destroy ``thing``: that would flush it, and so take its lock."""
    import ctypes  # noqa: PLC0415 - 6 ms, and only where a thread was left behind

    ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))
