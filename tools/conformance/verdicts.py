"""What the suite's checks add up to: a verdict for each scenario of a run, and a table of them."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["Run", "print_report"]

NOT_THERE = "tasks-"
"""Scenarios of the tasks extension, which servers need not have."""

BY_THE_WAY = "wire-schema-valid"
"""A check that each scenario gets whatever it tests; alone it says nothing."""

_STAMP = re.compile(r"^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$")


@dataclass
class Verdict:
    """One scenario in one run: it passes where a check succeeded and none failed."""

    scenario: str
    required: bool
    checks: list[dict[str, Any]] = field(default_factory=list)

    @property
    def counts(self) -> bool:
        """Whether it decides anything."""
        return self.required or not self.scenario.startswith(NOT_THERE)

    @property
    def passed(self) -> bool:
        """Whether it passed; a scenario that checked nothing did not."""
        tested = any(check["id"] != BY_THE_WAY for check in self.of("SUCCESS"))
        return tested and not self.of("FAILURE")

    @property
    def word(self) -> str:
        """What the table shows."""
        if not self.passed:
            return "FAILED" if self.counts else "(failed)"
        return "warning" if self.of("WARNING") else "passed"

    def of(self, status: str) -> list[dict[str, Any]]:
        """The checks that ended so."""
        return [check for check in self.checks if check["status"] == status]


@dataclass
class Run:
    """One requirement set against one adapter."""

    name: str
    verdicts: dict[str, Verdict]
    status: int
    seconds: float

    @classmethod
    def read(
        cls, name: str, scenarios: Mapping[str, bool], results: Path, status: int, seconds: float
    ) -> "Run":
        """The verdicts in a folder of results.

        Args:
            name: Adapter and requirement set.
            scenarios: Those that should have run, and whether each is required.
            results: The folder; a scenario that left nothing there has not passed.
            status: The suite's exit status.
            seconds: How long it took.
        """
        verdicts = {name: Verdict(name, required) for name, required in scenarios.items()}
        for file in sorted(results.glob("*/checks.json")):
            if match := _STAMP.match(file.parent.name):
                verdict = verdicts.setdefault(match[1], Verdict(match[1], required=True))
                verdict.checks += json.loads(file.read_bytes())
        return cls(name, verdicts, status, seconds)

    @property
    def counted(self) -> list[Verdict]:
        """The verdicts that decide."""
        return [verdict for verdict in self.verdicts.values() if verdict.counts]

    @property
    def failed(self) -> list[Verdict]:
        """Those that decide and did not pass."""
        return [verdict for verdict in self.counted if not verdict.passed]


def print_report(runs: list[Run]) -> bool:
    """Print a table of all runs, what failed and what warned; tell whether all is well."""
    _print_table(runs)
    for run in runs:
        for verdict in run.counted:
            _print_checks(run, verdict, "WARNING")
    for run in runs:
        for verdict in run.failed:
            _print_checks(run, verdict, "FAILURE")
            if not verdict.of("FAILURE"):
                print(f"\n{run.name}, {verdict.scenario}: no check succeeded; see the log")
        if run.status and not run.failed:
            print(f"\n{run.name}: the suite ended with status {run.status}, for reasons of its own")
    failed = sum(len(run.failed) for run in runs)
    print(f"\n{sum(len(run.counted) for run in runs) - failed} passed, {failed} failed")
    return not failed and not any(run.status for run in runs)


def _print_table(runs: list[Run]) -> None:
    scenarios = list(dict.fromkeys(name for run in runs for name in run.verdicts))
    rows = [["", *(run.name for run in runs)]]
    for scenario in scenarios:
        verdicts = [run.verdicts.get(scenario) for run in runs]
        rows.append([scenario, *(verdict.word if verdict else "-" for verdict in verdicts)])
    rows.append(["", *(f"{run.seconds:.1f} s" for run in runs)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(map(str.ljust, row, widths)).rstrip())


def _print_checks(run: Run, verdict: Verdict, status: str) -> None:
    for check in verdict.of(status):
        print(f"\n{status} in {run.name}, {verdict.scenario}: {check['id']}")
        print(f"  {check.get('errorMessage') or check['description']}")
        if "details" in check:
            print(f"  {json.dumps(check['details'])[:2000]}")
