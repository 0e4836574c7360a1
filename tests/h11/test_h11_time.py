"""What a client may take of time, memory and connections."""

import contextlib
import select
import socket
import ssl
import time
from collections.abc import Iterator
from typing import Any

import pytest
from h11_served import DEADLINE_S, Events, each_combination, serving
from raw_http import RawClient, post, raw
from sansmcp_h11 import ConnectionLimits

pytestmark = each_combination

SOON_S = 0.15
ADD = post("add", a=1, b=2)
HEAD = ADD.partition(b"\r\n\r\n")[0]
FLOOD = post("flood", pieces=5000).replace(
    b'"_meta":{', b'"_meta":{"io.modelcontextprotocol/logLevel":"debug",'
)


def with_length(request: bytes) -> bytes:
    head, _, body = request.partition(b"\r\n\r\n")
    lines = [line for line in head.split(b"\r\n") if not line.startswith(b"Content-Length")]
    return b"\r\n".join([*lines, b"Content-Length: %d" % len(body), b"", body])


def test_a_head_that_does_not_come_to_its_end_is_408(parser: str, backend: str) -> None:
    limits = ConnectionLimits(head_s=SOON_S)
    with (
        serving(parser=parser, backend=backend, limits=limits) as running,
        RawClient(running.bound_port) as client,
    ):
        answer = client.send(HEAD[:20]).receive()
        assert answer.status == 408
        assert client.closed()


def test_a_client_that_sends_a_byte_now_and_then_gains_no_time(parser: str, backend: str) -> None:
    limits = ConnectionLimits(head_s=SOON_S)
    with (
        serving(parser=parser, backend=backend, limits=limits) as running,
        RawClient(running.bound_port) as client,
    ):
        started = time.monotonic()
        for i in range(len(HEAD)):
            client.send_leniently(HEAD[i : i + 1])
            if select.select([client.sock], [], [], 0.02)[0]:
                break
        assert client.receive().status == 408
        assert time.monotonic() - started < SOON_S * 10


def test_a_client_that_sends_nothing_is_let_go_without_a_word(parser: str, backend: str) -> None:
    limits = ConnectionLimits(head_s=SOON_S)
    with (
        serving(parser=parser, backend=backend, limits=limits) as running,
        RawClient(running.bound_port) as client,
    ):
        assert client.closed()


def test_a_connection_that_idles_is_closed(parser: str, backend: str) -> None:
    limits = ConnectionLimits(idle_s=SOON_S)
    with (
        serving(parser=parser, backend=backend, limits=limits) as running,
        RawClient(running.bound_port) as client,
    ):
        assert client.send(ADD).receive().status == 200
        started = time.monotonic()
        assert client.closed()
        assert time.monotonic() - started < SOON_S * 10


def test_a_body_that_does_not_come_is_408(parser: str, backend: str) -> None:
    limits = ConnectionLimits(body_s=SOON_S)
    with (
        serving(parser=parser, backend=backend, limits=limits) as running,
        RawClient(running.bound_port) as client,
    ):
        answer = client.send(ADD[:-1]).receive()
        assert answer.status == 408
        assert client.closed()


def test_a_body_that_trickles_is_408_in_the_end(parser: str, backend: str) -> None:
    limits = ConnectionLimits(body_s=10, body_total_s=2 * SOON_S, head_s=SOON_S)
    head = raw("POST /mcp HTTP/1.1", "Content-Type: application/json",
               "Accept: application/json, text/event-stream", "Content-Length: 100000")  # fmt: skip
    with (
        serving(parser=parser, backend=backend, limits=limits) as running,
        RawClient(running.bound_port) as client,
    ):
        client.send(head)
        while not select.select([client.sock], [], [], 0.01)[0]:
            client.send_leniently(b" ")
        assert client.receive().status == 408


def test_a_client_that_takes_nothing_is_dropped_and_its_call_cancelled(
    parser: str, backend: str
) -> None:
    events = Events()
    limits = ConnectionLimits(write_s=SOON_S)
    with (
        serving(None, events, parser=parser, backend=backend, limits=limits) as running,
        RawClient(running.bound_port, receive_buffer=4096) as client,
    ):
        client.send(post("pour"))
        events.wait("poured")
        with RawClient(running.bound_port) as healthy:
            assert healthy.send(ADD).receive().status == 200
        # The socket is reset while this side has not read a byte.
        poll = select.poll()
        poll.register(client.sock, 0)
        assert poll.poll(DEADLINE_S * 1000)[0][1] & (select.POLLERR | select.POLLHUP)


def test_a_stream_that_nobody_reads_is_dropped_beside_one_that_somebody_reads(
    parser: str, backend: str
) -> None:
    events = Events()
    limits = ConnectionLimits(write_s=SOON_S)
    with (
        serving(None, events, parser=parser, backend=backend, limits=limits) as running,
        RawClient(running.bound_port, receive_buffer=4096) as mute,
        RawClient(running.bound_port) as reader,
    ):
        mute.send(with_length(FLOOD))
        reader.send(with_length(FLOOD.replace(b'"pieces":5000', b'"pieces":500')))
        assert reader.receive().body.count(b"data: ") > 100
        poll = select.poll()
        poll.register(mute.sock, 0)
        assert poll.poll(DEADLINE_S * 1000)[0][1] & (select.POLLERR | select.POLLHUP)


def test_a_slow_reader_gets_all_of_it(parser: str, backend: str) -> None:
    text = "x" * 3_000_000
    with (
        serving(parser=parser, backend=backend) as running,
        RawClient(running.bound_port, receive_buffer=4096) as client,
    ):
        client.send(post("echo", text=text))
        select.select([client.sock], [], [], DEADLINE_S)
        answer = client.receive()
        assert answer.json["result"]["content"][0]["text"] == text


def test_what_hangs_in_the_middle_of_a_handshake_is_let_go(
    parser: str, backend: str, server_tls: ssl.SSLContext
) -> None:
    limits = ConnectionLimits(head_s=SOON_S)
    options: Any = {"parser": parser, "backend": backend, "limits": limits}
    with (
        serving(ssl_context=server_tls, **options) as running,
        RawClient(running.bound_port) as client,
    ):
        client.send(b"\x16\x03\x01")
        assert client.closed()


@contextlib.contextmanager
def crowd_of(size: int, port: int, data: bytes = b"") -> Iterator[list[RawClient]]:
    """Clients that have sent the same."""
    with contextlib.ExitStack() as closing:
        yield [closing.enter_context(RawClient(port)).send(data) for _ in range(size)]


# -- connections ----------------------------------------------------------------------------------


def test_beyond_the_ceiling_a_connection_waits_for_another_to_close(
    parser: str, backend: str
) -> None:
    events = Events()
    limits = ConnectionLimits(max_connections=2)
    with serving(None, events, parser=parser, backend=backend, limits=limits) as running:
        port = running.bound_port
        with crowd_of(2, port, post("wait")) as busy:
            events.wait("began", times=2)
            with RawClient(port).send(ADD) as late:
                assert not select.select([late.sock], [], [], 0.1)[0]
                events.note("release")
                assert [one.receive().status for one in busy] == [200, 200]
                assert late.receive().status == 200


def test_beyond_the_ceiling_the_connection_that_idled_longest_makes_room(
    parser: str, backend: str
) -> None:
    limits = ConnectionLimits(max_connections=2)
    with serving(parser=parser, backend=backend, limits=limits) as running:
        port = running.bound_port
        with RawClient(port) as one, RawClient(port) as two:
            for client in (one, two, one):
                assert client.send(ADD).receive().status == 200
            with RawClient(port) as three:
                assert three.send(ADD).receive().status == 200
            assert two.closed()
            assert one.send(ADD).receive().status == 200


def test_clients_that_only_connect_keep_nobody_out(parser: str, backend: str) -> None:
    limits = ConnectionLimits(max_connections=5)
    with serving(parser=parser, backend=backend, limits=limits) as running:
        port = running.bound_port
        with crowd_of(30, port), RawClient(port) as client:
            assert client.send(ADD).receive().status == 200


def test_slow_heads_are_bounded_in_time_and_others_are_served(parser: str, backend: str) -> None:
    limits = ConnectionLimits(max_connections=20, head_s=4 * SOON_S)
    with serving(parser=parser, backend=backend, limits=limits) as running:
        port = running.bound_port
        with crowd_of(40, port, b"POST") as crowd, RawClient(port) as client:
            assert client.send(ADD).receive().status == 200
            assert {one.receive().status for one in crowd} == {408}


def test_many_connections_at_once_are_all_served(parser: str, backend: str) -> None:
    with (
        serving(parser=parser, backend=backend) as running,
        crowd_of(200, running.bound_port, ADD) as crowd,
    ):
        assert {one.receive().status for one in crowd} == {200}


@pytest.mark.parametrize("name", ["head_s", "max_connections", "write_s"])
def test_a_limit_of_nothing_is_refused(name: str, parser: str, backend: str) -> None:
    with pytest.raises(ValueError, match=f"{name} must be more than 0, got 0"):
        ConnectionLimits(**{name: 0})


def test_a_reset_connection_leaves_the_others_alone(parser: str, backend: str) -> None:
    with serving(parser=parser, backend=backend) as running:
        for data in (b"", HEAD, ADD, ADD * 100):
            client = RawClient(running.bound_port).send(data)
            client.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            client.sock.close()
        with RawClient(running.bound_port) as client:
            assert client.send(ADD).receive().status == 200
