"""The fluent builder of an object schema."""

from collections.abc import Iterable, Mapping
from typing import Any

from ._errors import DeclarationError
from ._json_value import json_form
from ._parameter import HEADER
from ._shape import NOTHING

__all__ = ["ObjectSchema"]

# Option of a builder method -> keyword, for all of them.
_OPTIONS = {
    "title": "title",
    "minimum": "minimum",
    "maximum": "maximum",
    "exclusive_minimum": "exclusiveMinimum",
    "exclusive_maximum": "exclusiveMaximum",
    "multiple_of": "multipleOf",
    "min_length": "minLength",
    "max_length": "maxLength",
    "pattern": "pattern",
    "format": "format",
    "min_items": "minItems",
    "max_items": "maxItems",
    "unique_items": "uniqueItems",
    "examples": "examples",
    "write_only": "writeOnly",
    "header": HEADER,
    "nullable": "",
}
_NUMBER = ("minimum", "maximum", "exclusive_minimum", "exclusive_maximum", "multiple_of")
_FITTING = {
    "string": ("min_length", "max_length", "pattern", "format", "header"),
    "integer": (*_NUMBER, "header"),
    "number": _NUMBER,
    "boolean": ("header",),
    "array": ("min_items", "max_items", "unique_items"),
    "object": (),
    "enum": ("header",),
}
_ALWAYS = ("title", "examples", "write_only", "nullable")


class ObjectSchema:
    """Builds the schema of an object property by property; each method returns the builder.

    ``ObjectSchema().string("query", "Search terms").integer("limit", default=25)``

    A property is required unless it has a default or ``required=False``. Unknown keys are refused
    unless ``additional_properties`` says otherwise. All methods take ``title``, ``examples``,
    ``write_only`` and ``nullable`` (null is accepted too); the constraint keywords fit the kind:
    ``minimum``, ``maximum``, ``exclusive_minimum``, ``exclusive_maximum``, ``multiple_of``;
    ``min_length``, ``max_length``, ``pattern``, ``format``; ``min_items``, ``max_items``,
    ``unique_items``. ``header``, for a text, integer, boolean or choice of them, is that of
    ``Parameter``.

    Args:
        title: A short label of the object.
        description: What it is for.
        additional_properties: Whether unknown keys are accepted, or the schema they satisfy.
    """

    def __init__(
        self,
        title: str | None = None,
        description: str | None = None,
        *,
        additional_properties: "bool | ObjectSchema | Mapping[str, Any]" = False,
    ) -> None:
        self._notes = {"title": title, "description": description}
        self._additional: Any = additional_properties
        self._properties: dict[str, dict[str, Any]] = {}
        self._required: list[str] = []

    def string(self, name: str, description: str | None = None, **options: Any) -> "ObjectSchema":
        """Adds a text."""
        return self._add("string", name, description, {"type": "string"}, options)

    def integer(self, name: str, description: str | None = None, **options: Any) -> "ObjectSchema":
        """Adds a number without a fraction."""
        return self._add("integer", name, description, {"type": "integer"}, options)

    def number(self, name: str, description: str | None = None, **options: Any) -> "ObjectSchema":
        """Adds a number."""
        return self._add("number", name, description, {"type": "number"}, options)

    def boolean(self, name: str, description: str | None = None, **options: Any) -> "ObjectSchema":
        """Adds true or false."""
        return self._add("boolean", name, description, {"type": "boolean"}, options)

    def array(
        self,
        name: str,
        items: "str | ObjectSchema | Mapping[str, Any] | None" = None,
        description: str | None = None,
        **options: Any,
    ) -> "ObjectSchema":
        """Adds a list.

        Args:
            name: The property.
            items: What each item is: a JSON type's name, an ``ObjectSchema``, a schema, or None for
                anything.
            description: What it is for.
            options: ``min_items``, ``max_items``, ``unique_items`` and those of all methods.
        """
        schema: dict[str, Any] = {"type": "array"}
        if items is not None:
            schema["items"] = _part(items)
        return self._add("array", name, description, schema, options)

    def object(
        self,
        name: str,
        schema: "ObjectSchema | Mapping[str, Any] | None" = None,
        description: str | None = None,
        **options: Any,
    ) -> "ObjectSchema":
        """Adds a nested object; any object where no schema is given."""
        inner = {"type": "object"} if schema is None else _part(schema)
        return self._add("object", name, description, inner, options)

    def enum(
        self,
        name: str,
        values: Iterable[Any] | Mapping[str, str],
        description: str | None = None,
        **options: Any,
    ) -> "ObjectSchema":
        """Adds a choice.

        Args:
            name: The property.
            values: The values; or a mapping of each text to the title that people see.
            description: What it is for.
            options: Those of all methods.
        """
        if isinstance(values, Mapping):
            schema: dict[str, Any] = {
                "type": "string",
                "oneOf": [{"const": value, "title": title} for value, title in values.items()],
            }
        else:
            allowed = list(values)
            schema = {"enum": allowed}
            if all(isinstance(value, str) for value in allowed):
                schema = {"type": "string", "enum": allowed}
        if not (schema.get("enum") or schema.get("oneOf")):
            raise DeclarationError(f"property {name!r}: an enum needs at least one value")
        return self._add("enum", name, description, schema, options)

    def additional_properties(
        self, allowed: "bool | ObjectSchema | Mapping[str, Any]" = True
    ) -> "ObjectSchema":
        """Says whether unknown keys are accepted, or which schema they satisfy."""
        self._additional = allowed
        return self

    def to_schema(self) -> dict[str, Any]:
        """The JSON Schema; a new dict each time."""
        schema: dict[str, Any] = {"type": "object"}
        schema.update({name: note for name, note in self._notes.items() if note is not None})
        if self._properties:
            schema["properties"] = {name: dict(part) for name, part in self._properties.items()}
        if self._required:
            schema["required"] = list(self._required)
        if self._additional is not True:
            schema["additionalProperties"] = self._additional and _part(self._additional)
        return schema

    def _add(
        self,
        kind: str,
        name: str,
        description: str | None,
        schema: dict[str, Any],
        options: dict[str, Any],
    ) -> "ObjectSchema":
        if name in self._properties:
            raise DeclarationError(f"property {name!r} is declared twice; each needs its own name")
        default = options.pop("default", NOTHING)
        required = options.pop("required", default is NOTHING)
        schema = {**schema, **_keywords(kind, name, options)}
        if options.get("nullable"):
            schema = _or_null(schema)
        if description is not None:
            schema["description"] = description
        if default is not NOTHING:
            schema["default"] = _default(name, default)
        self._properties[name] = schema
        if required:
            self._required.append(name)
        return self


def _keywords(kind: str, name: str, options: dict[str, Any]) -> dict[str, Any]:
    fitting = (*_FITTING[kind], *_ALWAYS)
    for option in options:
        if option not in fitting:
            raise DeclarationError(
                f"property {name!r}: {option!r} is no option of {kind}(); "
                f"its options are: description, default, required, {', '.join(fitting)}"
            )
    return {
        keyword: options[option]
        for option, keyword in _OPTIONS.items()
        if keyword and options.get(option) is not None
    }


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    notes = {n: v for n, v in schema.items() if n in ("title", "examples", "writeOnly", HEADER)}
    rest = {n: v for n, v in schema.items() if n not in notes}
    return {"anyOf": [rest, {"type": "null"}], **notes}


def _default(name: str, default: Any) -> Any:
    form = json_form(default)
    if form is NOTHING:
        raise DeclarationError(f"property {name!r}: the default {default!r} has no JSON form")
    return form


def _part(schema: "str | bool | ObjectSchema | Mapping[str, Any]") -> Any:
    if isinstance(schema, ObjectSchema):
        return schema.to_schema()
    if isinstance(schema, str):
        return {"type": schema}
    return schema if isinstance(schema, bool) else dict(schema)
