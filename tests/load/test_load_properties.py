"""Any bytes give an ASGI app's server a well-formed answer or an end, and nobody a traceback."""

import asyncio
import contextlib
import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import anyio
import h11
import pytest
import trio
import uvicorn
from h11_served import DEADLINE_S, Events, slow_server
from hypercorn.asyncio import serve as serve_asyncio
from hypercorn.config import Config
from hypercorn.trio import serve as serve_trio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from load_http import judge
from raw_http import RawClient, post
from sansmcp_asgi import McpApp

ADD = post("add", a=1, b=2)
BODY_AT = ADD.index(b"\r\n\r\n") + 4
HEAD_LINES = ADD[: BODY_AT - 4].split(b"\r\n")

quick = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)

# -- what is sent ---------------------------------------------------------------------------------

lines = st.sampled_from(
    [*HEAD_LINES, b"GET / HTTP/1.1", b"HEAD /mcp HTTP/1.0", b"DELETE /mcp HTTP/1.1",
     b"OPTIONS /mcp HTTP/1.1", b"Content-Length: 5", b"Content-Length: 0", b"Expect: 100-continue",
     b"Transfer-Encoding: chunked", b"Connection: close", b"Origin: null", b"Accept: \xff",
     b"Mcp-Session-Id: \xe4", b"Mcp-Name: =?base64?!?=", b"Last-Event-ID: 1", b"", b"5", b"0",
     b"Content-Type: application/json; charset=\x80", b"POST /%ff%00 HTTP/1.1", b"{}"]
)  # fmt: skip
any_bytes = st.one_of(
    st.binary(max_size=200),
    st.lists(st.one_of(lines, lines, lines, st.binary(max_size=20)), max_size=12).map(
        lambda chosen: b"\r\n".join([*chosen, b"", b""])
    ),
)


@st.composite
def changed(draw: st.DrawFn) -> bytes:
    """A good request with a piece of it replaced."""
    start = draw(st.integers(0, len(ADD)))
    end = draw(st.integers(start, min(len(ADD), start + 30)))
    return ADD[:start] + draw(st.binary(max_size=30)) + ADD[end:]


@st.composite
def any_body(draw: st.DrawFn) -> bytes:
    """A good head with any body, told by its length or in chunks."""
    body = draw(
        st.one_of(
            st.binary(max_size=200),
            st.text(max_size=50).map(str.encode),
            st.integers(0, len(ADD) - BODY_AT).map(lambda cut: ADD[BODY_AT:][cut:]),
        )
    )
    told = b"Content-Length: %d" % len(body)
    if draw(st.booleans()):
        told = b"Transfer-Encoding: chunked"
        body = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body) if body else b"0\r\n\r\n"
    kept = [line for line in HEAD_LINES if not line.startswith(b"Content-Length")]
    return b"\r\n".join([*kept, told, b"", body])


requests = st.one_of(any_bytes, changed(), any_body())


# -- real servers ---------------------------------------------------------------------------------


class Complaints(logging.Handler):
    """What anybody has logged that has a traceback, or is an error."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info or record.levelno >= logging.ERROR:
            self.found.append(self.format(record))


def run_uvicorn(
    app: Any, sock: socket.socket, until_stopped: Callable[[], bool], http: str
) -> None:
    config = uvicorn.Config(
        app, http=http, loop="asyncio", log_config=None, timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    running = threading.Thread(target=server.run, args=([sock],), daemon=True)
    running.start()
    while not until_stopped():
        time.sleep(0.01)
    server.should_exit = True
    running.join(DEADLINE_S)


def run_hypercorn(
    app: Any, sock: socket.socket, until_stopped: Callable[[], bool], loop: str
) -> None:
    config = Config()
    config.bind = [f"fd://{sock.detach()}"]
    config.graceful_timeout = 0.1
    config.loglevel = "WARNING"
    config.errorlog = logging.getLogger("hypercorn.error")

    async def stopped() -> None:
        while not until_stopped():  # noqa: ASYNC110 - of whatever loop
            await anyio.sleep(0.01)

    if loop == "trio":

        async def main() -> None:
            await serve_trio(app, config, shutdown_trigger=stopped)

        trio.run(main)
    else:
        asyncio.run(serve_asyncio(app, config, shutdown_trigger=stopped))


SERVERS = {
    "uvicorn-h11": (run_uvicorn, "h11"),
    "uvicorn-httptools": (run_uvicorn, "httptools"),
    "hypercorn-asyncio": (run_hypercorn, "asyncio"),
    "hypercorn-trio": (run_hypercorn, "trio"),
}


@pytest.fixture(scope="module", params=SERVERS)
def port(request: pytest.FixtureRequest) -> Iterator[int]:
    """Where a real ASGI server serves in a thread of its own."""
    run, variant = SERVERS[request.param]
    stopping = threading.Event()
    complaints = Complaints()
    logging.getLogger().addHandler(complaints)
    sock = socket.create_server(("127.0.0.1", 0), backlog=1024)
    found: int = sock.getsockname()[1]
    app = McpApp(slow_server(Events()))
    thread = threading.Thread(
        target=run, args=(app, sock, stopping.is_set, variant), name=request.param, daemon=True
    )
    thread.start()
    try:
        yield found
    finally:
        stopping.set()
        thread.join(DEADLINE_S)
        logging.getLogger().removeHandler(complaints)
    assert not thread.is_alive()
    assert complaints.found == []


def check(port: int, data: bytes) -> None:
    """Send it and nothing more; h11 judges what comes."""
    method = "HEAD" if data.lstrip(b"\r\n").startswith(b"HEAD ") else "POST"
    with RawClient(port) as client:
        client.send_leniently(data)
        with contextlib.suppress(OSError):
            client.sock.shutdown(socket.SHUT_WR)
        answer = client.answer_or_end(method)
        if answer is not None:
            assert 200 <= answer.status < 600
            assert answer.status != 500, answer


@quick
@given(data=requests)
def test_any_bytes_are_answered_or_the_connection_closed(data: bytes, port: int) -> None:
    check(port, data)


def test_a_good_request_is_served_after_all_that(port: int) -> None:
    with RawClient(port) as client:
        assert client.send(ADD).receive().status == 200


# -- the app alone --------------------------------------------------------------------------------

FIELDS = [tuple(line.split(b": ", 1)) for line in HEAD_LINES[1:]]
names = st.one_of(
    st.sampled_from([name.lower() for name, _ in FIELDS]),
    st.sampled_from([b"origin", b"mcp-session-id", b"last-event-id", b"x-forwarded-host"]),
    st.binary(max_size=10),
)
values = st.one_of(st.sampled_from([value for _, value in FIELDS]), st.binary(max_size=20))


@st.composite
def scopes(draw: st.DrawFn) -> dict[str, Any]:
    """A scope with anything in it that some server might let through."""
    headers = [(name.lower(), value) for name, value in FIELDS]
    for _ in range(draw(st.integers(0, 4))):
        headers.insert(draw(st.integers(0, len(headers))), (draw(names), draw(values)))
    if draw(st.booleans()):
        del headers[draw(st.integers(0, len(headers) - 1))]
    return {
        "type": "http",
        "http_version": draw(st.sampled_from(["1.0", "1.1", "2"])),
        "method": draw(st.sampled_from(["POST", "POST", "POST", "GET", "DELETE", "OPTIONS", "X"])),
        "scheme": draw(st.sampled_from(["http", "https", ""])),
        "path": draw(st.one_of(st.just("/mcp"), st.just("/"), st.text(max_size=10))),
        "root_path": draw(st.sampled_from(["", "/", "/mcp", "mcp", "/a/b"])),
        "query_string": draw(st.binary(max_size=5)),
        "headers": draw(st.sampled_from([headers, tuple(headers)])),
        "client": None,
        "server": draw(st.sampled_from([None, ("127.0.0.1", 80), ("/tmp/socket", None)])),
    }


@st.composite
def pieces(draw: st.DrawFn) -> list[bytes]:
    """A body, in pieces."""
    body = draw(st.one_of(st.just(ADD[BODY_AT:]), st.binary(max_size=100)))
    cut = draw(st.integers(0, len(body)))
    return draw(st.sampled_from([[body], [body[:cut], body[cut:]], [b"", body, b""], []]))


class Client:
    """Gives a body to the app, then goes away; turns what it sends into HTTP/1.1."""

    def __init__(self, method: str, body: list[bytes]) -> None:
        self._messages: list[dict[str, Any]] = [
            {"type": "http.request", "body": piece, "more_body": True} for piece in body
        ]
        if self._messages:
            self._messages[-1]["more_body"] = False
        self._writer = h11.Connection(h11.SERVER)
        request = h11.Request(method=method, target="/", headers=[("host", "x")])
        reader = h11.Connection(h11.CLIENT)
        self._writer.receive_data(reader.send(request) + reader.send(h11.EndOfMessage()))
        while not isinstance(self._writer.next_event(), h11.EndOfMessage):
            pass
        self.received = b""

    async def receive(self) -> dict[str, Any]:
        if self._messages:
            return self._messages.pop(0)
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        event: h11.Event
        if message["type"] == "http.response.start":
            event = h11.Response(status_code=message["status"], headers=message["headers"])
            self._add(event)
            return
        assert message["type"] == "http.response.body"
        if message["body"]:
            self._add(h11.Data(data=message["body"]))
        if not message["more_body"]:
            self._add(h11.EndOfMessage())

    def _add(self, event: h11.Event) -> None:
        """Add what h11 makes of it; it refuses what is no HTTP."""
        self.received += self._writer.send(event) or b""


@pytest.fixture(scope="module")
def app() -> McpApp:
    return McpApp(slow_server(Events()))


@settings(quick, max_examples=300)
@given(scope=scopes(), body=pieces())
def test_any_scope_and_body_are_answered_in_well_formed_messages(
    scope: dict[str, Any], body: list[bytes], app: McpApp, caplog: pytest.LogCaptureFixture
) -> None:
    client = Client(scope["method"], body)

    async def main() -> None:
        with trio.fail_after(DEADLINE_S):
            await app(scope, client.receive, client.send)

    trio.run(main)
    answer = judge(client.received, method=scope["method"])
    assert body == [] or answer is not None or scope["method"] == "X"
    if answer is not None:
        assert answer.whole
        assert answer.status != 500
    assert [record for record in caplog.records if record.exc_info] == []
