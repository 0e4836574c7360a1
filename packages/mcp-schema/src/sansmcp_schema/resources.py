"""What the resource lists tell about a resource or a template."""

from msgspec import UNSET, Struct, UnsetType, field

from .content import Annotations, Icon
from .jsonrpc import JSONObject

__all__ = ["Resource", "ResourceTemplate"]


class Resource(Struct, kw_only=True, rename="camel", gc=False):
    """A resource as a client sees it; ``size`` is that of the raw contents, in bytes."""

    uri: str
    name: str
    title: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    mime_type: str | UnsetType = UNSET
    annotations: Annotations | UnsetType = UNSET
    size: int | UnsetType = UNSET
    icons: list[Icon] | UnsetType = UNSET
    meta: JSONObject | UnsetType = field(name="_meta", default=UNSET)


class ResourceTemplate(Struct, kw_only=True, rename="camel", gc=False):
    """A family of resources whose URIs an RFC 6570 template describes."""

    uri_template: str
    name: str
    title: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    mime_type: str | UnsetType = UNSET
    annotations: Annotations | UnsetType = UNSET
    icons: list[Icon] | UnsetType = UNSET
    meta: JSONObject | UnsetType = field(name="_meta", default=UNSET)
