"""The steps of one HTTP exchange: the core is called, and what it asks for is carried out."""

import time
from collections import deque
from typing import TYPE_CHECKING

import anyio
from sansmcp_core import Call, Cancel, Effect, Report, Run

from .alarm import Alarm
from .client import OUTGOING, Client
from .outcome import Step, stopped

if TYPE_CHECKING:
    from sansmcp_core.http import RequestHead

    from .exchanges import HttpPeer, HttpRuntime
    from .loops import Scope

__all__ = ["ExchangeSteps"]

_LAST_WORDS_S = 1.0


class ExchangeSteps:
    """Carries out everything but calls, which wait in ``runs`` for the request's task.

    Args:
        runtime: What exchanges share.
        head: The request's head.
        peer: The client.
    """

    __slots__ = (
        "_alarm",
        "_runtime",
        "_told_gone",
        "_woken",
        "client",
        "closed",
        "exchange",
        "runs",
        "scope",
    )

    def __init__(self, runtime: "HttpRuntime", head: "RequestHead", peer: "HttpPeer") -> None:
        self.client = Client(peer, runtime)
        self.exchange = runtime.endpoint.open(head, self.wake)
        self.runs: deque[Call] = deque()
        """Calls to be run."""
        self.scope: Scope | None = None
        """What surrounds the async call that keeps the request's task."""
        self.closed = False
        """Whether nothing goes on."""
        self._runtime = runtime
        self._alarm: Alarm | None = None
        self._woken = False
        """Whether ``wake`` was called before there was an alarm."""
        self._told_gone = False

    def wake(self) -> None:
        """Have the core looked after; from any thread."""
        self._woken = True
        if self._alarm is not None:
            self._alarm.wake()

    @property
    def alarm(self) -> Alarm:
        """What rings when the core wants to be looked after; made when somebody waits for it."""
        if self._alarm is None:
            self._alarm = Alarm(self._runtime.loop)
            if self._woken:
                self._alarm.wake()
        return self._alarm

    async def do(self, step: Step) -> None:
        """Call the core and carry out what it asks for, in order."""
        client = self.client
        effects = step(time.time())
        while True:
            for effect in effects:
                if isinstance(effect, OUTGOING):
                    await client.write(effect)
                else:
                    self._carry_out(effect)
            if not client.gone or self._told_gone:
                return
            effects = self._tell_gone()

    def do_mutely(self, step: Step) -> None:
        """Call the core after ``close``: nothing is sent, no call is begun."""
        for effect in step(time.time()):
            self._carry_out(effect)
        while self.runs:
            self.do_mutely(stopped(self.runs.popleft()))

    async def see_to_client(self) -> None:
        """Tell the core where the client has gone."""
        if self.client.gone and not self._told_gone:
            await self.do(lambda _now: [])

    def cancel(self) -> None:
        """Cancel the async call that keeps the request's task."""
        if self.scope is not None:
            self.scope.cancel()

    async def end_stream(self) -> None:
        """End a stream that belongs to no call as it should, for the server is going down."""
        exchange, client = self.exchange, self.client
        if not (client.gone or client.writing or exchange.wants_body or exchange.done):
            with anyio.move_on_after(_LAST_WORDS_S, shield=True):
                # The endpoint may have ended it just now, and woken this task in vain.
                await self.do(lambda now: [*exchange.pending(now), *exchange.shut_down()])

    def close(self) -> None:
        """Tell the core that nothing goes on."""
        if not self.closed:
            self.closed = self.client.gone = self._told_gone = True
            if not self.exchange.done:
                self.do_mutely(self.exchange.close)

    def _carry_out(self, effect: Effect) -> None:
        if isinstance(effect, Run):
            self.runs.append(effect.call)
        elif isinstance(effect, Cancel):
            self.cancel()
        elif isinstance(effect, Report):
            self._runtime.report(effect)

    def _tell_gone(self) -> list[Effect]:
        self._told_gone = True
        if not self.exchange.ended:
            why = self.client.why_gone
            self._runtime.report(Report("debug", f"the client went away before the answer{why}"))
        return self.exchange.disconnected(time.time())
