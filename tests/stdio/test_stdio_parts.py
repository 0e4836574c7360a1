"""The small parts of the adapter, each by itself."""

import os
from collections.abc import Iterator
from typing import Any

import pytest
from sansmcp_core import Server
from sansmcp_stdio import run
from sansmcp_stdio._channel import Channel
from sansmcp_stdio._pace import Pace
from sansmcp_stdio._watch import PumpWatch, Seen, Watch

DEADLINE_S = 20.0


@pytest.fixture
def ends() -> Iterator[tuple[Channel, int, int]]:
    """A channel, the end that writes to it, and the end that reads from it."""
    in_fd, to = os.pipe()
    back, out_fd = os.pipe()
    yield Channel(in_fd, out_fd), to, back
    for fd in (in_fd, to, back, out_fd):
        os.close(fd)


# -- pace ------------------------------------------------------------------------------------


def test_a_name_is_slow_until_it_was_quick_and_again_once_it_was_not() -> None:
    pace = Pace()
    assert pace.is_slow("a")
    pace.took("a", 0.0001)
    assert not pace.is_slow("a")
    assert pace.is_slow("b")
    pace.took("a", 0.1)
    assert pace.is_slow("a")


def test_names_are_not_collected_without_bound() -> None:
    pace = Pace()
    for number in range(10_000):
        pace.took(f"name {number}", 0.0)
    assert sum(not pace.is_slow(f"name {number}") for number in range(10_000)) <= 1000


# -- channel and watches ---------------------------------------------------------------------


NO_FLAG = 1 << 30


@pytest.mark.parametrize("flags", [getattr(os, "RWF_NOWAIT", 0), NO_FLAG, 0])
def test_a_channel_never_waits_for_room(
    flags: int, ends: tuple[Channel, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the system can be asked not to wait, where it refuses, and where it cannot."""
    channel, _, back = ends
    monkeypatch.setattr(channel, "_write_flags", flags)
    data = b"x" * 1_000_000
    sent = channel.send(data)
    assert 0 < sent < len(data)
    assert channel.send(data[sent:]) == 0
    received = os.read(back, 1 << 20)
    assert channel.send(data[sent:]) > 0
    assert set(received) == {ord("x")}


def test_a_channel_tells_the_end_and_unreadable_descriptors_alike() -> None:
    in_fd, to = os.pipe()
    null = os.open(os.devnull, os.O_WRONLY)
    os.close(to)
    assert Channel(in_fd, null).receive() == b""
    os.close(in_fd)
    assert Channel(in_fd, null).receive() == b""
    os.close(null)


def test_a_channel_without_a_reader_raises(ends: tuple[Channel, int, int]) -> None:
    in_fd, _ = os.pipe()
    back, out_fd = os.pipe()
    channel = Channel(in_fd, out_fd)
    os.close(back)
    with pytest.raises(BrokenPipeError):
        channel.send(b"x")
    for fd in (in_fd, _, out_fd):
        os.close(fd)


@pytest.mark.parametrize("kind", [Watch, PumpWatch])
def test_a_watch_gives_input_wake_ups_and_time(
    kind: type[Watch] | type[PumpWatch], ends: tuple[Channel, int, int]
) -> None:
    channel, to, _ = ends
    watch = kind(channel)
    assert watch.wait(reading=False, writing=False, timeout_s=0.01) == Seen()
    watch.wake()
    assert watch.wait(reading=True, writing=False, timeout_s=DEADLINE_S) == Seen(awake=True)
    os.write(to, b"one")
    assert watch.wait(reading=False, writing=False, timeout_s=0.01) == Seen()
    assert next_input(watch) == b"one"
    os.write(to, b"two")
    assert next_input(watch) == b"two"


def next_input(watch: Watch | PumpWatch) -> bytes:
    while True:
        seen = watch.wait(reading=True, writing=False, timeout_s=DEADLINE_S)
        assert not seen.awake
        if seen.data is not None:
            return seen.data


def test_waking_never_blocks(ends: tuple[Channel, int, int]) -> None:
    watch = Watch(ends[0])
    for _ in range(200_000):
        watch.wake()
    assert watch.wait(reading=False, writing=False, timeout_s=0) == Seen(awake=True)
    assert watch.wait(reading=False, writing=False, timeout_s=0) == Seen()


def test_a_watch_sees_a_hang_up_behind_unread_input_and_only_when_asked() -> None:
    in_fd, to = os.pipe()
    null = os.open(os.devnull, os.O_WRONLY)
    channel = Channel(in_fd, null)
    watch = Watch(channel)
    os.write(to, b"unread")
    assert watch.wait(reading=False, writing=False, timeout_s=0, hang_up=True) == Seen()
    assert not channel.has_hung_up()
    os.close(to)
    assert watch.wait(reading=False, writing=False, timeout_s=0) == Seen()
    expected = Seen(hung_up=True)
    assert watch.wait(reading=False, writing=False, timeout_s=DEADLINE_S, hang_up=True) == expected
    assert channel.has_hung_up()
    assert watch.wait(reading=True, writing=False, timeout_s=DEADLINE_S).data == b"unread"
    assert watch.wait(reading=True, writing=False, timeout_s=DEADLINE_S).data == b""
    for fd in (in_fd, null):
        os.close(fd)


# -- run -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "told"),
    [("app:server", "got str"), (Server, r'got the class Server; make one: Server\("my-server"\)')],
)
def test_run_names_what_is_no_server(given: Any, told: str) -> None:
    with pytest.raises(TypeError, match=r"run\(\) takes a sansmcp_core.Server, " + told):
        run(given)
