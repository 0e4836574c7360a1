"""A class -> the form that a client shows for it, and the answer back into the class."""

from typing import Any

import msgspec

from ..json_check import compile_check, render
from ._build import ShapeBuilder
from ._deferred import declared
from ._errors import DeclarationError, Mismatch
from ._object_schema import ObjectSchema
from ._reader import mismatch_line
from ._schema_input import plain_schema
from ._scope import Scope
from ._shape import Shape, is_record

__all__ = ["Form", "FormRefused", "form_of", "requested_schema_of"]

_FORMATS = ("email", "uri", "date", "date-time")
# Keywords that a property of a form may have, by its type.
_ALLOWED = {
    "string": {"minLength", "maxLength", "format", "enum", "enumNames", "oneOf", "default"},
    "number": {"minimum", "maximum", "default"},
    "integer": {"minimum", "maximum", "default"},
    "boolean": {"default"},
    "array": {"items", "minItems", "maxItems", "default"},
}
_NOTES = {"type", "title", "description"}


class Form:
    """One form: what is asked for, and how the answer is read. Made once per class.

    Attributes:
        schema: ``requestedSchema`` of ``elicitation/create``.
    """

    def __init__(self, schema: dict[str, Any], shape: Shape | None, where: str) -> None:
        self.schema = _form_schema(schema, where)
        self._shape = shape
        # What may be null and has no default: a form has no null, so it may be left out.
        self._nullable = [name for name in schema.get("required", ()) if _is_nullable(schema, name)]
        self._check = compile_check(self.schema)

    def read(self, content: Any) -> Any:
        """The client's ``content`` -> an instance of the class, or the list of what is wrong.

        Keys that were not asked for are ignored. A form without a class gives a dict.

        Args:
            content: The decoded JSON value.

        Returns:
            The instance, or a ``FormRefused`` with one line per violation.
        """
        if isinstance(content, dict):
            content = {k: v for k, v in content.items() if k in self.schema["properties"]}
        violations = self._check.violations(content)
        if violations:
            return FormRefused([render(violation) for violation in violations])
        if self._shape is None:
            return self._check.seed_defaults(content)
        absent = {name: None for name in self._nullable if name not in content}
        try:
            return content if self._shape.read is None else self._shape.read(content | absent)
        except Mismatch as mismatch:
            return FormRefused([mismatch_line(mismatch, lambda path: False)])


class FormRefused(msgspec.Struct, frozen=True):
    """An answer that does not fit its form: one line per violation."""

    violations: list[str]


def requested_schema_of(python: Any) -> dict[str, Any]:
    """A Struct or dataclass -> the flat schema of a form.

    Raises:
        DeclarationError: A field is more than a text, number, boolean, choice or list of choices;
            the message names it.

    Source: 2026-07-28, schema, ElicitRequestFormParams and PrimitiveSchemaDefinition.
    """
    return form_of(python).schema


def form_of(declaration: Any) -> Form:
    """A class, a builder, or a raw schema -> a form.

    Raises:
        DeclarationError: It is more than a form can ask; the message names the field.
    """
    if not is_record(getattr(declaration, "__origin__", declaration)):
        if not isinstance(declaration, ObjectSchema | dict | str | bytes):
            raise DeclarationError(f"{declaration!r} is no Struct, dataclass, builder or schema")
        schema = plain_schema(declaration, "the form")
        return Form(schema, None, "the form")
    builder = ShapeBuilder(Scope(module={}, local={}), open=True)
    where = f"the form {declaration.__name__}"
    shape = declared(lambda: builder.shape(declaration, where))
    if builder.definitions:
        raise DeclarationError(f"{where} contains itself, but a form has only plain fields")
    return Form(shape.schema, shape, where)


def _form_schema(schema: dict[str, Any], where: str) -> dict[str, Any]:
    if schema.get("type") != "object":
        raise DeclarationError(f"{where}: a form is an object with named fields")
    required = [name for name in schema.get("required", ()) if not _is_nullable(schema, name)]
    form: dict[str, Any] = {"type": "object", "properties": {}}
    if "$schema" in schema:
        form["$schema"] = schema["$schema"]
    for name, part in schema.get("properties", {}).items():
        place = f"{where}, field {name!r}"
        form["properties"][name] = _primitive(part, place, optional=name not in required)
    if required:
        form["required"] = required
    return form


def _is_nullable(schema: dict[str, Any], name: str) -> bool:
    part = schema.get("properties", {}).get(name)
    return isinstance(part, dict) and {"type": "null"} in part.get("anyOf", ())


def _primitive(schema: Any, where: str, *, optional: bool) -> dict[str, Any]:
    """The schema of one field, as far as a form can say it."""
    if not isinstance(schema, dict):
        raise _refusal(where, "anything")
    branches = [part for part in schema.get("anyOf", ()) if part != {"type": "null"}]
    if optional and len(branches) == 1 and len(schema["anyOf"]) == 2:
        # An optional field is one that may be left out; a form has no null.
        rest = {name: part for name, part in schema.items() if name != "anyOf"}
        schema = {**branches[0], **rest}
        if schema.get("default", ...) is None:
            del schema["default"]
    kind = schema.get("type")
    if "const" in schema and isinstance(schema["const"], str):
        kind = "string"
        schema = {
            **{n: v for n, v in schema.items() if n != "const"},
            "type": "string",
            "enum": [schema["const"]],
        }
    if not isinstance(kind, str) or kind not in _ALLOWED:
        raise _refusal(where, "an object" if kind == "object" else "its type")
    if kind == "array" and not _is_choices(schema.get("items")):
        raise _refusal(where, "a list of anything but choices")
    if kind in ("integer", "number") and "enum" in schema:
        raise _refusal(where, "a choice of numbers")
    if kind == "string" and schema.get("format", "email") not in _FORMATS:
        schema = {name: part for name, part in schema.items() if name != "format"}
    unknown = schema.keys() - _ALLOWED[kind] - _NOTES - {"contentEncoding", "examples"}
    if unknown:
        raise _refusal(where, f"the keyword {', '.join(sorted(unknown))}")
    return {n: v for n, v in schema.items() if n in _ALLOWED[kind] | _NOTES}


def _is_choices(items: Any) -> bool:
    if not isinstance(items, dict):
        return False
    if items.keys() == {"anyOf"}:
        return all(isinstance(p, dict) and p.keys() == {"const", "title"} for p in items["anyOf"])
    return items.get("type") == "string" and "enum" in items


def _refusal(where: str, what: str) -> DeclarationError:
    return DeclarationError(
        f"{where}: a form cannot ask for {what}; use str, int, float, bool, date, datetime, a "
        "Literal or Enum of texts, or a list of such a choice"
    )
