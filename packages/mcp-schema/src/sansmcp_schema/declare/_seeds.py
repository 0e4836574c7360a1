"""How the defaults of a raw schema get into the arguments of a call."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ._constraints import ANNOTATIONS

if TYPE_CHECKING:
    from ..json_check import Check

__all__ = ["seeder"]

# With nothing but these at its root, only the root's properties say what a default is.
_FLAT = ANNOTATIONS | {"$schema", "type", "properties", "required", "additionalProperties"}


def seeder(schema: dict[str, Any], check: "Check") -> Callable[[dict[str, Any]], dict[str, Any]]:
    """A function that fills in the defaults of absent properties; the dict given is not changed.

    Args:
        schema: The schema of the arguments.
        check: Its check, which knows the way to every default, however deep it is.
    """
    properties = schema.get("properties", {})
    defaults = {
        name: part["default"]
        for name, part in properties.items()
        if isinstance(part, dict) and "default" in part
    }
    flat = schema.keys() <= _FLAT and not any(map(_has_inner, properties.values()))
    if not flat or not _has_no_default(schema.get("additionalProperties")):
        return check.seed_defaults
    if not defaults:
        return lambda value: value

    def seeded(value: dict[str, Any]) -> dict[str, Any]:
        missing = defaults.keys() - value.keys()
        if not missing:
            return value
        # In the order of the schema, whatever the order of the set is.
        return value | {name: part for name, part in defaults.items() if name in missing}

    return seeded


def _has_inner(part: Any) -> bool:
    """Whether a property has a default that is a container, or defaults of its own inside."""
    if not isinstance(part, dict):
        return False
    if isinstance(part.get("default"), dict | list):
        return True
    return not _has_no_default({name: inner for name, inner in part.items() if name != "default"})


def _has_no_default(part: Any) -> bool:
    """Whether nothing in a schema can seed: neither a default nor a way out of the schema."""
    if isinstance(part, dict):
        return not ("default" in part or "$ref" in part) and all(
            map(_has_no_default, part.values())
        )
    return not isinstance(part, list) or all(map(_has_no_default, part))
