"""What a completion is asked for and what it is."""

from msgspec import UNSET, Struct, UnsetType

__all__ = [
    "Completion",
    "CompletionArgument",
    "CompletionContext",
    "PromptReference",
    "ResourceTemplateReference",
]


class PromptReference(Struct, tag_field="type", tag="ref/prompt", gc=False):
    """The prompt one of whose arguments is being typed."""

    name: str
    title: str | UnsetType = UNSET


class ResourceTemplateReference(Struct, tag_field="type", tag="ref/resource", gc=False):
    """The resource template one of whose variables is being typed."""

    uri: str


class CompletionArgument(Struct, gc=False):
    """The argument being typed and what has been typed so far."""

    name: str
    value: str


class CompletionContext(Struct, gc=False):
    """The arguments that are settled already."""

    arguments: dict[str, str] | None | UnsetType = UNSET


class Completion(Struct, kw_only=True, rename="camel", gc=False):
    """Proposed values, at most 100, and how many there are in all."""

    values: list[str]
    total: int | UnsetType = UNSET
    has_more: bool | UnsetType = UNSET
