"""Tools: a declaration and its handler -> the entry that is listed and called."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec
from msgspec import UNSET
from sansmcp_schema import declare
from sansmcp_schema.declare import (
    DeclarationError,
    Deferred,
    DeferredInput,
    DeferredOutput,
    InputOptions,
    InputReader,
    OutputOptions,
    OutputWriter,
    input_from_signature,
    input_from_struct,
    output_from_return,
    output_from_schema,
    output_of_anything,
)
from sansmcp_schema.json_check import SchemaLimits
from sansmcp_schema.results import CallToolResult
from sansmcp_schema.tools import Tool as ToolListing
from sansmcp_schema.tools import ToolAnnotations, ToolExecution

from ._checks import (
    check_icons,
    check_listing,
    check_meta,
    check_tool_name,
    registration_error,
)
from ._content import CONTENT_BLOCKS, or_unset
from ._context import Context
from ._effects import Report
from ._errors import RegistrationError
from ._handlers import awaited, description_of, mode_of, name_of, plain_function
from ._input_required import InputRequired
from ._operation import Bound, Mode, Refused
from ._settings import Settings
from ._tool_options import ToolDeclaration
from ._tool_results import tool_result

if TYPE_CHECKING:
    from ._header_table import HeaderTable

__all__ = ["Tool", "make_tool"]

_READY_MADE = (*CONTENT_BLOCKS, CallToolResult)

_OK_SCHEMA = {
    "type": "object",
    "properties": {"ok": {"const": True}},
    "required": ["ok"],
    "additionalProperties": False,
}


class _UndefinedNameError(RegistrationError):
    """An annotation names what is not defined, or not yet."""


class _Engine(msgspec.Struct, frozen=True):
    """What is listed and what is enforced, swapped as one."""

    listing: ToolListing
    reader: InputReader
    writer: OutputWriter
    headers: "HeaderTable"


_Build: TypeAlias = Callable[[Any], _Engine]


class Tool:
    """A tool: how it is listed, how its arguments are read, how its results are told.

    Made by ``make_tool``.
    """

    __slots__ = (
        "_build",
        "_engine",
        "_fresh",
        "_hook",
        "_ok_result",
        "function",
        "headers",
        "mode",
        "name",
        "scopes",
        "takes_context",
        "time_limit_s",
    )

    def __init__(
        self,
        name: str,
        function: Callable[..., Any],
        mode: Mode,
        declaration: ToolDeclaration,
        build: _Build,
    ) -> None:
        self.name = name
        self.function = function
        self.mode = mode
        self.time_limit_s = declaration.time_limit_s
        self.scopes = frozenset(declaration.scopes)
        self.headers: HeaderTable = ()
        """The HTTP headers that mirror arguments; mostly none."""
        self.takes_context = True
        """Whether the handler has a parameter for the context; until that is known, it may."""
        self._hook = declaration.input_schema_hook
        self._ok_result = declaration.ok_result
        self._build: _Build | None = build
        self._engine: _Engine | None = None
        self._fresh = False

    def bind(self, raw: bytes | None, context: Context | None) -> Bound | Refused:
        """The handler's arguments, checked; or what is wrong with them, line by line.

        Args:
            raw: The JSON object of the arguments; ``None`` for none.
            context: Given to the handler's ``Context`` parameter.
        """
        return (self._engine or self._make_engine()).reader.read(raw, context)

    def result(self, value: Any, modern: bool) -> CallToolResult:
        """The result that says what ``value`` is, for a client of that era.

        Raises:
            ResultError: The value breaks the output schema, or is nothing that JSON has.
        """
        if value is None and self._ok_result:
            value = {"ok": True}
        return tool_result(value, (self._engine or self._make_engine()).writer, modern)

    def listing(self) -> ToolListing:
        """What clients see of the tool, before a revision takes out what it lacks."""
        return (self._engine or self._make_engine()).listing

    @property
    def has_hook(self) -> bool:
        """Whether something supplies the input schema anew."""
        return self._hook is not None

    def resolve(self) -> None:
        """Build what a name that was not defined had kept from being built.

        Raises:
            RegistrationError: The name is still not defined.
        """
        if self._engine is None:
            self._make_engine()

    def refresh(self) -> None:
        """Ask the hook for the input schema and enforce it from now on.

        Raises:
            RegistrationError: The hook failed, or its schema cannot be enforced; the last good
                schema stays.
        """
        self._make_engine()
        self._fresh = True

    def before_listing(self) -> Report | None:
        """Bring the input schema up to date; where the hook fails, keep the last good one."""
        if self._hook is None:
            return None
        if self._fresh:
            # Asked a moment ago, by registration or refresh; the list is made because of that.
            self._fresh = False
            return None
        try:
            self._make_engine()
        except RegistrationError as error:
            return Report("error", f"{error}; the last good schema stays", error)
        return None

    def _make_engine(self) -> _Engine:
        assert self._build is not None, "what has no hook is built once"
        engine = self._engine = self._build(self._hook and _ask(self.name, self._hook))
        self.headers = engine.headers
        self.takes_context = engine.reader.takes_context
        if self._hook is None:
            # It holds the frames around the declaration.
            self._build = None
        return engine


def make_tool(
    function: Callable[..., Any],
    declaration: ToolDeclaration,
    settings: Settings,
    local_names: Mapping[str, Any] | None,
    *,
    may_postpone: bool,
) -> Tool:
    """The tool that runs ``function``.

    Args:
        function: The handler.
        declaration: What its author said.
        settings: The server's switches, for what the declaration leaves open.
        local_names: Names that postponed annotations may use beside the module's.
        may_postpone: Take a declaration with an annotation that names something not defined yet;
            it is built when serving starts.

    Raises:
        RegistrationError: The declaration cannot be served.
    """
    mode = mode_of(function, declaration.inline, noun="tool")
    name = declaration.name
    name = check_tool_name(name_of(function, "tool") if name is None else name)
    listing = _listing(name, function, declaration)
    inputs, outputs = _options(name, declaration, settings, local_names)

    def build(hooked: Any) -> _Engine:
        arguments = declaration.arguments if hooked is None else hooked
        try:
            reader = _reader(function, arguments, inputs)
            writer = _writer(function, declaration, outputs)
        except DeclarationError as error:
            raise registration_error(error) from error
        if isinstance(reader, Deferred):
            raise _UndefinedNameError(str(reader.reason)) from reader.reason
        if isinstance(writer, Deferred):
            raise _UndefinedNameError(str(writer.reason)) from writer.reason
        return _engine(listing, reader, writer)

    tool = Tool(name, awaited(function, mode), mode, declaration, build)
    try:
        tool.refresh()
    except _UndefinedNameError:
        if not may_postpone:
            raise
    return tool


def _options(
    name: str,
    declaration: ToolDeclaration,
    settings: Settings,
    local_names: Mapping[str, Any] | None,
) -> tuple[InputOptions, OutputOptions]:
    limits = SchemaLimits(
        max_depth=settings.limits.max_schema_depth, max_subschemas=settings.limits.max_subschemas
    )
    opens, repair = declaration.allow_unknown_arguments, declaration.repair
    inputs = InputOptions(
        tool_name=name,
        open=settings.allow_unknown_arguments if opens is None else opens,
        repair=settings.repair_arguments if repair is None else repair,
        context_type=Context,
        parameters=declaration.parameters or {},
        local_names=local_names,
        limits=limits,
        secret_words=settings.secret_words,
        validated_by_application=declaration.validated_by_application,
    )
    outputs = OutputOptions(
        tool_name=name,
        ready_made=_READY_MADE,
        no_results=(InputRequired,),
        text_schema=declaration.structured is True,
        local_names=local_names,
        limits=limits,
        validated_by_application=declaration.validated_by_application,
    )
    return inputs, outputs


def _engine(listing: ToolListing, reader: InputReader, writer: OutputWriter) -> _Engine:
    listing = msgspec.structs.replace(
        listing, input_schema=reader.schema, output_schema=or_unset(writer.schema)
    )
    return _Engine(listing, reader, writer, _headers(listing.name, reader))


def _headers(name: str, reader: InputReader) -> "HeaderTable":
    if b"x-mcp-header" not in msgspec.json.encode(reader.schema):
        return ()
    from ._header_table import header_table  # noqa: PLC0415 - most tools have no such headers

    return header_table(f"tool {name!r}", reader.schema, reader.is_secret)


def _reader(
    function: Callable[..., Any], arguments: Any, options: InputOptions
) -> InputReader | DeferredInput:
    if arguments is None:
        return input_from_signature(function, options)
    if isinstance(arguments, (declare.ObjectSchema, Mapping, str, bytes)):
        return declare.input_from_schema(arguments, function, options)
    return input_from_struct(arguments, function, options)


def _writer(
    function: Callable[..., Any], declaration: ToolDeclaration, options: OutputOptions
) -> OutputWriter | DeferredOutput:
    if declaration.ok_result:
        _check_returns_nothing(function, options.tool_name)
    if declaration.structured is False:
        return output_of_anything()
    if declaration.ok_result:
        return output_from_schema(_OK_SCHEMA, options)
    if declaration.output is not None:
        return output_from_schema(declaration.output, options)
    return output_from_return(function, options)


def _check_returns_nothing(function: Callable[..., Any], name: str) -> None:
    try:
        returned = plain_function(function).__annotations__.get("return")
    except (AttributeError, NameError):
        return
    if returned not in (None, "None"):
        raise RegistrationError(
            f"tool {name!r} has ok_result=True, which is for handlers that return nothing, but its "
            f"handler returns {returned!r}; leave ok_result out, or annotate -> None"
        )


def _ask(name: str, hook: Callable[[], Any]) -> Any:
    try:
        schema = hook()
    except Exception as error:
        raise RegistrationError(
            f"input_schema_hook of tool {name!r} failed: {type(error).__name__}: {error}"
        ) from error
    if schema is None:
        raise RegistrationError(
            f"input_schema_hook of tool {name!r} returned None; return the input schema, as a dict "
            "or as JSON text"
        )
    return schema


def _listing(name: str, function: Callable[..., Any], declaration: ToolDeclaration) -> ToolListing:
    """What clients see of the tool, its schemas left to be filled in."""
    owner = f"tool {name!r}"
    description = declaration.description
    annotations = ToolAnnotations(
        title=or_unset(declaration.annotations_title),
        read_only_hint=or_unset(declaration.read_only),
        destructive_hint=or_unset(declaration.destructive),
        idempotent_hint=or_unset(declaration.idempotent),
        open_world_hint=or_unset(declaration.open_world),
    )
    task_support = declaration.task_support
    listing = ToolListing(
        name=name,
        title=or_unset(declaration.title),
        description=or_unset(description_of(function) if description is None else description),
        input_schema={},
        annotations=UNSET if annotations == ToolAnnotations() else annotations,
        execution=UNSET if task_support is None else ToolExecution(task_support),
        icons=or_unset(check_icons(owner, declaration.icons)),
        meta=or_unset(check_meta(owner, declaration.meta)),
    )
    return check_listing(owner, listing)
