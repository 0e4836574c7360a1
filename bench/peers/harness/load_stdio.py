"""stdio load: requests encoded beforehand, answers counted by newlines, a sample verified."""

import json
import os
import subprocess
import time
from contextlib import ExitStack
from functools import partial
from typing import Any

from . import wire
from .quiet import Cores, Sample, quietly
from .servers import Process, Server

__all__ = ["StdioServer", "measure", "one_at_a_time", "operands", "pipelined", "verify"]

WINDOW = 64  # requests in flight when pipelined: small enough that neither pipe can fill up
FIRST, COUNT = 100_000, 10_000  # the ids; every request has the same length
READ_BYTES = 1 << 18


def operands(id: int) -> tuple[int, int]:
    """What the request of this id asks to be added."""
    return id, 100_000 + id * 7919 % 900_000


RING = memoryview(
    b"".join(wire.add(id, *operands(id)) + b"\n" for id in range(FIRST, FIRST + COUNT))
)
SIZE = len(RING) // COUNT


class StdioServer(Process):
    """A server process that is spoken to over its stdin and stdout."""

    def __init__(self, command: list[str], core: int | None) -> None:
        super().__init__(
            command,
            core,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
        )
        assert self.popen.stdin is not None
        assert self.popen.stdout is not None
        self.to, self.back = self.popen.stdin.fileno(), self.popen.stdout.fileno()
        self.next = 0

    def read(self) -> bytes:
        """What has come, at least a byte.

        Raises:
            RuntimeError: The server has ended.
        """
        data = os.read(self.back, READ_BYTES)
        if not data:
            raise RuntimeError(f"server ended with {self.popen.wait()}: {self.popen.args!r}")
        return data

    def line(self) -> bytes:
        """What comes until a newline is the last of it."""
        data = self.read()
        while not data.endswith(b"\n"):
            data += self.read()
        return data

    def ask(self, request: bytes) -> dict[str, Any]:
        """One request -> its answer."""
        os.write(self.to, request + b"\n")
        answer: dict[str, Any] = json.loads(self.line())
        return answer

    def send(self, count: int) -> None:
        """Write the next ``count`` requests of the ring."""
        while count:
            part = min(count, COUNT - self.next)
            os.write(self.to, RING[self.next * SIZE : (self.next + part) * SIZE])
            self.next = (self.next + part) % COUNT
            count -= part


def verify(data: bytes, expected: int) -> None:
    """Fail unless there are as many answers as expected, and about 200 of them are right.

    Raises:
        AssertionError: They are not.
    """
    lines = data.splitlines()
    if len(lines) != expected:
        raise AssertionError(f"sent {expected} requests, got {len(lines)} answers")
    for line in lines[:: max(1, len(lines) // 200)]:
        answer = json.loads(line)
        wire.check_sum(answer, answer["id"], sum(operands(answer["id"])))


def pipelined(server: StdioServer, seconds: float) -> Sample:
    """Requests per second with many in flight, and the processor time of one."""
    clock, chunks = time.perf_counter, []
    answered, flying = 0, WINDOW
    cpu, start = server.cpu_seconds(), clock()
    end = start + seconds
    server.send(WINDOW)
    while flying:
        chunk = server.read()
        chunks.append(chunk)
        lines = chunk.count(b"\n")
        answered += lines
        flying -= lines
        if lines and clock() < end:
            server.send(lines)
            flying += lines
    elapsed, cpu = clock() - start, server.cpu_seconds() - cpu
    verify(b"".join(chunks), answered)
    return {"rate": answered / elapsed, "cpu": cpu / answered * 1e6}


def one_at_a_time(server: StdioServer, seconds: float) -> Sample:
    """Requests per second when each waits for the answer to the one before it."""
    clock, lines, taken = time.perf_counter, [], []
    cpu, start = server.cpu_seconds(), clock()
    now, end = start, start + seconds
    while now < end:
        server.send(1)
        lines.append(server.line())
        before, now = now, clock()
        taken.append(now - before)
    cpu = server.cpu_seconds() - cpu
    verify(b"".join(lines), len(lines))
    taken.sort()
    micro = [taken[len(taken) * percent // 100] * 1e6 for percent in (50, 99)]
    return {
        "rate": len(lines) / (now - start),
        "p50": micro[0],
        "p99": micro[1],
        "cpu": cpu / len(lines) * 1e6,
    }


def measure(servers: list[Server], rounds: int, seconds: float, cores: Cores) -> list[Sample]:
    """Both loads on every server, ``rounds`` times, the servers taking turns."""
    samples = []
    with ExitStack() as stack:
        started = [
            stack.enter_context(StdioServer(server.command("stdio"), cores[0]))
            for server in servers
        ]
        for process in started:
            wire.check_sum(process.ask(wire.add(7, 20, 22)), 7, 42)
            pipelined(process, 0.3)  # warm-up
        pairs = list(zip(servers, started, strict=True))
        for turn in range(rounds):
            for column, load in (("pipelined", pipelined), ("one at a time", one_at_a_time)):
                for server, process in pairs if turn % 2 == 0 else pairs[::-1]:
                    once = partial(load, process, seconds)
                    sample = quietly(once, cores, process.user_seconds)
                    samples.append(sample | {"row": server.name, "column": column, "round": turn})
    return samples
