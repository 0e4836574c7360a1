"""What a handler says about itself: how it is run, what it is called, what it does."""

import inspect
from collections.abc import Callable
from functools import partial, update_wrapper
from typing import Any

from sansmcp_schema.declare import parse_docstring

from ._errors import RegistrationError
from ._operation import Mode
from ._registry import describe_function

__all__ = ["awaited", "description_of", "mode_of", "name_of", "plain_function"]


def plain_function(handler: Callable[..., Any]) -> Callable[..., Any]:
    """The function whose code runs: partials and callable objects are looked through."""
    target = handler
    while isinstance(target, partial):
        target = target.func
    if inspect.isroutine(target) or inspect.isclass(target):
        return target
    method: Callable[..., Any] = type(target).__call__
    return method


def mode_of(handler: Callable[..., Any], inline: bool = False, *, noun: str = "handler") -> Mode:
    """How an adapter runs ``handler``: coroutine functions are awaited, others get a thread.

    A plain function that wraps a coroutine function (``functools.wraps``) counts as one: as a rule
    it gives the coroutine. See ``awaited``.

    Args:
        handler: A function, bound method, partial or callable object.
        inline: Run it between reading and writing, without a thread: quick functions only.
        noun: What the handler is, for the error.

    Raises:
        RegistrationError: It cannot be called, is a class or an async generator function, or is
            async and asked to run inline.
    """
    if not callable(handler):
        raise RegistrationError(
            f"a {noun} needs something to call, got {type(handler).__name__}; pass a function, "
            "a bound method or an object with __call__"
        )
    if inspect.isclass(handler):
        raise RegistrationError(
            f"{describe_function(handler)} is a class, and a {noun} needs a function; register one "
            "that makes the object, or a method of an object"
        )
    function = plain_function(handler)
    if inspect.isasyncgenfunction(function):
        raise RegistrationError(
            f"{describe_function(handler)} is an async generator function, and a {noun} gives one "
            "value, not a stream; collect the pieces and return them (an async def without yield)"
        )
    if _is_async(handler) or inspect.iscoroutinefunction(inspect.unwrap(function)):
        if inline:
            raise RegistrationError(
                f"{describe_function(handler)} is async, so it cannot run inline; leave out "
                "inline=True, or write it with def"
            )
        return Mode.ASYNC
    return Mode.INLINE if inline else Mode.BLOCKING


def awaited(handler: Callable[..., Any], mode: Mode) -> Callable[..., Any]:
    """The handler as it is called in that mode: where it is awaited, a coroutine function.

    Args:
        handler: A function, bound method, partial or callable object.
        mode: From ``mode_of``.
    """
    if mode is not Mode.ASYNC or _is_async(handler):
        return handler

    async def run(*args: Any, **kwargs: Any) -> Any:
        value = handler(*args, **kwargs)
        return await value if inspect.isawaitable(value) else value

    return update_wrapper(run, handler, updated=())


def _is_async(handler: Callable[..., Any]) -> bool:
    return inspect.iscoroutinefunction(plain_function(handler)) or inspect.iscoroutinefunction(
        handler
    )


def name_of(handler: Callable[..., Any], noun: str) -> str:
    """The name of the handler's function, for a declaration that gives none.

    Raises:
        RegistrationError: It has none of its own: a lambda, or an object.
    """
    target: Any = handler
    while isinstance(target, partial):
        target = target.func
    name = getattr(target, "__name__", None)
    if not isinstance(name, str) or name == "<lambda>":
        raise RegistrationError(
            f'{describe_function(handler)} has no name to use for the {noun}; give one: name="..."'
        )
    return name


def description_of(handler: Callable[..., Any]) -> str | None:
    """The docstring without its sections (Args, Returns, Raises, ...), or ``None``."""
    target: Any = handler
    while isinstance(target, partial):
        target = target.func
    if not (inspect.isroutine(target) or inspect.isclass(target)):
        target = target if type(target).__call__.__doc__ is None else type(target).__call__
    return parse_docstring(inspect.getdoc(target)).summary or None
