"""Typed parameters -> one object schema, one fast decoder, one exact reader."""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from ._errors import DeclarationError, Mismatch
from ._numbers import number_of
from ._reader import Converted
from ._shape import NOTHING, Part, Parts, Shape

__all__ = ["TypedField", "converter", "fast_decoder", "object_schema", "parts_of", "refuse_twins"]


class TypedField(msgspec.Struct, kw_only=True):
    """One parameter with its shape.

    Attributes:
        name: Its Python name.
        wire: Its name in JSON.
        shape: Its type.
        default: Used where the argument is absent; ``NOTHING`` makes it required.
        copies: Makes what one call gets of a default that calls could change; None for any other.
    """

    name: str
    wire: str
    shape: Shape
    default: Any = NOTHING
    copies: Callable[[Any], Any] | None = None

    @property
    def required(self) -> bool:
        return self.default is NOTHING

    def produced(self) -> Any:
        """The default for one call; containers and records in it are fresh."""
        return self.default if self.copies is None else self.copies(self.default)


def object_schema(fields: list[TypedField], *, extras: Shape | None, open: bool) -> dict[str, Any]:
    """The published schema of the arguments.

    Args:
        fields: The parameters in order.
        extras: What further keys hold; None where the handler takes none.
        open: Further keys are accepted and ignored.
    """
    schema: dict[str, Any] = {"type": "object"}
    if fields:
        schema["properties"] = {field.wire: field.shape.schema for field in fields}
    required = [field.wire for field in fields if field.required]
    if required:
        schema["required"] = required
    if extras is not None:
        if extras.schema:
            schema["additionalProperties"] = extras.schema
    elif not open:
        schema["additionalProperties"] = False
    return schema


def fast_decoder(
    fields: list[TypedField], *, open: bool
) -> Callable[[bytes], tuple[Any, ...]] | None:
    """A decoder that accepts nothing but what the schema accepts; None where msgspec has none."""
    shapes = [field.shape for field in fields]
    if any(shape.gate is NOTHING for shape in shapes):
        return None
    direct = all(shape.direct for shape in shapes)
    if not direct and any(shape.native is NOTHING for shape in shapes):
        return None
    try:
        gates = _arguments_struct(fields, [shape.gate for shape in shapes], open, direct)
        decode_gate = msgspec.json.Decoder(gates, float_hook=number_of).decode
        if not direct:
            natives = _arguments_struct(fields, [shape.native for shape in shapes], True, True)
            decode_native = msgspec.json.Decoder(natives, float_hook=number_of).decode
    except Exception:  # noqa: BLE001 - a class that msgspec does not take is read our way
        return None
    values = msgspec.structs.astuple
    if direct:
        return lambda raw: values(decode_gate(raw))

    def decode(raw: bytes) -> tuple[Any, ...]:
        decode_gate(raw)
        return values(decode_native(raw))

    return decode


def _arguments_struct(
    fields: list[TypedField], types: list[Any], open: bool, defaults: bool
) -> type[msgspec.Struct]:
    columns: list[Any] = []
    names = {}
    for index, (field, python) in enumerate(zip(fields, types, strict=True)):
        name = f"f{index}"
        names[name] = field.wire
        if field.required:
            columns.append((name, python))
        elif not defaults:
            columns.append((name, python, None))
        elif field.copies is not None:
            columns.append((name, python, msgspec.field(default_factory=field.produced)))
        else:
            columns.append((name, python, msgspec.field(default=field.default)))
    return msgspec.defstruct(
        "Arguments", columns, rename=names, kw_only=True, forbid_unknown_fields=not open
    )


def converter(
    fields: list[TypedField], *, extras: Shape | None, reserved: frozenset[str]
) -> Callable[[dict[str, Any]], Converted]:
    """How a checked object becomes the values of the parameters, in order.

    Args:
        fields: The parameters in order.
        extras: What further keys hold, collected in a dict that comes last; None without.
        reserved: Names that a further key cannot have, since a parameter has them.
    """
    known = frozenset(field.wire for field in fields)

    def convert(value: dict[str, Any]) -> Converted:
        made: list[Any] = []
        wrong: list[tuple[str | None, Mismatch]] = []
        for field in fields:
            if field.wire not in value:
                made.append(field.produced())
                continue
            made.append(_one(field.shape, field.wire, value[field.wire], wrong))
        if extras is not None:
            made.append(
                {
                    name: _one(extras, name, part, wrong)
                    for name, part in value.items()
                    if name not in known and name not in reserved
                }
            )
        return tuple(made), wrong

    return convert


def parts_of(fields: list[TypedField], *, extras: Shape | None, reserved: frozenset[str]) -> Parts:
    """The arguments in an object that need not be valid, each with its parameter's shape."""
    shapes = {field.wire: field.shape for field in fields}

    def parts(value: Any) -> Iterator[Part]:
        for name, part in value.items() if isinstance(value, dict) else ():
            shape = shapes.get(name, None if name in reserved else extras)
            if shape is not None:
                yield Part(name, shape, part)

    return parts


def _one(shape: Shape, name: str, part: Any, wrong: list[tuple[str | None, Mismatch]]) -> Any:
    if shape.read is None:
        return part
    try:
        return shape.read(part)
    except Mismatch as mismatch:
        wrong.append((name, mismatch))
        return None


def refuse_twins(fields: list[TypedField], where: str) -> None:
    """Raises ``DeclarationError`` where two parameters have one name on the wire."""
    seen: dict[str, str] = {}
    for field in fields:
        if field.wire in seen:
            raise DeclarationError(
                f"{where}: the parameters {seen[field.wire]!r} and {field.name!r} are both called "
                f"{field.wire!r} on the wire; give one of them another Parameter(name=...)"
            )
        seen[field.wire] = field.name
