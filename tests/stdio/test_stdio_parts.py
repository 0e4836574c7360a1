"""The small parts of the adapter, each by itself."""

import logging
import os
import signal
import sys
import threading
from collections.abc import Generator, Iterator
from contextvars import ContextVar, copy_context
from queue import SimpleQueue
from typing import Any

import pytest
from sansmcp_core import Report, Server
from sansmcp_stdio import run
from sansmcp_stdio._channel import Channel
from sansmcp_stdio._log import log
from sansmcp_stdio._pace import Pace
from sansmcp_stdio._pool import Pool
from sansmcp_stdio._signals import StopSignals
from sansmcp_stdio._stepping import Rest, first_step
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


# -- pool ------------------------------------------------------------------------------------


def test_a_pool_starts_threads_as_they_are_needed_and_no_more_than_it_may() -> None:
    gate = threading.Event()
    seen: SimpleQueue[str] = SimpleQueue()

    def work(item: int) -> None:
        seen.put(threading.current_thread().name)
        gate.wait(DEADLINE_S)

    before = threading.active_count()
    pool = Pool(work, 3)
    assert threading.active_count() == before
    for item in range(10):
        pool.submit(item)
    names = {seen.get(timeout=DEADLINE_S) for _ in range(3)}
    assert names == {"sansmcp-stdio-1", "sansmcp-stdio-2", "sansmcp-stdio-3"}
    assert threading.active_count() == before + 3
    gate.set()
    for _ in range(7):
        assert seen.get(timeout=DEADLINE_S) in names
    pool.stop()


def test_threads_of_a_pool_are_daemons() -> None:
    daemons: SimpleQueue[bool] = SimpleQueue()
    pool: Pool[int] = Pool(lambda item: daemons.put(threading.current_thread().daemon), 1)
    pool.submit(1)
    assert daemons.get(timeout=DEADLINE_S)
    pool.stop()


# -- channel and watches ---------------------------------------------------------------------


def test_a_channel_never_waits_for_room(ends: tuple[Channel, int, int]) -> None:
    channel, _, back = ends
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


# -- stepping --------------------------------------------------------------------------------


class Trap:
    """Gives the loop one thing and takes its answer."""

    def __init__(self, given: object) -> None:
        self.given = given

    def __await__(self) -> Generator[Any, Any, Any]:
        return (yield self.given)


def test_one_step_is_enough_for_what_does_not_suspend() -> None:
    async def answer() -> int:
        return 42

    assert first_step(answer(), copy_context()) == 42


def test_the_rest_passes_on_values_and_exceptions() -> None:
    async def converse() -> list[Any]:
        heard = [await Trap("a")]
        try:
            await Trap("b")
        except KeyError as error:
            heard.append(error.args[0])
        return [*heard, await Trap("c")]

    rest = first_step(converse(), copy_context())
    assert isinstance(rest, Rest)
    steps = rest.__await__()
    assert next(steps) == "a"
    assert steps.send(1) == "b"
    assert steps.throw(KeyError(2)) == "c"
    with pytest.raises(StopIteration) as end:
        steps.send(3)
    assert end.value.value == [1, 2, 3]


def test_an_awaitable_need_not_be_a_coroutine() -> None:
    rest = first_step(Trap("a"), copy_context())
    steps = rest.__await__()
    assert next(steps) == "a"
    with pytest.raises(StopIteration) as end:
        steps.send("b")
    assert end.value.value == "b"


def test_every_step_sees_and_keeps_the_same_context() -> None:
    variable = ContextVar("variable", default=0)

    async def count() -> int:
        variable.set(variable.get() + 1)
        await Trap(None)
        variable.set(variable.get() + 1)
        return variable.get()

    rest = first_step(count(), copy_context())
    steps = rest.__await__()
    next(steps)
    assert variable.get() == 0
    with pytest.raises(StopIteration) as end:
        steps.send(None)
    assert (end.value.value, variable.get()) == (2, 0)


# -- signals and logs ------------------------------------------------------------------------


def test_signals_that_are_ignored_stay_ignored() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with StopSignals():
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_signal_that_came_early_is_told_later() -> None:
    told: list[bool] = []
    with StopSignals() as signals:
        signal.raise_signal(signal.SIGTERM)
        signals.call(told.append)
        assert told == [False]
        signal.raise_signal(signal.SIGTERM)
        assert told == [False, True]
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_a_report_becomes_a_record(caplog: pytest.LogCaptureFixture) -> None:
    error = ValueError("why")
    with caplog.at_level(logging.DEBUG, logger="sansmcp.stdio"):
        log(Report("error", "it failed", error, 7))
        log(Report("debug", "no percent signs % %s are read"))
    first, second = caplog.records
    assert (first.name, first.levelname) == ("sansmcp.stdio", "ERROR")
    assert first.getMessage() == "it failed (request 7)"
    assert first.exc_info is not None
    assert first.exc_info[1] is error
    assert (second.levelname, second.getMessage()) == ("DEBUG", "no percent signs % %s are read")


def test_a_report_that_nobody_can_want_loads_no_logging(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "logging")
    log(Report("info", "x"))
    assert "logging" not in sys.modules


# -- run -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "told"),
    [("app:server", "got str"), (Server, r'got the class Server; make one: Server\("my-server"\)')],
)
def test_run_names_what_is_no_server(given: Any, told: str) -> None:
    with pytest.raises(TypeError, match=r"run\(\) takes a sansmcp_core.Server, " + told):
        run(given)
