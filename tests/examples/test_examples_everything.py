"""The official client in both of its modes and the everything server, on each adapter."""

import base64
import json
from collections.abc import AsyncIterator
from datetime import datetime
from functools import partial
from itertools import product
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp import MCPError
from official_client import DEADLINE_S, Link, connect, connect_over_http

pytestmark = pytest.mark.anyio

STDIO = ["-m", "sansmcp_stdio", "everything:server", "--backend"]
HTTP = ["everything.py", "--http", "127.0.0.1:0", "--adapter"]
WAYS = {
    "stdio-trio": partial(connect, [*STDIO, "trio"]),
    "stdio-asyncio": partial(connect, [*STDIO, "asyncio"]),
    "h11": partial(connect_over_http, [*HTTP, "h11"]),
    "asgi": partial(connect_over_http, [*HTTP, "asgi"]),
}

PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0g"
    "AAAABJRU5ErkJggg=="
)
WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="

FIXTURE_TOOLS = [
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "test_error_handling",
    "test_tool_with_progress",
    "test_tool_with_logging",
    "test_logging_tool",
    "test_trigger_tool_change",
    "test_trigger_prompt_change",
    "test_sampling",
    "test_elicitation",
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
    "test_missing_capability",
    "test_streaming_elicitation",
    "test_input_required_result_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_request_state",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round",
    "test_input_required_result_tampered_state",
    "test_input_required_result_capabilities",
    "json_schema_2020_12_tool",
    "test_reconnection",
    "test_header_argument",
]
TOOLS = ["echo", "get_time", "list_files", "calculate", "repeat", "wait"]
CHANGERS = [
    "add_dynamic_tool",
    "remove_dynamic_tool",
    "add_dynamic_prompt",
    "remove_dynamic_prompt",
    "touch_resource",
]
PROMPTS = [
    "test_input_required_result_prompt",
    "test_simple_prompt",
    "test_prompt_with_arguments",
    "test_prompt_with_embedded_resource",
    "test_prompt_with_image",
    "summarize_logs",
]
RESOURCES = [
    "test://static-text",
    "test://static-binary",
    "test://watched-resource",
    "project://info",
    "project://readme",
]


@pytest.fixture(scope="module", params=product(WAYS, ("modern", "legacy")), ids="-".join)
async def connection(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Link]:
    way, era = request.param
    async with WAYS[way](era, tmp_path_factory.mktemp("log") / "log") as link:
        yield link


def dumped(parts: list[Any]) -> list[dict[str, Any]]:
    return [part.model_dump(mode="json", by_alias=True, exclude_none=True) for part in parts]


# -- lists -----------------------------------------------------------------------------------


async def test_lists_tools_each_with_a_description(link: Link) -> None:
    tools = (await link.client.list_tools()).tools
    assert [tool.name for tool in tools] == [*FIXTURE_TOOLS, *TOOLS, *CHANGERS]
    for tool in tools:
        assert tool.description
        assert tool.input_schema["type"] == "object"


async def test_lists_resources_templates_and_prompts(link: Link) -> None:
    assert [r.uri for r in (await link.client.list_resources()).resources] == RESOURCES
    (template,) = (await link.client.list_resource_templates()).resource_templates
    assert template.uri_template == "test://template/{id}/data"
    prompts = (await link.client.list_prompts()).prompts
    assert [prompt.name for prompt in prompts] == PROMPTS
    assert all(prompt.description for prompt in prompts)


async def test_a_raw_schema_is_listed_unchanged_and_enforced(link: Link) -> None:
    tools = {tool.name: tool for tool in (await link.client.list_tools()).tools}
    assert tools["json_schema_2020_12_tool"].input_schema == {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            }
        },
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {
            "properties": {"contactMethod": {"const": "phone"}},
            "required": ["contactMethod"],
        },
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": False,
    }
    by_phone = {"contactMethod": "phone", "phone": "123", "address": {"city": "Lisbon"}}
    assert json.loads((await link.text("json_schema_2020_12_tool", **by_phone))[10:]) == by_phone
    for wrong in ({}, {"contactMethod": "phone", "email": "a@b.c"}, {"phone": "123"}):
        assert (await link.call("json_schema_2020_12_tool", **wrong)).is_error


# -- calls -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (
            "test_simple_text",
            [{"type": "text", "text": "This is a simple text response for testing."}],
        ),
        ("test_image_content", [{"type": "image", "data": PNG, "mimeType": "image/png"}]),
        ("test_audio_content", [{"type": "audio", "data": WAV, "mimeType": "audio/wav"}]),
        (
            "test_embedded_resource",
            [
                {
                    "type": "resource",
                    "resource": {
                        "uri": "test://embedded-resource",
                        "mimeType": "text/plain",
                        "text": "This is an embedded resource content.",
                    },
                }
            ],
        ),
        (
            "test_multiple_content_types",
            [
                {"type": "text", "text": "Multiple content types test:"},
                {"type": "image", "data": PNG, "mimeType": "image/png"},
                {
                    "type": "resource",
                    "resource": {
                        "uri": "test://mixed-content-resource",
                        "mimeType": "application/json",
                        "text": '{"test":"data","value":123}',
                    },
                },
            ],
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_content(link: Link, name: str, content: list[dict[str, Any]]) -> None:
    result = await link.call(name)
    assert not result.is_error
    assert dumped(result.content) == content


async def test_an_error_of_the_tool(link: Link) -> None:
    result = await link.call("test_error_handling")
    assert result.is_error
    text = "This tool intentionally returns an error for testing"
    assert dumped(result.content) == [{"type": "text", "text": text}]


async def test_everyday_tools(link: Link) -> None:
    assert await link.text("echo", message="ação ✓") == "ação ✓"
    assert await link.text("repeat", word="ha") == "ha ha"
    sum_ = await link.call("calculate", operation="add", a=2, b=0.5)
    assert sum_.structured_content == (2.5 if link.modern else {"result": 2.5})
    now = datetime.fromisoformat(json.loads(await link.text("get_time")))
    assert now.utcoffset() is not None
    files = await link.call("list_files", pattern="q*.py")
    listed = files.structured_content if link.modern else (files.structured_content or {})["result"]
    assert [file["name"] for file in listed] == ["quickstart.py"]
    assert listed[0]["is_folder"] is False
    assert await link.text("list_files", pattern="../*") == "[]"


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("calculate", {"operation": "divide", "a": 1, "b": 0}, "divided by 0"),
        ("calculate", {"operation": "multiply", "a": 1e308, "b": 10}, "too large"),
        ("calculate", {"operation": "root", "a": 1, "b": 2}, "operation: expected"),
        ("get_time", {"timezone": "Atlantis"}, "unknown time zone 'Atlantis'"),
        ("get_time", {"timezone": "../../etc/passwd"}, "unknown time zone"),
        ("list_files", {"path": ".."}, "below the working directory"),
        ("list_files", {"path": "/"}, "below the working directory"),
        ("list_files", {"path": "quickstart.py"}, "give a folder"),
        ("list_files", {"limit": 0}, "limit: "),
        ("repeat", {"word": "a", "times": 1000}, "times: "),
        ("remove_dynamic_tool", {"name": "echo"}, "no dynamic tool"),
    ],
)
async def test_errors_teach(link: Link, name: str, arguments: dict[str, Any], says: str) -> None:
    result = await link.call(name, **arguments)
    assert result.is_error
    assert isinstance(result.content[0], types.TextContent)
    assert says in result.content[0].text


# -- resources, prompts, completion ----------------------------------------------------------


async def test_reads(link: Link) -> None:
    async def read(uri: str) -> dict[str, Any]:
        (part,) = (await link.client.read_resource(uri)).contents
        return dumped([part])[0]

    assert await read("test://static-text") == {
        "uri": "test://static-text",
        "mimeType": "text/plain",
        "text": "This is the content of the static text resource.",
    }
    binary = await read("test://static-binary")
    assert base64.b64decode(binary.pop("blob")) == base64.b64decode(PNG)
    assert binary == {"uri": "test://static-binary", "mimeType": "image/png"}
    data = await read("test://template/123/data")
    assert data["mimeType"] == "application/json"
    assert json.loads(data["text"]) == {
        "id": "123",
        "templateTest": True,
        "data": "Data for ID: 123",
    }
    info = json.loads((await read("project://info"))["text"])
    assert info["name"] == "everything"
    assert datetime.fromisoformat(info["started"]).utcoffset() is not None
    readme = await read("project://readme")
    assert readme["mimeType"] == "text/markdown"
    assert readme["text"].startswith("# everything")


async def test_a_resource_that_does_not_exist(link: Link) -> None:
    uri = "test://nonexistent-resource-for-conformance-testing"
    with pytest.raises(MCPError) as caught:
        await link.client.read_resource(uri)
    assert caught.value.error.code == (-32602 if link.modern else -32002)
    assert caught.value.error.data == {"uri": uri}


@pytest.mark.parametrize(
    ("name", "arguments", "messages"),
    [
        (
            "test_simple_prompt",
            None,
            [{"type": "text", "text": "This is a simple prompt for testing."}],
        ),
        (
            "test_prompt_with_arguments",
            {"arg1": "hello", "arg2": "world"},
            [{"type": "text", "text": "Prompt with arguments: arg1='hello', arg2='world'"}],
        ),
        (
            "test_prompt_with_embedded_resource",
            {"resourceUri": "test://example-resource"},
            [
                {
                    "type": "resource",
                    "resource": {
                        "uri": "test://example-resource",
                        "mimeType": "text/plain",
                        "text": "Embedded resource content for testing.",
                    },
                },
                {"type": "text", "text": "Please process the embedded resource above."},
            ],
        ),
        (
            "test_prompt_with_image",
            None,
            [
                {"type": "image", "data": PNG, "mimeType": "image/png"},
                {"type": "text", "text": "Please analyze the image above."},
            ],
        ),
        (
            "summarize_logs",
            {"level": "warning", "lines": "1"},
            [
                {
                    "type": "resource",
                    "resource": {
                        "uri": "project://logs",
                        "mimeType": "text/plain",
                        "text": "error: backup failed: no space left on device",
                    },
                },
                {
                    "type": "text",
                    "text": "Sum up the log above; begin with what needs attention.",
                },
            ],
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_gets_prompts(
    link: Link, name: str, arguments: dict[str, str] | None, messages: list[dict[str, Any]]
) -> None:
    result = await link.client.get_prompt(name, arguments)
    assert [message.role for message in result.messages] == ["user"] * len(messages)
    assert dumped([message.content for message in result.messages]) == messages


async def test_a_wrong_argument_of_a_prompt(link: Link) -> None:
    with pytest.raises(MCPError, match="level: ") as caught:
        await link.client.get_prompt("summarize_logs", {"level": "loud"})
    assert caught.value.error.code == -32602


@pytest.mark.parametrize(
    ("prompt", "argument", "typed", "values"),
    [
        ("test_prompt_with_arguments", "arg1", "test", ["test", "testing", "tests"]),
        ("test_prompt_with_arguments", "arg2", "test", []),
        ("summarize_logs", "level", "w", ["warning"]),
    ],
)
async def test_completes(
    link: Link, prompt: str, argument: str, typed: str, values: list[str]
) -> None:
    ref = types.PromptReference(type="ref/prompt", name=prompt)
    result = await link.client.complete(ref, {"name": argument, "value": typed})
    assert result.completion.values == values


# -- questions -------------------------------------------------------------------------------


async def test_samples(link: Link) -> None:
    assert await link.text("test_sampling", prompt="Hi") == "LLM response: I read: Hi"
    (sample,) = link.asked
    assert sample.max_tokens == 100


async def test_elicits(link: Link) -> None:
    link.form = {"username": "ada", "email": "ada@example.org"}
    text = await link.text("test_elicitation", message="Who is there?")
    assert text.startswith("User response: action=accept")
    assert "ada@example.org" in text
    (question,) = link.asked
    assert question.message == "Who is there?"
    assert question.requested_schema == {
        "type": "object",
        "properties": {"username": {"type": "string"}, "email": {"type": "string"}},
        "required": ["username", "email"],
    }


async def test_a_form_with_defaults(link: Link) -> None:
    link.form = {"name": "Ada"}
    text = await link.text("test_elicitation_sep1034_defaults")
    assert text.startswith("Elicitation completed: action=accept, content=")
    assert json.loads(text.partition("content=")[2]) == {
        "name": "Ada",
        "age": 30,
        "score": 95.5,
        "status": "active",
        "verified": True,
    }
    (question,) = link.asked
    fields = question.requested_schema["properties"]
    assert fields == {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {
            "type": "string",
            "enum": ["active", "inactive", "pending"],
            "default": "active",
        },
        "verified": {"type": "boolean", "default": True},
    }


async def test_a_form_with_every_kind_of_choice(link: Link) -> None:
    link.form = {
        "untitledSingle": "option1",
        "titledSingle": "value2",
        "legacyEnum": "opt3",
        "untitledMulti": ["option1", "option3"],
        "titledMulti": ["value1"],
    }
    text = await link.text("test_elicitation_sep1330_enums")
    assert json.loads(text.partition("content=")[2]) == link.form
    (question,) = link.asked
    fields = question.requested_schema["properties"]
    assert fields["legacyEnum"]["enum"] == ["opt1", "opt2", "opt3"]
    assert len(fields["legacyEnum"]["enumNames"]) == 3
    assert "oneOf" not in fields["untitledSingle"]
    assert {"const", "title"} == fields["titledSingle"]["oneOf"][0].keys()
    assert "enum" in fields["untitledMulti"]["items"]
    assert {"const", "title"} == fields["titledMulti"]["items"]["anyOf"][0].keys()


@pytest.mark.parametrize(
    ("name", "form", "text", "asked"),
    [
        ("test_input_required_result_elicitation", {"name": "Alice"}, "Hello, Alice!", 1),
        (
            "test_input_required_result_sampling",
            None,
            "I read: What is the capital of France?",
            1,
        ),
        ("test_input_required_result_list_roots", None, "file:///work/photos", 1),
        (
            "test_input_required_result_multiple_inputs",
            {"name": "Alice"},
            "I read: Generate a greeting Alice: 1 roots",
            3,
        ),
        ("test_input_required_result_tampered_state", {"ok": True}, "Confirmed", 1),
        (
            "test_input_required_result_multi_round",
            {"name": "Alice", "color": "blue"},
            "Alice likes blue",
            2,
        ),
        ("test_missing_capability", None, "I read: Say hello", 1),
        (
            "test_streaming_elicitation",
            {"username": "ada", "email": "a@b.c"},
            'Elicitation completed: action=accept, content={"username":"ada","email":"a@b.c"}',
            1,
        ),
        (
            "test_input_required_result_capabilities",
            {"name": "Alice"},
            "Heard: accept, I read: What is the capital of France?",
            2,
        ),
        ("test_input_required_result_request_state", {"ok": True}, "Confirmed: state-ok", 1),
    ],
)
async def test_asks(
    link: Link, name: str, form: dict[str, Any] | None, text: str, asked: int
) -> None:
    link.form = form
    assert await link.text(name) == text
    assert len(link.asked) == asked


async def test_a_prompt_asks(link: Link) -> None:
    link.form = {"context": "a birthday"}
    result = await link.client.get_prompt("test_input_required_result_prompt")
    text = "The context of what follows: a birthday"
    assert dumped([m.content for m in result.messages]) == [{"type": "text", "text": text}]


# -- what comes by itself --------------------------------------------------------------------


async def test_receives_progress(link: Link) -> None:
    heard = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total))

    with anyio.fail_after(DEADLINE_S):
        await link.client.call_tool("test_tool_with_progress", progress_callback=hear)
    assert heard == [(0, 100), (50, 100), (100, 100)]


async def test_receives_logs_in_order(link: Link) -> None:
    await link.call("test_tool_with_logging")
    await link.until(lambda: len(link.logged()) == 3)
    assert link.logged() == [
        ("info", "Tool execution started"),
        ("info", "Tool processing data"),
        ("info", "Tool execution completed"),
    ]


async def test_subscribes_to_a_resource(link: Link) -> None:
    async with link.following("test://watched-resource") as changes:
        await link.call("touch_resource", uri="project://info")
        touched = await link.call("touch_resource")
        assert touched.structured_content == {"ok": True}
        await link.until(lambda: bool(changes()))
        assert changes() == ["test://watched-resource"]


async def test_hears_of_a_changed_list_of_tools(link: Link) -> None:
    async with link.following(tools=True) as changes:
        await link.call("add_dynamic_tool", name="newcomer")
        await link.until(lambda: changes() == ["tools"])
        names = [tool.name for tool in (await link.client.list_tools()).tools]
        assert names[-1] == "newcomer"
        assert await link.text("newcomer") == "Hello from newcomer"
        again = await link.call("add_dynamic_tool", name="newcomer")
        assert again.is_error
        await link.call("remove_dynamic_tool", name="newcomer")
        await link.until(lambda: changes() == ["tools", "tools"])
    with pytest.raises(MCPError, match="newcomer"):
        await link.client.call_tool("newcomer")


async def test_hears_of_a_changed_list_of_prompts(link: Link) -> None:
    async with link.following(prompts=True) as changes:
        await link.call("add_dynamic_prompt")
        await link.until(lambda: changes() == ["prompts"])
        assert "dynamic_prompt" in [p.name for p in (await link.client.list_prompts()).prompts]
        assert (await link.client.get_prompt("dynamic_prompt")).messages
        await link.call("remove_dynamic_prompt")
        await link.until(lambda: changes() == ["prompts", "prompts"])


async def test_the_triggers_of_changes(link: Link) -> None:
    for _ in range(2):  # each adds first and removes then
        async with link.following(tools=True, prompts=True) as changes:
            await link.call("test_trigger_tool_change")
            await link.call("test_trigger_prompt_change")
            await link.until(lambda: len(changes()) == 2)
            assert changes() == ["tools", "prompts"]
        link.reset()


async def test_a_listener_hears_only_what_it_follows_and_a_session_all_lists(link: Link) -> None:
    expected = ["prompts"] if link.modern else ["tools", "prompts"]
    async with link.following(prompts=True) as changes:
        for _ in range(2):  # each adds first and removes then
            await link.call("test_trigger_tool_change")
            await link.call("test_trigger_prompt_change")
            await link.until(lambda: len(changes()) == len(expected))
            assert changes() == expected
            link.reset()


async def test_cancels(link: Link) -> None:
    begun = anyio.Event()

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        begun.set()

    async def wait_for_long() -> None:
        await link.client.call_tool("wait", {"seconds": 60}, progress_callback=hear)

    with anyio.fail_after(DEADLINE_S):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(wait_for_long)
            await begun.wait()
            tasks.cancel_scope.cancel()
        assert await link.text("echo", message="still here") == "still here"
