"""A builder, or a raw JSON Schema -> an ``InputReader`` that hands over plain values."""

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from .. import json_check
from ._advertised import kinds_of
from ._bind import Slot, binder
from ._defaults import refuse_bad_defaults
from ._errors import DeclarationError, UndefinedNameError
from ._object_schema import ObjectSchema
from ._options import InputOptions
from ._reader import Converted, InputReader
from ._secrets import secret_test
from ._seeds import seeder
from ._shape import NOTHING
from ._signature import is_mapping, may_be_mapping, refuse_bare_context, signature_of, slots_of

if TYPE_CHECKING:
    from ..json_check import Check

__all__ = ["RawSchema", "input_from_schema", "plain_schema"]

RawSchema: TypeAlias = "ObjectSchema | Mapping[str, Any] | str | bytes"

_DEFAULTS = InputOptions()


def input_from_schema(
    schema: RawSchema,
    function: Callable[..., Any] | None = None,
    options: InputOptions = _DEFAULTS,
) -> InputReader:
    """A schema of the author's own -> a reader whose handler gets the values as they were sent.

    Extra keys are kept where the schema allows them, defaults are filled in, nested ones too. The
    handler takes one mapping, or parameters named like the properties.

    Args:
        schema: A builder, a JSON Schema, or its JSON text.
        function: The handler; one that takes a mapping is assumed without it.
        options: As for ``input_from_signature``; ``parameters`` may give wire names.

    Raises:
        DeclarationError: The schema is malformed, cannot be enforced or is no object schema, or the
            handler's parameters do not go with it.
    """
    where = options.where(function)
    published = plain_schema(schema, where)
    if options.open:
        published.pop("additionalProperties", None)
    published = _object_root(published, where)
    try:
        check = json_check.compile_check(
            published,
            limits=options.limits,
            secret_words=options.secret_words,
            engine=options.engine,
            validated_by_application=options.validated_by_application,
        )
    except json_check.SchemaError as error:
        raise DeclarationError(f"{where}: {error}") from error
    refuse_bad_defaults(published, check, where)
    slots = _slots(function, options, where)
    refuse_bare_context(slots, options, where, known=published.get("properties", ()))
    convert = _convert(published, check, slots, options, where)
    return InputReader(
        published,
        lambda: check,
        fast=None,
        convert=convert,
        bind=binder(slots),
        takes_context=any(slot.is_context for slot in slots),
        repair=options.repair,
        is_secret=secret_test(published, options.secret_words),
    )


def plain_schema(schema: Any, where: str) -> dict[str, Any]:
    """A builder, a dict or JSON text -> the schema as a dict of its own.

    Raises:
        DeclarationError: It is none of them, or malformed.
    """
    if isinstance(schema, ObjectSchema):
        return schema.to_schema()
    try:
        parsed = json_check.parse_schema(dict(schema) if isinstance(schema, Mapping) else schema)
    except json_check.SchemaError as error:
        raise DeclarationError(f"{where}: {error}") from error
    if not isinstance(parsed, dict):
        raise DeclarationError(
            f"{where}: the schema is {_json(parsed)}, but a JSON object is "
            'needed: {"type": "object", ...}'
        )
    return dict(parsed)


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


# Keywords that only an object schema has a use for.
_OF_OBJECTS = ("properties", "required", "additionalProperties", "patternProperties")


def _object_root(schema: dict[str, Any], where: str) -> dict[str, Any]:
    """The schema with ``type: object``, which MCP wants at the root of every input schema."""
    kind = schema.get("type")
    if kind == "object":
        return schema
    if kind is None and (not schema or any(name in schema for name in _OF_OBJECTS)):
        return {"type": "object", **schema}
    raise DeclarationError(
        f"{where}: the input schema's root has "
        + ("no type" if kind is None else f'"type": {_json(kind)}')
        + ', but arguments are always an object; write {"type": "object", "properties": {...}} and '
        "put a reference or other value into a property"
    )


def _slots(function: Callable[..., Any] | None, options: InputOptions, where: str) -> list[Slot]:
    if function is None:
        return [Slot(name="arguments", wire="", kind=inspect.Parameter.POSITIONAL_ONLY)]
    try:
        return slots_of(function, options, where)[0]
    except UndefinedNameError:
        # The schema says it all, so annotations count only as far as they can be read.
        parameters = signature_of(function, where).parameters.values()
        return [_unresolved(parameter, options) for parameter in parameters]


def _unresolved(parameter: Any, options: InputOptions) -> Slot:
    annotation = parameter.annotation
    name = getattr(options.context_type, "__name__", None)
    words = str(annotation).replace("|", " ").replace("[", " ").replace("]", " ").split()
    return Slot(
        name=parameter.name,
        wire=parameter.name,
        kind=parameter.kind,
        annotation=Any,
        default=NOTHING if parameter.default is parameter.empty else parameter.default,
        is_context=name is not None and any(w.rpartition(".")[2] == name for w in words),
        is_annotated=annotation is not parameter.empty,
    )


def _convert(
    schema: dict[str, Any], check: "Check", slots: list[Slot], options: InputOptions, where: str
) -> Callable[[dict[str, Any]], Converted]:
    """How checked arguments become the handler's values: one mapping, or one value a parameter."""
    seeded = seeder(schema, check)
    takers = [slot for slot in slots if not slot.is_context and not slot.takes_extras]
    has_extras = any(slot.takes_extras for slot in slots)
    wires = {slot.name: _wire(slot, options) for slot in takers}
    if len(takers) == 1 and not has_extras and _takes_mapping(takers[0], wires, schema, where):

        def whole(value: dict[str, Any]) -> Converted:
            return (seeded(value),), []

        return whole
    _require_cover(schema, takers, wires, has_extras, where)
    return _named(seeded, takers, wires, has_extras, frozenset(slot.name for slot in slots))


def _wire(slot: Slot, options: InputOptions) -> str:
    parameter = options.parameters.get(slot.name)
    return slot.name if parameter is None or parameter.name is None else parameter.name


def _takes_mapping(slot: Slot, wires: dict[str, str], schema: dict[str, Any], where: str) -> bool:
    """Whether the only parameter is for all the arguments, not for the property of its name."""
    properties, wire = schema.get("properties", {}), wires[slot.name]
    if wire in properties:
        return is_mapping(slot.annotation) and "object" not in kinds_of(properties[wire])
    if may_be_mapping(slot.annotation):
        return True
    if wire in schema.get("required", ()):
        return False
    raise DeclarationError(
        f"{where}, parameter {slot.name!r}: it is no property of the schema "
        f"({', '.join(properties) or 'which has none'}), so it gets all the arguments in one dict, "
        f"but it is annotated as {slot.annotation!r}; write {slot.name}: dict[str, Any], or name "
        "it like a property"
    )


def _require_cover(
    schema: dict[str, Any],
    takers: list[Slot],
    wires: dict[str, str],
    has_extras: bool,
    where: str,
) -> None:
    properties = schema.get("properties", {})
    required = schema.get("required", [])
    covered = set(wires.values())
    missing = [name for name in required if name not in covered]
    unknown = [slot.name for slot in takers if wires[slot.name] not in properties]
    unknown = [name for name in unknown if wires[name] not in required]
    if unknown or (missing and not has_extras):
        raise DeclarationError(
            f"{where}: its handler takes ({', '.join(wires.values()) or 'nothing'}), but the "
            f"schema has the properties ({', '.join(properties) or 'none'}), required: "
            f"({', '.join(required) or 'none'}). "
            + (f"No property is called {', '.join(unknown)}. " if unknown else "")
            + (f"Nothing takes {', '.join(missing)}. " if missing else "")
            + "Take one mapping (def handler(arguments: dict)), or name the parameters like the "
            "properties, or add **kwargs"
        )


def _named(
    seeded: Callable[[dict[str, Any]], dict[str, Any]],
    takers: list[Slot],
    wires: dict[str, str],
    has_extras: bool,
    reserved: frozenset[str],
) -> Callable[[dict[str, Any]], Converted]:
    ordered = [s for s in takers if not s.by_keyword] + [s for s in takers if s.by_keyword]
    columns = [
        # An optional argument that is absent and has no default anywhere is None.
        (wires[slot.name], None if slot.default is NOTHING else slot.default)
        for slot in ordered
    ]
    known = frozenset(wires.values())

    def named(value: dict[str, Any]) -> Converted:
        whole = seeded(value)
        made: list[Any] = [whole.get(wire, default) for wire, default in columns]
        if has_extras:
            made.append({k: v for k, v in whole.items() if k not in known and k not in reserved})
        return tuple(made), []

    return named
