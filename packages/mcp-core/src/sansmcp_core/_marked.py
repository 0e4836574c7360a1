"""Marks: declarations left on the methods of a class, registered later with one of its objects."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from types import FunctionType, ModuleType
from typing import Any, TypeVar

import msgspec
from sansmcp_schema.declare import caller_locals

from ._declarations import Mark, MarkKind, check_arguments, check_options
from ._errors import RegistrationError

__all__ = ["Marked", "add_mark", "marked_handlers", "marking"]

F = TypeVar("F", bound=Callable[..., Any])

_ATTRIBUTE = "__sansmcp_marks__"


class Marked(msgspec.Struct, frozen=True):
    """A method that can be called, and a declaration left on it."""

    handler: Callable[..., Any]
    mark: Mark


def add_mark(function: F, mark: Mark) -> F:
    """``function`` itself, with one more mark on it.

    Raises:
        RegistrationError: It is no function: a property, or a name where the function belongs.
    """
    if not isinstance(function, (FunctionType, staticmethod, classmethod)):
        raise RegistrationError(
            f"@mark.{mark.kind} marks a function, got {function!r}; put it above the def itself, "
            "its options by keyword"
        )
    marks = (*vars(function).get(_ATTRIBUTE, ()), mark)
    setattr(function, _ATTRIBUTE, marks)
    return function


def marking(
    kind: MarkKind, arguments: tuple[Any, ...], options: Mapping[str, Any]
) -> Callable[[F], F]:
    """A decorator that leaves that declaration on a function.

    To be called by the public decorator itself: the names of the frame above it are kept, so that
    postponed annotations can be resolved.

    Raises:
        RegistrationError: The decorator lacks an argument, or has no such option.
    """
    check_arguments(f"@mark.{kind}", kind, arguments)
    check_options(f"@mark.{kind}", kind, options)
    mark = Mark(kind, arguments, options, caller_locals(2))

    def decorate(function: F) -> F:
        return add_mark(function, mark)

    return decorate


def marked_handlers(owner: object) -> list[Marked]:
    """Every marked method of ``owner`` with each of its marks, base classes first.

    Properties and other descriptors are not touched, ``__getattr__`` is not called. An overriding
    method counts with its own marks alone. A module gives its marked functions.

    Raises:
        RegistrationError: ``owner`` is a class, or has no marked method.
    """
    if inspect.isclass(owner):
        raise RegistrationError(
            f"register() takes an object, got the class {owner.__qualname__}; its methods need an "
            f"object to work on: register({owner.__name__}(...))"
        )
    found = [
        Marked(handler, mark)
        for attribute in _attributes(owner).values()
        for mark in _marks(attribute)
        if (handler := _bind(attribute, owner)) is not None
    ]
    if not found:
        raise RegistrationError(
            f"{type(owner).__qualname__} has no marked method; mark one with @mark.tool, "
            "@mark.resource(uri), @mark.prompt or @mark.completion(reference, argument)"
        )
    return found


def _attributes(owner: object) -> Mapping[str, object]:
    if isinstance(owner, ModuleType):
        # Imported functions are another module's to register.
        return {
            name: value
            for name, value in vars(owner).items()
            if getattr(value, "__module__", None) == owner.__name__
        }
    attributes: dict[str, object] = {}
    for cls in reversed(type(owner).__mro__):
        attributes.update(vars(cls))
    return attributes


def _marks(attribute: object) -> Iterator[Mark]:
    if isinstance(attribute, (FunctionType, staticmethod, classmethod)):
        own = vars(attribute).get(_ATTRIBUTE)
        inner = getattr(attribute, "__func__", None)
        yield from own if own is not None else vars(inner).get(_ATTRIBUTE, ()) if inner else ()


def _bind(attribute: object, owner: object) -> Callable[..., Any] | None:
    if isinstance(owner, ModuleType):
        return attribute if isinstance(attribute, FunctionType) else None
    if isinstance(attribute, (FunctionType, staticmethod, classmethod)):
        bound: Callable[..., Any] = attribute.__get__(owner, type(owner))
        return bound
    return None
