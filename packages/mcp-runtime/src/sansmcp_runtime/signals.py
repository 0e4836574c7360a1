"""SIGTERM and Ctrl-C end a run the way the end of input does."""

import signal
from collections.abc import Callable
from threading import current_thread, main_thread
from types import FrameType, TracebackType
from typing import Any, Self

__all__ = ["StopSignals"]


class StopSignals:
    """A context manager under which both signals ask for the end of a run.

    The first asks for an orderly end, the second for one without further waiting; with it the
    former handlers are back, so that a third acts as if nobody had asked. Nothing is changed
    outside the main thread, where Python allows no handlers, nor for a signal that is ignored.
    """

    def __init__(self) -> None:
        self._stop: Callable[[bool], None] | None = None
        self._received = 0
        self._former: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        if current_thread() is main_thread():
            for number in (signal.SIGTERM, signal.SIGINT):
                former = signal.getsignal(number)
                # None: installed by C code, and could not be put back.
                if former is not None and former is not signal.SIG_IGN:
                    self._former[number] = former
                    signal.signal(number, self._receive)
        return self

    def __exit__(
        self,
        exception_type: type[BaseException] | None,
        exception: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._restore()

    def call(self, stop: Callable[[bool], None]) -> None:
        """Say whom to tell, also of what came before.

        Args:
            stop: Called in the main thread, between any two steps of it; True means at once.
        """
        self._stop = stop
        if self._received:
            stop(self._received > 1)

    def _receive(self, number: int, frame: FrameType | None) -> None:
        self._received += 1
        if self._received > 1:
            self._restore()
        if self._stop is not None:
            self._stop(self._received > 1)

    def _restore(self) -> None:
        while self._former:
            signal.signal(*self._former.popitem())
