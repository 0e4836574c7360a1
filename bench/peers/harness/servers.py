"""The servers under test: found by the lines in their heads, started, measured and stopped."""

import contextlib
import http.client
import json
import os
import random
import re
import signal
import socket
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from . import envs, wire

__all__ = ["FOLDERS", "HEADER", "HttpServer", "Process", "Server", "find", "pinned"]

FOLDER = envs.BENCH / "servers"
FOLDERS = [
    FOLDER,
    envs.BENCH.parent / "servers",  # our own
    *(Path(name) for name in os.environ.get("BENCH_SERVERS", "").split(os.pathsep) if name),
]
FOLDERS = list(dict.fromkeys(folder.resolve() for folder in FOLDERS))
HEADER = re.compile(r"^(?:#|//) bench: (\w+) = (.*)$", re.MULTILINE)
ORDER = {"candidate": 0, "peer": 1, "variant": 2, "floor": 3}
TICK = os.sysconf("SC_CLK_TCK")
STOP_S = 5.0


@dataclass(frozen=True)
class Server:
    """One row of the tables: a file of one of the folders, or one variant of it."""

    name: str
    file: Path
    role: str  # peer, variant, floor or candidate
    modes: tuple[str, ...]
    scenarios: tuple[str, ...] = ("call", "call100", "list")
    variant: str = "-"
    note: str = ""

    def command(self, mode: str, port: int = 0, tools: int = 1) -> list[str]:
        """How it is started."""
        return [*envs.runtime(self.file), mode, str(port), str(tools), self.variant]


def find(pattern: str | None = None) -> list[Server]:
    """All servers of all folders whose name matches: candidates, peers, variants, floors."""
    found: list[Server] = []
    for file in sorted(file for folder in FOLDERS for file in folder.iterdir()):
        if file.suffix in (".py", ".mjs"):
            entries: list[dict[str, Any]] = []
            for key, value in HEADER.findall(file.read_text(encoding="utf-8")):
                if key == "name":
                    entries.append({"file": file})
                many = key in ("modes", "scenarios")
                entries[-1][key] = tuple(value.split(", ")) if many else value
            found += [Server(**entry) for entry in entries]
    found.sort(key=lambda server: ORDER[server.role])
    return [server for server in found if re.search(pattern or "", server.name)]


def pinned(command: list[str], core: int | None) -> list[str]:
    """The command, held to one core; or as it is, for None."""
    return command if core is None else ["taskset", "-c", str(core), *command]


class Process:
    """A child in a session of its own, so that its own children are counted and stopped with it."""

    def __init__(self, command: list[str], core: int | None, **pipes: Any) -> None:
        self.popen = subprocess.Popen(
            pinned(command, core), start_new_session=True, cwd=FOLDER, **pipes
        )

    def members(self) -> list[tuple[int, list[str]]]:
        """The ids of the processes of its session, each with what the kernel tells of it."""
        out = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    status = (entry / "stat").read_text(encoding="utf-8")
                except OSError:
                    continue
                fields = status.rpartition(")")[2].split()
                if int(fields[3]) == self.popen.pid:
                    out.append((int(entry.name), fields))
        return out

    def cpu_seconds(self) -> float:
        """What it has used so far, the kernel's work for it included."""
        return self.user_seconds() + sum(int(fields[12]) for _, fields in self.members()) / TICK

    def user_seconds(self) -> float:
        """What it has used so far."""
        return sum(int(fields[11]) for _, fields in self.members()) / TICK

    def rss_mb(self) -> float:
        """Its resident memory."""
        pages = sum(int(fields[21]) for _, fields in self.members())
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20

    def stop(self) -> None:
        """End it, and whatever it has started."""
        for pipe in (self.popen.stdin, self.popen.stdout):
            if pipe:
                pipe.close()
        self.popen.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.popen.wait(STOP_S)
        for pid, _ in self.members():
            os.kill(pid, signal.SIGKILL)
        self.popen.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


class HttpServer(Process):
    """A server process that listens on 127.0.0.1 and has answered right once."""

    def __init__(self, server: Server, tools: int, core: int | None) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.server, self.tools = server, tools
        command = server.command("http", self.port, tools)
        super().__init__(command, core, stderr=subprocess.DEVNULL)

    def post(self, body: bytes, headers: dict[str, str]) -> tuple[int, bytes]:
        """One request on a connection of its own -> the status and the body of its answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request("POST", "/mcp", body, headers)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def check(self) -> int:
        """Ask once for everything the load will ask for, and say how long the listing is."""
        sums = [(wire.LEFT, wire.RIGHT)]
        if self.server.role != "floor":
            # No floor: most of them know one sum.
            sums += [(random.randrange(10**6), random.randrange(10**6)) for _ in range(3)]  # noqa: S311
        for a, b in sums:
            status, body = self.post(wire.add(1, a, b), wire.headers("tools/call", "add"))
            if status != 200:
                raise AssertionError(f"{self.server.name}: HTTP {status}: {body[:300]!r}")
            wire.check_sum(json.loads(body), 1, a + b)
        if self.tools == 1:
            return 0
        status, body = self.post(wire.message("tools/list"), wire.headers("tools/list"))
        wire.check_list(json.loads(body), self.tools)
        return len(body)

    def wait(self, seconds: float = 60) -> Self:
        """Wait until it answers.

        Raises:
            RuntimeError: It has ended.
            OSError: It has not answered in time.
            AssertionError: It answers wrongly.
        """
        deadline = time.monotonic() + seconds
        while True:
            if self.popen.poll() is not None:
                raise RuntimeError(
                    f"{self.server.name} exited with {self.popen.returncode}; by hand it says why: "
                    f"{self.popen.args!r}"
                )
            try:
                self.check()
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)
            else:
                return self
