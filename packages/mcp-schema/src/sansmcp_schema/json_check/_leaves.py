"""Keywords without subschemas, each compiled to a predicate over values of one kind.

A predicate is only asked about values of its kind, so it does not look at the type again.
"""

from collections.abc import Callable
from typing import Any

from ._nodes import Document, Leaf, Node
from ._values import decimal_parts, is_multiple, json_key

__all__ = ["compile_leaves"]

Predicate = Callable[[Any], bool]


def compile_leaves(node: Node, document: Document) -> list[Leaf]:
    """Return the compiled leaf keywords of a node, in the order of the table."""
    leaves = []
    for keyword, (kind, build) in _BUILDERS.items():
        if keyword in node.keywords:
            leaves.append(Leaf(keyword, kind, build(node.keywords[keyword])))
    if (pattern := document.patterns.get(node.keywords.get("pattern", ""))) is not None:
        leaves.append(Leaf("pattern", "string", pattern.search))
    return leaves


def _const(wanted: Any) -> Predicate:
    return _enum([wanted])


def _enum(choices: list[Any]) -> Predicate:
    if all(isinstance(choice, str) for choice in choices):
        names = frozenset(choices)
        return lambda value: isinstance(value, str) and value in names
    keys = frozenset(json_key(choice) for choice in choices)
    if any(isinstance(choice, dict | list) for choice in choices):
        return lambda value: json_key(value) in keys
    return lambda value: not isinstance(value, dict | list) and json_key(value) in keys


def _multiple_of(divisor: float) -> Predicate:
    digits, exponent = decimal_parts(divisor)
    return lambda value: is_multiple(value, digits, exponent)


def _minimum(bound: float) -> Predicate:
    return lambda value: bool(value >= bound)


def _exclusive_minimum(bound: float) -> Predicate:
    return lambda value: bool(value > bound)


def _maximum(bound: float) -> Predicate:
    return lambda value: bool(value <= bound)


def _exclusive_maximum(bound: float) -> Predicate:
    return lambda value: bool(value < bound)


def _at_least(count: float) -> Predicate:
    least = int(count)
    return lambda value: len(value) >= least


def _at_most(count: float) -> Predicate:
    most = int(count)
    return lambda value: len(value) <= most


def _unique_items(wanted: bool) -> Predicate:
    def holds(value: list[Any]) -> bool:
        return len({json_key(item) for item in value}) == len(value)

    return holds if wanted else lambda _: True


_BUILDERS: dict[str, tuple[str, Callable[[Any], Predicate]]] = {
    "enum": ("any", _enum),
    "const": ("any", _const),
    "multipleOf": ("number", _multiple_of),
    "minimum": ("number", _minimum),
    "exclusiveMinimum": ("number", _exclusive_minimum),
    "maximum": ("number", _maximum),
    "exclusiveMaximum": ("number", _exclusive_maximum),
    "minLength": ("string", _at_least),
    "maxLength": ("string", _at_most),
    "minItems": ("array", _at_least),
    "maxItems": ("array", _at_most),
    "uniqueItems": ("array", _unique_items),
    "minProperties": ("object", _at_least),
    "maxProperties": ("object", _at_most),
}
