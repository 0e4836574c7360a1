"""What cannot be stopped is left behind: the process ends soon, with exit status 0."""

import signal
import sys
import time

import pytest
import stdio_client
from stdio_client import StartServer, call

start_server = stdio_client.start_server
backend = stdio_client.backend
loop_backend = stdio_client.loop_backend

SOON_S = 15.0  # the drain, what is added to it, and a machine that does other things, too

HANGING = """
import anyio

@server.tool
async def in_a_thread() -> str:
    print("hanging", file=sys.stderr)
    await anyio.to_thread.run_sync(time.sleep, 300)
    return "x"

@server.tool
async def in_a_thread_of_the_loop() -> str:
    print("hanging", file=sys.stderr)
    if BACKEND == "asyncio":
        import asyncio
        await asyncio.to_thread(time.sleep, 300)
    else:
        import trio
        await trio.to_thread.run_sync(time.sleep, 300)
    return "x"

@server.tool
async def blocking_the_loop() -> str:
    print("hanging", file=sys.stderr)
    time.sleep(300)
    return "x"

@server.tool
async def shielded() -> str:
    print("hanging", file=sys.stderr)
    with anyio.CancelScope(shield=True):
        await anyio.sleep(300)
    return "x"

@server.tool(inline=True)
def inline() -> str:
    print("hanging", file=sys.stderr)
    time.sleep(300)
    return "x"
"""

INLINE = """
@server.tool(inline=True)
def inline() -> str:
    print("hanging", file=sys.stderr)
    time.sleep(300)
    return "x"
"""

TOOLS = ["in_a_thread", "in_a_thread_of_the_loop", "blocking_the_loop", "shielded", "inline"]


@pytest.mark.parametrize("tool", TOOLS)
def test_at_the_end_of_input(start_server: StartServer, loop_backend: str, tool: str) -> None:
    client = start_server(HANGING, loop_backend, options="{'drain_s': 0.2}")
    client.send(call(1, tool))
    client.await_log("hanging\n")
    started = time.monotonic()

    assert client.end() == 0
    assert time.monotonic() - started < SOON_S
    assert "Traceback" not in client.log


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("tool", ["in_a_thread_of_the_loop", "blocking_the_loop"])
def test_on_a_signal(
    start_server: StartServer, loop_backend: str, tool: str, number: signal.Signals
) -> None:
    client = start_server(HANGING, loop_backend, options="{'drain_s': 0.2}")
    client.send(call(1, tool))
    client.await_log("hanging\n")
    started = time.monotonic()
    client.process.send_signal(number)

    assert client.wait() == 0
    assert time.monotonic() - started < SOON_S
    assert "Traceback" not in client.log


TO_A_THREAD = """
import signal, threading

@server.tool
def interrupted() -> str:
    signal.pthread_kill(threading.get_ident(), signal.SIGTERM)
    time.sleep(300)
    return "x"
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent to processes only")
@pytest.mark.parametrize("backend", ["threads", "trio", "asyncio"])
def test_on_a_signal_that_interrupts_another_thread(
    start_server: StartServer, backend: str
) -> None:
    """The system chooses which thread it interrupts; Python's handlers run in the main one."""
    client = start_server(TO_A_THREAD, backend, options="{'drain_s': 0.2}")
    client.send(call(1, "interrupted"))

    assert client.wait() == 0
    assert "Traceback" not in client.log


@pytest.mark.parametrize("by_signal", [False, True], ids=["end of input", "SIGTERM"])
def test_a_hanging_inline_handler_on_threads(start_server: StartServer, by_signal: bool) -> None:
    client = start_server(INLINE, "threads", options="{'drain_s': 0.2}")
    client.send(call(1, "inline"))
    client.await_log("hanging\n")
    started = time.monotonic()
    if by_signal:
        client.process.send_signal(signal.SIGTERM)
        assert client.wait() == 0
    else:
        assert client.end() == 0

    assert time.monotonic() - started < SOON_S
    assert "left behind" in client.log


def test_a_slow_server_that_moves_is_waited_for(start_server: StartServer) -> None:
    """Requests that were sent before the end of input are served, however long they take in all."""
    slow = """
@server.tool(inline=True)
def slow() -> str:
    time.sleep(0.5)
    return "x"
"""
    client = start_server(slow, "threads", options="{'drain_s': 0.2}")
    client.send(*(call(id, "slow") for id in range(8)))
    client.close_input()

    assert [message["id"] for message in client.rest()] == list(range(8))
    assert client.wait() == 0
