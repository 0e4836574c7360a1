"""Which kinds of JSON value a node can accept at all, whatever else it asks of them."""

from ._nodes import Node
from ._values import json_type

__all__ = ["ALL_KINDS", "kinds_of"]

# As json_type names them: "number" is a number with a fraction, "integer" one without.
ALL_KINDS = frozenset({"null", "boolean", "integer", "number", "string", "array", "object"})


def kinds_of(node: Node) -> frozenset[str]:
    """Return the kinds that ``type``, ``enum``, ``const`` and combined subschemas leave.

    An upper bound: a value of another kind is never valid, one of these kinds may be.
    """
    if node.kinds is None:
        node.kinds = _kinds(node)
    return node.kinds


def _kinds(node: Node) -> frozenset[str]:
    if isinstance(node.schema, bool):
        return ALL_KINDS if node.schema else frozenset()
    kinds = ALL_KINDS
    if (named := node.keywords.get("type")) is not None:
        names = set(named) if isinstance(named, list) else {named}
        kinds &= names | ({"integer"} if "number" in names else set())
        if "integer" in names and "number" not in names:
            kinds -= {"number"}
    if "const" in node.keywords:
        kinds &= {json_type(node.keywords["const"])}
    if "enum" in node.keywords:
        kinds &= {json_type(choice) for choice in node.keywords["enum"]}
    if (target := node.one("$ref")) is not None:
        kinds &= kinds_of(target)
    for one in node.several("allOf"):
        kinds &= kinds_of(one)
    for keyword in ("anyOf", "oneOf"):
        if options := node.several(keyword):
            kinds &= frozenset().union(*(kinds_of(option) for option in options))
    return kinds
