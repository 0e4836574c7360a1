"""Templates that differ in nothing but the names of their variables."""

import re
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from ._errors import RegistrationError
from ._registry import describe_function

__all__ = ["refuse_twin"]

_EXPRESSION = re.compile(r"\{([+/?]?)([^{}]*)\}")


class _Template(Protocol):
    function: Callable[..., Any]

    @property
    def uri_template(self) -> str: ...


def refuse_twin(uri_template: str, others: Iterable[_Template]) -> None:
    """Nothing, where no other template matches exactly the URIs that this one does.

    A template of the same text is left to the registry.

    Raises:
        RegistrationError: One does, so that this one would never be asked; the message names it.
    """
    matched = _matched(uri_template)
    for other in others:
        if other.uri_template != uri_template and _matched(other.uri_template) == matched:
            raise RegistrationError(
                f"resource {uri_template!r}: it matches the same URIs as {other.uri_template!r}, "
                f"which is registered already (handler: {describe_function(other.function)}); "
                "serve both with one handler, or tell them apart by literal text"
            )


def _matched(template: str) -> str:
    """A template without the names of its variables, as far as they do not count."""

    def nameless(found: re.Match[str]) -> str:
        operator, names = found[1], found[2].split(",")
        if operator == "?":
            # The names of query variables are part of the URI, in any order.
            return "{?" + ",".join(sorted(names)) + "}"
        return "/{}" * len(names) if operator == "/" else f"{{{operator}}}"

    return _EXPRESSION.sub(nameless, template)
