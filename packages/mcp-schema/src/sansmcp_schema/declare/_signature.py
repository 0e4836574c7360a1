"""The signature of any callable -> its parameters, postponed annotations resolved."""

import inspect
import sys
import types
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Union, get_args, get_origin

from ._bind import Slot
from ._errors import DeclarationError, UndefinedNameError
from ._options import InputOptions
from ._scope import Scope, scope_of
from ._shape import NOTHING

__all__ = ["is_type_or_optional", "return_annotation", "signature_of", "slots_of"]


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
    slots = []
    for parameter in signature_of(function, where).parameters.values():
        place = f"{where}, parameter {parameter.name!r}"
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            raise DeclarationError(
                f"{place}: arguments are named in JSON, so *{parameter.name} can never be filled; "
                "take a list instead"
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
            )
        )
    return slots, scope


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
