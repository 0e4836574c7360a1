"""What an exchange of ``McpApp`` leaves behind: nothing that the collector would have to find."""

import gc
import logging

import anyio.lowlevel
import pytest
from asgi_client import Json, ask
from http_peer import modern_post
from http_server import call, make_server
from sansmcp_asgi import McpApp

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    "tool",
    [
        "quick",
        "add",
        "work",
        "later",
        "count",
        "fail",
        "greet",
        "unknown",
        "fail_at_once",
        "fail_later",
    ],
)
async def test_what_is_answered_is_freed_at_once_without_the_collector(
    tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What is logged here would keep exceptions, and all that they lead to.
    monkeypatch.setattr(logging.getLogger("sansmcp.asgi"), "disabled", True)
    arguments: Json = {"a": 1, "b": 2} if tool == "add" else {}
    server = make_server()

    @server.tool
    async def fail_at_once() -> None:
        raise RuntimeError("broken")

    @server.tool
    async def fail_later() -> None:
        await anyio.lowlevel.checkpoint()
        raise RuntimeError("broken")

    app = McpApp(server)
    request = modern_post(call(tool, **arguments))
    await ask(app, request)
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        await ask(app, request)
        gc.collect()
        kept = [item for item in gc.garbage if type(item).__module__.startswith("sansmcp")]
    finally:
        gc.set_debug(0)
        gc.enable()
        gc.garbage.clear()
    assert kept == []
