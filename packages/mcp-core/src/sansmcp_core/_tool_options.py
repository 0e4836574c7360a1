"""What an author can say about a tool, beside its handler."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, TypedDict

import msgspec
from sansmcp_schema.content import Icon
from sansmcp_schema.declare import Parameter

__all__ = ["ToolDeclaration", "ToolOptions"]


class ToolOptions(TypedDict, total=False):
    """The keyword options of ``server.tool``, ``server.add_tool`` and ``mark.tool``.

    See ``ToolDeclaration`` for their meanings and defaults.
    """

    name: str
    title: str
    description: str
    arguments: Any
    parameters: Mapping[str, Parameter]
    output: Any
    structured: bool
    ok_result: bool
    read_only: bool
    destructive: bool
    idempotent: bool
    open_world: bool
    annotations_title: str
    icons: Iterable[Icon | Mapping[str, Any]]
    meta: Mapping[str, Any]
    task_support: Literal["forbidden", "optional", "required"]
    inline: bool
    time_limit_s: float
    scopes: Iterable[str]
    repair: bool
    allow_unknown_arguments: bool
    validated_by_application: bool
    input_schema_hook: Callable[[], Any]


class ToolDeclaration(msgspec.Struct, frozen=True, kw_only=True):
    """The options of one tool; ``None`` leaves a thing unsaid."""

    name: str | None = None
    """The handler's own name by default."""

    title: str | None = None
    """A name for people."""

    description: str | None = None
    """What it does, for the model; the handler's docstring without its sections by default."""

    arguments: Any = None
    """The whole input schema, where the signature is not it: a Struct or dataclass, an
    ``ObjectSchema``, a JSON Schema as dict or text."""

    parameters: Mapping[str, Parameter] | None = None
    """Options per parameter, by its Python name."""

    output: Any = None
    """The output schema, where the return annotation is not it: a type, an ``ObjectSchema``, a JSON
    Schema as dict or text."""

    structured: bool | None = None
    """False: no output schema and no ``structuredContent``, whatever the annotation says.
    True: both for ``-> str``, too, which is a text alone by default."""

    ok_result: bool = False
    """A handler that returns nothing answers ``{"ok": true}`` and lists a schema that says so."""

    read_only: bool | None = None
    """It changes nothing; likewise the next three are hints of the specification."""

    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None

    annotations_title: str | None = None
    """The title inside ``annotations``, which the oldest clients read."""

    icons: Iterable[Icon | Mapping[str, Any]] | None = None
    """Images for user interfaces."""

    meta: Mapping[str, Any] | None = None
    """The tool's ``_meta``."""

    task_support: Literal["forbidden", "optional", "required"] | None = None
    """Whether it may run as a task (2025-11-25 only)."""

    inline: bool = False
    """Run it without a thread, between reading and writing: quick functions only."""

    time_limit_s: float | None = None
    """Seconds a call may take; the server's setting by default."""

    scopes: Iterable[str] = ()
    """Scopes that the caller must hold."""

    repair: bool | None = None
    """Decode string-encoded arguments once; the server's setting by default."""

    allow_unknown_arguments: bool | None = None
    """Accept unknown arguments, and say so in the schema; the server's setting by default."""

    validated_by_application: bool = False
    """The handler checks its arguments itself; a raw schema is published and not enforced."""

    input_schema_hook: Callable[[], Any] | None = None
    """Supplies the input schema, dict or text, each time the list of tools is made again; wins over
    ``arguments``. It is called while clients wait, so it must be quick."""

    def __post_init__(self) -> None:
        if self.task_support not in (None, "forbidden", "optional", "required"):
            raise ValueError(
                'task_support must be "forbidden", "optional" or "required", '
                f"got {self.task_support!r}"
            )
        if self.time_limit_s is not None and not self.time_limit_s > 0:
            raise ValueError(f"time_limit_s must be more than 0 seconds, got {self.time_limit_s}")
        if isinstance(self.scopes, str):
            raise TypeError(f'scopes must be a list of scopes: ["{self.scopes}"]')
