"""What leaving fields out cannot express: values that older revisions say in another form."""

from typing import Any, TypeAlias

from msgspec import UNSET, Raw, Struct, UnsetType, structs
from msgspec.json import decode, encode

from .content import AudioContent, ResourceLink, TextContent, ToolResultContent, ToolUseContent

__all__ = [
    "ReplaceableBlock",
    "block_as_text",
    "legacy_output_schema",
    "one_block_per_message",
    "simplify_form",
    "wrap_output_schema",
    "wrap_structured_content",
    "wraps_output",
]

ReplaceableBlock: TypeAlias = AudioContent | ResourceLink | ToolUseContent | ToolResultContent


def block_as_text(block: ReplaceableBlock, revision: str) -> TextContent:
    """Return a text block that names ``block``, for a revision that has no blocks of its type."""
    annotations: Any = getattr(block, "annotations", UNSET)
    return TextContent(_name_block(block, revision), annotations=annotations, meta=block.meta)


def _name_block(block: ReplaceableBlock, revision: str) -> str:
    if isinstance(block, ResourceLink):
        mime_type = "" if block.mime_type is UNSET else f" ({block.mime_type})"
        description = "" if block.description is UNSET else f": {block.description}"
        return f"Resource link: {block.name} <{block.uri}>{mime_type}{description}"
    if isinstance(block, AudioContent):
        return f"Audio ({block.mime_type}), left out: revision {revision} has no audio content."
    if isinstance(block, ToolUseContent):
        return f"Tool call {block.id}: {block.name} {encode(block.input).decode()}"
    texts = [
        part.text if isinstance(part, TextContent) else encode(part).decode()
        for part in block.content
    ]
    return "\n".join([f"Result of tool call {block.tool_use_id}:", *texts])


def wraps_output(schema: dict[str, Any] | Raw | bool) -> bool:
    """Tell whether legacy revisions see ``{"result": value}`` in place of a value of ``schema``.

    They do unless the schema itself promises an object, since they know no other output.

    Args:
        schema: The output schema of a tool.
    """
    if isinstance(schema, Raw):
        schema = decode(schema)
    return not (isinstance(schema, dict) and schema.get("type") == "object")


def legacy_output_schema(schema: dict[str, Any] | Raw | bool) -> dict[str, Any] | Raw:
    """Return the output schema that legacy revisions see, itself where it promises an object."""
    if isinstance(schema, Raw):
        decoded: dict[str, Any] | bool = decode(schema)
        return legacy_output_schema(decoded) if wraps_output(decoded) else schema
    if isinstance(schema, dict) and not wraps_output(schema):
        return schema
    inner = dict(schema) if isinstance(schema, dict) else ({} if schema else {"not": {}})
    # What references point to stays at the root.
    kept = [name for name in ("$schema", "$defs", "definitions") if name in inner]
    outer: dict[str, Any] = {name: inner.pop(name) for name in kept}
    if "$id" not in inner:
        inner, outer = _move_references(inner), _move_references(outer)
    return {**outer, "type": "object", "properties": {"result": inner}, "required": ["result"]}


def _move_references(value: Any) -> Any:
    if isinstance(value, list):
        return [_move_references(item) for item in value]
    if not isinstance(value, dict):
        return value
    moved = {name: _move_references(item) for name, item in value.items()}
    target = value.get("$ref")
    if isinstance(target, str) and _points_into_the_value(target):
        moved["$ref"] = "#/properties/result" + target[1:]
    return moved


def _points_into_the_value(target: str) -> bool:
    at_root = target.startswith(("#/$defs/", "#/definitions/"))
    return target == "#" or (target.startswith("#/") and not at_root)


def wrap_output_schema(tool: Any, _revision: str) -> Any:
    """Return ``tool`` with an output schema that promises an object."""
    if tool.output_schema is UNSET:
        return tool
    schema = legacy_output_schema(tool.output_schema)
    return tool if schema is tool.output_schema else structs.replace(tool, output_schema=schema)


def wrap_structured_content(result: Any, _revision: str) -> Any:
    """Return ``result`` with structured content that is an object."""
    content = result.structured_content
    if content is UNSET or type(content) is dict or _is_object(content):
        return result
    return structs.replace(result, structured_content={"result": content})


def _is_object(value: Any) -> bool:
    if isinstance(value, Raw):
        return bytes(value).lstrip()[:1] == b"{"
    if isinstance(value, Struct):
        return not value.__struct_config__.array_like
    return not isinstance(value, str | bytes | int | float | list | tuple | set | frozenset | None)


def one_block_per_message(params: Any, _revision: str) -> Any:
    """Return sampling ``params`` whose messages hold a single block each, in the same order."""
    if not any(isinstance(message.content, list) for message in params.messages):
        return params
    messages = []
    for message in params.messages:
        if isinstance(message.content, list):
            messages += [structs.replace(message, content=block) for block in message.content]
        else:
            messages.append(message)
    return structs.replace(params, messages=messages)


def simplify_form(params: Any, _revision: str) -> Any:
    """Return form ``params`` whose fields are said as 2025-06-18 says them.

    Titled choices become ``enum`` with ``enumNames``; defaults remain for booleans only. A choice
    of several has no older form and is left as it is.
    """
    schema: dict[str, Any] | Raw | UnsetType = params.requested_schema
    if isinstance(schema, UnsetType):
        return params
    form: dict[str, Any] = decode(schema) if isinstance(schema, Raw) else dict(schema)
    form.pop("$schema", None)
    fields = form.get("properties", {})
    form["properties"] = {name: _simplify_field(field) for name, field in fields.items()}
    return structs.replace(params, requested_schema=form)


def _simplify_field(field: dict[str, Any]) -> dict[str, Any]:
    simple = dict(field)
    if field.get("type") == "boolean":
        return simple
    simple.pop("default", None)
    options = simple.pop("oneOf", None)
    if options is not None:
        simple["enum"] = [option["const"] for option in options]
        simple["enumNames"] = [option["title"] for option in options]
    return simple
