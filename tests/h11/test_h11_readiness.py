"""Waiting for a socket: nothing is lost, everything can be ended, nothing is left registered."""

import contextlib
import socket
from collections.abc import Awaitable, Callable, Iterator
from functools import partial

import anyio
import anyio.lowlevel
import pytest
from sansmcp_h11._readiness import Interrupted, Readiness, readiness_of
from sansmcp_runtime.loops import current_loop

DEADLINE_S = 20.0

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.parametrize("anyio_backend", ["trio", "asyncio"]),
]


@contextlib.contextmanager
def pair() -> Iterator[tuple[socket.socket, socket.socket, Readiness[bytes]]]:
    """Two ends, and what waits for the second."""
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    with ours, theirs:
        readiness: Readiness[bytes] = readiness_of(current_loop().name)(
            theirs, partial(theirs.recv, 100)
        )
        yield ours, theirs, readiness
        readiness.interrupt()


async def pauses(times: int = 20) -> None:
    """Let the loop look at its sockets a few times."""
    for _ in range(times):
        await anyio.sleep(0.001)


async def test_what_comes_is_taken_in_order() -> None:
    with pair() as (ours, _, readiness), anyio.fail_after(DEADLINE_S):
        for data in (b"a", b"b", b"c"):
            ours.send(data)
            assert await readiness.take() == data
        ours.close()
        assert await readiness.take() == b""
        assert await readiness.take() == b""


async def test_what_comes_while_nobody_waits_is_there_later() -> None:
    with pair() as (ours, _, readiness), anyio.fail_after(DEADLINE_S):
        ours.send(b"a")
        assert await readiness.take() == b"a"
        ours.send(b"b")
        await pauses()
        ours.send(b"c")
        assert await readiness.take() == b"bc"


async def test_a_cancelled_wait_loses_nothing() -> None:
    taken: list[bytes] = []

    async def take() -> None:
        taken.append(await readiness.take())

    with pair() as (ours, _, readiness), anyio.fail_after(DEADLINE_S):
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


async def test_a_wait_can_be_ended_from_outside() -> None:
    ended: list[str] = []

    async def wait(name: str, wait_for: Callable[[], Awaitable[object]]) -> None:
        with pytest.raises(Interrupted):
            await wait_for()
        ended.append(name)

    with pair() as (_, theirs, readiness), anyio.fail_after(DEADLINE_S):
        with contextlib.suppress(BlockingIOError):
            while True:
                theirs.send(b"x" * 10_000)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(wait, "take", readiness.take)
            tasks.start_soon(wait, "writable", readiness.writable)
            await pauses(3)
            readiness.interrupt()
        assert sorted(ended) == ["take", "writable"]


async def test_the_next_socket_with_the_same_number_works() -> None:
    with anyio.fail_after(DEADLINE_S):
        for _ in range(5):
            with pair() as (_, theirs, readiness):
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


async def test_an_error_of_the_socket_is_raised() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        ours = socket.create_connection(listener.getsockname())
        theirs, _ = listener.accept()
    with theirs, anyio.fail_after(DEADLINE_S):
        theirs.setblocking(False)
        readiness: Readiness[bytes] = readiness_of(current_loop().name)(
            theirs, partial(theirs.recv, 100)
        )
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        ours.close()
        with pytest.raises(ConnectionResetError):
            await readiness.take()
        readiness.interrupt()
