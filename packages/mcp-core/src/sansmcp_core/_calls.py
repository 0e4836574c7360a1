"""The calls of one connection, from their start to their one end."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from msgspec import UNSET
from sansmcp_schema.jsonrpc import INTERNAL_ERROR
from sansmcp_schema.revisions import for_revision

from ._actions import binding_of
from ._admission import Admission
from ._back_channel import BackChannel, Leg, Refusal
from ._call import Call
from ._context import Context
from ._decode import Answer
from ._effects import Cancel, Effect, Report, Run, Send
from ._endings import Asking, Ending, end_with_exception, end_with_value
from ._era import Era
from ._errors import RequestError
from ._operation import Refused
from ._outbox import Outbox
from ._rounds import Rounds
from ._targets import Failure, Target
from ._timers import Timers

if TYPE_CHECKING:
    from ._envelope import Envelope
    from ._questions import AnyQuestion
    from ._request import Request
    from ._server import Server

__all__ = ["Calls"]

_TOO_MANY_QUESTIONS = "Server busy: too many questions to this client wait for an answer"


class Calls:
    """Starts calls, hears how they went, and says what follows.

    Args:
        server: What is served.
        envelope: Wraps the answers.
        outbox: Where messages wait that arise while a call runs.
        flush: Returns what waits there.
        lifespan: The value of the server's lifespan.
    """

    def __init__(
        self,
        server: "Server",
        envelope: "Envelope",
        outbox: Outbox,
        flush: Callable[[], list[Effect]],
        lifespan: Any,
    ) -> None:
        limits = server.settings.limits
        self.outbox = outbox
        self.open: dict[str | int, Call] = {}
        """Calls that are not answered yet, by the id of their request."""
        self.around = server.around_calls
        self.count: Callable[[list[Effect]], list[Effect]] | None = None
        """Counts the bytes handed out when a call ends, once the owner tells what it has sent."""
        self._client_gone: str | None = None
        self._server = server
        self._envelope = envelope
        self._flush = flush
        self._lifespan = lifespan
        self._show_exceptions = server.settings.show_exceptions
        self._time_limit_s = server.settings.time_limit_s
        self._admission = Admission(limits.max_concurrent_calls, limits.max_waiting_calls)
        self._timers = Timers()
        self._back_channel = BackChannel()

    def __len__(self) -> int:
        return len(self._admission) + len(self._back_channel.legs())

    def start(
        self, request: "Request", target: Target, rounds: Rounds | None, now: float
    ) -> list[Effect]:
        """Return the effects of a new call: it runs, waits, or is answered at once."""
        call = Call(self, request, target, rounds)
        self.open[call.request_id] = call
        return self._run(call, now, known=False)

    def call_completed(self, call: Call, value: Any, now: float) -> list[Effect]:
        """Return the effects of a handler's value."""
        if call.over:
            return self._leave(call, now)
        show = self._show_exceptions
        effects = self._finish(call, end_with_value(call, value, show_exceptions=show), now)
        return effects if self.count is None else self.count(effects)

    def call_failed(self, call: Call, exception: BaseException, now: float) -> list[Effect]:
        """Return the effects of a handler's exception."""
        if call.over:
            return self._leave(call, now)
        show = self._show_exceptions
        ending = end_with_exception(call, exception, show_exceptions=show)
        effects = self._finish(call, ending, now)
        return effects if self.count is None else self.count(effects)

    def cancel(self, id: str | int) -> list[Effect]:
        """Return the effects of the client's wish to cancel; none where there is no such call."""
        call = self.open.pop(id, None)
        if call is None:
            return []
        call.over = True
        self._timers.stop(call)
        leg = self._back_channel.leg_of(call)
        if leg is not None:
            return self._drop_leg(leg, "the call was cancelled")
        return [] if self._admission.forget(call) else [Cancel(call)]

    def take_answer(self, answer: Answer, now: float) -> list[Effect]:
        """Return the effects of the client's answer to a question."""
        taken = self._back_channel.take(answer)
        if isinstance(taken, Refusal):
            effects = self._drop_leg(taken.leg, "another question of the call was refused")
            return effects + self._answer(taken.leg.call, self._failure(taken.leg, taken.text))
        if taken is None:
            return []
        self._timers.stop(taken)
        taken.call.rounds.supplied = taken.answers
        return self._run(taken.call, now, known=True)

    def tick(self, now: float) -> list[Effect]:
        """Return the effects of the time limits that have passed."""
        effects: list[Effect] = []
        for item in self._timers.pop_due(now):
            if isinstance(item, Call):
                text = f"{item.target.label} took longer than it may and was stopped"
                effects += self._answer(item, item.target.fail(text))
                effects.append(Cancel(item))
            elif isinstance(item, Leg):
                effects += self.give_up(item, "the client did not answer in time")
        return effects

    def deadline(self) -> float | None:
        """Return the Unix time of the next time limit."""
        return self._timers.deadline()

    def give_up(self, leg: Leg, reason: str) -> list[Effect]:
        """Return the effects of questions that will not be answered."""
        keys = ", ".join(leg.open.values())
        effects = self._drop_leg(leg, reason)
        text = f"{leg.call.target.label} asked the client for {keys}: {reason}"
        return effects + self._answer(leg.call, leg.call.target.fail(text))

    def give_up_all(self, reason: str) -> list[Effect]:
        """Return the effects of a client that can answer no more."""
        self._client_gone = reason
        return [effect for leg in self._back_channel.legs() for effect in self.give_up(leg, reason)]

    def close(self) -> list[Effect]:
        """Return what stops every call; none of them is answered any more."""
        for call in self.open.values():
            call.over = True
            self._timers.stop(call)
        for leg in self._back_channel.legs():
            self._drop_leg(leg, "the connection is closed")
        self.open.clear()
        self._admission.drop_waiting()
        return [Cancel(call) for call in self._admission.running]

    # -- inside ------------------------------------------------------------------------------

    def _run(self, call: Call, now: float, *, known: bool) -> list[Effect]:
        """Check the arguments and let the handler run, now or when there is a place."""
        call.context = Context(call, self._lifespan)
        try:
            bound = call.target.bind(call.context)
        except Exception as error:
            ending = end_with_exception(call, error, show_exceptions=self._show_exceptions)
            assert isinstance(ending, Ending)
            return [*ending.reports, *self._answer(call, ending.answer)]
        if isinstance(bound, Refused):
            return self._answer(call, call.target.refuse(bound.violations))
        call.bound = bound
        entered = self._admission.enter(call, known=known)
        if entered is None:
            text = "Server busy: too many calls are waiting; try again later"
            return self._answer(call, RequestError(INTERNAL_ERROR, text))
        return self._begin(call, now) if entered else []

    def _begin(self, call: Call, now: float) -> list[Effect]:
        limit = call.target.operation.time_limit_s
        if limit is None:
            limit = self._time_limit_s
        if limit is not None:
            self._timers.start(call, limit, now)
        return [Run(call)]

    def _finish(self, call: Call, ending: Ending | Asking, now: float) -> list[Effect]:
        effects = self._flush() if self.outbox.waiting else []
        if call.due_s is not None:
            self._timers.stop(call)
        if isinstance(ending, Asking):
            effects += self._ask(call, ending.questions, now)
        else:
            effects += ending.reports
            effects += self._answer(call, ending.answer)
        following = self._admission.leave(call)
        if following is not None:
            effects += self._begin(following, now)
        return effects

    def _leave(self, call: Call, now: float) -> list[Effect]:
        following = self._admission.leave(call)
        return [] if following is None else self._begin(following, now)

    def _ask(self, call: Call, questions: "Mapping[str, AnyQuestion]", now: float) -> list[Effect]:
        """Ask the client: in the answer where it is modern, by live requests where it is not."""
        limits = self._server.settings.limits
        state = call.rounds.state
        state.round += 1
        if state.round > limits.max_rounds:
            text = f"{call.target.label} asked more than {limits.max_rounds} times"
            return self._fault(call, text)
        if call.request.era is Era.MODERN:
            return self._ask_in_answer(call, questions, now)
        if not questions:
            text = f"{call.target.label} kept a state without a question"
            return self._fault(call, f"{text}, which a client of this revision cannot send back")
        if len(self._back_channel) + len(questions) > limits.max_waiting_calls:
            return self._answer(call, RequestError(INTERNAL_ERROR, _TOO_MANY_QUESTIONS))
        if self._client_gone is not None:
            text = f"{call.target.label} asked the client for {', '.join(questions)}"
            return self._answer(call, call.target.fail(f"{text}: {self._client_gone}"))
        leg, data = self._back_channel.ask(call, questions, call.request.revision)
        self._timers.start(leg, self._server.settings.answer_timeout_s, now)
        return [Send(data)]

    def _ask_in_answer(
        self, call: Call, questions: "Mapping[str, AnyQuestion]", now: float
    ) -> list[Effect]:
        # The protocol's sampling and elicitation families load with the first question.
        from sansmcp_schema.input_required import InputRequiredResult

        binding = binding_of(call.request, call.target)
        token = self._server.sealer.seal(call.rounds.state, binding, now)
        longest = self._server.settings.limits.max_state_bytes
        if len(token) > longest:
            return self._fault(
                call, f"{call.target.label} keeps a request state of more than {longest} bytes"
            )
        result = InputRequiredResult(
            input_requests={
                key: for_revision(question.request(key), call.request.revision)
                for key, question in questions.items()
            }
            or UNSET,
            request_state=token,
        )
        return self._answer(call, result)

    def _fault(self, call: Call, text: str) -> list[Effect]:
        """Answer with an internal error, whatever the method, and tell the log why."""
        report = Report("error", text, None, call.request_id)
        return [
            report,
            *self._answer(call, RequestError(INTERNAL_ERROR, f"Internal error: {text}")),
        ]

    def _drop_leg(self, leg: Leg, reason: str) -> list[Effect]:
        self._timers.stop(leg)
        data = self._back_channel.drop(leg, reason)
        return [Send(data)] if data else []

    def _failure(self, leg: Leg, text: str) -> Failure:
        return leg.call.target.fail(f"{leg.call.target.label}: {text}")

    def _answer(self, call: Call, answer: Failure) -> list[Effect]:
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
        except Exception as error:
            text = f"{call.target.label} returned what cannot be sent"
            ending = Report("error", text, error, id)
            message = (
                f"Internal error: {call.target.label} failed; the server's log has the details"
            )
            return [ending, Send(self._envelope.error(id, INTERNAL_ERROR, message))]
