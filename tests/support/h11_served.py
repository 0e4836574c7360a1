"""A server on the raw socket adapter, in a thread of its own, and tools to try it with."""

import contextlib
import threading
import time
from collections.abc import Iterator
from typing import Any

import anyio
import anyio.lowlevel
import pytest
from sansmcp_core import Context, Server
from sansmcp_h11 import BackgroundServer

__all__ = ["DEADLINE_S", "Events", "each_combination", "each_parser", "serving", "slow_server"]

DEADLINE_S = 20.0

each_parser = pytest.mark.parametrize("parser", ["h11", "httptools"])
each_combination = pytest.mark.parametrize(
    ("parser", "backend"),
    [
        pytest.param(parser, backend, id=f"{parser}-{backend}")
        for parser in ("h11", "httptools")
        for backend in ("trio", "asyncio")
    ],
)


class Events:
    """What happened in handlers, by name; can be waited for from any thread."""

    def __init__(self) -> None:
        self._happened: list[str] = []
        self._changed = threading.Condition()

    def note(self, name: str) -> None:
        with self._changed:
            self._happened.append(name)
            self._changed.notify_all()

    def wait(self, name: str, *, times: int = 1, timeout_s: float = DEADLINE_S) -> float:
        """Wait until it has happened so often; return the seconds that took."""
        started = time.monotonic()
        with self._changed:
            enough = self._changed.wait_for(lambda: self._happened.count(name) >= times, timeout_s)
        assert enough, f"{name} did not happen: {self._happened}"
        return time.monotonic() - started

    def has(self, name: str) -> bool:
        with self._changed:
            return name in self._happened


def slow_server(events: Events) -> Server:
    """Tools that answer at once, and tools that wait until they are cancelled or told to end."""
    server = Server("slow", "1")

    @server.tool(inline=True)
    def add(a: int, b: int) -> int:
        return a + b

    @server.tool(inline=True)
    def echo(text: str) -> str:
        return text

    @server.tool
    def blocking(text: str) -> str:
        return text

    @server.tool
    async def soon(text: str) -> str:
        await anyio.sleep(0.1)
        return text

    @server.tool
    async def wait(ctx: Context) -> str:
        events.note("began")
        try:
            for _ in range(400):
                if events.has("release"):
                    events.note("finished")
                    return "released"
                await anyio.sleep(0.01)
        finally:
            events.note("ended")
        return "nobody released it"

    @server.tool
    async def pour() -> str:
        events.note("poured")
        return "x" * 20_000_000

    @server.tool
    async def flood(ctx: Context, pieces: int) -> str:
        for number in range(pieces):
            ctx.log("error", f"{number} " + "x" * 10_000)
            await anyio.lowlevel.checkpoint()
        return "flooded"

    return server


@contextlib.contextmanager
def serving(
    server: Server | None = None, events: Events | None = None, **options: Any
) -> Iterator[BackgroundServer]:
    """A server that runs within the block; ends at once."""
    events = events or Events()
    options.setdefault("drain_s", 0.2)
    with BackgroundServer(server or slow_server(events), **options) as running:
        yield running
