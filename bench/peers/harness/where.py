"""Where a Python server's time goes under load: py-spy's samples, by package and by function."""

import re
import subprocess
import tempfile
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from . import envs, load_http
from .load_stdio import StdioServer, pipelined
from .quiet import Cores
from .servers import HttpServer, Process, Server, pinned

__all__ = ["package", "profile", "record"]

SECONDS, RATE = 8, 400
HELPERS = ("stdlib", "pydantic", "anyio", "sniffio", "opentelemetry")
FRAME = re.compile(r"(.*) \((.*?)(?::\d+)?\)$")

Stacks: TypeAlias = Counter[tuple[tuple[str, str], ...]]
"""Stacks, each of pairs of a function and its file from the outermost in, and their counts."""


def package(file: str) -> str:
    """What a file belongs to."""
    if file.startswith("<"):
        return "generated code"
    if "site-packages/" in file:
        return file.partition("site-packages/")[2].partition("/")[0]
    found = re.search(r"lib/python[\d.]+/(.*)", file)
    if not found:
        return "the server's own file"
    return f"stdlib {found[1].partition('/')[0].removesuffix('.py')}"


def record(process: Process, core: int | None, load: Callable[[], object]) -> Stacks:
    """The stacks that are found while ``load`` runs."""
    with tempfile.NamedTemporaryFile() as file:
        spy = [str(envs.PYTHON.with_name("py-spy")), "record", "-p", str(process.popen.pid)]
        spy += ["-d", str(SECONDS), "-r", str(RATE), "-f", "raw", "-F", "--full-filenames"]
        spy += ["--gil", "-o", file.name]
        worker = threading.Thread(target=load)
        worker.start()
        subprocess.run(pinned(spy, core), check=True, capture_output=True)
        worker.join()
        stacks: Stacks = Counter()
        for line in Path(file.name).read_text(encoding="utf-8").splitlines():
            frames, _, count = line.rpartition(" ")
            matches = [FRAME.match(frame) for frame in frames.split(";")]
            stacks[tuple((match[1], match[2]) for match in matches if match)] += int(count)
        return stacks


def loaded(server: Server, mode: str, cores: Cores) -> Stacks:
    """The stacks of a server under the load of its mode."""
    server_core, load_core = cores
    if mode == "http":
        with HttpServer(server, 1, server_core) as process:
            process.wait()
            load_http.drive(process, "tools/call", 16, 1, load_core)

            def load() -> object:
                return load_http.drive(process, "tools/call", 16, SECONDS + 2, load_core)

            return record(process, load_core, load)
    with StdioServer(server.command("stdio"), server_core) as child:
        pipelined(child, 1)
        return record(child, load_core, lambda: pipelined(child, SECONDS + 2))


def profile(server: Server, mode: str, cores: Cores) -> str:
    """Where the time of one server goes, as tables."""
    stacks = loaded(server, mode, cores)
    total = sum(stacks.values())
    packages: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    inclusive: Counter[str] = Counter()
    for stack, count in stacks.items():
        if stack:
            owners = [package(file) for _, file in stack]
            named = [
                f"`{function}` in {owner} {Path(file).stem}"
                for owner, (function, file) in zip(owners, stack, strict=True)
            ]
            packages[owners[-1]] += count
            callers = [
                name
                for name, owner in zip(named, owners, strict=True)
                if not owner.startswith(HELPERS)
            ]
            asked[callers[-1] if callers else named[0]] += count
            inclusive.update(dict.fromkeys(named, count))
    lines = [f"### {server.name}, {mode}: {total} samples"]
    for title, counter, shown in (
        ("own time, by package", packages, 20),
        (f"own time and that of {', '.join(HELPERS)}, by the function that asked", asked, 40),
        ("time with all it calls, by function", inclusive, 80),
    ):
        lines += ["", f"| {title} | share |", "| --- | ---: |"]
        lines += [f"| {name} | {part / total:.1%} |" for name, part in counter.most_common(shown)]
    return "\n".join(lines)
