"""The bytes of one connection over its socket, with a time limit on waiting for either way."""

import math
import select
import socket
import struct
import sys
import time
from functools import partial
from typing import Protocol

from ._readiness import Interrupted, NewReadiness

__all__ = ["CHUNK_BYTES", "SocketTransport", "Transport"]

CHUNK_BYTES = 64 * 1024
"""Bytes asked for in one read."""

_RESET = struct.pack("hh" if sys.platform == "win32" else "ii", 1, 0)
"""What makes ``close`` a reset: linger, for no time."""

_INPUT = getattr(select, "POLLIN", 0)
_HANG_UP = getattr(select, "POLLRDHUP", 0)


class Transport(Protocol):
    """A client. One task at a time receives, and one sends."""

    async def receive(self, until: float = math.inf) -> bytes:
        """The next bytes; empty where there will be none: at the end, or out of time.

        Args:
            until: When to stop waiting, by ``time.monotonic``.
        """

    async def send(self, data: bytes) -> None:
        """Write all of ``data``.

        Raises:
            OSError: The client has gone, or takes nothing for too long.
        """

    async def shut_down(self) -> None:
        """Tell the client that nothing more will be sent."""


class SocketTransport:
    """A connected socket, which belongs to it.

    Nothing sets an alarm for a connection, which would cost more than to read from it. Whoever
    waits says until when, and ``reap`` comes round and looks.

    Args:
        sock: The socket, not blocking.
        ready: Makes what waits for it.
        write_s: Seconds for which the client may take nothing.
    """

    def __init__(self, sock: socket.socket, ready: NewReadiness, write_s: float) -> None:
        self.late = False
        """Whether one of the two has passed."""
        self.broken = False
        """Whether the connection was reset, or stalled."""
        self._read_deadline = math.inf
        self._write_deadline = math.inf
        self._sock = sock
        self._readiness = ready(sock, partial(sock.recv, CHUNK_BYTES))
        self._write_s = write_s

    def local_host(self) -> str | None:
        """The address at which the client reached the server; None where it has gone."""
        try:
            name: tuple[str, int] = self._sock.getsockname()
        except OSError:
            return None
        return name[0]

    async def receive(self, until: float = math.inf) -> bytes:
        """The next bytes; empty where there will be none."""
        self._read_deadline = until
        try:
            data = await self._readiness.take()
        except Interrupted:
            data = b""
        except OSError:
            self.broken = True
            data = b""
        self._read_deadline = math.inf
        return data

    async def send(self, data: bytes) -> None:
        """Write all of ``data``."""
        try:
            sent = self._sock.send(data)
        except BlockingIOError:
            sent = 0
        except OSError:
            self.broken = True
            raise
        if sent < len(data):
            await self._send_on(memoryview(data)[sent:])

    async def _send_on(self, data: memoryview) -> None:
        try:
            while data:
                self._write_deadline = time.monotonic() + self._write_s
                await self._readiness.writable()
                try:
                    data = data[self._sock.send(data) :]
                except BlockingIOError:
                    continue
        except Interrupted:
            self._reset_at_close()
            raise TimeoutError("the client does not read") from None
        except BaseException:  # a cancellation, too, leaves something half written
            self.broken = True
            raise
        finally:
            self._write_deadline = math.inf

    async def shut_down(self) -> None:
        """Tell the client that nothing more will be sent."""
        try:
            self._sock.shutdown(socket.SHUT_WR)
        except OSError:
            self.broken = True

    def interrupt(self) -> None:
        """End what waits: ``receive`` returns nothing, ``send`` raises."""
        self._readiness.interrupt()

    def look(self, now: float) -> None:
        """End what has waited for too long."""
        if self._read_deadline <= now or self._write_deadline <= now:
            self.late = True
            self._readiness.interrupt()

    def has_hung_up(self) -> bool:
        """Whether the client is known to send no more, although there may be more to receive."""
        return self._polled(_HANG_UP)

    def has_input(self) -> bool:
        """Whether there is something to receive, or an end of it."""
        return self._polled(_INPUT)

    def _polled(self, events: int) -> bool:
        if not hasattr(select, "poll"):
            return False
        poll = select.poll()
        poll.register(self._sock, events)
        return bool(poll.poll(0))

    def close(self) -> None:
        """Close the socket."""
        if self._sock.fileno() != -1:
            self._readiness.interrupt()
            self._sock.close()

    def _reset_at_close(self) -> None:
        """Keep nothing for a client that takes nothing."""
        self.broken = True
        self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
