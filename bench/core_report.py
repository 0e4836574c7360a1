"""The tables, as Markdown."""

from collections.abc import Iterable, Mapping, Sequence

from core_counts import (
    blocks_at_peak,
    blocks_left,
    builtin_calls,
    python_calls,
    tracked_objects,
    unreachable_objects,
)
from core_drive import Step
from core_growth import Growth
from core_timing import Times

__all__ = ["counts_table", "growth_table", "times_table"]

MESSAGES = 100
"""After how many it is looked at what is left."""

Found = dict[tuple[str, str], Times]


def times_table(found: Found) -> str:
    """Microseconds of each case, and how many times its floor they are."""
    rows = []
    for name in dict.fromkeys(row for row, _ in found):
        connection, endpoint, floor = (
            found[name, column] for column in ("Connection", "Endpoint", "floor")
        )
        times = [f"{each.median_us:.1f}" for each in (connection, endpoint)]
        ratios = [f"{each.over(floor):.1f}" for each in (connection, endpoint)]
        rows.append([name, f"{floor.median_us:.2f}", times[0], ratios[0], times[1], ratios[1]])
    columns = ["", "floor", "Connection", "of the floor", "Endpoint", "of the floor"]
    return _table("Microseconds per message", columns, rows)


def counts_table(way: str, steps: Mapping[str, tuple[Step, Step]]) -> str:
    """What each message costs in calls, objects and blocks of memory.

    Args:
        way: What the messages go through.
        steps: By the names of the cases: what goes that way, and its floor.
    """
    columns = [
        "",
        "calls",
        "of built-ins",
        "objects",
        "floor",
        "blocks",
        "floor",
        "left",
        "garbage",
    ]
    rows = [[name, *_counts(*both)] for name, both in steps.items()]
    return _table(f"{way}: calls, objects and blocks of memory per message", columns, rows)


def growth_table(growth: Growth, found: Found) -> str:
    """Microseconds beside the numbers of what is there, and what is left of the rate."""
    columns = list(dict.fromkeys(column for _, column in found))
    rows = []
    for name in dict.fromkeys(row for row, _ in found):
        times = [found.get((name, column)) for column in columns]
        there = [each for each in times if each is not None]
        kept = f"{100 * there[0].over(there[-1]):.0f} %"
        rows.append([name, *("-" if t is None else f"{t.median_us:.1f}" for t in times), kept])
    title = f"{growth.title}: microseconds per message"
    return _table(title, [growth.unit, *columns, "rate kept"], rows)


def _counts(step: Step, floor: Step) -> list[str]:
    counts = (
        python_calls(step).total(),
        builtin_calls(step).total(),
        tracked_objects(step).total(),
        tracked_objects(floor).total(),
        blocks_at_peak(step),
        blocks_at_peak(floor),
        round(blocks_left(step, MESSAGES) / MESSAGES),
        round(unreachable_objects(step, MESSAGES).total() / MESSAGES),
    )
    return [str(count) for count in counts]


def _table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [columns, ["---", *["---:"] * (len(columns) - 1)], *rows]
    text = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"\n## {title}\n\n{text}"
