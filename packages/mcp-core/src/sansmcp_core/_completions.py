"""Completers: who proposes values for a prompt's argument or a template's variable."""

import inspect
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from enum import Enum
from functools import update_wrapper
from itertools import islice
from typing import Any, Final, Literal, TypeAlias, TypedDict, get_args

import msgspec
from msgspec import UNSET
from sansmcp_schema.completion import Completion, PromptReference, ResourceTemplateReference
from sansmcp_schema.declare import ResultError
from sansmcp_schema.results import CompleteResult

from ._awaitables import refuse_awaitable
from ._content import plain_text
from ._context import Context
from ._errors import RegistrationError
from ._handlers import awaited, mode_of
from ._operation import Bound, Mode
from ._prompts import Prompt, PromptRegistry
from ._registry import Registry, describe_function
from ._resource_options import check_limits
from ._resources import ResourceRegistry, ResourceTemplate

__all__ = [
    "NO_COMPLETER",
    "Completer",
    "Completion",
    "CompletionOptions",
    "CompletionRegistry",
    "NoCompleter",
]

_MAX_VALUES = 100
_CONTEXT_NAME = r"\bContext\b"

_Given: TypeAlias = Literal["value", "filled", "context"]
_Reference: TypeAlias = PromptReference | ResourceTemplateReference


class CompletionOptions(TypedDict, total=False):
    """The keyword options of a completer; see ``CompletionRegistry.add``."""

    inline: bool
    time_limit_s: float
    scopes: Collection[str]


class NoCompleter(Enum):
    """A known argument for which nothing is proposed: the answer is an empty list."""

    NO_COMPLETER = "no completer"


NO_COMPLETER: Final = NoCompleter.NO_COMPLETER


class Completer(msgspec.Struct, frozen=True, kw_only=True):
    """A function that proposes values for one argument."""

    name: str
    owner: Prompt | ResourceTemplate
    function: Callable[..., Any]
    positional: tuple[_Given, ...]
    keywords: dict[str, _Given]
    mode: Mode
    time_limit_s: float | None
    scopes: frozenset[str]

    def bind(self, value: str, filled: Mapping[str, str], context: Any) -> Bound:
        """Give the function's arguments for what has been typed so far.

        Args:
            value: The text typed so far.
            filled: The arguments that are settled already.
            context: What the handler sees as its context.
        """
        given = {"value": value, "filled": dict(filled), "context": context}
        args = tuple(given[kind] for kind in self.positional)
        kwargs = {name: given[kind] for name, kind in self.keywords.items()}
        return Bound(args, kwargs)

    def resolve(self) -> None:
        """Nothing: what its parameters get is known from the beginning."""

    @property
    def takes_context(self) -> bool:
        """Whether the function has a parameter for the context."""
        return "context" in self.positional or "context" in self.keywords.values()

    def result(self, value: Any) -> CompleteResult:
        """Give the answer for what the function returned.

        Raises:
            ResultError: The value is no list of strings.
        """
        if isinstance(value, CompleteResult):
            return CompleteResult(completion=_completion(value.completion), meta=value.meta)
        return CompleteResult(completion=_completion(value))


class CompletionRegistry:
    """The completers of one server.

    Args:
        prompts: The prompts whose arguments can be completed.
        resources: The resource templates whose variables can be completed.
    """

    def __init__(self, prompts: PromptRegistry, resources: ResourceRegistry) -> None:
        self._prompts = prompts
        self._resources = resources
        self._completers: Registry[Completer] = Registry("completer", lambda: None)

    @property
    def offered(self) -> bool:
        """Whether there is, or has been, an entry: clients that were told so may still ask."""
        return self._completers.offered

    def __len__(self) -> int:
        """The number of completers."""
        return len(self._completers)

    def add(
        self,
        ref: str,
        argument: str,
        function: Callable[..., Any],
        *,
        inline: bool = False,
        time_limit_s: float | None = None,
        scopes: Collection[str] | None = None,
    ) -> None:
        """Let ``function`` propose values for one argument.

        The function gets the text typed so far; a second parameter gets a dict of the arguments
        that are settled already, and a parameter annotated ``Context`` the context. It returns an
        iterable of strings, best first; ``(values, total)``; a ``Completion``; or ``None``. Beyond
        100 values the rest is cut and ``hasMore`` is true.

        Args:
            ref: The name of a registered prompt, or the text of a registered template.
            argument: The name of the argument or variable.
            function: A function, or an async one.
            inline: Run it between reading and writing: quick functions only.
            time_limit_s: Seconds one run may take; ``None`` asks the server's settings.
            scopes: Scopes a principal must hold; those of the prompt or template by default.

        Raises:
            RegistrationError: Prompt, template or argument is unknown, the argument has a completer
                already, or the signature fits no completer.
        """
        owner = self._owner_named(ref)
        if owner is None:
            raise RegistrationError(
                f"no prompt or resource template {ref!r} is registered; register it before its "
                "completers"
            )
        known = _known_arguments(owner)
        if known is not None and argument not in known:
            raise RegistrationError(
                f"{ref!r} has no argument {argument!r}; it has: {', '.join(known) or 'none'}"
            )
        name = _key(ref, argument)
        check_limits(time_limit_s, scopes)
        mode = mode_of(function, inline, noun="completer")
        positional, keywords = _parameters(function)
        completer = Completer(
            name=name,
            owner=owner,
            function=awaited(function, mode) if mode is Mode.ASYNC else _collected(function),
            positional=positional,
            keywords=keywords,
            mode=mode,
            time_limit_s=time_limit_s,
            scopes=owner.scopes if scopes is None else frozenset(scopes),
        )
        former = self._completers.find(name)
        if former is not None and former.owner is not owner:
            self._completers.remove(name)
        self._completers.add(completer)

    def remove(self, ref: str, argument: str) -> None:
        """Forget the completer of an argument.

        Raises:
            RegistrationError: There is none, or the server is frozen.
        """
        self._completers.remove(_key(ref, argument))

    def find(self, ref: _Reference, argument: str) -> Completer | NoCompleter | None:
        """Give the completer of an argument, ``NO_COMPLETER`` where it has none.

        Args:
            ref: The prompt, or the template: by its text or by a URI that matches it.
            argument: The name of the argument or variable.

        Returns:
            ``None`` where prompt, template or argument is unknown.
        """
        owner: Prompt | ResourceTemplate | None
        if isinstance(ref, PromptReference):
            owner = self._prompts.find(ref.name)
        else:
            owner = self._resources.find_template(ref.uri)
        if owner is None or argument not in owner.argument_names:
            return None
        completer = self._completers.find(_key(owner.name_in_references, argument))
        # A prompt that was removed and added anew is another one: its completers went with it.
        return completer if completer is not None and completer.owner is owner else NO_COMPLETER

    def every(self) -> list[Completer]:
        """All completers, in order of registration."""
        return self._completers.every()

    def freeze(self) -> None:
        """Refuse every later change."""
        self._completers.freeze()

    def refuse_async(self) -> None:
        """Refuse async completers, those registered already and those to come.

        Raises:
            RegistrationError: An async completer is registered; the message names it.
        """
        self._completers.refuse_async()

    def _owner_named(self, ref: str) -> Prompt | ResourceTemplate | None:
        if "{" in ref:
            return self._resources.find_template(ref)
        return self._prompts.find(ref)


def _known_arguments(owner: Prompt | ResourceTemplate) -> tuple[str, ...] | None:
    try:
        return owner.argument_names
    except RegistrationError:
        # Its annotations wait for a name that is not defined yet; serving starts with the error.
        return None


def _key(ref: str, argument: str) -> str:
    return f"{argument!r} of {ref!r}"


def _parameters(function: Callable[..., Any]) -> tuple[tuple[_Given, ...], dict[str, _Given]]:
    """What each parameter of a completer is given: by position, and by keyword."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except ValueError:
        raise RegistrationError(
            f"completer {describe_function(function)} tells no signature; wrap it in a function"
        ) from None
    _refuse_unmeant(function, parameters)
    positional: list[_Given] = []
    keywords: dict[str, _Given] = {}
    free: list[_Given] = ["value", "filled"]
    skipped = False
    for parameter in parameters:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        given: _Given
        optional = parameter.default is not parameter.empty
        if _wants_context(parameter):
            given = "context"
        elif free and (not optional or parameter.name == free[0]):
            given = free.pop(0)
        elif optional:
            skipped = True
            continue
        else:
            raise RegistrationError(
                f"completer {describe_function(function)} has a parameter {parameter.name!r} too "
                "many; it takes the value typed so far, optionally a dict of the arguments filled "
                "already, and a Context"
            )
        if skipped or parameter.kind is parameter.KEYWORD_ONLY:
            keywords[parameter.name] = given
        else:
            positional.append(given)
    if "value" in free:
        raise RegistrationError(
            f"completer {describe_function(function)} takes no value; give it a parameter for the "
            "text typed so far, such as (value: str)"
        )
    return tuple(positional), keywords


def _refuse_unmeant(function: Callable[..., Any], parameters: list[inspect.Parameter]) -> None:
    """Raise ``RegistrationError`` where the value would go to an object or to the context."""
    for index, parameter in enumerate(parameters):
        if parameter.annotation is not parameter.empty:
            continue
        if index == 0 and parameter.name in ("self", "cls"):
            raise RegistrationError(
                f"completer {describe_function(function)} is a method without its object; put "
                "@mark.completion on it in the class and register an object with "
                "server.register(Class()), or register the bound method"
            )
        if parameter.name == "ctx" or (parameter.name == "context" and index == 0):
            raise RegistrationError(
                f"completer {describe_function(function)} has a parameter {parameter.name!r} "
                f"without a type; write {parameter.name}: Context for the context of the call"
            )


def _wants_context(parameter: inspect.Parameter) -> bool:
    annotation = parameter.annotation
    if isinstance(annotation, str):
        return re.search(_CONTEXT_NAME, annotation) is not None
    return annotation is Context or Context in get_args(annotation)


def _completion(value: Any) -> Completion:
    """What a completer returned, cut to what one answer may hold."""
    total: int | None = None
    has_more = False
    if isinstance(value, Completion):
        total = None if value.total is UNSET else value.total
        has_more = value.has_more is True
        value = value.values
    elif isinstance(value, tuple) and len(value) == 2 and not isinstance(value[0], str):
        value, total = value
        if total is not None and (type(total) is not int or total < 0):
            raise ResultError(f"a completer's total is a number of values, got {total!r}")
    value = () if value is None else value
    refuse_awaitable(value)
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise ResultError(
            "a completer returns a list of strings, (values, total), a Completion or None; "
            f"got {type(value).__name__}"
        )
    values = list(islice(value, _MAX_VALUES + 1))
    for index, item in enumerate(values):
        if not isinstance(item, str):
            raise ResultError(
                f"a completer returns strings; item {index} is {type(item).__name__}; use str(item)"
            )
    cut = len(values) > _MAX_VALUES
    offered = len(value) if isinstance(value, Collection) else len(values)
    if total is not None:
        total = max(total, offered)
    elif not has_more and (not cut or isinstance(value, Collection)):
        total = offered
    values = [plain_text(item) for item in values[:_MAX_VALUES]]
    has_more = has_more or cut or (total is not None and total > len(values))
    return Completion(values=values, total=UNSET if total is None else total, has_more=has_more)


def _collected(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with its values collected: a generator has to run where its function runs."""

    def collect(*args: Any, **kwargs: Any) -> Any:
        value = function(*args, **kwargs)
        return value if isinstance(value, CompleteResult) else _completion(value)

    return update_wrapper(collect, function, updated=())
