"""The official client in both of its modes and the quickstart server, on each adapter."""

from collections.abc import AsyncIterator
from functools import partial
from itertools import product
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp import MCPError
from official_client import DEADLINE_S, Link, connect, connect_over_http

pytestmark = pytest.mark.anyio

STDIO = ["-m", "sansmcp_stdio", "quickstart:server", "--max-threads", "1", "--backend"]
H11 = ["-m", "sansmcp_h11", "quickstart:server", "--max-threads", "1", "--port", "0"]
ASGI = """
import quickstart, serving
from sansmcp_asgi import McpApp
app = McpApp(quickstart.server, max_threads=1)
serving.serve_app(app, app, "127.0.0.1", 0, path="/mcp", worker="trio")
"""
# With one thread, a call that is cancelled and yet goes on would keep the others from running.
WAYS = {
    "stdio-threads": partial(connect, [*STDIO, "threads"]),
    "stdio-trio": partial(connect, [*STDIO, "trio"]),
    "stdio-asyncio": partial(connect, [*STDIO, "asyncio"]),
    "h11-trio": partial(connect_over_http, [*H11, "--backend", "trio"]),
    "httptools-asyncio": partial(
        connect_over_http, [*H11, "--backend", "asyncio", "--parser", "httptools"]
    ),
    "asgi-trio": partial(connect_over_http, ["-c", ASGI]),
}


@pytest.fixture(scope="module", params=product(WAYS, ("modern", "legacy")), ids="-".join)
async def connection(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Link]:
    way, era = request.param
    async with WAYS[way](era, tmp_path_factory.mktemp("log") / "log") as link:
        yield link


async def test_agrees_on_a_revision(link: Link) -> None:
    assert link.client.protocol_version == ("2026-07-28" if link.modern else "2025-11-25")
    assert link.client.server_info is not None
    assert link.client.server_info.name == "quickstart"
    assert link.client.instructions == "Adds, greets, and keeps short notes."


async def test_lists(link: Link) -> None:
    tools = (await link.client.list_tools()).tools
    assert [tool.name for tool in tools] == [
        "add",
        "greet",
        "save_note",
        "count_down",
        "describe_folders",
    ]
    assert [r.uri for r in (await link.client.list_resources()).resources] == ["notes://titles"]
    templates = (await link.client.list_resource_templates()).resource_templates
    assert [template.uri_template for template in templates] == ["note://{title}"]
    (prompt,) = (await link.client.list_prompts()).prompts
    assert prompt.name == "explain"
    assert [a.name for a in prompt.arguments or ()] == ["title"]


async def test_calls(link: Link) -> None:
    result = await link.call("add", a=2, b=3)
    assert result.structured_content == (5 if link.modern else {"result": 5})
    assert await link.text("add", a=2, b=3) == "5.0"


async def test_a_wrong_argument_is_an_error_for_the_model(link: Link) -> None:
    result = await link.call("add", a="two")
    assert result.is_error
    assert isinstance(result.content[0], types.TextContent)
    assert 'a: expected number, got "two"' in result.content[0].text
    assert '"b"' in result.content[0].text


async def test_reads(link: Link) -> None:
    (titles,) = (await link.client.read_resource("notes://titles")).contents
    assert isinstance(titles, types.TextResourceContents)
    assert titles.mime_type == "application/json"
    assert '"welcome"' in titles.text
    (note,) = (await link.client.read_resource("note://wish")).contents
    assert isinstance(note, types.TextResourceContents)
    assert note.text == "A server in one file."


async def test_a_resource_that_does_not_exist(link: Link) -> None:
    with pytest.raises(MCPError) as caught:
        await link.client.read_resource("note://nowhere")
    assert caught.value.error.code == (-32602 if link.modern else -32002)
    assert caught.value.error.data == {"uri": "note://nowhere"}


async def test_gets_a_prompt(link: Link) -> None:
    result = await link.client.get_prompt("explain", {"title": "wish"})
    (message,) = result.messages
    assert message.role == "user"
    assert isinstance(message.content, types.TextContent)
    assert message.content.text == "Explain this note to a newcomer: A server in one file."


async def test_completes(link: Link) -> None:
    for ref in (
        types.PromptReference(type="ref/prompt", name="explain"),
        types.ResourceTemplateReference(type="ref/resource", uri="note://{title}"),
    ):
        result = await link.client.complete(ref, {"name": "title", "value": "we"})
        assert result.completion.values == ["welcome"]


async def test_elicits(link: Link) -> None:
    link.form = {"name": "Ada"}
    assert await link.text("greet") == "Hello, Ada!"
    (question,) = link.asked
    assert question.message == "Who should be greeted?"
    assert question.requested_schema["required"] == ["name"]


async def test_a_user_may_decline(link: Link) -> None:
    assert await link.text("greet") == "Hello, stranger!"


async def test_samples_and_lists_roots(link: Link) -> None:
    text = await link.text("describe_folders")
    assert text == "I read: What may be in these folders? file:///work/photos"
    roots, sample = link.asked
    assert roots == "roots"
    assert sample.max_tokens == 100


async def test_subscribes(link: Link) -> None:
    async with link.following("note://today") as changes:
        assert (await link.call("save_note", title="other", text="not followed")).content == []
        assert (await link.call("save_note", title="today", text="followed")).content == []
        await link.until(lambda: "note://today" in changes())
        assert changes() == ["note://today"]


async def test_receives_progress(link: Link) -> None:
    heard = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total))

    with anyio.fail_after(DEADLINE_S):
        await link.client.call_tool("count_down", {"start": 3}, progress_callback=hear)
    assert heard == [(0, 3), (1, 3), (2, 3)]


async def test_receives_logs(link: Link) -> None:
    await link.call("save_note", title="diary", text="Nothing happened.")
    await link.until(lambda: ("info", "saved diary") in link.logged())


async def test_cancels(link: Link) -> None:
    begun = anyio.Event()

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        begun.set()

    with anyio.fail_after(DEADLINE_S):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(call_for_ever, link, hear)
            await begun.wait()
            tasks.cancel_scope.cancel()
        assert await link.text("add", a=1, b=1) == "2.0"


async def call_for_ever(link: Link, hear: Any) -> None:
    await link.client.call_tool("count_down", {"start": 100_000}, progress_callback=hear)
