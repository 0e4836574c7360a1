"""Bytes from one descriptor and to another, without ever waiting and without ``O_NONBLOCK``."""

import errno
import os
import stat

if os.name != "nt":
    import select

__all__ = ["CHUNK_BYTES", "HANG_UP", "Channel"]

CHUNK_BYTES = 64 * 1024
"""Bytes asked for in one read: what a Linux pipe holds."""

HANG_UP = 0 if os.name == "nt" else getattr(select, "POLLRDHUP", 0)
"""What to ask ``poll`` for, to be told of a peer that hung up behind bytes that nobody has read.

Pipes and terminals report it unasked; a socket whose peer has shut down its side only where the
system has a name for that (Linux, FreeBSD).
"""


_WITHOUT_WAITING = getattr(os, "RWF_NOWAIT", 0)
"""What asks Linux not to wait in one single call of ``writev``."""

_NO_SUCH_CALL = (errno.EOPNOTSUPP, errno.ENOSYS, errno.EPERM, errno.EINVAL, errno.ESPIPE)


class Channel:
    """The peer's bytes from ``in_fd``, ours to ``out_fd``.

    ``O_NONBLOCK`` belongs to the open file description, which the parent and other processes
    share, so it is never set here. A read that follows a report of readiness does not wait. Linux
    can be told not to wait in a single write: on pipes from 6.4 on, on sockets from 6.5. Elsewhere
    a write might wait even after a report of readiness: a pipe is ready as soon as ``PIPE_BUF``
    bytes fit. So there no more than that is written at once, and readiness is asked for before
    each piece; sockets and terminals keep at least as much room before they report themselves
    ready. Somebody else may have set ``O_NONBLOCK``, which is respected: nothing to read, or no
    room to write, is not an error.

    Windows has no readiness for pipes: there both operations wait.

    Args:
        in_fd: Descriptor to read.
        out_fd: Descriptor to write; may be the same socket or terminal.
    """

    def __init__(self, in_fd: int, out_fd: int) -> None:
        self.in_fd = in_fd
        self.out_fd = out_fd
        self.abandoned = False
        """Whether a thread that was left behind may still use it."""
        self._poll = None
        self._write_flags = 0
        if os.name != "nt" and not stat.S_ISREG(os.fstat(out_fd).st_mode):
            self._write_flags = _WITHOUT_WAITING
            self._poll = select.poll()
            self._poll.register(out_fd, select.POLLOUT)

    def receive(self) -> bytes | None:
        """The bytes that are there; empty at the end of input, ``None`` where there are none yet.

        A descriptor that cannot be read (closed, a terminal that hung up, a reset connection) is
        at its end.
        """
        try:
            return os.read(self.in_fd, CHUNK_BYTES)
        except BlockingIOError:
            return None
        except OSError:
            return b""

    def has_hung_up(self) -> bool:
        """Whether nobody writes any more, although bytes may be left to read."""
        if os.name == "nt":
            return False
        poll = select.poll()
        poll.register(self.in_fd, HANG_UP)
        return bool(poll.poll(0))

    def send(self, data: bytes | memoryview) -> int:
        """Write as much of ``data`` as there is room for.

        One caller at a time.

        Returns:
            How many bytes were written, 0 where there is no room.

        Raises:
            OSError: Nobody reads any more.
        """
        if self._write_flags:
            try:
                return os.pwritev(self.out_fd, [data], -1, self._write_flags)
            except BlockingIOError:
                return 0
            except OSError as error:
                if error.errno not in _NO_SUCH_CALL:
                    raise
                self._write_flags = 0
        return self._send_pieces(memoryview(data))

    def _send_pieces(self, data: memoryview) -> int:
        longest = CHUNK_BYTES if self._poll is None else select.PIPE_BUF
        sent = 0
        while sent < len(data) and (self._poll is None or self._poll.poll(0)):
            piece = data[sent : sent + longest]
            try:
                written = os.write(self.out_fd, piece)
            except BlockingIOError:
                break
            sent += written
            if written < len(piece):
                break
        return sent
