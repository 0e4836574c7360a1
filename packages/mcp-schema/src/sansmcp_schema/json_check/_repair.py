"""A value with JSON text where JSON was meant -> the value that was meant."""

from typing import Any

import msgspec

from ._kinds import kinds_of
from ._nodes import Document, Node
from ._reach import dependent_nodes, item_nodes, property_nodes
from ._values import json_type, nesting_exceeds

__all__ = ["repair"]

_MAX_STEPS = 1_000_000
_MAX_LEVELS = 64
"""How deep decoded text may nest; deeper text stays text."""


def repair(document: Document, value: Any) -> Any:
    """Return the value with string-encoded parts decoded, or the value itself if there are none.

    A string is decoded once, where its schema accepts no string and what the text says has an
    accepted type, or where the schema accepts strings, but not this one, and accepts what the text
    says. What is already valid is never touched, and the value given is never changed.
    """
    return _Repairer(document).repaired(document.root, value)


class _Repairer:
    def __init__(self, document: Document) -> None:
        self._document = document
        self._steps = 0
        # A value is kept beside its repair, so that its id stays taken.
        self._done: dict[tuple[Node, int], tuple[Any, Any]] = {}

    def repaired(self, node: Node, value: Any) -> Any:
        if not isinstance(value, str | dict | list) or node.check(value):
            return value
        if isinstance(value, str):
            return self._string(node, value)
        key = (node, id(value))
        if key not in self._done:
            self._steps += 1
            if self._steps > _MAX_STEPS:
                return value
            fixed = self._object(node, value) if isinstance(value, dict) else value
            fixed = self._array(node, value) if isinstance(value, list) else fixed
            self._done[key] = (value, self._in_place(node, fixed))
        return self._done[key][1]

    def _string(self, node: Node, value: str) -> Any:
        try:
            decoded = msgspec.json.decode(value)
        except (ValueError, RecursionError):
            return value
        kinds = kinds_of(node)
        kind = json_type(decoded)
        if kind not in kinds - {"string"} or nesting_exceeds(decoded, _MAX_LEVELS):
            return value
        if "string" in kinds and kind in ("integer", "number") and value != value.strip():
            # A text that is nearly a number as the schema writes them; a float may lose digits.
            return value
        decoded = self.repaired(node, decoded)
        return decoded if "string" not in kinds or node.check(decoded) else value

    def _object(self, node: Node, value: dict[str, Any]) -> dict[str, Any]:
        changed: dict[str, Any] | None = None
        for name, item in value.items():
            fixed = item
            for _, inner in property_nodes(node, name, self._document):
                fixed = self.repaired(inner, fixed)
            if fixed is not item:
                changed = dict(value) if changed is None else changed
                changed[name] = fixed
        return value if changed is None else changed

    def _array(self, node: Node, value: list[Any]) -> list[Any]:
        first, rest = item_nodes(node)
        changed: list[Any] | None = None
        for at, item in enumerate(value):
            inner = first[at] if at < len(first) else rest
            fixed = item if inner is None else self.repaired(inner, item)
            if fixed is not item:
                changed = list(value) if changed is None else changed
                changed[at] = fixed
        return value if changed is None else changed

    def _in_place(self, node: Node, value: Any) -> Any:
        if (target := node.one("$ref")) is not None:
            value = self.repaired(target, value)
        for one in node.several("allOf"):
            value = self.repaired(one, value)
        for keyword in ("anyOf", "oneOf"):
            if options := node.several(keyword):
                value = self._alternatives(options, value)
        if (condition := node.one("if")) is not None:
            branch = node.one("then" if condition.check(value) else "else")
            value = value if branch is None else self.repaired(branch, value)
        if isinstance(value, dict):
            for name, one in dependent_nodes(node).items():
                value = self.repaired(one, value) if name in value else value
        return value

    def _alternatives(self, options: list[Node], value: Any) -> Any:
        if any(option.check(value) for option in options):
            return value
        kind = json_type(value)
        fixes = []
        for option in options:
            if kind in kinds_of(option):
                fixed = self.repaired(option, value)
                if option.check(fixed):
                    return fixed
                fixes.append(fixed)
        return fixes[0] if len(fixes) == 1 else value
