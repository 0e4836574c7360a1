"""A value is said as the client's revision can say it: fields left out, blocks named in text."""

from typing import Any

import msgspec
import pytest
from msgspec import UNSET, Raw
from sansmcp_schema import (
    LATEST_LEGACY,
    LATEST_MODERN,
    LEGACY_REVISIONS,
    REVISIONS,
    Annotations,
    AudioContent,
    CallToolResult,
    CreateMessageRequestParams,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitRequestURLParams,
    EmbeddedResource,
    GetPromptResult,
    Icon,
    ImageContent,
    Implementation,
    InitializeResult,
    InputRequiredResult,
    ListToolsResult,
    ProgressNotification,
    ProgressNotificationParams,
    PromptMessage,
    ReadResourceResult,
    ResourceLink,
    SamplingMessage,
    ServerCapabilities,
    TextContent,
    TextResourceContents,
    Tool,
    ToolAnnotations,
    ToolChoice,
    ToolExecution,
    ToolResultContent,
    ToolUseContent,
    for_revision,
    legacy_output_schema,
    wraps_output,
)

LINK = ResourceLink(
    uri="file:///r.csv",
    name="r.csv",
    mime_type="text/csv",
    description="the report",
    annotations=Annotations(priority=1, last_modified="2025-01-01T00:00:00Z"),
    icons=[Icon(src="a:b")],
    meta={"k": 1},
)
AUDIO = AudioContent("AAAA", "audio/wav", meta={"k": 1})


def said(value: msgspec.Struct, revision: str) -> Any:
    return msgspec.json.decode(msgspec.json.encode(for_revision(value, revision)))


def test_the_newest_revision_says_what_it_was_given() -> None:
    result = CallToolResult(content=[LINK, AUDIO], structured_content=[1], meta={"k": 1})
    assert for_revision(result, LATEST_MODERN) is result


@pytest.mark.parametrize("revision", REVISIONS)
def test_what_every_revision_can_say_is_not_copied(revision: str) -> None:
    embedded = EmbeddedResource(TextResourceContents(uri="a:b", text="t"))
    for value in (
        CallToolResult(content=[TextContent("x"), ImageContent("AAAA", "image/png"), embedded]),
        GetPromptResult(messages=[PromptMessage("user", TextContent("x"))]),
        ReadResourceResult(contents=[TextResourceContents(uri="a:b", text="t")]),
        ListToolsResult(tools=[Tool(name="t", input_schema={"type": "object"})]),
    ):
        assert for_revision(value, revision) is value


@pytest.mark.parametrize("revision", LEGACY_REVISIONS)
def test_no_legacy_result_has_a_type_or_a_lifetime(revision: str) -> None:
    result = ListToolsResult(tools=[], result_type="complete", ttl_ms=5, cache_scope="public")
    assert said(result, revision) == {"tools": []}
    assert (result.result_type, result.ttl_ms, result.cache_scope) == ("complete", 5, "public")


def test_an_unknown_revision_is_the_callers_error() -> None:
    with pytest.raises(
        ValueError, match="no such protocol revision: '1900-01-01'; expected one of"
    ):
        for_revision(CallToolResult(content=[]), "1900-01-01")


BLOCKS: list[tuple[str, Any, dict[str, Any]]] = [
    (
        "2025-06-18",
        LINK,
        {
            "type": "resource_link",
            "uri": "file:///r.csv",
            "name": "r.csv",
            "description": "the report",
            "mimeType": "text/csv",
            "annotations": {"priority": 1, "lastModified": "2025-01-01T00:00:00Z"},
            "_meta": {"k": 1},
        },
    ),
    (
        "2025-03-26",
        LINK,
        {
            "type": "text",
            "text": "Resource link: r.csv <file:///r.csv> (text/csv): the report",
            "annotations": {"priority": 1},
        },
    ),
    (
        "2024-11-05",
        ResourceLink(uri="a:b", name="n"),
        {"type": "text", "text": "Resource link: n <a:b>"},
    ),
    (
        "2025-06-18",
        AUDIO,
        {"type": "audio", "data": "AAAA", "mimeType": "audio/wav", "_meta": {"k": 1}},
    ),
    ("2025-03-26", AUDIO, {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"}),
    (
        "2024-11-05",
        AUDIO,
        {
            "type": "text",
            "text": "Audio (audio/wav), left out: revision 2024-11-05 has no audio content.",
        },
    ),
]


@pytest.mark.parametrize(("revision", "block", "expected"), BLOCKS)
def test_a_block_that_a_revision_lacks_is_named(revision: str, block: Any, expected: Any) -> None:
    assert said(CallToolResult(content=[block]), revision) == {"content": [expected]}
    message = {"role": "user", "content": expected}
    prompt = GetPromptResult(messages=[PromptMessage("user", block)])
    assert said(prompt, revision) == {"messages": [message]}


def test_the_value_itself_is_never_changed() -> None:
    result = CallToolResult(content=[TextContent("x", meta={"k": 1}), LINK], structured_content={})
    before = msgspec.json.encode(result)
    assert said(result, "2024-11-05") == {
        "content": [
            {"type": "text", "text": "x"},
            {
                "type": "text",
                "text": "Resource link: r.csv <file:///r.csv> (text/csv): the report",
                "annotations": {"priority": 1},
            },
        ]
    }
    assert msgspec.json.encode(result) == before


FULL_TOOL = Tool(
    name="t",
    title="T",
    description="d",
    input_schema={"type": "object"},
    output_schema={"type": "object"},
    annotations=ToolAnnotations(title="A", read_only_hint=True),
    execution=ToolExecution("optional"),
    icons=[Icon(src="a:b")],
    meta={"k": 1},
)


@pytest.mark.parametrize(
    ("revision", "fields"),
    [
        ("2024-11-05", "name description inputSchema"),
        ("2025-03-26", "name description inputSchema annotations"),
        ("2025-06-18", "name title description inputSchema outputSchema annotations _meta"),
        (
            "2025-11-25",
            "name title description inputSchema outputSchema annotations execution icons _meta",
        ),
        ("2026-07-28", "name title description inputSchema outputSchema annotations icons _meta"),
    ],
)
def test_a_tool_has_the_fields_of_the_revision(revision: str, fields: str) -> None:
    [tool] = said(ListToolsResult(tools=[FULL_TOOL]), revision)["tools"]
    assert list(tool) == fields.split()


STRUCTURED: list[tuple[Any, Any]] = [
    ({"a": 1}, {"a": 1}),
    (Raw(b' {"a": 1}'), {"a": 1}),
    (FULL_TOOL.annotations, {"title": "A", "readOnlyHint": True}),
    ([1], {"result": [1]}),
    (Raw(b"[1]"), {"result": [1]}),
    (5, {"result": 5}),
    (None, {"result": None}),
    ("x", {"result": "x"}),
]


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize(("value", "wrapped"), STRUCTURED)
def test_structured_content_is_an_object_for_legacy_clients(
    revision: str, value: Any, wrapped: Any
) -> None:
    expected: dict[str, Any] = {"content": [], "structuredContent": wrapped}
    if revision < "2025-06-18":
        expected = {"content": []}
    elif revision == LATEST_MODERN:
        as_given = msgspec.json.decode(msgspec.json.encode(value))
        expected = {"content": [], "structuredContent": as_given}
    assert said(CallToolResult(content=[], structured_content=value), revision) == expected


OUTPUT_SCHEMAS: list[tuple[Any, Any]] = [
    ({"type": "object", "properties": {}}, None),
    (Raw(b'{"type":"object"}'), None),
    ({"type": "array"}, {"type": "array"}),
    (
        {"anyOf": [{"type": "object"}, {"type": "null"}]},
        {"anyOf": [{"type": "object"}, {"type": "null"}]},
    ),
    ({"type": ["object", "null"]}, {"type": ["object", "null"]}),
    (Raw(b'{"type":"integer"}'), {"type": "integer"}),
    (True, {}),
    (False, {"not": {}}),
    ({"items": {"$ref": "#"}}, {"items": {"$ref": "#/properties/result"}}),
    (
        {"items": {"$ref": "#/prefixItems/0"}, "prefixItems": [{}]},
        {"items": {"$ref": "#/properties/result/prefixItems/0"}, "prefixItems": [{}]},
    ),
    ({"items": {"$ref": "#named"}}, {"items": {"$ref": "#named"}}),
    ({"$id": "a:b", "items": {"$ref": "#"}}, {"$id": "a:b", "items": {"$ref": "#"}}),
]


@pytest.mark.parametrize(("schema", "inner"), OUTPUT_SCHEMAS)
def test_an_output_schema_promises_an_object_to_legacy_clients(schema: Any, inner: Any) -> None:
    legacy: Any = legacy_output_schema(schema)
    assert wraps_output(schema) is (inner is not None)
    if inner is None:
        assert legacy is schema
    else:
        assert legacy == {"type": "object", "properties": {"result": inner}, "required": ["result"]}
    tool = Tool(name="t", input_schema={"type": "object"}, output_schema=schema)
    assert for_revision(tool, LATEST_MODERN) is tool
    assert for_revision(tool, LATEST_LEGACY).output_schema == legacy
    assert for_revision(tool, "2025-03-26").output_schema is UNSET


def test_definitions_of_a_wrapped_schema_stay_reachable() -> None:
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$defs": {"node": {"properties": {"next": {"$ref": "#/$defs/node"}, "all": {"$ref": "#"}}}},
        "type": "array",
        "items": {"$ref": "#/$defs/node"},
    }
    assert legacy_output_schema(schema) == {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$defs": {
            "node": {
                "properties": {
                    "next": {"$ref": "#/$defs/node"},
                    "all": {"$ref": "#/properties/result"},
                }
            }
        },
        "type": "object",
        "properties": {"result": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
        "required": ["result"],
    }


def test_the_greeting_names_server_and_capabilities_of_the_revision() -> None:
    result = InitializeResult(
        protocol_version="2024-11-05",
        capabilities=ServerCapabilities(completions={}, logging={}, extensions={"a/b": {}}),
        server_info=Implementation(name="s", version="1", title="S", website_url="https://s.test"),
    )
    server = {"name": "s", "version": "1"}
    assert said(result, "2024-11-05") == {
        "protocolVersion": "2024-11-05",
        "capabilities": {"logging": {}},
        "serverInfo": server,
    }
    newer = said(result, "2025-06-18")
    assert newer["capabilities"] == {"logging": {}, "completions": {}}
    assert newer["serverInfo"] == {**server, "title": "S"}


def test_progress_had_no_message_at_first() -> None:
    params = ProgressNotificationParams(progress_token="t", progress=1, message="half")
    note = ProgressNotification(params=params)
    assert "message" not in said(note, "2024-11-05")["params"]
    assert said(note, "2025-03-26")["params"]["message"] == "half"


FORM = ElicitRequestFormParams(
    message="?",
    requested_schema={
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            "name": {"type": "string", "default": "x"},
            "sure": {"type": "boolean", "default": True},
            "size": {"type": "string", "oneOf": [{"const": "s", "title": "Small"}]},
        },
        "required": ["name"],
    },
)


def test_a_form_is_said_as_2025_06_18_says_it() -> None:
    assert said(ElicitRequest(id=1, jsonrpc="2.0", params=FORM), "2025-06-18") == {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "elicitation/create",
        "params": {
            "message": "?",
            "requestedSchema": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "sure": {"type": "boolean", "default": True},
                    "size": {"type": "string", "enum": ["s"], "enumNames": ["Small"]},
                },
                "required": ["name"],
            },
        },
    }
    raw = ElicitRequestFormParams(message="?", requested_schema=Raw(b'{"type":"object"}'))
    assert said(raw, "2025-06-18")["requestedSchema"] == {"type": "object", "properties": {}}
    assert for_revision(FORM, "2025-11-25") is FORM


def test_an_elicitation_id_exists_in_2025_11_25_only() -> None:
    asked = ElicitRequest(params=ElicitRequestURLParams(message="?", url="a:b", elicitation_id="e"))
    assert said(asked, "2025-11-25")["params"]["elicitationId"] == "e"
    modern = said(InputRequiredResult(input_requests={"k": asked}), LATEST_MODERN)
    assert modern["inputRequests"]["k"]["params"] == {"mode": "url", "message": "?", "url": "a:b"}


def test_sampling_had_neither_tools_nor_lists_of_blocks_before_2025_11_25() -> None:
    params = CreateMessageRequestParams(
        messages=[
            SamplingMessage(role="user", content=TextContent("a"), meta={"k": 1}),
            SamplingMessage(
                role="assistant",
                content=[TextContent("b"), ToolUseContent(id="1", name="add", input={"a": 1})],
            ),
            SamplingMessage(
                role="user",
                content=[ToolResultContent(tool_use_id="1", content=[TextContent("2"), LINK])],
            ),
        ],
        max_tokens=5,
        tools=[FULL_TOOL],
        tool_choice=ToolChoice("auto"),
    )
    assert for_revision(params, "2025-11-25") is params
    older = said(params, "2025-03-26")
    assert set(older) == {"messages", "maxTokens"}
    texts = [(message["role"], message["content"]["text"]) for message in older["messages"]]
    assert texts[:3] == [
        ("user", "a"),
        ("assistant", "b"),
        ("assistant", 'Tool call 1: add {"a":1}'),
    ]
    assert texts[3][1].startswith("Result of tool call 1:\n2\n{")
    assert [set(message) for message in older["messages"]] == [{"role", "content"}] * 4


def test_a_subclass_is_treated_like_its_construct() -> None:
    class Labelled(TextContent, tag="text"):
        """A text block with a helper of the application's own."""

    result = CallToolResult(content=[Labelled("x", meta={"k": 1})])
    assert said(result, "2025-03-26") == {"content": [{"type": "text", "text": "x"}]}
