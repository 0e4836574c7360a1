"""Where every declaration goes, whichever way it was made: by decorator, by call or by mark."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol, TypeAlias, TypedDict

from ._completions import CompletionRegistry
from ._declarations import check_arguments, check_options
from ._errors import RegistrationError
from ._marked import Mark, Marked, MarkKind
from ._operation import Operation
from ._prompts import PromptRegistry
from ._registry import Registry
from ._resources import ResourceRegistry
from ._settings import Settings
from ._tool_definitions import declaration_from
from ._tool_options import ToolDeclaration, ToolOptions
from ._tools import Tool, make_tool

__all__ = ["CompletionOptions", "Registrar"]


class CompletionOptions(TypedDict, total=False):
    """The keyword options of a completer; see ``CompletionRegistry.add``."""

    inline: bool
    time_limit_s: float
    scopes: Collection[str]


_Undo: TypeAlias = Callable[[], None]


class _Closable(Protocol):
    def every(self) -> Sequence[Operation]: ...

    def freeze(self) -> None: ...

    def refuse_async(self) -> None: ...


class Registrar:
    """Makes entries of declarations and keeps them in the registries of one server."""

    def __init__(
        self,
        tools: Registry[Tool],
        resources: ResourceRegistry,
        prompts: PromptRegistry,
        completions: CompletionRegistry,
        settings: Settings,
    ) -> None:
        self._tools = tools
        self._resources = resources
        self._prompts = prompts
        self._completions = completions
        self._settings = settings
        self._serving = False
        self._adders: dict[MarkKind, Callable[[Callable[..., Any], Mark], _Undo]] = {
            "tool": self._add_tool,
            "resource": self._add_resource,
            "prompt": self._add_prompt,
            "completion": self._add_completion,
        }

    def decorate(self, function: Any, mark: Mark) -> Any:
        """``function`` itself, registered; without one, a decorator that does it."""
        check_arguments(f"@server.{mark.kind}", mark.kind, mark.arguments)
        check_options(f"@server.{mark.kind}", mark.kind, mark.options)
        if function is None:

            def decorator(function: Any) -> Any:
                return self.decorate(function, mark)

            return decorator
        if isinstance(function, classmethod):
            name = function.__func__.__qualname__.rpartition("<locals>.")[2]
            raise RegistrationError(
                f"@server.{mark.kind} got a classmethod, which is no method before its class is "
                f"made; register it after the class: server.{mark.kind}({_listed(mark, name)})"
            )
        if not callable(function):
            raise RegistrationError(
                f"@server.{mark.kind} got {function!r} where the handler belongs; options go by "
                f'keyword: @server.{mark.kind}(..., name="...")'
            )
        self._adders[mark.kind](function, mark)
        return function

    def add_definition(
        self,
        definition: Mapping[str, Any] | str,
        handler: Callable[..., Any],
        options: ToolOptions,
        local_names: Mapping[str, Any] | None,
    ) -> None:
        """Register a tool from a whole definition."""
        check_options("server.add_tool", "tool", options)
        self._keep_tool(handler, declaration_from(definition, options), local_names)

    def add_all(self, found: Iterable[Marked]) -> None:
        """Register each, or none: where one fails, those before it are removed again."""
        undo: list[_Undo] = []
        try:
            # A completer names a prompt or template, which may be marked further down.
            for handler, mark in sorted(found, key=lambda item: item[1].kind == "completion"):
                undo.append(self._adders[mark.kind](handler, mark))
        except BaseException:
            for step in reversed(undo):
                step()
            raise

    def refresh(self, tool_name: str) -> None:
        """Ask the tool's hook for its schema, and announce it."""
        self._tools.update(tool_name, _refresh)

    def freeze(self) -> None:
        """Refuse every later change."""
        for registry in self._registries():
            registry.freeze()

    def prepare(self, async_handlers: bool) -> None:
        """Resolve what was postponed; without async handlers, refuse those there are."""
        self._serving = True
        for entry in (
            *self._tools.every(),
            *self._resources.every(),
            *self._prompts.every(),
        ):
            entry.resolve()
        if not async_handlers:
            for registry in self._registries():
                registry.refuse_async()

    def every(self) -> Iterable[Operation]:
        """Every entry of every registry, disabled ones included."""
        for registry in self._registries():
            yield from registry.every()

    def _registries(self) -> tuple[_Closable, ...]:
        return (self._tools, self._resources, self._prompts, self._completions)

    def _add_tool(self, function: Callable[..., Any], mark: Mark) -> _Undo:
        return self._keep_tool(function, ToolDeclaration(**mark.options), mark.local_names)

    def _keep_tool(
        self,
        function: Callable[..., Any],
        declaration: ToolDeclaration,
        local_names: Mapping[str, Any] | None,
    ) -> _Undo:
        tool = make_tool(
            function, declaration, self._settings, local_names, may_postpone=not self._serving
        )
        self._tools.add(tool)
        return partial(self._tools.remove, tool.name)

    def _add_resource(self, function: Callable[..., Any], mark: Mark) -> _Undo:
        (uri,) = mark.arguments
        self._resources.add_function(
            uri, function, mark.local_names, may_postpone=not self._serving, **mark.options
        )
        return partial(self._resources.remove, uri)

    def _add_prompt(self, function: Callable[..., Any], mark: Mark) -> _Undo:
        prompt = self._prompts.add_function(
            function, mark.local_names, may_postpone=not self._serving, **mark.options
        )
        return partial(self._prompts.remove, prompt.name)

    def _add_completion(self, function: Callable[..., Any], mark: Mark) -> _Undo:
        ref, argument = mark.arguments
        self._completions.add(ref, argument, function, **mark.options)
        return partial(self._completions.remove, ref, argument)


def _listed(mark: Mark, name: str) -> str:
    return ", ".join([*map(repr, mark.arguments), name])


def _refresh(tool: Tool) -> None:
    if not tool.has_hook:
        raise RegistrationError(
            f"tool {tool.name!r} has nothing to refresh; give it input_schema_hook=..., a function "
            "that returns its input schema"
        )
    tool.refresh()
