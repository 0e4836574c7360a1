"""The tables of what each revision lacks say what the official JSON Schemas say."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import sansmcp_schema
from msgspec import inspect
from sansmcp_schema import (
    BLOCKS_SINCE,
    FIELDS_SINCE,
    FIELDS_UNTIL,
    LATEST_MODERN,
    LEGACY_REVISIONS,
    NESTED_FIELDS,
    REVISIONS,
    lacking_fields,
)

DATA = Path(__file__).parents[1] / "data" / "schema"
STRUCTS: dict[str, type[msgspec.Struct]] = {
    name: value
    for name in sansmcp_schema.__all__
    if isinstance(value := getattr(sansmcp_schema, name), type)
    and issubclass(value, msgspec.Struct)
}


def definitions_of(revision: str) -> dict[str, Any]:
    schema = json.loads((DATA / revision / "schema.json").read_bytes())
    definitions: dict[str, Any] = schema.get("$defs") or schema["definitions"]
    return definitions


DEFINITIONS = {revision: definitions_of(revision) for revision in REVISIONS}

# Until 2025-06-18 params had no definitions of their own, and parts of capabilities never did.
INLINE: dict[str, tuple[str, ...]] = {
    "CallToolRequestParams": ("CallToolRequest", "params"),
    "CancelledNotificationParams": ("CancelledNotification", "params"),
    "CompleteRequestParams": ("CompleteRequest", "params"),
    "Completion": ("CompleteResult", "completion"),
    "CompletionArgument": ("CompleteRequestParams", "argument"),
    "CompletionContext": ("CompleteRequestParams", "context"),
    "CreateMessageRequestParams": ("CreateMessageRequest", "params"),
    "ElicitRequestFormParams": ("ElicitRequest", "params"),
    "ElicitationCapability": ("ClientCapabilities", "elicitation"),
    "ElicitationCompleteNotificationParams": ("ElicitationCompleteNotification", "params"),
    "GetPromptRequestParams": ("GetPromptRequest", "params"),
    "InitializeRequestParams": ("InitializeRequest", "params"),
    "JSONRPCErrorResponse": ("JSONRPCError",),
    "JSONRPCResultResponse": ("JSONRPCResponse",),
    "LegacyTitledEnumSchema": ("EnumSchema",),
    "ListRootsRequestParams": ("ListRootsRequest", "params"),
    "LoggingMessageNotificationParams": ("LoggingMessageNotification", "params"),
    "NotificationParams": ("InitializedNotification", "params"),
    "PaginatedRequestParams": ("PaginatedRequest", "params"),
    "ProgressNotificationParams": ("ProgressNotification", "params"),
    "PromptsCapability": ("ServerCapabilities", "prompts"),
    "ReadResourceRequestParams": ("ReadResourceRequest", "params"),
    "RequestParams": ("PingRequest", "params"),
    "ResourceTemplateReference": ("ResourceReference",),
    "ResourceUpdatedNotificationParams": ("ResourceUpdatedNotification", "params"),
    "ResourcesCapability": ("ServerCapabilities", "resources"),
    "RootsCapability": ("ClientCapabilities", "roots"),
    "SamplingCapability": ("ClientCapabilities", "sampling"),
    "SetLevelRequestParams": ("SetLevelRequest", "params"),
    "SubscribeRequestParams": ("SubscribeRequest", "params"),
    "ToolsCapability": ("ServerCapabilities", "tools"),
    "UnsubscribeRequestParams": ("UnsubscribeRequest", "params"),
}

# What a Struct holds as well, since two untagged constructs are decoded as one and every list is
# cacheable.
OTHER_HALF = {
    "BlobResourceContents": {"text"},
    "ElicitRequestFormParams": {"url", "elicitationId"},
    "ElicitRequestURLParams": {"requestedSchema"},
    "PaginatedResult": {"ttlMs", "cacheScope"},
    "ResourceContents": {"text", "blob"},
    "TextResourceContents": {"blob"},
}

# Tasks of 2025-11-25 are left to extensions, `execution` excepted.
TASKS = {"task", "tasks"}

# Definitions without a Struct, and what stands for them.
NO_STRUCT: dict[str, str] = {
    "Annotated": "Annotations",
    "BaseMetadata": "fields of the Structs themselves",
    "ClientNotification": "a union",
    "EnumSchema": "LegacyTitledEnumSchema; a union later",
    "HeaderMismatchError": "JSONRPCErrorResponse",
    "Icons": "fields of the Structs themselves",
    "InputResponseRequestParams": "fields of the Structs themselves",
    "InternalError": "Error",
    "InvalidParamsError": "Error",
    "InvalidRequestError": "Error",
    "JSONRPCError": "JSONRPCErrorResponse",
    "JSONRPCResponse": "JSONRPCResultResponse; a union later",
    "MethodNotFoundError": "Error",
    "MissingRequiredClientCapabilityError": "MissingRequiredClientCapabilityData",
    "Notification": "JSONRPCNotification",
    "NotificationMetaObject": "a dict",
    "PaginatedRequest": "the requests of the four lists",
    "ParseError": "Error",
    "RelatedTaskMetadata": "tasks",
    "Request": "JSONRPCRequest",
    "RequestMetaObject": "RequestMeta",
    "ResourceReference": "ResourceTemplateReference",
    "ResourceRequestParams": "fields of the Structs themselves",
    "ResultMetaObject": "a dict",
    "SubscriptionsListenResultMetaObject": "a dict",
    "URLElicitationRequiredError": "URLElicitationRequiredData",
    "UnsupportedProtocolVersionError": "UnsupportedProtocolVersionData",
}


def schema_of(name: str, revision: str) -> dict[str, Any] | None:
    """Find the schema of a construct in a revision, None where the revision lacks it."""
    definitions = DEFINITIONS[revision]
    found = definitions.get(name)
    if found is None and name in INLINE:
        first, *path = INLINE[name]
        found = schema_of(first, revision)
        for step in path:
            found = (found or {}).get("properties", {}).get(step)
            while found is not None and "$ref" in found:
                found = definitions[found["$ref"].rpartition("/")[2]]
    return found if found is not None and found.get("type") == "object" else None


def wire_names(struct: type[msgspec.Struct], names: tuple[str, ...]) -> set[str]:
    wire = dict(zip(struct.__struct_fields__, struct.__struct_encode_fields__, strict=True))
    return {wire[name] for name in names}


def rows() -> Iterator[tuple[str, str]]:
    for name in STRUCTS:
        for revision in REVISIONS:
            if schema_of(name, revision) is not None:
                yield name, revision


@pytest.mark.parametrize(("name", "revision"), list(rows()))
def test_a_struct_has_the_fields_of_the_revision(name: str, revision: str) -> None:
    struct, schema = STRUCTS[name], schema_of(name, revision)
    assert schema is not None
    published = set(schema.get("properties", {})) - TASKS
    fields = set(struct.__struct_encode_fields__)
    if struct.__struct_config__.tag_field is not None:
        fields.add(struct.__struct_config__.tag_field)
    fields -= wire_names(struct, lacking_fields(name, revision))
    # Any params, any result and the messages of the older schemas may have these anyway.
    general = {"_meta"} if name.endswith("Params") and revision < "2025-11-25" else set()
    general |= {"jsonrpc", "id"} if name.endswith(("Request", "Notification")) else set()
    expected = published - general
    assert fields - general - OTHER_HALF.get(name, set()) == expected


@pytest.mark.parametrize(("name", "revision"), list(rows()))
def test_a_struct_requires_no_more_than_the_revision(name: str, revision: str) -> None:
    info = inspect.type_info(STRUCTS[name])
    assert isinstance(info, inspect.StructType)
    required = {field.encode_name for field in info.fields if field.required}
    schema = schema_of(name, revision)
    assert schema is not None
    assert required - {"jsonrpc", "id"} <= set(schema.get("required", []))


@pytest.mark.parametrize("revision", REVISIONS)
def test_every_construct_of_the_revision_has_a_struct(revision: str) -> None:
    missing = [
        name
        for name, schema in DEFINITIONS[revision].items()
        if schema.get("properties") and name not in STRUCTS and name not in NO_STRUCT
        # Responses differ from JSONRPCResultResponse by the type of the result only.
        if not name.endswith("ResultResponse") and "Task" not in name
    ]
    assert missing == []


def test_meta_keys_are_those_of_the_newest_revision() -> None:
    schema = DEFINITIONS[LATEST_MODERN]["RequestMetaObject"]
    names = sansmcp_schema.RequestMeta.__struct_encode_fields__
    assert set(names) == set(schema["properties"])


def test_the_tables_name_structs_and_fields_that_exist() -> None:
    for table in (FIELDS_SINCE, FIELDS_UNTIL, NESTED_FIELDS):
        for name, fields in table.items():
            assert set(fields) <= set(STRUCTS[name].__struct_fields__), name
    for fields_of in (FIELDS_SINCE, FIELDS_UNTIL):
        for fields in fields_of.values():
            assert set(fields.values()) <= set(REVISIONS)


@pytest.mark.parametrize("name", BLOCKS_SINCE)
def test_blocks_are_those_of_the_schemas(name: str) -> None:
    having = [revision for revision in REVISIONS if name in DEFINITIONS[revision]]
    assert having == [revision for revision in REVISIONS if revision >= BLOCKS_SINCE[name]]


# The server reads these and never sends them.
CLIENT_SENT = {
    "ClientCapabilities",
    "MissingRequiredClientCapabilityData",
    "RequestMeta",
    "CreateMessageResult",
    "ListRootsResult",
} | {name for name in STRUCTS if name.endswith(("Request", "RequestParams"))} - {
    "CreateMessageRequest",
    "CreateMessageRequestParams",
    "ElicitRequest",
    "ListRootsRequest",
}


def structs_in(value: Any) -> Iterator[str]:
    if isinstance(value, inspect.StructType):
        yield value.cls.__name__
    for part in getattr(value, "types", ()):
        yield from structs_in(part)
    for side in ("item_type", "value_type"):
        if hasattr(value, side):
            yield from structs_in(getattr(value, side))


def changes(name: str) -> bool:
    own = name in FIELDS_SINCE or name in FIELDS_UNTIL or name in BLOCKS_SINCE
    return own or any(
        changes(inner) for field in NESTED_FIELDS.get(name, {}).values() for inner in field
    )


@pytest.mark.parametrize("name", sorted(set(STRUCTS) - CLIENT_SENT))
def test_whatever_holds_something_that_changes_is_looked_into(name: str) -> None:
    info = inspect.type_info(STRUCTS[name])
    assert isinstance(info, inspect.StructType)
    for field in info.fields:
        changing = {inner for inner in structs_in(field.type) if changes(inner)}
        # Only subclasses of these are built.
        changing -= {"ResourceContents"}
        assert changing <= set(NESTED_FIELDS.get(name, {}).get(field.name, ())), field.name


def test_the_revisions_are_in_order() -> None:
    assert list(REVISIONS) == sorted(folder.name for folder in DATA.iterdir() if folder.is_dir())
    assert LEGACY_REVISIONS[-1] < LATEST_MODERN
