"""Whole tool definitions from data: ``tools/list``'s own shape as a dict or as JSON text."""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import UNSET
from sansmcp_schema.tools import Tool as ToolListing

from ._errors import RegistrationError
from ._tool_options import ToolDeclaration, ToolOptions

__all__ = ["declaration_from"]

_KEYS = {field.encode_name for field in msgspec.structs.fields(ToolListing)}


def declaration_from(
    definition: Mapping[str, Any] | str | bytes, options: ToolOptions
) -> ToolDeclaration:
    """The declaration that a whole definition makes, with ``options`` on top.

    Args:
        definition: An object with ``name``, ``inputSchema`` and the other fields of the
            specification's ``Tool``, as a mapping or as JSON text.
        options: What the definition cannot say, such as ``scopes``; wins over it.

    Raises:
        RegistrationError: It is no such object.

    Source: MCP 2026-07-28 schema, Tool.
    """
    listing = _decoded(definition)
    annotations = listing.annotations
    execution = listing.execution
    given: dict[str, Any] = {
        "name": listing.name,
        "title": listing.title,
        "description": listing.description,
        "arguments": listing.input_schema,
        "output": listing.output_schema,
        "icons": listing.icons,
        "meta": listing.meta,
    }
    if execution is not UNSET:
        given["task_support"] = execution.task_support
    if annotations is not UNSET:
        given |= {
            "annotations_title": annotations.title,
            "read_only": annotations.read_only_hint,
            "destructive": annotations.destructive_hint,
            "idempotent": annotations.idempotent_hint,
            "open_world": annotations.open_world_hint,
        }
    said = {name: value for name, value in given.items() if value is not UNSET}
    # A definition is whole: without an output schema there is none, whatever the handler returns.
    said.setdefault("structured", "output" in said)
    return ToolDeclaration(**{**said, **options})


def _decoded(definition: Mapping[str, Any] | str | bytes) -> ToolListing:
    value: Any = None
    try:
        value = (
            msgspec.json.decode(definition)
            if isinstance(definition, (str, bytes))
            else dict(definition)
        )
        listing = msgspec.convert(value, ToolListing)
    except (msgspec.MsgspecError, RecursionError, TypeError, ValueError) as error:
        raise RegistrationError(
            f"{_named(value)} could not be read: {error}; expected an object such as "
            '{"name": "add", "inputSchema": {"type": "object"}}'
        ) from error
    unknown = sorted(str(key) for key in value.keys() - _KEYS)
    if unknown:
        raise RegistrationError(
            f"the definition of tool {listing.name!r} has unknown fields: {', '.join(unknown)}; "
            f"known are: {', '.join(sorted(_KEYS))}"
        )
    return listing


def _named(value: Any) -> str:
    """What is defined, by its name where it has one to show."""
    name = value.get("name") if isinstance(value, dict) else None
    if isinstance(name, str) and name.isprintable() and name:
        return f"the definition of tool {name!r}"
    return "a tool definition"
