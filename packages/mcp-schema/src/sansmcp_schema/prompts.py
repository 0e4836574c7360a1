"""What ``prompts/list`` tells about a prompt, and the messages a prompt is made of."""

from msgspec import UNSET, Struct, UnsetType, field

from .content import ContentBlock, Icon, Role
from .jsonrpc import JSONObject

__all__ = ["Prompt", "PromptArgument", "PromptMessage"]


class PromptArgument(Struct, kw_only=True, gc=False):
    """An argument of a prompt; its value is always a string."""

    name: str
    title: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    required: bool | UnsetType = UNSET


class Prompt(Struct, kw_only=True, gc=False):
    """A prompt as a client sees it."""

    name: str
    title: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    arguments: list[PromptArgument] | UnsetType = UNSET
    icons: list[Icon] | UnsetType = UNSET
    meta: JSONObject | UnsetType = field(name="_meta", default=UNSET)


class PromptMessage(Struct, gc=False):
    """One message of a prompt."""

    role: Role
    content: ContentBlock
