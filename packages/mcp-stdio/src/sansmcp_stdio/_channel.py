"""Bytes from one descriptor and to another, without ever waiting and without ``O_NONBLOCK``."""

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


class Channel:
    """The peer's bytes from ``in_fd``, ours to ``out_fd``.

    ``O_NONBLOCK`` belongs to the open file description, which the parent and other processes
    share, so it is never set here. A read that follows a report of readiness does not wait. A
    write might, even then: a pipe is ready as soon as ``PIPE_BUF`` bytes fit. So no more than that
    is written at once, and readiness is asked for before each piece; sockets and terminals keep
    at least as much room before they report themselves ready. Somebody else may have set
    ``O_NONBLOCK``, which is respected: nothing to read, or no room to write, is not an error.

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
        self._piece_bytes = CHUNK_BYTES
        self._poll = None
        if os.name != "nt" and not stat.S_ISREG(os.fstat(out_fd).st_mode):
            self._piece_bytes = select.PIPE_BUF
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
        total = len(data)
        sent = 0
        if total > self._piece_bytes and not isinstance(data, memoryview):
            data = memoryview(data)
        while sent < total:
            if self._poll is not None and not self._poll.poll(0):
                break
            piece = data if total <= self._piece_bytes else data[sent : sent + self._piece_bytes]
            try:
                written = os.write(self.out_fd, piece)
            except BlockingIOError:
                break
            sent += written
            if written < len(piece):
                break
        return sent
