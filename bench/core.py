"""What the core costs, in process and without a peer: ``python bench/core.py`` prints tables.

``--quick`` takes fewer rounds and at most 1,000 of everything.
"""

import argparse
import gc
import platform
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from core_cases import CASES, make_case
from core_growth import GROWTHS
from core_report import counts_table, growth_table, times_table
from core_timing import Cell, Pace, Times, measure

SIZES = (1, 100, 10_000)
QUICK_SIZES = (1, 100, 1000)
PACE, QUICK_PACE = Pace(61, 0.005), Pace(15, 0.003)

Samples = list[dict[str, Any]]


def measure_cases(chosen: Sequence[str], pace: Pace) -> Samples:
    """Print the tables of single messages; return the samples."""
    cases = [make_case(name) for name in chosen]
    cells = []
    for case in cases:
        cells += [
            Cell(case.name, "floor", case.floor),
            Cell(case.name, "Connection", case.through_connection),
            Cell(case.name, "Endpoint", case.through_endpoint),
        ]
    found = measure(cells, pace)
    print(times_table(found), flush=True)
    by_line = {case.name: (case.through_connection, case.floor) for case in cases}
    by_post = {case.name: (case.through_endpoint, case.floor) for case in cases}
    gc.collect()
    gc.freeze()  # the collector is called often now, and all of this is none of its business
    print(counts_table("Connection", by_line), flush=True)
    print(counts_table("Endpoint", by_post), flush=True)
    gc.unfreeze()
    return samples_of("messages", found)


def measure_growth(pattern: re.Pattern[str], sizes: Sequence[int], pace: Pace) -> Samples:
    """Print the tables of growth; return the samples."""
    samples: Samples = []
    for growth in GROWTHS:
        rows = [row for row in growth.rows if pattern.search(f"{growth.title}: {row}")]
        if rows:
            cells = [cell for size in sizes for cell in growth.cells(size)]
            found: dict[tuple[str, str], Times] = {}
            for row in rows:  # each by itself, or it pays for what another has left behind
                found |= measure((cell for cell in cells if cell.row == row), pace)
            print(growth_table(growth, found), flush=True)
            samples += samples_of(growth.unit, found)
    return samples


def samples_of(table: str, found: dict[tuple[str, str], Times]) -> Samples:
    """Each round of each cell, as it is written to a file."""
    return [
        {"table": table, "row": times.row, "column": times.column, "round": number, "us": us}
        for times in found.values()
        for number, us in enumerate(times.us)
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="in seconds, and less exact")
    parser.add_argument("--cpu", action="store_true", help="take processor time, not the clock's")
    parser.add_argument("--only", metavar="REGEX", default="", help="only rows that it is found in")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write each sample there, too")
    options = parser.parse_args(arguments)
    pattern = re.compile(options.only)
    begin = time.monotonic()
    print(
        f"{'Quick' if options.quick else 'Full'} run on {platform.machine()}, "
        f"Python {platform.python_version()}, msgspec {msgspec.__version__}."
    )
    pace = QUICK_PACE if options.quick else PACE
    if options.cpu:
        pace = pace._replace(clock=time.process_time)
    samples: Samples = []
    chosen = [name for name in CASES if pattern.search(name)]
    if chosen:
        samples += measure_cases(chosen, pace)
    samples += measure_growth(pattern, QUICK_SIZES if options.quick else SIZES, pace)
    if options.json:
        options.json.write_bytes(msgspec.json.encode(samples))
    print(f"\nTook {time.monotonic() - begin:.0f} s.")
    sys.exit(0 if samples else f"no row holds {options.only!r}")


if __name__ == "__main__":
    main()
