"""Decorators that mark the methods of a class; ``server.register(object)`` registers them.

::

    class Inventory:
        @mark.tool(read_only=True)
        def count(self, item: str) -> int: ...

    server.register(Inventory())

They take what their siblings on ``Server`` take and leave the function as it is.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, Unpack, overload

from ._marked import marking

if TYPE_CHECKING:
    from ._completions import CompletionOptions
    from ._prompts import PromptOptions
    from ._resources import ResourceOptions
    from ._tool_options import ToolOptions

__all__ = ["completion", "prompt", "resource", "tool"]

F = TypeVar("F", bound=Callable[..., Any])

# What a decorator needs has a default all the same, so that its absence gets our own words.
_MISSING: Any = None


@overload
def tool(function: F, /, **options: "Unpack[ToolOptions]") -> F: ...
@overload
def tool(**options: "Unpack[ToolOptions]") -> Callable[[F], F]: ...
def tool(function: Any = None, /, **options: "Unpack[ToolOptions]") -> Any:
    """Mark a method as a tool, bare or with the options of ``server.tool``."""
    decorate = marking("tool", (), options)
    return decorate if function is None else decorate(function)


def resource(uri: str = _MISSING, /, **options: "Unpack[ResourceOptions]") -> Callable[[F], F]:
    """Mark a method as a resource, or with a ``{variable}`` in the URI as a template."""
    return marking("resource", (uri,), options)


@overload
def prompt(function: F, /, **options: "Unpack[PromptOptions]") -> F: ...
@overload
def prompt(**options: "Unpack[PromptOptions]") -> Callable[[F], F]: ...
def prompt(function: Any = None, /, **options: "Unpack[PromptOptions]") -> Any:
    """Mark a method as a prompt, bare or with the options of ``server.prompt``."""
    decorate = marking("prompt", (), options)
    return decorate if function is None else decorate(function)


def completion(
    ref: str = _MISSING, argument: str = _MISSING, /, **options: "Unpack[CompletionOptions]"
) -> Callable[[F], F]:
    """Mark a method as what proposes values for an argument of a prompt or a template."""
    return marking("completion", (ref, argument), options)
