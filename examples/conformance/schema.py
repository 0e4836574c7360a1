"""A tool whose input schema is raw JSON Schema, published and enforced as it stands."""

from collections.abc import Mapping
from typing import Any

import msgspec
from sansmcp_core import mark

__all__ = ["ADDRESS_BOOK", "SchemaTools"]

ADDRESS_BOOK: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {
        "properties": {"contactMethod": {"const": "phone"}},
        "required": ["contactMethod"],
    },
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


class SchemaTools:
    """Handlers of raw schemas get the arguments as one mapping."""

    @mark.tool(arguments=ADDRESS_BOOK)
    def json_schema_2020_12_tool(self, arguments: Mapping[str, Any]) -> str:
        """Take what a schema of composition and conditions lets through."""
        return f"Accepted: {msgspec.json.encode(arguments).decode()}"
