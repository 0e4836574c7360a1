"""A server in a process of its own, and crowds of clients for it."""

import contextlib
import os
import re
import resource
import selectors
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from load_http import Answer, call, judge

__all__ = [
    "DEADLINE_S",
    "Combination",
    "Crowd",
    "Served",
    "Sock",
    "ask",
    "serving",
]

DEADLINE_S = 30.0

_SERVING = re.compile(rb"serving at http://127\.0\.0\.1:([0-9]+)/")
_ORDINARY = (
    "serving at http",
    # The one way for an ASGI app to drop a client that does not read.
    "ASGI callable returned without completing response.",
)
_SERVER = Path(__file__).with_name("load_server.py")
_PAUSE_S = 0.02
_RESET = struct.pack("ii", 1, 0)


class Combination(NamedTuple):
    """Which adapter serves, in which event loop, with which parser of HTTP."""

    adapter: str
    backend: str
    parser: str

    @property
    def name(self) -> str:
        """As it is shown."""
        return " ".join(self)

    @property
    def is_ours(self) -> bool:
        """Whether connections are ours, and not an ASGI server's."""
        return self.adapter == "h11"


# -- clients --------------------------------------------------------------------------------------


class Sock:
    """One connection of a crowd, and what has come on it."""

    def __init__(self, port: int, receive_buffer: int | None = None) -> None:
        self.sock = socket.socket()
        self.sock.settimeout(DEADLINE_S)
        if receive_buffer is not None:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.sock.connect(("127.0.0.1", port))
        self.received = b""
        self.at_end = False
        """Whether the server has closed."""
        self.was_reset = False

    def send_leniently(self, data: bytes) -> bool:
        """Send to a server that may have closed; return whether it could be sent."""
        try:
            self.sock.sendall(data)
        except OSError:
            return False
        return True

    def take(self) -> None:
        """Take what has come."""
        try:
            data = self.sock.recv(1 << 16)
        except BlockingIOError:
            return
        except ConnectionError:
            data = b""
            self.was_reset = True
        self.at_end = not data
        self.received += data

    def close(self) -> None:
        """Close it."""
        self.sock.close()

    @property
    def answer(self) -> Answer | None:
        """What has come, as HTTP."""
        return judge(self.received, at_end=self.at_end)

    def is_answered(self) -> bool:
        """Whether a whole answer has come."""
        answer = self.answer
        return answer is not None and answer.whole

    def reset(self) -> None:
        """Close so that the server is told of a reset."""
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        self.sock.close()


class Crowd(contextlib.AbstractContextManager["Crowd"]):
    """Connections that have each sent a request."""

    def __init__(self, port: int, requests: Sequence[bytes]) -> None:
        self._selector = selectors.DefaultSelector()
        self.socks: list[Sock] = []
        for request in requests:
            sock = Sock(port)
            self.socks.append(sock)
            sock.sock.sendall(request)
            sock.sock.setblocking(False)
            self._selector.register(sock.sock, selectors.EVENT_READ, sock)

    def __exit__(self, *exc_info: object) -> None:
        self._selector.close()
        for sock in self.socks:
            sock.sock.close()

    def until(self, holds: Callable[[Sock], bool], timeout_s: float = DEADLINE_S) -> list[float]:
        """Wait until it holds for each, and return after how many seconds it did.

        Raises:
            ConnectionError: The server has closed all for which it does not hold.
            TimeoutError: It does not hold for some of them in time.
        """
        started = time.monotonic()
        lacking = {sock for sock in self.socks if not holds(sock)}
        times = [0.0] * (len(self.socks) - len(lacking))
        while lacking:
            if all(sock.at_end for sock in lacking):
                raise ConnectionError(f"{len(lacking)} of {len(self.socks)} were closed without it")
            rest_s = started + timeout_s - time.monotonic()
            ready = self._selector.select(max(0.0, rest_s))
            if not ready and rest_s <= 0:
                raise TimeoutError(f"{len(lacking)} of {len(self.socks)} still lack it")
            for key, _ in ready:
                sock: Sock = key.data
                sock.take()
                if sock.at_end:
                    self._selector.unregister(sock.sock)
                    sock.close()
                if sock in lacking and holds(sock):
                    lacking.remove(sock)
                    times.append(time.monotonic() - started)
        return times

    def forget(self) -> None:
        """Keep nothing of what has come."""
        for sock in self.socks:
            sock.received = b""

    def reset(self) -> None:
        """Reset every connection."""
        for sock in self.socks:
            if not sock.at_end:
                self._selector.unregister(sock.sock)
                sock.reset()


def ask(port: int, request: bytes) -> Answer:
    """The answer to one request on a connection of its own."""
    with Crowd(port, [request]) as crowd:
        crowd.until(Sock.is_answered)
        answer = crowd.socks[0].answer
    assert answer is not None
    return answer


# -- the server -----------------------------------------------------------------------------------


class Served:
    """A server that runs, and what it says of itself, on one connection that stays open."""

    def __init__(self, process: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
        self.process = process
        self.port = port
        self._log = log
        self._line = Sock(port)

    def call(self, tool: str, **arguments: Any) -> Any:
        """The structured result of a tool, or its text."""
        result = self._ask(call(tool, **arguments)).messages[-1]["result"]
        return result.get("structuredContent", result["content"][0].get("text"))

    def _ask(self, request: bytes) -> Answer:
        line = self._line
        line.received = b""
        line.send_leniently(request)
        while not line.at_end and not line.is_answered():
            line.take()
        if line.at_end:  # it was closed while nothing was asked
            line.sock.close()
            self._line = Sock(self.port)
            return self._ask(request)
        answer = line.answer
        assert answer is not None
        return answer

    def close(self) -> None:
        """Ask nothing more."""
        self._line.sock.close()

    def numbers(self, *, anew: bool = False) -> dict[str, int]:
        """What the server holds."""
        measured: dict[str, int] = self.call("measure", anew=anew)
        return measured

    def until(
        self, holds: Callable[[dict[str, int]], bool], what: str, timeout_s: float = DEADLINE_S
    ) -> dict[str, int]:
        """Wait until the numbers are so, and return them.

        Raises:
            TimeoutError: They are not, in time; says ``what`` that means.
        """
        until = time.monotonic() + timeout_s
        while not holds(found := self.numbers()):
            if time.monotonic() > until:
                raise TimeoutError(f"{what}: {found}")
            time.sleep(_PAUSE_S)
        return found

    @property
    def complaints(self) -> str:
        """What it has written to standard error that is out of the ordinary."""
        lines = self._log.read_text(encoding="utf-8").splitlines(keepends=True)
        return "".join(line for line in lines if not any(known in line for known in _ORDINARY))

    def ask_to_end(self) -> None:
        """Ask it to end, as a process manager does."""
        self.process.send_signal(signal.SIGTERM)

    def wait(self) -> int:
        """Wait for its end; return the exit status."""
        return self.process.wait(DEADLINE_S)


@contextlib.contextmanager
def serving(combination: Combination, **options: Any) -> Iterator[Served]:
    """A server that runs within the block.

    Args:
        combination: What serves.
        options: ``limits``, ``http`` and ``connections`` as dictionaries, ``drain_s``,
            ``send_timeout_s``.
    """
    said = {
        **combination._asdict(),
        "drain_s": 2.0,
        "send_timeout_s": 60.0,
        "limits": {},
        "http": {},
        "connections": {},
        **options,
    }
    allow_many_descriptors()
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        with log.open("wb") as stderr:
            process = subprocess.Popen(
                [sys.executable, str(_SERVER), msgspec.json.encode(said).decode()],
                stderr=stderr,
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
            )
        try:
            port = _port_of(process, log)
            served = Served(process, port, log)
            with contextlib.closing(served):
                served.call("echo", text="ready")
                yield served
        finally:
            process.kill()
            process.wait()


def allow_many_descriptors() -> None:
    """Let this process, and those that it starts, have as many descriptors as it may."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def _port_of(process: "subprocess.Popen[bytes]", log: Path) -> int:
    until = time.monotonic() + DEADLINE_S
    while (found := _SERVING.search(log.read_bytes())) is None:
        if process.poll() is not None or time.monotonic() > until:
            raise RuntimeError(f"the server did not start:\n{log.read_text(encoding='utf-8')}")
        time.sleep(0.01)
    return int(found[1])
