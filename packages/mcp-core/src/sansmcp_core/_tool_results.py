"""A tool handler's value -> the result of ``tools/call``."""

import inspect
from typing import Any

import msgspec
from msgspec import UNSET, Raw, UnsetType
from sansmcp_schema.content import ContentBlock, TextContent
from sansmcp_schema.declare import OutputWriter, ResultError, to_json
from sansmcp_schema.results import CallToolResult

from ._content import CONTENT_BLOCKS
from ._sendable import is_plain_text, require_parts, require_sendable

__all__ = ["tool_result"]

# Asking for the type spares these the slower isinstance of Structs.
_NEVER_CONTENT = frozenset({str, int, float, bool, dict, bytes, type(None)})


def tool_result(value: Any, writer: OutputWriter, modern: bool) -> CallToolResult:
    """The result that says what ``value`` is.

    A text is one text block as it stands. A content block, or a list made wholly of content
    blocks, is the content. A ``CallToolResult`` passes. Any other value is one text block with its
    JSON, and structured content too where the tool lists an output schema.

    Args:
        value: What the handler returned.
        writer: Checks and encodes by the tool's output schema.
        modern: Structured content may be any JSON value; else one that is no object is wrapped.

    Raises:
        ResultError: The value breaks the schema, or is nothing that JSON has.

    Source: MCP 2026-07-28 server/tools, Tool Result and Output Schema.
    """
    if type(value) not in _NEVER_CONTENT:
        if isinstance(value, CallToolResult):
            return _whole(value, writer, modern)
        blocks = _blocks(value)
        if blocks is not None:
            return _of_blocks(blocks, writer)
    try:
        written = writer.write(value)
    except ResultError:
        if inspect.isawaitable(value):
            raise _unawaited(value) from None
        raise
    return CallToolResult(
        content=[] if written.text is None else [TextContent(written.text)],
        structured_content=written.structured
        if modern
        else writer.legacy_structured(written.structured),
    )


def _blocks(value: Any) -> list[ContentBlock] | None:
    if isinstance(value, CONTENT_BLOCKS):
        return [value]
    if (
        isinstance(value, (list, tuple))
        and value
        and all(isinstance(item, CONTENT_BLOCKS) for item in value)
    ):
        return list(value)
    return None


def _of_blocks(blocks: list[ContentBlock], writer: OutputWriter) -> CallToolResult:
    if writer.schema is not None:
        raise ResultError(
            "the tool lists an output schema, so its result needs structured content, but it "
            "returned content blocks alone; return the value, or a CallToolResult with both, or "
            "declare the tool with structured=False"
        )
    require_sendable(blocks)
    return CallToolResult(content=blocks)


def _whole(result: CallToolResult, writer: OutputWriter, modern: bool) -> CallToolResult:
    """A copy of the handler's own result, which it may keep and return again."""
    if type(result.content) is not list or not all(map(is_plain_text, result.content)):
        require_parts(result.content, CONTENT_BLOCKS, "the handler's CallToolResult.content")
        require_sendable(result.content)
    if result.meta is not UNSET:
        require_sendable(result.meta)
    structured = UNSET if result.is_error is True else result.structured_content
    if structured is not UNSET:
        structured = _structured(structured, writer, modern)
    elif writer.schema is not None and result.is_error is not True:
        raise ResultError(
            "the tool lists an output schema, but the handler's CallToolResult has no "
            "structured_content; set it, or is_error=True"
        )
    return msgspec.structs.replace(
        result, content=list(result.content), structured_content=structured
    )


def _structured(value: Any, writer: OutputWriter, modern: bool) -> Raw | UnsetType:
    if writer.schema is None:
        return Raw(to_json(value))
    structured = writer.structured(value)
    return structured if modern else writer.legacy_structured(structured)


def _unawaited(value: Any) -> ResultError:
    close = getattr(value, "close", None)
    if close is not None:
        # A coroutine that is never awaited warns when it is collected.
        close()
    return ResultError(
        f"the handler looks like a plain function but returned a {type(value).__name__}, which has "
        "to be awaited; write it, and what wraps it, with async def"
    )
