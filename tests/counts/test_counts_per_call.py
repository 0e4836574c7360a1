"""What a message costs in calls and objects, and that nothing is left of it; no times."""

import gc
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import pytest
from core_cases import CASES, Case, make_case
from core_counts import blocks_left, lines_run, python_calls, tracked_objects, unreachable_objects
from core_drive import Step
from core_growth import GROWTHS, Growth


class Limits(NamedTuple):
    """At most so many calls of functions of ours, and objects that the collector tracks."""

    calls: int
    objects: int


# Counted with Python 3.11, as `python bench/core.py` prints them; newer versions need fewer calls,
# since comprehensions are none there.
LIMITS: dict[str, dict[str, Limits]] = {
    "tools/call, typed": {"Connection": Limits(40, 20), "Endpoint": Limits(56, 26)},
    "tools/call, builder": {"Connection": Limits(55, 32), "Endpoint": Limits(71, 38)},
    "tools/call, raw schema": {"Connection": Limits(55, 32), "Endpoint": Limits(71, 38)},
    "tools/call, blocking": {"Connection": Limits(41, 20), "Endpoint": Limits(68, 32)},
    "tools/call, async": {"Connection": Limits(41, 21), "Endpoint": Limits(68, 33)},
    "tools/call, typed, legacy era": {"Connection": Limits(44, 20), "Endpoint": Limits(68, 26)},
    "tools/list, 100 tools": {"Connection": Limits(17, 6), "Endpoint": Limits(30, 13)},
    "asks: first round": {"Connection": Limits(78, 59), "Endpoint": Limits(94, 65)},
    "asks: second round": {"Connection": Limits(89, 61), "Endpoint": Limits(105, 67)},
    "error: the handler raises": {"Connection": Limits(40, 27), "Endpoint": Limits(56, 33)},
    "error: unknown tool": {"Connection": Limits(15, 6), "Endpoint": Limits(30, 13)},
}

FEW, MANY = 100, 1000
LINES_OF_A_SEARCH = 20  # by halves
LEFT_MESSAGES = 300

each_way = pytest.mark.parametrize("way", ["Connection", "Endpoint"])


@pytest.fixture(autouse=True, scope="module")
def _only_what_is_counted() -> Iterator[None]:
    """Spare the collector, which is called often here, everything that was there before."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@cache
def case_of(name: str) -> Case:
    return make_case(name)


def step_of(name: str, way: str) -> Step:
    case = case_of(name)
    return case.through_connection if way == "Connection" else case.through_endpoint


def table_of(counts: Counter[str]) -> str:
    return "\n".join(f"{count:5} {name}" for name, count in counts.most_common())


def number_of(objects: Counter[str]) -> int:
    # From Python 3.14 on the collector tracks every dictionary, whatever is in it.
    return objects.total() - (objects["dict"] if sys.version_info >= (3, 14) else 0)


@each_way
@pytest.mark.parametrize("name", LIMITS)
def test_a_message_makes_no_more_calls_than_before(name: str, way: str) -> None:
    calls, most = python_calls(step_of(name, way)), LIMITS[name][way].calls
    assert calls.total() <= most, (
        f"{name} through {way} makes {calls.total()} calls of our functions, {most} at most "
        f"before; a change that raises a count says why in the change log\n{table_of(calls)}"
    )


@each_way
@pytest.mark.parametrize("name", LIMITS)
def test_a_message_makes_no_more_objects_than_before(name: str, way: str) -> None:
    objects, most = tracked_objects(step_of(name, way)), LIMITS[name][way].objects
    assert number_of(objects) <= most, (
        f"{name} through {way} makes {number_of(objects)} objects that the collector tracks, "
        f"{most} at most before; a change that raises a count says why in the change log\n"
        f"{table_of(objects)}"
    )


@each_way
@pytest.mark.parametrize("name", CASES)
def test_a_message_leaves_nothing_for_the_garbage_collector(name: str, way: str) -> None:
    garbage = unreachable_objects(step_of(name, way))
    assert not garbage, (
        f"1000 times {name} through {way} left objects that hold each other; let go of one of "
        f"them where the message ends\n{table_of(garbage)}"
    )


@each_way
@pytest.mark.parametrize("name", CASES)
def test_a_message_leaves_no_memory_behind(name: str, way: str) -> None:
    left = blocks_left(step_of(name, way), LEFT_MESSAGES)
    assert left * 3 < LEFT_MESSAGES, f"{LEFT_MESSAGES} messages left {left} blocks of memory"


@pytest.mark.parametrize("growth", GROWTHS, ids=lambda growth: growth.unit)
def test_a_message_runs_no_more_lines_where_there_is_more(growth: Growth) -> None:
    few = {cell.row: cell for cell in growth.cells(FEW)}
    many = {cell.row: cell for cell in growth.cells(MANY)}
    assert set(few) == set(many) == set(growth.rows)
    for row, cell in many.items():
        lines, before = lines_run(cell.run), lines_run(few[row].run)
        more = lines.total() / cell.units - before.total() / few[row].units
        assert more <= LINES_OF_A_SEARCH, (
            f"{row}: {more:.0f} more lines with {MANY} {growth.unit} than with {FEW}\n"
            f"{table_of(lines - before)}"
        )
