"""Clients that go away, by half or entirely."""

import contextlib
import logging
import socket
import struct
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from core_peer import LEGACY, initialize, legacy, modern, notification
from h11_served import DEADLINE_S, Events, each_combination, serving
from raw_http import RawClient, post, rpc
from sansmcp_h11 import ConnectionLimits

pytestmark = each_combination

ADD = post("add", a=1, b=2)
WAIT = post("wait")
ABOUT_A_SECOND_S = 1.5

Leave: TypeAlias = Callable[[RawClient], None]


@contextlib.contextmanager
def connected(events: Events, parser: str, backend: str, **limits: Any) -> Iterator[RawClient]:
    with (
        serving(
            None, events, parser=parser, backend=backend, limits=ConnectionLimits(**limits)
        ) as running,
        RawClient(running.bound_port) as client,
    ):
        yield client


def reset(client: RawClient) -> None:
    client.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.sock.close()


def close(client: RawClient) -> None:
    client.sock.close()


STREAMING = WAIT.replace(b"Accept: application/json, text/event-stream", b"Accept: */*")
ONLY_JSON = WAIT.replace(
    b"Accept: application/json, text/event-stream", b"Accept: application/json"
)


@pytest.mark.parametrize("leave", [close, reset])
@pytest.mark.parametrize("request_", [STREAMING, ONLY_JSON], ids=["stream", "JSON"])
def test_a_modern_call_is_cancelled_when_its_client_goes(
    request_: bytes, leave: Leave, parser: str, backend: str, caplog: pytest.LogCaptureFixture
) -> None:
    events = Events()
    caplog.set_level(logging.DEBUG, "sansmcp.h11")
    with connected(events, parser, backend) as client:
        client.send(request_)
        events.wait("began")
        leave(client)
        assert events.wait("ended") < ABOUT_A_SECOND_S
    assert not events.has("finished")
    lines = [r.message for r in caplog.records if r.name == "sansmcp.h11"]
    assert len(lines) == 1
    assert "went away" in lines[0]


@pytest.mark.parametrize("leave", [close, reset])
def test_a_legacy_call_goes_on(leave: Leave, parser: str, backend: str) -> None:
    events = Events()
    with connected(events, parser, backend) as client:
        session = client.send(rpc(initialize())).receive().headers["mcp-session-id"]
        fields = (f"Mcp-Session-Id: {session}", f"MCP-Protocol-Version: {LEGACY}")
        client.send(rpc(notification("notifications/initialized"), *fields))
        assert client.receive().status == 202
        client.send(rpc(legacy(1, "tools/call", name="wait", arguments={}), *fields))
        events.wait("began")
        leave(client)
        # Long enough for a modern call to have been cancelled.
        with pytest.raises(AssertionError):
            events.wait("ended", timeout_s=1.0)
        events.note("release")
        events.wait("finished")


def test_a_client_that_half_closes_gets_what_is_quick(parser: str, backend: str) -> None:
    with connected(Events(), parser, backend, half_closed_s=5) as client:
        client.send(post("soon", text="a"), ADD)
        client.sock.shutdown(socket.SHUT_WR)
        answers = client.receive_all(["POST", "POST"])
        assert [answer.status for answer in answers] == [200, 200]
        assert client.closed()


def test_a_client_that_half_closes_does_not_get_what_is_slow(parser: str, backend: str) -> None:
    events = Events()
    with connected(events, parser, backend, half_closed_s=0.1) as client:
        client.send(WAIT)
        client.sock.shutdown(socket.SHUT_WR)
        assert client.closed()
        events.wait("ended")


@pytest.mark.parametrize("leave", [close, reset])
def test_a_client_that_goes_in_the_middle_of_its_request_is_forgotten(
    leave: Leave, parser: str, backend: str
) -> None:
    with serving(parser=parser, backend=backend) as running:
        for end in (10, len(ADD) - 10):
            client = RawClient(running.bound_port).send(ADD[:end])
            leave(client)
        with RawClient(running.bound_port) as client:
            assert client.send(ADD).receive().status == 200


def test_requests_read_ahead_are_answered_after_a_slow_call(parser: str, backend: str) -> None:
    events = Events()
    with connected(events, parser, backend) as client:
        client.send(WAIT)
        events.wait("began")
        client.send(*[ADD] * 10)
        # The watch begins after a while, and must not eat what it reads.
        with pytest.raises(AssertionError):
            events.wait("ended", timeout_s=0.2)
        events.note("release")
        assert [answer.status for answer in client.receive_all(["POST"] * 11)] == [200] * 11


def test_no_more_is_read_ahead_than_may_be(parser: str, backend: str) -> None:
    events = Events()
    with connected(events, parser, backend, max_ahead_bytes=1000) as client:
        client.send(WAIT)
        events.wait("began")
        client.sock.settimeout(0.3)
        sent = 0
        with contextlib.suppress(TimeoutError):
            while sent < 100_000_000:
                sent += client.sock.send(ADD * 1000)
        assert sent < 100_000_000  # the rest waits on this side
        reset(client)
        assert events.wait("ended") < ABOUT_A_SECOND_S


def test_the_end_is_seen_behind_what_is_not_read_ahead(parser: str, backend: str) -> None:
    events = Events()
    with connected(events, parser, backend, max_ahead_bytes=1000, half_closed_s=0.1) as client:
        client.send(WAIT)
        events.wait("began")
        for _ in range(3):
            client.send(ADD * 5)
            with pytest.raises(AssertionError):
                events.wait("ended", timeout_s=0.05)
        client.sock.close()
        assert events.wait("ended") < ABOUT_A_SECOND_S


LISTEN = rpc(
    modern(1, "subscriptions/listen", notifications={"toolsListChanged": True}),
    "MCP-Protocol-Version: 2026-07-28",
    "Mcp-Method: subscriptions/listen",
)


def descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts descriptors in /proc")
def test_after_many_streams_were_reset_nothing_is_left_of_them(parser: str, backend: str) -> None:
    with serving(parser=parser, backend=backend) as running:
        before = descriptors()
        crowd = [RawClient(running.bound_port).send(LISTEN) for _ in range(100)]
        for client in crowd:
            client.wait_for(b"acknowledged")
        assert descriptors() == before + 200
        for client in crowd:
            reset(client)
        deadline = time.monotonic() + DEADLINE_S
        while descriptors() > before:
            assert time.monotonic() < deadline
            with RawClient(running.bound_port) as client:
                assert client.send(ADD).receive().status == 200
