"""The signature of any callable -> its parameters, postponed annotations resolved."""

import inspect
import sys
import types
from collections.abc import Callable, Container, Iterable, Mapping
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

from ._bind import Slot
from ._errors import DeclarationError, UndefinedNameError
from ._options import InputOptions
from ._scope import Scope, scope_of
from ._shape import NOTHING

__all__ = [
    "is_mapping",
    "is_type_or_optional",
    "may_be_mapping",
    "refuse_bare_context",
    "return_annotation",
    "signature_of",
    "slots_of",
    "takes_instance",
]


def signature_of(function: Callable[..., Any], where: str) -> inspect.Signature:
    """The signature, annotations as they stand.

    Raises:
        DeclarationError: The callable does not tell one.
    """
    try:
        if sys.version_info >= (3, 14):
            from annotationlib import Format  # noqa: PLC0415 - new in 3.14

            return inspect.signature(function, annotation_format=Format.FORWARDREF)
        return inspect.signature(function)
    except (TypeError, ValueError):
        raise DeclarationError(
            f"{where}: {function!r} tells no signature; wrap it in a function with named and typed "
            "parameters"
        ) from None


def slots_of(
    function: Callable[..., Any], options: InputOptions, where: str
) -> tuple[list[Slot], Scope]:
    """The parameters of a callable, and the scope their annotations were resolved in.

    Raises:
        UndefinedNameError: A postponed annotation uses a name that is not defined now.
        DeclarationError: A parameter takes positional arguments without end.
    """
    context = options.context_type
    fallback = {} if context is None else {context.__name__: context}
    scope = scope_of(function, options.local_names, fallback)
    slots: list[Slot] = []
    parameters = signature_of(function, where).parameters.values()
    _refuse_unbound(parameters, where)
    for parameter in parameters:
        place = f"{where}, parameter {parameter.name!r}"
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            raise DeclarationError(
                f"{place}: arguments are named in JSON, so *{parameter.name} can never be filled; "
                "take a list instead; if this is a decorator's wrapper, put "
                "@functools.wraps(function) on it"
            )
        annotation = Any
        if parameter.annotation is not inspect.Parameter.empty:
            annotation = _resolved(parameter.annotation, scope, place, context)
        slots.append(
            Slot(
                name=parameter.name,
                wire=parameter.name,
                kind=parameter.kind,
                annotation=annotation,
                default=NOTHING
                if parameter.default is inspect.Parameter.empty
                else parameter.default,
                is_context=context is not None and is_type_or_optional(annotation, context),
                is_annotated=parameter.annotation is not inspect.Parameter.empty,
            )
        )
    return slots, scope


def _refuse_unbound(parameters: Iterable[inspect.Parameter], where: str) -> None:
    """Raises ``DeclarationError`` for a method that has no object yet."""
    first = next(iter(parameters), None)
    if (
        first is not None
        and first.name in ("self", "cls")
        and first.annotation is inspect.Parameter.empty
    ):
        raise DeclarationError(
            f"{where}: its first parameter is {first.name!r}, so it is a method without its "
            "object; put @mark.tool (or its siblings) on it in the class and register an object "
            "with server.register(Class()), or register the bound method"
        )


def refuse_bare_context(
    slots: list[Slot], options: InputOptions, where: str, *, known: Container[str] = ()
) -> None:
    """Nothing, unless a parameter is named like the context and does not say that it is one.

    Args:
        slots: The parameters.
        options: The context type, and the options per parameter, which tell an argument.
        where: For messages.
        known: Names of arguments.

    Raises:
        DeclarationError: One is, and would become an argument of the client.
    """
    if options.context_type is None:
        return
    context = options.context_type.__name__
    for index, slot in enumerate(slots):
        suspicious = slot.name == "ctx" or (slot.name == "context" and index == 0)
        if slot.is_annotated or not suspicious or slot.takes_extras:
            continue
        if slot.name not in options.parameters and slot.name not in known:
            raise DeclarationError(
                f"{where}: its parameter {slot.name!r} has no type, so clients would have to send "
                f"it; write {slot.name}: {context} for the context of the call, or give it the "
                f"type of the argument that it is ({slot.name}: str)"
            )


def _bare(annotation: Any) -> Any:
    """A type without ``Annotated``, ``NewType`` and aliases around it."""
    while True:
        if get_origin(annotation) is Annotated:
            annotation = get_args(annotation)[0]
        elif hasattr(annotation, "__supertype__"):
            annotation = annotation.__supertype__
        elif hasattr(annotation, "__value__"):
            annotation = annotation.__value__
        else:
            return annotation


def _members(annotation: Any) -> list[Any]:
    """The types that an annotation allows, ``None`` left out."""
    bare = _bare(annotation)
    if get_origin(bare) in (Union, types.UnionType):
        return [one for part in get_args(bare) for one in _members(part)]
    return [] if bare is types.NoneType else [bare]


def _is_anything(annotation: Any) -> bool:
    return annotation is Any or annotation is object or isinstance(annotation, TypeVar)


def may_be_mapping(annotation: Any) -> bool:
    """Whether a parameter so annotated can be given a dict."""
    return is_mapping(annotation) or any(map(_is_anything, _members(annotation)))


def is_mapping(annotation: Any) -> bool:
    """Whether a mapping is among the types that an annotation names."""
    pythons = [get_origin(part) or part for part in _members(annotation)]
    return any(isinstance(python, type) and issubclass(python, Mapping) for python in pythons)


def takes_instance(annotation: Any, wanted: Any) -> bool:
    """Whether a parameter so annotated can be given an instance of a class.

    Args:
        annotation: Its annotation, resolved.
        wanted: A Struct, dataclass or TypedDict, or a generic one with arguments.
    """
    python = get_origin(wanted) or wanted
    for part in _members(annotation):
        given = get_origin(part) or part
        if _is_anything(part) or not isinstance(given, type):
            return True
        if getattr(given, "_is_protocol", False):
            return True
        if given in python.__mro__ or (issubclass(python, dict) and issubclass(dict, given)):
            return True
    return False


def _resolved(annotation: Any, scope: Scope, place: str, context: Any) -> Any:
    try:
        return scope.resolve(annotation, place)
    except UndefinedNameError:
        # ``core.Context`` where ``core`` is imported for the type checker alone.
        if (
            context is not None
            and isinstance(annotation, str)
            and annotation.strip().rpartition(".")[2] == context.__name__
        ):
            return context
        raise


def is_type_or_optional(annotation: Any, wanted: Any) -> bool:
    """Whether an annotation is the class, a subclass, or ``Optional`` or ``Annotated`` of one."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return is_type_or_optional(get_args(annotation)[0], wanted)
    if origin is Union or origin is types.UnionType:
        parts = [part for part in get_args(annotation) if part is not types.NoneType]
        return bool(parts) and all(is_type_or_optional(part, wanted) for part in parts)
    python = origin or annotation
    return isinstance(python, type) and issubclass(python, wanted)


def return_annotation(
    function: Callable[..., Any], local_names: Mapping[str, Any] | None, where: str
) -> tuple[Any, Scope]:
    """The return annotation, ``inspect.Parameter.empty`` without one, and its scope.

    Raises:
        UndefinedNameError: It uses a name that is not defined now.
    """
    scope = scope_of(function, local_names, {})
    try:
        annotation = signature_of(function, where).return_annotation
    except DeclarationError:
        return inspect.Parameter.empty, scope
    if annotation is inspect.Parameter.empty:
        return annotation, scope
    return scope.resolve(annotation, f"{where}, its return"), scope
