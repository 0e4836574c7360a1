"""Prompts: a declaration and its handler -> the entry that is listed and got."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypedDict, Unpack

import msgspec
from msgspec import UNSET
from sansmcp_schema.content import ContentBlock, Icon, TextContent
from sansmcp_schema.declare import Parameter, ResultError
from sansmcp_schema.prompts import Prompt as PromptListing
from sansmcp_schema.prompts import PromptArgument, PromptMessage
from sansmcp_schema.results import GetPromptResult

from ._awaitables import refuse_awaitable
from ._checks import check_icons, check_listing, check_meta, check_name
from ._content import CONTENT_BLOCKS, or_unset, plain_text
from ._errors import RegistrationError
from ._handlers import description_of, mode_of, name_of
from ._operation import Bound, Mode, Refused
from ._registry import Registry
from ._resource_options import check_limits
from ._sendable import require_parts, require_sendable
from ._settings import DEFAULT_SETTINGS, Settings
from ._string_arguments import StringArguments, string_options

__all__ = [
    "Prompt",
    "PromptDeclaration",
    "PromptOptions",
    "PromptRegistry",
    "assistant",
    "make_prompt",
    "user",
]


class PromptOptions(TypedDict, total=False):
    """The keyword options of a prompt; see ``PromptDeclaration`` for meanings and defaults."""

    name: str
    title: str
    description: str
    arguments: Any
    parameters: Mapping[str, Parameter]
    icons: Iterable[Icon | Mapping[str, Any]]
    meta: Mapping[str, Any]
    inline: bool
    time_limit_s: float
    scopes: Iterable[str]


class PromptDeclaration(msgspec.Struct, frozen=True, kw_only=True):
    """The options of one prompt; ``None`` leaves a thing unsaid."""

    name: str | None = None
    """The handler's own name by default."""

    title: str | None = None
    """A name for people."""

    description: str | None = None
    """What it is for; the handler's docstring without its sections by default."""

    arguments: Any = None
    """The arguments, where the signature is not them: a Struct or dataclass, or a list of
    ``PromptArgument`` (or dicts like them, or names); with a list the handler takes one dict."""

    parameters: Mapping[str, Parameter] | None = None
    """Options per parameter, by its Python name."""

    icons: Iterable[Icon | Mapping[str, Any]] | None = None
    """Images for user interfaces."""

    meta: Mapping[str, Any] | None = None
    """The prompt's ``_meta``."""

    inline: bool = False
    """Run it without a thread, between reading and writing: quick functions only."""

    time_limit_s: float | None = None
    """Seconds a call may take; the server's setting by default."""

    scopes: Iterable[str] = ()
    """Scopes that the caller must hold."""

    def __post_init__(self) -> None:
        check_limits(self.time_limit_s, self.scopes)


class Prompt:
    """A prompt: how it is listed, how its arguments are read, how its results are told.

    Made by ``make_prompt``.
    """

    __slots__ = (
        "_arguments",
        "_listing",
        "description",
        "function",
        "mode",
        "name",
        "scopes",
        "time_limit_s",
    )

    def __init__(
        self,
        listing: PromptListing,
        declaration: PromptDeclaration,
        arguments: StringArguments,
        mode: Mode,
    ) -> None:
        self.name = listing.name
        self.description = listing.description
        self.function = arguments.function
        self.mode = mode
        self.time_limit_s = declaration.time_limit_s
        self.scopes = frozenset(declaration.scopes)
        self._listing = listing
        self._arguments = arguments

    @property
    def name_in_references(self) -> str:
        """What a completion's reference calls it."""
        return self.name

    @property
    def argument_names(self) -> tuple[str, ...]:
        """The names of the arguments, in order."""
        return self._arguments.names

    def resolve(self) -> None:
        """Build what a name that was not defined had kept from being built.

        Raises:
            RegistrationError: The name is still not defined.
        """
        self._arguments.resolve()

    @property
    def takes_context(self) -> bool:
        """Whether the handler has a parameter for the context."""
        return self._arguments.takes_context

    def bind(self, raw: bytes | None, context: Any) -> Bound | Refused:
        """The handler's arguments, converted from strings; or what is wrong with them.

        Args:
            raw: The JSON object of the arguments; ``None`` for none.
            context: Given to the handler's ``Context`` parameter.
        """
        return self._arguments.read(raw, context)

    def result(self, value: Any) -> GetPromptResult:
        """The result that says what the handler returned.

        Raises:
            ResultError: It is nothing that makes up a prompt.
        """
        if not isinstance(value, GetPromptResult):
            messages = _messages(value)
            require_sendable(messages)
            return GetPromptResult(description=self.description, messages=messages)
        require_parts(value.messages, PromptMessage, "the handler's GetPromptResult.messages")
        require_sendable(value)
        # A copy, for the handler may return the same ready-made result again and again.
        described = self.description if value.description is UNSET else value.description
        return msgspec.structs.replace(value, description=described)

    def listing(self) -> PromptListing:
        """What clients see of it, before a revision takes out what it lacks."""
        schema = self._arguments.schema
        required = schema.get("required", ())
        arguments = [
            PromptArgument(
                name=name,
                title=_string(schema["properties"][name], "title"),
                description=_string(schema["properties"][name], "description"),
                required=name in required,
            )
            for name in self.argument_names
        ]
        return msgspec.structs.replace(self._listing, arguments=arguments or UNSET)

    def before_listing(self) -> None:
        """Nothing: a prompt lists what was declared."""


class PromptRegistry(Registry[Prompt]):
    """The prompts of one server.

    Args:
        changed: Called after each change.
        settings: The server's switches.
    """

    def __init__(self, changed: Callable[[], None], settings: Settings = DEFAULT_SETTINGS) -> None:
        super().__init__("prompt", changed)
        self._settings = settings

    def add_function(
        self,
        function: Callable[..., Any],
        localns: Mapping[str, Any] | None = None,
        *,
        may_postpone: bool = True,
        **options: Unpack[PromptOptions],
    ) -> Prompt:
        """Register ``function`` as a prompt, and give its entry.

        Args:
            function: The handler.
            localns: Names that postponed annotations may use beside the module's.
            may_postpone: Take annotations with names that are not defined yet.
            options: See ``PromptDeclaration``.

        Raises:
            RegistrationError: The declaration cannot be served.
        """
        prompt = make_prompt(
            function,
            PromptDeclaration(**options),
            self._settings,
            localns,
            may_postpone=may_postpone,
        )
        self.add(prompt)
        return prompt


def make_prompt(
    function: Callable[..., Any],
    declaration: PromptDeclaration,
    settings: Settings,
    localns: Mapping[str, Any] | None,
    *,
    may_postpone: bool,
) -> Prompt:
    """The prompt that runs ``function``.

    Args:
        function: The handler.
        declaration: What its author said.
        settings: The server's switches.
        localns: Names that postponed annotations may use beside the module's.
        may_postpone: Take annotations with names that are not defined yet; they are looked up
            again when serving starts.

    Raises:
        RegistrationError: The declaration cannot be served.
    """
    mode = mode_of(function, declaration.inline, noun="prompt")
    name = declaration.name
    name = check_name("prompt", name_of(function, "prompt") if name is None else name)
    where = f"prompt {name!r}"
    described = declaration.description
    arguments = declaration.arguments
    if isinstance(arguments, list | tuple):
        arguments = _schema_of(where, arguments)
    listing = PromptListing(
        name=name,
        title=or_unset(declaration.title),
        description=or_unset(description_of(function) if described is None else described),
        icons=or_unset(check_icons(where, declaration.icons)),
        meta=or_unset(check_meta(where, declaration.meta)),
    )
    return Prompt(
        check_listing(where, listing),
        declaration,
        StringArguments(
            function,
            string_options(
                settings,
                "prompt",
                name,
                parameters=declaration.parameters,
                localns=localns,
                may_be_open=True,
            ),
            mode,
            arguments=arguments,
            may_postpone=may_postpone,
        ),
        mode,
    )


def user(content: str | ContentBlock) -> PromptMessage:
    """Give a prompt's message in the user's name.

    Args:
        content: A text, or a block from ``text``, ``image``, ``audio``, ``resource_link``,
            ``embedded_text`` or ``embedded_blob``.
    """
    return PromptMessage("user", _block(content))


def assistant(content: str | ContentBlock) -> PromptMessage:
    """Give a prompt's message in the assistant's name.

    Args:
        content: A text, or a content block.
    """
    return PromptMessage("assistant", _block(content))


def _block(content: str | ContentBlock) -> ContentBlock:
    if isinstance(content, str):
        return TextContent(plain_text(content))
    if isinstance(content, CONTENT_BLOCKS):
        return content
    refuse_awaitable(content)
    raise ResultError(
        "a prompt is made of texts, content blocks, user(...) and assistant(...) messages; "
        f"got {type(content).__name__}"
    )


def _messages(value: Any) -> list[PromptMessage]:
    items = value if isinstance(value, list | tuple) else [value]
    return [item if isinstance(item, PromptMessage) else user(item) for item in items]


def _schema_of(where: str, arguments: Iterable[Any]) -> dict[str, Any]:
    """A list of arguments -> the JSON Schema of the object that holds them, all of them strings."""
    properties: dict[str, Any] = {}
    required: list[str] = []
    for item in arguments:
        argument = _argument(where, item)
        if argument.name in properties:
            raise RegistrationError(f"{where}: its argument {argument.name!r} is declared twice")
        keywords = {"title": argument.title, "description": argument.description}
        properties[argument.name] = {
            "type": "string",
            **{key: text for key, text in keywords.items() if text is not UNSET},
        }
        if argument.required is True:
            required.append(argument.name)
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _argument(where: str, item: Any) -> PromptArgument:
    if isinstance(item, str):
        argument = PromptArgument(name=item, required=True)
    elif isinstance(item, PromptArgument):
        argument = check_listing(f"an argument of {where}", item)
    else:
        try:
            argument = msgspec.convert(item, PromptArgument)
        except msgspec.ValidationError as error:
            raise RegistrationError(
                f"{where}: {item!r} is no argument ({error}); expected PromptArgument(name=...), a "
                'dict such as {"name": ..., "required": true}, or a name'
            ) from error
    check_name(f"argument of {where}", argument.name)
    return argument


def _string(schema: Any, keyword: str) -> Any:
    value = schema.get(keyword) if isinstance(schema, dict) else None
    return value if isinstance(value, str) else UNSET
