"""Any bytes give a well-formed HTTP answer or a closed connection, and nothing worth logging."""

import socket
from collections.abc import Iterator

import pytest
from h11_served import each_parser, serving
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from raw_http import RawClient, post
from sansmcp_h11 import BackgroundServer, ConnectionLimits

ADD = post("add", a=1, b=2)
BODY_AT = ADD.index(b"\r\n\r\n") + 4

lines = st.sampled_from(
    [b"POST /mcp HTTP/1.1", b"GET / HTTP/1.1", b"HEAD /mcp HTTP/1.0", b"Host: 127.0.0.1",
     b"Content-Length: 5", b"Content-Length: 0", b"Transfer-Encoding: chunked",
     b"Expect: 100-continue", b"Upgrade: h2c", b"Connection: upgrade", b"Accept: */*",
     b"Content-Type: application/json", b"", b"5", b"0", b"hello", b" folded", b"Connection: close",
     b"OPTIONS * HTTP/1.1", b"Origin: null", b"Mcp-Name: =?base64?!?=", b"Content-Encoding: gzip",
     b"CONNECT a:1 HTTP/1.1"]
)  # fmt: skip
any_bytes = st.one_of(
    st.binary(max_size=300),
    st.lists(st.one_of(lines, lines, lines, st.binary(max_size=20)), max_size=12).map(
        lambda chosen: b"\r\n".join([*chosen, b"", b""])
    ),
)


@st.composite
def mutations(draw: st.DrawFn) -> bytes:
    """A good request with a piece of it replaced."""
    start = draw(st.integers(0, len(ADD)))
    end = draw(st.integers(start, min(len(ADD), start + 30)))
    return ADD[:start] + draw(st.binary(max_size=30)) + ADD[end:]


@st.composite
def bodies(draw: st.DrawFn) -> bytes:
    """A good head with any body, told by its length or in chunks."""
    body = draw(st.one_of(st.binary(max_size=200), st.text(max_size=50).map(str.encode)))
    head = ADD[:BODY_AT].rstrip()
    if draw(st.booleans()):
        told = b"Content-Length: %d" % len(body)
    else:
        told = b"Transfer-Encoding: chunked"
        body = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body) if body else b"0\r\n\r\n"
    kept = [line for line in head.split(b"\r\n") if not line.startswith(b"Content-Length")]
    return b"\r\n".join([*kept, told, b"", body])


@pytest.fixture(scope="module", params=["trio", "asyncio"])
def backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module", params=["h11", "httptools"])
def running(backend: str, request: pytest.FixtureRequest) -> Iterator[BackgroundServer]:
    limits = ConnectionLimits(head_s=5, body_s=5)
    with serving(parser=request.param, backend=backend, limits=limits) as server:
        yield server


def method_of(request: bytes) -> str:
    return "HEAD" if request.lstrip(b"\r\n").startswith(b"HEAD ") else "POST"


def check(running: BackgroundServer, data: bytes) -> None:
    """Send it and nothing more, and read to the end."""
    with RawClient(running.bound_port) as client:
        client.send_leniently(data)
        try:
            client.sock.shutdown(socket.SHUT_WR)
        except OSError:
            return  # closed already
        answer = client.answer_or_end(method_of(data))
        if answer is not None:
            assert 200 <= answer.status < 600
            assert answer.status != 500, answer
    with RawClient(running.bound_port) as client:
        assert client.send(ADD).receive().status == 200


quick = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@quick
@given(data=any_bytes)
def test_any_bytes(data: bytes, running: BackgroundServer) -> None:
    check(running, data)


@quick
@given(data=mutations())
def test_any_change_of_a_good_request(data: bytes, running: BackgroundServer) -> None:
    check(running, data)


@quick
@given(data=bodies())
def test_any_body(data: bytes, running: BackgroundServer) -> None:
    check(running, data)


@each_parser
def test_any_byte_of_a_good_request_may_be_missing(parser: str) -> None:
    with serving(parser=parser) as running:
        for i in range(0, len(ADD), 3):
            check(running, ADD[:i] + ADD[i + 1 :])
