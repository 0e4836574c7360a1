"""The examples over HTTP: served on each adapter, mounted in web apps, and called as shown."""

import http.client
import json
import queue
import re
import shlex
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
DEADLINE_S = 30
MODERN_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


@contextmanager
def served(*program: str) -> Iterator[str]:
    """Start a program that prints its URL; end it, and expect that it ends well."""
    with subprocess.Popen(
        [sys.executable, *program], cwd=EXAMPLES, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            yield first_line(process.stdout, "http://").split()[-1]
        finally:
            status = end(process)
    assert status == 0


def end(process: "subprocess.Popen[str]") -> int:
    """Ask a program to end, so that it ends what it has started, too."""
    process.terminate()
    try:
        return process.wait(DEADLINE_S)
    finally:
        process.kill()


def first_line(output: Any, words: str) -> str:
    """The first line that holds some words."""
    found: queue.SimpleQueue[str] = queue.SimpleQueue()

    def read() -> None:
        for line in output:  # to its end, so that the program can write on
            if words in line:
                found.put(line)

    threading.Thread(target=read, daemon=True).start()
    return found.get(timeout=DEADLINE_S)


def send(
    url: str, method: str, headers: dict[str, str] | None = None, body: str | None = None
) -> tuple[int, str]:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=DEADLINE_S)
    try:
        connection.request(method, parts.path, body, headers or {})
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()


def call(url: str, name: str, /, **arguments: Any) -> str:
    """What the result of a modern ``tools/call`` says; a redirect is no answer."""
    params = {"name": name, "arguments": arguments, "_meta": MODERN_META}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": name,
    }
    status, body = send(url, "POST", headers, json.dumps(message))
    assert status == 200, body
    return text_of(body)


def text_of(answer: str) -> str:
    """What the result in an answer says."""
    (block,) = json.loads(answer)["result"]["content"]
    text: str = block["text"]
    return text


@pytest.mark.parametrize("worker", ["asyncio", "trio"])
@pytest.mark.parametrize("adapter", ["asgi", "h11"])
def test_everything_is_served_over_http(adapter: str, worker: str) -> None:
    options = ("--http", "127.0.0.1:0", "--adapter", adapter, "--worker", worker)
    with served("everything.py", *options) as url:
        assert urlsplit(url).path == "/mcp"
        assert call(url, "echo", message="Hello!") == "Hello!"
        assert call(url, "wait", seconds=0) == "Waited 0.0 seconds."
        assert call(url, "list_files", pattern="g*.py").count('"name"') == 1


MOUNTS = {
    "mount_starlette.py": ("/mcp", "/mcp/"),
    "mount_fastapi.py": ("/mcp", "/mcp/"),
    "beside_django.py": ("/mcp", "/mcp/"),
}


@pytest.mark.parametrize(
    ("program", "worker"),
    [
        ("mount_starlette.py", "asyncio"),
        ("mount_starlette.py", "trio"),
        ("mount_fastapi.py", "asyncio"),
        ("mount_fastapi.py", "trio"),
        ("beside_django.py", "asyncio"),
    ],
)
def test_a_mounted_server_and_the_app_around_it_share_a_guest_book(
    program: str, worker: str
) -> None:
    with served(program, "--port", "0", "--worker", worker) as url:
        site = url.removesuffix("/mcp")
        assert send(f"{site}/", "GET") == (200, "Guests: none yet")
        for number, path in enumerate(MOUNTS[program], 1):
            text = call(site + path, "sign", name=f"Ada {number}")
            assert text.startswith(f"Ada {number} is guest {number} since ")
        status, page = send(f"{site}/", "GET")
        assert (status, page.partition(",")[0]) == (200, "Guests: Ada 1")
        assert send(f"{site}/elsewhere", "GET")[0] == 404


@pytest.mark.parametrize(
    "server",
    [("hypercorn", "--bind", "127.0.0.1:0"), ("uvicorn", "--port", "0")],
    ids=lambda s: s[0],
)
def test_the_app_is_there_for_any_asgi_server(server: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", *server, "everything_asgi:app"]
    with subprocess.Popen(command, cwd=EXAMPLES, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            line = first_line(process.stderr, "http://")
            (url,) = re.findall(r"http://127\.0\.0\.1:\d+", line)
            assert call(f"{url}/mcp", "echo", message="Hello!") == "Hello!"
        finally:
            end(process)


def test_the_line_of_curl_in_the_readme_calls_a_tool() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (line,) = re.findall(r"^\$ (curl .*)$", readme, re.MULTILINE)
    _, url, *options = shlex.split(line)
    assert url == "http://127.0.0.1:3000/mcp"
    pairs = list(zip(options[::2], options[1::2], strict=True))
    assert {option for option, _ in pairs} == {"-H", "--json"}
    headers = dict(value.split(":", 1) for option, value in pairs if option == "-H")
    # What --json stands for. Source: curl's manual.
    headers |= {"content-type": "application/json", "accept": "application/json"}
    (body,) = [value for option, value in pairs if option == "--json"]
    with served("everything.py", "--http", "127.0.0.1:0") as served_url:
        status, answer = send(served_url, "POST", headers, body)
    assert status == 200
    assert text_of(answer) == "Hello!"
