"""The channel of a duplex byte stream: every call of a connection shares the one line."""

from typing import TYPE_CHECKING, Any

from ._back_channel import BackChannel
from ._effects import Effect, Send
from ._outbox import Note, Outbox
from ._subscriptions import Listener
from ._timers import Timers
from ._unsent import Unsent

if TYPE_CHECKING:
    from ._call import Call
    from ._calls import Calls
    from ._listening import Listeners
    from .http._head import RequestHead

__all__ = ["DuplexChannel"]


class DuplexChannel:
    """Carries the messages of all calls of one connection.

    Args:
        calls: The rules of calls.
        outbox: Where messages wait that arise elsewhere.
        unsent: Counts what is handed out.
        listeners: Who listens on this connection.
    """

    __slots__ = (
        "_calls",
        "_listeners",
        "_outbox",
        "_unsent",
        "back_channel",
        "client_gone",
        "head",
        "open",
        "timers",
    )

    def __init__(
        self, calls: "Calls", outbox: Outbox, unsent: Unsent, listeners: "Listeners"
    ) -> None:
        self.open: dict[str | int, Call] = {}
        self.timers = Timers()
        self.back_channel = BackChannel()
        self.client_gone: str | None = None
        """Why the client can answer no more."""
        self.head: RequestHead | None = None
        self._calls = calls
        self._outbox = outbox
        self._unsent = unsent
        self._listeners = listeners

    def why_no_answers(self) -> str | None:
        """Return why the client can answer no live question; None where it can."""
        return self.client_gone

    def note(self, call: "Call", data: bytes) -> None:
        """Let a message of ``call`` wait for the owner; from any thread."""
        self._outbox.put(Note(call, data))

    def close_stream(self, call: "Call", retry_ms: int) -> None:
        """Do nothing: a byte stream cannot be taken up again."""

    def flush(self) -> list[Effect]:
        """Return what waits for the owner."""
        effects: list[Effect] = []
        if not self._outbox.waiting:
            return effects
        for item in self._outbox.take():
            if isinstance(item, Listener):
                data = self._listeners.lines(item)
            elif isinstance(item, Note):
                data = b"" if item.call.over else item.data
            else:
                continue
            if data:
                effects.append(Send(data))
        return effects

    def say(self, data: bytes) -> list[Effect]:
        """Return what sends questions, or takes them back."""
        return [Send(data)]

    def answer(self, data: bytes, code: int | None) -> list[Effect]:
        """Return what sends the answer to a request."""
        return [Send(data)]

    def completed(self, call: "Call", value: Any, now: float) -> list[Effect]:
        """Return the effects of a handler's value."""
        effects = self._calls.completed(call, value, now)
        return self._unsent.add(effects) if self._unsent.counting else effects

    def failed(self, call: "Call", exception: BaseException, now: float) -> list[Effect]:
        """Return the effects of a handler's exception."""
        effects = self._calls.failed(call, exception, now)
        return self._unsent.add(effects) if self._unsent.counting else effects

    def hand_over(self, effects: list[Effect]) -> list[Effect]:
        """Return ``effects``: one owner has every turn of a connection."""
        return effects
