"""Figures of a run beside the peers -> the tables of docs/speed.md and the chart of the README.

``python bench/chart.py --from RAW.json`` keeps the medians of a run in ``results.json``; ``python
bench/chart.py`` writes what that says into the two documents, between their markers.
"""

import argparse
import json
import re
import textwrap
from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import Any, TypeAlias

__all__ = ["chart", "condense", "main", "put", "tables"]

BENCH = Path(__file__).parent
RESULTS = BENCH / "results.json"
README = BENCH.parent / "README.md"
PAGE = BENCH.parent / "docs" / "speed.md"

REFERENCE = "mcp high-level"
_BAR = 40
_WIDTH = 120
_OURS = "sansmcp"

Results: TypeAlias = dict[str, Any]
"""Column -> row -> figure -> median; ``ratio`` is against the reference, ``share`` of a bare app,
``kept`` of the rate with one tool, each round by round. Under ``about``, what was run and when."""

_SHARE_OF = {
    "sansmcp on hypercorn, asyncio": "ASGI on hypercorn, asyncio",
    "sansmcp on hypercorn, trio": "ASGI on hypercorn, trio",
    "sansmcp on uvicorn, h11": "ASGI on uvicorn, h11",
    "sansmcp on uvicorn, httptools+uvloop": "ASGI on uvicorn, httptools+uvloop",
    "sansmcp on granian": "ASGI on granian",
    "sansmcp's own loop, h11": "bare h11 + trio",
    "sansmcp's own loop, httptools": "bare httptools + trio",
}
"""Rows, and the same server with a fixed answer in place of ours."""

_CHARTS = (
    ("stdio, 64 requests in flight: requests per second", "pipelined", "rate"),
    ("HTTP, 64 connections: requests per second", "call c=64", "rate"),
    ("start over stdio, until the first answer: milliseconds", "cold", "ms"),
)
_CHARTED = {
    "pipelined": (
        "sansmcp",
        "sansmcp, async on trio",
        "TypeScript SDK",
        "mcp high-level",
        "fastmcp",
    ),
    "call c=64": (
        "sansmcp's own loop, httptools",
        "sansmcp on uvicorn, httptools+uvloop",
        "sansmcp on uvicorn, h11",
        "TypeScript SDK",
        "mcp high-level",
        "fastmcp",
    ),
    "cold": ("sansmcp", "sansmcp, async on trio", "TypeScript SDK", "mcp high-level", "fastmcp"),
}


def condense(raw: dict[str, list[dict[str, Any]]]) -> Results:
    """The samples of a run -> the median of every figure, and of the ratio of each round.

    Args:
        raw: What the harness keeps with ``--json``.
    """
    samples = [one for name in ("http", "stdio", "cold") for one in raw.get(name, [])]
    taken = {(one["column"], one["row"], one["round"]): one for one in samples}
    figures: dict[str, dict[str, dict[str, list[float]]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(list))
    )
    for one in samples:
        row = figures[one["column"]][one["row"]]
        for name, value in one.items():
            if name not in ("row", "column", "round"):
                row[name].append(value)
        for name, beside in _beside(one).items():
            other = taken.get(beside)
            if other is not None:
                of = "ms" if one["column"] == "cold" else "rate"
                row[name].append(one[of] / other[of])
    return {
        column: {
            row: {name: float(f"{median(values):.4g}") for name, values in sorted(found.items())}
            for row, found in rows.items()
        }
        for column, rows in figures.items()
    }


def _beside(one: dict[str, Any]) -> dict[str, tuple[str, str, int]]:
    """What a sample is compared with, in the same round."""
    column, row, turn = one["column"], one["row"], one["round"]
    compared = {"ratio": (column, REFERENCE, turn)}
    if row in _SHARE_OF:
        compared["share"] = (column, _SHARE_OF[row], turn)
    if column == "call100":
        compared["kept"] = ("call c=16", row, turn)
    return compared


def chart(results: Results) -> str:
    """The bars of the README, as lines of text."""
    lines = []
    for title, column, figure in _CHARTS:
        rows = {name: results[column][name][figure] for name in _CHARTED[column]}
        longest, width = max(rows.values()), max(len(name) for name in rows)
        lines += [title, ""]
        for name, value in rows.items():
            bar = "█" * max(1, round(value / longest * _BAR))
            lines.append(f"  {name:{width}}  {bar} {value:,.0f}")
        lines.append("")
    return "```text\n" + "\n".join(lines).rstrip() + "\n```"


def tables(results: Results) -> dict[str, str]:
    """The tables of the page, by the name of their place in it."""
    return {
        "http": _table(
            ("server", "requests/s", "against `mcp`", "of a bare app", "p50 / p99 ms"),
            [_http_row(results, name) for name in results["call c=64"]],
        ),
        "list": _table(
            (
                "server",
                "`tools/list`/s",
                "against `mcp`",
                "`tools/call`/s",
                "of its rate with 1 tool",
            ),
            [_list_row(results, name) for name in results["list"]],
        ),
        "stdio": _table(
            ("server", "64 in flight/s", "against `mcp`", "one at a time/s", "against `mcp`"),
            [_stdio_row(results, name) for name in results["pipelined"]],
        ),
        "cold": _table(
            ("server", "first answer, ms", "against `mcp`", "resident, MB"),
            [
                (_name(name), _number(one["ms"]), _times(one["ratio"]), f"{one['rss']:.1f}")
                for name, one in results["cold"].items()
            ],
        ),
    }


def _http_row(results: Results, name: str) -> tuple[str, ...]:
    one = results["call c=64"][name]
    share = f"{one['share']:.0%}" if "share" in one else ""
    latency = f"{one['p50'] / 1000:.1f} / {one['p99'] / 1000:.1f}"
    return _name(name), _number(one["rate"]), _times(one["ratio"]), share, latency


def _list_row(results: Results, name: str) -> tuple[str, ...]:
    listed, called = results["list"][name], results["call100"].get(name)
    kept = f"{called['kept']:.0%}" if called and "kept" in called else ""
    rate = _number(called["rate"]) if called else ""
    return _name(name), _number(listed["rate"]), _times(listed["ratio"]), rate, kept


def _stdio_row(results: Results, name: str) -> tuple[str, ...]:
    many, one = results["pipelined"][name], results["one at a time"][name]
    return (
        _name(name),
        _number(many["rate"]),
        _times(many["ratio"]),
        _number(one["rate"]),
        _times(one["ratio"]),
    )


def _name(name: str) -> str:
    return f"**{name}**" if name.startswith(_OURS) else name


def _number(value: float) -> str:
    return f"{value:,.0f}"


def _times(ratio: float) -> str:
    return f"x {ratio:.3g}"


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    rule = ("---", *("---:" for _ in head[1:]))
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, rule, *rows))


def put(document: str, name: str, content: str) -> str:
    """The document with ``content`` between the markers of that name.

    Raises:
        ValueError: The document has no such place.
    """
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    if not pattern.search(document):
        raise ValueError(f"there is no place for {name!r}: put the line {begin} and {end} there")
    return pattern.sub(lambda _: f"{begin}\n\n{content}\n\n{end}", document)


def written(results: Results) -> dict[Path, str]:
    """What the documents should say."""
    about = textwrap.fill(str(results["about"]), _WIDTH)
    page = put(PAGE.read_text(encoding="utf-8"), "about", about)
    for name, table in tables(results).items():
        page = put(page, name, table)
    readme = put(README.read_text(encoding="utf-8"), "chart", chart(results))
    return {README: readme, PAGE: page}


def main() -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--from", dest="raw", type=Path, help="samples of a run of the harness")
    options = parser.parse_args()
    kept = RESULTS.read_text(encoding="utf-8")
    if options.raw is not None:
        raw = json.loads(options.raw.read_text(encoding="utf-8"))
        missing = {"http", "stdio", "cold", "about"} - raw.keys()
        if missing:
            parser.error(f"the run has no {', '.join(sorted(missing))}; all sections are needed")
        kept = json.dumps({"about": raw["about"][0]["text"], **condense(raw)}, indent=1) + "\n"
    documents = written(json.loads(kept))
    for path, text in {RESULTS: kept, **documents}.items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
