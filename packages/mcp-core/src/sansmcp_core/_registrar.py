"""Where every declaration goes, whichever way it was made: by decorator, by call or by mark."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from ._declarations import Mark, MarkKind, check_arguments, check_options
from ._errors import RegistrationError
from ._registries import Registries
from ._settings import Settings
from ._tool_options import ToolDeclaration
from ._tools import Tool, make_tool

if TYPE_CHECKING:
    from ._marked import Marked
    from ._tool_options import ToolOptions

__all__ = ["Registrar"]


_Undo: TypeAlias = Callable[[], None]


class Registrar:
    """Makes entries of declarations and keeps them in the registries of one server."""

    def __init__(self, registries: Registries, settings: Settings) -> None:
        self._registries = registries
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
        options: "ToolOptions",
        local_names: Mapping[str, Any] | None,
    ) -> None:
        """Register a tool from a whole definition."""
        from ._tool_definitions import declaration_from  # noqa: PLC0415

        check_options("server.add_tool", "tool", options)
        self._keep_tool(handler, declaration_from(definition, options), local_names)

    def add_all(self, found: "Iterable[Marked]") -> None:
        """Register each, or none: where one fails, those before it are removed again."""
        undo: list[_Undo] = []
        try:
            # A completer names a prompt or template, which may be marked further down.
            for one in sorted(found, key=lambda one: one.mark.kind == "completion"):
                add = self._adders[one.mark.kind]
                undo.append(add(one.handler, one.mark))
        except BaseException:
            for step in reversed(undo):
                step()
            raise

    def refresh(self, tool_name: str) -> None:
        """Ask the tool's hook for its schema, and announce it."""
        self._registries.tools.update(tool_name, _refresh)

    def prepare(self, async_handlers: bool) -> None:
        """Resolve what was postponed; without async handlers, refuse those there are."""
        self._serving = True
        for entry in self._registries.every():
            entry.resolve()
        if not async_handlers:
            self._registries.refuse_async()

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
        self._registries.tools.add(tool)
        return partial(self._registries.tools.remove, tool.name)

    def _add_resource(self, function: Callable[..., Any], mark: Mark) -> _Undo:
        (uri,) = mark.arguments
        self._registries.resources.add_function(
            uri, function, mark.local_names, may_postpone=not self._serving, **mark.options
        )
        return partial(self._registries.resources.remove, uri)

    def _add_prompt(self, function: Callable[..., Any], mark: Mark) -> _Undo:
        prompt = self._registries.prompts.add_function(
            function, mark.local_names, may_postpone=not self._serving, **mark.options
        )
        return partial(self._registries.prompts.remove, prompt.name)

    def _add_completion(self, function: Callable[..., Any], mark: Mark) -> _Undo:
        ref, argument = mark.arguments
        self._registries.completions.add(ref, argument, function, **mark.options)
        return partial(self._registries.completions.remove, ref, argument)


def _listed(mark: Mark, name: str) -> str:
    return ", ".join([*map(repr, mark.arguments), name])


def _refresh(tool: Tool) -> None:
    if not tool.has_hook:
        raise RegistrationError(
            f"tool {tool.name!r} has nothing to refresh; give it input_schema_hook=..., a function "
            "that returns its input schema"
        )
    tool.refresh()
