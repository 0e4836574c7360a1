"""Which subschemas a node puts on which inner value, in either dialect."""

from typing import Any

from ._nodes import Document, Node

__all__ = [
    "default_of",
    "dependent_names",
    "dependent_nodes",
    "item_nodes",
    "known_names",
    "property_nodes",
]


def item_nodes(node: Node) -> tuple[list[Node], Node | None]:
    """Return the nodes of the first items, and the node of all others; in either dialect."""
    if isinstance(node.children.get("items"), list):
        return node.several("items"), node.one("additionalItems")
    return node.several("prefixItems"), node.one("items")


def dependent_names(node: Node) -> dict[str, list[str]]:
    """Return which properties each property needs beside it; in either dialect."""
    both = {**node.keywords.get("dependencies", {}), **node.keywords.get("dependentRequired", {})}
    return {name: needed for name, needed in both.items() if isinstance(needed, list)}


def dependent_nodes(node: Node) -> dict[str, Node]:
    """Return which subschema each property puts on the whole object; in either dialect."""
    return {**node.named("dependencies"), **node.named("dependentSchemas")}


def property_nodes(node: Node, name: str, document: Document) -> list[tuple[str, Node]]:
    """Return the subschemas for one property, each with the keyword that holds it."""
    found: list[tuple[str, Node]] = []
    if (known := node.named("properties").get(name)) is not None:
        found.append(("properties", known))
    for pattern, one in node.named("patternProperties").items():
        if pattern in document.patterns and document.patterns[pattern].search(name):
            found.append(("patternProperties", one))
    rest = node.one("additionalProperties")
    if not found and rest is not None:
        found.append(("additionalProperties", rest))
    return found


def known_names(node: Node) -> list[str]:
    """Return the property names that a node speaks of, in the order of the schema."""
    return list(dict.fromkeys([*node.named("properties"), *node.keywords.get("required", ())]))


def default_of(node: Node) -> tuple[Any] | None:
    """Return the default that a node has, itself or by what it refers to, in a tuple, or None."""
    if "default" in node.keywords:
        return (node.keywords["default"],)
    target = node.one("$ref")
    for one in [*([] if target is None else [target]), *node.several("allOf")]:
        if (found := default_of(one)) is not None:
            return found
    return None
