"""Nodes -> closures that tell whether a value is valid, as fast as closures can.

A node becomes a table from the exact Python type of a value to one predicate, in which the types
that ``type`` leaves out have one that is always false. No keyword looks at a type again.
"""

from collections.abc import Callable
from math import isfinite
from typing import Any

from ._graph import recursive_nodes
from ._leaves import compile_leaves
from ._memory import Memory, checked_once
from ._nodes import Document, Node
from ._reach import dependent_names, dependent_nodes, item_nodes

__all__ = ["compile_nodes"]

Predicate = Callable[[Any], bool]

_KINDS: dict[type, str] = {
    str: "string",
    bool: "boolean",
    int: "number",
    float: "number",
    type(None): "null",
    list: "array",
    dict: "object",
}
_ALIKE: tuple[tuple[type | tuple[type, ...], type], ...] = (
    (str, str),
    (bool, bool),
    (int, int),
    (float, float),
    ((list, tuple), list),
    (dict, dict),
)


def compile_nodes(document: Document) -> Memory | None:
    """Give every node its ``leaves`` and its ``check``.

    Returns:
        Where a schema contains itself, the memory that keeps one check from repeating work.
    """
    recursive = recursive_nodes(document)
    memory = Memory() if recursive else None
    compiled: set[Node] = set()
    for node in reversed(document.nodes):  # subschemas come after the schema that holds them
        node.leaves = compile_leaves(node, document)
        node.check = _compile(node, document, compiled)
        if memory is not None and node in recursive:
            node.check = checked_once(node.check, memory)
        compiled.add(node)
    return memory


def _compile(node: Node, document: Document, compiled: set[Node]) -> Predicate:
    if isinstance(node.schema, bool):
        return _always if node.schema else _never
    by_kind: dict[str, list[Predicate]] = {"object": _object(node, document, compiled)}
    by_kind["array"] = _array(node, compiled)
    for leaf in node.leaves:
        by_kind.setdefault(leaf.kind, []).append(leaf.holds)
    for_any = by_kind.pop("any", []) + _combined(node, compiled)
    for kind in ("object", "array"):
        if not by_kind[kind]:
            del by_kind[kind]
    if "type" not in node.keywords and not by_kind:
        return _all(for_any)
    named = node.keywords.get("type", list(_TYPE_KINDS))
    names = set(named if isinstance(named, list) else [named])
    table: dict[type, Predicate] = {}
    for python_type, kind in _KINDS.items():
        first = _type_predicates(python_type, kind, names)
        if first is None:
            table[python_type] = _never
        else:
            table[python_type] = _all(first + by_kind.get(kind, []) + for_any)
    return _dispatch(table, _never if "type" in node.keywords else _all(for_any))


_TYPE_KINDS = ("null", "boolean", "integer", "number", "string", "array", "object")


def _type_predicates(python_type: type, kind: str, names: set[str]) -> list[Predicate] | None:
    """Return what ``type`` still asks of values of a Python type, or None where it bars them."""
    if kind != "number":
        return [] if kind in names else None
    if "number" in names:
        return [isfinite] if python_type is float else []
    if "integer" in names:
        return [float.is_integer] if python_type is float else []
    return None


def _dispatch(table: dict[type, Predicate], foreign: Predicate) -> Predicate:
    find = table.get

    def by_likeness(value: Any) -> bool:
        for alike, python_type in _ALIKE:
            if isinstance(value, alike):
                return table[python_type](value)
        return foreign(value)

    def check(value: Any) -> bool:
        return find(type(value), by_likeness)(value)

    return check


def _always(_: Any) -> bool:
    return True


def _never(_: Any) -> bool:
    return False


def _all(predicates: list[Predicate]) -> Predicate:
    """Return one predicate that holds where all do."""
    if not predicates:
        return _always
    if len(predicates) == 1:
        return predicates[0]
    if len(predicates) == 2:
        first, second = predicates
        return lambda value: first(value) and second(value)
    every = tuple(predicates)

    def check(value: Any) -> bool:
        for predicate in every:
            if not predicate(value):
                return False
        return True

    return check


def _bound(node: Node, compiled: set[Node]) -> Predicate:
    """Return a node's check itself, or what finds it later where it is not compiled yet."""
    if node in compiled:
        return node.check

    def check_later(value: Any) -> bool:
        return node.check(value)

    return check_later


def _combined(node: Node, compiled: set[Node]) -> list[Predicate]:
    """Return the predicates of the keywords that apply subschemas to any value in place."""
    predicates: list[Predicate] = []
    if (target := node.one("$ref")) is not None:
        predicates.append(_bound(target, compiled))
    predicates.extend(_bound(one, compiled) for one in node.several("allOf"))
    if options := [_bound(one, compiled) for one in node.several("anyOf")]:
        predicates.append(_any_of(options))
    if options := [_bound(one, compiled) for one in node.several("oneOf")]:
        predicates.append(_one_of(options))
    if (barred := node.one("not")) is not None:
        predicates.append(_not(_bound(barred, compiled)))
    if (condition := node.one("if")) is not None:
        then, otherwise = node.one("then"), node.one("else")
        if then is not None or otherwise is not None:
            predicates.append(
                _if(
                    _bound(condition, compiled),
                    _always if then is None else _bound(then, compiled),
                    _always if otherwise is None else _bound(otherwise, compiled),
                )
            )
    return predicates


def _any_of(options: list[Predicate]) -> Predicate:
    every = tuple(options)

    def check(value: Any) -> bool:
        for option in every:
            if option(value):
                return True
        return False

    return check


def _one_of(options: list[Predicate]) -> Predicate:
    every = tuple(options)

    def check(value: Any) -> bool:
        found = False
        for option in every:
            if option(value):
                if found:
                    return False
                found = True
        return found

    return check


def _not(barred: Predicate) -> Predicate:
    return lambda value: not barred(value)


def _if(condition: Predicate, then: Predicate, otherwise: Predicate) -> Predicate:
    return lambda value: then(value) if condition(value) else otherwise(value)


def _array(node: Node, compiled: set[Node]) -> list[Predicate]:
    predicates: list[Predicate] = []
    prefix, rest = item_nodes(node)
    first = tuple(_bound(one, compiled) for one in prefix)
    following = None if rest is None else _bound(rest, compiled)
    if first or following is not None:
        predicates.append(_items(first, following))
    if (wanted := node.one("contains")) is not None:
        least = int(node.keywords.get("minContains", 1))
        most = node.keywords.get("maxContains")
        predicates.append(_contains(_bound(wanted, compiled), least, most))
    return predicates


def _items(first: tuple[Predicate, ...], following: Predicate | None) -> Predicate:
    count = len(first)

    def every(value: list[Any]) -> bool:
        for item in value:
            if not following(item):  # type: ignore[misc]
                return False
        return True

    def check(value: list[Any]) -> bool:
        for predicate, item in zip(first, value, strict=False):
            if not predicate(item):
                return False
        if following is not None:
            for item in value[count:]:
                if not following(item):
                    return False
        return True

    return check if first else every


def _contains(wanted: Predicate, least: int, most: int | None) -> Predicate:
    def check(value: list[Any]) -> bool:
        found = 0
        for item in value:
            if wanted(item):
                found += 1
                if most is None and found >= least:
                    return True
        return found >= least and (most is None or found <= most)

    return check


def _object(node: Node, document: Document, compiled: set[Node]) -> list[Predicate]:
    predicates: list[Predicate] = []
    if required := tuple(node.keywords.get("required", ())):
        predicates.append(_required(required))
    named = {name: _bound(one, compiled) for name, one in node.named("properties").items()}
    patterned = [
        (document.patterns[pattern].search, _bound(one, compiled))
        for pattern, one in node.named("patternProperties").items()
        if pattern in document.patterns
    ]
    rest = node.one("additionalProperties")
    others = None if rest is None else _bound(rest, compiled)
    if patterned:
        predicates.append(_patterned(named, patterned, others))
    elif named or others is not None:
        predicates.append(_properties(named, others or _always))
    if (names := node.one("propertyNames")) is not None:
        predicates.append(_property_names(_bound(names, compiled)))
    predicates.extend(_dependent(node, compiled))
    return predicates


def _required(names: tuple[str, ...]) -> Predicate:
    if len(names) == 1:
        name = names[0]
        return lambda value: name in value

    def check(value: dict[str, Any]) -> bool:
        for name in names:
            if name not in value:
                return False
        return True

    return check


def _properties(named: dict[str, Predicate], others: Predicate) -> Predicate:
    find = named.get

    def check(value: dict[str, Any]) -> bool:
        for name, item in value.items():
            if not find(name, others)(item):
                return False
        return True

    return check


def _patterned(
    named: dict[str, Predicate],
    patterned: list[tuple[Callable[[str], bool], Predicate]],
    others: Predicate | None,
) -> Predicate:
    def check(value: dict[str, Any]) -> bool:
        for name, item in value.items():
            known = named.get(name)
            covered = known is not None
            if known is not None and not known(item):
                return False
            for search, predicate in patterned:
                if search(name):
                    covered = True
                    if not predicate(item):
                        return False
            if not covered and others is not None and not others(item):
                return False
        return True

    return check


def _property_names(names: Predicate) -> Predicate:
    def check(value: dict[str, Any]) -> bool:
        for name in value:
            if not names(name):
                return False
        return True

    return check


def _dependent(node: Node, compiled: set[Node]) -> list[Predicate]:
    predicates: list[Predicate] = []
    for name, needed in dependent_names(node).items():
        predicates.append(_if_present(name, _required(tuple(needed))))
    for name, one in dependent_nodes(node).items():
        predicates.append(_if_present(name, _bound(one, compiled)))
    return predicates


def _if_present(name: str, predicate: Predicate) -> Predicate:
    return lambda value: name not in value or predicate(value)
