"""Tables of what a revision lacks, and of where to look for it."""

__all__ = ["BLOCKS_SINCE", "FIELDS_SINCE", "FIELDS_UNTIL", "NESTED_FIELDS", "lacking_fields"]

_RESULT = {"result_type": "2026-07-28"}
_CACHEABLE = {**_RESULT, "ttl_ms": "2026-07-28", "cache_scope": "2026-07-28"}
_NAMED = {"title": "2025-06-18"}
_LISTED = {**_NAMED, "icons": "2025-11-25", "meta": "2025-06-18"}
_META = {"meta": "2025-06-18"}
_INPUT = {"input_responses": "2026-07-28", "request_state": "2026-07-28"}

# Revisions are dates, so comparing the strings orders them.
FIELDS_SINCE: dict[str, dict[str, str]] = {
    "Annotations": {"last_modified": "2025-06-18"},
    "AudioContent": _META,
    "BlobResourceContents": _META,
    "CacheableResult": _CACHEABLE,
    "CallToolRequestParams": _INPUT,
    "CallToolResult": {**_RESULT, "structured_content": "2025-06-18"},
    "ClientCapabilities": {"elicitation": "2025-06-18", "extensions": "2026-07-28"},
    "CompleteRequestParams": {"context": "2025-06-18"},
    "CompleteResult": _RESULT,
    "CreateMessageRequestParams": {"tools": "2025-11-25", "tool_choice": "2025-11-25"},
    "DiscoverResult": _CACHEABLE,
    "ElicitRequestFormParams": {"mode": "2025-11-25"},
    "ElicitRequestParams": {"mode": "2025-11-25"},
    "ElicitationCapability": {"form": "2025-11-25", "url": "2025-11-25"},
    "EmbeddedResource": _META,
    "EmptyResult": _RESULT,
    "GetPromptRequestParams": _INPUT,
    "GetPromptResult": _RESULT,
    "ImageContent": _META,
    "Implementation": {
        **_NAMED,
        "description": "2025-11-25",
        "icons": "2025-11-25",
        "website_url": "2025-11-25",
    },
    "InitializeResult": _RESULT,
    "LegacyTitledEnumSchema": {"default": "2025-11-25"},
    "ListPromptsResult": _CACHEABLE,
    "ListResourceTemplatesResult": _CACHEABLE,
    "ListResourcesResult": _CACHEABLE,
    "ListToolsResult": _CACHEABLE,
    "NumberSchema": {"default": "2025-11-25"},
    "PaginatedResult": _CACHEABLE,
    "ProgressNotificationParams": {"message": "2025-03-26"},
    "Prompt": _LISTED,
    "PromptArgument": _NAMED,
    "PromptReference": _NAMED,
    "ReadResourceRequestParams": _INPUT,
    "ReadResourceResult": _CACHEABLE,
    "Resource": _LISTED,
    "ResourceContents": _META,
    "ResourceLink": {"icons": "2025-11-25"},
    "ResourceTemplate": _LISTED,
    "Result": _RESULT,
    "Root": _META,
    "SamplingCapability": {"context": "2025-11-25", "tools": "2025-11-25"},
    "SamplingMessage": {"meta": "2025-11-25"},
    "ServerCapabilities": {"completions": "2025-03-26", "extensions": "2026-07-28"},
    "StringSchema": {"default": "2025-11-25"},
    "TextContent": _META,
    "TextResourceContents": _META,
    "Tool": {
        **_LISTED,
        "annotations": "2025-03-26",
        "execution": "2025-11-25",
        "output_schema": "2025-06-18",
    },
}
"""Struct -> field -> the first revision that has the field."""

FIELDS_UNTIL: dict[str, dict[str, str]] = {
    "CreateMessageRequest": {"jsonrpc": "2025-11-25", "id": "2025-11-25"},
    "CreateMessageRequestParams": {"meta": "2025-11-25"},
    "ElicitRequest": {"jsonrpc": "2025-11-25", "id": "2025-11-25"},
    "ElicitRequestFormParams": {"meta": "2025-11-25"},
    "ElicitRequestParams": {"meta": "2025-11-25", "elicitation_id": "2025-11-25"},
    "ElicitRequestURLParams": {"meta": "2025-11-25", "elicitation_id": "2025-11-25"},
    "ElicitResult": {"meta": "2025-11-25"},
    "ListRootsRequest": {"jsonrpc": "2025-11-25", "id": "2025-11-25"},
    "ListRootsResult": {"meta": "2025-11-25"},
    "RootsCapability": {"list_changed": "2025-11-25"},
    "Tool": {"execution": "2025-11-25"},
}
"""Struct -> field -> the last revision that has the field."""

BLOCKS_SINCE = {
    "AudioContent": "2025-03-26",
    "ResourceLink": "2025-06-18",
    "ToolResultContent": "2025-11-25",
    "ToolUseContent": "2025-11-25",
}
"""Content block -> the first revision that has it; the others have always been there."""

_BLOCKS = ("TextContent", "ImageContent", "AudioContent", "ResourceLink", "EmbeddedResource")
_SAMPLED = ("TextContent", "ImageContent", "AudioContent", "ToolUseContent", "ToolResultContent")
_ANNOTATED: dict[str, tuple[str, ...]] = {"annotations": ("Annotations",)}
_ELICITATIONS = ("ElicitRequestParams", "ElicitRequestFormParams", "ElicitRequestURLParams")
_INPUT_REQUESTS = ("CreateMessageRequest", "ListRootsRequest", "ElicitRequest")

NESTED_FIELDS: dict[str, dict[str, tuple[str, ...]]] = {
    "AudioContent": _ANNOTATED,
    "CallToolResult": {"content": _BLOCKS},
    "ClientCapabilities": {
        "roots": ("RootsCapability",),
        "sampling": ("SamplingCapability",),
        "elicitation": ("ElicitationCapability",),
    },
    "CompleteRequestParams": {"ref": ("PromptReference",)},
    "CreateMessageRequest": {"params": ("CreateMessageRequestParams",)},
    "CreateMessageRequestParams": {"messages": ("SamplingMessage",), "tools": ("Tool",)},
    "CreateMessageResult": {"content": _SAMPLED},
    "DiscoverResult": {"capabilities": ("ServerCapabilities",)},
    "ElicitRequest": {"params": _ELICITATIONS},
    "EmbeddedResource": {
        **_ANNOTATED,
        "resource": ("TextResourceContents", "BlobResourceContents"),
    },
    "GetPromptResult": {"messages": ("PromptMessage",)},
    "ImageContent": _ANNOTATED,
    "InitializeResult": {
        "capabilities": ("ServerCapabilities",),
        "server_info": ("Implementation",),
    },
    "InputRequiredResult": {"input_requests": _INPUT_REQUESTS},
    "ListPromptsResult": {"prompts": ("Prompt",)},
    "ListResourceTemplatesResult": {"resource_templates": ("ResourceTemplate",)},
    "ListResourcesResult": {"resources": ("Resource",)},
    "ListRootsResult": {"roots": ("Root",)},
    "ListToolsResult": {"tools": ("Tool",)},
    "ProgressNotification": {"params": ("ProgressNotificationParams",)},
    "Prompt": {"arguments": ("PromptArgument",)},
    "PromptMessage": {"content": _BLOCKS},
    "ReadResourceResult": {"contents": ("TextResourceContents", "BlobResourceContents")},
    "Resource": _ANNOTATED,
    "ResourceLink": _ANNOTATED,
    "ResourceTemplate": _ANNOTATED,
    "SamplingMessage": {"content": _SAMPLED},
    "TextContent": _ANNOTATED,
    "ToolResultContent": {"content": _BLOCKS},
    "URLElicitationRequiredData": {"elicitations": ("ElicitRequestURLParams",)},
}
"""Struct -> field -> the Structs in its value, list or dict that some revision says otherwise."""


def lacking_fields(struct_name: str, revision: str) -> tuple[str, ...]:
    """Return the fields of the Struct of that name which ``revision`` does not have."""
    since = FIELDS_SINCE.get(struct_name, {})
    until = FIELDS_UNTIL.get(struct_name, {})
    early = [name for name, first in since.items() if revision < first]
    return (*early, *(name for name, last in until.items() if revision > last))
