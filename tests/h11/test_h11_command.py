"""``python -m sansmcp_h11``."""

import contextlib
import re
import signal
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme
from raw_http import DEADLINE_S, RawClient, post

ADD = post("add", a=1, b=2)
APP = """
import sys, trio, anyio
from sansmcp_core import Server

server = Server("app", "1")
print("imported")

@server.tool
def add(a: int, b: int) -> int:
    return a + b

@server.tool
async def wait() -> str:
    print("began", flush=True)
    try:
        await anyio.sleep(30)
    finally:
        print("ended", flush=True)
    return ""

async def add_later(a: int) -> int:
    return a
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "app.py").write_text(APP)
    return tmp_path


@contextlib.contextmanager
def started(
    folder: Path, *arguments: str, max_descriptors: int = 0
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The command, and the URL that it tells."""
    command = [sys.executable, "-m", "sansmcp_h11", "app:server", "--port", "0", *arguments]
    if max_descriptors:
        command = ["sh", "-c", f'ulimit -n {max_descriptors}; exec "$@"', "sh", *command]
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        try:
            line = process.stderr.readline()
            match = re.fullmatch(r"sansmcp_h11: serving at (\S+) \(Ctrl-C ends it\)\n", line)
            assert match, line + process.stderr.read()
            yield process, match[1]
        finally:
            process.kill()


def port_of(url: str) -> int:
    match = re.fullmatch(r"https?://127\.0\.0\.1:(\d+)/mcp", url)
    assert match, url
    return int(match[1])


def ending(process: subprocess.Popen[str]) -> tuple[int, str]:
    """The exit status, and what is left of standard error."""
    _, errors = process.communicate(timeout=DEADLINE_S)
    return process.returncode, errors


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize(
    ("backend", "parser"), [("trio", "h11"), ("asyncio", "httptools"), ("trio", "httptools")]
)
def test_the_command_serves_until_a_signal_comes(
    backend: str, parser: str, number: signal.Signals, folder: Path
) -> None:
    with started(folder, "--backend", backend, "--parser", parser) as (process, url):
        for host in ("127.0.0.1", "::1"):
            with RawClient(port_of(url), host) as client:
                assert client.send(ADD).receive().status == 200
        process.send_signal(number)
        assert ending(process) == (0, "")


@pytest.mark.parametrize("backend", ["trio", "asyncio"])
def test_calls_get_the_time_that_they_are_given_and_a_second_signal_cuts_it(
    backend: str, folder: Path
) -> None:
    for drain_s, signals in (("0.1", 1), ("20", 2)):
        with (
            started(folder, "--backend", backend, "--drain-s", drain_s) as (process, url),
            RawClient(port_of(url)) as client,
        ):
            client.send(post("wait"))
            assert process.stdout is not None
            assert process.stdout.readline() == "imported\n"
            assert process.stdout.readline() == "began\n"
            began = time.monotonic()
            for _ in range(signals):
                process.terminate()
                # The first must have been taken before the second is sent.
                client.sock.settimeout(0.3)
                with contextlib.suppress(TimeoutError):
                    client.sock.recv(1)
            assert process.stdout.readline() == "ended\n"
            assert ending(process) == (0, "")
            assert time.monotonic() - began < 10


def test_the_command_serves_over_tls(
    folder: Path, authority: trustme.CA, client_tls: ssl.SSLContext
) -> None:
    certificate = authority.issue_cert("127.0.0.1")
    key, chain = folder / "key.pem", folder / "chain.pem"
    certificate.private_key_pem.write_to_path(str(key))
    for blob in certificate.cert_chain_pems:
        blob.write_to_path(str(chain), append=True)
    with started(folder, "--certfile", str(chain), "--keyfile", str(key)) as (process, url):
        assert url.startswith("https://")
        with RawClient(port_of(url), tls=client_tls) as client:
            assert client.send(ADD).receive().status == 200
        process.terminate()
        assert ending(process) == (0, "")


def test_the_command_takes_hosts_and_origins(folder: Path) -> None:
    options = ["--allow-host", "app.example", "--allow-origin", "https://page.example"]
    with started(folder, *options) as (_, url), RawClient(port_of(url)) as client:
        named = ADD.replace(b"Host: 127.0.0.1", b"Host: app.example")
        assert client.send(named).receive().status == 200
        origin = b"Origin: https://page.example\r\nHost:"
        assert client.send(named.replace(b"Host:", origin)).receive().status == 200
        assert client.send(ADD.replace(b"127.0.0.1", b"bad.example")).receive().status == 403


@pytest.mark.parametrize("backend", ["trio", "asyncio"])
def test_a_server_without_descriptors_says_so_and_serves_on(backend: str, folder: Path) -> None:
    with started(folder, "--backend", backend, max_descriptors=40) as (process, url):
        port = port_of(url)
        with contextlib.ExitStack() as closing:
            crowd = [closing.enter_context(RawClient(port)) for _ in range(60)]
            # Those that idle make room for those that come later.
            assert crowd[-1].send(ADD).receive().status == 200
        with RawClient(port) as client:
            assert client.send(ADD).receive().status == 200
        process.terminate()
        code, errors = ending(process)
        assert code == 0
        assert "cannot accept a connection: [Errno 24]" in errors
        assert "Traceback" not in errors


def fails(folder: Path, *arguments: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "sansmcp_h11", *arguments],
        cwd=folder, capture_output=True, text=True, timeout=DEADLINE_S, check=False,
    )  # fmt: skip
    return done.returncode, done.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("arguments", "status", "text"),
    [
        (["app"], 2, "expected module:server, got 'app'"),
        (["app:missing"], 2, "app has no attribute 'missing'; servers there: server"),
        (["app:server", "--backend", "curio"], 2, "invalid choice: 'curio'"),
        (["app:server", "--keyfile", "x"], 2, "--keyfile needs --certfile"),
        (["app:server", "--certfile", "missing.pem"], 1, "No such file or directory"),
        (["app:server", "--host", "192.0.2.1"], 1, "cannot listen at 192.0.2.1 port 3000"),
    ],
)
def test_what_the_command_cannot_do_is_said_in_one_line(
    arguments: list[str], status: int, text: str, folder: Path
) -> None:
    code, line = fails(folder, *arguments)
    assert code == status
    assert text in line


LOADED = "import sys\n{}\nprint(*sys.modules)"


@pytest.mark.parametrize(
    ("program", "absent"),
    [
        ("import sansmcp_h11", {"anyio", "asyncio", "h11", "httptools", "socket", "ssl", "trio"}),
        (
            "from sansmcp_h11 import BackgroundServer, ConnectionLimits, run, serve",
            {"trio", "h11", "httptools", "logging"},
        ),
    ],
)
def test_what_is_loaded_before_anything_is_served(program: str, absent: set[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED.format(program)],
        capture_output=True, text=True, timeout=DEADLINE_S, check=True,
    )  # fmt: skip
    assert set(done.stdout.split()) & absent == set()


def test_httptools_that_is_missing_is_told_with_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    from sansmcp_core import Server
    from sansmcp_h11 import BackgroundServer

    monkeypatch.setitem(sys.modules, "httptools", None)
    monkeypatch.delitem(sys.modules, "sansmcp_h11._httptools_parser", raising=False)
    with pytest.raises(ImportError, match=r"install sansmcp-h11\[fast\]"):
        BackgroundServer(Server("small", "1"), parser="httptools")
