"""Subschemas as nodes of a graph: the one structure that everything else walks."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from ._keywords import IN_PLACE, Dialect
from ._limits import SchemaLimits

if TYPE_CHECKING:
    from ._errors import UnenforceableKeyword
    from ._pattern import Pattern

__all__ = ["Children", "Document", "Leaf", "Node"]

Predicate = Callable[[Any], bool]


class Leaf(NamedTuple):
    """One compiled keyword without subschemas: it constrains values of one kind."""

    keyword: str
    kind: str
    holds: Predicate


class Node:
    """One subschema.

    ``keywords`` are those that count: draft-07 ignores whatever stands beside ``$ref``.
    ``children`` holds, for each of those keywords with subschemas, a node, a list of nodes,
    or a dict of them.
    """

    __slots__ = ("check", "children", "keywords", "kinds", "leaves", "pointer", "schema", "seeds")

    def __init__(self, schema: dict[str, Any] | bool, pointer: str) -> None:
        self.schema = schema
        self.pointer = pointer
        self.keywords: dict[str, Any] = {}
        self.children: dict[str, Children] = {}
        self.leaves: list[Leaf] = []
        self.check: Predicate = _not_compiled
        self.kinds: frozenset[str] | None = None
        self.seeds = False

    def one(self, keyword: str) -> "Node | None":
        """Return the only subschema under a keyword, or None."""
        child = self.children.get(keyword)
        return child if isinstance(child, Node) else None

    def several(self, keyword: str) -> "list[Node]":
        """Return the subschemas listed under a keyword."""
        child = self.children.get(keyword)
        return child if isinstance(child, list) else []

    def named(self, keyword: str) -> "dict[str, Node]":
        """Return the subschemas by name under a keyword."""
        child = self.children.get(keyword)
        return child if isinstance(child, dict) else {}

    def in_place(self) -> "Iterator[Node]":
        """Yield the subschemas that apply to the same value as this one."""
        for keyword, child in self.children.items():
            if keyword in IN_PLACE:
                yield from _flat(child)

    def below(self) -> "Iterator[Node]":
        """Yield all subschemas that count, those reached by reference included."""
        for child in self.children.values():
            yield from _flat(child)


Children = Node | list[Node] | dict[str, Node]


class Document:
    """A well-formed schema: its nodes, what its patterns mean, and what the subset lacks."""

    __slots__ = ("dialect", "limits", "nodes", "patterns", "unenforceable")

    def __init__(self, dialect: Dialect, limits: SchemaLimits) -> None:
        self.dialect: Dialect = dialect
        self.limits = limits
        self.nodes: list[Node] = []
        self.patterns: dict[str, Pattern] = {}
        self.unenforceable: list[UnenforceableKeyword] = []

    @property
    def root(self) -> Node:
        return self.nodes[0]


def _flat(child: Children) -> Iterator[Node]:
    if isinstance(child, Node):
        yield child
    elif isinstance(child, list):
        yield from child
    else:
        yield from child.values()


def _not_compiled(_: Any) -> bool:  # pragma: no cover - replaced before any check runs
    raise AssertionError("the schema is not compiled")
