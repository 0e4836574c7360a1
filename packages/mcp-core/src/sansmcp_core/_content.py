"""Builders for what handlers return: content blocks, resource contents, annotations, errors."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, TypeVar

from msgspec import UNSET, UnsetType
from sansmcp_schema.content import (
    Annotations,
    AudioContent,
    BlobResourceContents,
    ContentBlock,
    EmbeddedResource,
    Icon,
    ImageContent,
    ResourceLink,
    Role,
    TextContent,
    TextResourceContents,
    to_base64,
)
from sansmcp_schema.declare import ResultError
from sansmcp_schema.results import CallToolResult

__all__ = [
    "CONTENT_BLOCKS",
    "annotations",
    "audio",
    "blob_contents",
    "embedded_blob",
    "embedded_text",
    "error_result",
    "image",
    "or_unset",
    "plain_text",
    "resource_link",
    "text",
    "text_contents",
]

CONTENT_BLOCKS = (TextContent, ImageContent, AudioContent, ResourceLink, EmbeddedResource)
"""The classes of content blocks, for ``isinstance``."""

_T = TypeVar("_T")
_Meta = dict[str, Any]


def or_unset(value: _T | None) -> _T | UnsetType:
    """Give ``value``, or ``UNSET`` for ``None``: the field is left out of the message."""
    return UNSET if value is None else value


def plain_text(text: str) -> str:
    """Give a text as JSON can carry it; of an enum member, its value.

    Raises:
        ResultError: It holds an unpaired surrogate.
    """
    if type(text) is not str:
        text = str.__str__(text)
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise ResultError(
                "a text in the value holds an unpaired surrogate, which JSON cannot carry"
            ) from None
    return text


def text(
    text: str, *, annotations: Annotations | None = None, meta: _Meta | None = None
) -> TextContent:
    """Give a text block.

    Args:
        text: The text.
        annotations: Hints for the client, from :func:`annotations`; none by default.
        meta: The block's ``_meta``; none by default.
    """
    return TextContent(text, annotations=or_unset(annotations), meta=or_unset(meta))


def image(
    data: bytes,
    mime_type: str,
    *,
    annotations: Annotations | None = None,
    meta: _Meta | None = None,
) -> ImageContent:
    """Give an image block from the raw bytes of an image file.

    Args:
        data: The bytes; they are base64-encoded here.
        mime_type: Such as ``image/png``.
        annotations: Hints for the client; none by default.
        meta: The block's ``_meta``; none by default.
    """
    return ImageContent(
        _base64(data), mime_type, annotations=or_unset(annotations), meta=or_unset(meta)
    )


def audio(
    data: bytes,
    mime_type: str,
    *,
    annotations: Annotations | None = None,
    meta: _Meta | None = None,
) -> AudioContent:
    """Give an audio block from the raw bytes of an audio file.

    Args:
        data: The bytes; they are base64-encoded here.
        mime_type: Such as ``audio/wav``.
        annotations: Hints for the client; none by default.
        meta: The block's ``_meta``; none by default.
    """
    return AudioContent(
        _base64(data), mime_type, annotations=or_unset(annotations), meta=or_unset(meta)
    )


def resource_link(
    uri: str,
    name: str,
    *,
    title: str | None = None,
    description: str | None = None,
    mime_type: str | None = None,
    size: int | None = None,
    icons: list[Icon] | None = None,
    annotations: Annotations | None = None,
    meta: _Meta | None = None,
) -> ResourceLink:
    """Give a block that points to a resource; it need not be one that the server lists.

    Args:
        uri: Where the resource is.
        name: Its name.
        title: Its name for people.
        description: What it is, for the model.
        mime_type: Such as ``text/plain``.
        size: Bytes of the raw contents.
        icons: Images for user interfaces.
        annotations: Hints for the client.
        meta: The block's ``_meta``.
    """
    return ResourceLink(
        uri=uri,
        name=name,
        title=or_unset(title),
        description=or_unset(description),
        mime_type=or_unset(mime_type),
        size=or_unset(size),
        icons=or_unset(icons),
        annotations=or_unset(annotations),
        meta=or_unset(meta),
    )


def embedded_text(
    uri: str,
    text: str,
    mime_type: str = "text/plain",
    *,
    annotations: Annotations | None = None,
    meta: _Meta | None = None,
) -> EmbeddedResource:
    """Give a block that carries a resource whose contents are text.

    Args:
        uri: The resource's URI.
        text: Its contents.
        mime_type: Their type; ``text/plain`` by default.
        annotations: Hints for the client.
        meta: The block's ``_meta``.
    """
    return EmbeddedResource(
        text_contents(uri, text, mime_type),
        annotations=or_unset(annotations),
        meta=or_unset(meta),
    )


def embedded_blob(
    uri: str,
    data: bytes,
    mime_type: str = "application/octet-stream",
    *,
    annotations: Annotations | None = None,
    meta: _Meta | None = None,
) -> EmbeddedResource:
    """Give a block that carries a resource whose contents are bytes.

    Args:
        uri: The resource's URI.
        data: Its raw bytes; they are base64-encoded here.
        mime_type: Their type; ``application/octet-stream`` by default.
        annotations: Hints for the client.
        meta: The block's ``_meta``.
    """
    return EmbeddedResource(
        blob_contents(uri, data, mime_type),
        annotations=or_unset(annotations),
        meta=or_unset(meta),
    )


def text_contents(
    uri: str, text: str, mime_type: str | None = None, *, meta: _Meta | None = None
) -> TextResourceContents:
    """Give one item of a ``resources/read`` answer, as text with a URI and type of its own.

    A handler returns one of them, or a list for a resource of several parts.
    """
    return TextResourceContents(
        uri=uri, mime_type=or_unset(mime_type), text=text, meta=or_unset(meta)
    )


def blob_contents(
    uri: str, data: bytes, mime_type: str | None = None, *, meta: _Meta | None = None
) -> BlobResourceContents:
    """Give one item of a ``resources/read`` answer, as raw bytes with a URI and type of its own."""
    return BlobResourceContents(
        uri=uri, mime_type=or_unset(mime_type), blob=_base64(data), meta=or_unset(meta)
    )


def annotations(
    *,
    audience: Role | Iterable[Role] | None = None,
    priority: float | None = None,
    last_modified: datetime | str | None = None,
) -> Annotations:
    """Give hints about a block or resource.

    Args:
        audience: Whom it is for: ``"user"``, ``"assistant"``, or several of them.
        priority: From 0 (optional) to 1 (required).
        last_modified: A datetime with a time zone, or an ISO 8601 text.

    Raises:
        ValueError: One of them is outside what the specification allows.

    Source: MCP server/resources, Annotations.
    """
    roles: list[Any] | None = None
    if audience is not None:
        roles = [audience] if isinstance(audience, str) else list(audience)
        if wrong := [role for role in roles if role not in ("user", "assistant")]:
            raise ValueError(f'audience holds "user" and "assistant" only, got {wrong[0]!r}')
    if priority is not None and not 0 <= priority <= 1:
        raise ValueError(f"priority is a number from 0 to 1, got {priority!r}")
    if isinstance(last_modified, datetime):
        if last_modified.tzinfo is None:
            raise ValueError(
                "last_modified needs a time zone; use datetime.now(timezone.utc) or .astimezone()"
            )
        last_modified = last_modified.isoformat().replace("+00:00", "Z")
    return Annotations(
        audience=or_unset(roles),
        priority=or_unset(priority),
        last_modified=or_unset(last_modified),
    )


def error_result(*content: str | ContentBlock, meta: _Meta | None = None) -> CallToolResult:
    """Give a tool result that tells the model what went wrong: ``isError`` is true.

    Args:
        content: Texts and content blocks, at least one.
        meta: The result's ``_meta``.
    """
    if not content:
        raise ValueError("an error result needs content that tells the model what to do about it")
    blocks = [TextContent(item) if isinstance(item, str) else item for item in content]
    return CallToolResult(content=blocks, is_error=True, meta=or_unset(meta))


def _base64(data: bytes) -> str:
    if isinstance(data, str):
        raise TypeError(
            "data takes raw bytes and encodes them itself; decode base64 text first, or build the "
            "block from sansmcp_schema.content"
        )
    return to_base64(data)
