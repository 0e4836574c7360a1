"""Handlers that the backend cannot run, and what the program is told to do about it."""

import pytest
import stdio_client
from stdio_client import StartServer, call

start_server = stdio_client.start_server


@pytest.mark.parametrize(
    ("runs", "written_for", "statement"),
    [
        ("trio", "asyncio", "await asyncio.to_thread(int)"),
        ("trio", "asyncio", "await anyio.sleep(0); await asyncio.sleep(1)"),
        ("asyncio", "trio", "await trio.sleep(1)"),
        ("asyncio", "trio", "await anyio.sleep(0); await trio.to_thread.run_sync(int)"),
    ],
)
def test_the_log_names_the_event_loop_that_a_handler_was_written_for(
    start_server: StartServer, runs: str, written_for: str, statement: str
) -> None:
    client = start_server(
        f"""
import anyio, asyncio, trio

@server.tool
async def foreign() -> str:
    {statement}
""",
        runs,
    )
    assert client.ask(call(1, "foreign"))["result"]["isError"] is True
    assert client.end() == 0
    advice = (
        f"this handler uses {written_for}: serve it with "
        f'sansmcp_stdio.run(server, backend="{written_for}")'
    )
    assert advice in client.log


def test_a_backend_without_a_loop_refuses_async_handlers_and_says_why(
    start_server: StartServer,
) -> None:
    client = start_server("@server.tool\nasync def wait() -> str:\n    return 'x'", "threads")
    assert client.wait() == 1
    assert "the handler of tool 'wait' is async" in client.log
    assert "that was asked for (a backend of threads)" in client.log
