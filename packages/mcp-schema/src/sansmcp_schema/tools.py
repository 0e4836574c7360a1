"""What ``tools/list`` tells about a tool."""

from typing import Literal

from msgspec import UNSET, Struct, UnsetType, field

from .content import Icon
from .jsonrpc import JSONObject

__all__ = ["Tool", "ToolAnnotations", "ToolExecution"]


class ToolAnnotations(Struct, kw_only=True, rename="camel", gc=False):
    """Hints about what a tool does; clients need not believe them."""

    title: str | UnsetType = UNSET
    read_only_hint: bool | UnsetType = UNSET
    destructive_hint: bool | UnsetType = UNSET
    idempotent_hint: bool | UnsetType = UNSET
    open_world_hint: bool | UnsetType = UNSET


class ToolExecution(Struct, rename="camel", gc=False):
    """Whether a tool may run as a task. Exists in 2025-11-25 only."""

    task_support: Literal["forbidden", "optional", "required"] | UnsetType = UNSET


class Tool(Struct, kw_only=True, rename="camel", gc=False):
    """A tool as a client sees it."""

    name: str
    title: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    input_schema: JSONObject
    output_schema: JSONObject | UnsetType = UNSET
    annotations: ToolAnnotations | UnsetType = UNSET
    execution: ToolExecution | UnsetType = UNSET
    icons: list[Icon] | UnsetType = UNSET
    meta: JSONObject | UnsetType = field(name="_meta", default=UNSET)
