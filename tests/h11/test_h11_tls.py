"""TLS in front of everything."""

import select
import socket
import ssl
from typing import Any

import pytest
from core_peer import modern
from h11_served import DEADLINE_S, Events, each_combination, serving
from raw_http import RawClient, post, raw, rpc
from sansmcp_core import Server
from sansmcp_h11 import BackgroundServer, ConnectionLimits

pytestmark = each_combination

ADD = post("add", a=1, b=2)


def test_requests_and_pipelines_are_answered(
    parser: str, backend: str, server_tls: ssl.SSLContext, client_tls: ssl.SSLContext
) -> None:
    with serving(parser=parser, backend=backend, ssl_context=server_tls) as running:
        assert running.url.startswith("https://127.0.0.1:")
        for host in ("127.0.0.1", "::1"):
            with RawClient(running.bound_port, host, tls=client_tls) as client:
                client.send(ADD, ADD + post("soon", text="x"))
                assert [a.status for a in client.receive_all(["POST"] * 3)] == [200] * 3


def test_much_passes_both_ways(
    parser: str, backend: str, server_tls: ssl.SSLContext, client_tls: ssl.SSLContext
) -> None:
    text = "x" * 2_000_000
    with (
        serving(parser=parser, backend=backend, ssl_context=server_tls) as running,
        RawClient(running.bound_port, tls=client_tls, receive_buffer=8192) as client,
    ):
        answer = client.send(post("echo", text=text)).receive()
        assert answer.json["result"]["content"][0]["text"] == text


def test_a_page_of_the_same_address_is_of_https(
    parser: str, backend: str, server_tls: ssl.SSLContext, client_tls: ssl.SSLContext
) -> None:
    with (
        serving(parser=parser, backend=backend, ssl_context=server_tls) as running,
        RawClient(running.bound_port, tls=client_tls) as client,
    ):
        request = post("add", f"Origin: https://127.0.0.1:{running.bound_port}", a=1, b=2)
        assert client.send(request).receive().status == 200


def test_the_end_is_said_in_tls_too(
    parser: str, backend: str, server_tls: ssl.SSLContext, client_tls: ssl.SSLContext
) -> None:
    with (
        serving(parser=parser, backend=backend, ssl_context=server_tls) as running,
        RawClient(running.bound_port, tls=client_tls) as client,
    ):
        request = post("add", version="1.0", a=1, b=2)
        assert client.send(request).receive().status == 200
        # Without its own word for the end, this would be an SSLEOFError.
        assert client.sock.recv(100) == b""


def test_a_call_is_cancelled_when_its_client_goes(
    parser: str, backend: str, server_tls: ssl.SSLContext, client_tls: ssl.SSLContext
) -> None:
    events = Events()
    options: Any = {"parser": parser, "backend": backend, "ssl_context": server_tls}
    with serving(None, events, **options) as running:
        with RawClient(running.bound_port, tls=client_tls) as client:
            client.send(post("wait"))
            events.wait("began")
        assert events.wait("ended") < 1.5


def test_a_stream_ends_with_the_server(
    parser: str, backend: str, server_tls: ssl.SSLContext, client_tls: ssl.SSLContext
) -> None:
    request = rpc(
        modern(1, "subscriptions/listen", notifications={"toolsListChanged": True}),
        "MCP-Protocol-Version: 2026-07-28",
        "Mcp-Method: subscriptions/listen",
    )
    with (
        serving(parser=parser, backend=backend, ssl_context=server_tls) as running,
        RawClient(running.bound_port, tls=client_tls) as client,
    ):
        client.send(request).wait_for(b"acknowledged")
        running.stop()
        client.wait_for(b'"result"')


def test_who_does_not_speak_tls_is_let_go(
    parser: str, backend: str, server_tls: ssl.SSLContext, client_tls: ssl.SSLContext
) -> None:
    with serving(parser=parser, backend=backend, ssl_context=server_tls) as running:
        for data in (raw("GET / HTTP/1.1"), b"\x16\x03\x01\x00\x05hello", b"\0" * 100):
            with RawClient(running.bound_port) as client:
                client.send(data).sock.shutdown(socket.SHUT_WR)
                while not client.closed():
                    pass
        with RawClient(running.bound_port, tls=client_tls) as client:
            assert client.send(ADD).receive().status == 200


def test_a_client_that_takes_nothing_is_dropped(
    parser: str, backend: str, server_tls: ssl.SSLContext, client_tls: ssl.SSLContext
) -> None:
    limits = ConnectionLimits(write_s=0.15)
    options: Any = {"parser": parser, "backend": backend, "limits": limits}
    with (
        serving(ssl_context=server_tls, **options) as running,
        RawClient(running.bound_port, tls=client_tls, receive_buffer=4096) as client,
    ):
        client.send(post("pour"))
        poll = select.poll()
        poll.register(client.sock, 0)
        assert poll.poll(DEADLINE_S * 1000)[0][1] & (select.POLLERR | select.POLLHUP)


def test_a_context_that_cannot_serve_is_refused_before_anything_is_bound(
    parser: Any, backend: Any
) -> None:
    options = {"parser": parser, "backend": backend}
    wrong: Any = "cert.pem"
    with pytest.raises(TypeError, match="ssl_context"):
        BackgroundServer(Server("tls"), ssl_context=wrong, **options)
    with pytest.raises(ValueError, match="for clients"):
        BackgroundServer(Server("tls"), ssl_context=ssl.create_default_context(), **options)
