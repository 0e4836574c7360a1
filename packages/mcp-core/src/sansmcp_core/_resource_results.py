"""A resource handler's value -> the result of ``resources/read``."""

from typing import Any

import msgspec
from msgspec import UNSET
from sansmcp_schema.content import (
    BlobResourceContents,
    ResourceContents,
    TextResourceContents,
    to_base64,
)
from sansmcp_schema.declare import ResultError, to_json
from sansmcp_schema.results import ReadResourceResult

from ._awaitables import refuse_awaitable
from ._content import CONTENT_BLOCKS, plain_text
from ._sendable import require_parts, require_sendable

__all__ = ["read_result"]

_EXPECTED = (
    "return text, bytes, a JSON value or contents from text_contents(...) and blob_contents(...), "
    "or raise ResourceNotFound"
)


def read_result(value: Any, uri: str, mime_type: str | None) -> ReadResourceResult:
    """The result that says what ``value`` is.

    A text is text contents as it stands, bytes are a blob. Ready-made contents, or a list made
    wholly of them, are the contents. A ``ReadResourceResult`` passes. Any other value is the text
    of its JSON.

    Args:
        value: What the handler returned.
        uri: The URI that was read.
        mime_type: The declared type; JSON is ``application/json`` without one.

    Raises:
        ResultError: The value is nothing that a resource can hold.

    Source: MCP server/resources, Reading Resources and Error Handling.
    """
    if isinstance(value, ReadResourceResult):
        if not value.contents:
            raise ResultError(f"the handler returned a result without contents; {_EXPECTED}")
        where = "the handler's ReadResourceResult.contents"
        require_parts(value.contents, ResourceContents, where)
        require_sendable(value)
        # A copy, for the handler may return the same ready-made result again and again.
        result: ReadResourceResult = msgspec.structs.replace(value)
        return result
    return ReadResourceResult(contents=_contents(value, uri, mime_type))


def _contents(value: Any, uri: str, mime_type: str | None) -> list[ResourceContents]:
    declared = UNSET if mime_type is None else mime_type
    if isinstance(value, str):
        return [TextResourceContents(uri=uri, mime_type=declared, text=plain_text(value))]
    if isinstance(value, bytes | bytearray | memoryview):
        blob = to_base64(bytes(value))
        return [BlobResourceContents(uri=uri, mime_type=declared, blob=blob)]
    parts = list(value) if isinstance(value, list | tuple) else [value]
    ready = [part for part in parts if isinstance(part, ResourceContents)]
    if ready and len(ready) == len(parts):
        require_sendable(ready)
        return ready
    if ready or value is None or isinstance(parts[0] if parts else None, CONTENT_BLOCKS):
        raise ResultError(f"the handler returned {_named(value, parts)}; {_EXPECTED}")
    refuse_awaitable(value)
    text = to_json(value).decode()
    return [
        TextResourceContents(
            uri=uri, mime_type="application/json" if mime_type is None else mime_type, text=text
        )
    ]


def _named(value: Any, parts: list[Any]) -> str:
    if value is None:
        return "None"
    kinds = sorted({type(part).__name__ for part in parts})
    if value is parts[0]:
        return f"{kinds[0]}, which is no resource contents"
    return f"a list of {', '.join(kinds)}, which is not made wholly of resource contents"
