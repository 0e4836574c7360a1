"""What a decorator is given: its arguments and options, checked before anything is made of them."""

from collections.abc import Collection, Mapping
from importlib import import_module
from typing import Any, Literal, TypeAlias

import msgspec

from ._errors import RegistrationError

__all__ = ["Mark", "MarkKind", "check_arguments", "check_options"]

MarkKind: TypeAlias = Literal["tool", "resource", "prompt", "completion"]


class Mark(msgspec.Struct, frozen=True):
    """One declaration left on a function: the decorator's arguments and where it stood."""

    kind: MarkKind
    arguments: tuple[Any, ...]
    options: Mapping[str, Any]
    local_names: Mapping[str, Any] | None


# Kind of declaration -> where its options stand: module and class, loaded when there is one.
_OPTIONS = {
    "tool": ("_tool_options", "ToolOptions"),
    "resource": ("_resource_options", "ResourceOptions"),
    "prompt": ("_prompts", "PromptOptions"),
    "completion": ("_completions", "CompletionOptions"),
}
# Kind of declaration -> how many texts it takes by position, and what it says without them.
_ARGUMENTS: dict[str, tuple[int, str]] = {
    "tool": (0, ""),
    "resource": (1, '{0} needs a URI: {0}("note://{{title}}")'),
    "completion": (2, 'say what it completes: {0}("prompt or template", "argument")'),
    "prompt": (0, ""),
}


def check_arguments(decorator: str, kind: str, arguments: tuple[Any, ...]) -> None:
    """Nothing, where a decorator got the texts it needs.

    Args:
        decorator: As the author writes it: ``@server.resource``.
        kind: Which one it is.
        arguments: What it got by position, ``None`` for what it did not get.

    Raises:
        RegistrationError: One is missing, or is no text.
    """
    count, needed = _ARGUMENTS[kind]
    for given in arguments[:count]:
        if not isinstance(given, str):
            got = "" if given is None else f"; got {_shown(given)}"
            raise RegistrationError(needed.format(decorator) + got)


def check_options(decorator: str, kind: str, options: Mapping[str, Any]) -> None:
    """Nothing, where a declaration knows each option.

    Raises:
        RegistrationError: It does not know one; the message tells those it knows.
    """
    module, options_class = _OPTIONS[kind]
    known = getattr(import_module(f".{module}", __package__), options_class).__annotations__
    for name in options:
        if name not in known:
            raise RegistrationError(
                f'{decorator} has no option "{name}"{_meant(name, known)} '
                f"Options: {', '.join(known)}"
            )


def _meant(name: str, known: Collection[str]) -> str:
    import difflib  # noqa: PLC0415 - only where something is wrong

    close = difflib.get_close_matches(name, known, 1)
    return f'; did you mean "{close[0]}"?' if close else "."


def _shown(value: Any) -> str:
    name = getattr(value, "__qualname__", None)
    return f"the {type(value).__name__} {name}" if name else repr(value)
