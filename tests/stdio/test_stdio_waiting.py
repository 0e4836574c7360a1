"""Calls that wait for a thread lose nothing by it but time."""

import stdio_client
from stdio_client import StartServer, call

start_server = stdio_client.start_server
backend = stdio_client.backend


WAITING = """
gate = threading.Event()

@server.tool
def block() -> str:
    print("blocking", file=sys.stderr)
    gate.wait(60)
    return "blocked"

@server.tool(time_limit_s=0.2)
def hurry() -> str:
    return "in time"

@server.tool(inline=True)
def pass_time() -> str:
    time.sleep(0.5)
    return "passed"

@server.tool(inline=True)
def open_gate() -> str:
    gate.set()
    return "open"
"""


def test_time_that_a_call_waits_for_a_thread_is_not_its_own(
    start_server: StartServer, backend: str
) -> None:
    client = start_server(WAITING, backend, options="{'max_threads': 1}")
    client.send(call(1, "block"), call(2, "hurry"))
    client.await_log("blocking")
    assert client.text(3, "pass_time") == "passed"
    assert client.text(4, "open_gate") == "open"
    assert client.answer(2)["result"]["content"][0]["text"] == "in time"
    assert client.answer(1)["result"]["content"][0]["text"] == "blocked"
    assert client.end() == 0


def test_calls_beyond_the_threads_and_the_queue_are_told_that_the_server_is_busy(
    start_server: StartServer, backend: str
) -> None:
    client = start_server(
        "server = Server('t', '1', settings=Settings(limits=Limits(max_waiting_calls=1)))\n"
        + WAITING,
        backend,
        options="{'max_threads': 1}",
    )
    client.send(call(1, "block"), call(2, "hurry"), call(3, "hurry"))
    assert "busy" in client.answer(3)["error"]["message"]
    assert client.text(4, "open_gate") == "open"
    assert client.answer(2)["result"]["content"][0]["text"] == "in time"
    assert client.answer(1)["result"]["content"][0]["text"] == "blocked"
    assert client.end() == 0
