"""What the thread that reads waits for: input, room to write, a wake-up, or time."""

import math
import os
import sys
from threading import Thread
from typing import TYPE_CHECKING

import msgspec

from ._channel import HANG_UP, Channel

if sys.platform != "win32":
    import select

if TYPE_CHECKING:
    from queue import SimpleQueue

__all__ = ["Seen", "Watch", "watch"]


class Seen(msgspec.Struct, frozen=True, gc=False):
    """What happened while somebody waited."""

    data: bytes | None = None
    """The input; ``None`` for none, empty at its end."""

    awake: bool = False
    """Whether ``wake`` was called."""

    hung_up: bool = False
    """Whether nobody writes any more, although input may be left."""


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
        self._input_events: int | None = None
        self._writing = False
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
        self, *, reading: bool, writing: bool, timeout_s: float, hang_up: bool = False
    ) -> Seen:
        """Wait until something happens, at most ``timeout_s``.

        Args:
            reading: Whether input counts; where it does, it is read.
            writing: Whether room to write counts.
            timeout_s: Seconds; infinite for ever.
            hang_up: Whether the end of input counts before it is reached; only where input does
                not count, since it comes with the input otherwise.
        """
        input_events = select.POLLIN if reading else HANG_UP if hang_up else None
        if input_events != self._input_events or writing != self._writing:
            self._choose(input_events, writing)
        timeout_ms = None
        if timeout_s != math.inf:
            timeout_ms = int(min(timeout_s, 86_400.0) * 1000) + 1
        data = None
        awake = hung_up = False
        for fd, _ in self._poll.poll(timeout_ms):
            if fd == self._wake_out:
                awake = True
                os.read(fd, 4096)
                self._awake = False  # before the caller looks, so that nothing later is missed
            elif fd == self._channel.in_fd:
                if reading:
                    data = self._channel.receive()
                else:
                    hung_up = True
        return Seen(data, awake, hung_up)

    def _choose(self, input_events: int | None, writing: bool) -> None:
        # A descriptor without interest is taken out: poll reports a hang-up on it all the same.
        if input_events != self._input_events:
            self._input_events = input_events
            if input_events is None:
                self._poll.unregister(self._channel.in_fd)
            else:
                self._poll.register(self._channel.in_fd, input_events)
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
        import queue  # noqa: PLC0415 - for Windows alone

        self._channel = channel
        self._events: SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._demand: SimpleQueue[None] = queue.SimpleQueue()
        self._nothing = queue.Empty
        self._ahead: list[bytes] = []
        self._asked = False
        Thread(target=self._pump, name="sansmcp-stdio-reader", daemon=True).start()

    def wake(self) -> None:
        """End the current or the next ``wait``."""
        self._events.put(None)

    def wait(
        self, *, reading: bool, writing: bool, timeout_s: float, hang_up: bool = False
    ) -> Seen:
        """Wait until something happens; see ``Watch.wait``.

        Writing never waits for room here, and a hang-up is seen with the end of input only.
        """
        del writing, hang_up
        if reading and self._ahead:
            self._asked = False
            return Seen(self._ahead.pop())
        if reading and not self._asked:
            self._asked = True
            self._demand.put(None)
        try:
            data = self._events.get(timeout=min(self._LONGEST_WAIT_S, timeout_s))
        except self._nothing:
            return Seen()
        if data is None:
            return Seen(awake=True)
        if not reading:
            self._ahead.append(data)
            return Seen()
        self._asked = False
        return Seen(data)

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
