"""What goes out of one exchange: one whole answer, or a stream that ends with it."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from .._effects import Data, Effect, EndOfMessage, Response
from ._answers import whole_answer
from ._sse import COMMENT, STREAM_HEADERS, events, retry

if TYPE_CHECKING:
    from ._endpoint import Endpoint
    from ._head import RequestHead
    from ._sessions import HttpSession
    from ._streams import SessionStream

__all__ = ["Outflow"]


class Outflow(msgspec.Struct, eq=False):
    """Says what has to be said in the form that the client accepts and the moment allows.

    Args:
        endpoint: Counts the streams.
        head: The request's head.
        wake: Wakes the owner.
    """

    _endpoint: "Endpoint"
    head: "RequestHead"
    _wake: Callable[[], None]
    accepts_json: bool = True
    accepts_stream: bool = False
    extra_headers: tuple[tuple[bytes, bytes], ...] = ()
    """What every answer of this exchange has in its head."""
    session: "HttpSession | None" = None
    """The legacy session that the request belongs to."""
    stream: "SessionStream | None" = None
    """The session's stream that this exchange began or carries."""
    streaming: bool = False
    """Whether a stream has begun."""
    ended: bool = False
    """Whether nothing more can be sent."""
    quiet: bool = True
    """Whether nothing was sent since somebody looked last."""

    @property
    def can_stream(self) -> bool:
        """Whether a message before the answer reaches the client, now or when it comes back."""
        if self.ended:
            return self.stream is not None and self.stream.resumable and not self.stream.over
        return self.streaming or (self.accepts_stream and self._endpoint.has_room_for_streams)

    def respond(self, status: int, body: bytes, *more: tuple[bytes, bytes]) -> list[Effect]:
        """Return a whole answer; an empty body has no type."""
        self.ended = True
        return [whole_answer(status, body, (*more, *self.extra_headers))]

    def begin_stream(self) -> list[Effect]:
        """Return the head of a stream and what comes before every message."""
        self.streaming = True
        self._endpoint.streams_open += 1
        effects: list[Effect] = [Response(200, [*STREAM_HEADERS, *self.extra_headers])]
        if self.session is not None and self.stream is None:
            self.stream = stream = self.session.new_stream(self._endpoint.random)
            stream.carrier = self
            first = stream.begin()
            if first:
                effects.append(Data(first))
        return effects

    def messages(self, lines: bytes) -> list[Effect]:
        """Return what carries messages that come before the answer."""
        stream = self.stream
        if self.ended:
            if stream is not None and stream.resumable:
                stream.put(lines)
                if stream.carrier is not None:
                    stream.carrier.ring()
            return []
        effects = [] if self.streaming else self.begin_stream()
        stream = self.stream
        self.quiet = False
        effects.append(Data(events(lines) if stream is None else stream.put(lines)))
        return effects

    def finish(self, line: bytes, status: int = 200) -> list[Effect]:
        """Return what carries the answer, and ends the stream where there is one."""
        if not self.ended and not self.streaming and (self.accepts_json or status != 200):
            self.ended = True
            return [whole_answer(status, line, self.extra_headers)]
        effects = self.messages(line)
        if self.stream is not None:
            self.stream.over = True
        return effects + self.end()

    def end(self) -> list[Effect]:
        """Return the end of what is sent, whether or not all is said."""
        if self.ended:
            return []
        self.ended = True
        if self.stream is not None and self.stream.carrier is self:
            self.stream.carrier = None
        if not self.streaming:
            return []
        self._endpoint.streams_open -= 1
        return [EndOfMessage()]

    def hang_up(self, retry_ms: int) -> list[Effect]:
        """Return what ends the connection but not the stream, which the client takes up again."""
        session = self.session
        if self.ended or session is None or not session.polls or not self.can_stream:
            return []
        effects = [] if self.streaming else self.begin_stream()
        return [*effects, Data(retry(retry_ms)), *self.end()]

    def comment(self) -> list[Effect]:
        """Return what keeps a quiet stream open, and begins one where the client waits."""
        effects = [] if self.streaming else self.begin_stream()
        return [*effects, Data(COMMENT)]

    def ring(self) -> None:
        """Have the owner look at what there is to send; from any thread."""
        raise NotImplementedError

    def hand_over(self, effects: list[Effect]) -> list[Effect]:
        """Let effects wait for the owner."""
        raise NotImplementedError
