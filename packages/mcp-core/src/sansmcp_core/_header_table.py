"""``x-mcp-header``: the annotations of an input schema -> the headers that mirror its arguments.

Clients must leave out tools whose annotations break the rules, so that such a tool fails where it
is registered.

Source: MCP 2026-07-28 server/tools, x-mcp-header; basic/transports/streamable-http, Schema
Extension.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from ._errors import RegistrationError

__all__ = ["ANNOTATION", "HeaderRow", "HeaderTable", "header_table"]

ANNOTATION = "x-mcp-header"


class HeaderRow(NamedTuple):
    """One argument that a header mirrors."""

    name: str
    """The header after ``Mcp-Param-``, as the schema spells it."""
    field: bytes
    """The whole header name in lower case."""
    path: tuple[str, ...]
    """The names of the properties that lead to the argument."""
    kind: str
    """``string``, ``integer`` or ``boolean``."""
    secret: bool
    """No message shows its value."""


HeaderTable: TypeAlias = tuple[HeaderRow, ...]


class _Position(NamedTuple):
    """A subschema, and how it is reached."""

    schema: Any
    pointer: str
    path: tuple[str, ...] | None
    """None where anything but ``properties`` leads to it."""


_Secrecy: TypeAlias = Callable[[tuple[str, ...]], bool]

_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_KINDS = ("string", "integer", "boolean")
_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "const")
_SAFE = 2**53 - 1

# What they hold are values, not schemas.
_DATA = frozenset({"const", "enum", "default", "examples", "example"})
# Their keys are names, not keywords.
_MAPS = frozenset(
    {"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"}
)


def _nothing(path: tuple[str, ...]) -> bool:
    return False


def header_table(
    owner: str, schema: Mapping[str, Any], is_secret: _Secrecy = _nothing
) -> HeaderTable:
    """Return the headers that mirror arguments of an input schema, in its order; mostly none.

    Args:
        owner: The tool, as messages name it: ``tool 'add'``.
        schema: A well-formed schema. Parts of unknown keywords count as subschemas, so that no
            annotation hides in them; values such as those of ``default`` do not.
        is_secret: Tells whether messages must not show the argument at a path.

    Raises:
        RegistrationError: An annotation breaks a rule of the specification.
    """
    rows: dict[str, HeaderRow] = {}
    for schema_at in _positions(schema):
        if ANNOTATION not in schema_at.schema:
            continue
        row = _row(owner, schema_at, is_secret)
        other = rows.setdefault(row.name.lower(), row)
        if other is not row:
            raise RegistrationError(
                f"{owner}: the properties {_dotted(other.path)} and {_dotted(row.path)} share the "
                f"{ANNOTATION} {row.name!r}, in which letter case makes no difference; give one of "
                "them another name"
            )
    return tuple(rows.values())


def _positions(schema: Mapping[str, Any]) -> Iterator[_Position]:
    """Every subschema, the schema itself first."""
    pending = [_Position(schema, "#", ())]
    for position in pending:
        if not isinstance(position.schema, Mapping):
            continue
        yield position
        for keyword, value in position.schema.items():
            pointer = f"{position.pointer}/{keyword}"
            if keyword in _DATA:
                continue
            if keyword in _MAPS and isinstance(value, Mapping):
                path = position.path if keyword == "properties" else None
                pending += [
                    _Position(inner, f"{pointer}/{name}", None if path is None else (*path, name))
                    for name, inner in value.items()
                ]
            elif isinstance(value, Mapping):
                pending.append(_Position(value, pointer, None))
            elif isinstance(value, list | tuple):
                pending += [
                    _Position(inner, f"{pointer}/{index}", None)
                    for index, inner in enumerate(value)
                ]


def _row(owner: str, position: _Position, is_secret: _Secrecy) -> HeaderRow:
    schema, path = position.schema, position.path
    name = schema[ANNOTATION]
    if not path:
        raise RegistrationError(
            f"{owner}: {ANNOTATION} {name!r} stands at {position.pointer}, but clients read an "
            "argument for a header only where nothing but properties lead to it, not a list, a "
            "choice, a condition or a $ref; move it to such a property, or leave it out"
        )
    where = f"{owner}, property {_dotted(path)}"
    if not isinstance(name, str) or not _TOKEN.fullmatch(name):
        raise RegistrationError(
            f"{where}: {ANNOTATION} must be a text of one or more letters, digits and "
            f"!#$%&'*+-.^_`|~ to go into the name of a header, got {name!r}"
        )
    kind = schema.get("type")
    if not isinstance(kind, str) or kind not in _KINDS:
        raise RegistrationError(f"{where}: {_wrong_type(schema)}")
    if kind == "integer":
        _check_bounds(where, schema)
    return HeaderRow(name, b"mcp-param-" + name.lower().encode(), path, kind, is_secret(path))


def _wrong_type(schema: Mapping[str, Any]) -> str:
    text = f'{ANNOTATION} needs "type": "string", "integer" or "boolean"'
    kind = schema.get("type")
    if isinstance(kind, list) or "anyOf" in schema or "oneOf" in schema:
        return (
            f"{text} alone, got {kind if isinstance(kind, list) else 'a choice'}; where there is "
            "no value, clients leave the argument out: leave null out of its type, and the "
            "property out of required"
        )
    return f"{text}, got {'no type' if kind is None else repr(kind)}"


def _check_bounds(where: str, schema: Mapping[str, Any]) -> None:
    named = [(keyword, schema[keyword]) for keyword in _BOUNDS if keyword in schema]
    choices = schema.get("enum")
    if isinstance(choices, list | tuple):
        named += [("enum", value) for value in choices]
    for keyword, value in named:
        if isinstance(value, int | float) and not -_SAFE <= value <= _SAFE:
            raise RegistrationError(
                f"{where}: {keyword} {value} lies outside {-_SAFE} to {_SAFE}, beyond which not "
                f"every client reads an integer exactly, so {ANNOTATION} cannot mirror it; narrow "
                "it, or make the property a text"
            )


def _dotted(path: tuple[str, ...]) -> str:
    return repr(".".join(path))
