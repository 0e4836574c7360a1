"""The small parts that all adapters share, each by itself."""

import logging
import signal
import sys
import threading
from collections.abc import Generator
from contextvars import ContextVar, copy_context
from queue import SimpleQueue
from typing import Any

import pytest
from sansmcp_core import Report
from sansmcp_runtime.log import Log
from sansmcp_runtime.pool import Pool, any_busy
from sansmcp_runtime.signals import StopSignals
from sansmcp_runtime.stepping import Rest, first_step

DEADLINE_S = 20.0

log = Log("sansmcp.test", "serve it on {}").write


# -- pool ------------------------------------------------------------------------------------


def test_a_pool_starts_threads_as_they_are_needed_and_no_more_than_it_may() -> None:
    gate = threading.Event()
    seen: SimpleQueue[str] = SimpleQueue()

    def work(item: int) -> None:
        seen.put(threading.current_thread().name)
        gate.wait(DEADLINE_S)

    before = threading.active_count()
    pool = Pool(work, 3, "worker")
    assert threading.active_count() == before
    for item in range(10):
        pool.submit(item)
    names = {seen.get(timeout=DEADLINE_S) for _ in range(3)}
    assert names == {"worker-1", "worker-2", "worker-3"}
    assert threading.active_count() == before + 3
    gate.set()
    for _ in range(7):
        assert seen.get(timeout=DEADLINE_S) in names
    pool.stop()


def test_one_thread_does_what_is_quick_until_the_pool_is_told_to_spread_it() -> None:
    gate = threading.Event()
    seen: SimpleQueue[tuple[int, str]] = SimpleQueue()

    def work(item: int) -> None:
        seen.put((item, threading.current_thread().name))
        if item == 3:
            gate.wait(DEADLINE_S)

    pool = Pool(work, 2, "worker")
    for item in range(8):
        pool.submit(item, spread=False)
    assert [seen.get(timeout=DEADLINE_S) for _ in range(4)] == [(n, "worker-1") for n in range(4)]
    assert len(pool.waiting) == 4
    pool.spread()
    assert [seen.get(timeout=DEADLINE_S) for _ in range(4)] == [
        (n, "worker-2") for n in range(4, 8)
    ]
    assert pool.busy
    gate.set()
    assert not any_busy()
    pool.stop()


def test_a_pool_loses_nothing_whatever_comes_first() -> None:
    done: SimpleQueue[int] = SimpleQueue()
    pool = Pool(done.put, 4, "worker")
    for item in range(20_000):
        pool.submit(item, spread=item % 3 == 0)
        if item % 7 == 0:
            done.get(timeout=DEADLINE_S)
    for _ in range(20_000 - 20_000 // 7 - 1):
        done.get(timeout=DEADLINE_S)
    assert not any_busy()
    pool.stop()


def test_threads_of_a_pool_are_daemons() -> None:
    daemons: SimpleQueue[bool] = SimpleQueue()
    pool: Pool[int] = Pool(lambda item: daemons.put(threading.current_thread().daemon), 1, "worker")
    pool.submit(1)
    assert daemons.get(timeout=DEADLINE_S)
    pool.stop()


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
    with caplog.at_level(logging.DEBUG, logger="sansmcp.test"):
        log(Report("error", "it failed", error, 7))
        log(Report("debug", "no percent signs % %s are read"))
    first, second = caplog.records
    assert (first.name, first.levelname) == ("sansmcp.test", "ERROR")
    assert first.getMessage() == "it failed (request 7)"
    assert first.exc_info is not None
    assert first.exc_info[1] is error
    assert (second.levelname, second.getMessage()) == ("DEBUG", "no percent signs % %s are read")


def test_a_report_that_nobody_can_want_loads_no_logging(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "logging")
    log(Report("info", "x"))
    assert "logging" not in sys.modules


@pytest.mark.parametrize(
    ("loop", "complaint", "told"),
    [
        ("trio", "no running event loop", ": this handler uses asyncio: serve it on asyncio"),
        (
            "asyncio",
            "must be called from async context",
            ": this handler uses trio: serve it on trio",
        ),
        ("asyncio", "no running event loop", ""),
        (None, "no running event loop", ""),
    ],
)
def test_a_handler_for_the_other_loop_is_told_which(
    loop: str | None, complaint: str, told: str, caplog: pytest.LogCaptureFixture
) -> None:
    log(Report("error", "x", RuntimeError(complaint)), loop)
    assert [record.getMessage() for record in caplog.records] == [f"x{told}"]
