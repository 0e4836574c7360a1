"""Schemas of types, and JSON values to Python values and back, each a function of its own."""

from collections.abc import Callable
from typing import Any

from .. import json_check
from ._build import ShapeBuilder, root_schema
from ._deferred import Deferred, declared
from ._errors import Mismatch
from ._numbers import decode_with_digits
from ._options import InputOptions, OutputOptions
from ._output import output_from_return
from ._reader import mismatch_line
from ._scope import Scope
from ._typed_input import input_from_signature

__all__ = ["schema_of_return", "schema_of_signature", "schema_of_type", "to_value"]

_INPUT = InputOptions()
_OUTPUT = OutputOptions()


def schema_of_signature(
    function: Callable[..., Any], options: InputOptions = _INPUT
) -> dict[str, Any]:
    """The input schema that a tool made of this callable publishes.

    Raises:
        DeclarationError: A parameter cannot be filled from JSON.
    """
    reader = input_from_signature(function, options)
    return (reader.resolve() if isinstance(reader, Deferred) else reader).schema


def schema_of_return(
    function: Callable[..., Any], options: OutputOptions = _OUTPUT
) -> dict[str, Any] | None:
    """The output schema that a tool made of this callable publishes; None where it has none.

    Raises:
        DeclarationError: The return type has no JSON shape.
    """
    writer = output_from_return(function, options)
    return (writer.resolve() if isinstance(writer, Deferred) else writer).schema


def schema_of_type(python: Any, *, open: bool = False) -> dict[str, Any]:
    """The JSON Schema of values that ``to_value`` takes for this type.

    Args:
        python: A type.
        open: Objects of classes take unknown keys.

    Raises:
        DeclarationError: It has no JSON shape.
    """
    scope = Scope(module={}, local={})
    builder = ShapeBuilder(scope, open=open)

    def make() -> dict[str, Any]:
        shape = builder.annotated(scope.resolve(python, "the type"), "the type")[0]
        return root_schema(shape.schema, builder.definitions)

    return declared(make)


def to_value(python: Any, json_value: Any) -> Any:
    """A JSON value (or its text as bytes) -> a value of the type.

    Args:
        python: A type.
        json_value: What a JSON decoder gives, or the JSON text as bytes.

    Raises:
        ValueError: The value does not fit; one line per violation.
        DeclarationError: The type has no JSON shape.
    """
    scope = Scope(module={}, local={})
    builder = ShapeBuilder(scope)
    shape = declared(lambda: builder.annotated(scope.resolve(python, "the type"), "the type")[0])
    value = decode_with_digits(json_value) if isinstance(json_value, bytes) else json_value
    check = json_check.compile_check(root_schema(shape.schema, builder.definitions))
    lines = [_in_value(json_check.render(violation)) for violation in check.violations(value)]
    if lines:
        raise ValueError("; ".join(lines))
    try:
        return value if shape.read is None else shape.read(value)
    except Mismatch as mismatch:
        raise ValueError(_in_value(mismatch_line(mismatch, lambda path: False))) from None


def _in_value(line: str) -> str:
    return "value" + line.removeprefix("arguments") if line.startswith("arguments") else line
