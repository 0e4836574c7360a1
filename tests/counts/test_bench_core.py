"""``bench/core.py`` prints its tables and keeps its samples."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
from core_cases import CASES

SCRIPT = Path(__file__).parents[2] / "bench" / "core.py"
TIMEOUT_S = 110.0
TITLES = [
    "Microseconds per message",
    "Connection: calls, objects and blocks of memory per message",
    "Endpoint: calls, objects and blocks of memory per message",
    "Tools registered: microseconds per message",
    "Legacy sessions open: microseconds per message",
    "Listeners open: microseconds per message",
]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(SCRIPT), *arguments],
        capture_output=True,
        check=False,
        text=True,
        timeout=TIMEOUT_S,
    )


def test_a_quick_run_prints_every_table_and_keeps_every_sample(tmp_path: Path) -> None:
    file = tmp_path / "samples.json"
    done = run("--quick", "--json", str(file))
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    tables = re.split(r"^## ", done.stdout, flags=re.MULTILINE)[1:]
    assert [table.partition("\n")[0] for table in tables] == TITLES
    for table in tables[:3]:
        rows = [line.split(" | ")[0].removeprefix("| ") for line in table.splitlines()[4:]]
        assert rows == [*CASES, ""][: len(rows)]
    for table in tables:
        widths = {line.count("|") for line in table.splitlines() if line.startswith("|")}
        assert len(widths) == 1, table
    samples: list[dict[str, Any]] = msgspec.json.decode(file.read_bytes())
    cells = {(s["table"], s["row"], s["column"]) for s in samples}
    rounds = {s["round"] for s in samples}
    assert len(samples) == len(cells) * len(rounds)
    assert all(sample["us"] > 0 for sample in samples)
    assert {table for table, _, _ in cells} == {"messages", "tools", "sessions", "listeners"}


def test_rows_can_be_chosen_and_the_processor_asked_for_the_time() -> None:
    done = run("--quick", "--cpu", "--only", "unknown tool")
    assert done.returncode == 0, done.stderr
    assert re.findall(r"^## .*|^\| error.*?(?= \|)", done.stdout, flags=re.MULTILINE) == [
        line for title in TITLES[:3] for line in (f"## {title}", "| error: unknown tool")
    ]


def test_an_expression_that_fits_no_row_is_told() -> None:
    done = run("--quick", "--only", "no such row")
    assert (done.returncode, done.stderr.strip()) == (1, "no row holds 'no such row'")
