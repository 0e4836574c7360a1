"""``serve`` over byte streams of anyio, under trio and asyncio, several at once."""

import contextlib
import json
import logging
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest
from anyio.abc import ByteStream, UNIXSocketStream
from sansmcp_core import Context, Server
from sansmcp_stdio import serve
from stdio_client import await_true, call

pytestmark = pytest.mark.anyio

DEADLINE_S = 20.0


@pytest.fixture(params=["trio", "asyncio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    """Both loops."""
    name: str = request.param
    return name


def make_server(**options: Any) -> Server:
    server = Server("test", "1", **options)

    @server.tool
    async def meet(name: str) -> str:
        await anyio.lowlevel.checkpoint()
        return name

    @server.tool
    def block(name: str) -> str:
        return f"{name} in {threading.current_thread().name.rpartition('-')[0]}"

    @server.tool
    async def hang() -> str:
        await anyio.sleep_forever()
        return "never"

    @server.tool
    def show(ctx: Context) -> str:
        return str(ctx.lifespan)

    return server


class Peer:
    """The client's end of a stream."""

    def __init__(self, stream: ByteStream) -> None:
        self.stream = stream
        self._rest = b""

    async def line(self) -> dict[str, Any]:
        """The next message."""
        while b"\n" not in self._rest:
            self._rest += await self.stream.receive()
        line, _, self._rest = self._rest.partition(b"\n")
        message: dict[str, Any] = json.loads(line)
        return message

    async def text(self, id: int, name: str, /, **arguments: Any) -> str:
        """Call a tool and return its text."""
        await self.stream.send(call(id, name, **arguments))
        answer = await self.line()
        assert answer["id"] == id
        text: str = answer["result"]["content"][0]["text"]
        return text


@contextlib.asynccontextmanager
async def connected(kind: str, folder: Path, server: Server, **options: Any) -> AsyncIterator[Any]:
    """A function that connects to a listener, behind which ``server`` is served.

    At the end, the peers hang up and what serves them has to end by itself.
    """
    peers: list[Peer] = []
    served: list[ByteStream] = []
    all_served = anyio.Event()
    path = folder / "socket"
    listener: Any
    if kind == "unix":
        listener = await anyio.create_unix_listener(path)
    else:
        listener = await anyio.create_tcp_listener(local_host="127.0.0.1")

    async def connect() -> Peer:
        if kind == "unix":
            peers.append(Peer(await anyio.connect_unix(path)))
        else:
            port = listener.extra(anyio.abc.SocketAttribute.local_port)
            peers.append(Peer(await anyio.connect_tcp("127.0.0.1", port)))
        return peers[-1]

    async def handle(stream: ByteStream) -> None:
        await serve(stream, server, **options)
        served.append(stream)
        if len(served) == len(peers):
            all_served.set()

    with anyio.fail_after(DEADLINE_S):
        async with listener, anyio.create_task_group() as tasks:
            tasks.start_soon(listener.serve, handle)
            yield connect
            for peer in peers:
                await peer.stream.aclose()
            await all_served.wait()
            tasks.cancel_scope.cancel()


@pytest.mark.parametrize("kind", ["unix", "tcp"])
async def test_several_streams_are_served_at_once(kind: str, tmp_path: Path) -> None:
    async with connected(kind, tmp_path, make_server()) as connect:
        peers = [await connect() for _ in range(5)]

        async def converse(peer: Peer, name: str) -> None:
            for id in range(10):
                assert await peer.text(2 * id, "meet", name=name) == name
                text = await peer.text(2 * id + 1, "block", name=name)
                assert text == f"{name} in sansmcp-stdio"

        async with anyio.create_task_group() as tasks:
            for number, peer in enumerate(peers):
                tasks.start_soon(converse, peer, f"peer {number}")


async def test_the_stream_is_closed_after_the_end_of_input(tmp_path: Path) -> None:
    async with connected("unix", tmp_path, make_server()) as connect:
        peer = await connect()
        await peer.stream.send(call(1, "meet", name="x").rstrip(b"\n"))
        await peer.stream.send_eof()
        assert (await peer.line())["id"] == 1
        with pytest.raises(anyio.EndOfStream):
            await peer.stream.receive()


async def test_a_large_answer_waits_for_its_reader(tmp_path: Path) -> None:
    async with connected("unix", tmp_path, make_server()) as connect:
        peer = await connect()
        big = "x" * 3_000_000
        assert await peer.text(1, "meet", name=big) == big


async def test_a_stream_that_goes_away_during_a_call_disturbs_no_other(tmp_path: Path) -> None:
    async with connected("unix", tmp_path, make_server(), drain_s=0.1) as connect:
        peer, other = await connect(), await connect()
        await peer.stream.send(call(1, "hang") + call(2, "meet", name="x" * 1_000_000))
        await peer.stream.aclose()
        assert await other.text(1, "meet", name="still here") == "still here"


async def test_cancelling_serve_cancels_its_calls(caplog: pytest.LogCaptureFixture) -> None:
    server = make_server()
    ended = []

    @server.tool
    async def note_end() -> str:
        ended.append("began")
        try:
            await anyio.sleep_forever()
        finally:
            ended.append("ended")
        return "never"

    with caplog.at_level(logging.DEBUG):
        ours, theirs = socket.socketpair()
        async with await UNIXSocketStream.from_socket(ours) as stream:
            async with anyio.create_task_group() as tasks:
                served = await UNIXSocketStream.from_socket(theirs)
                tasks.start_soon(serve, served, server)
                peer = Peer(stream)
                await stream.send(call(1, "note_end") + call(2, "meet", name="x"))
                assert (await peer.line())["id"] == 2
                tasks.cancel_scope.cancel()
            assert ended == ["began", "ended"]
            with pytest.raises(anyio.EndOfStream):
                await stream.receive()
    assert [record for record in caplog.records if record.name == "sansmcp.stdio"] == []


async def test_each_stream_enters_the_lifespan_unless_a_value_is_given(tmp_path: Path) -> None:
    log = []

    @contextlib.contextmanager
    def lifespan(server: Server) -> Iterator[str]:
        log.append("entered")
        yield "own"
        log.append("left")

    server = make_server(lifespan=lifespan)
    async with connected("unix", tmp_path, server) as connect:
        peer = await connect()
        assert await peer.text(1, "show") == "own"
    assert log == ["entered", "left"]
    (tmp_path / "socket").unlink(missing_ok=True)
    async with connected("unix", tmp_path, server, lifespan_value="given") as connect:
        peer = await connect()
        assert await peer.text(1, "show") == "given"
    assert log == ["entered", "left"]


async def test_a_change_made_elsewhere_reaches_every_stream(tmp_path: Path) -> None:
    server = make_server()
    listen = {
        "jsonrpc": "2.0",
        "id": "listen",
        "method": "subscriptions/listen",
        "params": {
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
            },
            "notifications": {"toolsListChanged": True},
        },
    }
    async with connected("unix", tmp_path, server) as connect:
        peers = [await connect() for _ in range(3)]
        for peer in peers:
            await peer.stream.send(json.dumps(listen).encode() + b"\n")
            assert (await peer.line())["method"] == "notifications/subscriptions/acknowledged"
        changing = threading.Thread(target=server.tools.disable, args=["hang"])
        changing.start()
        for peer in peers:
            assert (await peer.line())["method"] == "notifications/tools/list_changed"
        changing.join(DEADLINE_S)
    await_true(lambda: not changing.is_alive(), lambda: "the thread hangs")
