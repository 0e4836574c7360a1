"""``sampling/createMessage``: what a server asks of the client's model, and the answer."""

from typing import Any, Literal, TypeAlias

from msgspec import UNSET, Struct, UnsetType, field

from .content import (
    AudioContent,
    ImageContent,
    Role,
    TextContent,
    ToolResultContent,
    ToolUseContent,
)
from .jsonrpc import JSONObject, RequestId
from .tools import Tool

__all__ = [
    "CreateMessageRequest",
    "CreateMessageRequestParams",
    "CreateMessageResult",
    "ModelHint",
    "ModelPreferences",
    "SamplingMessage",
    "SamplingMessageContentBlock",
    "ToolChoice",
]

SamplingMessageContentBlock: TypeAlias = (
    TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent
)


class SamplingMessage(Struct, kw_only=True, gc=False):
    """One message of a conversation with a model; before 2025-11-25 a single block."""

    role: Role
    content: SamplingMessageContentBlock | list[SamplingMessageContentBlock]
    meta: JSONObject | UnsetType = field(name="_meta", default=UNSET)


class ModelHint(Struct, gc=False):
    """Part of the name of a model that would suit."""

    name: str | UnsetType = UNSET


class ModelPreferences(Struct, kw_only=True, rename="camel", gc=False):
    """What matters in the choice of a model; priorities from 0 to 1."""

    hints: list[ModelHint] | UnsetType = UNSET
    cost_priority: int | float | UnsetType = UNSET
    speed_priority: int | float | UnsetType = UNSET
    intelligence_priority: int | float | UnsetType = UNSET


class ToolChoice(Struct, gc=False):
    """Whether the model may, must or must not call a tool. Not before 2025-11-25."""

    mode: Literal["auto", "required", "none"] | UnsetType = UNSET


class CreateMessageRequestParams(Struct, kw_only=True, rename="camel", gc=False):
    """What to sample; ``tools`` and ``tool_choice`` do not exist before 2025-11-25."""

    messages: list[SamplingMessage]
    model_preferences: ModelPreferences | UnsetType = UNSET
    system_prompt: str | UnsetType = UNSET
    include_context: Literal["none", "thisServer", "allServers"] | UnsetType = UNSET
    temperature: int | float | UnsetType = UNSET
    max_tokens: int
    stop_sequences: list[str] | UnsetType = UNSET
    metadata: JSONObject | UnsetType = UNSET
    tools: list[Tool] | UnsetType = UNSET
    tool_choice: ToolChoice | UnsetType = UNSET
    meta: JSONObject | UnsetType = field(name="_meta", default=UNSET)


class CreateMessageRequest(
    Struct, kw_only=True, tag_field="method", tag="sampling/createMessage", gc=False
):
    """The question; a JSON-RPC request until 2025-11-25, an ``InputRequest`` from 2026-07-28."""

    jsonrpc: Literal["2.0"] | UnsetType = UNSET
    id: RequestId | UnsetType = UNSET
    params: CreateMessageRequestParams


class CreateMessageResult(Struct, kw_only=True, rename="camel", gc=False):
    """The client's answer: a message, the model that wrote it, and why it stopped."""

    role: Role
    content: SamplingMessageContentBlock | list[SamplingMessageContentBlock]
    model: str
    stop_reason: str | UnsetType = UNSET
    meta: dict[str, Any] | UnsetType = field(name="_meta", default=UNSET)
