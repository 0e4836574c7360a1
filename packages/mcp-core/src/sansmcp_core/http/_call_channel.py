"""What a call needs of its exchange: the ``Channel`` of HTTP."""

from typing import TYPE_CHECKING

import msgspec

from .._effects import Data, Effect
from .._outbox import HangUp, Note, Outbox
from .._timers import Timers
from ._outflow import Outflow
from ._statuses import status_of

if TYPE_CHECKING:
    from .._back_channel import BackChannel
    from .._call import Call
    from .._era import Era
    from ._feeds import Feed

__all__ = ["CallChannel"]


class CallChannel(Outflow, eq=False):
    """What the exchange's one call needs of it; see ``Channel``."""

    call: "Call | None" = None
    feed: "Feed | None" = None
    """What feeds a stream that belongs to no call."""
    era: "Era | None" = None
    client_gone: bool = False
    due_s: float | None = None
    open: "dict[str | int, Call]" = msgspec.field(default_factory=dict)
    _handed: list[Effect] = msgspec.field(default_factory=list)
    _outbox: Outbox | None = None
    _timers: Timers | None = None
    _back_channel: "BackChannel | None" = None

    @property
    def back_channel(self) -> "BackChannel":
        """The live questions to the client of its session; where there is none, nobody is asked."""
        own = self._back_channel
        return self._endpoint.no_back_channel if own is None else own

    @property
    def timers(self) -> Timers:
        """Deadlines of the call, of its questions, and of the stream's silence."""
        if self._timers is None:
            self._timers = Timers()
        return self._timers

    def drop_timers(self) -> None:
        """Wait for nothing any more."""
        self._timers = None

    def why_no_answers(self) -> str | None:
        """Return why the client can answer no live question; None where it can."""
        if self.session is None:
            return (
                "there is no session to ask in; a client of this revision needs one "
                "(HttpSettings.sessions)"
            )
        if self.session.ended:
            return "the session has ended"
        if self.can_stream or self.session.carrier is not None:
            return None
        return "no stream is open, or may be opened, that could carry a question"

    def note(self, call: "Call", data: bytes) -> None:
        """Let a message of ``call`` wait for the owner; from any thread."""
        self._box().put(Note(call, data))

    def close_stream(self, call: "Call", retry_ms: int) -> None:
        """Have the connection of a resumable stream closed; from any thread."""
        self._box().put(HangUp(call, retry_ms))

    def flush(self) -> list[Effect]:
        """Return what waits for the owner."""
        outbox = self._outbox
        if outbox is None or not outbox.woken:
            return []
        effects: list[Effect] = []
        for item in outbox.take():
            if isinstance(item, Note):
                if not item.call.over and self.can_stream:
                    effects += self.messages(item.data)
            elif isinstance(item, HangUp) and not item.call.over:
                effects += self._hang_up(item.retry_ms)
        if self._handed:
            effects += self._handed
            self._handed = []
        if self.feed is not None and not self.ended:
            effects += self.take_feed()
        return effects

    def say(self, data: bytes) -> list[Effect]:
        """Return what sends questions, or takes them back."""
        if self.can_stream:
            return self.messages(data)
        if self.session is not None:
            self.session.say(data)
        return []

    def answer(self, data: bytes, code: int | None) -> list[Effect]:
        """Return what sends the answer to the request."""
        assert self.era is not None
        return self.finish(data, 200 if code is None else status_of(code, self.era))

    def hand_over(self, effects: list[Effect]) -> list[Effect]:
        """Let effects wait for this exchange's owner, who is woken; nothing for who has the turn.

        A connection has one owner and returns them; here each exchange has a turn of its own.
        """
        if effects:
            self._handed += effects
            self.ring()
        return []

    def ring(self) -> None:
        """Have the owner look at what there is to send; from any thread."""
        self._box().ring()

    def _box(self) -> Outbox:
        """Where things wait for the owner; made by the first who needs it, in whatever thread."""
        if self._outbox is None:
            endpoint = self._endpoint
            with endpoint.lock:
                if self._outbox is None:
                    self._outbox = Outbox(self._wake, endpoint.max_queued_messages)
        return self._outbox

    def _hang_up(self, retry_ms: int) -> list[Effect]:
        if not self.ended:
            return self.hang_up(retry_ms)
        carrier = None if self.stream is None else self.stream.carrier
        if isinstance(carrier, CallChannel):
            carrier.hand_over(carrier.hang_up(retry_ms))
        return []

    def take_feed(self) -> list[Effect]:
        """Return what the feed has to give."""
        assert self.feed is not None
        data = self.feed.take()
        effects: list[Effect] = []
        if data:
            self.quiet = False
            effects.append(Data(data))
        return effects + self.end() if data is None or self.feed.over else effects
