"""Standard input and output, taken for the protocol and diverted for everybody else."""

import contextlib
import os
import sys
from types import TracebackType
from typing import TextIO

from sansmcp_runtime.pool import any_busy

from ._channel import Channel

__all__ = ["StandardStreams"]

_taken: list["StandardStreams"] = []
_hooks: list[object] = []


class StandardStreams:
    """A context manager that gives the one ``Channel`` over descriptors 0 and 1.

    Meanwhile 0 reads nothing and 1 is standard error, for ``print``, C code, loggers and child
    processes alike. The diversion is made once, never per call, and undone at the end. Text that
    was printed before and still waits in a buffer goes to standard error, too.

    A forked child has neither of the two: it cannot answer, nor read what is meant for its parent.
    Where it comes back from its handler, it ends.

    Descriptors that are closed at the start are ``/dev/null`` for the time being.

    Raises:
        RuntimeError: Standard input and output are already being served in this process.

    Source: MCP 2026-07-28 basic/transports/stdio.
    """

    def __enter__(self) -> Channel:
        if _taken:
            raise RuntimeError(
                "standard input and output are already being served in this process; end the "
                "first run() before the next, or use serve() with a stream of its own"
            )
        _taken.append(self)
        _forget_in_forked_children()
        # Fill the gaps first: a duplicate must not land on 0, 1 or 2.
        self._gaps = [fd for fd in (0, 1, 2) if not _is_open(fd)]
        for fd in self._gaps:
            _point(fd, os.devnull)
        self._channel = Channel(_duplicate(0), _duplicate(1))
        self._line_buffering = bool(sys.stdout and sys.stdout.line_buffering)
        _point(0, os.devnull)
        os.dup2(2, 1)
        # Only now: what was buffered before must not reach the peer either.
        _flush(sys.stdout)
        _set_line_buffering(sys.stdout, True)
        return self._channel

    def __exit__(
        self,
        exception_type: type[BaseException] | None,
        exception: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if not _flush(sys.stdout):
            # Standard error is gone; what cannot be written must not be tried again on the peer.
            _point(1, os.devnull)
            _flush(sys.stdout)
        _flush_c_stdout()
        _set_line_buffering(sys.stdout, self._line_buffering)
        if self._channel.abandoned or any_busy():
            # A thread that was left behind may still print, or use the channel: everything stays
            # diverted, and the channel's numbers must not come to mean something else.
            self.leave_to_parent()
            from sansmcp_runtime.exits import unlock_at_exit  # noqa: PLC0415 - only at such an end

            unlock_at_exit()
        else:
            os.dup2(self._channel.in_fd, 0)
            os.dup2(self._channel.out_fd, 1)
            os.close(self._channel.in_fd)
            os.close(self._channel.out_fd)
            for fd in self._gaps:
                os.close(fd)
        _taken.remove(self)

    def leave_to_parent(self) -> None:
        """Let go of the peer: in a forked child, and where a thread is left behind."""
        for fd in (self._channel.in_fd, self._channel.out_fd):
            _point(fd, os.devnull, inheritable=False)


def _forget_in_forked_children() -> None:
    if not _hooks and hasattr(os, "register_at_fork"):
        _hooks.append(True)
        os.register_at_fork(after_in_child=_leave_all)


def _leave_all() -> None:
    for streams in _taken:
        streams.leave_to_parent()


def _is_open(fd: int) -> bool:
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


def _duplicate(fd: int) -> int:
    """A duplicate that child processes do not inherit."""
    duplicate = os.dup(fd)
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415 - exists on Windows only

        msvcrt.setmode(duplicate, os.O_BINARY)
    return duplicate


def _point(fd: int, path: str, *, inheritable: bool = True) -> None:
    target = os.open(path, os.O_RDWR)
    if target == fd:
        os.set_inheritable(fd, inheritable)
        return
    os.dup2(target, fd, inheritable)
    os.close(target)


def _flush(stream: TextIO | None) -> bool:
    try:
        if stream is not None:
            stream.flush()
    except (OSError, ValueError):  # ValueError: the program closed it
        return False
    return True


def _set_line_buffering(stream: object, wanted: bool) -> None:
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        with contextlib.suppress(OSError, ValueError):
            reconfigure(line_buffering=wanted)


def _flush_c_stdout() -> None:
    """Write what C code printed and libc still buffers, lest it reach the peer at exit."""
    try:
        import ctypes  # noqa: PLC0415 - 6 ms, and only at the very end

        libc = ctypes.CDLL(None)
        name = "__stdoutp" if sys.platform == "darwin" else "stdout"
        libc.fflush(ctypes.c_void_p.in_dll(libc, name))
    except (ImportError, OSError, TypeError, ValueError, AttributeError):
        return  # no libc of that kind: nothing to flush
