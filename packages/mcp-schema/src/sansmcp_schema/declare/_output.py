"""A return type, a class or a schema -> an ``OutputWriter``."""

import collections.abc
import inspect
import types
from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, Union, get_args, get_origin

import msgspec

from .. import json_check
from ._build import ShapeBuilder, root_schema
from ._deferred import Deferred, declared, declared_or_deferred
from ._errors import DeclarationError
from ._options import OutputOptions
from ._parameter import Parameter
from ._scope import Scope
from ._shape import NOTHING, Shape, is_record, is_sure_to_compile
from ._signature import return_annotation
from ._writer import OutputWriter

if TYPE_CHECKING:
    from ..json_check import Check

__all__ = [
    "DeferredOutput",
    "output_from_return",
    "output_from_schema",
    "output_from_type",
    "output_of_anything",
]

DeferredOutput: TypeAlias = Deferred[OutputWriter]

_DEFAULTS = OutputOptions()
_WITHOUT_SCHEMA = (inspect.Parameter.empty, Any, object, None, types.NoneType)
_AWAITED = {
    collections.abc.Awaitable: 0,
    collections.abc.Coroutine: 2,
}


def output_of_anything() -> OutputWriter:
    """A writer without a schema: any JSON value, as text only."""
    return OutputWriter(None)


def output_from_return(
    function: Callable[..., Any], options: OutputOptions = _DEFAULTS
) -> OutputWriter | DeferredOutput:
    """The return annotation of a callable -> the writer of its results.

    Without an annotation, and for ``Any``, ``None``, ``str`` and ready-made types, there is no
    schema: values are sent as text only. Neither is there for a list or tuple of anything, which
    may be one of ready-made items.

    Args:
        function: Any callable.
        options: Names for messages, the ready-made types.

    Returns:
        The writer, or a ``DeferredOutput`` to resolve when serving starts.

    Raises:
        DeclarationError: The type has no JSON shape.
    """

    def make() -> OutputWriter:
        where = options.where(function)
        annotation, scope = return_annotation(function, options.local_names, where)
        if _may_be_blocks(annotation, options):
            return OutputWriter(None)
        return _from_type(annotation, scope, options, f"{where}, its return")

    return declared_or_deferred(make)


def output_from_type(annotation: Any, options: OutputOptions = _DEFAULTS) -> OutputWriter:
    """A type, as it could stand in a return annotation -> the writer of results of that type.

    Raises:
        DeclarationError: The type has no JSON shape, or a name in it is not defined.
    """
    scope = Scope(module={}, local=options.local_names or {})
    where = f"{options.where()}, its return" if options.tool_name else "the result"
    return declared(lambda: _from_type(scope.resolve(annotation, where), scope, options, where))


def output_from_schema(schema: Any, options: OutputOptions = _DEFAULTS) -> OutputWriter:
    """A builder, a JSON Schema as dict or text, or a type -> the writer of results that satisfy it.

    Raises:
        DeclarationError: The schema is malformed or cannot be enforced.
    """
    if is_record(getattr(schema, "__origin__", schema)) or isinstance(schema, type):
        return output_from_type(schema, options)
    # Loaded for schemas of the author's own only.
    from ._object_schema import ObjectSchema  # noqa: PLC0415
    from ._schema_input import plain_schema  # noqa: PLC0415

    if not isinstance(schema, ObjectSchema | collections.abc.Mapping | str | bytes):
        return output_from_type(schema, options)
    where = options.where()
    published = plain_schema(schema, where)
    try:
        check = json_check.compile_check(
            published,
            limits=options.limits,
            engine=options.engine,
            validated_by_application=options.validated_by_application,
        )
    except json_check.SchemaError as error:
        raise DeclarationError(f"{where}, its result: {error}") from error
    return OutputWriter(published, lambda: check)


def _from_type(annotation: Any, scope: Scope, options: OutputOptions, where: str) -> OutputWriter:
    annotation = _without(_awaited(annotation), options.no_results)
    if annotation in _WITHOUT_SCHEMA or _is_ready_made(annotation, options.ready_made):
        return OutputWriter(None)
    if _bare(annotation) is str and not options.text_schema and not _has_options(annotation):
        return OutputWriter(None)
    builder = ShapeBuilder(scope, open=True, output=True)
    shape, parameter = builder.annotated(annotation, where)
    schema = root_schema(shape.schema, builder.definitions)
    gate = _gate(shape)
    compiled = cache(partial(_compiled, schema, options, where))
    if gate is None or not is_sure_to_compile(schema, options.limits):
        compiled()  # what cannot be enforced is refused now
    return OutputWriter(schema, compiled, gate=gate, convert=parameter.convert)


def _compiled(schema: dict[str, Any], options: OutputOptions, where: str) -> "Check":
    try:
        return json_check.compile_check(schema, limits=options.limits)
    except json_check.SchemaError as error:
        raise DeclarationError(f"{where}: {error}") from error


def _gate(shape: Shape) -> Callable[[bytes], Any] | None:
    if shape.gate is NOTHING:
        return None
    try:
        return msgspec.json.Decoder(shape.gate).decode
    except Exception:  # noqa: BLE001 - a class that msgspec does not take is checked our way
        return None


def _awaited(annotation: Any) -> Any:
    """What an awaitable gives in the end."""
    position = _AWAITED.get(get_origin(annotation))
    return annotation if position is None else get_args(annotation)[position]


def _bare(annotation: Any) -> Any:
    return get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation


def _has_options(annotation: Any) -> bool:
    extras = get_args(annotation)[1:] if get_origin(annotation) is Annotated else ()
    return any(isinstance(e, Parameter) and e.advertised is not None for e in extras)


def _without(annotation: Any, no_results: tuple[type, ...]) -> Any:
    """The type without what is returned in place of a result; ``None`` where nothing is left."""
    bare = _bare(annotation)
    if bare in no_results:
        return None
    parts = get_args(bare)
    if get_origin(bare) not in (Union, types.UnionType) or not set(parts) & set(no_results):
        return annotation
    return Union[tuple(part for part in parts if part not in no_results)]  # noqa: UP007 - a tuple


def _is_ready_made(annotation: Any, ready_made: tuple[Any, ...]) -> bool:
    """Whether a type is, or may be, one that is a result already; in lists and unions too."""
    if not ready_made:
        return False
    annotation = _bare(annotation)
    origin = get_origin(annotation)
    if origin is Union or origin is types.UnionType or origin in _SEQUENCES:
        return any(_is_ready_made(part, ready_made) for part in get_args(annotation))
    if annotation in ready_made or origin in ready_made:
        return True
    classes = tuple(part for part in ready_made if isinstance(part, type))
    return isinstance(annotation, type) and origin is None and issubclass(annotation, classes)


_SEQUENCES = (list, tuple, collections.abc.Sequence, collections.abc.Iterable)


def _may_be_blocks(annotation: Any, options: OutputOptions) -> bool:
    """Whether a type is, or may be, a list that says nothing of its items, ready-made ones too."""
    if not options.ready_made or options.text_schema:
        return False
    annotation = _bare(_without(_awaited(annotation), options.no_results))
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Union or origin is types.UnionType:
        return any(_may_be_blocks(part, options) for part in parts)
    if (origin or annotation) not in _SEQUENCES:
        return False
    return all(part in _ANYTHING for part in parts)


_ANYTHING = (Any, object, Ellipsis)
