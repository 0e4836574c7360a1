"""Declarations -> what is published about them, and what is enforced of it.

``input_from_signature``, ``input_from_struct`` and ``input_from_schema`` give an ``InputReader``;
``output_from_return``, ``output_from_type`` and ``output_from_schema`` an ``OutputWriter``.

Names are loaded on first use: a server that declares no form never loads ``_elicited``.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._deferred import Deferred
    from ._docstring import Docstring, parse_docstring
    from ._elicited import Form, FormRefused, form_of, requested_schema_of
    from ._errors import DeclarationError, ResultError, UndefinedNameError
    from ._json_value import to_json
    from ._object_schema import ObjectSchema
    from ._options import InputOptions, OutputOptions
    from ._output import (
        DeferredOutput,
        output_from_return,
        output_from_schema,
        output_from_type,
        output_of_anything,
    )
    from ._parameter import Parameter
    from ._reader import Bound, InputReader, Refused
    from ._schema_input import RawSchema, input_from_schema
    from ._scope import caller_locals
    from ._typed_input import DeferredInput, input_from_signature, input_from_struct
    from ._values import schema_of_return, schema_of_signature, schema_of_type, to_value
    from ._writer import OutputWriter, Written

__all__ = [
    "Bound",
    "DeclarationError",
    "Deferred",
    "DeferredInput",
    "DeferredOutput",
    "Docstring",
    "Form",
    "FormRefused",
    "InputOptions",
    "InputReader",
    "ObjectSchema",
    "OutputOptions",
    "OutputWriter",
    "Parameter",
    "RawSchema",
    "Refused",
    "ResultError",
    "UndefinedNameError",
    "Written",
    "caller_locals",
    "form_of",
    "input_from_schema",
    "input_from_signature",
    "input_from_struct",
    "output_from_return",
    "output_from_schema",
    "output_from_type",
    "output_of_anything",
    "parse_docstring",
    "requested_schema_of",
    "schema_of_return",
    "schema_of_signature",
    "schema_of_type",
    "to_json",
    "to_value",
]

_MODULES = {
    "Bound": "_reader",
    "DeclarationError": "_errors",
    "Deferred": "_deferred",
    "DeferredInput": "_typed_input",
    "DeferredOutput": "_output",
    "Docstring": "_docstring",
    "Form": "_elicited",
    "FormRefused": "_elicited",
    "InputOptions": "_options",
    "InputReader": "_reader",
    "ObjectSchema": "_object_schema",
    "OutputOptions": "_options",
    "OutputWriter": "_writer",
    "Parameter": "_parameter",
    "RawSchema": "_schema_input",
    "Refused": "_reader",
    "ResultError": "_errors",
    "UndefinedNameError": "_errors",
    "Written": "_writer",
    "caller_locals": "_scope",
    "form_of": "_elicited",
    "input_from_schema": "_schema_input",
    "input_from_signature": "_typed_input",
    "input_from_struct": "_typed_input",
    "output_from_return": "_output",
    "output_from_schema": "_output",
    "output_from_type": "_output",
    "output_of_anything": "_output",
    "parse_docstring": "_docstring",
    "requested_schema_of": "_elicited",
    "schema_of_return": "_values",
    "schema_of_signature": "_values",
    "schema_of_type": "_values",
    "to_json": "_json_value",
    "to_value": "_values",
}


def __getattr__(name: str) -> Any:
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{module}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
