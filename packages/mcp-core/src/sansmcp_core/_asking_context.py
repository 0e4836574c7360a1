"""How a handler asks its client: answers where there are any, otherwise the way out."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar, overload

import msgspec

from ._call import NO_QUESTIONS
from ._client import client_supports
from ._signals import ClientLacks, NeedsInput
from ._targets import CompletionTarget

if TYPE_CHECKING:
    from sansmcp_schema.roots import Root
    from sansmcp_schema.sampling import CreateMessageResult

    from ._call import Call
    from ._forms import FormSchema
    from ._questions import AnyAnswer, AnyQuestion, Elicitation

__all__ = ["AskingContext"]

T = TypeVar("T")

_encode = msgspec.json.Encoder().encode


class AskingContext:
    """The questions of one run of a handler."""

    __slots__ = ("_asked", "_call", "open_questions")

    def __init__(self, call: "Call") -> None:
        self._call = call
        self._asked: dict[str, bytes] = {}
        self.open_questions: Mapping[str, AnyQuestion] = NO_QUESTIONS
        """What this run asked and the client has not answered yet."""

    def client_supports(self, capability: str) -> bool:
        """Tell whether the client of this request can be asked for something.

        Args:
            capability: ``elicitation.form``, ``elicitation.url``, ``sampling``,
                ``sampling.tools`` or ``roots``.
        """
        request = self._call.request
        return client_supports(request.capabilities, request.revision, capability)

    def ask(self, questions: "Mapping[str, AnyQuestion]") -> "dict[str, Any]":
        """Return the client's answers to several questions, or leave the handler to ask them.

        The handler runs again from the top once the answers are in: what comes before a question
        runs again with it (see ``once``).

        Args:
            questions: Questions by key; a key names one question in all runs of a call.
        """
        if isinstance(self._call.target, CompletionTarget):
            raise TypeError(
                "a completer cannot ask the client; only tools, prompts and resources can"
            )
        answers: dict[str, Any] = {}
        missing: dict[str, AnyQuestion] = {}
        for key, question in questions.items():
            _claim(self._asked, key, question)
            answer = self._call.rounds.answer(key, question)
            if answer is None:
                missing[key] = question
            else:
                answers[key] = answer
        if missing:
            lacking = {
                question.capability: None
                for question in missing.values()
                if not self.client_supports(question.capability)
            }
            if lacking:
                raise ClientLacks(list(lacking))
            self.open_questions = missing
            raise NeedsInput(missing)
        return answers

    @overload
    def elicit(self, key: str, message: str, schema: type[T]) -> "Elicitation[T]": ...

    @overload
    def elicit(
        self, key: str, message: str, schema: "FormSchema"
    ) -> "Elicitation[dict[str, Any]]": ...

    def elicit(self, key: str, message: str, schema: Any) -> "Elicitation[Any]":
        """Return what the user made of a form.

        Args:
            key: Names the question in all runs of the call.
            message: What the user is asked.
            schema: The form: a Struct or dataclass with flat fields, an ``ObjectSchema``, or a
                JSON Schema as a mapping.

        Source: MCP 2026-07-28 client/elicitation.
        """
        answer: Elicitation[Any] = self.ask({key: _questions().Elicit(message, schema)})[key]
        return answer

    def elicit_url(self, key: str, message: str, url: str) -> "Elicitation[None]":
        """Return whether the user agreed to open a page; consent, not completion.

        Args:
            key: Names the question in all runs of the call.
            message: Why the page should be opened.
            url: The page.
        """
        answer: Elicitation[None] = self.ask({key: _questions().ElicitUrl(message, url)})[key]
        return answer

    def sample(
        self, key: str, messages: Any, *, max_tokens: int, **options: Any
    ) -> "CreateMessageResult":
        """Return a message by the client's model.

        Args:
            key: Names the question in all runs of the call.
            messages: The conversation; a plain string is one user message.
            max_tokens: At most this many tokens.
            options: What else ``Sample`` takes.

        Source: MCP 2026-07-28 client/sampling.
        """
        question = _questions().Sample(messages, max_tokens=max_tokens, **options)
        answer: CreateMessageResult = self.ask({key: question})[key]
        return answer

    def list_roots(self, key: str = "roots") -> "list[Root]":
        """Return the folders that the client lets this server work in.

        Source: MCP 2026-07-28 client/roots.
        """
        answer: list[Root] = self.ask({key: _questions().ListRoots()})[key]
        return answer

    def once(self, key: str, function: Callable[[], Any]) -> Any:
        """Return the result of a step that runs in one run of the handler only.

        For effects that come before a question: the result is carried to the next run.

        Args:
            key: Names the step in all runs of the call.
            function: The step; its result must have a JSON form, and that is what comes back.
                Where it is a coroutine function, await what this returns.
        """
        rounds = self._call.rounds
        if key in rounds.state.once:
            value = rounds.state.once[key]
            return _as_awaitable(value) if _is_coroutine_function(function) else value
        result = function()
        if hasattr(result, "__await__"):
            return _remember_awaited(rounds.remember, key, result)
        return rounds.remember(key, result)

    @property
    def answers(self) -> "Mapping[str, AnyAnswer]":
        """The answers that are in, for a handler that returned ``InputRequired``."""
        return self._call.rounds.all_answers(_questions().read_any_answer)

    @property
    def state(self) -> Any:
        """What the handler kept in its last ``InputRequired``; None on the first run."""
        return self._call.rounds.state.kept


def _claim(asked: dict[str, bytes], key: str, question: "AnyQuestion") -> None:
    request = _encode(question.request(key))
    if asked.setdefault(key, request) != request:
        raise ValueError(
            f"the key {key!r} was used for another question in this run; "
            "give each question a key of its own"
        )


def _questions() -> Any:
    """Return the module of the questions, loaded when the first one is asked.

    It brings the protocol's sampling and elicitation families, which most servers never use.
    """
    from . import _questions as module  # noqa: PLC0415

    return module


def _is_coroutine_function(function: Callable[[], Any]) -> bool:
    code = getattr(function, "__code__", None)
    return code is not None and bool(code.co_flags & _CO_COROUTINE)


_CO_COROUTINE = 0x80


async def _as_awaitable(value: Any) -> Any:
    return value


async def _remember_awaited(remember: Callable[[str, Any], Any], key: str, result: Any) -> Any:
    return remember(key, await result)
