"""An argument that is published as one type and handed over as another."""

from collections.abc import Callable
from typing import Any

import msgspec

from .. import json_check
from ._errors import Mismatch
from ._shape import Shape

__all__ = ["advertised_shape", "kinds_of"]

_ALL = frozenset({"string", "integer", "number", "boolean", "null", "array", "object"})

# Kind of JSON value the Python type has -> kinds that can be turned into it.
_CONVERTIBLE = {
    "string": {"string", "integer", "number", "boolean"},
    "integer": {"integer", "number", "string"},
    "number": {"integer", "number", "string"},
    "boolean": {"boolean", "string"},
    "null": {"null"},
    "array": {"array", "string"},
    "object": {"object", "string"},
}


def kinds_of(schema: Any) -> frozenset[str]:
    """The JSON types that a schema may accept, by its ``type``, ``enum`` and ``anyOf``."""
    if not isinstance(schema, dict):
        return _ALL if schema else frozenset()
    kinds = _ALL
    named = schema.get("type")
    if isinstance(named, str):
        kinds = frozenset({named})
    elif isinstance(named, list):
        kinds = frozenset(named)
    if "number" in kinds:
        kinds |= {"integer"}
    values = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if isinstance(values, list):
        kinds &= frozenset(kind for value in values for kind in _kinds_of_value(value))
    for word in ("anyOf", "oneOf"):
        branches = schema.get(word)
        if isinstance(branches, list) and branches:
            kinds &= frozenset[str]().union(*(kinds_of(branch) for branch in branches))
    return kinds


def _kinds_of_value(value: Any) -> tuple[str, ...]:
    if isinstance(value, bool):
        return ("boolean",)
    if isinstance(value, int | float):
        return ("integer", "number")
    names: dict[Any, str] = {str: "string", list: "array", dict: "object"}
    return (names.get(type(value), "null"),)


def advertised_shape(
    published: Shape,
    wanted: Shape | None,
    convert: Callable[[Any], Any] | None,
    definitions: dict[str, Any] | None = None,
) -> Shape:
    """What satisfies ``published`` and is then turned into the Python type.

    Args:
        published: What the schema says and the check enforces.
        wanted: The shape of the Python type; None where ``convert`` makes the value.
        convert: The author's own conversion.
        definitions: ``$defs`` for references in ``wanted``.

    Raises:
        ValueError: Nothing that ``published`` accepts can be turned into the type.
    """
    if convert is not None or wanted is None:
        return Shape(schema=published.schema, read=_by_hook(published, convert), named="converted")
    sources = kinds_of(published.schema)
    targets = kinds_of(wanted.schema)
    possible = frozenset[str]().union(*(_CONVERTIBLE[kind] for kind in targets))
    if not sources & possible:
        raise ValueError(
            f"the advertised type ({' or '.join(sorted(sources)) or 'nothing'}) can never become "
            f"{wanted.named or 'the Python type'}; advertise what it can be made from, or give "
            "Parameter(convert=...)"
        )
    return Shape(
        schema=published.schema,
        read=_by_shape(wanted, definitions or {}),
        named=wanted.named,
    )


def _by_hook(published: Shape, convert: Callable[[Any], Any] | None) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        made = value if published.read is None else published.read(value)
        if convert is None:
            return made
        try:
            return convert(made)
        except (ValueError, TypeError) as error:
            raise Mismatch("a value that can be converted", value, detail=str(error)) from None
        except Exception:  # noqa: BLE001 - the author's code; its text may tell what it should not
            raise Mismatch("a value that can be converted", value) from None

    return read


def _by_shape(wanted: Shape, definitions: dict[str, Any]) -> Callable[[Any], Any]:
    checks: list[Any] = []

    def read(value: Any) -> Any:
        if not checks:
            checks[:] = [json_check.compile_check({**wanted.schema, "$defs": definitions})]
        for candidate in _candidates(value):
            if not checks[0].is_valid(candidate):
                continue
            return candidate if wanted.read is None else wanted.read(candidate)
        raise Mismatch(f"a value that {wanted.named or 'the type'} can be made of", value)

    return read


def _candidates(value: Any) -> list[Any]:
    """The value, what its text stands for in JSON, and its JSON as a text."""
    if isinstance(value, str):
        try:
            return [value, msgspec.json.decode(value.encode())]
        except (ValueError, RecursionError):
            return [value]
    if isinstance(value, bool | int | float):
        return [value, msgspec.json.encode(value).decode()]
    return [value]
