"""Measure MCP servers, and the floors beneath them, on one machine. See bench/README.md.

python run.py --setup            make the environment (once, then after every change of ours)
python run.py --quick            everything in a few minutes
python run.py                    the full measurement
python run.py --where NAME       where the time of one server goes (py-spy)
"""

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from . import cold, envs, footprint, load_http, load_stdio, quiet, report, servers, where
from .quiet import Cores, Sample

__all__ = ["main"]

SECTIONS = ("http", "stdio", "cold", "imports", "footprint", "micro")


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line -> what it asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--setup", action="store_true", help="install the peers, the tools and us, then stop")
    add("--install", nargs="*", default=[], metavar="SPEC", help="with --setup: more for pip")
    add("--quick", action="store_true", help="fewer and shorter rounds")
    add("--only", metavar="REGEX", help="only the servers whose name matches")
    add(
        "--sections",
        nargs="+",
        choices=SECTIONS,
        default=SECTIONS,
        metavar="NAME",
        help=f"some of {', '.join(SECTIONS)}",
    )
    add("--server-core", type=int, default=0, help="the core of the servers (default 0)")
    add("--load-core", type=int, default=1, help="the core of the load generator (default 1)")
    add("--json", type=Path, metavar="FILE", help="write the raw samples too")
    add("--where", metavar="NAME", help="profile one server under load, by its exact name")
    add("--mode", choices=("http", "stdio"), default="http", help="with --where")
    options = parser.parse_args(arguments)
    try:
        names = [server.name for server in servers.find(options.only)]
    except re.error as error:
        parser.error(f"--only takes a regular expression, got {options.only!r}: {error}")
    if not names:
        parser.error(f"no server's name matches {options.only!r}")
    if options.where is not None and options.where not in names:
        parser.error(f"there is no server {options.where!r}; there are {', '.join(names)}")
    return options


def micro(quick: bool, cores: Cores) -> list[Sample]:
    """Costs within one process, which is one of the environment's own."""
    pace = ("0.02", "5") if quick else ("0.1", "9")
    command = servers.pinned([str(envs.PYTHON), "-m", "harness.micro", *pace], cores[0])
    ran = subprocess.run(command, cwd=envs.BENCH, check=True, capture_output=True)
    found: list[Sample] = json.loads(ran.stdout)
    return found


def measure(
    options: argparse.Namespace, chosen: list[servers.Server], cores: Cores, every_core: set[int]
) -> dict[str, list[Sample]]:
    """Measure section by section, print each table when it is there; return the raw samples."""
    begun, quick = time.monotonic(), options.quick
    raw: dict[str, list[Sample]] = {}
    over_http = [server for server in chosen if "http" in server.modes]
    over_stdio = [server for server in chosen if "stdio" in server.modes]
    resident = [server for server in over_stdio if server.role != "variant"]

    def section(
        name: str, render: Callable[[list[Any]], str], take: Callable[[], list[Sample]]
    ) -> None:
        if name in options.sections:
            print(f"{time.monotonic() - begun:5.0f} s  {name}", file=sys.stderr)
            raw[name] = take()
            print("\n" + render(raw[name]), flush=True)

    section(
        "http",
        report.http,
        lambda: load_http.measure(over_http, 3 if quick else 5, 1 if quick else 3, quick, cores),
    )
    section(
        "stdio",
        report.stdio,
        lambda: load_stdio.measure(over_stdio, 3 if quick else 7, 0.5 if quick else 2, cores),
    )
    section("cold", report.cold, lambda: cold.measure(resident, 3 if quick else 10, cores))
    section("imports", report.imports, lambda: cold.imports(3 if quick else 10, cores))
    section("footprint", report.footprint, lambda: footprint.measure(every_core))
    section("micro", report.micro, lambda: micro(quick, cores))
    print("\n" + report.servers(chosen))
    print(f"\nTook {time.monotonic() - begun:.0f} s. {quiet.report()}")
    return raw


def main(arguments: Sequence[str] | None = None) -> None:
    """Print what the command line asks for."""
    options = parse(arguments)
    if options.setup:
        envs.setup(options.install)
        return
    if not envs.PYTHON.exists():
        raise SystemExit("no environment yet: python bench/peers/run.py --setup")

    cores: Cores = (options.server_core, options.load_core)
    if (os.cpu_count() or 1) < 2:
        cores = (None, None)
    every_core = os.sched_getaffinity(0)
    if None not in cores:
        os.sched_setaffinity(0, {options.load_core})  # this process is the stdio driver
    chosen = servers.find(options.only)
    if options.where:
        profiled = next(server for server in chosen if server.name == options.where)
        print(where.profile(profiled, options.mode, cores))
        return

    quiet.tries = 2 if options.quick else 3
    named = ", ".join(f"{name} {version}" for name, version in envs.versions().items())
    kind = "Quick" if options.quick else "Full"
    about = (
        f"{kind} run on {platform.machine()}, {time.strftime('%Y-%m-%d')}, "
        f"load average {os.getloadavg()[0]:.2f} before it. {named}."
    )
    print(about)
    raw = measure(options, chosen, cores, every_core)
    raw["about"] = [{"text": about}]
    if options.json:
        options.json.write_text(json.dumps(raw), encoding="utf-8")
