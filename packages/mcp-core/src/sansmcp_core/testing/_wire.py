"""The two ends of the in-memory connection: messages in, effects carried out, messages back."""

from collections import deque
from typing import TYPE_CHECKING, Any

import msgspec

from .._connection import Connection
from .._effects import Cancel, Close, Effect, Report, Run, Send
from .._operation import Mode
from .._signals import Signal

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from .._call import Call
    from .._server import Server

__all__ = ["Wire"]


class Wire:
    """Carries out the effects of one connection, in the caller's own thread and task.

    Calls of plain handlers run as soon as they are handed out, unless ``hold`` is set; calls of
    async handlers wait until somebody awaits ``run_async``.
    """

    def __init__(self, server: "Server", lifespan_value: Any, now: float) -> None:
        self.now = now
        self.hold = False
        self.messages: list[dict[str, Any]] = []
        """Every message of the server, in order."""
        self.reports: list[Report] = []
        """Every line for the server's own log."""
        self.waiting: deque[Call] = deque()
        """Calls that were handed out and not run yet."""
        self.closed = False
        self._unseen: deque[dict[str, Any]] = deque()
        self._connection = Connection(server, lifespan_value=lifespan_value)

    def send(self, message: Any) -> None:
        """Let the server receive one message; bytes go as they are, a newline is added."""
        data = message if isinstance(message, bytes) else msgspec.json.encode(message)
        self.carry_out(self._connection.receive(data + b"\n", self.now))

    def receive_raw(self, data: bytes) -> None:
        """Let the server receive bytes, whole messages or pieces."""
        self.carry_out(self._connection.receive(data, self.now))

    @property
    def calls_open(self) -> int:
        """How many calls run or wait."""
        return self._connection.calls_open

    def next_message(self) -> dict[str, Any] | None:
        """Return the next message nobody has taken yet; None for none."""
        self.carry_out(self._connection.pending(self.now))
        return self._unseen.popleft() if self._unseen else None

    def key_of(self, id: str | int) -> str | None:
        """Return the key of a live question, which the protocol does not send."""
        return self._connection.question_key(id)

    def carry_out(self, effects: list[Effect]) -> None:
        """Carry out effects, and those that follow from them."""
        queue = deque(effects)
        while queue:
            effect = queue.popleft()
            if isinstance(effect, Send):
                for line in effect.data.rstrip(b"\n").split(b"\n"):
                    message = msgspec.json.decode(line)
                    self.messages.append(message)
                    self._unseen.append(message)
            elif isinstance(effect, Run):
                if effect.call.mode is Mode.ASYNC or self.hold:
                    self.waiting.append(effect.call)
                else:
                    queue.extend(self._run(effect.call))
            elif isinstance(effect, Report):
                self.reports.append(effect)
            elif isinstance(effect, Cancel):
                if effect.call in self.waiting:
                    self.waiting.remove(effect.call)
                    queue.extend(effect.call.failed(_Stopped(), self.now))
            elif isinstance(effect, Close):
                self.closed = True
        if not self.closed:
            pending = self._connection.pending(self.now)
            if pending:
                self.carry_out(pending)

    def run_held(self) -> None:
        """Run the plain calls that were held back."""
        kept = [call for call in self.waiting if call.mode is Mode.ASYNC]
        while plain := [call for call in self.waiting if call not in kept]:
            self.waiting.remove(plain[0])
            self.carry_out(self._run(plain[0]))

    async def run_async(self) -> None:
        """Run the async calls that wait, one after the other, in the task that awaits this."""
        while self.waiting and not self.hold:
            call = self.waiting.popleft()
            if call.mode is not Mode.ASYNC:
                self.carry_out(self._run(call))
                continue
            try:
                awaitable: Awaitable[Any] = call.invoke()
                value = await awaitable
            except BaseException as error:
                self.carry_out(call.failed(error, self.now))
                if _is_foreign(error):
                    # A cancellation of the test's own task is not the handler's.
                    raise
            else:
                self.carry_out(call.completed(value, self.now))

    def advance(self, seconds: float) -> None:
        """Move the clock, stopping at each deadline on the way."""
        end = self.now + seconds
        while (deadline := self._connection.deadline()) is not None and deadline <= end:
            self.now = max(self.now, deadline)
            self.carry_out(self._connection.tick(self.now))
        self.now = end
        self.carry_out(self._connection.tick(self.now))

    def shutdown(self) -> None:
        """Let the server end its subscriptions and refuse what is new."""
        self.carry_out(self._connection.shutdown(self.now))

    def end_of_input(self) -> None:
        """Let the server know that nothing more comes."""
        self.carry_out(self._connection.receive_eof(self.now))

    def close(self) -> None:
        """Drop the connection; calls that wait are dropped with it."""
        if not self.closed:
            self.carry_out(self._connection.close(self.now))

    def _run(self, call: "Call") -> list[Effect]:
        try:
            value = call.invoke()
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - whatever a handler raises is for the core
            return call.failed(error, self.now)
        return call.completed(value, self.now)


class _Stopped(Exception):
    """The call was cancelled before it ran."""


def _is_foreign(error: BaseException) -> bool:
    """Tell whether an exception holds what no handler raises by itself."""
    if isinstance(error, BaseExceptionGroup):
        return any(_is_foreign(inner) for inner in error.exceptions)
    return not isinstance(error, Exception | Signal | SystemExit)
