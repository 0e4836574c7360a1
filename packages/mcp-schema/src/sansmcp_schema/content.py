"""Content blocks and what they are made of.

Where a construct takes ``bytes``, its ``from_bytes`` gives the base64 text that JSON carries.
"""

from typing import Any, Literal, Self, TypeAlias

from msgspec import UNSET, Struct, UnsetType, field, to_builtins

from .jsonrpc import JSONObject

__all__ = [
    "Annotations",
    "AudioContent",
    "BlobResourceContents",
    "ContentBlock",
    "EmbeddedResource",
    "Icon",
    "ImageContent",
    "ResourceContents",
    "ResourceLink",
    "Role",
    "TextContent",
    "TextResourceContents",
    "ToolResultContent",
    "ToolUseContent",
    "to_base64",
]

Role: TypeAlias = Literal["user", "assistant"]


def to_base64(data: bytes) -> str:
    """Return ``data`` as one line of standard base64."""
    # msgspec writes bytes this way, and importing `base64` or `binascii` costs more than it.
    text: str = to_builtins(data)
    return text


class Icon(Struct, kw_only=True, rename="camel", gc=False):
    """An image for user interfaces; ``sizes`` such as ``48x48`` or ``any``."""

    src: str
    mime_type: str | UnsetType = UNSET
    sizes: list[str] | UnsetType = UNSET
    theme: Literal["light", "dark"] | UnsetType = UNSET


class Annotations(Struct, kw_only=True, rename="camel", gc=False):
    """Hints for the client: whom it is for, how much it matters (0 to 1), when it changed.

    ``last_modified`` is an ISO 8601 time and does not exist before 2025-06-18.
    """

    audience: list[Role] | UnsetType = UNSET
    priority: int | float | UnsetType = UNSET
    last_modified: str | UnsetType = UNSET


class ResourceContents(Struct, kw_only=True, rename="camel", gc=False):
    """The contents of one resource or of a part of it, as decoded: either ``text`` or ``blob``.

    Decoding always yields this class; build ``TextResourceContents`` or ``BlobResourceContents``.
    """

    uri: str
    mime_type: str | UnsetType = UNSET
    text: str | UnsetType = UNSET
    blob: str | UnsetType = UNSET
    meta: JSONObject | UnsetType = field(name="_meta", default=UNSET)

    def __post_init__(self) -> None:
        if (self.text is UNSET) is (self.blob is UNSET):
            raise ValueError("resource contents hold either `text` or `blob`")


class TextResourceContents(ResourceContents, kw_only=True, rename="camel", gc=False):
    """Resource contents that are text."""

    text: str


class BlobResourceContents(ResourceContents, kw_only=True, rename="camel", gc=False):
    """Resource contents that are bytes, in base64."""

    blob: str

    @classmethod
    def from_bytes(cls, uri: str, data: bytes, mime_type: str | UnsetType = UNSET) -> Self:
        """Return the contents that carry ``data``."""
        return cls(uri=uri, mime_type=mime_type, blob=to_base64(data))


class _Annotated(Struct, kw_only=True, rename="camel", tag_field="type", gc=False):
    annotations: Annotations | UnsetType = UNSET
    meta: JSONObject | UnsetType = field(name="_meta", default=UNSET)


class TextContent(_Annotated, tag="text", gc=False):
    """A text block."""

    text: str


class ImageContent(_Annotated, tag="image", rename="camel", gc=False):
    """An image block; ``data`` is base64."""

    data: str
    mime_type: str

    @classmethod
    def from_bytes(cls, data: bytes, mime_type: str) -> Self:
        """Return the block that carries ``data``."""
        return cls(to_base64(data), mime_type)


class AudioContent(_Annotated, tag="audio", rename="camel", gc=False):
    """An audio block; ``data`` is base64. Does not exist in 2024-11-05."""

    data: str
    mime_type: str

    @classmethod
    def from_bytes(cls, data: bytes, mime_type: str) -> Self:
        """Return the block that carries ``data``."""
        return cls(to_base64(data), mime_type)


class EmbeddedResource(_Annotated, tag="resource", gc=False):
    """A block that carries the contents of a resource."""

    resource: ResourceContents


class ResourceLink(_Annotated, tag="resource_link", kw_only=True, rename="camel", gc=False):
    """A block that points to a resource. Does not exist before 2025-06-18."""

    uri: str
    name: str
    title: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    mime_type: str | UnsetType = UNSET
    size: int | UnsetType = UNSET
    icons: list[Icon] | UnsetType = UNSET


ContentBlock: TypeAlias = (
    TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource
)


class ToolUseContent(Struct, kw_only=True, tag_field="type", tag="tool_use", gc=False):
    """A sampled model's wish to call a tool. Does not exist before 2025-11-25."""

    id: str
    name: str
    input: dict[str, Any]
    meta: JSONObject | UnsetType = field(name="_meta", default=UNSET)


class ToolResultContent(
    Struct, kw_only=True, rename="camel", tag_field="type", tag="tool_result", gc=False
):
    """What a tool gave to a sampled model. Does not exist before 2025-11-25."""

    tool_use_id: str
    content: list[ContentBlock]
    structured_content: Any = UNSET
    is_error: bool | UnsetType = UNSET
    meta: JSONObject | UnsetType = field(name="_meta", default=UNSET)
