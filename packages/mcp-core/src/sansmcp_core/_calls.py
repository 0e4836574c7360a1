"""The calls of one connection, from their start to their one end."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from msgspec import UNSET
from sansmcp_schema.jsonrpc import INTERNAL_ERROR

from ._admission import Admission
from ._asker import Asker
from ._back_channel import Leg
from ._call import Call
from ._context import Context
from ._effects import Cancel, Effect, Report, Run, Send
from ._endings import Asking, Ending, end_with_exception, end_with_value
from ._errors import RequestError
from ._operation import Refused
from ._outbox import Outbox
from ._rounds import Rounds
from ._targets import Failure, Target
from ._timers import Timers
from ._unsent import Unsent

if TYPE_CHECKING:
    from ._envelope import Envelope
    from ._request import Request
    from ._server import Server

__all__ = ["Calls"]


class Calls:
    """Starts calls, hears how they went, and says what follows.

    Args:
        server: What is served.
        envelope: Wraps the answers.
        outbox: Where messages wait that arise while a call runs.
        flush: Returns what waits there.
        unsent: Counts what is handed out when a call ends.
        admission: Says which calls run and which wait.
        lifespan: The value of the server's lifespan.
    """

    def __init__(
        self,
        server: "Server",
        envelope: "Envelope",
        outbox: Outbox,
        *,
        flush: Callable[[], list[Effect]],
        unsent: Unsent,
        admission: Admission,
        lifespan: Any,
    ) -> None:
        self.outbox = outbox
        self.open: dict[str | int, Call] = {}
        """Calls that are not answered yet, by the id of their request."""
        self.around = server.around_calls
        self._unsent = unsent
        self._server = server
        self._envelope = envelope
        self._flush = flush
        self._lifespan = lifespan
        self._show_exceptions = server.settings.show_exceptions
        self._time_limit_s = server.settings.time_limit_s
        self._admission = admission
        self._timers = Timers()
        self.asker = Asker(server, self, self._timers)
        """The questions that the calls ask."""

    def __len__(self) -> int:
        return len(self._admission) + len(self.asker)

    def start(
        self, request: "Request", target: Target, rounds: Rounds | None, now: float
    ) -> list[Effect]:
        """Return the effects of a new call: it runs, waits, or is answered at once."""
        call = Call(self, request, target, rounds)
        self.open[call.request_id] = call
        return self.run(call, now, known=False)

    def call_completed(self, call: Call, value: Any, now: float) -> list[Effect]:
        """Return the effects of a handler's value."""
        if call.over:
            return self._leave(call, now)
        show = self._show_exceptions
        return self._finish(call, end_with_value(call, value, show_exceptions=show), now)

    def call_failed(self, call: Call, exception: BaseException, now: float) -> list[Effect]:
        """Return the effects of a handler's exception."""
        if call.over:
            return self._leave(call, now)
        show = self._show_exceptions
        ending = end_with_exception(call, exception, show_exceptions=show)
        return self._finish(call, ending, now)

    def cancel(self, id: str | int) -> list[Effect]:
        """Return the effects of the client's wish to cancel; none where there is no such call."""
        call = self.open.pop(id, None)
        if call is None:
            return []
        call.over = True
        self._timers.stop(call)
        withdrawn = self.asker.withdraw(call)
        if withdrawn is not None:
            return withdrawn
        return [] if self._admission.forget(call) else [Cancel(call)]

    def tick(self, now: float) -> list[Effect]:
        """Return the effects of the time limits that have passed."""
        effects: list[Effect] = []
        for item in self._timers.pop_due(now):
            if isinstance(item, Call):
                text = f"{item.target.label} took longer than {self._limit_s(item):g} s"
                effects += self.answer(item, item.target.fail(f"{text} and was given up"))
                effects.append(Cancel(item))
            elif isinstance(item, Leg):
                effects += self.asker.give_up(item, "the client did not answer in time")
        return effects

    def deadline(self) -> float | None:
        """Return the Unix time of the next time limit."""
        return self._timers.deadline()

    def close(self) -> list[Effect]:
        """Return what stops every call; none of them is answered any more."""
        for call in self.open.values():
            call.over = True
            self._timers.stop(call)
        self.asker.close()
        self.open.clear()
        self._admission.drop_waiting()
        return [Cancel(call) for call in self._admission.running]

    # -- what questions lead to, too ---------------------------------------------------------

    def run(self, call: Call, now: float, *, known: bool) -> list[Effect]:
        """Check the arguments and let the handler run, now or when there is a place."""
        call.context = Context(call, self._lifespan)
        try:
            bound = call.target.bind(call.context)
        except Exception as error:  # noqa: BLE001 - the author's own conversions may raise anything
            ending = end_with_exception(call, error, show_exceptions=self._show_exceptions)
            assert isinstance(ending, Ending)
            return [*ending.reports, *self.answer(call, ending.answer)]
        if isinstance(bound, Refused):
            return self.answer(call, call.target.refuse(bound.violations))
        call.bound = bound
        entered = self._admission.enter(call, known=known)
        if entered is None:
            text = "Server busy: too many calls are waiting; try again later"
            return self.answer(call, RequestError(INTERNAL_ERROR, text))
        return self._begin(call, now) if entered else []

    def answer(self, call: Call, answer: Failure) -> list[Effect]:
        """Answer the call's request: the one place where that happens."""
        call.over = True
        del self.open[call.request_id]
        request, id = call.request, call.request_id
        try:
            if isinstance(answer, RequestError):
                data = UNSET if answer.data is None else answer.data
                return [Send(self._envelope.error(id, answer.code, answer.message, data))]
            cache = call.target.cache
            return [Send(self._envelope.result(id, answer, request.era, request.revision, cache))]
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the handler's value
            text = f"{call.target.label} returned what cannot be sent"
            ending = Report("error", text, error, id)
            message = (
                f"Internal error: {call.target.label} failed; the server's log has the details"
            )
            return [ending, Send(self._envelope.error(id, INTERNAL_ERROR, message))]

    # -- inside ------------------------------------------------------------------------------

    def _begin(self, call: Call, now: float) -> list[Effect]:
        limit = self._limit_s(call)
        if limit is not None:
            self._timers.start(call, limit, now)
        return [Run(call)]

    def _finish(self, call: Call, ending: Ending | Asking, now: float) -> list[Effect]:
        effects = self._flush() if self.outbox.waiting else []
        if call.due_s is not None:
            self._timers.stop(call)
        if isinstance(ending, Asking):
            effects += self.asker.ask(call, ending.questions, now)
        else:
            effects += ending.reports
            effects += self.answer(call, ending.answer)
        following = self._admission.leave(call)
        if following is not None:
            effects += self._begin(following, now)
        return self._unsent.add(effects) if self._unsent.counting else effects

    def _leave(self, call: Call, now: float) -> list[Effect]:
        following = self._admission.leave(call)
        return [] if following is None else self._begin(following, now)

    def _limit_s(self, call: Call) -> float | None:
        limit = call.target.operation.time_limit_s
        return self._time_limit_s if limit is None else limit
