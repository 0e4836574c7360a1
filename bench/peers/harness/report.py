"""Samples to Markdown: medians, and ratios taken round by round before their median."""

from collections.abc import Callable, Iterable, Sequence
from statistics import median
from typing import TypeAlias

from .quiet import Sample
from .servers import Server

__all__ = ["Table", "cold", "footprint", "http", "imports", "micro", "servers", "stdio"]

REFERENCE = "mcp high-level"

Column: TypeAlias = tuple[str, Callable[[str], str]]
"""A heading, and the cell of each row."""


class Table:
    """The samples of one section, looked up by row and column."""

    def __init__(self, samples: list[Sample]) -> None:
        self.samples = samples
        self.rows: list[str] = _distinct(samples, "row")

    def values(self, row: str, column: str, key: str) -> dict[int, float]:
        """A figure in each round."""
        return {
            sample["round"]: sample[key]
            for sample in self.samples
            if sample["row"] == row and sample["column"] == column and key in sample
        }

    def get(self, row: str, column: str, key: str) -> float | None:
        """The median of a figure."""
        values = self.values(row, column, key)
        return median(values.values()) if values else None

    def ratio(self, row: str, column: str, key: str, reference: str = REFERENCE) -> float | None:
        """The median of a figure's ratios to the reference's."""
        mine, base = self.values(row, column, key), self.values(reference, column, key)
        both = [mine[turn] / base[turn] for turn in mine if base.get(turn)]
        return median(both) if both else None

    def spread(self, key: str) -> str:
        """How far single rounds lie from the median of their row and column."""
        distances: list[float] = []
        for column in _distinct(self.samples, "column"):
            for row in self.rows:
                values = self.values(row, column, key).values()
                if values:
                    middle = median(values)
                    distances += [
                        abs(value - middle) / middle for value in values if value != middle
                    ]
        typical, widest = (
            (f"{median(distances):.0%}", f"{max(distances):.0%}") if distances else ("0%", "0%")
        )
        return (
            f"Single rounds lie {typical} from their median in the typical case, "
            f"{widest} at the worst."
        )


def _distinct(samples: Iterable[Sample], key: str) -> list[str]:
    return list(dict.fromkeys(sample[key] for sample in samples))


def _number(value: float | None, digits: int | None = None) -> str:
    if value is None:
        return ""
    if digits is None:
        digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    return f"{value:,.{digits}f}"


def _times(value: float | None) -> str:
    if value is None:
        return ""
    return f"×{value:.{2 if value < 10 else 1 if value < 100 else 0}f}"  # noqa: RUF001


def _p50_p99(table: Table, row: str, column: str, scale: float, digits: int | None = None) -> str:
    p50, p99 = table.get(row, column, "p50"), table.get(row, column, "p99")
    if p50 is None or p99 is None:
        return ""
    return f"{_number(p50 / scale, digits)} / {_number(p99 / scale, digits)}"


def _markdown(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    out = ["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    out += ["| " + " | ".join(line) + " |" for line in lines]
    return "\n".join(out)


def _build(table: Table, first: str, columns: Sequence[Column]) -> str:
    lines = [[row, *(cell(row) for _, cell in columns)] for row in table.rows]
    return _markdown([first, *(head for head, _ in columns)], lines)


def _share(many: Table, one: Table, row: str) -> str:
    """The rate with 100 tools as a share of the one with one tool, round by round."""
    hundred, single = many.values(row, "call100", "rate"), one.values(row, "call c=16", "rate")
    shares = [hundred[turn] / single[turn] for turn in hundred if turn in single]
    return f"{median(shares):.0%}" if shares else ""


def _call_columns(table: Table) -> list[Column]:
    counts = sorted(int(column.partition("=")[2]) for column in _distinct(table.samples, "column"))
    last = f"call c={counts[-1]}"

    def rate(count: int) -> Column:
        return (
            f"req/s, c={count}",
            lambda row: _number(table.get(row, f"call c={count}", "rate")),
        )

    def latency(count: int) -> Column:
        return (
            f"p50 / p99 µs, c={count}",
            lambda row: _p50_p99(table, row, f"call c={count}", 1, 0),
        )

    return [
        *map(rate, counts),
        (f"ratio, c={counts[-1]}", lambda row: _times(table.ratio(row, last, "rate"))),
        ("CPU µs/req", lambda row: _number(table.get(row, last, "cpu"), 0)),
        *map(latency, counts),
    ]


def _many_columns(many: Table, one: Table) -> list[Column]:
    return [
        ("tools/list req/s", lambda row: _number(many.get(row, "list", "rate"))),
        ("ratio", lambda row: _times(many.ratio(row, "list", "rate"))),
        ("p50 / p99 ms", lambda row: _p50_p99(many, row, "list", 1e3)),
        ("listing, bytes", lambda row: _number(many.get(row, "list", "listing"), 0)),
        ("tools/call req/s", lambda row: _number(many.get(row, "call100", "rate"))),
        ("ratio", lambda row: _times(many.ratio(row, "call100", "rate"))),
        ("of its rate with 1 tool", lambda row: _share(many, one, row)),
    ]


def http(samples: list[Sample]) -> str:
    """Calls with one tool, and calls and listings with many."""
    table = Table([sample for sample in samples if sample["column"].startswith("call c=")])
    title = "### HTTP: `tools/call` of `add`, one tool"
    out = [title, _build(table, "server", _call_columns(table))]
    many = Table([sample for sample in samples if sample["column"] in ("call100", "list")])
    if many.rows:
        title = "### HTTP: a server with 100 tools, c=16"
        out += [title, _build(many, "server", _many_columns(many, table))]
    busiest = max(samples, key=lambda sample: sample["generator_busy"])
    out.append(
        f"Ratio: against `{REFERENCE}`, round by round, median. {Table(samples).spread('rate')} "
        f"The load generator was at most {busiest['generator_busy']:.0%} busy "
        f"({busiest['row']}, {busiest['column']}). Every answer was checked."
    )
    return "\n\n".join(out)


def stdio(samples: list[Sample]) -> str:
    """Calls with many in flight, and one at a time."""
    table = Table(samples)
    columns: list[Column] = [
        ("pipelined msg/s", lambda row: _number(table.get(row, "pipelined", "rate"))),
        ("ratio", lambda row: _times(table.ratio(row, "pipelined", "rate"))),
        ("CPU µs/msg", lambda row: _number(table.get(row, "pipelined", "cpu"))),
        ("one at a time msg/s", lambda row: _number(table.get(row, "one at a time", "rate"))),
        ("ratio", lambda row: _times(table.ratio(row, "one at a time", "rate"))),
        ("p50 / p99 µs", lambda row: _p50_p99(table, row, "one at a time", 1)),
    ]
    note = f"64 requests in flight when pipelined. {table.spread('rate')}"
    title = "### stdio: `tools/call` of `add`"
    return "\n\n".join([title, _build(table, "server", columns), note])


def cold(samples: list[Sample]) -> str:
    """Starts and resident memory."""
    table = Table(samples)
    columns: list[Column] = [
        ("spawn → first answer, ms", lambda row: _number(table.get(row, "cold", "ms"), 0)),
        ("ratio", lambda row: _times(table.ratio(row, "cold", "ms"))),
        ("RSS idle, MB", lambda row: _number(table.get(row, "cold", "rss"), 1)),
        ("ratio", lambda row: _times(table.ratio(row, "cold", "rss"))),
    ]
    rounds = 1 + max(sample["round"] for sample in samples)
    title = f"### Cold start over stdio: first `server/discover` answer (median of {rounds})"
    return "\n\n".join([title, _build(table, "server", columns), table.spread("ms")])


def imports(samples: list[Sample]) -> str:
    """What imports take."""
    table = Table(samples)
    columns: list[Column] = [
        ("ms", lambda row: _number(table.get(row, "import", "ms"), 1)),
        ("modules loaded", lambda row: _number(table.get(row, "import", "modules"), 0)),
    ]
    title = "### Import time (median)"
    return "\n\n".join([title, _build(table, "import", columns), table.spread("ms")])


def footprint(rows: list[Sample]) -> str:
    """What installations bring."""
    head = ["install", "distributions", "MB", "MB without bytecode", "largest folders, MB"]
    lines = [
        [
            row["row"],
            str(row["distributions"]),
            _number(row["mb"], 1),
            _number(row["mb_source"], 1),
            row["largest"],
        ]
        for row in rows
    ]
    return "\n\n".join(["### Install footprint, fresh environment", _markdown(head, lines)])


def micro(samples: list[Sample]) -> str:
    """Costs within one process, a table for each group."""
    out = ["### In-process costs (µs, median; ratio to the first row of its group)"]
    for column in _distinct(samples, "column"):
        table = Table([sample for sample in samples if sample["column"] == column])
        lines = []
        for row in table.rows:
            ratio = table.ratio(row, column, "us", table.rows[0])
            lines.append([row, _number(table.get(row, column, "us")), _times(ratio)])
        out.append(_markdown([column, "µs", "ratio"], lines))
    return "\n\n".join(out)


def servers(chosen: list[Server]) -> str:
    """The notes of the servers that have one."""
    lines = [f"- {server.name}: {server.note}" for server in chosen if server.note]
    return "\n".join(["### The servers", "", *lines])
