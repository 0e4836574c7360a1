"""A schema document -> its nodes, each keyword checked for its form, each reference resolved."""

from typing import Any

from ._document import check_bounds, escape_pointer
from ._errors import SchemaError, UnenforceableKeyword
from ._graph import check_in_place
from ._keywords import DIALECTS, KEYWORDS, Dialect, Keyword, likely_meant
from ._limits import DEFAULT_LIMITS, SchemaLimits
from ._nodes import Children, Document, Node
from ._references import resolve_references
from ._shapes import SHAPES
from ._values import json_type
from ._violation import quote

__all__ = ["check_schema", "read_schema"]

_SUBSCHEMAS = frozenset(
    {"schema", "schema_list", "schema_map", "pattern_map", "items", "dependencies"}
)


def check_schema(schema: dict[str, Any] | bool, limits: SchemaLimits = DEFAULT_LIMITS) -> None:
    """Return None for a schema that is well-formed, bounded, and complete in itself.

    A keyword that the subset cannot enforce is well-formed; ``compile_check`` refuses it.

    Args:
        schema: The schema, in JSON Schema 2020-12 or, where ``$schema`` says so, draft-07.
        limits: Bounds on depth, count and patterns.

    Raises:
        SchemaError: Naming keyword and place.

    Source: JSON Schema 2020-12 Core and Validation; draft-07; MCP 2026-07-28, JSON Schema Usage.
    """
    read_schema(schema, limits)


def read_schema(schema: dict[str, Any] | bool, limits: SchemaLimits) -> Document:
    """Return the nodes of a schema document, or raise SchemaError."""
    if not isinstance(schema, dict | bool):
        raise SchemaError("", "", f"expected an object or a boolean, got {json_type(schema)}")
    check_bounds(schema, limits)
    document = Document(_dialect(schema), limits)
    _Reader(document).read(schema, "")
    resolve_references(document, schema, _Reader(document).read)
    check_in_place(document)
    return document


def _dialect(schema: dict[str, Any] | bool, path: str = "") -> Dialect:
    named = schema.get("$schema") if isinstance(schema, dict) else None
    if named is None and not (isinstance(schema, dict) and "$schema" in schema):
        return "2020-12"
    dialect = DIALECTS.get(named.removesuffix("#")) if isinstance(named, str) else None
    if dialect is None:
        got = quote(named, 80) if isinstance(named, str) else json_type(named)
        supported = " or ".join(quote(uri, 80) for uri in DIALECTS)
        raise SchemaError("$schema", path, f"expected {supported}, or none at all, got {got}")
    return dialect


class _Reader:
    """Walks a schema without recursion and adds a node for each subschema."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._is_draft_07 = document.dialect == "draft-07"
        self._pending: list[Node] = []

    def read(self, schema: dict[str, Any] | bool, pointer: str) -> Node:
        first = self._add(schema, pointer)
        while self._pending:
            self._read_keywords(self._pending.pop())
        return first

    def _add(self, schema: dict[str, Any] | bool, pointer: str) -> Node:
        node = Node(schema, pointer)
        nodes = self._document.nodes
        nodes.append(node)
        if len(nodes) > self._document.limits.max_subschemas:
            limit = self._document.limits.max_subschemas
            problem = f"holds more than {limit} subschemas (SchemaLimits.max_subschemas)"
            raise SchemaError("", "", problem)
        self._pending.append(node)
        return node

    def _read_keywords(self, node: Node) -> None:
        if isinstance(node.schema, bool):
            return
        reference_alone = self._is_draft_07 and "$ref" in node.schema
        for name, value in node.schema.items():
            keyword = self._known(name, node)
            if keyword is None:
                continue
            problem = SHAPES[keyword.shape](value)
            if problem is not None:
                raise SchemaError(name, node.pointer, problem)
            self._read_special(keyword, value, node)
            children = self._children(keyword, value, f"{node.pointer}/{escape_pointer(name)}")
            if reference_alone and name != "$ref":
                continue
            node.keywords[name] = value
            if children is not None and keyword.role == "enforced":
                node.children[name] = children

    def _known(self, name: str, node: Node) -> Keyword | None:
        keyword = KEYWORDS.get(name)
        if keyword is None:
            meant = likely_meant(name)
            if meant is not None:
                problem = (
                    f'unknown; write "{meant}" if that is meant, '
                    f'or "x-{name}" for a note of your own'
                )
                raise SchemaError(name, node.pointer, problem)
            if not name.startswith(("x-", "X-")):
                problem = (
                    "no keyword of JSON Schema, so nothing would enforce it; write "
                    f"{quote('x-' + name)} for a note of your own"
                )
                self._lacking(name, node, problem)
            return None
        dialect = self._document.dialect
        if dialect not in keyword.dialects:
            problem = f"means nothing in {dialect}; {keyword.hint}"
            raise SchemaError(name, node.pointer, problem)
        if keyword.role == "refused":
            self._lacking(name, node, f"cannot be enforced here; {keyword.hint}")
            return None
        return keyword

    def _lacking(self, name: str, node: Node, problem: str) -> None:
        error = UnenforceableKeyword(name, node.pointer, problem)
        self._document.unenforceable.append(error)

    def _read_special(self, keyword: Keyword, value: Any, node: Node) -> None:
        """Check what the form of a value alone does not tell."""
        if keyword.shape == "pattern":
            self._translate(value, keyword.name, node)
        elif keyword.shape == "pattern_map":
            for pattern in value:
                self._translate(pattern, keyword.name, node)
        elif keyword.shape == "dialect" and node.pointer:
            if _dialect({"$schema": value}, node.pointer) != self._document.dialect:
                problem = "names another dialect than the root; one schema has one dialect"
                raise SchemaError("$schema", node.pointer, problem)
        elif keyword.shape == "id" and node.pointer:
            if not (self._is_draft_07 and value.startswith("#")):
                problem = "below the root starts a document of its own; name it with $anchor"
                self._lacking("$id", node, f"{problem} instead")
        elif keyword.shape == "items" and isinstance(value, list) and not self._is_draft_07:
            problem = "expected a schema, got array; write the list under prefixItems"
            raise SchemaError("items", node.pointer, problem)

    def _translate(self, pattern: str, keyword: str, node: Node) -> None:
        if pattern in self._document.patterns:
            return
        from . import _pattern  # noqa: PLC0415 - most schemas have none

        try:
            self._document.patterns[pattern] = _pattern.translate(pattern, self._document.limits)
        except _pattern.UntranslatablePattern as error:
            self._lacking(keyword, node, f"{quote(pattern)}: {error}")
        except _pattern.PatternError as error:
            raise SchemaError(keyword, node.pointer, f"{quote(pattern)}: {error}") from None

    def _children(self, keyword: Keyword, value: Any, pointer: str) -> Children | None:
        if keyword.shape not in _SUBSCHEMAS:
            return None
        if isinstance(value, list):
            return [self._add(item, f"{pointer}/{at}") for at, item in enumerate(value)]
        if isinstance(value, bool) or keyword.shape in ("schema", "items"):
            return self._add(value, pointer)
        return {
            name: self._add(item, f"{pointer}/{escape_pointer(name)}")
            for name, item in value.items()
            if not isinstance(item, list)
        }
