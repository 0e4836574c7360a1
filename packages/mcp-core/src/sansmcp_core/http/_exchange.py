"""One HTTP request and its answer, as events in and effects out."""

from typing import TYPE_CHECKING, Any

import msgspec
from sansmcp_schema.jsonrpc import INVALID_REQUEST

from .._decode import Rejection
from .._effects import Data, Effect, EndOfMessage, Respond, Response
from .._era import MODERN
from .._operation import INLINE
from ._call_channel import CallChannel
from ._dispatch import begin_from_head, reject, take_body
from ._statuses import TOO_LARGE

if TYPE_CHECKING:
    from .._call import Call

__all__ = ["Exchange"]

_OUTGOING = (Respond, Response, Data, EndOfMessage)


class Exchange(CallChannel, eq=False):
    """Serves one HTTP request; made by ``Endpoint.open``.

    The owner calls ``begin``; while ``wants_body``, ``receive`` with each piece of the body; then
    ``pending`` after each wake and ``tick`` at each ``deadline``, until ``done``. Effects are
    carried out in order, and all of them before the next call.
    """

    wants_body: bool = False
    """Whether the body is to be given to ``receive``."""
    _pieces: list[bytes] = msgspec.field(default_factory=list)
    _size: int = 0

    @property
    def done(self) -> bool:
        """Whether nothing is left to do: it has ended, and no call of it runs or waits."""
        if not self.ended or self._handed:
            return False
        call = self.call
        return call is None or (call.over and not call.running)

    def begin(self, now: float) -> list[Effect]:
        """Return what the head alone leads to; nothing where the body is wanted."""
        effects = begin_from_head(self, self._endpoint, now)
        return effects if self.wants_body else self._settle(effects, now)

    def receive(self, data: bytes, more: bool, now: float) -> list[Effect]:
        """Return the effects of a piece of the body.

        Args:
            data: The piece; may be empty.
            more: Whether another one follows.
            now: Unix time in seconds.
        """
        if not self.wants_body:
            return []
        endpoint = self._endpoint
        self._size += len(data)
        if self._size > endpoint.settings.max_body_bytes:
            self.wants_body = False
            self._pieces.clear()
            return self._settle(self._refuse_length(), now)
        if more:
            self._pieces.append(data)
            return []
        self.wants_body = False
        if self._pieces:
            data = b"".join((*self._pieces, data))
            self._pieces.clear()
        return self._settle(take_body(self, endpoint, data, now), now)

    def pending(self, now: float) -> list[Effect]:
        """Return what arose elsewhere: progress, changes, answers. Call it after ``wake``."""
        return self._settle(self.flush(), now)

    def deadline(self) -> float | None:
        """Return the Unix time at which ``tick`` wants to be called; None for never."""
        return None if self._timers is None else self._timers.deadline()

    def tick(self, now: float) -> list[Effect]:
        """Return the effects of time that has passed; call it at ``deadline()``."""
        effects: list[Effect] = []
        for item in self.timers.pop_due(now):
            if item is self:
                if not self.ended and self.can_stream:
                    effects += self.comment()
            else:
                effects += self._endpoint.calls.time_out(item)
        return self._settle(effects, now)

    def disconnected(self, now: float) -> list[Effect]:
        """Return the effects of a client that has gone: its modern request is cancelled."""
        if self.client_gone:
            return []
        self.client_gone = True
        self.wants_body = False
        self.end()
        effects = self._handed
        self._handed = []
        call = self.call
        if call is not None and not call.over and call.request.era is MODERN:
            effects = [*effects, *self._endpoint.calls.cancel(call)]
        return self._settle(effects, now)

    def close(self, now: float) -> list[Effect]:
        """Return what stops the call; nothing more is sent, and nothing goes on."""
        self.client_gone = True
        self.wants_body = False
        self.end()
        self.stream = None
        effects: list[Effect] = []
        if self.call is not None and not self.call.over:
            effects = self._endpoint.calls.cancel(self.call)
        return self._settle(effects, now)

    def give_up(self) -> list[Effect]:
        """Return what ends an exchange whose call was cancelled and is not answered."""
        if self.stream is not None:
            self.stream.over = True
            if self.stream.carrier is not None:
                self.stream.carrier.ring()
        if self.streaming or self.ended:
            return self.end()
        return self.respond(202, b"")

    def shut_down(self) -> list[Effect]:
        """Return what ends a stream on the server's initiative; a call goes on."""
        if self.feed is None or self.ended:
            return []
        data = self.feed.ending()
        effects: list[Effect] = [Data(data)] if data else []
        return effects + self.end()

    def completed(self, call: "Call", value: Any, now: float) -> list[Effect]:
        """Return the effects of a handler's value."""
        return self._settle(self._endpoint.calls.completed(call, value, now), now)

    def failed(self, call: "Call", exception: BaseException, now: float) -> list[Effect]:
        """Return the effects of a handler's exception."""
        return self._settle(self._endpoint.calls.failed(call, exception, now), now)

    def _refuse_length(self) -> list[Effect]:
        most = self._endpoint.settings.max_body_bytes
        text = f"Content too large: the body is longer than {most} bytes (max_body_bytes)"
        rejection = Rejection(INVALID_REQUEST, text, status=TOO_LARGE)
        return reject(self, self._endpoint, rejection, MODERN)

    def _settle(self, effects: list[Effect], now: float) -> list[Effect]:
        """Note whether the exchange lasts, and send nothing to a client that has gone."""
        call = self.call
        over = call is None or (call.over and not call.running)
        if over and self.ended and not self._handed:
            self._endpoint.leave(self, now)
        elif call is not None and call.running and call.mode is INLINE:
            pass  # it ends before anything else happens
        elif not self.wants_body and (self.due_s is None or not self.quiet):
            self._endpoint.stay(self, now)
        if self.client_gone:
            return [effect for effect in effects if not isinstance(effect, _OUTGOING)]
        return effects
