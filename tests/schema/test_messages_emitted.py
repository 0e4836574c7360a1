"""Whatever a server can say is valid in every revision, by official schemas and official models."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema_rs
import mcp_types._v2025_11_25 as v2025_11_25
import mcp_types._v2026_07_28 as v2026_07_28
import msgspec
import pytest
import sansmcp_schema
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import UNSET, inspect
from sansmcp_schema import (
    LATEST_MODERN,
    REVISIONS,
    BlobResourceContents,
    ElicitRequestFormParams,
    ElicitRequestURLParams,
    TextResourceContents,
    for_revision,
    to_base64,
)

DATA = Path(__file__).parents[1] / "data" / "schema"
MODELS: dict[str, Any] = {"2025-11-25": v2025_11_25, "2026-07-28": v2026_07_28}

JSON = st.sampled_from(
    [
        None,
        True,
        0,
        -(2**53),
        1.5,
        "",
        "x",
        [],
        [1, "a", None],
        {},
        {"a": {"b": [1, {}]}},
        {"": None},
    ]
)
OBJECT = st.dictionaries(st.text(max_size=5), JSON, max_size=2)
# The schema of 2026-07-28 forgets null and fractions where it says JSONObject.
JSON_OBJECT = st.sampled_from([{}, {"a": "b"}, {"a": {"b": [1, True]}}])
NAMED_OBJECTS = st.dictionaries(st.text(max_size=5), JSON_OBJECT, max_size=1)
URI = st.sampled_from(["file:///a%20b", "https://example.com/x?y=1#z", "urn:isbn:1"])
FIELD = st.sampled_from(
    [
        {"type": "string", "title": "T", "format": "email", "default": "a@b.c"},
        {"type": "integer", "minimum": 1, "default": 5},
        {"type": "boolean", "default": True},
        {"type": "string", "enum": ["a", "b"], "default": "a"},
        {"type": "string", "oneOf": [{"const": "a", "title": "A"}], "default": "a"},
    ]
)
FORM = st.dictionaries(st.text(max_size=5), FIELD, max_size=3).map(
    lambda properties: {"type": "object", "properties": properties, "required": [*properties]}
)
INPUT_SCHEMA = st.sampled_from(
    [
        {"type": "object"},
        {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
    ]
)
OUTPUT_SCHEMA = INPUT_SCHEMA | st.sampled_from(
    [{"type": "array", "items": {"$ref": "#/$defs/x"}, "$defs": {"x": {}}}, {}, {"type": "integer"}]
)

# Fields whose values have rules beyond their types.
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "blob": st.binary(max_size=4).map(to_base64),
    "data": st.binary(max_size=4).map(to_base64),
    "elicitation_id": st.text(),
    "completions": JSON_OBJECT,
    "experimental": NAMED_OBJECTS,
    "extensions": NAMED_OBJECTS,
    "input_schema": INPUT_SCHEMA,
    "jsonrpc": st.just("2.0"),
    "logging": JSON_OBJECT,
    "metadata": JSON_OBJECT,
    "output_schema": OUTPUT_SCHEMA,
    "priority": st.floats(0, 1) | st.integers(0, 1),
    "cost_priority": st.floats(0, 1),
    "speed_priority": st.floats(0, 1),
    "intelligence_priority": st.floats(0, 1),
    "requested_schema": FORM,
    "result_type": st.just("complete"),
    "structured_content": JSON,
    "ttl_ms": st.integers(0, 2**53),
    "cache_scope": st.sampled_from(["public", "private"]),
    "uri": URI,
    "src": URI,
    "url": URI,
    "website_url": URI,
    "uri_template": st.just("a://{b}"),
}
# What an envelope always fills in, and what a revision has as a must.
ALWAYS = {"result_type", "ttl_ms", "cache_scope", "elicitation_id", "request_id"}
NEVER = {
    "BlobResourceContents": {"text"},
    "ElicitRequestFormParams": {"url", "elicitation_id"},
    "ElicitRequestURLParams": {"requested_schema"},
    "TextResourceContents": {"blob"},
}
FORM_PARAMS = inspect.type_info(ElicitRequestFormParams)
URL_PARAMS = inspect.type_info(ElicitRequestURLParams)
TEXT = inspect.type_info(TextResourceContents)
BLOB = inspect.type_info(BlobResourceContents)


def values(kind: Any, revision: str) -> st.SearchStrategy[Any]:
    """Give values of a type, as a server of any revision might build them."""
    match kind:
        case inspect.StructType():
            return structs(kind, revision)
        case inspect.UnionType(types=kinds):
            return st.one_of([values(one, revision) for one in kinds])
        case inspect.ListType(item_type=item):
            return st.lists(values(item, revision), max_size=2)
        case inspect.DictType(value_type=inspect.AnyType()):
            return OBJECT
        case inspect.DictType(value_type=value):
            return st.dictionaries(st.text(max_size=3), values(value, revision), max_size=2)
        case inspect.LiteralType(values=literals):
            return st.sampled_from(literals)
        case inspect.StrType():
            return st.text(max_size=8)
        case inspect.IntType():
            return st.integers(-(2**53), 2**53)
        case inspect.FloatType():
            return st.floats(-1e9, 1e9)
        case inspect.BoolType():
            return st.booleans()
        case inspect.AnyType():
            return JSON
    raise AssertionError(f"no strategy for {kind}")


def structs(info: inspect.StructType, revision: str) -> st.SearchStrategy[Any]:
    name = info.cls.__name__
    if name == "ResourceContents":
        return st.one_of(values(TEXT, revision), values(BLOB, revision))
    if name == "ElicitRequestParams":
        modes = [FORM_PARAMS] if revision < "2025-11-25" else [FORM_PARAMS, URL_PARAMS]
        return st.one_of([values(mode, revision) for mode in modes])
    required: dict[str, Any] = {}
    optional: dict[str, Any] = {}
    for field in info.fields:
        if field.name in NEVER.get(name, ()):
            continue
        needed = field.required or field.name in ALWAYS
        strategies = required if needed else optional
        strategies[field.name] = (
            FIELDS[field.name] if field.name in FIELDS else values(field.type, revision)
        )
    return st.fixed_dictionaries(required, optional=optional).map(lambda given: info.cls(**given))


def envelope(name: str) -> Callable[[Any], Any]:
    """Fill in what the schema demands and the sender of a message adds."""

    def fill(value: Any) -> Any:
        if name == "SubscriptionsListenResult":
            value.meta = {"io.modelcontextprotocol/subscriptionId": 1}
        elif name in REQUESTS:
            value.jsonrpc, value.id = "2.0", 7
        elif name == "CompleteResult" and value.completion.total is not UNSET:
            value.completion.total = abs(value.completion.total)
        return value

    return fill


REQUESTS = ("CreateMessageRequest", "ElicitRequest", "ListRootsRequest")
# What servers send, and the revisions that have it.
EMITTED: dict[str, tuple[str, str]] = {
    "CallToolResult": ("2024-11-05", "2026-07-28"),
    "CancelledNotification": ("2024-11-05", "2026-07-28"),
    "CompleteResult": ("2024-11-05", "2026-07-28"),
    "CreateMessageRequest": ("2024-11-05", "2026-07-28"),
    "DiscoverResult": ("2026-07-28", "2026-07-28"),
    "ElicitRequest": ("2025-06-18", "2026-07-28"),
    "ElicitationCompleteNotification": ("2025-11-25", "2025-11-25"),
    "EmptyResult": ("2024-11-05", "2026-07-28"),
    "GetPromptResult": ("2024-11-05", "2026-07-28"),
    "InitializeResult": ("2024-11-05", "2025-11-25"),
    "InputRequiredResult": ("2026-07-28", "2026-07-28"),
    "ListPromptsResult": ("2024-11-05", "2026-07-28"),
    "ListResourceTemplatesResult": ("2024-11-05", "2026-07-28"),
    "ListResourcesResult": ("2024-11-05", "2026-07-28"),
    "ListRootsRequest": ("2024-11-05", "2026-07-28"),
    "ListToolsResult": ("2024-11-05", "2026-07-28"),
    "LoggingMessageNotification": ("2024-11-05", "2026-07-28"),
    "ProgressNotification": ("2024-11-05", "2026-07-28"),
    "PromptListChangedNotification": ("2024-11-05", "2026-07-28"),
    "ReadResourceResult": ("2024-11-05", "2026-07-28"),
    "ResourceListChangedNotification": ("2024-11-05", "2026-07-28"),
    "ResourceUpdatedNotification": ("2024-11-05", "2026-07-28"),
    "SubscriptionsAcknowledgedNotification": ("2026-07-28", "2026-07-28"),
    "SubscriptionsListenResult": ("2026-07-28", "2026-07-28"),
    "ToolListChangedNotification": ("2024-11-05", "2026-07-28"),
}
ROWS = [
    (name, revision)
    for name, (first, last) in EMITTED.items()
    for revision in REVISIONS
    if first <= revision <= last
]


# `_meta` takes any key, and older schemas of messages leave out what every message has.
OPEN = ("MetaObject", "Notification", "Request")


def validator(name: str, revision: str) -> Any:
    """Compile the official schema of a construct, closed: a field it does not name is an error."""
    schema = json.loads((DATA / revision / "schema.json").read_bytes())
    holder = "$defs" if "$defs" in schema else "definitions"
    for construct, definition in schema[holder].items():
        if "properties" in definition and not construct.endswith(OPEN):
            definition.setdefault("additionalProperties", False)
        params = definition.get("properties", {}).get("params", {})
        if "properties" in params:
            params["properties"].setdefault("_meta", {})
            params["additionalProperties"] = False
    return jsonschema_rs.validator_for({**schema, "$ref": f"#/{holder}/{name}"})


@pytest.mark.parametrize(("name", "revision"), ROWS)
def test_what_a_server_says_is_valid(name: str, revision: str) -> None:
    schema, model = validator(name, revision), MODELS.get(revision)
    kind = inspect.type_info(getattr(sansmcp_schema, name))

    @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
    @given(values(kind, revision).map(envelope(name)))
    def check(value: Any) -> None:
        before = msgspec.json.encode(value)
        said = msgspec.json.encode(for_revision(value, revision))
        assert msgspec.json.encode(value) == before
        schema.validate(json.loads(said))
        if model is not None:
            getattr(model, name).model_validate_json(said)
        if revision == LATEST_MODERN:
            restored = msgspec.json.decode(said, type=type(value))
            assert json.loads(msgspec.json.encode(restored)) == json.loads(said)

    check()
