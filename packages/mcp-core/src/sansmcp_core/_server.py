"""``Server``: what is declared, once, for every connection and both eras."""

import os
from _thread import allocate_lock
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, Unpack, overload

from sansmcp_schema.capabilities import Implementation, ServerCapabilities
from sansmcp_schema.content import Icon
from sansmcp_schema.declare import caller_locals

from ._capabilities import server_capabilities
from ._checks import check_icons, check_listing, check_name, check_settings, check_text
from ._content import or_unset
from ._declarations import Mark
from ._lists import Lists
from ._operation import Mode
from ._registrar import Registrar
from ._registries import Late, Registries
from ._settings import DEFAULT_SETTINGS, Settings
from ._subscriptions import Hub

if TYPE_CHECKING:
    from ._call import Around
    from ._completions import CompletionOptions, CompletionRegistry
    from ._prompts import PromptOptions, PromptRegistry
    from ._request_state import Sealer
    from ._resources import ResourceOptions, ResourceRegistry
    from ._tool_options import ToolOptions

__all__ = ["Lifespan", "Server"]

_KEY_BYTES = 32

F = TypeVar("F", bound=Callable[..., Any])

Lifespan: TypeAlias = Callable[
    ["Server"], AbstractContextManager[Any] | AbstractAsyncContextManager[Any]
]


class Server:
    """Tools, resources, prompts and completions, and what is said about them.

    It does no I/O: an adapter, or a ``Connection``, serves it. Everything can be registered,
    removed, disabled and enabled before and while it is served, from any thread; clients hear of
    it by themselves.

    Args:
        name: What the server is called, for programs.
        version: Its version; empty by default.
        title: Its name for people.
        description: What it is, in a sentence or two.
        website_url: Where to read more.
        icons: Images for user interfaces.
        instructions: How to use the server, for the model.
        lifespan: Called with the server; gives a context manager, plain or async, that is entered
            before the first call and left after the last. Its value is on the context.
        settings: Every switch and bound.
        random: Gives as many random bytes as it is asked for; ``os.urandom`` by default.

    Attributes:
        tools, resources, prompts, completions: The registries: ``remove``, ``disable``, ``enable``.
        registries: All of them.
        lists: The encoded lists.
        hub: Who hears of which change.
        around_calls: A context manager around each run of a handler, in the thread or task that
            runs it; None by default. Set it before serving starts.

    Source: MCP 2026-07-28 server/index; basic/versioning.
    """

    resources: "Late[ResourceRegistry]" = Late()
    prompts: "Late[PromptRegistry]" = Late()
    completions: "Late[CompletionRegistry]" = Late()

    def __init__(
        self,
        name: str,
        version: str = "",
        *,
        title: str | None = None,
        description: str | None = None,
        website_url: str | None = None,
        icons: Iterable[Icon | Mapping[str, Any]] | None = None,
        instructions: str | None = None,
        lifespan: Lifespan | None = None,
        settings: Settings = DEFAULT_SETTINGS,
        random: Callable[[int], bytes] = os.urandom,
    ) -> None:
        owner = f"server {name!r}"
        info = Implementation(
            name=check_name("server", name),
            version=version,
            title=or_unset(title),
            description=or_unset(description),
            website_url=or_unset(website_url),
            icons=or_unset(check_icons(owner, icons)),
        )
        self.info = check_listing(owner, info)
        self.instructions = check_text(owner, "instructions", instructions)
        self.lifespan = lifespan
        self.settings = settings
        self.random = random
        self.around_calls: Around | None = None
        check_settings(settings)
        self._sealer_lock = allocate_lock()
        self._sealer: Sealer | None = None
        # Made now, so that processes that are forked later have the same one.
        self._state_keys = settings.state_keys or (random(_KEY_BYTES),)
        if settings.state_keys or settings.encrypt_state:
            self._sealer = self.sealer  # wrong keys are told now
        self.hub = hub = Hub(settings.limits.max_listeners)
        self.registries = Registries(hub, settings)
        self.tools = self.registries.tools
        self.lists = Lists(self.registries, self.info, settings, random)
        self._registrar = Registrar(self.registries, settings)

    @overload
    def tool(self, function: F, /, **options: "Unpack[ToolOptions]") -> F: ...
    @overload
    def tool(self, /, **options: "Unpack[ToolOptions]") -> Callable[[F], F]: ...
    def tool(self, function: Any = None, /, **options: "Unpack[ToolOptions]") -> Any:
        """Register a tool: as decorator, bare or with options, or by call; gives the function back.

        Args:
            function: The handler; its signature is the input schema, its return annotation the
                output schema, its docstring the description.
            options: See ``ToolDeclaration``.

        Raises:
            RegistrationError: The declaration cannot be served; the message names it.

        Source: MCP 2026-07-28 server/tools.
        """
        return self._registrar.decorate(function, Mark("tool", (), options, caller_locals(1)))

    @overload
    def resource(self, uri: str, function: F, /, **options: "Unpack[ResourceOptions]") -> F: ...
    @overload
    def resource(self, uri: str, /, **options: "Unpack[ResourceOptions]") -> Callable[[F], F]: ...
    def resource(
        self, uri: Any = None, function: Any = None, /, **options: "Unpack[ResourceOptions]"
    ) -> Any:
        """Register a resource, or with a ``{variable}`` in the URI a template of resources.

        Args:
            uri: The URI, or a template such as ``logs://{level}``.
            function: The handler; a template's gets the variables by name.
            options: See ``ResourceDeclaration``.

        Raises:
            RegistrationError: The declaration cannot be served; the message names it.

        Source: MCP 2026-07-28 server/resources.
        """
        return self._registrar.decorate(
            function, Mark("resource", (uri,), options, caller_locals(1))
        )

    @overload
    def prompt(self, function: F, /, **options: "Unpack[PromptOptions]") -> F: ...
    @overload
    def prompt(self, /, **options: "Unpack[PromptOptions]") -> Callable[[F], F]: ...
    def prompt(self, function: Any = None, /, **options: "Unpack[PromptOptions]") -> Any:
        """Register a prompt: as decorator, bare or with options, or by call.

        Args:
            function: The handler; its signature gives the prompt's arguments.
            options: See ``PromptDeclaration``.

        Raises:
            RegistrationError: The declaration cannot be served; the message names it.

        Source: MCP 2026-07-28 server/prompts.
        """
        return self._registrar.decorate(function, Mark("prompt", (), options, caller_locals(1)))

    @overload
    def completion(
        self, ref: str, argument: str, function: F, /, **options: "Unpack[CompletionOptions]"
    ) -> F: ...
    @overload
    def completion(
        self, ref: str, argument: str, /, **options: "Unpack[CompletionOptions]"
    ) -> Callable[[F], F]: ...
    def completion(
        self,
        ref: Any = None,
        argument: Any = None,
        function: Any = None,
        /,
        **options: "Unpack[CompletionOptions]",
    ) -> Any:
        """Register who proposes values for an argument of a prompt or a variable of a template.

        Args:
            ref: The name of the prompt, or the text of the template.
            argument: The argument or variable.
            function: Gets the text typed so far; gives a list of strings.
            options: ``inline``, ``time_limit_s``, ``scopes``.

        Raises:
            RegistrationError: There is no such prompt, template or argument, or it has a completer.

        Source: MCP 2026-07-28 server/utilities/completion.
        """
        return self._registrar.decorate(
            function, Mark("completion", (ref, argument), options, caller_locals(1))
        )

    def add_tool(
        self,
        definition: Mapping[str, Any] | str,
        handler: Callable[..., Any],
        **options: "Unpack[ToolOptions]",
    ) -> None:
        """Register a tool from a whole definition, such as one that came from another server.

        Args:
            definition: The specification's ``Tool`` object, as a mapping or as JSON text.
            handler: Takes one mapping, or parameters named like the properties.
            options: What a definition cannot say; wins over it.

        Raises:
            RegistrationError: The definition cannot be served; the message names it.
        """
        self._registrar.add_definition(definition, handler, options, caller_locals(1))

    def register(self, owner: object) -> None:
        """Register every method of ``owner`` that is marked with ``mark.tool`` and its siblings.

        All of them, or none: where one fails, those before it are removed again.

        Raises:
            RegistrationError: One of them cannot be served, or none is marked.
        """
        from ._marked import marked_handlers  # noqa: PLC0415 - many servers register functions only

        self._registrar.add_all(marked_handlers(owner))

    def resource_updated(self, uri: str) -> None:
        """Tell the clients that follow this resource that it has changed."""
        self.hub.resource_updated(uri)

    def refresh(self, tool_name: str) -> None:
        """Ask the tool's ``input_schema_hook`` for its schema again and tell the clients.

        Raises:
            RegistrationError: There is no such tool, it has no hook, the server is frozen, or the
                hook's schema cannot be enforced; the last good one stays.
        """
        self._registrar.refresh(tool_name)

    def freeze(self) -> None:
        """Make every later change an error, and tell clients that the lists never change."""
        self.registries.freeze()

    def prepare(self, async_handlers: bool = True) -> None:
        """Make everything ready to be called; each connection does it as it starts.

        Args:
            async_handlers: False: whoever serves runs plain functions only.

        Raises:
            RegistrationError: An annotation names what is still not defined, or a handler is async
                and may not be.
        """
        self._registrar.prepare(async_handlers)

    @property
    def sealer(self) -> "Sealer":
        """Seals request state; made when the first is sealed, unless it has keys of its own."""
        with self._sealer_lock:
            if self._sealer is None:
                from ._request_state import make_sealer  # noqa: PLC0415

                settings = self.settings
                self._sealer = make_sealer(
                    self._state_keys,
                    settings.state_ttl_s,
                    self.random,
                    encrypt=settings.encrypt_state,
                )
            return self._sealer

    @property
    def has_async_handlers(self) -> bool:
        """Whether any handler is a coroutine function, disabled ones included."""
        return any(entry.mode is Mode.ASYNC for entry in self.registries.every())

    def capabilities(self, revision: str) -> ServerCapabilities:
        """What the server offers, as that revision can say it."""
        return server_capabilities(self.registries.offered(), self.settings, revision)
