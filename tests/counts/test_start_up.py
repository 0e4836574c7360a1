"""What a server loads before its first answer, and what it takes on the disk; no times."""

import json
import marshal
import re
import subprocess
import sys
import tomllib
from importlib.metadata import distribution, requires
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DEADLINE_S = 30

RULE = "a change that raises this says why in the change log"

# One typed tool, as every server has; what is loaded is told when the client has gone.
PROGRAM = """
import sys
{before}
import contextlib
import msgspec
before = {{*sys.modules}}
import sansmcp_stdio
from sansmcp_core import Server

@contextlib.contextmanager
def tell(server):
    yield
    print(*sorted({{*sys.modules}} - before), file=sys.stderr)

server = Server("small", version="1", lifespan=tell)

def add(a: int, b: int) -> int:
    return a + b

server.tool(add, inline=True)
sansmcp_stdio.run(server, backend={backend!r})
"""
DISCOVER = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "server/discover",
    "params": {
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        }
    },
}

MOST_MODULES = {
    "threads, ours": 105,
    "threads, of the standard library": 11,
    "trio, ours": 112,
}
"""The most modules that are loaded beside those of ``import msgspec``, with Python 3.11."""

# What a server of one plain typed tool has no use for before its first answer.
NEVER = {
    "anyio",
    "asyncio",
    "copy",
    "ctypes",
    "dataclasses",
    "difflib",
    "hashlib",
    "hmac",
    "json",
    "jsonschema_rs",
    "logging",
    "queue",
    "socket",
    "ssl",
    "trio",
    "weakref",
}
NEVER_OF_OURS = {
    # The other engine's checks, which say what is wrong where msgspec refuses something.
    "sansmcp_schema.json_check._check",
    "sansmcp_schema.json_check._compile",
    "sansmcp_schema.json_check._explain",
    "sansmcp_schema.json_check._keywords",
    "sansmcp_schema.json_check._pattern",
    "sansmcp_schema.json_check._read",
    # Types that this tool does not have.
    "sansmcp_schema.declare._advertised",
    "sansmcp_schema.declare._choices",
    "sansmcp_schema.declare._constraints",
    "sansmcp_schema.declare._containers",
    "sansmcp_schema.declare._elicited",
    "sansmcp_schema.declare._mismatches",
    "sansmcp_schema.declare._object_schema",
    "sansmcp_schema.declare._objects",
    "sansmcp_schema.declare._schema_input",
    "sansmcp_schema.declare._text_scalars",
    "sansmcp_schema.declare._unions",
    # Features that this server does not have.
    "sansmcp_core._completions",
    "sansmcp_core._cursors",
    "sansmcp_core._feature_actions",
    "sansmcp_core._header_table",
    "sansmcp_core._marked",
    "sansmcp_core._prompts",
    "sansmcp_core._protocols",
    "sansmcp_core._questions",
    "sansmcp_core._request_state",
    "sansmcp_core._resources",
    "sansmcp_core._uri_template",
    "sansmcp_core.http",
    "sansmcp_core.testing",
    "sansmcp_core.tracing",
    "sansmcp_schema._feature_requests",
    "sansmcp_schema._feature_results",
    "sansmcp_schema._rewrites",
    "sansmcp_schema.completion",
    "sansmcp_schema.elicitation",
    "sansmcp_schema.forms",
    "sansmcp_schema.input_required",
    "sansmcp_schema.messages",
    "sansmcp_schema.notifications",
    "sansmcp_schema.prompts",
    "sansmcp_schema.resources",
    "sansmcp_schema.roots",
    "sansmcp_schema.sampling",
    # For type checkers alone.
    "sansmcp_runtime.libraries",
}


def run(backend: str, before: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", "-c", PROGRAM.format(backend=backend, before=before)],
        check=False,
        input=json.dumps(DISCOVER) + "\n",
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
    )


def loaded(backend: str, before: str = "") -> set[str]:
    done = run(backend, before)
    assert '"supportedVersions":["2026-07-28"' in done.stdout, done.stderr
    return set(done.stderr.split())


def ours(modules: set[str]) -> set[str]:
    return {name for name in modules if name.startswith("sansmcp_")}


@pytest.fixture(scope="module")
def on_threads() -> set[str]:
    return loaded("threads")


def no_more_than(row: str, modules: set[str]) -> None:
    listed = "\n  ".join(sorted(modules))
    assert len(modules) <= MOST_MODULES[row], (
        f"{row}: {len(modules)} modules, {MOST_MODULES[row]} at most; {RULE}:\n  {listed}"
    )


def test_a_server_of_one_tool_loads_few_modules(on_threads: set[str]) -> None:
    no_more_than("threads, ours", ours(on_threads))
    others = {name for name in on_threads if name.partition(".")[0] in sys.stdlib_module_names}
    no_more_than("threads, of the standard library", others)


def test_what_it_does_not_need_is_not_loaded(on_threads: set[str]) -> None:
    assert on_threads & (NEVER | NEVER_OF_OURS) == set(), RULE


def test_it_loads_nothing_of_others(on_threads: set[str]) -> None:
    known = sys.stdlib_module_names | {"msgspec", "typing_extensions"}
    assert {name for name in on_threads - ours(on_threads) if name.split(".")[0] not in known} == (
        set()
    )


def test_on_trio_it_needs_no_anyio() -> None:
    modules = loaded("trio", before='sys.modules["anyio"] = None')
    assert "trio" in modules
    no_more_than("trio, ours", ours(modules))


def test_without_anyio_asyncio_is_refused_with_what_to_install() -> None:
    done = run("asyncio", before='sys.modules["anyio"] = None')
    assert done.returncode == 1
    assert "MissingExtra: backend" in done.stderr
    assert "pip install 'sansmcp-stdio[asyncio]'" in done.stderr


_COMMAND = (
    "import sansmcp_stdio._main as command; command.main(['small:server', '--backend', 'asyncio'])"
)


@pytest.mark.parametrize(
    "program",
    [
        "from sansmcp_stdio import serve",
        _COMMAND,
    ],
)
def test_what_needs_anyio_says_so_in_one_line(program: str, tmp_path: Path) -> None:
    small = "from sansmcp_core import Server\nserver = Server('small', version='1')\n"
    (tmp_path / "small.py").write_text(small, encoding="utf-8")
    hidden = "import sys; sys.modules['anyio'] = None; sys.path.insert(0, '.'); "
    done = subprocess.run(
        [sys.executable, "-c", hidden + program],
        cwd=tmp_path,
        input="",
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )
    assert done.returncode != 0
    assert "needs anyio" in done.stderr.splitlines()[-1]
    assert "pip install 'sansmcp-stdio[asyncio]'" in done.stderr.splitlines()[-1]


# -- on the disk --------------------------------------------------------------------------------

OURS = ("sansmcp-schema", "sansmcp-core", "sansmcp-runtime", "sansmcp-stdio")
MOST_BYTES = {
    "ours": 3_050_000,
    "all that pip installs": 10_000_000,
}
BYTECODE_PER_SOURCE = 1.3
"""Bytes of bytecode for each byte of source, for what others have written."""


def folder_of(name: str) -> Path:
    return ROOT / "packages" / name.replace("sansmcp", "mcp") / "src" / name.replace("-", "_")


def bytes_of_package(folder: Path) -> int:
    """Its sources, and the bytecode that pip makes of them."""
    total = 0
    for file in folder.rglob("*.py"):
        source = file.read_bytes()
        header = 16
        total += len(source) + header + len(marshal.dumps(compile(source, str(file), "exec")))
    return total


def without_extras(name: str) -> set[str]:
    """The names of what a distribution requires on every system, extras left out."""
    listed = (entry.partition(";") for entry in requires(name) or ())
    return {re.split("[^A-Za-z0-9._-]", entry)[0] for entry, _, marker in listed if not marker}


def required(names: set[str]) -> set[str]:
    """All that is installed for ``names`` on this system, beside what is ours."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found and name not in OURS:
            found.add(name)
            waiting += without_extras(name)
    return found


def bytes_of_distribution(name: str) -> int:
    total = 0.0
    for file in distribution(name).files or ():
        size = Path(str(file.locate())).stat().st_size if file.suffix != ".pyc" else 0
        total += size * (1 + BYTECODE_PER_SOURCE if file.suffix == ".py" else 1)
    return int(total)


def test_our_packages_are_small() -> None:
    sizes = {name: bytes_of_package(folder_of(name)) for name in OURS}
    assert sum(sizes.values()) <= MOST_BYTES["ours"], f"{sizes}; {RULE}"


def test_all_that_pip_installs_is_small() -> None:
    text = (ROOT / "packages/mcp-stdio/pyproject.toml").read_text(encoding="utf-8")
    listed = tomllib.loads(text)["project"]["dependencies"]
    names = {re.split("[=>]", entry)[0] for entry in listed} | {"msgspec"}
    sizes = {name: bytes_of_distribution(name) for name in required(names)}
    sizes |= {name: bytes_of_package(folder_of(name)) for name in OURS}
    assert sum(sizes.values()) <= MOST_BYTES["all that pip installs"], f"{sizes}; {RULE}"
