"""Defaults: their JSON form in a schema, whether it fits there, and which of them calls change."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from .. import json_check
from ._errors import DeclarationError
from ._foreign import refuse_foreign_default
from ._json_value import json_form
from ._parameter import HEADER
from ._scalars import plain_scalar
from ._shape import NOTHING, Shape

if TYPE_CHECKING:
    from ..json_check import Check, Violation

__all__ = ["copies_of", "refuse_bad_defaults", "with_default"]


def copies_of(default: Any) -> Callable[[Any], Any] | None:
    """What makes a copy of a default that calls could change; None for any other."""
    if not _is_mutable(default):
        return None
    from copy import deepcopy  # noqa: PLC0415 - 1 ms, for one in a hundred parameters

    return deepcopy


def _is_mutable(default: Any) -> bool:
    """Whether calls could change a default; what is not known to be JSON-like is left as it is."""
    if isinstance(default, list | dict | set | bytearray):
        return True
    if isinstance(default, tuple | frozenset):
        return any(map(_is_mutable, default))
    if isinstance(default, type):
        return False
    if isinstance(default, msgspec.Struct):
        return not default.__struct_config__.frozen or any(
            _is_mutable(getattr(default, name)) for name in default.__struct_fields__
        )
    return hasattr(default, "__dataclass_fields__")


def with_default(
    shape: Shape, default: Any, definitions: dict[str, Any], where: str, *, converted: bool = False
) -> Shape:
    """The shape with the JSON form of a default in its schema; left out where there is none.

    A default of None makes the type optional, as everybody who writes ``x: int = None`` means it.

    Args:
        shape: The type's shape; not changed.
        default: The default; ``NOTHING`` without one.
        definitions: ``$defs`` for references in the shape's schema.
        where: For messages.
        converted: The default is a value of another type than the one that is published, so that
            its form need not fit.

    Raises:
        DeclarationError: The default breaks the schema of its own type.
    """
    if default is NOTHING:
        return shape
    refuse_foreign_default(default, where)
    form = json_form(default)
    if form is NOTHING:
        return shape
    if form is None:
        if HEADER in shape.schema:
            # Clients leave it out, in the body as in the header.
            return shape
        if not _takes_null(shape.schema, definitions):
            shape = _or_null(shape, definitions)
    elif not _passes(form, shape.gate):
        check = json_check.compile_check({**shape.schema, "$defs": definitions})
        violations = check.violations(form)
        # An object may have more attributes than the fields it is made of.
        if violations and (converted or hasattr(default, "__dataclass_fields__")):
            return shape
        if violations:
            raise _refusal(where, repr(default), violations)
    return msgspec.structs.replace(shape, schema={**shape.schema, "default": form})


def _takes_null(schema: dict[str, Any], definitions: dict[str, Any]) -> bool:
    if "$ref" in schema:
        target = definitions.get(schema["$ref"].removeprefix("#/$defs/"))
        # A type that is still being made has fields, and null has none.
        return isinstance(target, dict) and _takes_null(target, definitions)
    branches = schema.get("anyOf", ())
    if branches and all(isinstance(branch, dict) for branch in branches):
        return any(_takes_null(branch, definitions) for branch in branches)
    if "enum" in schema:
        return None in schema["enum"]
    if "type" in schema:
        return "null" in schema["type"]  # a name, or a list of names
    return json_check.compile_check({**schema, "$defs": definitions}).is_valid(None)


def _or_null(shape: Shape, definitions: dict[str, Any]) -> Shape:
    """The shape of the type or None; what is said of the parameter stays at the top."""
    from ._unions import union_shape  # noqa: PLC0415 - most defaults are of the type itself

    notes = {name: shape.schema[name] for name in _NOTES if name in shape.schema}
    rest = {name: part for name, part in shape.schema.items() if name not in notes}
    inner = msgspec.structs.replace(shape, schema=rest)
    optional = union_shape([inner, plain_scalar(None, {"type": "null"})], definitions)
    optional.schema = {**optional.schema, **notes}
    return optional


_NOTES = ("title", "description", "examples", "deprecated", "readOnly", "writeOnly")


def _passes(form: Any, gate: Any) -> bool:
    """Whether the fast type takes a value, which spares most defaults a check of their own."""
    if gate is NOTHING:
        return False
    try:
        msgspec.convert(form, gate)
    except Exception:  # noqa: BLE001 - a class that msgspec does not take is checked our way
        return False
    return True


def refuse_bad_defaults(schema: dict[str, Any], check: "Check", where: str) -> None:
    """Nothing, where every default of the properties fits where it stands.

    Args:
        schema: A schema of an object.
        check: Its check.
        where: For messages.

    Raises:
        DeclarationError: A default breaks its schema; the message names the property.
    """
    for path, default in _defaults_in(schema, schema, (), frozenset()):
        violations = [
            one for one in check.violations(_at(path, default)) if one.path[: len(path)] == path
        ]
        if violations:
            name = "".join(f"[{s}]" if isinstance(s, int) else f".{s}" for s in path)[1:]
            text = msgspec.json.encode(default).decode()
            raise _refusal(f"{where}, property {name!r}", text, violations)


def _defaults_in(
    part: Any, root: dict[str, Any], path: tuple[str | int, ...], seen: frozenset[str]
) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """The defaults that are reached by properties, items and references, and the way to each."""
    if not isinstance(part, dict):
        return
    reference = part.get("$ref")
    if isinstance(reference, str) and reference not in seen:
        yield from _defaults_in(_target(root, reference), root, path, seen | {reference})
    if "default" in part and path:
        yield path, part["default"]
    properties = part.get("properties")
    for name, inner in properties.items() if isinstance(properties, dict) else ():
        yield from _defaults_in(inner, root, (*path, name), seen)
    yield from _defaults_in(part.get("items"), root, (*path, 0), seen)


def _target(root: dict[str, Any], reference: str) -> Any:
    part: Any = root
    if not reference.startswith("#/"):
        return None
    for step in reference[2:].split("/"):
        part = (
            part.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(part, dict) else {}
        )
    return part


def _at(path: tuple[str | int, ...], value: Any) -> Any:
    for step in reversed(path):
        value = [value] if isinstance(step, int) else {step: value}
    return value


def _refusal(where: str, default: str, violations: "list[Violation]") -> DeclarationError:
    lines = "; ".join(json_check.render(one) for one in violations)
    lines = lines.removeprefix("arguments: ")
    return DeclarationError(
        f"{where}: its default {default} breaks its own schema ({lines}); give one that fits, or "
        "widen the type"
    )
