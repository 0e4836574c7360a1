"""What a handler may ask the client for, and how its answer is checked.

Source: MCP 2026-07-28 client/elicitation, client/sampling, client/roots.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Generic, Protocol, TypeAlias, TypeVar, cast

import msgspec
from msgspec import UNSET, Struct, UnsetType
from sansmcp_schema.declare import FormRefused
from sansmcp_schema.elicitation import (
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitRequestURLParams,
    ElicitResult,
)
from sansmcp_schema.input_required import InputRequest
from sansmcp_schema.roots import ListRootsRequest, ListRootsResult, Root
from sansmcp_schema.sampling import (
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResult,
    ModelPreferences,
    SamplingMessage,
    ToolChoice,
)
from sansmcp_schema.tools import Tool

from ._forms import FormSchema, form_for

__all__ = [
    "AnyAnswer",
    "AnyQuestion",
    "Elicit",
    "ElicitUrl",
    "Elicitation",
    "ListRoots",
    "Question",
    "Sample",
    "read_any_answer",
]

_ABSOLUTE_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s]+\Z")

T = TypeVar("T")
A_co = TypeVar("A_co", covariant=True)


class Elicitation(Generic[T]):
    """What the user made of a question."""

    __slots__ = ("_content", "action")

    def __init__(self, action: str, content: T | None) -> None:
        self.action = action
        """``accept``, ``decline`` or ``cancel``."""
        self._content = content

    @property
    def accepted(self) -> bool:
        """Whether the user filled the form in, or agreed to open the URL."""
        return self.action == "accept"

    @property
    def content(self) -> T:
        """The filled-in form; there is one only where it was accepted.

        Raises:
            ValueError: The user declined or cancelled; look at ``accepted`` first.
        """
        if not self.accepted or self._content is None:
            raise ValueError(
                f"there is no content: the action is {self.action!r}; "
                "look at `accepted` before `content`"
            )
        return self._content

    def __repr__(self) -> str:
        return f"Elicitation(action={self.action!r}, content={self._content!r})"


class Question(Protocol[A_co]):
    """One thing that a client can be asked for."""

    @property
    def capability(self) -> str:
        """What the client must be able to do, such as ``elicitation.form``."""

    def request(self, key: str) -> InputRequest:
        """Return the request as the client sees it."""

    def read(self, raw: bytes) -> A_co | None:
        """Return the answer in ``raw``; None where it is none, so that it is asked for again."""


class Elicit(Generic[T]):
    """A form for the user.

    Args:
        message: What the user is asked.
        schema: The form: a Struct or dataclass with flat fields, an ``ObjectSchema``, or a JSON
            Schema as a mapping.
    """

    __slots__ = ("_form", "message")

    def __init__(self, message: str, schema: type[T] | FormSchema) -> None:
        self.message = message
        self._form = form_for(schema)

    @property
    def capability(self) -> str:
        """What the client must be able to do; older revisions have no choice of several values."""
        fields = self._form.schema["properties"].values()
        several = any(field.get("type") == "array" for field in fields)
        return "elicitation.choices" if several else "elicitation.form"

    def request(self, key: str) -> ElicitRequest:
        """Return the request as the client sees it."""
        return ElicitRequest(
            params=ElicitRequestFormParams(message=self.message, requested_schema=self._form.schema)
        )

    def read(self, raw: bytes) -> Elicitation[T] | None:
        """Return the answer in ``raw``, with content of the form's type."""
        result = _decode_elicit(raw)
        if result is None:
            return None
        if result.action != "accept":
            return Elicitation(result.action, None)
        content = {} if result.content is UNSET or result.content is None else result.content
        value = self._form.read(content)
        return None if isinstance(value, FormRefused) else Elicitation("accept", cast("T", value))


class ElicitUrl:
    """A page for the user to open; accepting is consent to open it, not completion.

    Args:
        message: Why the page should be opened.
        url: The page.
        elicitation_id: Names this question in revision 2025-11-25; by default its key.
    """

    __slots__ = ("elicitation_id", "message", "url")
    capability = "elicitation.url"

    def __init__(self, message: str, url: str, *, elicitation_id: str | None = None) -> None:
        if _ABSOLUTE_URL.match(url) is None:
            raise ValueError(
                f"url must be an absolute URL such as https://example.com/, got {url!r}"
            )
        self.message = message
        self.url = url
        self.elicitation_id = elicitation_id

    def request(self, key: str) -> ElicitRequest:
        """Return the request as the client sees it."""
        return ElicitRequest(
            params=ElicitRequestURLParams(
                message=self.message,
                url=self.url,
                elicitation_id=self.elicitation_id or key,
            )
        )

    def read(self, raw: bytes) -> Elicitation[None] | None:
        """Return the answer in ``raw``; it has no content."""
        result = _decode_elicit(raw)
        return None if result is None else Elicitation(result.action, None)


class Sample:
    """A completion by the client's model.

    Args:
        messages: The conversation; a plain string is one user message.
        max_tokens: At most this many tokens.
        model_preferences: What matters in the choice of a model.
        system_prompt: The system prompt.
        temperature: The sampling temperature.
        stop_sequences: Texts at which to stop.
        include_context: Deprecated by the protocol; left out by default.
        metadata: Passed to the provider as it is.
        tools: Tools that the model may call; the client must be able to.
        tool_choice: Whether the model may, must or must not call a tool.
    """

    __slots__ = ("_params",)

    def __init__(
        self,
        messages: str | Sequence[SamplingMessage | Mapping[str, Any]],
        *,
        max_tokens: int,
        model_preferences: ModelPreferences | UnsetType = UNSET,
        system_prompt: str | UnsetType = UNSET,
        temperature: float | UnsetType = UNSET,
        stop_sequences: list[str] | UnsetType = UNSET,
        include_context: Any = UNSET,
        metadata: dict[str, Any] | UnsetType = UNSET,
        tools: list[Tool] | UnsetType = UNSET,
        tool_choice: ToolChoice | UnsetType = UNSET,
    ) -> None:
        self._params = CreateMessageRequestParams(
            messages=_sampling_messages(messages),
            max_tokens=max_tokens,
            model_preferences=model_preferences,
            system_prompt=system_prompt,
            temperature=temperature,
            stop_sequences=stop_sequences,
            include_context=include_context,
            metadata=metadata,
            tools=tools,
            tool_choice=tool_choice,
        )

    @property
    def capability(self) -> str:
        """What the client must be able to do."""
        with_tools = self._params.tools is not UNSET or self._params.tool_choice is not UNSET
        return "sampling.tools" if with_tools else "sampling"

    def request(self, key: str) -> CreateMessageRequest:
        """Return the request as the client sees it."""
        return CreateMessageRequest(params=self._params)

    def read(self, raw: bytes) -> CreateMessageResult | None:
        """Return the model's message in ``raw``."""
        return _decode(raw, CreateMessageResult)


class ListRoots:
    """The folders that the client lets this server work in."""

    __slots__ = ()
    capability = "roots"

    def request(self, key: str) -> ListRootsRequest:
        """Return the request as the client sees it."""
        return ListRootsRequest()

    def read(self, raw: bytes) -> list[Root] | None:
        """Return the roots in ``raw``."""
        result = _decode(raw, ListRootsResult)
        return None if result is None else result.roots


AnyQuestion: TypeAlias = Question[Any]
AnyAnswer: TypeAlias = Elicitation[Any] | CreateMessageResult | list[Root]


def read_any_answer(raw: bytes, asked: object) -> AnyAnswer | None:
    """Return the answer in ``raw`` by its own shape, checked against the question where known.

    Args:
        raw: What the client sent.
        asked: The question as it was sent, or None.
    """
    for result_type, reader in _BY_SHAPE:
        if _decode(raw, result_type) is not None:
            schema = _form_of(asked)
            question: AnyQuestion = reader
            if schema is not None and result_type is ElicitResult:
                question = Elicit("", schema)
            return cast("AnyAnswer | None", question.read(raw))
    return None


def _form_of(asked: object) -> dict[str, Any] | None:
    if not isinstance(asked, dict) or not isinstance(asked.get("params"), dict):
        return None
    schema = asked["params"].get("requestedSchema")
    return schema if isinstance(schema, dict) else None


class _AnyForm:
    """An elicitation whose form is not known any more: what came is taken as it is."""

    capability = "elicitation"

    def request(self, key: str) -> InputRequest:
        raise NotImplementedError("only answers are read")

    def read(self, raw: bytes) -> Elicitation[Any] | None:
        result = _decode_elicit(raw)
        if result is None:
            return None
        return Elicitation(result.action, None if result.content is UNSET else result.content)


def _decode(raw: bytes, type_: type[T]) -> T | None:
    try:
        return msgspec.json.decode(raw, type=type_)
    except (ValueError, RecursionError):
        return None


def _decode_elicit(raw: bytes) -> ElicitResult | None:
    return _decode(raw, ElicitResult)


def _sampling_messages(
    messages: str | Sequence[SamplingMessage | Mapping[str, Any]],
) -> list[SamplingMessage]:
    if isinstance(messages, str):
        messages = [{"role": "user", "content": {"type": "text", "text": messages}}]
    return [
        message
        if isinstance(message, SamplingMessage)
        else msgspec.convert(message, SamplingMessage)
        for message in messages
    ]


_BY_SHAPE: tuple[tuple[type[Struct], AnyQuestion], ...] = (
    (ElicitResult, _AnyForm()),
    (ListRootsResult, ListRoots()),
    (CreateMessageResult, Sample("", max_tokens=1)),
)
