"""A declaration whose postponed annotations cannot be resolved yet."""

from collections.abc import Callable
from typing import Generic, TypeVar

from ._errors import DeclarationError, UndefinedNameError

__all__ = ["Deferred", "declared", "declared_or_deferred"]

T = TypeVar("T")


class Deferred(Generic[T]):
    """Stands for a reader or writer until names that its annotations use are defined.

    Args:
        make: Makes it, or raises ``UndefinedNameError``.
        reason: What was undefined when it was declared.
    """

    def __init__(self, make: Callable[[], T], reason: UndefinedNameError) -> None:
        self._make = make
        self.reason = reason

    def resolve(self) -> T:
        """The reader or writer, now that serving starts.

        Raises:
            DeclarationError: A name is still undefined (the message names it and the parameter), or
                a type has no JSON shape.
        """
        return declared(self._make)


def declared(make: Callable[[], T]) -> T:
    """What ``make`` makes; a type that nests without end is a declaration error.

    Raises:
        DeclarationError: As ``make`` raises it, or where the type is nested too deeply.
    """
    try:
        return make()
    except RecursionError:
        raise DeclarationError("the types of this declaration are nested too deeply") from None


def declared_or_deferred(make: Callable[[], T]) -> T | Deferred[T]:
    """What ``make`` makes, or a ``Deferred`` where a name is undefined for now."""
    try:
        return declared(make)
    except UndefinedNameError as error:
        return Deferred(make, error)
