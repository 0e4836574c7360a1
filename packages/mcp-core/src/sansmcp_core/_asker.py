"""Questions to the client: in the answer where it is modern, by live requests where it is not.

Source: MCP 2026-07-28 basic/patterns/mrtr; 2025-11-25 client/elicitation, sampling, roots.
"""

from typing import TYPE_CHECKING

from msgspec import UNSET
from sansmcp_schema.jsonrpc import INTERNAL_ERROR
from sansmcp_schema.revisions import for_revision

from ._back_channel import Leg, Refusal
from ._decode import Answer
from ._effects import Effect, Report
from ._era import Era
from ._errors import RequestError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ._back_channel import BackChannel
    from ._call import Call
    from ._calls import Calls
    from ._questions import AnyQuestion
    from ._server import Server

__all__ = ["Asker"]

_BUSY = "Server busy: too many questions to this client wait for an answer"


class Asker:
    """Asks what calls want to know, of the client behind each call's channel.

    Args:
        server: What is served.
        calls: The calls that ask.
    """

    def __init__(self, server: "Server", calls: "Calls") -> None:
        self._server = server
        self._limits = server.settings.limits
        self._calls = calls

    def ask(self, call: "Call", questions: "Mapping[str, AnyQuestion]", now: float) -> list[Effect]:
        """Return what asks the client, or the error where it cannot be asked any more."""
        state = call.rounds.state
        state.round += 1
        if state.round > self._limits.max_rounds:
            return self._fault(call, f"asked more than {self._limits.max_rounds} times")
        if call.request.era is Era.MODERN:
            return self._ask_in_answer(call, questions, now)
        if not questions:
            text = "kept a state without a question, which a client of this revision cannot send"
            return self._fault(call, f"{text} back")
        channel = call.channel
        if len(channel.back_channel) + len(questions) > self._limits.max_waiting_calls:
            return self._calls.answer(call, RequestError(INTERNAL_ERROR, _BUSY))
        reason = channel.why_no_answers()
        if reason is not None:
            text = f"{call.target.label} asked the client for {', '.join(questions)}: {reason}"
            return self._calls.answer(call, call.target.fail(text))
        leg, data = channel.back_channel.ask(call, questions, call.request.revision)
        channel.timers.start(leg, self._server.settings.answer_timeout_s, now)
        return channel.say(data)

    def take_answer(
        self, back_channel: "BackChannel", answer: Answer, now: float
    ) -> tuple["Call", list[Effect]] | None:
        """Return the call that goes on with the client's answer, and its effects."""
        taken = back_channel.take(answer)
        if taken is None:
            return None
        if isinstance(taken, Refusal):
            call = taken.leg.call
            effects = self.drop(taken.leg, "another question of the call was refused")
            failure = call.target.fail(f"{call.target.label}: {taken.text}")
            return call, effects + self._calls.answer(call, failure)
        call = taken.call
        call.channel.timers.stop(taken)
        call.rounds.supplied = taken.answers
        return call, self._calls.run(call, now, True)

    def give_up(self, leg: Leg, reason: str) -> list[Effect]:
        """Return the effects of questions that will not be answered."""
        keys = ", ".join(leg.open.values())
        effects = self.drop(leg, reason)
        text = f"{leg.call.target.label} asked the client for {keys}: {reason}"
        return effects + self._calls.answer(leg.call, leg.call.target.fail(text))

    def withdraw(self, call: "Call") -> list[Effect] | None:
        """Return what takes the questions of ``call`` back; None where it asks nothing."""
        leg = call.channel.back_channel.leg_of(call)
        return None if leg is None else self.drop(leg, "the call was cancelled")

    def drop(self, leg: Leg, reason: str) -> list[Effect]:
        """Forget a leg; return what tells the client so."""
        channel = leg.call.channel
        channel.timers.stop(leg)
        data = channel.back_channel.drop(leg, reason)
        return channel.say(data) if data else []

    def _ask_in_answer(
        self, call: "Call", questions: "Mapping[str, AnyQuestion]", now: float
    ) -> list[Effect]:
        # What only questions need loads with the first of them.
        from sansmcp_schema.input_required import InputRequiredResult  # noqa: PLC0415

        from ._request_state import binding_of  # noqa: PLC0415

        binding = binding_of(call.request, call.target)
        token = self._server.sealer.seal(call.rounds.state, binding, now)
        longest = self._limits.max_state_bytes
        if len(token) > longest:
            return self._fault(call, f"keeps a request state of more than {longest} bytes")
        requests = {
            key: for_revision(question.request(key), call.request.revision)
            for key, question in questions.items()
        }
        result = InputRequiredResult(input_requests=requests or UNSET, request_state=token)
        return self._calls.answer(call, result)

    def _fault(self, call: "Call", text: str) -> list[Effect]:
        """Answer with an internal error, whatever the method, and tell the log why."""
        text = f"{call.target.label} {text}"
        error = RequestError(INTERNAL_ERROR, f"Internal error: {text}")
        return [Report("error", text, None, call.request_id), *self._calls.answer(call, error)]
