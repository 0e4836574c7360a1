"""Waiting for a socket: nothing is lost, everything can be ended, nothing is left registered."""

import contextlib
import select
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Sized
from functools import partial
from typing import TypeAlias

import anyio
import anyio.lowlevel
import pytest
from sansmcp_h11._readiness import Interrupted, Readiness, readiness_of
from sansmcp_runtime.loops import current_loop

DEADLINE_S = 20.0

Pair: TypeAlias = tuple[socket.socket, socket.socket, Readiness[bytes]]

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.parametrize("anyio_backend", ["trio", "asyncio"]),
    pytest.mark.parametrize("sockets", [range(1), range(100)], ids=["one", "many"]),
]


@contextlib.asynccontextmanager
async def waiting_for(
    sock: socket.socket, sockets: Sized, take: Callable[[], bytes] | None = None
) -> AsyncIterator[Readiness[bytes]]:
    """What waits for a socket, one of many."""
    sock.setblocking(False)
    with anyio.fail_after(DEADLINE_S):
        async with anyio.create_task_group() as tasks:
            ready = readiness_of(current_loop().name, sockets, tasks)
            readiness: Readiness[bytes] = ready(sock, take or partial(sock.recv, 100))
            yield readiness
            readiness.interrupt()
            tasks.cancel_scope.cancel()


@contextlib.asynccontextmanager
async def pair(sockets: Sized) -> AsyncIterator[Pair]:
    """Two ends, and what waits for the second, one of many."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        async with waiting_for(theirs, sockets) as readiness:
            yield ours, theirs, readiness


async def pauses(times: int = 20) -> None:
    """Let the loop look at its sockets a few times."""
    for _ in range(times):
        await anyio.sleep(0.001)


async def test_what_comes_is_taken_in_order(sockets: range) -> None:
    async with pair(sockets) as (ours, _, readiness):
        for data in (b"a", b"b", b"c"):
            ours.send(data)
            assert await readiness.take() == data
        ours.close()
        assert await readiness.take() == b""
        assert await readiness.take() == b""


async def test_what_comes_while_nobody_waits_is_there_later(sockets: range) -> None:
    async with pair(sockets) as (ours, _, readiness):
        ours.send(b"a")
        assert await readiness.take() == b"a"
        ours.send(b"b")
        await pauses()
        ours.send(b"c")
        assert await readiness.take() == b"bc"


async def test_a_cancelled_wait_loses_nothing(sockets: range) -> None:
    taken: list[bytes] = []

    async def take() -> None:
        taken.append(await readiness.take())

    async with pair(sockets) as (ours, _, readiness):
        for number in range(100):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(take)
                for _ in range(number % 5):
                    await anyio.lowlevel.checkpoint()
                ours.send(b"%d;" % number)
                for _ in range(number % 3):
                    await anyio.lowlevel.checkpoint()
                # What was taken at this very moment must not go with the task.
                tasks.cancel_scope.cancel()
        ours.close()
        while data := await readiness.take():
            taken.append(data)
    assert b"".join(taken) == b"".join(b"%d;" % number for number in range(100))


async def test_a_wait_can_be_ended_from_outside(sockets: range) -> None:
    ended: list[str] = []

    async def wait(name: str, wait_for: Callable[[], Awaitable[object]]) -> None:
        with pytest.raises(Interrupted):
            await wait_for()
        ended.append(name)

    async with pair(sockets) as (_, theirs, readiness):
        with contextlib.suppress(BlockingIOError):
            while True:
                theirs.send(b"x" * 10_000)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(wait, "take", readiness.take)
            tasks.start_soon(wait, "writable", readiness.writable)
            await pauses(3)
            readiness.interrupt()
        assert sorted(ended) == ["take", "writable"]


async def test_the_next_socket_with_the_same_number_works(sockets: range) -> None:
    for _ in range(5):
        async with pair(sockets) as (_, theirs, readiness):
            with contextlib.suppress(BlockingIOError):
                while True:
                    theirs.send(b"x" * 10_000)
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self_ending, readiness.take)
                tasks.start_soon(self_ending, readiness.writable)
                await pauses(3)
                readiness.interrupt()
                theirs.close()


async def self_ending(wait_for: Callable[[], Awaitable[object]]) -> None:
    with contextlib.suppress(Interrupted):
        await wait_for()


async def test_an_error_of_the_socket_is_raised(sockets: range) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        ours = socket.create_connection(listener.getsockname())
        theirs, _ = listener.accept()
    with theirs:
        async with waiting_for(theirs, sockets) as readiness:
            ours.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            ours.close()
            with pytest.raises(ConnectionResetError):
                await readiness.take()


async def test_the_number_of_sockets_may_change_between_two_waits(sockets: range) -> None:
    count = list(sockets)
    async with pair(count) as (ours, _, readiness):
        for number in range(30):
            count[:] = range(number * 7 % 15)
            ours.send(b"%d" % number)
            assert await readiness.take() == b"%d" % number
            await pauses(number % 2)


async def test_what_taking_raises_is_for_who_waits(sockets: range) -> None:
    def take() -> bytes:
        theirs.recv(100)
        raise MemoryError("no room")

    ours, theirs = socket.socketpair()
    with ours, theirs:
        async with waiting_for(theirs, sockets, take) as readiness:
            for _ in range(3):
                ours.send(b"a")
                with pytest.raises(MemoryError, match="no room"):
                    await readiness.take()


async def test_many_sockets_need_no_epoll(sockets: range, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(select, "epoll", raising=False)
    async with pair(sockets) as (ours, _, readiness):
        ours.send(b"a")
        assert await readiness.take() == b"a"
