"""Real server processes, spoken to over their descriptors; every wait has a deadline."""

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

__all__ = ["Client", "StartServer", "await_true", "call", "cancel", "request"]

DEADLINE_S = 30.0

BACKENDS = ("threads", "trio", "asyncio")

_PRELUDE = """
import contextlib, contextvars, logging, os, subprocess, sys, threading, time
import sansmcp_stdio
from sansmcp_core import Context, Server, Settings
from sansmcp_core import Limits

BACKEND = {backend!r}
server = Server("test", "1")
"""

_RUN = """
if __name__ == "__main__":
    sansmcp_stdio.run(server, backend=BACKEND, **OPTIONS)
"""

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


def request(id: int | str, method: str, /, **params: Any) -> bytes:
    """A modern request, one line."""
    message = {"jsonrpc": "2.0", "id": id, "method": method, "params": {"_meta": META, **params}}
    return json.dumps(message).encode() + b"\n"


def call(id: int | str, name: str, /, **arguments: Any) -> bytes:
    """A modern call of a tool, one line."""
    return request(id, "tools/call", name=name, arguments=arguments)


def cancel(id: int | str) -> bytes:
    """The notification that cancels a request."""
    params = {"_meta": META, "requestId": id}
    message = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
    return json.dumps(message).encode() + b"\n"


class Client:
    """The client's side of a server process."""

    def __init__(self, process: "subprocess.Popen[bytes]", to: int, back: int, log: Path) -> None:
        self.process = process
        self.to = to
        self.back = back
        self.raw = b""
        self._log = log
        self._seen = 0
        self._early: dict[int | str, dict[str, Any]] = {}

    def send(self, *lines: bytes) -> None:
        """Write all of it."""
        data = memoryview(b"".join(lines))
        deadline = time.monotonic() + DEADLINE_S
        while data:
            rest = deadline - time.monotonic()
            _, ready, _ = select.select([], [self.to], [], max(0.0, rest))
            assert ready, "the server does not read"
            data = data[os.write(self.to, data[: select.PIPE_BUF]) :]

    def send_what_is_taken(self, lines: list[bytes]) -> int:
        """Write until the server has not read for half a second; the number of bytes written."""
        data = memoryview(b"".join(lines))
        sent = 0
        while sent < len(data) and select.select([], [self.to], [], 0.5)[1]:
            sent += os.write(self.to, data[sent : sent + select.PIPE_BUF])
        return sent

    def await_quiet(self) -> None:
        """Wait until the server uses no processor time any more."""
        seen = [-1.0]

        def quiet() -> bool:
            time.sleep(0.2)
            seen.append(self._processor_s())
            return seen[-1] == seen[-2]

        await_true(quiet, lambda: "the server does not come to rest")

    def _processor_s(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return float(fields[11]) + float(fields[12])

    def resident_kib(self) -> int:
        """How much memory the server holds."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0])

    def close_input(self) -> None:
        """Send no more."""
        os.close(self.to)
        self.to = -1

    def read(self, deadline_s: float = DEADLINE_S) -> bytes:
        """What comes next; empty at the end."""
        ready, _, _ = select.select([self.back], [], [], deadline_s)
        assert ready, f"nothing came; log: {self.log}"
        try:
            data = os.read(self.back, 1 << 20)
        except OSError:  # a terminal whose other side is closed
            data = b""
        self.raw += data
        return data

    def line(self, deadline_s: float = DEADLINE_S) -> dict[str, Any]:
        """The next message."""
        while b"\n" not in self.raw[self._seen :]:
            assert self.read(deadline_s), f"the server ended; log: {self.log}"
        end = self.raw.index(b"\n", self._seen)
        line, self._seen = self.raw[self._seen : end], end + 1
        message: dict[str, Any] = json.loads(line)
        return message

    def answer(self, id: int | str) -> dict[str, Any]:
        """The answer to a request.

        Calls that run at once end in any order, so answers to others are kept for whoever asks for
        them; anything else before it is passed over.
        """
        while id not in self._early:
            message = self.line()
            if "id" in message and "method" not in message:
                assert message["id"] not in self._early, f"answered twice: {message}"
                self._early[message["id"]] = message
        return self._early.pop(id)

    def ask(self, line: bytes) -> dict[str, Any]:
        """Send a request and return its answer."""
        self.send(line)
        return self.answer(json.loads(line)["id"])

    def text(self, id: int | str, name: str, /, **arguments: Any) -> str:
        """Call a tool and return its text."""
        result = self.ask(call(id, name, **arguments))["result"]
        text: str = result["content"][0]["text"]
        return text

    def rest(self) -> list[dict[str, Any]]:
        """Every message up to the end of output."""
        while self.read():
            pass
        lines, self._seen = self.raw[self._seen :], len(self.raw)
        assert lines == b"" or lines.endswith(b"\n")
        return [json.loads(line) for line in lines.splitlines()]

    def wait(self, deadline_s: float = DEADLINE_S) -> int:
        """The exit status."""
        return self.process.wait(deadline_s)

    def end(self) -> int:
        """Close the input and return the exit status."""
        self.close_input()
        return self.wait()

    @property
    def log(self) -> str:
        """What is on standard error by now."""
        return self._log.read_text(errors="replace")

    def await_log(self, text: str) -> None:
        """Wait until standard error holds ``text``."""
        await_true(lambda: text in self.log, lambda: f"{text!r} not in {self.log!r}")

    def dispose(self) -> None:
        """Leave nothing behind."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait(DEADLINE_S)
        for fd in {self.to, self.back} - {-1}:
            with contextlib.suppress(OSError):
                os.close(fd)


def _environment() -> dict[str, str]:
    """Ours without what changes Python's own streams."""
    ours = ("PYTHONUNBUFFERED", "PYTHONIOENCODING", "PYTHONUTF8")
    return {name: value for name, value in os.environ.items() if name not in ours}


def await_true(condition: Callable[[], bool], complaint: Callable[[], str]) -> None:
    """Wait until ``condition`` holds."""
    deadline = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < deadline, complaint()
        time.sleep(0.005)  # the one place where another process can only be polled


class StartServer:
    """Starts servers from source text."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._count = 0
        self._clients: list[Client] = []

    def script(
        self, source: str, backend: str | None, options: str = "{}", run: str = _RUN
    ) -> Path:
        """A server file."""
        self._count += 1
        path = self._folder / f"server_{self._count}.py"
        body = textwrap.dedent(source)
        prelude = _PRELUDE.format(backend=backend)
        path.write_text(f"{prelude}OPTIONS = {options}\n{body}\n{run}", "utf-8")
        return path

    def __call__(
        self,
        source: str,
        backend: str | None = None,
        *,
        options: str = "{}",
        run: str = _RUN,
        env: dict[str, str] | None = None,
    ) -> Client:
        """Start a server whose standard input and output are pipes."""
        return self.command([str(self.script(source, backend, options, run))], env=env)

    def command(
        self,
        arguments: list[str],
        *,
        ends: tuple[int, int, int, int] | None = None,
        env: dict[str, str] | None = None,
        cwd: Path | None = None,
    ) -> Client:
        """Start Python with ``arguments``.

        Args:
            arguments: The command line after the interpreter.
            ends: Server's input and output, client's output and input; pipes by default.
        """
        if ends is None:
            server_in, to = os.pipe()
            back, server_out = os.pipe()
        else:
            server_in, server_out, to, back = ends
        log = self._folder / f"log_{len(self._clients)}"
        with log.open("wb") as errors:
            process = subprocess.Popen(
                [sys.executable, *arguments],
                stdin=server_in,
                stdout=server_out,
                stderr=errors,
                cwd=cwd or self._folder,
                env=_environment() | (env or {}),
            )
        for fd in {server_in, server_out} - {to, back}:
            os.close(fd)
        client = Client(process, to, back, log)
        self._clients.append(client)
        return client

    def dispose(self) -> None:
        """End what still runs."""
        for client in self._clients:
            client.dispose()


@pytest.fixture
def start_server(tmp_path: Path) -> Iterator[StartServer]:
    """Starts server processes, and ends them."""
    starter = StartServer(tmp_path)
    yield starter
    starter.dispose()


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> str:
    """Each backend in turn."""
    name: str = request.param
    return name


@pytest.fixture(params=BACKENDS[1:])
def loop_backend(request: pytest.FixtureRequest) -> str:
    """Each backend that has an event loop, in turn."""
    name: str = request.param
    return name
