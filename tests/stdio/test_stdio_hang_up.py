"""A client that closes its end is noticed, even where nothing is read since it does not read."""

import json
import os
import select
import socket
import time

import pytest
import stdio_client
from stdio_client import Client, StartServer, call, request

start_server = stdio_client.start_server
backend = stdio_client.backend

SOON_S = 10.0

BIG = """
@server.tool
def big() -> str:
    print("made", file=sys.stderr)
    return "x" * 5_000_000
"""

FLOOD = [request(id, "tools/list") for id in range(20_000)]


def flood(client: Client) -> bytes:
    """Send until the server reads no more; what it was sent."""
    taken = client.send_what_is_taken(FLOOD)
    client.await_quiet()
    sent = b"".join(FLOOD)[:taken]
    assert sent.count(b"\n") < len(FLOOD), "the server read everything"
    return sent


def test_a_client_that_goes_before_it_has_read_a_large_answer(
    start_server: StartServer, backend: str
) -> None:
    client = start_server(BIG, backend, options="{'drain_s': 0.3}")
    client.send(call(1, "big"))
    client.await_log("made")
    client.await_quiet()
    client.close_input()
    assert client.wait(SOON_S) == 0
    assert "Traceback" not in client.log


def test_a_client_that_goes_behind_requests_that_nobody_reads(
    start_server: StartServer, backend: str
) -> None:
    client = start_server(BIG, backend, options="{'drain_s': 0.3}")
    flood(client)
    started = time.monotonic()
    client.close_input()
    assert client.wait(SOON_S) == 0
    assert time.monotonic() - started >= 0.3, "the client was given no time to read"
    assert "Traceback" not in client.log


def test_unread_requests_are_served_to_a_client_that_reads_on_after_it_has_closed(
    start_server: StartServer, backend: str
) -> None:
    client = start_server(BIG, backend, options="{'drain_s': 60.0}")
    sent = flood(client)
    client.close_input()
    client.await_quiet()
    answered = [message["id"] for message in client.rest() if "result" in message]
    assert answered == [json.loads(line)["id"] for line in sent.splitlines()[: sent.count(b"\n")]]
    assert client.wait(SOON_S) == 0


@pytest.mark.skipif(not hasattr(select, "POLLRDHUP"), reason="the system has no name for it")
def test_a_socket_that_is_shut_down_behind_requests_that_nobody_reads(
    start_server: StartServer, backend: str
) -> None:
    theirs, ours = socket.socketpair()
    server_in = theirs.detach()
    to = ours.detach()
    client = start_server.command(
        [str(start_server.script(BIG, backend, "{'drain_s': 0.3}"))],
        ends=(server_in, server_in, to, to),
    )
    flood(client)
    half = socket.socket(fileno=os.dup(to))
    half.shutdown(socket.SHUT_WR)
    half.close()
    assert client.wait(SOON_S) == 0


def test_a_call_that_runs_while_the_client_goes_is_waited_for(
    start_server: StartServer, backend: str
) -> None:
    client = start_server(
        BIG
        + """
gate = threading.Event()

@server.tool
def block() -> str:
    gate.wait(60)
    return "blocked"

@server.tool
def open_gate() -> str:
    gate.set()
    return "open"
""",
        backend,
        options="{'drain_s': 60.0}",
    )
    client.send(call("block", "block"), call("big", "big"))
    client.await_log("made")
    client.await_quiet()
    client.send(call("open", "open_gate"))
    client.close_input()
    client.await_quiet()
    assert sorted(message["id"] for message in client.rest()) == ["big", "block", "open"]
    assert client.wait(SOON_S) == 0
