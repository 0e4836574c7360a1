"""What a handler sees of the request it serves, and how it speaks to the client meanwhile."""

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar, overload

import msgspec
from msgspec import UNSET
from sansmcp_schema.capabilities import ClientCapabilities, Implementation
from sansmcp_schema.declare import to_json
from sansmcp_schema.notifications import (
    LoggingMessageNotification,
    LoggingMessageNotificationParams,
    ProgressNotification,
    ProgressNotificationParams,
)
from sansmcp_schema.requests import LoggingLevel, decode_meta
from sansmcp_schema.revisions import for_revision

from ._client import client_supports
from ._envelope import encode_line
from ._era import Era
from ._session import LOG_LEVELS
from ._signals import CallCancelled, ClientLacks, NeedsInput
from ._targets import CompletionTarget

if TYPE_CHECKING:
    from sansmcp_schema.roots import Root
    from sansmcp_schema.sampling import CreateMessageResult

    from ._call import Call
    from ._forms import FormSchema
    from ._questions import AnyAnswer, AnyQuestion, Elicitation

__all__ = ["Context"]

T = TypeVar("T")

_encode = msgspec.json.Encoder().encode


class Context:
    """The request behind one run of a handler.

    A handler gets it by annotating a parameter with this class; the parameter is never part of
    the published schema. Progress and log messages may come from any thread, and are dropped once
    the call has ended.
    """

    __slots__ = ("_asked", "_call", "lifespan", "open_questions")

    def __init__(self, call: "Call", lifespan: Any) -> None:
        self._call = call
        self._asked: dict[str, bytes] = {}
        self.lifespan: Any = lifespan
        """What the server's ``lifespan`` yielded; None where it has none."""
        self.open_questions: Mapping[str, AnyQuestion] = {}
        """What this run asked and the client has not answered yet."""

    # -- the request -------------------------------------------------------------------------

    @property
    def request(self) -> "RequestView":
        """The request's own facts: id, era, protocol version, client, ``_meta``."""
        return RequestView(self._call)

    @property
    def cancelled(self) -> bool:
        """Whether the client no longer wants the answer, or the time limit has passed."""
        return self._call.over

    def check_cancelled(self) -> None:
        """Leave the handler here if the call was cancelled.

        Raises:
            CallCancelled: It was; a ``BaseException``, to be let pass.
        """
        if self._call.over:
            raise CallCancelled("the call was cancelled; let this exception pass")

    def client_supports(self, capability: str) -> bool:
        """Tell whether the client of this request can be asked for something.

        Args:
            capability: ``elicitation.form``, ``elicitation.url``, ``sampling``,
                ``sampling.tools`` or ``roots``.
        """
        request = self._call.request
        return client_supports(request.capabilities, request.revision, capability)

    # -- what the client hears meanwhile -----------------------------------------------------

    def report_progress(
        self, progress: float, total: float | None = None, message: str | None = None
    ) -> None:
        """Tell the client how far the call has come, where it asked to be told.

        Args:
            progress: How far; a value that does not grow is dropped.
            total: How far it goes, if known.
            message: What is being done.

        Source: MCP 2026-07-28 basic/patterns/progress.
        """
        for value in (progress, 0.0 if total is None else total):
            if not math.isfinite(value):
                raise ValueError(f"progress and total must be finite numbers, got {value!r}")
        call = self._call
        token = call.request.meta.progress_token
        if token is UNSET or progress <= call.last_progress:
            return
        call.last_progress = progress
        params = ProgressNotificationParams(
            progress_token=token,
            progress=progress,
            total=UNSET if total is None else total,
            message=UNSET if message is None else message,
        )
        notification = for_revision(
            ProgressNotification(params=params), self._call.request.revision
        )
        call.notify(encode_line(notification))

    def log(self, level: LoggingLevel, data: Any, *, logger: str | None = None) -> None:
        """Send the client a log message, where it asked for messages of this level.

        Args:
            level: One of the eight levels of RFC 5424.
            data: Any JSON value.
            logger: Name of the part that logs.

        Source: MCP 2026-07-28 server/utilities/logging.
        """
        if level not in LOG_LEVELS:
            raise ValueError(f"unknown log level {level!r}; there are {', '.join(LOG_LEVELS)}")
        wanted = self._call.request.log_level
        if wanted is None or LOG_LEVELS[level] < LOG_LEVELS[wanted]:
            return
        params = LoggingMessageNotificationParams(
            level=level, data=msgspec.Raw(to_json(data)), logger=UNSET if logger is None else logger
        )
        notification = for_revision(
            LoggingMessageNotification(params=params), self._call.request.revision
        )
        self._call.notify(encode_line(notification))

    def close_stream(self, retry_ms: int) -> None:
        """Have a legacy client hang up and come back for the rest, so that no connection waits.

        The call goes on. Only HTTP clients of the legacy era whose streams can be resumed are
        told so; elsewhere it does nothing.

        Args:
            retry_ms: Milliseconds after which the client should connect again.

        Source: MCP 2025-11-25 basic/transports, Sending Messages to the Server, 6.
        """
        if retry_ms < 0:
            raise ValueError(f"retry_ms must be 0 or more milliseconds, got {retry_ms}")
        self._call.channel.close_stream(self._call, retry_ms)

    # -- questions to the client -------------------------------------------------------------

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


class RequestView:
    """The facts of one request, as its handler may see them."""

    __slots__ = ("_call",)

    def __init__(self, call: "Call") -> None:
        self._call = call

    @property
    def id(self) -> str | int:
        """The JSON-RPC id."""
        return self._call.request_id

    @property
    def era(self) -> Era:
        """Modern or legacy."""
        return self._call.request.era

    @property
    def protocol_version(self) -> str:
        """The revision the request is served by."""
        return self._call.request.revision

    @property
    def client_info(self) -> Implementation | None:
        """What the client calls itself; not verified by anyone."""
        return self._call.request.client_info

    @property
    def client_capabilities(self) -> ClientCapabilities:
        """What the client declared."""
        return self._call.request.capabilities

    @property
    def meta(self) -> dict[str, Any]:
        """The whole ``_meta`` of the request, decoded anew at each look."""
        return decode_meta(self._call.request.message.params)

    @property
    def progress_token(self) -> str | int | None:
        """The token that asks for progress; None where the client did not."""
        token = self._call.request.meta.progress_token
        return None if token is UNSET else token

    @property
    def http_headers(self) -> dict[str, str]:
        """The header fields of the HTTP request, names in lower case; empty on a byte stream."""
        head = self._call.channel.head
        if head is None:
            return {}
        return {name.decode("latin-1"): value.decode("latin-1") for name, value in head.headers}

    @property
    def principal(self) -> str | None:
        """Who is authorized; always None on a byte stream."""
        return None

    @property
    def scopes(self) -> frozenset[str]:
        """What the principal may do; always empty on a byte stream."""
        return frozenset()


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
