"""Deadlines come due after the time that passed, whatever is done to the wall clock."""

import pytest
from sansmcp_core._timers import Timers

START = 1_800_000_000.0


class Item:
    def __init__(self) -> None:
        self.due_s: float | None = None


def test_a_deadline_comes_due_at_its_time_and_once() -> None:
    timers, item = Timers(), Item()
    timers.start(item, 10, START)

    assert timers.deadline() == START + 10
    assert timers.pop_due(START + 9.9) == []
    assert timers.pop_due(START + 10) == [item]
    assert timers.pop_due(START + 11) == []
    assert timers.deadline() is None


def test_deadlines_come_due_in_order() -> None:
    timers, late, early = Timers(), Item(), Item()
    timers.start(late, 20, START)
    timers.start(early, 10, START)

    assert timers.pop_due(START + 30) == [early, late]


def test_a_stopped_deadline_never_comes_due() -> None:
    timers, item = Timers(), Item()
    timers.start(item, 10, START)
    timers.stop(item)

    assert timers.deadline() is None
    assert timers.pop_due(START + 60) == []


def test_the_last_of_several_starts_counts() -> None:
    timers, item = Timers(), Item()
    timers.start(item, 10, START)
    timers.start(item, 50, START)

    assert timers.pop_due(START + 20) == []
    assert timers.pop_due(START + 50) == [item]


@pytest.mark.parametrize("step", [-1_000_000.0, 1_000_000.0], ids=["back", "forward"])
def test_a_step_of_the_clock_counts_as_no_time(step: float) -> None:
    timers, item = Timers(), Item()
    timers.start(item, 10, START)
    timers.pop_due(START + 4)

    assert timers.pop_due(START + 4 + step) == []
    assert timers.deadline() == pytest.approx(START + 10 + step)
    assert timers.pop_due(START + 10 + step) == [item]


def test_deadlines_that_are_no_longer_wanted_do_not_pile_up() -> None:
    timers = Timers()
    for _ in range(10_000):
        item = Item()
        timers.start(item, 600, START)
        timers.stop(item)

    assert len(timers._heap) < 200
