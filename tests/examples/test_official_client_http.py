"""What the official client meets over HTTP only: sessions, several clients, a server that ends."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from official_client import DEADLINE_S, Era, Link, connect_to, serve

pytestmark = pytest.mark.anyio

PROGRAM = str(Path(__file__).parents[1] / "support" / "official_server.py")

each_adapter = pytest.mark.parametrize("adapter", ["h11", "hypercorn", "uvicorn"])
each_era = pytest.mark.parametrize("era", ["modern", "legacy"])


class Exchanges:
    """What was asked and answered, in HTTP's terms."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, int, str]] = []
        self.session_ids: set[str] = set()
        self.resumed: list[str] = []

    async def hear(self, response: httpx2.Response) -> None:
        kind = response.headers.get("content-type", "").partition(";")[0]
        self.seen.append((response.request.method, response.status_code, kind))
        if "last-event-id" in response.request.headers:
            self.resumed.append(kind)
        for headers in (response.headers, response.request.headers):
            if "mcp-session-id" in headers:
                self.session_ids.add(headers["mcp-session-id"])


def gives(changes: Callable[[], list[Any]], expected: list[Any]) -> bool:
    return changes() == expected


@asynccontextmanager
async def bare_client(url: str, era: Era) -> AsyncIterator[Client]:
    """A client that can answer no question."""
    async with (
        httpx2.AsyncClient(trust_env=False, timeout=DEADLINE_S) as http_client,
        Client(
            streamable_http_client(url, http_client=http_client),
            mode={"modern": "auto", "legacy": "legacy"}[era],
            read_timeout_seconds=DEADLINE_S,
        ) as client,
    ):
        yield client


@each_adapter
async def test_clients_of_both_eras_share_a_server(adapter: str, tmp_path: Path) -> None:
    async with (
        serve([PROGRAM, adapter], tmp_path / "log") as url,
        connect_to(url, "modern") as modern,
        connect_to(url, "legacy") as legacy,
        connect_to(url, "legacy") as other,
        modern.following("item://1", resources=True) as modern_changes,
        legacy.following("item://1") as legacy_changes,
        other.following() as other_changes,
    ):
        for changer in (modern, legacy, other):
            await changer.call("change", uri="item://1")
            for link, changes in [(modern, modern_changes), (legacy, legacy_changes)]:
                await link.until(partial(gives, changes, ["item://1"]))
                link.reset()
        await other.call("toggle_resource")
        for link, changes in [
            (modern, modern_changes),
            (legacy, legacy_changes),
            (other, other_changes),
        ]:
            await link.until(partial(gives, changes, ["resources"]))


@each_adapter
async def test_a_modern_client_meets_no_session_and_a_legacy_one_ends_its_own(
    adapter: str, tmp_path: Path
) -> None:
    async with serve([PROGRAM, adapter], tmp_path / "log") as url:
        exchanges = Exchanges()
        async with connect_to(url, "modern", exchanges.hear) as link:
            assert await link.text("echo", text="a") == "a"
            await link.call("talk")
        assert exchanges.session_ids == set()
        assert set(exchanges.seen) == {
            ("POST", 200, "application/json"),
            ("POST", 200, "text/event-stream"),
        }

        exchanges = Exchanges()
        async with connect_to(url, "legacy", exchanges.hear) as link:
            assert await link.text("echo", text="a") == "a"
        (session_id,) = exchanges.session_ids
        assert len(session_id) >= 22  # 128 bits in base64
        assert ("GET", 200, "text/event-stream") in exchanges.seen
        assert ("POST", 202, "") in exchanges.seen
        assert exchanges.seen[-1][:2] == ("DELETE", 204)


@pytest.mark.parametrize("adapter", ["h11", "hypercorn"])
async def test_listeners_are_told_that_the_server_ends(adapter: str, tmp_path: Path) -> None:
    async with anyio.create_task_group() as tasks:
        listening, ended = anyio.Event(), anyio.Event()

        async def listen(url: str) -> None:
            async with (
                connect_to(url, "modern") as link,
                link.client.listen(resource_subscriptions=["item://1"]) as changes,
            ):
                listening.set()
                async for _ in changes:
                    pass  # it ends without an exception only where the server said so
                ended.set()

        with anyio.fail_after(DEADLINE_S):
            async with serve([PROGRAM, adapter], tmp_path / "log") as url:
                tasks.start_soon(listen, url)
                await listening.wait()
            await ended.wait()


@each_adapter
async def test_a_stream_that_is_closed_early_is_taken_up_by_a_get(
    adapter: str, tmp_path: Path
) -> None:
    exchanges = Exchanges()
    async with (
        serve([PROGRAM, adapter], tmp_path / "log") as url,
        connect_to(url, "legacy", exchanges.hear) as link,
    ):
        assert await link.text("hang_up") == "hung up"
        assert [data for _, data in link.logged()] == ["before", "after"]
    assert exchanges.resumed == ["text/event-stream"]


@each_adapter
@each_era
async def test_without_sessions_everything_but_questions_works(
    adapter: str, era: Era, tmp_path: Path
) -> None:
    exchanges = Exchanges()
    async with (
        serve([PROGRAM, adapter, "--no-sessions"], tmp_path / "log") as url,
        sessionless(url, era, exchanges) as link,
    ):
        link.form = {"name": "Ada"}
        assert await link.text("echo", text="a") == "a"
        assert (await link.client.list_prompts()).prompts
        assert (await link.client.read_resource("item://1")).contents
        heard = []

        async def hear(progress: float, total: float | None, message: str | None) -> None:
            heard.append(progress)

        await link.client.call_tool("talk", progress_callback=hear)
        assert heard == [0.5, 1.5, 2.5, 3.5]
        if link.modern:
            assert await link.text("greet", number=1) == "1: Ada"
        else:
            refused = await link.call("greet", number=1)
            assert refused.is_error
            assert "there is no session to ask in" in str(refused.content[0])
    assert exchanges.session_ids == set()


@asynccontextmanager
async def sessionless(url: str, era: Era, exchanges: Exchanges) -> AsyncIterator[Link]:
    """A link that sets no level, since there is nothing that could keep it."""
    async with httpx2.AsyncClient(
        trust_env=False, timeout=DEADLINE_S, event_hooks={"response": [exchanges.hear]}
    ) as http_client:
        link = Link(streamable_http_client(url, http_client=http_client), era)
        async with link.client:
            yield link


@each_adapter
@each_era
async def test_who_can_answer_nothing_is_asked_nothing(
    adapter: str, era: Era, tmp_path: Path
) -> None:
    async with (
        serve([PROGRAM, adapter], tmp_path / "log") as url,
        bare_client(url, era) as client,
    ):
        result = await client.call_tool("client")
        assert result.structured_content is not None
        assert result.structured_content["can"] == []
        asks: list[Any] = [
            partial(client.call_tool, "greet", {"number": 1}),
            partial(client.get_prompt, "introduce"),
            partial(client.read_resource, "greeting://Hello"),
        ]
        for ask in asks:
            with pytest.raises(MCPError, match="elicitation") as caught:
                await ask()
            assert caught.value.error.code == -32021


@each_adapter
async def test_quiet_calls_and_quiet_streams_last_longer_than_the_silence_between_comments(
    adapter: str, tmp_path: Path
) -> None:
    exchanges = Exchanges()
    async with (
        serve([PROGRAM, adapter], tmp_path / "log") as url,
        connect_to(url, "modern", exchanges.hear) as link,
    ):
        # It lasts three times the interval between comments, and sends nothing of its own.
        exchanges.seen.clear()
        assert await link.text("rest", seconds=0.6) == "rested"
        assert ("POST", 200, "text/event-stream") in exchanges.seen
