"""What an author can say about one parameter beside its Python type."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from ._errors import DeclarationError
from ._shape import NOTHING

__all__ = [
    "HEADER",
    "KEYWORD_NAMES",
    "Parameter",
    "checked_names",
    "is_mirrored",
    "keywords_of",
    "merged",
    "parameter_of",
]

HEADER = "x-mcp-header"
"""Names the HTTP header in which clients repeat an argument."""

# Our name of an option -> the JSON Schema keyword.
KEYWORD_NAMES = {
    "title": "title",
    "description": "description",
    "minimum": "minimum",
    "maximum": "maximum",
    "exclusive_minimum": "exclusiveMinimum",
    "exclusive_maximum": "exclusiveMaximum",
    "multiple_of": "multipleOf",
    "min_length": "minLength",
    "max_length": "maxLength",
    "pattern": "pattern",
    "format": "format",
    "examples": "examples",
    "write_only": "writeOnly",
    "header": HEADER,
}


class Parameter(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Options of one parameter, of one field, or of a return value.

    Put it in ``Annotated[T, Parameter(...)]`` or in the mapping ``parameters={"name": ...}``, which
    wins.

    Args:
        name: The name on the wire; the Python name by default.
        title: A short label for people.
        description: What it is for; wins over ``Meta(description=...)`` and the docstring.
        minimum, maximum, exclusive_minimum, exclusive_maximum, multiple_of: Bounds of a number.
        min_length, max_length: Length of a text in code points, of an array in items, of an object
            in keys.
        pattern: An ECMA-262 regular expression that is searched in a text.
        format: An annotation such as ``email``; published, not enforced.
        examples: Example values, published only.
        default: Used where the argument is absent; wins over the signature's.
        advertised: A JSON Schema or another Python type that is published and enforced instead of
            the type's own; the argument is then converted to the Python type.
        convert: Makes the handler's value from the JSON value (on a return: the JSON value from
            the handler's). ``ValueError`` and ``TypeError`` from it are an argument error.
        write_only: The value is never shown in messages.
        header: Over HTTP, clients of a tool repeat the argument in ``Mcp-Param-{header}``, where
            all that lies on the way can read it. For a text, integer or boolean; None in its type
            means that it may be left out.
    """

    name: str | None = None
    title: str | None = None
    description: str | None = None
    minimum: int | float | None = None
    maximum: int | float | None = None
    exclusive_minimum: int | float | None = None
    exclusive_maximum: int | float | None = None
    multiple_of: int | float | None = None
    min_length: int | None = None
    max_length: int | None = None
    pattern: str | None = None
    format: str | None = None
    examples: list[Any] | None = None
    default: Any = NOTHING
    advertised: Any = None
    convert: Callable[[Any], Any] | None = None
    write_only: bool | None = None
    header: str | None = None


_META_NAMES = {
    "ge": "minimum",
    "le": "maximum",
    "gt": "exclusiveMinimum",
    "lt": "exclusiveMaximum",
    "multiple_of": "multipleOf",
    "min_length": "minLength",
    "max_length": "maxLength",
    "pattern": "pattern",
    "title": "title",
    "description": "description",
    "examples": "examples",
}


def keywords_of(options: "msgspec.Meta | Parameter") -> dict[str, Any]:
    """The JSON Schema keywords that a ``Meta`` or a ``Parameter`` stands for, named for a text."""
    names = _META_NAMES if isinstance(options, msgspec.Meta) else KEYWORD_NAMES
    keywords = {
        keyword: value
        for name, keyword in names.items()
        if (value := getattr(options, name)) is not None
    }
    if isinstance(options, msgspec.Meta) and options.extra_json_schema:
        keywords.update(options.extra_json_schema)
    return keywords


def is_mirrored(metadata: tuple[Any, ...], options: Parameter) -> bool:
    """Whether ``Annotated``'s metadata, or the options, name a header for the argument."""
    return options.header is not None or any(
        isinstance(item, msgspec.Meta) and HEADER in (item.extra_json_schema or ())
        for item in metadata
    )


def merged(first: Parameter, second: Parameter | None) -> Parameter:
    """Both options in one; where both say something, ``second`` wins."""
    if second is None:
        return first
    changes = {
        name: value
        for name in Parameter.__struct_fields__
        if (value := getattr(second, name)) is not None and value is not NOTHING
    }
    return msgspec.structs.replace(first, **changes) if changes else first


def parameter_of(metadata: tuple[Any, ...], override: Parameter | None) -> Parameter:
    """The options in an ``Annotated``'s metadata, with those of the mapping on top."""
    options = Parameter()
    for item in metadata:
        if isinstance(item, Parameter):
            options = merged(options, item)
    return merged(options, override)


def checked_names(given: Mapping[str, Parameter], known: list[str], where: str) -> None:
    """Raises ``DeclarationError`` where ``given`` names a parameter that does not exist."""
    for name in given:
        if name not in known:
            raise DeclarationError(
                f"{where}: options are given for {name!r}, but its parameters are: "
                + (", ".join(known) or "none")
            )
