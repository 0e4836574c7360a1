"""Take a sample again when another process used our cores while it was taken."""

import os
import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

__all__ = ["Cores", "Sample", "busy", "own", "quietly", "report", "tries"]

Sample: TypeAlias = dict[str, Any]
"""Figures by their name, and the row, column and round that they belong to."""

Cores: TypeAlias = tuple[int | None, int | None]
"""The core of the servers and the core of the load; None where nothing is pinned."""

TICK = os.sysconf("SC_CLK_TCK")
tries = 3  # how often one sample is taken at most
ALLOWED = 0.05  # share of one core

retaken: list[float] = []  # the foreign share of each sample that was thrown away
disturbed: list[float] = []  # of those kept all the same, since every try was disturbed


def busy(cores: set[int | None]) -> float:
    """Seconds that the cores have spent in user code, of any process."""
    lines = (line.split() for line in Path("/proc/stat").read_text(encoding="utf-8").splitlines())
    ticks = sum(
        int(fields[1]) + int(fields[2])
        for fields in lines
        if fields[0][3:].isdigit() and int(fields[0][3:]) in cores
    )
    return ticks / TICK


def own() -> float:
    """Seconds of user code of this process and of its children that have ended."""
    whose = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(resource.getrusage(who).ru_utime for who in whose)


def quietly(
    sample: Callable[[], Sample], cores: Cores, server: Callable[[], float] = lambda: 0.0
) -> Sample:
    """A sample, taken again while it was disturbed and tries are left.

    Args:
        sample: Takes it.
        cores: What has to be quiet.
        server: Seconds of user code of a server that goes on running after the sample.
    """
    if None in cores:
        return sample()
    for attempt in range(tries):
        before, start = busy(set(cores)) - own() - server(), time.monotonic()
        taken = sample()
        foreign = busy(set(cores)) - own() - server() - before
        share = foreign / (time.monotonic() - start)
        if foreign < 0.03 or share <= ALLOWED:
            return taken
        (retaken if attempt < tries - 1 else disturbed).append(share)
        time.sleep(0.2)
    return taken


def report() -> str:
    """How many samples were disturbed, as a sentence."""
    return (
        f"{len(retaken)} samples were taken again because another process used more than "
        f"{ALLOWED:.0%} of a core meanwhile; {len(disturbed)} were kept although disturbed."
    )
