"""Lines of any size, in any pieces, and a client that stops reading."""

import time

import pytest
import stdio_client
from stdio_client import StartServer, call

start_server = stdio_client.start_server
backend = stdio_client.backend

MIB = 1024 * 1024

SIZES = """
@server.tool
def length(text: str) -> int:
    return len(text)

@server.tool
def echo(text: str) -> str:
    return text

@server.tool(inline=True)
def make(count: int) -> str:
    return "x" * count

@server.tool
def memory() -> int:
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith("VmRSS"):
                return int(line.split()[1])
"""


@pytest.mark.parametrize("size", [65_535, 65_536, 65_537])
def test_lines_around_the_size_of_a_read(
    start_server: StartServer, backend: str, size: int
) -> None:
    client = start_server(SIZES, backend)
    text = "é" * ((size - 300) // 2)  # two bytes each, cut in the middle by some read
    line = call(1, "length", text=text)
    padded = line[:-1] + b" " * (size - len(line)) + b"\n"
    assert client.ask(padded)["result"]["content"][0]["text"] == str(len(text))
    assert client.end() == 0


def test_sixteen_mebibytes_in_pieces_of_one(start_server: StartServer, backend: str) -> None:
    client = start_server(SIZES, backend)
    line = call(1, "length", text="x" * (16 * MIB))
    started = time.monotonic()
    for start in range(0, len(line), MIB):
        client.send(line[start : start + MIB])
    assert client.answer(1)["result"]["content"][0]["text"] == str(16 * MIB)
    assert time.monotonic() - started < 20
    assert client.end() == 0


def test_sixteen_mebibytes_come_back_whole(start_server: StartServer, backend: str) -> None:
    client = start_server(SIZES, backend)
    count = 16 * MIB
    client.send(call(1, "make", count=count))
    pieces = [client.read()]
    while not pieces[-1].endswith(b"\n"):
        pieces.append(client.read())
    assert b"".join(pieces).count(b"x") >= count
    assert client.end() == 0


def test_pieces_of_one_byte(start_server: StartServer, backend: str) -> None:
    client = start_server(SIZES, backend)
    lines = call(1, "echo", text="é✓𝄞") + call(2, "echo", text="x")
    for position in range(len(lines)):
        client.send(lines[position : position + 1])
    answers = [client.line(), client.line()]
    texts = {answer["id"]: answer["result"]["content"][0]["text"] for answer in answers}
    assert texts == {1: "é✓𝄞", 2: "x"}
    assert client.end() == 0


def test_a_line_beyond_the_limit_is_refused_and_the_next_is_served(
    start_server: StartServer, backend: str
) -> None:
    source = "server = Server('t', '1', settings=Settings(limits=Limits(max_line_bytes=100_000)))"
    client = start_server(source + SIZES, backend)
    client.send(b"x" * 5 * MIB + b"\n", call(1, "echo", text="x"))
    refusal = client.line()
    assert refusal["error"]["code"] == -32600
    assert "id" not in refusal
    assert client.line()["id"] == 1
    assert client.end() == 0


def test_a_client_that_stops_reading_gets_everything_when_it_resumes(
    start_server: StartServer, backend: str
) -> None:
    client = start_server(SIZES, backend)
    client.send(*[call(id, "make", count=50_000) for id in range(60)])
    client.await_quiet()
    ids = {client.line()["id"] for _ in range(60)}
    assert ids == set(range(60))
    assert client.text("after", "echo", text="x") == "x"
    assert client.end() == 0


@pytest.mark.parametrize("tool", ["make", "echo"])
def test_memory_stays_bounded_while_the_client_does_not_read(
    start_server: StartServer, backend: str, tool: str
) -> None:
    client = start_server(SIZES, backend)
    before = int(client.text("before", "memory"))
    size = 200_000
    arguments = {"count": size} if tool == "make" else {"text": "x" * size}
    # As much as the server takes; it stops reading long before 400 answers of that size exist.
    taken = client.send_what_is_taken([call(id, tool, **arguments) for id in range(400)])
    client.await_quiet()
    peak = client.resident_kib()
    assert peak - before < 60_000, f"{before} -> {peak} KiB for {taken} bytes of requests"
    client.process.kill()


MAKERS = (
    SIZES
    + """
server.tool(make, name="make_blocking")

if BACKEND != "threads":
    @server.tool
    async def make_async(count: int) -> str:
        return make(count)
"""
)


@pytest.mark.parametrize(
    ("backend", "tool"),
    [
        (backend, tool)
        for backend in stdio_client.BACKENDS
        for tool in ("make", "make_blocking", "make_async")
        if (backend, tool) != ("threads", "make_async")
    ],
)
def test_no_call_is_started_while_too_much_waits_for_the_client(
    start_server: StartServer, backend: str, tool: str
) -> None:
    client = start_server(MAKERS, backend, options="{'max_threads': 2}")
    before = int(client.text("before", "memory"))
    client.send(*[call(id, tool, count=5_000_000) for id in range(60)])
    client.await_quiet()
    peak = client.resident_kib()
    assert peak - before < 80_000, f"{before} -> {peak} KiB"
    answers = 0
    while answers < 60:  # and all of them come once it reads
        answers += client.read().count(b"\n")
        client.raw = b""
    assert client.end() == 0
