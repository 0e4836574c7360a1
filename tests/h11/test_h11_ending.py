"""The beginning and the end of a server: in a thread of its own, and in a loop of the user's."""

import contextlib
import logging
import socket
import threading
import time
from collections.abc import AsyncIterator, Iterator
from functools import partial
from typing import Any

import anyio
import anyio.abc
import pytest
import trio
from core_peer import initialize, legacy, modern
from h11_served import DEADLINE_S, Events, each_combination, serving, slow_server
from raw_http import RawClient, post, rpc
from sansmcp_core import Server
from sansmcp_h11 import Address, BackgroundServer, run, serve
from sansmcp_h11._run import Stopper

ADD = post("add", a=1, b=2)
WAIT = post("wait")
LISTEN = rpc(
    modern(1, "subscriptions/listen", notifications={"toolsListChanged": True}),
    "MCP-Protocol-Version: 2026-07-28",
    "Mcp-Method: subscriptions/listen",
)
AT_ONCE_S = 2.0

each_backend = pytest.mark.parametrize("backend", ["trio", "asyncio"])
on_each_loop = pytest.mark.parametrize("anyio_backend", ["trio", "asyncio"])


@contextlib.contextmanager
def stopping(running: BackgroundServer) -> Iterator[float]:
    """Stop a server in another thread meanwhile; yields when that began."""
    thread = threading.Thread(target=running.stop)
    thread.start()
    try:
        yield time.monotonic()
    finally:
        thread.join(DEADLINE_S)
        assert not thread.is_alive()


# -- the end --------------------------------------------------------------------------------------


@each_combination
def test_streams_end_with_their_result_and_connections_close(parser: str, backend: str) -> None:
    with (
        serving(parser=parser, backend=backend, drain_s=DEADLINE_S) as running,
        RawClient(running.bound_port) as client,
    ):
        client.send(LISTEN).wait_for(b"notifications/subscriptions/acknowledged")
        with stopping(running) as began:
            rest = b"\n".join(client.lines())
        assert b'"result"' in rest
        assert rest.endswith(b"0\n")
        assert time.monotonic() - began < AT_ONCE_S


@each_combination
def test_calls_get_time_to_end(parser: str, backend: str) -> None:
    events = Events()
    with (
        serving(None, events, parser=parser, backend=backend, drain_s=DEADLINE_S) as running,
        RawClient(running.bound_port) as client,
    ):
        client.send(WAIT)
        events.wait("began")
        with stopping(running):
            until_refused(running.bound_port)
            events.note("release")
            answer = client.receive()
            assert answer.json["result"]["content"][0]["text"] == "released"
            assert answer.headers["connection"] == "close"
            assert client.closed()


def until_refused(port: int) -> None:
    """Return when nobody listens at a port any more."""
    deadline = time.monotonic() + DEADLINE_S
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            return
    raise AssertionError("somebody still listens")


@each_combination
def test_calls_that_take_longer_are_cancelled(parser: str, backend: str) -> None:
    events = Events()
    with (
        serving(None, events, parser=parser, backend=backend, drain_s=0.1) as running,
        RawClient(running.bound_port) as client,
    ):
        client.send(WAIT)
        events.wait("began")
        with stopping(running) as began:
            events.wait("ended")
        assert not events.has("finished")
        assert time.monotonic() - began < AT_ONCE_S


@each_combination
def test_a_legacy_call_gets_time_to_end_although_its_client_has_gone(
    parser: str, backend: str
) -> None:
    events = Events()
    with serving(None, events, parser=parser, backend=backend, drain_s=DEADLINE_S) as running:
        with RawClient(running.bound_port) as client:
            session = client.send(rpc(initialize())).receive().headers["mcp-session-id"]
            call = legacy(1, "tools/call", name="wait", arguments={})
            client.send(rpc(call, f"Mcp-Session-Id: {session}"))
            events.wait("began")
        with stopping(running):
            until_refused(running.bound_port)
            events.note("release")
        assert events.has("finished")


@each_combination
def test_idle_connections_do_not_keep_a_server_from_ending(parser: str, backend: str) -> None:
    with (
        serving(parser=parser, backend=backend, drain_s=DEADLINE_S) as running,
        RawClient(running.bound_port) as used,
        RawClient(running.bound_port) as unused,
    ):
        assert used.send(ADD).receive().status == 200
        with stopping(running) as began:
            assert used.closed()
            assert unused.closed()
        assert time.monotonic() - began < AT_ONCE_S


@each_backend
def test_a_thread_that_hangs_keeps_nothing_from_ending(backend: str) -> None:
    events, gate = Events(), threading.Event()
    server = slow_server(events)

    @server.tool
    def hang() -> str:
        events.note("hangs")
        gate.wait(DEADLINE_S)
        return ""

    with (
        serving(server, backend=backend, drain_s=0.1) as running,
        RawClient(running.bound_port) as client,
    ):
        client.send(post("hang"))
        events.wait("hangs")
        with stopping(running) as began:
            pass
        assert time.monotonic() - began < AT_ONCE_S
    gate.set()


# -- the lifespan ---------------------------------------------------------------------------------


def with_lifespan(events: Events, *, is_async: bool) -> Server:
    @contextlib.asynccontextmanager
    async def async_lifespan(server: Server) -> AsyncIterator[str]:
        events.note("entered")
        yield "value"
        events.note("left")

    @contextlib.contextmanager
    def plain_lifespan(server: Server) -> Iterator[str]:
        events.note("entered")
        yield "value"
        events.note("left")

    return Server("lasting", "1", lifespan=async_lifespan if is_async else plain_lifespan)


@each_backend
@pytest.mark.parametrize("is_async", [True, False])
def test_the_lifespan_is_entered_before_and_left_after(backend: str, is_async: bool) -> None:
    events = Events()
    with serving(with_lifespan(events, is_async=is_async), backend=backend):
        assert events.has("entered")
        assert not events.has("left")
    assert events.has("left")


@each_backend
def test_what_goes_wrong_at_the_start_is_raised_where_it_was_started(backend: Any) -> None:
    @contextlib.contextmanager
    def lifespan(server: Server) -> Iterator[None]:
        raise RuntimeError("no database")
        yield

    background = BackgroundServer(Server("broken", "1", lifespan=lifespan), backend=backend)
    with pytest.raises(RuntimeError, match="no database"):
        background.start()
    background.stop()
    with pytest.raises(RuntimeError, match="was not started"):
        _ = background.url


# -- in the background ----------------------------------------------------------------------------


def test_a_port_that_is_taken_is_told_at_the_start() -> None:
    with serving() as running:
        port = running.bound_port
        with pytest.raises(OSError, match=f"port {port}: .* in use"):
            BackgroundServer(slow_server(Events()), port=port).start()
    with serving(port=port) as again:
        assert again.bound_port == port


def test_stop_may_be_called_by_anyone_and_again_and_before_the_start() -> None:
    running = BackgroundServer(slow_server(Events()))
    running.stop()
    running.start()
    threads = [threading.Thread(target=running.stop) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(DEADLINE_S)
        assert not thread.is_alive()
    running.stop()
    with pytest.raises(RuntimeError, match="started before"):
        running.start()


@each_backend
def test_a_handler_may_stop_its_server(backend: Any) -> None:
    server = slow_server(Events())
    background = BackgroundServer(server, backend=backend)

    @server.tool
    async def end() -> str:
        background.stop()
        return "ending"

    with background as running, RawClient(running.bound_port) as client:
        answer = client.send(post("end")).receive()
        assert answer.json["result"]["content"][0]["text"] == "ending"
        assert client.closed()


def test_a_server_is_unreachable_before_it_has_started() -> None:
    background = BackgroundServer(slow_server(Events()))
    with pytest.raises(RuntimeError, match="was not started; use it in a with statement"):
        _ = background.bound_port


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"parser": "http"}, ValueError, "parser must be one of h11, httptools, got 'http'"),
        ({"backend": "curio"}, ValueError, "backend must be one of trio, asyncio, got 'curio'"),
    ],
)
@pytest.mark.parametrize("start", [BackgroundServer, run])
def test_what_cannot_be_is_refused_before_anything_is_bound(
    start: Any, options: Any, error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        start(slow_server(Events()), **options)
    with pytest.raises(TypeError, match=r"expected a sansmcp_core.Server, got str"):
        start("server")


def test_servers_side_by_side_share_nothing() -> None:
    with serving() as one, serving() as two:
        assert one.bound_port != two.bound_port
        one.stop()
        with RawClient(two.bound_port) as client:
            assert client.send(ADD).receive().status == 200


# -- in a loop of one's own -----------------------------------------------------------------------


async def call(port: int) -> int:
    async with await anyio.connect_tcp("127.0.0.1", port) as stream:
        await stream.send(ADD)
        return int((await stream.receive()).split()[1])


@on_each_loop
@pytest.mark.anyio
async def test_a_task_serves_until_it_is_told_to_stop() -> None:
    stop = anyio.Event()
    with anyio.fail_after(DEADLINE_S):
        async with anyio.create_task_group() as tasks:
            address = await tasks.start(
                partial(serve, slow_server(Events()), port=0, stop=stop.wait)
            )
            assert address == Address(
                "127.0.0.1", address.port, f"http://127.0.0.1:{address.port}/mcp"
            )
            assert await call(address.port) == 200
            stop.set()


@on_each_loop
@pytest.mark.anyio
async def test_a_task_serves_until_it_is_cancelled() -> None:
    events = Events()
    with anyio.fail_after(DEADLINE_S):
        async with anyio.create_task_group() as tasks:
            address = await tasks.start(partial(serve, slow_server(events), port=0))
            async with await anyio.connect_tcp("127.0.0.1", address.port) as stream:
                await stream.send(WAIT)
                await anyio.to_thread.run_sync(events.wait, "began")
                tasks.cancel_scope.cancel()
    events.wait("ended")
    until_refused(address.port)


async def test_a_nursery_of_trio_starts_it() -> None:
    with trio.fail_after(DEADLINE_S):
        async with trio.open_nursery() as nursery:
            address = await nursery.start(partial(serve, slow_server(Events()), port=0))
            assert await call(address.port) == 200
            nursery.cancel_scope.cancel()


@on_each_loop
@pytest.mark.anyio
async def test_a_port_that_is_taken_is_told_to_who_serves() -> None:
    with serving() as running, pytest.raises(OSError, match="in use"):
        await serve(slow_server(Events()), port=running.bound_port)


@on_each_loop
@pytest.mark.anyio
async def test_a_server_told_to_stop_before_it_has_begun_ends_at_once() -> None:
    stopper = Stopper()
    stopper.stop(at_once=True)
    with anyio.fail_after(DEADLINE_S), anyio.CancelScope() as scope:
        stopper.attend(scope)
        await stopper.wait()
        await anyio.lowlevel.checkpoint()
    assert scope.cancelled_caught


@each_backend
def test_a_fault_of_our_own_is_an_error_of_the_log_and_costs_one_connection(
    backend: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sansmcp_h11 import _connection

    def fail(head: Any, place: Any) -> None:
        raise RuntimeError("broken")

    with serving(backend=backend) as running:
        with RawClient(running.bound_port) as client, monkeypatch.context() as patch:
            patch.setattr(_connection, "request_of", fail)
            assert client.send(ADD).closed()
        with RawClient(running.bound_port) as client:
            assert client.send(ADD).receive().status == 200
    assert [record.message for record in caplog.records if record.levelno >= logging.WARNING] == [
        "a connection failed"
    ]
    caplog.clear()
