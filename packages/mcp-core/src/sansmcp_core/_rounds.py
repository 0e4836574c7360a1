"""The rounds of questions in one call: what was answered, what was kept, what is asked next.

Source: MCP 2026-07-28 basic/patterns/mrtr.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from sansmcp_schema.declare import ResultError, to_json

if TYPE_CHECKING:
    from ._questions import AnyQuestion

__all__ = ["RequestState", "Rounds"]

A = TypeVar("A")


class RequestState(msgspec.Struct):
    """What is carried from round to round."""

    round: int = 0
    """Rounds of questions so far."""

    answers: dict[str, msgspec.Raw] = {}
    """Every answer accepted so far, as the client sent it."""

    once: dict[str, Any] = {}
    """Results of the steps that run once."""

    kept: Any = None
    """What the handler itself kept."""

    asked: dict[str, Any] = {}
    """Questions of the last round whose answers only the core can check."""


class Rounds:
    """What one call knows of its questions, over all its runs.

    Args:
        state: What earlier rounds left.
        supplied: The answers that came with this round, by key; not looked at before they are
            asked for, so that extra ones cost nothing and mean nothing.
    """

    __slots__ = ("state", "supplied")

    def __init__(self, state: RequestState, supplied: Mapping[str, bytes]) -> None:
        self.state = state
        self.supplied: Mapping[str, bytes] = supplied

    def answer(self, key: str, question: "AnyQuestion") -> Any:
        """Return the answer to ``question``; None where it is missing or wrong."""
        accepted = self.state.answers.get(key)
        if accepted is not None:
            answer = question.read(bytes(accepted))
            if answer is not None:
                return answer
        raw = self.supplied.get(key)
        if raw is None:
            return None
        answer = question.read(raw)
        if answer is not None:
            self.state.answers[key] = msgspec.Raw(raw)
        return answer

    def all_answers(self, read: "Callable[[bytes, object], A | None]") -> dict[str, A]:
        """Return every answer that came, read by ``read`` with the question where that is known.

        The handler has seen them, so they count as accepted and are carried on.
        """
        answers: dict[str, A] = {}
        raws = {key: bytes(raw) for key, raw in self.state.answers.items()} | dict(self.supplied)
        for key, raw in raws.items():
            answer = read(raw, self.state.asked.get(key))
            if answer is not None:
                answers[key] = answer
                self.state.answers[key] = msgspec.Raw(raw)
        return answers

    def remember(self, key: str, value: Any) -> Any:
        """Keep the result of a step that runs once; return it as it will come back."""
        try:
            kept = msgspec.json.decode(to_json(value))
        except ResultError as error:
            raise ValueError(
                f"ctx.once({key!r}, ...): the step's result cannot be carried on: {error}"
            ) from error
        self.state.once[key] = kept
        return kept

    def asked_explicitly(
        self,
        requests: "Mapping[str, AnyQuestion]",
        kept: Any,
        read: "Callable[[bytes, object], A | None]",
    ) -> None:
        """Note what a handler asks by itself, so that the next round can check the answers.

        What the client answered to the questions before these is kept.
        """
        for key, question in self.state.asked.items():
            raw = self.supplied.get(key)
            if raw is not None and read(raw, question) is not None:
                self.state.answers[key] = msgspec.Raw(raw)
        asked = {key: question.request(key) for key, question in requests.items()}
        # Encoded here, where what has no JSON is still the handler's fault.
        self.state.kept, self.state.asked = msgspec.json.decode(to_json([kept, asked]))
