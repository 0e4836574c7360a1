"""Headless Chromium, and a site on loopback whose page does what a test tells it.

Chromium is Debian's package ``chromium``. Where it is not installed these tests are skipped, and
say so; where the environment has ``REQUIRE_CHROMIUM``, as in ``.ci/run``, they fail.
"""

import json
import os
import queue
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

import pytest
from stdio_client import await_true

__all__ = ["DEADLINE_S", "Site", "await_blocked", "browsing", "chromium"]

DEADLINE_S = 60.0

NAMES = ("chromium", "chromium-browser", "google-chrome")
MISSING = "Chromium is not installed: apt-get install --no-install-recommends chromium"

FLAGS = (
    "--headless",
    "--enable-logging=stderr",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--no-proxy-server",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def chromium() -> str:
    """The program; the test that asks is skipped, or fails, where there is none."""
    for name in NAMES:
        path = shutil.which(name)
        if path is not None:
            return path
    if os.environ.get("REQUIRE_CHROMIUM"):
        pytest.fail(MISSING)
    pytest.skip(MISSING)


@contextmanager
def browsing(url: str, profile: Path, *flags: str) -> Iterator[Callable[[str], int]]:
    """Have Chromium show a page while the block runs; gives what counts words on its console.

    Args:
        url: The page.
        profile: A folder of its own, which does not exist yet.
        flags: More of its command line.
    """
    command = [chromium(), *FLAGS, f"--user-data-dir={profile}", *flags, url]
    console = profile.with_suffix(".log")
    with console.open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
        try:
            yield lambda words: console.read_text(errors="replace").count(words)
        finally:
            os.killpg(process.pid, signal.SIGKILL)  # all of its processes
            process.wait(DEADLINE_S)
            shutil.rmtree(profile, ignore_errors=True)


def await_blocked(count: Callable[[str], int], times: int) -> None:
    """Wait until the browser has said so often that CORS is why a page sees no answer."""
    words = "has been blocked by CORS policy"
    await_true(lambda: count(words) == times, lambda: f"{count(words)} requests were blocked")


class Site:
    """A web site with one page, and the place where the page reports.

    Args:
        steps: What the page does, in order: names of its functions, and a URL for each.
        report: Where the page reports; this site if not given.
        asked: Called when a page posts to ``/ask``.
    """

    def __init__(
        self,
        steps: list[tuple[str, str]],
        report: str | None = None,
        asked: Callable[[], None] = lambda: None,
    ) -> None:
        self._outcomes: queue.SimpleQueue[list[Any]] = queue.SimpleQueue()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.port: int = self._server.server_address[1]
        self._task = {"steps": steps, "report": report or f"{self.url()}report"}
        self._asked = asked
        self._thread = threading.Thread(target=self._server.serve_forever, args=[0.05])

    def url(self, host: str = "127.0.0.1") -> str:
        """The page's URL, under any name that leads here."""
        return f"http://{host}:{self.port}/"

    def outcomes(self) -> list[Any]:
        """What came of each step."""
        try:
            return self._outcomes.get(timeout=DEADLINE_S)
        except queue.Empty:
            pytest.fail("the page has not reported in time")

    def close(self) -> None:
        """Serve no more; the port is free then."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(DEADLINE_S)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _handler(site) -> type[BaseHTTPRequestHandler]:  # noqa: N805
        page = Path(__file__).parents[1] / "browser" / "page.html"

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if self.path == "/":
                    self._answer(200, "text/html", page.read_bytes())
                elif self.path == "/task":
                    self._answer(200, "application/json", json.dumps(site._task).encode())
                else:
                    self._answer(404, "text/plain", b"")

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"] or 0))
                if self.path == "/report":
                    site._outcomes.put(json.loads(body))
                elif self.path == "/ask":
                    site._asked()
                self._answer(200, "text/plain", b"")

            def _answer(self, status: int, kind: str, body: bytes) -> None:
                self.send_response(status)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        return Handler
