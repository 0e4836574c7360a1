"""Serving in a thread of its own, which is waited for no longer than its end may take.

A handler that blocks the event loop, a thread that the loop cannot abandon, cleanup shielded
from cancellation, a hanging inline handler: none of them can be stopped from outside. So the
thread that called ``run`` does not serve itself. It sees to it that the end comes, and leaves
behind what does not.
"""

import contextvars
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread, current_thread, main_thread

from ._channel import HANG_UP, Channel
from ._ending import LAST_WORDS_S

if os.name != "nt":
    import select

__all__ = ["Overseer"]

_MARGIN_S = 1.0
_LOOK_S = 0.25
_MUCH = 4096


class Overseer:
    """Waits for a serving thread, for ever until the end has begun, and then as long as it moves.

    Args:
        channel: The peer; where it hangs up, the end has begun, whether the thread sees that or
            not.
        drain_s: Seconds that calls are given to end.
    """

    def __init__(self, channel: Channel, drain_s: float) -> None:
        self._channel = channel
        self._patience_s = drain_s + LAST_WORDS_S + _MARGIN_S
        self._turns: Callable[[], int] = int
        self._ending = False
        self._done = Event()
        self._failure: BaseException | None = None
        self._news = _News(channel, self._done)

    def follow(self, turns: Callable[[], int]) -> None:
        """Say how to see that the thread moves: a number that changes as it does."""
        self._turns = turns

    def end_begun(self, at_once: bool) -> None:
        """Tell that the thread was asked to end; from any thread or signal handler."""
        if at_once:
            self._patience_s = _MARGIN_S
        self._ending = True
        self._news.tell()

    def run(self, serve: Callable[[], None]) -> bool:
        """Serve in a thread; return whether it came to its end, or was left behind.

        Raises:
            BaseException: What ``serve`` raised.
        """
        context = contextvars.copy_context()
        body = (self._body, serve)
        Thread(target=context.run, args=body, name="sansmcp-stdio-serving", daemon=True).start()
        with self._news.of_signals():
            while not self._done.is_set() and not self._ending:
                if self._news.wait_for_hang_up():
                    self._ending = True
        seen, since = self._turns(), time.monotonic()
        while not self._done.wait(_LOOK_S):
            now = time.monotonic()
            if (turns := self._turns()) != seen:
                seen, since = turns, now
            elif now - since > self._patience_s:
                return False
        if self._failure is not None:
            raise self._failure
        return True

    def _body(self, serve: Callable[[], None]) -> None:
        try:
            serve()
        except BaseException as exception:  # noqa: BLE001 - raised again where it is waited for
            self._failure = exception
        self._done.set()
        self._news.tell()


class _News:
    """Waits for the peer to hang up, or for ``tell``."""

    def __init__(self, channel: Channel, done: Event) -> None:
        self._done = done
        self._wake_in = -1
        if os.name != "nt":
            self._wake_out, self._wake_in = os.pipe()
            os.set_blocking(self._wake_in, False)
            self._poll = select.poll()
            self._poll.register(self._wake_out, select.POLLIN)
            self._poll.register(channel.in_fd, HANG_UP)

    def __del__(self) -> None:
        if self._wake_in >= 0:
            os.close(self._wake_out)
            os.close(self._wake_in)

    def tell(self) -> None:
        """End the waiting; from any thread or signal handler."""
        if self._wake_in >= 0:
            # Fails only where the pipe is full, and then a wake-up is on its way already.
            try:
                os.write(self._wake_in, b"\0")
            except BlockingIOError:
                return

    def wait_for_hang_up(self) -> bool:
        """Wait for either; return whether the peer hung up."""
        if self._wake_in < 0:
            self._done.wait(_LOOK_S)
            return False
        ready = [fd for fd, _ in self._poll.poll()]
        if self._wake_out in ready:
            os.read(self._wake_out, _MUCH)
        return any(fd != self._wake_out for fd in ready)

    @contextmanager
    def of_signals(self) -> Iterator[None]:
        """Let signals end the waiting, too.

        Their handlers run in the main thread, which waits. The system may interrupt any other one
        for them, so Python has to say so.
        """
        if self._wake_in < 0 or current_thread() is not main_thread():
            yield
            return
        former = signal.set_wakeup_fd(self._wake_in, warn_on_full_buffer=False)
        try:
            yield
        finally:
            signal.set_wakeup_fd(former)
