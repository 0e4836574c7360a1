"""``python -m sansmcp_stdio``, and what a run loads."""

from pathlib import Path

import pytest
import stdio_client
from stdio_client import StartServer

start_server = stdio_client.start_server
backend = stdio_client.backend

APP = """
import sys
print("stray while importing")
from sansmcp_core import Server

class Holder:
    server = Server("nested", "1")

holder = Holder()
server = Server("app", "1")
number = 5

for each in (server, Holder.server):
    @each.tool
    def loaded() -> str:
        return " ".join(name for name in ("anyio", "trio", "asyncio") if name in sys.modules)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with an application."""
    (tmp_path / "app.py").write_text(APP)
    (tmp_path / "broken.py").write_text("import does_not_exist_at_all\n")
    return tmp_path


def test_it_serves_the_named_server(start_server: StartServer, folder: Path, backend: str) -> None:
    client = start_server.command(
        ["-m", "sansmcp_stdio", "app:server", "--backend", backend], cwd=folder
    )
    expected = {"threads": "", "trio": "trio", "asyncio": "anyio asyncio"}
    assert client.text(1, "loaded") == expected[backend]
    client.close_input()
    assert client.rest() == []
    assert client.wait() == 0
    assert client.log == "stray while importing\n"


def test_the_attribute_may_have_dots(start_server: StartServer, folder: Path) -> None:
    options = ["--max-threads", "2", "--drain-s", "0.5"]
    client = start_server.command(
        ["-m", "sansmcp_stdio", "app:holder.server", *options], cwd=folder
    )
    assert client.text(1, "loaded") == ""
    assert client.end() == 0


BAD = {
    "app": "expected module:server, got 'app'; for a Server named server in app.py, write",
    ":server": "expected module:server",
    "app:": "expected module:server",
    "nowhere:server": "there is no module 'nowhere' in",
    "app.py:server": "write a module's name, not a file's: app",
    "./app:server": "'./app' is not the name of a module; write app:server",
    "app:missing": "app has no attribute 'missing'; servers there: server",
    "app:holder.missing": "app.holder has no attribute 'missing'",
    "app:number": "app:number is of type int, expected a sansmcp_core.Server",
}


@pytest.mark.parametrize(("reference", "message"), BAD.items(), ids=BAD)
def test_a_bad_reference_is_explained(
    start_server: StartServer, folder: Path, reference: str, message: str
) -> None:
    client = start_server.command(["-m", "sansmcp_stdio", reference], cwd=folder)
    assert client.rest() == []
    assert client.wait() == 2
    assert message in " ".join(client.log.split())
    assert "Traceback" not in client.log


def test_a_fault_inside_the_module_is_shown_as_it_is(
    start_server: StartServer, folder: Path
) -> None:
    client = start_server.command(["-m", "sansmcp_stdio", "broken:server"], cwd=folder)
    assert client.rest() == []
    assert client.wait() == 1
    assert "No module named 'does_not_exist_at_all'" in client.log
    assert "Traceback" in client.log


@pytest.mark.parametrize("threads", ["0", "-1"])
def test_a_bad_number_of_threads_is_refused(
    start_server: StartServer, folder: Path, threads: str
) -> None:
    client = start_server.command(
        ["-m", "sansmcp_stdio", "app:server", "--max-threads", threads], cwd=folder
    )
    assert client.wait() != 0
    assert f"max_threads must be at least 1, got {threads}" in client.log


def test_an_unknown_backend_is_refused(start_server: StartServer) -> None:
    client = start_server("", "curio")
    assert client.wait() == 1
    assert "backend must be one of threads, trio, asyncio, got 'curio'" in client.log


def test_async_handlers_on_threads_are_refused_at_the_start(start_server: StartServer) -> None:
    client = start_server("@server.tool\nasync def f() -> str:\n    return 'x'\n", "threads")
    assert client.wait() == 1
    assert "RegistrationError" in client.log


def test_async_handlers_get_trio_unasked(start_server: StartServer) -> None:
    client = start_server(
        """
@server.tool
async def loaded() -> str:
    return " ".join(name for name in ("trio", "asyncio") if name in sys.modules)
"""
    )
    assert client.text(1, "loaded") == "trio"
    assert client.end() == 0


HEAVY = ("anyio", "trio", "asyncio", "socket", "ssl", "logging", "ctypes", "selectors", "hmac")


def test_a_run_on_threads_loads_no_event_loop_and_nothing_else_that_is_heavy(
    start_server: StartServer,
) -> None:
    client = start_server.command(
        [
            "-c",
            f"""
import sys
from sansmcp_core import Server
import sansmcp_stdio

server = Server("test", "1")

@server.tool
def loaded() -> str:
    return " ".join(name for name in {HEAVY!r} if name in sys.modules)

sansmcp_stdio.run(server)
""",
        ]
    )
    assert client.text(1, "loaded") == ""
    assert client.end() == 0
