"""Calls, from their start to their one end: the rules, for every channel of one binding."""

from typing import TYPE_CHECKING, Any

from msgspec import UNSET
from sansmcp_schema.jsonrpc import INTERNAL_ERROR

from ._admission import Admission
from ._asker import Asker
from ._back_channel import Leg
from ._call import Call
from ._context import Context
from ._effects import Cancel, Effect, Report, Run
from ._endings import Asking, Ending, end_with_exception, end_with_value
from ._errors import RequestError
from ._operation import Refused
from ._refusals import BUSY_CALLS
from ._rounds import Rounds
from ._targets import Failure, Target

if TYPE_CHECKING:
    from ._channel import Channel
    from ._envelope import Envelope
    from ._request import Request
    from ._server import Server

__all__ = ["Calls"]

_NO_ARGUMENTS: dict[str, Any] = {}


class Calls:
    """Starts calls, hears how they went, and says what follows.

    What belongs to one peer lies on a call's ``channel``; here is what all of them share. The
    effects that a method returns are for the owner of the channel whose call it is about.

    Args:
        server: What is served.
        envelope: Wraps the answers.
        admission: Says which calls run and which wait.
        lifespan: The value of the server's lifespan.
    """

    def __init__(
        self, server: "Server", envelope: "Envelope", admission: Admission, lifespan: Any
    ) -> None:
        self._around = server.around_calls
        self.lifespan = lifespan
        self.admission = admission
        self.asker = Asker(server, self)
        """The questions that the calls ask."""
        self._envelope = envelope
        self._show_exceptions = server.settings.show_exceptions
        self._time_limit_s = server.settings.time_limit_s

    def open(
        self, channel: "Channel", request: "Request", target: Target, rounds: Rounds | None
    ) -> Call:
        """Return a new call, which is to be run next."""
        id = request.id
        call = Call(channel, request, target, target.operation.mode, id, self._around, rounds)
        channel.open[id] = call
        return call

    def completed(self, call: Call, value: Any, now: float) -> list[Effect]:
        """Return the effects of a handler's value."""
        if call.over:
            return self._leave(call, now, [])
        ending = end_with_value(call, value, self._show_exceptions)
        return self._finish(call, ending, now)

    def failed(self, call: Call, exception: BaseException, now: float) -> list[Effect]:
        """Return the effects of a handler's exception."""
        if call.over:
            return self._leave(call, now, [])
        ending = end_with_exception(call, exception, self._show_exceptions)
        return self._finish(call, ending, now)

    def cancel(self, call: Call) -> list[Effect]:
        """Return the effects of a client that no longer wants the answer."""
        del call.channel.open[call.request_id]
        call.over = True
        call.channel.timers.stop(call)
        withdrawn = self.asker.withdraw(call)
        if withdrawn is not None:
            return withdrawn
        return [] if self.admission.forget(call) else [Cancel(call)]

    def time_out(self, item: object) -> list[Effect]:
        """Return the effects of a time limit that has passed."""
        if isinstance(item, Call):
            limit = item.target.operation.time_limit_s or self._time_limit_s
            text = f"{item.target.label} took longer than {limit:g} s"
            effects = self.answer(item, item.target.fail(f"{text} and was given up"))
            return [*effects, Cancel(item)]
        if isinstance(item, Leg):
            return self.asker.give_up(item, "the client did not answer in time")
        return []

    # -- what questions lead to, too ---------------------------------------------------------

    def run(self, call: Call, now: float, known: bool = False) -> list[Effect]:
        """Return the effects of a call: it runs, waits, or is answered at once.

        Args:
            call: The call.
            now: Unix time in seconds.
            known: It ran before and goes on.
        """
        target = call.target
        wanted = target.operation.takes_context or self._around is not None
        call.context = Context(call, self.lifespan) if wanted else None
        try:
            bound = target.bind(call.context)
        except Exception as error:  # noqa: BLE001 - the author's own conversions may raise anything
            ending = end_with_exception(call, error, self._show_exceptions)
            assert isinstance(ending, Ending)
            return [*ending.reports, *self.answer(call, ending.answer)]
        if type(bound) is Refused:
            return self.answer(call, target.refuse(bound.violations))
        call.args, call.kwargs = bound.args, bound.kwargs
        entered = self.admission.enter(call, known)
        if entered is None:
            return self.answer(call, RequestError(INTERNAL_ERROR, BUSY_CALLS))
        return self._begin(call, now) if entered else []

    def answer(self, call: Call, answer: Failure) -> list[Effect]:
        """Answer the call's request: the one place where that happens."""
        call.over = True
        channel, request, id = call.channel, call.request, call.request_id
        del channel.open[id]
        try:
            if isinstance(answer, RequestError):
                data = UNSET if answer.data is None else answer.data
                line = self._envelope.error(id, answer.code, answer.message, data)
                return channel.answer(line, answer.code)
            cache = call.target.cache
            line = self._envelope.result(id, answer, request.era, request.revision, cache)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the handler's value
            text = f"{call.target.label} returned what cannot be sent"
            ending = Report("error", text, error, id)
            message = (
                f"Internal error: {call.target.label} failed; the server's log has the details"
            )
            line = self._envelope.error(id, INTERNAL_ERROR, message)
            return [ending, *channel.answer(line, INTERNAL_ERROR)]
        return channel.answer(line, None)

    # -- inside ------------------------------------------------------------------------------

    def _begin(self, call: Call, now: float) -> list[Effect]:
        limit = call.target.operation.time_limit_s
        if limit is None:
            limit = self._time_limit_s
        if limit is not None:
            call.channel.timers.start(call, limit, now)
        call.running = True
        return [Run(call)]

    def _finish(self, call: Call, ending: Ending | Asking, now: float) -> list[Effect]:
        channel = call.channel
        effects = channel.flush()
        if call.due_s is not None:
            channel.timers.stop(call)
        if type(ending) is Asking:
            effects += self.asker.ask(call, ending.questions, now)
        else:
            if ending.reports:
                effects += ending.reports
            effects += self.answer(call, ending.answer)
        return self._leave(call, now, effects)

    def _leave(self, call: Call, now: float, effects: list[Effect]) -> list[Effect]:
        """Give the place of ``call`` to the next one, which may be another channel's."""
        call.running = False
        # The context leads back here, and so do arguments that hold it; what is no circle is freed
        # at once.
        call.context = None
        call.args, call.kwargs = (), _NO_ARGUMENTS
        following = self.admission.leave(call)
        if following is None:
            return effects
        next_effects = self._begin(following, now)
        if following.channel is not call.channel:
            next_effects = following.channel.hand_over(next_effects)
        return effects + next_effects
