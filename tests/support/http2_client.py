"""A client of one HTTP/2 connection, with h2; every wait has a deadline."""

import contextlib
import socket
import ssl
from typing import Self

import h2.config
import h2.connection
import h2.events
from http_peer import Request

__all__ = ["Http2Client"]

DEADLINE_S = 20.0


class Http2Client(contextlib.AbstractContextManager["Http2Client"]):
    """One connection over TLS; streams are known by their numbers."""

    def __init__(self, port: int, trust: ssl.SSLContext) -> None:
        trust.set_alpn_protocols(["h2"])
        sock = socket.create_connection(("127.0.0.1", port), DEADLINE_S)
        self._sock = trust.wrap_socket(sock, server_hostname="127.0.0.1")
        assert self._sock.selected_alpn_protocol() == "h2"
        config = h2.config.H2Configuration(client_side=True, header_encoding="utf-8")
        self._h2 = h2.connection.H2Connection(config)
        self._h2.initiate_connection()
        self._flush()
        self.heads: dict[int, dict[str, str]] = {}
        self.bodies: dict[int, bytes] = {}
        self.ended: set[int] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._sock.close()

    def send(self, request: Request, *, ends: bool = True) -> int:
        """Begin a stream with a request; return its number."""
        stream_id = self._h2.get_next_available_stream_id()
        fields = [(name.decode(), value.decode()) for name, value in request.headers]
        heads = [
            (":method", request.method),
            (":scheme", "https"),
            (":authority", "127.0.0.1"),
            (":path", request.path),
            *(field for field in fields if field[0] != "host"),
        ]
        self._h2.send_headers(stream_id, heads)
        self._h2.send_data(stream_id, request.body, end_stream=ends)
        self._flush()
        self.bodies[stream_id] = b""
        return stream_id

    def reset(self, stream_id: int) -> None:
        """Take a request back, and leave the connection open."""
        self._h2.reset_stream(stream_id)
        self._flush()

    def wait_for(self, stream_id: int, text: bytes) -> None:
        """Read until the stream's body holds that text."""
        while text not in self.bodies[stream_id]:
            assert stream_id not in self.ended, self.bodies[stream_id]
            self._read()

    def receive(self, stream_id: int) -> tuple[dict[str, str], bytes]:
        """The whole answer on a stream."""
        while stream_id not in self.ended:
            self._read()
        return self.heads[stream_id], self.bodies[stream_id]

    def _read(self) -> None:
        data = self._sock.recv(65536)
        assert data, "the connection ended"
        for event in self._h2.receive_data(data):
            if isinstance(event, h2.events.ResponseReceived):
                self.heads[event.stream_id] = dict(event.headers)  # type: ignore[arg-type]
            elif isinstance(event, h2.events.DataReceived):
                self.bodies[event.stream_id] += event.data
                self._h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            elif isinstance(event, h2.events.StreamEnded | h2.events.StreamReset):
                self.ended.add(event.stream_id)
            else:
                assert not isinstance(event, h2.events.ConnectionTerminated), event
        self._flush()

    def _flush(self) -> None:
        self._sock.sendall(self._h2.data_to_send())
