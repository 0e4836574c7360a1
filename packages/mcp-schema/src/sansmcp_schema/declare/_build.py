"""A Python annotation -> its shape.

What most declarations do not use (unions, containers, classes, constraints, ...) is a module each
that is loaded by the first annotation that needs it.
"""

import datetime as dt
import enum
import os
import types
from collections.abc import Callable, Iterator
from typing import Annotated, Any, Literal, NewType, TypeVar, Union, get_args, get_origin

import msgspec

from ._errors import DeclarationError, Mismatch, UndefinedNameError
from ._parameter import HEADER, Parameter, is_mirrored, keywords_of, parameter_of
from ._scalars import scalar_shape
from ._scope import Scope
from ._shape import NOTHING, Part, Shape, is_record

__all__ = ["ShapeBuilder", "root_schema"]


class _Recursion(msgspec.Struct, eq=False):
    """A named type whose shape is being made, or is complete."""

    python_name: str
    definition: str | None = None
    shape: Shape | None = None


class ShapeBuilder:
    """Makes the shapes of one declaration, and collects the definitions of its recursive types.

    Args:
        scope: Where postponed names are looked up.
        open: Objects of classes take unknown keys.
        output: The shapes describe results, not arguments.
    """

    def __init__(self, scope: Scope, *, open: bool = False, output: bool = False) -> None:
        self.scope = scope
        self.open = open
        self.output = output
        self.definitions: dict[str, Any] = {}
        self.has_decimals = False
        self._named: dict[Any, _Recursion] = {}

    def annotated(
        self, annotation: Any, where: str, override: Parameter | None = None
    ) -> tuple[Shape, Parameter]:
        """An annotation, its ``Annotated`` metadata and the options on top -> shape and options.

        Raises:
            DeclarationError: The type has no JSON shape, or an option does not fit it.
        """
        metadata: tuple[Any, ...] = ()
        if get_origin(annotation) is Annotated:
            annotation, *extras = get_args(annotation)
            metadata = tuple(extras)
        options = parameter_of(metadata, override)
        foreign = _foreign(metadata, where) if metadata else {}
        if options.convert is not None and options.advertised is not None:
            # The author's own conversion: the Python type need not have a JSON shape.
            shape = self._advertised(options, None, where)
        else:
            if is_mirrored(metadata, options):
                shape = self._never_null(annotation, where)
            else:
                shape = self.shape(annotation, where)
            shape = self._constrained(shape, foreign, where, by_msgspec=False)
            shape = self._with_meta(shape, annotation, metadata, where)
            if options.convert is not None or options.advertised is not None:
                shape = self._advertised(options, shape, where)
        return self._constrained(shape, keywords_of(options), where, by_msgspec=False), options

    def shape(self, annotation: Any, where: str, *, in_union: bool = False) -> Shape:
        """The shape of one annotation.

        Args:
            annotation: Any type that has a JSON form, its names resolved.
            where: The place for messages: ``tool "add", parameter "x"``.
            in_union: Beside other classes, so that a tag has to be there.

        Raises:
            DeclarationError: It has none; the message names ``where`` and the type.
        """
        known = scalar_shape(annotation, output=self.output)
        if known is not None:
            self.has_decimals = self.has_decimals or known.named == "Decimal"
            return known
        origin = get_origin(annotation)
        if origin is Annotated:
            return self.annotated(annotation, where)[0]
        if origin is Union or origin is types.UnionType:
            return self._union(annotation, where)
        if origin is Literal:
            return self._chosen(annotation, where)
        if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
            return self._chosen(annotation, where)
        if is_record(origin or annotation):
            from ._objects import record_shape  # noqa: PLC0415

            return self._recursive(
                (annotation, in_union),
                (origin or annotation).__name__,
                lambda: record_shape(self, annotation, where, in_union=in_union),
            )
        alias = annotation if hasattr(annotation, "__value__") else origin
        if hasattr(alias, "__value__"):
            return self._alias(annotation, alias, where)
        from ._containers import container_shape, is_container  # noqa: PLC0415

        if is_container(origin or annotation):
            return container_shape(self, origin or annotation, get_args(annotation), where)
        inner = _inner(annotation)
        if inner is not NOTHING:
            return self.shape(self.scope.resolve(inner, where), where, in_union=in_union)
        base = _written_as(annotation) if self.output else None
        if base is not None:
            return self.shape(base, where)
        raise DeclarationError(f"{where}: {_without_shape(annotation)}")

    def _union(self, annotation: Any, where: str) -> Shape:
        from ._unions import union_shape  # noqa: PLC0415

        members = [part for part in get_args(annotation) if part is not msgspec.UnsetType]
        if len(members) == 1:
            return self.shape(members[0], where)
        records = [part for part in members if is_record(get_origin(part) or part)]
        branches = [
            self.shape(part, where, in_union=len(records) > 1 and part in records)
            for part in members
        ]
        flat: list[Shape] = []
        for branch in branches:
            if not any(branch is other for other in flat):
                flat.append(branch)
        mirrored = [branch for branch in flat if HEADER in branch.schema]
        if len(mirrored) == 1 and all(b in mirrored or b.schema == _NULL for b in flat):
            return msgspec.structs.replace(mirrored[0], sound=False)
        return union_shape(flat, self.definitions)

    def _never_null(self, annotation: Any, where: str) -> Shape:
        """The shape of a type without null, where it is that of an argument.

        A header cannot say null, and clients drop a tool with such an annotation on a choice of
        types, so that an argument with a header is left out where it has no value.
        """
        members = get_args(annotation)
        is_union = get_origin(annotation) in (Union, types.UnionType)
        if self.output or not is_union or types.NoneType not in members:
            return self.shape(annotation, where)
        others: Any = Union[tuple(m for m in members if m is not types.NoneType)]  # noqa: UP007
        # msgspec itself would take null.
        return msgspec.structs.replace(self.shape(others, where), sound=False)

    def _chosen(self, annotation: Any, where: str) -> Shape:
        from ._choices import enum_shape, literal_shape  # noqa: PLC0415

        try:
            is_enum = isinstance(annotation, type)
            return enum_shape(annotation) if is_enum else literal_shape(annotation)
        except ValueError as error:
            raise DeclarationError(f"{where}: {_spelled(annotation)}: {error}") from None

    def _alias(self, annotation: Any, alias: Any, where: str) -> Shape:
        arguments = dict(
            zip(getattr(alias, "__type_params__", ()), get_args(annotation), strict=False)
        )
        try:
            value = alias.__value__
        except NameError as error:
            raise UndefinedNameError(where, error.name or str(error)) from None
        parameters = getattr(value, "__parameters__", ())
        if arguments and parameters:
            value = value[tuple(arguments.get(parameter, parameter) for parameter in parameters)]
        return self._recursive(
            (annotation, False),
            alias.__name__,
            lambda: self.shape(self.scope.resolve(value, where), where),
        )

    def _recursive(self, key: Any, name: str, make: Callable[[], Shape]) -> Shape:
        """The shape of a type that may contain itself: a reference where it does."""
        known = self._named.get(key)
        if known is not None:
            if known.shape is not None:
                return known.shape
            if known.definition is None:
                known.definition = self._free_name(name)
                # Reserves the name; the schema follows when the type is complete.
                self.definitions[known.definition] = True
            return _reference(known, name)
        recursion = self._named[key] = _Recursion(name)
        try:
            shape = make()
        except BaseException:
            del self._named[key]
            raise
        if recursion.definition is not None:
            self.definitions[recursion.definition] = shape.schema
            shape = msgspec.structs.replace(
                shape,
                schema={"$ref": f"#/$defs/{recursion.definition}"},
                gate=NOTHING,
                direct=False,
                sound=False,
            )
        recursion.shape = shape
        return shape

    def _free_name(self, name: str) -> str:
        number, free = 1, name
        while free in self.definitions:
            number += 1
            free = f"{name}{number}"
        return free

    def _with_meta(
        self, shape: Shape, annotation: Any, metadata: tuple[Any, ...], where: str
    ) -> Shape:
        for meta in metadata:
            if not isinstance(meta, msgspec.Meta):
                continue
            shape = self._constrained(shape, keywords_of(meta), where, by_msgspec=True)
            if meta.tz is not None and annotation in (dt.datetime, dt.time):
                shape = _with_timezone(shape, annotation, meta.tz)
        return shape

    def _constrained(
        self, shape: Shape, keywords: dict[str, Any], where: str, *, by_msgspec: bool
    ) -> Shape:
        if self.output and HEADER in keywords:
            # A header repeats an argument, never a result.
            keywords = {name: value for name, value in keywords.items() if name != HEADER}
        if not keywords:
            return shape
        from ._constraints import constrained  # noqa: PLC0415

        try:
            return constrained(shape, keywords, by_msgspec=by_msgspec)
        except ValueError as error:
            raise DeclarationError(f"{where}: {error}") from None

    def _advertised(self, options: Parameter, shape: Shape | None, where: str) -> Shape:
        """What is published and enforced in place of ``shape``, or is converted to it."""
        from ._advertised import advertised_shape  # noqa: PLC0415

        advertised = options.advertised
        if advertised is None:
            assert shape is not None, "something is published"
            return advertised_shape(shape, None, options.convert)
        if isinstance(advertised, dict):
            published = Shape(schema=advertised, named="the advertised schema")
        else:
            published = self.shape(self.scope.resolve(advertised, where), where)
        try:
            return advertised_shape(published, shape, options.convert, self.definitions)
        except ValueError as error:
            raise DeclarationError(f"{where}: {error}") from None


_NULL = {"type": "null"}


def _foreign(metadata: tuple[Any, ...], where: str) -> dict[str, Any]:
    from ._foreign import foreign_keywords  # noqa: PLC0415

    return foreign_keywords(metadata, where)


def _written_as(annotation: Any) -> Any:
    """The scalar as which results of a class are written that is no scalar itself."""
    if not isinstance(annotation, type):
        return None
    if issubclass(annotation, os.PathLike):
        return str
    return next((base for base in (str, int, float) if issubclass(annotation, base)), None)


def _without_shape(annotation: Any) -> str:
    from ._foreign import is_pydantic_model, pydantic_model_hint  # noqa: PLC0415

    if is_pydantic_model(annotation):
        return pydantic_model_hint(annotation)
    name = annotation.__name__ if isinstance(annotation, type) else "T"
    return (
        f"{_spelled(annotation)} has no JSON shape; use a type that has one (a Struct, a "
        "dataclass, str, int, ...), or say what is sent and what makes it: "
        f'Annotated[{name}, Parameter(advertised={{"type": "string"}}, convert={name})]'
    )


def _inner(annotation: Any) -> Any:
    """What a NewType, a type variable or a wrapper such as ``Final`` stands for."""
    if isinstance(annotation, NewType):
        return annotation.__supertype__
    if isinstance(annotation, TypeVar):
        if annotation.__constraints__:
            return Union[annotation.__constraints__]  # noqa: UP007 - a tuple
        return Any if annotation.__bound__ is None else annotation.__bound__
    if getattr(get_origin(annotation), "_name", None) in ("Final", "Required", "NotRequired"):
        return get_args(annotation)[0]
    return NOTHING


def _reference(recursion: _Recursion, name: str) -> Shape:
    def read(value: Any) -> Any:
        shape = recursion.shape
        return value if shape is None or shape.read is None else shape.read(value)

    def parts(value: Any) -> Iterator[Part]:
        inner = recursion.shape
        return iter(()) if inner is None or inner.parts is None else inner.parts(value)

    return Shape(
        schema={"$ref": f"#/$defs/{recursion.definition}"},
        read=read,
        parts=parts,
        rank=2,
        named=name,
    )


def _with_timezone(shape: Shape, python: Any, wanted: bool) -> Shape:
    exact = Annotated[python, msgspec.Meta(tz=wanted)]
    words = "with" if wanted else "without"

    def read(value: Any) -> Any:
        try:
            return msgspec.convert(value, exact)
        except msgspec.ValidationError:
            raise Mismatch(f"an RFC 3339 time {words} a UTC offset", value) from None

    return msgspec.structs.replace(shape, read=read, gate=exact, native=exact)


def _spelled(annotation: Any) -> str:
    return annotation.__qualname__ if isinstance(annotation, type) else str(annotation)


def root_schema(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """A schema to publish: a reference at its root is written out, its definitions follow."""
    prefix = "#/$defs/"
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference.startswith(prefix):
        rest = {name: value for name, value in schema.items() if name != "$ref"}
        schema = {**definitions[reference.removeprefix(prefix)], **rest}
    return {**schema, "$defs": definitions} if definitions else schema
