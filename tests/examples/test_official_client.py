"""The official client in both of its modes, and what no example shows, on each adapter."""

from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp import MCPError
from mcp.shared.exceptions import MCPDeprecationWarning
from official_client import DEADLINE_S, Link, connect, connect_over_http

pytestmark = pytest.mark.anyio

PROGRAM = str(Path(__file__).parents[1] / "support" / "official_server.py")
WAYS = {
    "stdio": partial(connect, [PROGRAM, "stdio"]),
    "h11": partial(connect_over_http, [PROGRAM, "h11"]),
    "hypercorn": partial(connect_over_http, [PROGRAM, "hypercorn"]),
    "uvicorn": partial(connect_over_http, [PROGRAM, "uvicorn"]),
}


@pytest.fixture(scope="module", params=product(WAYS, ("modern", "legacy")), ids="-".join)
async def connection(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Link]:
    way, era = request.param
    async with WAYS[way](era, tmp_path_factory.mktemp("log") / "log") as link:
        yield link


async def told(link: Link, name: str, /, **arguments: Any) -> Any:
    """The structured content of a tool's result, which the client has checked."""
    result = await link.call(name, **arguments)
    assert not result.is_error, result.content
    return result.structured_content


async def walk(list_page: Callable[..., Awaitable[Any]], entries: str) -> list[list[str]]:
    """Names or URIs on each page of a list."""
    pages = []
    cursor = None
    while True:
        page = await list_page(cursor=cursor)
        pages.append(
            [getattr(e, "uri_template", getattr(e, "uri", e.name)) for e in getattr(page, entries)]
        )
        cursor = page.next_cursor
        if cursor is None:
            return pages


# -- lists -----------------------------------------------------------------------------------


async def test_lists_have_pages(link: Link) -> None:
    client = link.client
    tools = await walk(client.list_tools, "tools")
    assert [len(page) for page in tools] == [2] * 9
    assert len({name for page in tools for name in page}) == 18
    resources = await walk(client.list_resources, "resources")
    assert resources == [["fixed://0", "fixed://1"], ["fixed://2", "fixed://3"], ["fixed://4"]]
    templates = await walk(client.list_resource_templates, "resource_templates")
    assert templates == [["greeting://{word}", "item://{number}"], ["shelf://{room}/{+path}"]]
    prompts = await walk(client.list_prompts, "prompts")
    assert prompts == [
        ["introduce", "prompt_0"],
        ["prompt_1", "prompt_2"],
        ["prompt_3", "prompt_4"],
    ]


async def test_a_cursor_that_nobody_gave_is_refused(link: Link) -> None:
    with pytest.raises(MCPError, match="cursor") as caught:
        await link.client.list_tools(cursor="nobody gave this")
    assert caught.value.error.code == -32602


async def test_hears_of_a_changed_list_of_resources(link: Link) -> None:
    async with link.following(resources=True) as changes:
        for there in (True, False):
            toggled = await told(link, "toggle_resource")
            assert toggled is there if link.modern else toggled == {"result": there}
            await link.until(lambda: "resources" in changes())
            assert set(changes()) == {"resources"}
            link.reset()


async def test_follows_what_a_template_stands_for(link: Link) -> None:
    async with link.following("item://1", "item://2") as changes:
        for number in (3, 1, 2):
            await link.call("change", uri=f"item://{number}")
        await link.until(lambda: len(changes()) == 2)
        assert changes() == ["item://1", "item://2"]


# -- calls -----------------------------------------------------------------------------------


async def test_the_server_knows_its_client(link: Link) -> None:
    assert (await told(link, "client")) == {
        "version": "2026-07-28" if link.modern else "2025-11-25",
        "name": "mcp",
        "can": ["elicitation.form", "elicitation.url", "sampling", "roots"],
    }


async def test_structured_content_agrees_with_its_schema(link: Link) -> None:
    assert await told(link, "add", numbers=[1, 2, 3]) == {"total": 6, "parts": [1, 2, 3]}


async def test_a_link_to_a_resource_can_be_followed(link: Link) -> None:
    (block,) = (await link.call("link")).content
    assert isinstance(block, types.ResourceLink)
    (item,) = (await link.client.read_resource(block.uri)).contents
    assert isinstance(item, types.TextResourceContents)
    assert item.text == "item 3"


async def test_templates_take_paths_and_refuse_wrong_variables(link: Link) -> None:
    (shelf,) = (await link.client.read_resource("shelf://red/top/left%20end")).contents
    assert isinstance(shelf, types.TextResourceContents)
    assert shelf.text == "red: top/left end"
    with pytest.raises(MCPError):
        await link.client.read_resource("item://three")


@pytest.mark.parametrize("text", ["", "ação ✓ 🎉 \x00\n\r\u2028", "x" * 1_000_000], ids=len)
async def test_texts_come_back_whole(link: Link, text: str) -> None:
    assert await link.text("echo", text=text) == text


async def test_many_calls_at_once_get_each_its_own_answer(link: Link) -> None:
    answers: dict[int, str] = {}

    async def call(number: int) -> None:
        answers[number] = await link.text("echo", text=str(number))

    with anyio.fail_after(DEADLINE_S):
        async with anyio.create_task_group() as tasks:
            for number in range(100):
                tasks.start_soon(call, number)
    assert answers == {number: str(number) for number in range(100)}


async def test_a_failing_handler_tells_clients_nothing_of_itself(link: Link) -> None:
    result = await link.call("fail")
    assert result.is_error
    (block,) = result.content
    assert isinstance(block, types.TextContent)
    assert "deliberate" not in block.text


async def test_a_time_limit_is_an_error_of_the_tool(link: Link) -> None:
    result = await link.call("be_slow")
    assert result.is_error
    (block,) = result.content
    assert isinstance(block, types.TextContent)
    assert "took longer than 0.05 s" in block.text


async def test_what_there_is_not(link: Link) -> None:
    client = link.client
    for ask, says in [
        (client.call_tool("nothing"), "nothing"),
        (client.get_prompt("nothing"), "nothing"),
        (
            client.complete(
                types.PromptReference(type="ref/prompt", name="nothing"),
                {"name": "a", "value": "b"},
            ),
            "nothing",
        ),
    ]:
        with pytest.raises(MCPError, match=says) as caught:
            await ask
        assert caught.value.error.code == -32602


@pytest.mark.parametrize("city", ["Oslo", "São Paulo", " two  spaces ", "=?base64?T3Nsbw==?=", ""])
async def test_arguments_that_are_repeated_in_headers(link: Link, city: str) -> None:
    await walk(link.client.list_tools, "tools")  # what is to be repeated, a client learns here
    got = await told(link, "go", city=city, floor=-3)
    assert (got["city"], got["floor"]) == (city, -3)
    assert len(got["headers"]) == (2 if link.modern and got["over_http"] else 0)


async def test_pings_and_methods_that_a_revision_does_not_have(link: Link) -> None:
    code = None
    with pytest.warns(MCPDeprecationWarning):
        pinged = link.client.send_ping()
    try:
        assert await pinged == types.EmptyResult()
    except MCPError as error:
        code = error.error.code
    assert code == (-32601 if link.modern else None)


async def test_completes_with_what_is_filled_in(link: Link) -> None:
    result = await link.client.complete(
        types.ResourceTemplateReference(type="ref/resource", uri="shelf://{room}/{+path}"),
        {"name": "path", "value": "p"},
        context_arguments={"room": "red"},
    )
    assert result.completion.values == [f"red-p{i}" for i in range(100)]
    assert result.completion.has_more


# -- while a call runs -----------------------------------------------------------------------


async def test_logs_from_a_level_on_and_progress_with_messages(link: Link) -> None:
    heard = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total, message))

    levels = ["debug", "info", "warning", "error"]
    for least in ("warning", "debug"):
        link.reset()
        heard.clear()
        meta: Any = None
        if link.modern:
            meta = {"io.modelcontextprotocol/logLevel": least}
        else:
            with pytest.warns(MCPDeprecationWarning):
                await link.client.set_logging_level(least)
        with anyio.fail_after(DEADLINE_S):
            await link.client.call_tool("talk", progress_callback=hear, meta=meta)
        expected = [(level, {"number": levels.index(level)}) for level in levels]
        del expected[: levels.index(least)]
        await link.until(partial(has_logged, link, len(expected)))
        assert link.logged() == expected
        assert heard == [(n + 0.5, 4, f"at {level}") for n, level in enumerate(levels)]


def has_logged(link: Link, messages: int) -> bool:
    return len(link.logged()) == messages


@pytest.mark.parametrize("name", ["wait_async", "wait_blocking"])
async def test_a_cancelled_call_is_stopped_in_the_server(link: Link, name: str) -> None:
    begun = anyio.Event()

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        begun.set()

    async def wait() -> None:
        await link.client.call_tool(name, progress_callback=hear)

    with anyio.fail_after(DEADLINE_S):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(wait)
            await begun.wait()
            tasks.cancel_scope.cancel()
        assert await link.text("times_stopped", name=name, at_least=1) == "1"


async def test_a_stream_that_is_closed_early_is_taken_up_again(link: Link) -> None:
    assert await link.text("hang_up") == "hung up"
    await link.until(lambda: len(link.logged()) == 2)
    assert [data for _, data in link.logged()] == ["before", "after"]


# -- questions -------------------------------------------------------------------------------


async def test_a_page_to_open(link: Link) -> None:
    assert await link.text("open_page") == "accept"
    (question,) = link.asked
    assert isinstance(question, types.ElicitRequestURLParams)
    assert (question.message, question.url) == ("Please pay", "https://pay.example/1")


async def test_three_rounds_of_questions(link: Link) -> None:
    link.form = {"name": "Ada"}
    text = await link.text("ask_much")
    assert text == "Ada Ada Ada; I read: After Ada; photos; once: True"
    assert len(link.asked) == 5
    forms = [a.message for a in link.asked if isinstance(a, types.ElicitRequestFormParams)]
    assert forms == ["First?", "Second?", "Third?"]


async def test_resources_and_prompts_ask(link: Link) -> None:
    link.form = {"name": "Ada"}
    (contents,) = (await link.client.read_resource("greeting://Hello")).contents
    assert isinstance(contents, types.TextResourceContents)
    assert contents.text == "Hello, Ada"
    prompt = await link.client.get_prompt("introduce", {"style": "long"})
    assert isinstance(prompt.messages[0].content, types.TextContent)
    assert prompt.messages[0].content.text == "long: Ada"
    assert len(link.asked) == 2


async def test_many_calls_ask_at_once(link: Link) -> None:
    link.form = {"name": "Ada"}
    answers: dict[int, str] = {}

    async def greet(number: int) -> None:
        answers[number] = await link.text("greet", number=number)

    with anyio.fail_after(DEADLINE_S):
        async with anyio.create_task_group() as tasks:
            for number in range(20):
                tasks.start_soon(greet, number)
    assert answers == {number: f"{number}: Ada" for number in range(20)}
    assert len(link.asked) == 20


async def test_a_declined_question(link: Link) -> None:
    assert await link.text("greet", number=1) == "1: decline"
