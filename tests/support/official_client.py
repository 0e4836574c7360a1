"""The official Python client, connected over stdio or HTTP; every wait has a deadline."""

import os
import re
import subprocess
import sys
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal, TypeAlias

import anyio
import anyio.abc
import httpx2
import mcp_types as types
import pytest
from mcp import Client, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPDeprecationWarning

__all__ = [
    "DEADLINE_S",
    "EXAMPLES",
    "Era",
    "Link",
    "connect",
    "connect_over_http",
    "connect_to",
    "serve",
]

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
DEADLINE_S = 30.0

Era: TypeAlias = Literal["modern", "legacy"]

_MODES = {"modern": "auto", "legacy": "legacy"}
_ROOT = types.Root.model_validate({"uri": "file:///work/photos", "name": "photos"})


class Link:
    """One client in one of its modes, what it answers, and what it has heard.

    Args:
        transport: The way to the server.
        era: The client's mode.
    """

    def __init__(self, transport: Any, era: Era) -> None:
        self.era = era
        self.client = Client(
            transport,
            mode=_MODES[era],
            read_timeout_seconds=DEADLINE_S,
            elicitation_callback=self._elicit,
            sampling_callback=self._sample,
            list_roots_callback=self._list_roots,
            message_handler=self._hear,
            log_level="debug",
        )
        self._news = anyio.Event()
        self.reset()

    def reset(self) -> None:
        """Forget what was heard, and answer as at first."""
        self.asked: list[Any] = []
        self.heard: list[Any] = []
        self.form: dict[str, Any] | None = None
        """What the user fills in; None declines."""

    @property
    def modern(self) -> bool:
        """Whether the client speaks 2026-07-28."""
        return self.era == "modern"

    async def call(self, name: str, /, **arguments: Any) -> types.CallToolResult:
        """Call a tool."""
        with anyio.fail_after(DEADLINE_S):
            return await self.client.call_tool(name, arguments)

    async def text(self, name: str, /, **arguments: Any) -> str:
        """Call a tool that returns one text, and return it."""
        result = await self.call(name, **arguments)
        (block,) = result.content
        assert isinstance(block, types.TextContent)
        assert not result.is_error, block.text
        return block.text

    def logged(self) -> list[tuple[str, Any]]:
        """Level and data of each log message."""
        return [
            (message.params.level, message.params.data)
            for message in self.heard
            if isinstance(message, types.LoggingMessageNotification)
        ]

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait for what comes by itself."""
        with anyio.fail_after(DEADLINE_S):
            while not holds():
                await self._news.wait()

    @asynccontextmanager
    async def following(
        self, *uris: str, tools: bool = False, prompts: bool = False, resources: bool = False
    ) -> AsyncIterator[Callable[[], list[Any]]]:
        """Follow resources and lists as the era does; gives what has changed by now."""

        def changes() -> list[Any]:
            return [change for message in self.heard if (change := _change(message)) is not None]

        with anyio.fail_after(DEADLINE_S):
            if self.modern:
                async with self.client.listen(
                    resource_subscriptions=uris,
                    tools_list_changed=tools,
                    prompts_list_changed=prompts,
                    resources_list_changed=resources,
                ):
                    yield changes
                return
            with warnings.catch_warnings():
                # What a client of this era has to call, its newer self deprecates.
                warnings.simplefilter("ignore", MCPDeprecationWarning)
                for uri in uris:
                    await self.client.subscribe_resource(uri)
                yield changes
                for uri in uris:
                    await self.client.unsubscribe_resource(uri)

    async def _elicit(self, context: Any, params: Any) -> types.ElicitResult:
        self.asked.append(params)
        if isinstance(params, types.ElicitRequestURLParams):
            return types.ElicitResult(action="accept")
        if self.form is None:
            return types.ElicitResult(action="decline")
        return types.ElicitResult(action="accept", content=self.form)

    async def _sample(self, context: Any, params: Any) -> types.CreateMessageResult:
        self.asked.append(params)
        prompt = params.messages[-1].content.text
        return types.CreateMessageResult(
            role="assistant",
            content=types.TextContent(type="text", text=f"I read: {prompt}"),
            model="echo",
        )

    async def _list_roots(self, context: Any) -> types.ListRootsResult:
        self.asked.append("roots")
        return types.ListRootsResult(roots=[_ROOT])

    async def _hear(self, message: Any) -> None:
        self.heard.append(message)
        self._news.set()
        self._news = anyio.Event()


def _change(message: Any) -> str | None:
    if isinstance(message, types.ResourceUpdatedNotification):
        return str(message.params.uri)
    if isinstance(message, types.ToolListChangedNotification):
        return "tools"
    if isinstance(message, types.PromptListChangedNotification):
        return "prompts"
    if isinstance(message, types.ResourceListChangedNotification):
        return "resources"
    return None


@asynccontextmanager
async def connect(arguments: list[str], era: Era, log: Path) -> AsyncIterator[Link]:
    """Start a server in the folder of the examples, and connect to it over stdio.

    Args:
        arguments: The command line after the interpreter.
        era: The client's mode.
        log: Gets the server's standard error, which must hold no traceback at the end.
    """
    parameters = StdioServerParameters(
        command=sys.executable, args=arguments, cwd=EXAMPLES, env=dict(os.environ)
    )
    with log.open("w") as errors:
        async with _link(stdio_client(parameters, errlog=errors), era) as link:
            yield link
    _check_log(await anyio.Path(log).read_text())


@asynccontextmanager
async def connect_over_http(arguments: list[str], era: Era, log: Path) -> AsyncIterator[Link]:
    """Start a server in the folder of the examples, and connect to the URL that it prints.

    Args:
        arguments: As for ``connect``.
        era: The client's mode.
        log: Gets what the server prints, which must hold no traceback at the end.
    """
    async with serve(arguments, log) as url, connect_to(url, era) as link:
        yield link


@asynccontextmanager
async def connect_to(
    url: str, era: Era, hear: Callable[[httpx2.Response], Awaitable[None]] | None = None
) -> AsyncIterator[Link]:
    """Connect to a server that runs.

    Args:
        url: Its URL.
        era: The client's mode.
        hear: Called with each HTTP response.
    """
    async with (
        # What the environment says of proxies is not meant for this machine itself.
        httpx2.AsyncClient(
            trust_env=False,
            timeout=DEADLINE_S,
            event_hooks={"response": [] if hear is None else [hear]},
        ) as http_client,
        _link(streamable_http_client(url, http_client=http_client), era) as link,
    ):
        yield link


@asynccontextmanager
async def serve(arguments: list[str], log: Path) -> AsyncIterator[str]:
    """Start a server that prints its URL; end it, and expect that it ends well.

    Args:
        arguments: As for ``connect``.
        log: As for ``connect_over_http``.
    """
    async with (
        await anyio.open_process(
            [sys.executable, *arguments], cwd=EXAMPLES, stderr=subprocess.STDOUT
        ) as process,
        anyio.create_task_group() as tasks,
    ):
        try:
            with anyio.fail_after(DEADLINE_S):
                url = await tasks.start(_copy, process, log)
            yield url
            process.terminate()
            with anyio.fail_after(DEADLINE_S):
                status = await process.wait()
        finally:
            if process.returncode is None:
                process.kill()
    text = await anyio.Path(log).read_text()
    _check_log(text)
    assert status == 0, text


def _check_log(text: str) -> None:
    """Nothing may fail in a server but a handler that is made to."""
    assert text.count("Traceback") == text.count("RuntimeError: deliberate\n"), text


async def _copy(
    process: anyio.abc.Process, log: Path, task_status: anyio.abc.TaskStatus[str]
) -> None:
    """Copy what a server prints to its end; started once there is a URL in it."""
    assert process.stdout is not None
    printed = b""
    found = None
    with log.open("wb", buffering=0) as copy:
        async for piece in process.stdout:
            copy.write(piece)
            printed += piece
            if found is None:
                found = re.search(rb"http://\S+(?=\s)", printed)
                if found is not None:
                    task_status.started(found[0].decode())
    assert found is not None, f"the server has printed no URL, but {printed.decode()!r}"


@asynccontextmanager
async def _link(transport: Any, era: Era) -> AsyncIterator[Link]:
    link = Link(transport, era)
    async with link.client:
        if era == "legacy":
            with pytest.warns(MCPDeprecationWarning):
                await link.client.set_logging_level("debug")
        yield link
