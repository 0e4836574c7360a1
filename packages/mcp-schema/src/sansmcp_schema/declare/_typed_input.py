"""A signature, or a class that is the whole schema -> an ``InputReader``."""

import inspect
from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from .. import json_check
from ._bind import Slot, binder
from ._build import ShapeBuilder, root_schema
from ._deferred import Deferred, declared_or_deferred
from ._docstring import parse_docstring
from ._errors import DeclarationError, Mismatch
from ._fields import (
    TypedField,
    converter,
    fast_decoder,
    object_schema,
    parts_of,
    refuse_twins,
)
from ._numbers import decode_exactly, decode_with_digits, number_of
from ._options import InputOptions
from ._parameter import Parameter, checked_names
from ._reader import Converted, InputReader
from ._scope import Scope, underlying
from ._secrets import secret_test
from ._shape import NOTHING, Shape, is_record, is_sure_to_compile
from ._signature import refuse_bare_context, slots_of, takes_instance

if TYPE_CHECKING:
    from ..json_check import Check

__all__ = ["DeferredInput", "input_from_signature", "input_from_struct"]

DeferredInput: TypeAlias = Deferred[InputReader]

_DEFAULTS = InputOptions()


def input_from_signature(
    function: Callable[..., Any], options: InputOptions = _DEFAULTS
) -> InputReader | DeferredInput:
    """The parameters of a callable -> the reader of its arguments.

    Args:
        function: A function, method, coroutine function, partial or callable object.
        options: Names for messages, the context type, options per parameter, switches.

    Returns:
        The reader, or a ``DeferredInput`` to resolve when serving starts, where a postponed
        annotation uses a name that is not defined now.

    Raises:
        DeclarationError: A parameter cannot be filled from JSON; the message names it.
    """
    return declared_or_deferred(lambda: _from_signature(function, options))


def _from_signature(function: Callable[..., Any], options: InputOptions) -> InputReader:
    where = options.where(function)
    slots, scope = slots_of(function, options, where)
    refuse_bare_context(slots, options, where)
    builder = ShapeBuilder(scope, open=options.open)
    described = parse_docstring(_docstring(function)).parameters
    named = [slot.name for slot in slots if not slot.is_context and not slot.takes_extras]
    checked_names(options.parameters, named, where)
    extras = None
    fields = []
    for slot in slots:
        place = f"{where}, parameter {slot.name!r}"
        if slot.takes_extras:
            extras = builder.annotated(slot.annotation, place)[0]
        elif not slot.is_context:
            override = options.parameters.get(slot.name)
            fields.append(_field(builder, slot, override, described.get(slot.name), place))
    refuse_twins(fields, where)
    schema = root_schema(
        object_schema(fields, extras=extras, open=options.open), builder.definitions
    )
    fields_in_order = _in_call_order(fields, slots)
    reserved = _reserved(function, slots)
    return _reader(
        schema,
        options,
        where,
        fast=None if extras is not None else fast_decoder(fields_in_order, open=options.open),
        convert=converter(fields_in_order, extras=extras, reserved=reserved),
        shape=Shape(
            schema=schema,
            read=_as_it_is,
            parts=parts_of(fields, extras=extras, reserved=reserved),
        ),
        builder=builder,
        slots=slots,
    )


def _field(
    builder: ShapeBuilder, slot: Slot, override: Parameter | None, described: str | None, place: str
) -> TypedField:
    shape, parameter = builder.annotated(slot.annotation, place, override)
    default = slot.default if parameter.default is NOTHING else parameter.default
    if described and "description" not in shape.schema:
        shape = msgspec.structs.replace(shape, schema={**shape.schema, "description": described})
    wire = parameter.name or slot.name
    if default is NOTHING:
        return TypedField(name=slot.name, wire=wire, shape=shape)
    from ._defaults import copies_of, with_default  # noqa: PLC0415 - where there is a default

    converted = parameter.advertised is not None or parameter.convert is not None
    return TypedField(
        name=slot.name,
        wire=wire,
        shape=with_default(shape, default, builder.definitions, place, converted=converted),
        default=default,
        copies=copies_of(default),
    )


def _in_call_order(fields: list[TypedField], slots: list[Slot]) -> list[TypedField]:
    """Positional parameters first, as ``binder`` wants the values."""
    by_keyword = {slot.name for slot in slots if slot.by_keyword}
    return [f for f in fields if f.name not in by_keyword] + [
        f for f in fields if f.name in by_keyword
    ]


def _reserved(function: Any, slots: list[Slot]) -> frozenset[str]:
    """Names that no further key can have: a call with them would name a parameter twice."""
    code = getattr(underlying(function), "__code__", None)
    own = () if code is None else code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return frozenset([*own, *(slot.name for slot in slots)])


def _docstring(function: Any) -> str | None:
    plain = underlying(function)
    text = getattr(plain, "__doc__", None)
    if isinstance(function, type):
        text = function.__doc__
    return text if isinstance(text, str) else None


def _reader(
    schema: dict[str, Any],
    options: InputOptions,
    where: str,
    *,
    fast: Callable[[bytes], tuple[Any, ...]] | None,
    convert: Callable[[dict[str, Any]], Converted],
    shape: Shape,
    builder: ShapeBuilder,
    slots: list[Slot],
) -> InputReader:
    compiled = cache(partial(_compiled, schema, options, where))
    if fast is None or not is_sure_to_compile(schema, options.limits):
        compiled()  # what cannot be enforced is refused now
    return InputReader(
        schema,
        compiled,
        fast=fast,
        convert=convert,
        bind=binder(slots),
        takes_context=any(slot.is_context for slot in slots),
        decode=decode_with_digits if builder.has_decimals else decode_exactly,
        repair=options.repair,
        is_secret=secret_test(schema, options.secret_words),
        shape=shape,
    )


def _compiled(schema: dict[str, Any], options: InputOptions, where: str) -> "Check":
    try:
        return json_check.compile_check(
            schema, limits=options.limits, secret_words=options.secret_words
        )
    except json_check.SchemaError as error:
        raise DeclarationError(f"{where}: {error}") from error


def _as_it_is(value: Any) -> Any:
    return value


def input_from_struct(
    python: Any,
    function: Callable[..., Any] | None = None,
    options: InputOptions = _DEFAULTS,
) -> InputReader | DeferredInput:
    """A class that is the whole schema -> a reader whose handler gets one instance of it.

    Args:
        python: A Struct, dataclass or TypedDict; each field is an argument.
        function: The handler, for messages, its context parameters, and the name of the one that
            gets the instance; the instance is the only argument without it.
        options: As for ``input_from_signature``; ``parameters`` has no use here.

    Raises:
        DeclarationError: The class has no object schema, or the handler takes more than an
            instance and the context.
    """
    return declared_or_deferred(lambda: _from_struct(python, function, options))


def _from_struct(
    python: Any, function: Callable[..., Any] | None, options: InputOptions
) -> InputReader:
    where = options.where(function)
    if not is_record(getattr(python, "__origin__", python)):
        from ._foreign import is_pydantic_model, pydantic_model_hint  # noqa: PLC0415 - an error

        if is_pydantic_model(python):
            raise DeclarationError(f"{where}: {pydantic_model_hint(python)}")
        raise DeclarationError(
            f"{where}: arguments={python!r} is no Struct, dataclass or TypedDict; use one, or a "
            "schema of your own"
        )
    slots, scope = _instance_slots(python, function, options, where)
    builder = ShapeBuilder(scope, open=options.open)
    shape = builder.shape(python, where)
    schema = root_schema(shape.schema, builder.definitions)
    if schema.get("type") != "object":
        raise DeclarationError(
            f"{where}: {python.__name__} is an array in JSON, but arguments are an object"
        )
    return _reader(
        schema,
        options,
        where,
        fast=_fast_instance(shape),
        convert=_instance(shape),
        shape=shape,
        builder=builder,
        slots=slots,
    )


def _instance_slots(
    python: Any, function: Callable[..., Any] | None, options: InputOptions, where: str
) -> tuple[list[Slot], Scope]:
    if function is None:
        only = Slot(name="arguments", wire="", kind=inspect.Parameter.POSITIONAL_ONLY)
        return [only], Scope(module={}, local=options.local_names or {})
    slots, scope = slots_of(function, options, where)
    takers = [slot for slot in slots if not slot.is_context and not slot.takes_extras]
    needed = [slot for slot in takers if slot.default is NOTHING]
    if not takers or len(needed) > 1:
        raise DeclarationError(
            f"{where}: with a class as its arguments a handler takes one instance of it (and the "
            f"context), but it has the parameters: {', '.join(s.name for s in takers) or 'none'}"
        )
    taker = needed[0] if needed else takers[0]
    refuse_bare_context([taker], options, where)
    if not takes_instance(taker.annotation, python):
        raise DeclarationError(
            f"{where}, parameter {taker.name!r}: with arguments={python.__name__} it gets an "
            f"instance of that class, but it is annotated as {taker.annotation!r}; write "
            f"{taker.name}: {python.__name__}, or leave out arguments="
        )
    return [slot for slot in slots if slot is taker or slot.is_context], scope


def _fast_instance(shape: Shape) -> Callable[[bytes], tuple[Any, ...]] | None:
    if shape.gate is NOTHING or shape.native is NOTHING:
        return None
    try:
        check = msgspec.json.Decoder(shape.gate, float_hook=number_of).decode
        decode = msgspec.json.Decoder(shape.native, float_hook=number_of).decode
    except Exception:  # noqa: BLE001 - a class that msgspec does not take is read our way
        return None
    if shape.direct:
        return lambda raw: (check(raw),)

    def checked(raw: bytes) -> tuple[Any, ...]:
        check(raw)
        return (decode(raw),)

    return checked


def _instance(shape: Shape) -> Callable[[dict[str, Any]], Converted]:
    def convert(value: dict[str, Any]) -> Converted:
        try:
            return (value if shape.read is None else shape.read(value),), []
        except Mismatch as mismatch:
            return (), [(None, mismatch)]

    return convert
