"""Load and faults on loopback, for every adapter: ``python bench/load.py`` prints tables.

Each scenario starts a server in a process of its own. ``--quick`` takes smaller numbers.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from load_client import Combination
from load_crowds import crowd, mute, resets
from load_faults import end, loris, stumble, too_long

COMBINATIONS = (
    Combination("h11", "trio", "h11"),
    Combination("h11", "trio", "httptools"),
    Combination("h11", "asyncio", "h11"),
    Combination("h11", "asyncio", "httptools"),
    Combination("uvicorn", "asyncio", "h11"),
    Combination("uvicorn", "asyncio", "httptools"),
    Combination("hypercorn", "asyncio", "h11"),
    Combination("hypercorn", "trio", "h11"),
)


class Sizes(NamedTuple):
    """How much of everything."""

    listeners: int = 1000
    calls: int = 100
    changes: int = 10_000
    resets: int = 500
    slow: int = 200
    pause_s: float = 1.0
    limit_s: float = 10.0
    ending: int = 100


QUICK = Sizes(100, 20, 5000, 50, 20, 0.1, 1.0, 20)

Row = Sequence[object]


class Scenario(NamedTuple):
    """One table."""

    title: str
    columns: Sequence[str]
    row: Callable[[Combination, Sizes], Row]
    """The cells of a combination, as numbers and words."""


def mib(kib: int) -> str:
    """Memory, as it is shown."""
    return f"{kib / 1024:.1f}"


def ms(seconds: float | None) -> str:
    """Time, as it is shown."""
    return "never" if seconds is None else f"{seconds * 1000:.0f}"


def yes(fact: bool) -> str:
    """A fact, as it is shown."""
    return "yes" if fact else "no"


# -- rows -----------------------------------------------------------------------------------------


def crowd_row(combination: Combination, sizes: Sizes) -> Row:
    """Listeners and calls at once."""
    f = crowd(combination, sizes.listeners, sizes.calls)
    memory = (f.rss_before_kib, f.rss_with_kib, f.rss_after_kib, f.rss_again_kib)
    each = (f.rss_with_kib - f.rss_before_kib) / (sizes.listeners + sizes.calls)
    answered = yes(f.statuses == {200})
    times = (ms(f.acknowledged_s), ms(f.reached_s))
    return [*times, answered, *map(mib, memory), f"{each:.0f}"]


def mute_row(combination: Combination, sizes: Sizes) -> Row:
    """A listener that does not read."""
    f = mute(combination, sizes.changes)
    growth = f.rss_peak_kib - f.rss_before_kib
    return [f.heard, ms(f.changes_s), mib(growth), ms(f.dropped_s), f.descriptors_left]


def resets_row(combination: Combination, sizes: Sizes) -> Row:
    """Connections that are reset."""
    cells: list[object] = []
    for kind in ("streams", "waiting"):
        f = resets(combination, sizes.resets, kind)
        names = ("exchanges", "tasks", "descriptors")
        cells += [" → ".join(str(n[name]) for n in f[:3]) for name in names]
        cells.append(ms(f.back_s))
    return cells


def loris_row(combination: Combination, sizes: Sizes) -> Row:
    """Clients that trickle."""
    f = loris(combination, sizes.slow, sizes.pause_s, sizes.limit_s)
    statuses = ", ".join(f"{status}: {count}" for status, count in f.statuses.items())
    cut = f"{f.cut} of {sizes.slow}"
    times = (f"{f.median_s * 1000:.1f}", ms(f.slowest_s))
    return [f.served, *times, cut, statuses or "nothing", f"{f.last_cut_s:.1f}"]


def too_long_row(combination: Combination, sizes: Sizes) -> Row:
    """Bodies over the limit."""
    cells: list[object] = []
    for declared in (True, False):
        f = too_long(combination, declared=declared)
        sent = f"{f.sent_bytes / (1 << 20):.1f}"
        cells += [f.status, sent, yes(f.closed), mib(f.rss_growth_kib)]
    return cells


def stumble_row(combination: Combination, sizes: Sizes) -> Row:
    """A handler that raises in the midst."""
    f = stumble(combination)
    return [f.status, f.content_type, f.messages, yes(f.is_error), yes(f.whole)]


def end_row(combination: Combination, sizes: Sizes) -> Row:
    """The end, with much open."""
    f = end(combination, sizes.ending, sizes.ending // 5)
    return [f.listeners_told, f.calls_answered, f.cut, f.exit_status, f"{f.exit_s:.2f}"]


SCENARIOS = {
    "crowd": Scenario(
        "{listeners} open listeners and {calls} calls at once",
        ["all acknowledged, ms", "one change reaches all, ms", "calls answered", "MiB before",
         "MiB with", "MiB after", "MiB after once more", "KiB each"],
        crowd_row,
    ),
    "mute": Scenario(
        "A listener that never reads beside one that does; {changes} changes of 4 KB each",
        ["heard by the other", "changes, ms", "MiB more at most", "dropped after, ms",
         "descriptors left"],
        mute_row,
    ),
    "resets": Scenario(
        "{resets} connections reset in a stream, then {resets} in a call: before → with → after",
        ["exchanges", "tasks", "descriptors", "back, ms", "exchanges (call)", "tasks (call)",
         "descriptors (call)", "back, ms (call)"],
        resets_row,
    ),
    "loris": Scenario(
        "{slow} clients that send a byte every {pause_s} s, half of them in the head, half in the "
        "body; limits {limit_s} s",
        ["served meanwhile", "median, ms", "slowest, ms", "cut", "told", "last cut, s"],
        loris_row,
    ),
    "too_long": Scenario(
        "64 MiB of a body where 1 MiB is allowed, with Content-Length, then in chunks",
        ["status", "MiB sent", "closed", "MiB more", "status (chunks)", "MiB sent (chunks)",
         "closed (chunks)", "MiB more (chunks)"],
        too_long_row,
    ),
    "stumble": Scenario(
        "A handler that raises after its stream has begun",
        ["status", "type", "messages", "the last is the error", "well-formed end"],
        stumble_row,
    ),
    "end": Scenario(
        "SIGTERM with {ending} listeners, {few} calls that end soon and {few} that never do; 2 s "
        "for calls",
        ["listeners told", "calls answered", "calls cut", "exit status", "exit, s"],
        end_row,
    ),
}  # fmt: skip


# -- tables ---------------------------------------------------------------------------------------


def show(cells: Iterable[object]) -> None:
    """Print a row of a table."""
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def run(name: str, combinations: Sequence[Combination], sizes: Sizes) -> bool:
    """Print the table of a scenario; return whether each combination has come through."""
    scenario = SCENARIOS[name]
    print(f"\n## {scenario.title.format(**sizes._asdict(), few=sizes.ending // 5)}\n")
    show(["adapter", *scenario.columns])
    show(["---"] * (1 + len(scenario.columns)))
    came_through = True
    for combination in combinations:
        try:
            cells: Row = scenario.row(combination, sizes)
        except Exception as error:  # noqa: BLE001 - the others are still worth a look
            cells = [f"{type(error).__name__}: {error}".replace("\n", " ")[:300]]
            came_through = False
        show([combination.name, *cells])
    return came_through


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables that the command line asks for; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    add: Any = parser.add_argument
    add("--quick", action="store_true", help="smaller numbers")
    add("--scenario", action="append", choices=list(SCENARIOS), help="only this; repeatable")
    add("--adapter", action="append", help="only h11, uvicorn or hypercorn; repeatable")
    options = parser.parse_args(arguments)
    sizes = QUICK if options.quick else Sizes()
    chosen = [c for c in COMBINATIONS if not options.adapter or c.adapter in options.adapter]
    started = time.monotonic()
    results = [run(name, chosen, sizes) for name in options.scenario or SCENARIOS]
    print(f"\n{time.monotonic() - started:.0f} s, Python {sys.version.split()[0]}.")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
