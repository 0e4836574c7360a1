"""A client of an HTTP/1.1 server that sends what it is told; h11 judges each answer."""

import contextlib
import socket
import ssl
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Self

import h11
import msgspec
from core_peer import modern

__all__ = ["DEADLINE_S", "Answer", "RawClient", "post", "raw", "rpc"]

DEADLINE_S = 20.0


class Answer(NamedTuple):
    """One whole answer."""

    status: int
    headers: dict[str, str]
    body: bytes
    version: str
    before: tuple[int, ...]
    """Statuses of the informational answers before it."""

    @property
    def json(self) -> Any:
        return msgspec.json.decode(self.body)


class RawClient(contextlib.AbstractContextManager["RawClient"]):
    """One connection; every wait has a deadline."""

    def __init__(
        self,
        port: int,
        host: str = "127.0.0.1",
        *,
        tls: ssl.SSLContext | None = None,
        receive_buffer: int | None = None,
    ) -> None:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.sock = socket.socket(family, socket.SOCK_STREAM)
        self.sock.settimeout(DEADLINE_S)
        if receive_buffer is not None:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.sock.connect((host, port))
        if tls is not None:
            self.sock = tls.wrap_socket(self.sock, server_hostname=host)
        self._unread = b""
        self._closed = False

    def __exit__(self, *exc_info: object) -> None:
        self.sock.close()

    def send(self, *pieces: bytes) -> Self:
        for piece in pieces:
            self.sock.sendall(piece)
        return self

    def send_leniently(self, data: bytes) -> None:
        """Send to a server that may close meanwhile."""
        with contextlib.suppress(ConnectionError):
            self.sock.sendall(data)

    def receive(self, method: str = "POST") -> Answer:
        """The next answer, to a request of that method."""
        judge = h11.Connection(h11.CLIENT)
        judge.send(h11.Request(method=method, target="/", headers=[("host", "x")]))
        judge.send(h11.EndOfMessage())
        self._give(judge, self._unread)
        before: list[int] = []
        response: h11.Response | None = None
        body = b""
        while True:
            event = judge.next_event()
            if event is h11.NEED_DATA:
                self._give(judge, self._recv())
            elif isinstance(event, h11.InformationalResponse):
                before.append(event.status_code)
            elif isinstance(event, h11.Response):
                response = event
            elif isinstance(event, h11.Data):
                body += event.data
            elif isinstance(event, h11.EndOfMessage):
                break
            else:
                raise AssertionError(f"no answer, but {event!r}")
        assert response is not None
        self._unread = judge.trailing_data[0]
        headers = {n.decode(): v.decode("latin-1") for n, v in response.headers}
        version = response.http_version.decode()
        return Answer(response.status_code, headers, body, version, tuple(before))

    def receive_all(self, methods: Sequence[str]) -> list[Answer]:
        return [self.receive(method) for method in methods]

    def lines(self) -> Iterator[bytes]:
        """The lines of a stream as they come, chunk sizes and all."""
        while True:
            line, newline, rest = self._unread.partition(b"\n")
            if newline:
                self._unread = rest
                yield line.rstrip(b"\r")
                continue
            data = self._recv()
            if not data:
                return
            self._unread += data

    def wait_for(self, text: bytes) -> None:
        """Read until a line holds that text."""
        for line in self.lines():
            if text in line:
                return
        raise AssertionError(f"the stream ended before {text!r}")

    def closed(self) -> bool:
        """Wait for what comes next; return whether that is the end."""
        return not self._unread and not self._recv()

    def answer_or_end(self, method: str = "POST") -> Answer | None:
        """The next answer; None for a connection that was closed without one."""
        if not self._unread:
            self._unread = self._recv()
        return self.receive(method) if self._unread else None

    def _give(self, judge: h11.Connection, data: bytes) -> None:
        if data or self._closed:
            judge.receive_data(data)

    def _recv(self) -> bytes:
        try:
            data = self.sock.recv(65536)
        except (ConnectionError, ssl.SSLEOFError):
            data = b""
        self._closed = not data
        return data


def raw(start: str, *fields: str, body: bytes = b"") -> bytes:
    """A request: its first line, its fields with ``Host`` before them, and its body."""
    return "\r\n".join([start, "Host: 127.0.0.1", *fields, "", ""]).encode() + body


def rpc(message: dict[str, Any], *fields: str, version: str = "1.1") -> bytes:
    """A POST of a message, with the headers that the endpoint wants beside its body."""
    body = msgspec.json.encode(message)
    return raw(
        f"POST /mcp HTTP/{version}",
        "Content-Type: application/json",
        "Accept: application/json, text/event-stream",
        f"Content-Length: {len(body)}",
        *fields,
        body=body,
    )


def post(name: str, *fields: str, version: str = "1.1", **arguments: Any) -> bytes:
    """A call of a tool by a modern client."""
    message = modern(1, "tools/call", name=name, arguments=arguments)
    return rpc(
        message,
        "MCP-Protocol-Version: 2026-07-28",
        "Mcp-Method: tools/call",
        f"Mcp-Name: {name}",
        *fields,
        version=version,
    )
