"""Quick blocking calls share a thread; where one is not quick after all, nothing waits for it."""

import pytest
import stdio_client
from stdio_client import StartServer, call

start_server = stdio_client.start_server
backend = stdio_client.backend

TOOLS = """
gate = threading.Event()

@server.tool
def pass_gate(closed: bool = False) -> str:
    if closed:
        gate.wait(60)
    return threading.current_thread().name

@server.tool(inline=True)
def open_gate() -> str:
    gate.set()
    return "open"
"""


@pytest.mark.parametrize("position", [0, 1, 3, 20])
def test_calls_before_and_behind_one_that_blocks_are_answered_all_the_same(
    start_server: StartServer, backend: str, position: int
) -> None:
    client = start_server(TOOLS, backend, options="{'max_threads': 4}")
    for id in range(20):  # until it is known to be quick
        client.text(f"known {id}", "pass_gate")
    calls = [call(id, "pass_gate", closed=id == position) for id in range(40)]
    client.send(*calls)
    assert {client.line()["id"] for _ in range(39)} == set(range(40)) - {position}
    client.send(call("open", "open_gate"))
    assert {client.line()["id"], client.line()["id"]} == {position, "open"}
    assert client.end() == 0


def test_calls_that_wait_for_each_other_run_side_by_side(
    start_server: StartServer, backend: str
) -> None:
    client = start_server(
        TOOLS
        + """
barrier = threading.Barrier(4)

@server.tool
def meet(wait: bool) -> str:
    if wait:
        barrier.wait(60)
    return "met"
""",
        backend,
        options="{'max_threads': 4}",
    )
    for id in range(20):
        client.text(f"known {id}", "meet", wait=False)
    for turn in range(5):
        ids = {f"{turn} {id}" for id in range(8)}
        client.send(*(call(id, "meet", wait=True) for id in ids))
        assert {client.line()["id"] for _ in ids} == ids
    assert client.end() == 0


def test_thousands_of_quick_calls_are_all_answered(start_server: StartServer, backend: str) -> None:
    client = start_server(TOOLS, backend)
    for turn in range(20):
        ids = {f"{turn} {id}" for id in range(100)}
        client.send(*(call(id, "pass_gate") for id in ids))
        assert {client.line()["id"] for _ in ids} == ids
    assert client.end() == 0
