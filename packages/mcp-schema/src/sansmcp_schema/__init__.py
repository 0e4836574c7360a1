"""The shapes of the Model Context Protocol as msgspec Structs.

Every name below can be imported from here; its module is loaded when the name is first used.
"""

from importlib import import_module

# Type checkers take it for true, and `typing` is not loaded for it.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from .capabilities import (
        ClientCapabilities,
        ElicitationCapability,
        Implementation,
        MissingRequiredClientCapabilityData,
        PromptsCapability,
        ResourcesCapability,
        RootsCapability,
        SamplingCapability,
        ServerCapabilities,
        ToolsCapability,
    )
    from .completion import (
        Completion,
        CompletionArgument,
        CompletionContext,
        PromptReference,
        ResourceTemplateReference,
    )
    from .content import (
        Annotations,
        AudioContent,
        BlobResourceContents,
        ContentBlock,
        EmbeddedResource,
        Icon,
        ImageContent,
        ResourceContents,
        ResourceLink,
        Role,
        TextContent,
        TextResourceContents,
        ToolResultContent,
        ToolUseContent,
        to_base64,
    )
    from .elicitation import (
        ElicitationCompleteNotification,
        ElicitationCompleteNotificationParams,
        ElicitRequest,
        ElicitRequestFormParams,
        ElicitRequestParams,
        ElicitRequestURLParams,
        ElicitResult,
        URLElicitationRequiredData,
    )
    from .forms import (
        BooleanSchema,
        EnumOption,
        LegacyTitledEnumSchema,
        NumberSchema,
        StringSchema,
        TitledMultiSelectEnumSchema,
        TitledMultiSelectItems,
        TitledSingleSelectEnumSchema,
        UntitledMultiSelectEnumSchema,
        UntitledMultiSelectItems,
        UntitledSingleSelectEnumSchema,
    )
    from .input_required import (
        InputRequest,
        InputRequests,
        InputRequiredResult,
        InputResponse,
        InputResponses,
    )
    from .jsonrpc import (
        HEADER_MISMATCH,
        INTERNAL_ERROR,
        INVALID_PARAMS,
        INVALID_REQUEST,
        JSONRPC_VERSION,
        METHOD_NOT_FOUND,
        MISSING_REQUIRED_CLIENT_CAPABILITY,
        PARSE_ERROR,
        RESOURCE_NOT_FOUND,
        UNSUPPORTED_PROTOCOL_VERSION,
        URL_ELICITATION_REQUIRED,
        Error,
        JSONObject,
        JSONRPCErrorResponse,
        JSONRPCNotification,
        JSONRPCRequest,
        JSONRPCResultResponse,
        ProgressToken,
        RawJSON,
        RequestId,
        UnsupportedProtocolVersionData,
    )
    from .messages import (
        CallToolRequest,
        CompleteRequest,
        DiscoverRequest,
        GetPromptRequest,
        InitializeRequest,
        ListPromptsRequest,
        ListResourcesRequest,
        ListResourceTemplatesRequest,
        ListToolsRequest,
        PingRequest,
        ReadResourceRequest,
        SetLevelRequest,
        SubscribeRequest,
        SubscriptionsListenRequest,
        UnsubscribeRequest,
    )
    from .meta_keys import (
        CLIENT_CAPABILITIES_KEY,
        CLIENT_INFO_KEY,
        LOG_LEVEL_KEY,
        PROGRESS_TOKEN_KEY,
        PROTOCOL_VERSION_KEY,
        SERVER_INFO_KEY,
        SUBSCRIPTION_ID_KEY,
    )
    from .notifications import (
        CancelledNotification,
        InitializedNotification,
        LoggingMessageNotification,
        LoggingMessageNotificationParams,
        ProgressNotification,
        ProgressNotificationParams,
        PromptListChangedNotification,
        ResourceListChangedNotification,
        ResourceUpdatedNotification,
        ResourceUpdatedNotificationParams,
        RootsListChangedNotification,
        SubscriptionsAcknowledgedNotification,
        SubscriptionsAcknowledgedNotificationParams,
        ToolListChangedNotification,
    )
    from .prompts import (
        Prompt,
        PromptArgument,
        PromptMessage,
    )
    from .requests import (
        CallToolRequestParams,
        CancelledNotificationParams,
        CompleteRequestParams,
        GetPromptRequestParams,
        InitializeRequestParams,
        LoggingLevel,
        NotificationParams,
        PaginatedRequestParams,
        ReadResourceRequestParams,
        RequestMeta,
        RequestParams,
        SetLevelRequestParams,
        SubscribeRequestParams,
        SubscriptionFilter,
        SubscriptionsListenRequestParams,
        UnsubscribeRequestParams,
        decode_meta,
    )
    from .resources import (
        Resource,
        ResourceTemplate,
    )
    from .results import (
        CacheableResult,
        CacheScope,
        CallToolResult,
        CompleteResult,
        DiscoverResult,
        EmptyResult,
        GetPromptResult,
        InitializeResult,
        ListPromptsResult,
        ListResourcesResult,
        ListResourceTemplatesResult,
        ListToolsResult,
        PaginatedResult,
        ReadResourceResult,
        Result,
        SubscriptionsListenResult,
    )
    from .revisions import (
        BLOCKS_SINCE,
        DEFAULT_HEADERLESS,
        FIELDS_SINCE,
        FIELDS_UNTIL,
        LATEST_LEGACY,
        LATEST_MODERN,
        LEGACY_REVISIONS,
        MODERN_REVISIONS,
        NESTED_FIELDS,
        REVISIONS,
        for_revision,
        lacking_fields,
        legacy_output_schema,
        wraps_output,
    )
    from .roots import (
        ListRootsRequest,
        ListRootsRequestParams,
        ListRootsResult,
        Root,
    )
    from .sampling import (
        CreateMessageRequest,
        CreateMessageRequestParams,
        CreateMessageResult,
        ModelHint,
        ModelPreferences,
        SamplingMessage,
        SamplingMessageContentBlock,
        ToolChoice,
    )
    from .tools import (
        Tool,
        ToolAnnotations,
        ToolExecution,
    )

# Module or sub-package -> the names it gives to this package.
_NAMES = {
    "capabilities": (
        "ClientCapabilities ElicitationCapability Implementation "
        "MissingRequiredClientCapabilityData PromptsCapability ResourcesCapability "
        "RootsCapability SamplingCapability ServerCapabilities ToolsCapability"
    ),
    "completion": (
        "Completion CompletionArgument CompletionContext PromptReference ResourceTemplateReference"
    ),
    "content": (
        "Annotations AudioContent BlobResourceContents ContentBlock EmbeddedResource Icon "
        "ImageContent ResourceContents ResourceLink Role TextContent TextResourceContents "
        "ToolResultContent ToolUseContent to_base64"
    ),
    "elicitation": (
        "ElicitRequest ElicitRequestFormParams ElicitRequestParams ElicitRequestURLParams "
        "ElicitResult ElicitationCompleteNotification ElicitationCompleteNotificationParams "
        "URLElicitationRequiredData"
    ),
    "forms": (
        "BooleanSchema EnumOption LegacyTitledEnumSchema NumberSchema StringSchema "
        "TitledMultiSelectEnumSchema TitledMultiSelectItems TitledSingleSelectEnumSchema "
        "UntitledMultiSelectEnumSchema UntitledMultiSelectItems "
        "UntitledSingleSelectEnumSchema"
    ),
    "input_required": (
        "InputRequest InputRequests InputRequiredResult InputResponse InputResponses"
    ),
    "jsonrpc": (
        "HEADER_MISMATCH INTERNAL_ERROR INVALID_PARAMS INVALID_REQUEST JSONRPC_VERSION "
        "METHOD_NOT_FOUND MISSING_REQUIRED_CLIENT_CAPABILITY PARSE_ERROR RESOURCE_NOT_FOUND "
        "UNSUPPORTED_PROTOCOL_VERSION URL_ELICITATION_REQUIRED Error JSONObject "
        "JSONRPCErrorResponse JSONRPCNotification JSONRPCRequest JSONRPCResultResponse "
        "ProgressToken RawJSON RequestId UnsupportedProtocolVersionData"
    ),
    "messages": (
        "CallToolRequest CompleteRequest DiscoverRequest GetPromptRequest InitializeRequest "
        "ListPromptsRequest ListResourceTemplatesRequest ListResourcesRequest "
        "ListToolsRequest PingRequest ReadResourceRequest SetLevelRequest SubscribeRequest "
        "SubscriptionsListenRequest UnsubscribeRequest"
    ),
    "meta_keys": (
        "CLIENT_CAPABILITIES_KEY CLIENT_INFO_KEY LOG_LEVEL_KEY PROGRESS_TOKEN_KEY "
        "PROTOCOL_VERSION_KEY SERVER_INFO_KEY SUBSCRIPTION_ID_KEY"
    ),
    "notifications": (
        "CancelledNotification InitializedNotification LoggingMessageNotification "
        "LoggingMessageNotificationParams ProgressNotification ProgressNotificationParams "
        "PromptListChangedNotification ResourceListChangedNotification "
        "ResourceUpdatedNotification ResourceUpdatedNotificationParams "
        "RootsListChangedNotification SubscriptionsAcknowledgedNotification "
        "SubscriptionsAcknowledgedNotificationParams ToolListChangedNotification"
    ),
    "prompts": "Prompt PromptArgument PromptMessage",
    "requests": (
        "CallToolRequestParams CancelledNotificationParams CompleteRequestParams "
        "GetPromptRequestParams InitializeRequestParams LoggingLevel NotificationParams "
        "PaginatedRequestParams ReadResourceRequestParams RequestMeta RequestParams "
        "SetLevelRequestParams SubscribeRequestParams SubscriptionFilter "
        "SubscriptionsListenRequestParams UnsubscribeRequestParams decode_meta"
    ),
    "resources": "Resource ResourceTemplate",
    "results": (
        "CacheScope CacheableResult CallToolResult CompleteResult DiscoverResult EmptyResult "
        "GetPromptResult InitializeResult ListPromptsResult ListResourceTemplatesResult "
        "ListResourcesResult ListToolsResult PaginatedResult ReadResourceResult Result "
        "SubscriptionsListenResult"
    ),
    "revisions": (
        "BLOCKS_SINCE DEFAULT_HEADERLESS FIELDS_SINCE FIELDS_UNTIL LATEST_LEGACY "
        "LATEST_MODERN LEGACY_REVISIONS MODERN_REVISIONS NESTED_FIELDS REVISIONS for_revision "
        "lacking_fields legacy_output_schema wraps_output"
    ),
    "roots": "ListRootsRequest ListRootsRequestParams ListRootsResult Root",
    "sampling": (
        "CreateMessageRequest CreateMessageRequestParams CreateMessageResult ModelHint "
        "ModelPreferences SamplingMessage SamplingMessageContentBlock ToolChoice"
    ),
    "tools": "Tool ToolAnnotations ToolExecution",
}
_HOMES = {name: home for home, names in _NAMES.items() for name in names.split()}

__all__ = [
    "BLOCKS_SINCE",
    "CLIENT_CAPABILITIES_KEY",
    "CLIENT_INFO_KEY",
    "DEFAULT_HEADERLESS",
    "FIELDS_SINCE",
    "FIELDS_UNTIL",
    "HEADER_MISMATCH",
    "INTERNAL_ERROR",
    "INVALID_PARAMS",
    "INVALID_REQUEST",
    "JSONRPC_VERSION",
    "LATEST_LEGACY",
    "LATEST_MODERN",
    "LEGACY_REVISIONS",
    "LOG_LEVEL_KEY",
    "METHOD_NOT_FOUND",
    "MISSING_REQUIRED_CLIENT_CAPABILITY",
    "MODERN_REVISIONS",
    "NESTED_FIELDS",
    "PARSE_ERROR",
    "PROGRESS_TOKEN_KEY",
    "PROTOCOL_VERSION_KEY",
    "RESOURCE_NOT_FOUND",
    "REVISIONS",
    "SERVER_INFO_KEY",
    "SUBSCRIPTION_ID_KEY",
    "UNSUPPORTED_PROTOCOL_VERSION",
    "URL_ELICITATION_REQUIRED",
    "Annotations",
    "AudioContent",
    "BlobResourceContents",
    "BooleanSchema",
    "CacheScope",
    "CacheableResult",
    "CallToolRequest",
    "CallToolRequestParams",
    "CallToolResult",
    "CancelledNotification",
    "CancelledNotificationParams",
    "ClientCapabilities",
    "CompleteRequest",
    "CompleteRequestParams",
    "CompleteResult",
    "Completion",
    "CompletionArgument",
    "CompletionContext",
    "ContentBlock",
    "CreateMessageRequest",
    "CreateMessageRequestParams",
    "CreateMessageResult",
    "DiscoverRequest",
    "DiscoverResult",
    "ElicitRequest",
    "ElicitRequestFormParams",
    "ElicitRequestParams",
    "ElicitRequestURLParams",
    "ElicitResult",
    "ElicitationCapability",
    "ElicitationCompleteNotification",
    "ElicitationCompleteNotificationParams",
    "EmbeddedResource",
    "EmptyResult",
    "EnumOption",
    "Error",
    "GetPromptRequest",
    "GetPromptRequestParams",
    "GetPromptResult",
    "Icon",
    "ImageContent",
    "Implementation",
    "InitializeRequest",
    "InitializeRequestParams",
    "InitializeResult",
    "InitializedNotification",
    "InputRequest",
    "InputRequests",
    "InputRequiredResult",
    "InputResponse",
    "InputResponses",
    "JSONObject",
    "JSONRPCErrorResponse",
    "JSONRPCNotification",
    "JSONRPCRequest",
    "JSONRPCResultResponse",
    "LegacyTitledEnumSchema",
    "ListPromptsRequest",
    "ListPromptsResult",
    "ListResourceTemplatesRequest",
    "ListResourceTemplatesResult",
    "ListResourcesRequest",
    "ListResourcesResult",
    "ListRootsRequest",
    "ListRootsRequestParams",
    "ListRootsResult",
    "ListToolsRequest",
    "ListToolsResult",
    "LoggingLevel",
    "LoggingMessageNotification",
    "LoggingMessageNotificationParams",
    "MissingRequiredClientCapabilityData",
    "ModelHint",
    "ModelPreferences",
    "NotificationParams",
    "NumberSchema",
    "PaginatedRequestParams",
    "PaginatedResult",
    "PingRequest",
    "ProgressNotification",
    "ProgressNotificationParams",
    "ProgressToken",
    "Prompt",
    "PromptArgument",
    "PromptListChangedNotification",
    "PromptMessage",
    "PromptReference",
    "PromptsCapability",
    "RawJSON",
    "ReadResourceRequest",
    "ReadResourceRequestParams",
    "ReadResourceResult",
    "RequestId",
    "RequestMeta",
    "RequestParams",
    "Resource",
    "ResourceContents",
    "ResourceLink",
    "ResourceListChangedNotification",
    "ResourceTemplate",
    "ResourceTemplateReference",
    "ResourceUpdatedNotification",
    "ResourceUpdatedNotificationParams",
    "ResourcesCapability",
    "Result",
    "Role",
    "Root",
    "RootsCapability",
    "RootsListChangedNotification",
    "SamplingCapability",
    "SamplingMessage",
    "SamplingMessageContentBlock",
    "ServerCapabilities",
    "SetLevelRequest",
    "SetLevelRequestParams",
    "StringSchema",
    "SubscribeRequest",
    "SubscribeRequestParams",
    "SubscriptionFilter",
    "SubscriptionsAcknowledgedNotification",
    "SubscriptionsAcknowledgedNotificationParams",
    "SubscriptionsListenRequest",
    "SubscriptionsListenRequestParams",
    "SubscriptionsListenResult",
    "TextContent",
    "TextResourceContents",
    "TitledMultiSelectEnumSchema",
    "TitledMultiSelectItems",
    "TitledSingleSelectEnumSchema",
    "Tool",
    "ToolAnnotations",
    "ToolChoice",
    "ToolExecution",
    "ToolListChangedNotification",
    "ToolResultContent",
    "ToolUseContent",
    "ToolsCapability",
    "URLElicitationRequiredData",
    "UnsubscribeRequest",
    "UnsubscribeRequestParams",
    "UnsupportedProtocolVersionData",
    "UntitledMultiSelectEnumSchema",
    "UntitledMultiSelectItems",
    "UntitledSingleSelectEnumSchema",
    "decode_meta",
    "for_revision",
    "lacking_fields",
    "legacy_output_schema",
    "to_base64",
    "wraps_output",
]


def __getattr__(name: str) -> object:
    """Load the module that holds ``name``, once."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f".{home}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
