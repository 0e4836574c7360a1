"""The steps of one HTTP exchange: the core is called, and what it asks for is carried out."""

import time
from contextvars import copy_context
from typing import TYPE_CHECKING

import anyio
from sansmcp_core import Call, Cancel, Effect, Mode, Report, Respond, Run

from .alarm import Alarm
from .client import PIECES, Client
from .outcome import Step, outcome, stopped

if TYPE_CHECKING:
    from sansmcp_core.http import RequestHead

    from .exchanges import HttpPeer, HttpRuntime
    from .libraries import Scope

__all__ = ["ExchangeSteps"]

_INLINE = Mode.INLINE

_LAST_WORDS_S = 1.0


class Bell:
    """What the core rings when it wants to be looked after; it knows of nothing but an alarm.

    So the exchange, which keeps it, is in no circle, and is freed as soon as it is done.
    """

    alarm: Alarm | None = None
    """What to wake; None as long as nobody waits."""

    rung = False

    def ring(self) -> None:
        """Wake whoever waits, now or later; from any thread."""
        self.rung = True
        if self.alarm is not None:
            self.alarm.wake()


class ExchangeSteps(Client):
    """Carries out everything but calls that take time: those wait for the request's task.

    Args:
        runtime: What exchanges share.
        head: The request's head.
        peer: The client.
    """

    next_call: Call | None = None
    """The call that waits to be run; an exchange has no more than one at a time."""

    scope: "Scope | None" = None
    """What surrounds the async call that keeps the request's task."""

    closed = False
    """Whether nothing goes on."""

    _told_gone = False

    def __init__(self, runtime: "HttpRuntime", head: "RequestHead", peer: "HttpPeer") -> None:
        self._runtime = runtime
        self._peer = peer
        self._bell = bell = Bell()
        self.exchange = runtime.endpoint.open(head, bell.ring)

    @property
    def alarm(self) -> Alarm:
        """What wakes the task that looks after the exchange; made when one does."""
        bell = self._bell
        if bell.alarm is None:
            bell.alarm = Alarm(self._runtime.loop)
            if bell.rung:
                bell.alarm.wake()
        return bell.alarm

    async def do(self, step: Step) -> None:
        """Call the core and carry out what it asks for."""
        await self.carry_out(step(time.time()))

    async def carry_out(self, effects: list[Effect]) -> None:
        """Carry out what the core asks for, in order, and what follows from that at once.

        That is an inline call, and that the client has gone.
        """
        while True:
            for effect in effects:
                if type(effect) is Respond:
                    if not self.gone:
                        try:
                            await self._peer.respond(effect.status, effect.headers, effect.body)
                        except Exception as exception:  # noqa: BLE001 - sorted out there
                            self.lose(exception)
                elif type(effect) is Run:
                    self.next_call = effect.call
                elif type(effect) in PIECES:
                    await self.write(effect)
                else:
                    self._take(effect)
            call = self.next_call
            if self.gone and not self._told_gone:
                effects = self._tell_gone()
            elif call is not None and call.mode is _INLINE:
                self.next_call = None
                effects = outcome(call, copy_context())(time.time())
            else:
                return

    def do_mutely(self, step: Step) -> None:
        """Call the core after ``close``: nothing is sent, no call is begun."""
        for effect in step(time.time()):
            self._take(effect)
        if self.next_call is not None:
            call, self.next_call = self.next_call, None
            self.do_mutely(stopped(call))

    def cancel(self) -> None:
        """Cancel the async call that keeps the request's task."""
        if self.scope is not None:
            self.scope.cancel()

    async def end_stream(self) -> None:
        """End a stream that belongs to no call as it should, for the server is going down."""
        exchange = self.exchange
        if not (self.gone or self.writing or exchange.wants_body or exchange.done):
            with anyio.move_on_after(_LAST_WORDS_S, shield=True):
                # The endpoint may have ended it just now, and woken this task in vain.
                await self.do(lambda now: [*exchange.pending(now), *exchange.shut_down()])

    def close(self) -> None:
        """Tell the core that nothing goes on."""
        if not self.closed:
            self.closed = self.gone = self._told_gone = True
            if not self.exchange.done:
                self.do_mutely(self.exchange.close)

    def _take(self, effect: Effect) -> None:
        """Carry out what is not for the client; nothing else."""
        if type(effect) is Run:
            self.next_call = effect.call
        elif type(effect) is Cancel:
            self.cancel()
        elif type(effect) is Report:
            self._runtime.report(effect)

    def _tell_gone(self) -> list[Effect]:
        self._told_gone = True
        if not self.exchange.ended:
            text = f"the client went away before the answer{self.why_gone}"
            self._runtime.report(Report("debug", text))
        return self.exchange.disconnected(time.time())
