"""Arguments that arrive as strings: a handler's parameters, read from text and converted."""

from collections.abc import Callable, Mapping
from typing import Any

from sansmcp_schema import declare
from sansmcp_schema.declare import DeclarationError, InputOptions, InputReader, Parameter
from sansmcp_schema.json_check import SchemaLimits

from ._checks import registration_error
from ._context import Context
from ._handlers import awaited
from ._operation import Bound, Mode, Refused
from ._settings import Settings

__all__ = ["StringArguments", "string_options"]


def _accept(schema: Mapping[str, Any]) -> None:
    """Check nothing."""


class StringArguments:
    """The arguments of a prompt or the variables of a template, and the handler that takes them.

    What arrives is text, so text that breaks a parameter's type is always decoded once, whatever
    the server says about repairing arguments.

    Args:
        function: The handler.
        arguments: What stands for the signature: a class, or a JSON Schema.
        options: How they are declared.
        mode: How the handler is run.
        may_postpone: Take annotations with names that are not defined yet.
        check: Raises ``RegistrationError`` where the schema does not suit.

    Raises:
        RegistrationError: The declaration cannot be served.
    """

    __slots__ = ("_check", "_declared", "_reader", "function")

    def __init__(
        self,
        function: Callable[..., Any],
        options: InputOptions,
        mode: Mode,
        *,
        arguments: Any = None,
        may_postpone: bool = True,
        check: Callable[[Mapping[str, Any]], None] = _accept,
    ) -> None:
        self.function = awaited(function, mode)
        self._check = check
        self._reader: InputReader | None = None
        self._declared = self._translated(lambda: _declare(function, arguments, options))
        if isinstance(self._declared, InputReader) or not may_postpone:
            self.resolve()

    @property
    def schema(self) -> Mapping[str, Any]:
        """The JSON Schema of the object that holds the arguments."""
        return self._ready().schema

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the arguments, in order."""
        return tuple(self.schema.get("properties", ()))

    def resolve(self) -> None:
        """Build what a name that was not defined had kept from being built.

        Raises:
            RegistrationError: The name is still not defined, or the schema does not suit.
        """
        if self._reader is not None:
            return
        declared = self._declared
        reader = (
            declared if isinstance(declared, InputReader) else self._translated(declared.resolve)
        )
        self._check(reader.schema)
        self._reader = reader

    def read(self, raw: bytes | None, context: Any) -> Bound | Refused:
        """The arguments of a JSON text for the handler; ``None`` for none."""
        return self._ready().read(raw, context)

    def read_variables(self, variables: Mapping[str, str], context: Any) -> Bound | Refused:
        """Arguments that are decoded already, for the handler."""
        return self._ready().read_value(dict(variables), context)

    @property
    def takes_context(self) -> bool:
        """Whether the handler has a parameter for the context."""
        return self._ready().takes_context

    def _ready(self) -> InputReader:
        self.resolve()
        assert self._reader is not None
        return self._reader

    def _translated(self, make: Callable[[], Any]) -> Any:
        try:
            return make()
        except DeclarationError as error:
            raise registration_error(error) from error


def string_options(
    settings: Settings,
    kind: str,
    name: str,
    *,
    parameters: Mapping[str, Parameter] | None = None,
    localns: Mapping[str, Any] | None = None,
    may_be_open: bool = False,
) -> InputOptions:
    """How arguments that arrive as strings are declared.

    Args:
        settings: The server's switches.
        kind: What is declared, for messages: ``prompt``, ``resource``.
        name: Its name or URI, for messages.
        parameters: Options per parameter, by its Python name.
        localns: Names that postponed annotations may use beside the module's.
        may_be_open: Follow the server where it accepts unknown arguments.
    """
    return InputOptions(
        tool_name=name,
        kind=kind,
        limits=SchemaLimits(
            max_depth=settings.limits.max_schema_depth,
            max_subschemas=settings.limits.max_subschemas,
        ),
        open=may_be_open and settings.allow_unknown_arguments,
        repair=True,
        context_type=Context,
        parameters=parameters or {},
        local_names=localns,
        secret_words=settings.secret_words,
    )


def _declare(function: Callable[..., Any], arguments: Any, options: InputOptions) -> Any:
    if arguments is None:
        return declare.input_from_signature(function, options)
    if isinstance(arguments, Mapping):
        return declare.input_from_schema(arguments, function, options)
    return declare.input_from_struct(arguments, function, options)
