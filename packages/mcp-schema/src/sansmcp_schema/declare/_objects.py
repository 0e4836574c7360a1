"""Structs, dataclasses, TypedDicts and named tuples: the types that have named fields."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NotRequired, Required, get_args, get_origin

import msgspec

from ._docstring import parse_docstring
from ._errors import DeclarationError, Mismatch
from ._shape import NOTHING, Part, Reader, Shape, read_item

if TYPE_CHECKING:
    from ._build import ShapeBuilder

__all__ = ["Field", "fields_of", "record_shape"]


class Field(msgspec.Struct, kw_only=True):
    """One field of a class: what it is called in Python and on the wire, and what it holds."""

    name: str
    wire: str
    annotation: Any
    required: bool
    default: Any = NOTHING


class _Record(msgspec.Struct, kw_only=True):
    """How one class with fields is read.

    Attributes:
        as_array: Its JSON is an array of the fields' values in order.
        closed: msgspec itself refuses unknown fields.
        known: msgspec reads it as we do.
    """

    python: type
    fields: list[Field]
    make: Callable[..., Any]
    as_array: bool = False
    closed: bool = False
    known: bool = True
    tag: Any = None
    tag_field: str | None = None


def fields_of(builder: "ShapeBuilder", annotation: Any, where: str) -> _Record:
    """The fields of a class or of a generic class with arguments, names resolved."""
    python: type = get_origin(annotation) or annotation
    if issubclass(python, msgspec.Struct):
        return _struct(builder, annotation, python, where)
    hints = builder.scope.class_hints(python, where)
    arguments = dict(zip(getattr(python, "__parameters__", ()), get_args(annotation), strict=False))
    hints = {name: _substituted(hint, arguments) for name, hint in hints.items()}
    if hasattr(python, "__dataclass_fields__"):
        return _dataclass(python, hints)
    if issubclass(python, tuple):
        defaults = python._field_defaults  # type: ignore[attr-defined]
        fields = [
            Field(
                name=name,
                wire=name,
                annotation=hints.get(name, Any),
                required=name not in defaults,
                default=defaults.get(name, NOTHING),
            )
            for name in python._fields  # type: ignore[attr-defined]
        ]
        return _Record(python=python, fields=fields, make=python, as_array=True)
    return _Record(python=python, fields=_typed_dict(python, hints), make=dict)


def _struct(builder: "ShapeBuilder", annotation: Any, python: type, where: str) -> _Record:
    config = python.__struct_config__  # type: ignore[attr-defined]
    known = True
    names = list(zip(python.__struct_fields__, python.__struct_encode_fields__, strict=True))  # type: ignore[attr-defined]
    try:
        found = msgspec.structs.fields(annotation)
        hints = {field.name: field.type for field in found}
    except NameError:
        # msgspec looks in the module only; we also look around the declaration.
        hints, known = builder.scope.class_hints(python, where), False
    defaults = _struct_defaults(python)
    fields = [
        Field(
            name=name,
            wire=wire,
            annotation=hints[name],
            required=name not in defaults,
            default=defaults.get(name, NOTHING),
        )
        for name, wire in names
    ]
    return _Record(
        python=python,
        fields=fields,
        make=python,
        as_array=config.array_like,
        closed=config.forbid_unknown_fields,
        known=known,
        tag=config.tag,
        tag_field=config.tag_field,
    )


def _struct_defaults(python: Any) -> dict[str, Any]:
    """Field name -> its default; ``_UNKNOWN`` where only a factory of the author knows it."""
    values = python.__struct_defaults__
    names = python.__struct_fields__[len(python.__struct_fields__) - len(values) :]
    defaults = {}
    for name, value in zip(names, values, strict=True):
        if value is msgspec.NODEFAULT:
            continue
        factory = getattr(value, "factory", None)
        defaults[name] = _produced(factory) if _is_factory(value) else value
    return defaults


def _is_factory(value: Any) -> bool:
    return type(value).__name__ == "Factory" and type(value).__module__.startswith("msgspec")


def _produced(factory: Any) -> Any:
    """What a default factory gives if it is a plain container; other factories are left alone."""
    return factory() if factory in (list, dict, set, frozenset, bytearray) else _UNKNOWN


_UNKNOWN = object()


def _dataclass(python: type, hints: dict[str, Any]) -> _Record:
    import dataclasses  # noqa: PLC0415 - loaded already where there is a dataclass

    fields = []
    known = bool(python.__dataclass_params__.init)  # type: ignore[attr-defined]
    for field in dataclasses.fields(python):
        if not field.init:
            known = False
            continue
        default: Any = field.default
        if default is dataclasses.MISSING:
            default = NOTHING
        required = default is NOTHING and field.default_factory is dataclasses.MISSING
        if field.default_factory is not dataclasses.MISSING:
            default = _produced(field.default_factory)
        fields.append(
            Field(
                name=field.name,
                wire=field.name,
                annotation=hints[field.name],
                required=required,
                default=default,
            )
        )
    if any(isinstance(hint, dataclasses.InitVar) for hint in hints.values()):
        known = False
    return _Record(python=python, fields=fields, make=python, known=known)


def _typed_dict(python: Any, hints: dict[str, Any]) -> list[Field]:
    fields = []
    for name, annotation in hints.items():
        hint = annotation
        required = name in python.__required_keys__
        while get_origin(hint) in (Required, NotRequired) or _is_read_only(hint):
            if get_origin(hint) in (Required, NotRequired):
                required = get_origin(hint) is Required
            hint = get_args(hint)[0]
        fields.append(Field(name=name, wire=name, annotation=hint, required=required))
    return fields


def _is_read_only(hint: Any) -> bool:
    return getattr(get_origin(hint), "_name", None) == "ReadOnly"


def _substituted(hint: Any, arguments: dict[Any, Any]) -> Any:
    if not arguments:
        return hint
    if hint in arguments:
        return arguments[hint]
    parameters = getattr(hint, "__parameters__", ())
    if isinstance(hint, type) or not parameters:
        return hint
    return hint[tuple(arguments.get(parameter, parameter) for parameter in parameters)]


def record_shape(
    builder: "ShapeBuilder", annotation: Any, where: str, *, in_union: bool = False
) -> Shape:
    """The shape of a class with fields: an object, or an array where the class says so.

    Args:
        builder: Makes the shapes of the fields.
        annotation: The class, or a generic class with arguments.
        where: For messages.
        in_union: Beside other such classes, so that a tag has to be there.
    """
    record = fields_of(builder, annotation, where)
    shapes = [
        _field_shape(builder, field, f"{where}, field {field.name!r} of {record.python.__name__}")
        for field in record.fields
    ]
    closed = record.closed or not builder.open
    build = _array if record.as_array else _object
    shape = build(record, shapes, closed, in_union)
    _describe(shape, record, builder)
    if not record.known or NOTHING in [s.native for s in shapes]:
        shape.native = NOTHING
    else:
        shape.native = annotation
    hooked = builder.output and hasattr(record.python, "__post_init__")
    shape.sound = (
        shape.native is not NOTHING
        and all(s.sound for s in shapes)
        and (record.closed or not closed)
        and not hooked
    )
    if shape.sound:
        shape.gate, shape.direct = annotation, True
    elif all(s.gate is not NOTHING for s in shapes) and not record.as_array:
        shape.gate = _shadow(record, shapes, closed)
    return shape


def _field_shape(builder: "ShapeBuilder", field: Field, where: str) -> Shape:
    shape, options = builder.annotated(field.annotation, where)
    if options.name is not None or options.default is not NOTHING:
        raise DeclarationError(
            f"{where}: Parameter(name=..., default=...) is for parameters of a function; "
            "a class renames with msgspec's rename= and has defaults of its own"
        )
    if field.default is NOTHING:
        return shape
    from ._defaults import with_default  # noqa: PLC0415 - most fields have no default

    converted = options.advertised is not None or options.convert is not None
    return with_default(shape, field.default, builder.definitions, where, converted=converted)


def _object(record: _Record, shapes: list[Shape], closed: bool, in_union: bool) -> Shape:
    properties: dict[str, Any] = {}
    required = [field.wire for field in record.fields if field.required]
    if record.tag_field is not None:
        properties[record.tag_field] = {"const": record.tag}
        if in_union:
            required.insert(0, record.tag_field)
    properties.update(
        {field.wire: shape.schema for field, shape in zip(record.fields, shapes, strict=True)}
    )
    schema: dict[str, Any] = {"type": "object"}
    if properties:
        schema["properties"] = properties
    if required:
        schema["required"] = required
    if closed:
        schema["additionalProperties"] = False
    readers = [
        (field.wire, field.name, shape.read)
        for field, shape in zip(record.fields, shapes, strict=True)
    ]

    def read(value: dict[str, Any]) -> Any:
        made = {}
        for wire, name, reader in readers:
            if wire in value:
                part = value[wire]
                made[name] = part if reader is None else read_item(reader, wire, part)
        return _made(record, made, value)

    def parts(value: Any) -> Iterator[Part]:
        for field, shape in zip(record.fields, shapes, strict=True):
            if isinstance(value, dict) and field.wire in value:
                yield Part(field.wire, shape, value[field.wire])

    return Shape(schema=schema, read=read, parts=parts, rank=2, named=record.python.__name__)


def _array(record: _Record, shapes: list[Shape], closed: bool, in_union: bool) -> Shape:
    items = [shape.schema for shape in shapes]
    first = 0
    if record.tag_field is not None:
        items.insert(0, {"const": record.tag})
        first = 1
    needed = max((i + 1 for i, f in enumerate(record.fields) if f.required), default=0) + first
    schema: dict[str, Any] = {"type": "array", "minItems": needed}
    if items:
        schema["prefixItems"] = items
    if closed or not issubclass(record.python, msgspec.Struct):
        schema["maxItems"] = len(items)
    readers: list[Reader | None] = [shape.read for shape in shapes]

    def read(value: list[Any]) -> Any:
        parts = value[first : len(items)]
        made = [
            part if reader is None else read_item(reader, index + first, part)
            for index, (reader, part) in enumerate(zip(readers, parts, strict=False))
        ]
        names = [field.name for field in record.fields]
        return _made(record, dict(zip(names, made, strict=False)), value)

    def parts(value: Any) -> Iterator[Part]:
        if isinstance(value, list):
            for index, (shape, part) in enumerate(zip(shapes, value[first:], strict=False), first):
                yield Part(index, shape, part)

    return Shape(schema=schema, read=read, parts=parts, rank=2, named=record.python.__name__)


def _made(record: _Record, made: dict[str, Any], value: Any) -> Any:
    """Calls the class; whatever its own code raises becomes a mismatch of this value."""
    try:
        return record.make(**made)
    except (ValueError, TypeError) as error:
        raise Mismatch(f"a valid {record.python.__name__}", value, detail=str(error)) from None
    except Exception:  # noqa: BLE001 - the author's code, whose text may be none of the client's business
        raise Mismatch(f"a valid {record.python.__name__}", value) from None


def _shadow(record: _Record, shapes: list[Shape], closed: bool) -> Any:
    """A Struct that accepts what the schema does and runs none of the author's code."""
    fields: list[Any] = []
    names = {}
    for index, (field, shape) in enumerate(zip(record.fields, shapes, strict=True)):
        name = f"f{index}"
        names[name] = field.wire
        fields.append((name, shape.gate) if field.required else (name, shape.gate, None))
    try:
        return msgspec.defstruct(
            f"{record.python.__name__}Gate",
            fields,
            rename=names,
            kw_only=True,
            forbid_unknown_fields=closed,
            tag=record.tag,
            tag_field=record.tag_field,
        )
    except (TypeError, ValueError):
        return NOTHING


def _describe(shape: Shape, record: _Record, builder: "ShapeBuilder") -> None:
    """Adds the class's own docstring, its Args section to the fields."""
    text = vars(record.python).get("__doc__")
    if not isinstance(text, str) or text.startswith(f"{record.python.__name__}("):
        return
    doc = parse_docstring(text)
    if doc.summary:
        shape.schema["description"] = doc.summary
    properties = shape.schema.get("properties", {})
    for field in record.fields:
        described = doc.parameters.get(field.name)
        own = properties.get(field.wire)
        if described and own is not None and "description" not in own:
            properties[field.wire] = {**own, "description": described}
