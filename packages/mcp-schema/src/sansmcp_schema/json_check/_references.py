"""References -> the nodes they name, all inside the one document; nothing is ever fetched."""

import re
from collections.abc import Callable
from typing import Any

from ._document import escape_pointer
from ._errors import SchemaError, UnenforceableKeyword
from ._nodes import Document, Node
from ._values import json_type
from ._violation import quote

__all__ = ["resolve_references"]

_ESCAPED_BYTES = re.compile("(?:%[0-9A-Fa-f]{2})+")
_ARRAY_INDEX = re.compile(r"(?:0|[1-9][0-9]{0,8})\Z")


def resolve_references(
    document: Document,
    schema: dict[str, Any] | bool,
    read: Callable[[dict[str, Any] | bool, str], Node],
) -> None:
    """Link each ``$ref`` to its node; read the target where no keyword led there before.

    Raises:
        SchemaError: A reference leaves the document, or names nothing, or no schema.
    """
    by_pointer: dict[str, Node] = {}
    anchors: dict[str, Node] = {}
    own_uri = schema.get("$id", "") if isinstance(schema, dict) else ""
    elsewhere: set[Node] = set()
    at = 0
    while at < len(document.nodes):  # reading a target appends more nodes
        _index(document, at, by_pointer, anchors)
        at += 1
        if at < len(document.nodes):
            continue
        for node in [one for one in document.nodes if "$ref" in one.keywords]:
            if "$ref" in node.children or node in elsewhere:
                continue
            try:
                fragment = _fragment(node, own_uri.removesuffix("#"))
                node.children["$ref"] = _target(node, fragment, schema, by_pointer, anchors, read)
            except SchemaError as error:
                if not any(one.keyword == "$id" for one in document.unenforceable):
                    raise
                # It may name one of the documents inside this one, which the other engine knows.
                document.unenforceable.append(
                    UnenforceableKeyword(error.keyword, error.path, error.problem)
                )
                elsewhere.add(node)
            if len(document.nodes) > at:
                break


def _index(
    document: Document, at: int, by_pointer: dict[str, Node], anchors: dict[str, Node]
) -> None:
    node = document.nodes[at]
    by_pointer.setdefault(node.pointer, node)
    anchor = node.keywords.get("$anchor")
    named = node.keywords.get("$id", "")
    if anchor is None and document.dialect == "draft-07" and named.startswith("#"):
        anchor = named[1:]
    if not anchor:
        return
    if anchors.setdefault(anchor, node).pointer != node.pointer:
        raise SchemaError("$anchor", node.pointer, f"{quote(anchor)} is taken; names are unique")


def _fragment(node: Node, own_uri: str) -> str:
    reference = node.keywords["$ref"]
    uri, _, fragment = reference.partition("#")
    if uri and uri != own_uri:
        problem = (
            f"{quote(reference, 120)} leaves the document and nothing is ever fetched; "
            'copy the schema under $defs and write "#/$defs/..."'
        )
        raise SchemaError("$ref", node.pointer, problem)
    try:
        return _ESCAPED_BYTES.sub(_unescape, fragment)
    except UnicodeDecodeError:
        problem = f"{quote(reference)} holds escaped bytes that are no UTF-8"
        raise SchemaError("$ref", node.pointer, problem) from None


def _unescape(escaped: re.Match[str]) -> str:
    return bytes.fromhex(escaped[0].replace("%", "")).decode()


def _target(
    node: Node,
    fragment: str,
    schema: dict[str, Any] | bool,
    by_pointer: dict[str, Node],
    anchors: dict[str, Node],
    read: Callable[[dict[str, Any] | bool, str], Node],
) -> Node:
    if fragment and not fragment.startswith("/"):
        if fragment in anchors:
            return anchors[fragment]
        raise _names_nothing(node, "no subschema has that $anchor")
    value: Any = schema
    steps = [step.replace("~1", "/").replace("~0", "~") for step in fragment.split("/")[1:]]
    for step in steps:
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and _ARRAY_INDEX.match(step) and int(step) < len(value):
            value = value[int(step)]
        else:
            raise _names_nothing(node, f"there is no {quote(step)} on its way")
    pointer = "".join(f"/{escape_pointer(step)}" for step in steps)
    if not isinstance(value, dict | bool):
        raise _names_nothing(node, f"there is no schema but a value of type {json_type(value)}")
    return by_pointer.get(pointer) or read(value, pointer)


def _names_nothing(node: Node, why: str) -> SchemaError:
    reference = quote(node.keywords["$ref"], 120)
    return SchemaError("$ref", node.pointer, f"{reference} names nothing: {why}")
