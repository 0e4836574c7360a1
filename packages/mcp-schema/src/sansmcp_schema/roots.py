"""``roots/list``: the folders a client lets a server work in."""

from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType, field

from .jsonrpc import JSONObject, RequestId

__all__ = ["ListRootsRequest", "ListRootsRequestParams", "ListRootsResult", "Root"]


class ListRootsRequestParams(Struct, gc=False):
    """The params of ``roots/list``, which may as well be absent."""

    meta: JSONObject | UnsetType = field(name="_meta", default=UNSET)


class ListRootsRequest(Struct, kw_only=True, tag_field="method", tag="roots/list", gc=False):
    """The question; a JSON-RPC request until 2025-11-25, an ``InputRequest`` from 2026-07-28."""

    jsonrpc: Literal["2.0"] | UnsetType = UNSET
    id: RequestId | UnsetType = UNSET
    params: ListRootsRequestParams | UnsetType = UNSET


class Root(Struct, kw_only=True, gc=False):
    """A folder or file; the URI starts with ``file://``."""

    uri: str
    name: str | UnsetType = UNSET
    meta: dict[str, Any] | UnsetType = field(name="_meta", default=UNSET)


class ListRootsResult(Struct, kw_only=True, gc=False):
    """The client's answer."""

    roots: list[Root]
    meta: dict[str, Any] | UnsetType = field(name="_meta", default=UNSET)
