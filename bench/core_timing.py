"""Times many things in turns, so that whatever slows the machine down slows all of them."""

import statistics
import time
from collections.abc import Callable, Iterable
from typing import NamedTuple

__all__ = ["Cell", "Pace", "Times", "measure"]


class Pace(NamedTuple):
    """How long everything is measured."""

    rounds: int
    turn_s: float
    """About how long one thing runs in one round."""

    clock: Callable[[], float] = time.perf_counter
    """What tells the time."""


class Cell(NamedTuple):
    """One figure of a table."""

    row: str
    column: str
    run: Callable[[], object]
    units: int = 1
    """How many things one run does; the figure is for one of them."""


class Times(NamedTuple):
    """Microseconds of one cell, round by round."""

    row: str
    column: str
    us: list[float]

    @property
    def median_us(self) -> float:
        """The figure."""
        return statistics.median(self.us)

    def over(self, other: "Times") -> float:
        """How many times as long as another cell it takes: the median of what each round says."""
        return statistics.median(a / b for a, b in zip(self.us, other.us, strict=True))


def measure(cells: Iterable[Cell], pace: Pace) -> dict[tuple[str, str], Times]:
    """Return the times of every cell by row and column; each round runs all of them in order."""
    chosen = [(cell, _runs(cell, pace)) for cell in cells]
    times = {(c.row, c.column): Times(c.row, c.column, []) for c, _ in chosen}
    for _ in range(pace.rounds):
        for cell, runs in chosen:
            took = _seconds(cell.run, runs, pace.clock) / runs / cell.units
            times[cell.row, cell.column].us.append(took * 1e6)
    return times


def _runs(cell: Cell, pace: Pace) -> int:
    """How often a cell runs in a turn; finds it out, which also fills caches."""
    runs = 1
    while True:
        took = _seconds(cell.run, runs, pace.clock)
        if took > pace.turn_s / 4:
            return max(1, round(runs * pace.turn_s / took))
        runs *= 2


def _seconds(run: Callable[[], object], runs: int, clock: Callable[[], float]) -> float:
    begin = clock()
    for _ in range(runs):
        run()
    return clock() - begin
