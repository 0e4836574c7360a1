"""A value -> the same with the defaults of absent properties filled in."""

from typing import Any

from ._nodes import Document, Node
from ._reach import default_of, dependent_nodes, item_nodes, property_nodes

__all__ = ["mark_seeds", "seed_defaults"]


def mark_seeds(document: Document) -> None:
    """Set ``seeds`` on each node from which a property with a default is reached."""
    used_by: dict[Node, list[Node]] = {}
    pending: list[Node] = []
    for node in document.nodes:
        for one in node.below():
            used_by.setdefault(one, []).append(node)
        if any(default_of(one) is not None for one in node.named("properties").values()):
            pending.append(node)
    while pending:
        node = pending.pop()
        if not node.seeds:
            node.seeds = True
            pending.extend(used_by.get(node, ()))


def seed_defaults(document: Document, value: Any) -> Any:
    """Return the value with the defaults of absent properties, nested ones too.

    What is filled in is a fresh copy each time. Objects and arrays that change are copied, the
    value given is never changed, and it comes back itself where nothing is to be filled in.
    """
    return _seeded(document, document.root, value)


def _seeded(document: Document, node: Node, value: Any) -> Any:
    if not node.seeds:
        return value
    if isinstance(value, dict):
        value = _seeded_object(document, node, value)
    elif isinstance(value, list):
        value = _seeded_array(document, node, value)
    else:
        return value
    if (target := node.one("$ref")) is not None:
        value = _seeded(document, target, value)
    for one in node.several("allOf"):
        value = _seeded(document, one, value)
    for keyword in ("anyOf", "oneOf"):
        option = next((one for one in node.several(keyword) if one.check(value)), None)
        value = value if option is None else _seeded(document, option, value)
    if (condition := node.one("if")) is not None:
        branch = node.one("then" if condition.check(value) else "else")
        value = value if branch is None else _seeded(document, branch, value)
    if isinstance(value, dict):
        for name, one in dependent_nodes(node).items():
            value = _seeded(document, one, value) if name in value else value
    return value


def _seeded_object(document: Document, node: Node, value: dict[str, Any]) -> dict[str, Any]:
    changed: dict[str, Any] | None = None
    for name, inner in node.named("properties").items():
        if name not in value and (default := default_of(inner)) is not None:
            changed = dict(value) if changed is None else changed
            changed[name] = _copied(default[0])
    seeded = value if changed is None else changed
    for name, item in list(seeded.items()):
        fixed = item
        for _, inner in property_nodes(node, name, document):
            fixed = _seeded(document, inner, fixed)
        if fixed is not item:
            changed = dict(value) if changed is None else changed
            changed[name] = fixed
    return value if changed is None else changed


def _seeded_array(document: Document, node: Node, value: list[Any]) -> list[Any]:
    first, rest = item_nodes(node)
    changed: list[Any] | None = None
    for at, item in enumerate(value):
        inner = first[at] if at < len(first) else rest
        fixed = item if inner is None else _seeded(document, inner, item)
        if fixed is not item:
            changed = list(value) if changed is None else changed
            changed[at] = fixed
    return value if changed is None else changed


def _copied(default: Any) -> Any:
    if isinstance(default, dict):
        return {name: _copied(item) for name, item in default.items()}
    if isinstance(default, list):
        return [_copied(item) for item in default]
    return default
