"""What the thread that reads waits for: input, room to write, a wake-up, or time."""

import os
import sys
import time
from queue import Empty, SimpleQueue
from threading import Thread

from ._channel import Channel

if sys.platform != "win32":
    import select

__all__ = ["Watch", "watch"]


class Watch:
    """Waits on a ``Channel`` through ``poll``; ``wake`` ends the waiting from anywhere.

    The pipe behind ``wake`` lives as long as this object: a thread that was left behind may still
    call it, and must not write into a descriptor that means something else by then.
    """

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._wake_out, self._wake_in = os.pipe()
        os.set_blocking(self._wake_out, False)
        os.set_blocking(self._wake_in, False)
        self._poll = select.poll()
        self._poll.register(self._wake_out, select.POLLIN)
        self._reading = self._writing = False
        self._awake = False

    def __del__(self) -> None:
        os.close(self._wake_out)
        os.close(self._wake_in)

    def wake(self) -> None:
        """End the current or the next ``wait``; from any thread or signal handler, not waiting."""
        if not self._awake:
            self._awake = True
            # Fails only where the pipe is full, and then a wake-up is on its way already.
            try:
                os.write(self._wake_in, b"\0")
            except BlockingIOError:
                return

    def wait(
        self, *, reading: bool, writing: bool, timeout_s: float | None
    ) -> tuple[bytes | None, bool]:
        """Wait until something happens, at most ``timeout_s``.

        Args:
            reading: Whether input counts; where it does, it is read.
            writing: Whether room to write counts.
            timeout_s: Seconds; ``None`` waits for ever.

        Returns:
            The input (``None`` for none, empty at its end), and whether ``wake`` was called.
        """
        self._choose(reading, writing)
        timeout_ms = None if timeout_s is None else int(min(timeout_s, 86_400.0) * 1000) + 1
        data = None
        awake = False
        for fd, _ in self._poll.poll(timeout_ms):
            if fd == self._wake_out:
                awake = True
            elif fd == self._channel.in_fd:
                data = self._channel.receive()
        if awake:
            os.read(self._wake_out, 4096)
            self._awake = False  # before the caller looks, so that nothing later is missed
        return data, awake

    def _choose(self, reading: bool, writing: bool) -> None:
        # A descriptor without interest is taken out: poll reports a hang-up on it all the same.
        if reading != self._reading:
            self._reading = reading
            if reading:
                self._poll.register(self._channel.in_fd, select.POLLIN)
            else:
                self._poll.unregister(self._channel.in_fd)
        if writing != self._writing:
            self._writing = writing
            if writing:
                self._poll.register(self._channel.out_fd, select.POLLOUT)
            else:
                self._poll.unregister(self._channel.out_fd)


class PumpWatch:
    """The same on Windows, whose pipes cannot be polled: a thread reads ahead by one chunk."""

    _LONGEST_WAIT_S = 0.2  # Ctrl-C does not interrupt a wait there

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._events: SimpleQueue[bytes | None] = SimpleQueue()
        self._demand: SimpleQueue[None] = SimpleQueue()
        self._ahead: list[bytes] = []
        self._asked = False
        Thread(target=self._pump, name="sansmcp-stdio-reader", daemon=True).start()

    def wake(self) -> None:
        """End the current or the next ``wait``."""
        self._events.put(None)

    def wait(
        self, *, reading: bool, writing: bool, timeout_s: float | None
    ) -> tuple[bytes | None, bool]:
        """Wait until something happens; see ``Watch.wait``. Writing never waits for room here."""
        del writing
        if reading and self._ahead:
            self._asked = False
            return self._ahead.pop(), False
        if reading and not self._asked:
            self._asked = True
            self._demand.put(None)
        until = None if timeout_s is None else time.monotonic() + timeout_s
        rest = self._LONGEST_WAIT_S if until is None else min(self._LONGEST_WAIT_S, timeout_s or 0)
        try:
            data = self._events.get(timeout=rest)
        except Empty:
            return None, False
        if data is None:
            return None, True
        if not reading:
            self._ahead.append(data)
            return None, False
        self._asked = False
        return data, False

    def _pump(self) -> None:
        while True:
            self._demand.get()
            data = self._channel.receive()
            self._events.put(data or b"")
            if not data:
                return


def watch(channel: Channel) -> "Watch | PumpWatch":
    """The kind of watch that this system has."""
    return PumpWatch(channel) if os.name == "nt" else Watch(channel)
