"""Answers leave in the order in which calls end, and a client may ask for them in any other."""

import stdio_client
from stdio_client import StartServer, call

start_server = stdio_client.start_server
backend = stdio_client.backend


def test_a_call_that_ends_first_is_answered_first_and_still_found_last(
    start_server: StartServer, backend: str
) -> None:
    client = start_server(
        """
ended = threading.Event()

@server.tool
def late() -> str:
    return "late" if ended.wait(20) else "alone"

@server.tool
def early() -> str:
    return "early"

@server.tool
def end_late() -> str:
    ended.set()
    return "ending"
""",
        backend,
    )
    client.send(call(1, "late"), call(2, "early"))
    first = client.read()
    while b"\n" not in first:
        first += client.read()
    assert b"early" in first
    client.send(call(3, "end_late"))
    texts = [client.answer(id)["result"]["content"][0]["text"] for id in (1, 2, 3)]
    assert texts == ["late", "early", "ending"]
    assert client.end() == 0
    assert client.rest() == []
