"""The registries of one server: the tools', and the others when one is first needed."""

from _thread import allocate_lock
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

import msgspec

from ._registry import Registry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ._completions import CompletionRegistry
    from ._lists import ListKind
    from ._prompts import PromptRegistry
    from ._protocols import ListSource
    from ._resources import ResourceRegistry
    from ._server import Server
    from ._settings import Settings
    from ._subscriptions import Hub
    from ._tools import Tool

__all__ = ["Late", "Offered", "Registries"]

T = TypeVar("T")


class Offered(msgspec.Struct, frozen=True):
    """Which kinds of things a server has or has had, and whether that may change."""

    tools: bool
    resources: bool
    prompts: bool
    completions: bool
    frozen: bool


class Registries:
    """Makes each registry once, from whichever thread it is asked for.

    Most servers have tools only: neither the code nor the types of the rest are loaded for those.

    Args:
        hub: Hears of changes.
        settings: The server's switches.
    """

    def __init__(self, hub: "Hub", settings: "Settings") -> None:
        self.tools: Registry[Tool] = Registry("tool", lambda: hub.list_changed("tools"))
        self._hub = hub
        self._settings = settings
        self._lock = allocate_lock()
        self._made: dict[str, Any] = {"tools": self.tools}
        self._refuses_async = False

    @property
    def resources(self) -> "ResourceRegistry":
        """The resources and templates."""
        from ._resources import ResourceRegistry  # noqa: PLC0415

        return self._make(
            "resources",
            lambda: ResourceRegistry(lambda: self._hub.list_changed("resources"), self._settings),
        )

    @property
    def prompts(self) -> "PromptRegistry":
        """The prompts."""
        from ._prompts import PromptRegistry  # noqa: PLC0415

        return self._make(
            "prompts",
            lambda: PromptRegistry(lambda: self._hub.list_changed("prompts"), self._settings),
        )

    @property
    def completions(self) -> "CompletionRegistry":
        """The completers."""
        from ._completions import CompletionRegistry  # noqa: PLC0415

        prompts, resources = self.prompts, self.resources
        return self._make("completions", lambda: CompletionRegistry(prompts, resources))

    def __getitem__(self, kind: "ListKind") -> "ListSource":
        if kind == "resource_templates":
            return self.resources.templates
        if kind == "resources":
            return self.resources.fixed
        return self.prompts if kind == "prompts" else self.tools

    def every(self) -> "Iterator[Any]":
        """Every entry of every registry, disabled ones included."""
        for registry in list(self._made.values()):
            yield from registry.every()

    def freeze(self) -> None:
        """Refuse every later change."""
        with self._lock:
            for registry in self._made.values():
                registry.freeze()

    def refuse_async(self) -> None:
        """Refuse async handlers, those registered already and those to come.

        Raises:
            RegistrationError: An async handler is registered; the message names it.
        """
        with self._lock:
            for registry in self._made.values():
                registry.refuse_async()
            self._refuses_async = True

    def offered(self) -> Offered:
        """What there is, or has been: clients that were told so may still ask."""
        made = self._made
        return Offered(
            tools=self.tools.offered,
            resources="resources" in made
            and (self.resources.fixed.offered or self.resources.templates.offered),
            prompts="prompts" in made and made["prompts"].offered,
            completions="completions" in made and made["completions"].offered,
            frozen=self.tools.frozen,
        )

    def _make(self, kind: str, make: Callable[[], T]) -> T:
        with self._lock:
            if kind not in self._made:
                registry: Any = make()
                if self.tools.frozen:
                    registry.freeze()
                if self._refuses_async:
                    registry.refuse_async()
                self._made[kind] = registry
            made: T = self._made[kind]
            return made


class Late(Generic[T]):
    """An attribute of a server that is one of its registries, made when it is first used."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, server: None, owner: type) -> "Late[T]": ...
    @overload
    def __get__(self, server: "Server", owner: type) -> T: ...
    def __get__(self, server: "Server | None", owner: type) -> Any:
        if server is None:
            return self
        made = vars(server)[self._name] = getattr(server.registries, self._name)
        return made
