"""The table of bad lines over real pipes: each gets its answer, and the process lives on."""

import stdio_client
from bad_input import BAD_LINES, GOOD_ID, GOOD_LINE, NO_ID
from stdio_client import StartServer

start_server = stdio_client.start_server
backend = stdio_client.backend

SERVER = """
server = Server("bad input", "1")

@server.tool
def add(a: int, b: int) -> int:
    return a + b

@server.prompt
def hello(who: str = "you") -> str:
    return f"Hello, {who}"

@server.completion("hello", "who")
def propose(value: str) -> list[str]:
    return ["you"]

@server.resource("a://b")
def b() -> str:
    return "b"
"""


def test_every_bad_line_gets_its_answer_and_the_process_serves_the_next(
    start_server: StartServer, backend: str
) -> None:
    client = start_server(SERVER, backend)
    for row in BAD_LINES:
        client.send(row.line + b"\n", GOOD_LINE + b"\n")
        for code in row.codes:
            message = client.line()
            assert (row.name, message["error"]["code"]) == (row.name, code)
            assert message.get("id", NO_ID) == row.id
        assert (row.name, client.line()) == (
            row.name,
            {"jsonrpc": "2.0", "id": GOOD_ID, "result": {}},
        )

    assert client.end() == 0
    assert client.rest() == []
    assert "Traceback" not in client.log
