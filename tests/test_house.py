"""The shape of the code: small pieces, one direction, adapters that know no protocol."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MAX_FILE_LINES = 400
MAX_TEST_FILE_LINES = 600
MAX_FUNCTION_LINES = 50
MAX_METHODS = 15

LONG_FILES = {
    "packages/mcp-schema/src/sansmcp_schema/__init__.py": "a table of 180 names, twice",
}

MEMBERS = {path.parent.name: path.parent for path in sorted(ROOT.glob("packages/*/pyproject.toml"))}
MEMBER_NAMES = ("schema", "core", "runtime", "stdio", "asgi", "h11")
IMPORTS = {"mcp-" + name: "sansmcp_" + name for name in MEMBER_NAMES}
MAY_IMPORT = {
    "mcp-schema": set[str](),
    "mcp-core": {"sansmcp_schema"},
    "mcp-runtime": {"sansmcp_core"},
    "mcp-stdio": {"sansmcp_core", "sansmcp_runtime"},
    "mcp-asgi": {"sansmcp_core", "sansmcp_runtime"},
    "mcp-h11": {"sansmcp_core", "sansmcp_runtime"},
}
ADAPTERS = ("mcp-runtime", "mcp-stdio", "mcp-asgi", "mcp-h11")
PROTOCOL_LITERAL = re.compile(
    r'"(tools|resources|prompts|completion|server|subscriptions|logging|notifications|tasks)/'
    r'|-32[0-9]{3}|"20(24|25|26)-[0-9]{2}-[0-9]{2}"|[Mm]cp-(Method|Name|Param|Session)'
)
OTHER_IMPORT_NAMES = {"opentelemetry_api": "opentelemetry"}
NEWER_STDLIB = {"annotationlib"}  # from Python 3.14
NEVER_AT_RUN_TIME = {"fastmcp", "httpx", "httpx2", "mcp", "mcp_types", "pydantic", "starlette"}


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


SOURCES = {name_of(path): path for path in sorted(ROOT.glob("packages/*/src/**/*.py"))}
EXAMPLES = {name_of(path): path for path in sorted(ROOT.glob("examples/**/*.py"))}
SHIPPED = {**SOURCES, **EXAMPLES}
TESTS = {name_of(path): path for path in sorted(ROOT.glob("tests/**/*.py"))}
TREES = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in SHIPPED.items()}

each_member = pytest.mark.parametrize("member", MEMBERS)


def lines_of(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """The lines of the body, without its docstring."""
    first = function.body[1] if ast.get_docstring(function) and function.body[1:] else None
    start = (first or function.body[0]).lineno
    return (function.end_lineno or start) - start + 1


def is_overload(function: ast.stmt) -> bool:
    return any("overload" in ast.unparse(d) for d in getattr(function, "decorator_list", ()))


def imported(tree: ast.AST) -> Iterator[str]:
    """The full names of the modules that a file imports, its own package's excepted."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module or ""


def imports_of(member: str) -> set[str]:
    folder = name_of(MEMBERS[member])
    trees = [tree for name, tree in TREES.items() if name.startswith(f"{folder}/")]
    own = IMPORTS[member]
    return {
        module for tree in trees for module in imported(tree) if module.split(".")[0] != own
    } - {"__future__"}


# -- size ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SHIPPED)
def test_a_file_holds_one_idea(name: str) -> None:
    lines = lines_of(SHIPPED[name])
    assert lines <= MAX_FILE_LINES or name in LONG_FILES, f"{name} has {lines} lines"


def test_the_long_files_are_long() -> None:
    assert [name for name in LONG_FILES if lines_of(ROOT / name) <= MAX_FILE_LINES] == []


@pytest.mark.parametrize("name", TESTS)
def test_a_test_file_holds_one_subject(name: str) -> None:
    assert lines_of(TESTS[name]) <= MAX_TEST_FILE_LINES


@pytest.mark.parametrize("name", TREES)
def test_functions_fit_a_screen(name: str) -> None:
    long = {f.name: body_lines(f) for f in functions(TREES[name])}
    assert {f: lines for f, lines in long.items() if lines > MAX_FUNCTION_LINES} == {}


@pytest.mark.parametrize("name", TREES)
def test_classes_have_few_methods(name: str) -> None:
    big = {}
    for node in ast.walk(TREES[name]):
        if isinstance(node, ast.ClassDef):
            methods = [
                item.name
                for item in node.body
                if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef)
                and not is_overload(item)
            ]
            if len(methods) > MAX_METHODS:
                big[node.name] = len(methods)
    assert big == {}


def test_names_of_test_files_are_unique() -> None:
    names = [path.name for path in TESTS.values() if path.name != "conftest.py"]
    assert [name for name in names if names.count(name) > 1] == []


# -- direction ----------------------------------------------------------------------------------


@each_member
def test_packages_import_only_what_lies_below_them(member: str) -> None:
    siblings = {m.split(".")[0] for m in imports_of(member) if m.startswith("sansmcp_")}
    assert siblings <= MAY_IMPORT[member]


@each_member
def test_packages_use_the_public_modules_of_each_other(member: str) -> None:
    siblings = [module for module in imports_of(member) if module.startswith("sansmcp_")]
    assert [m for m in siblings if any(part.startswith("_") for part in m.split("."))] == []


@each_member
def test_packages_import_what_they_declare_and_nothing_else(member: str) -> None:
    text = (MEMBERS[member] / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)["project"]
    declared = set(project["dependencies"])
    declared.update(*project.get("optional-dependencies", {}).values())
    declared = {re.split(r"[^\w-]", entry)[0].replace("-", "_") for entry in declared}
    declared = {OTHER_IMPORT_NAMES.get(name, name) for name in declared}
    found = {module.split(".")[0] for module in imports_of(member)}
    assert found - sys.stdlib_module_names - NEWER_STDLIB <= declared
    assert not found & NEVER_AT_RUN_TIME
    assert not declared & NEVER_AT_RUN_TIME


@pytest.mark.parametrize("member", ADAPTERS)
def test_adapters_hold_no_word_of_the_protocol(member: str) -> None:
    found = [
        f"{name}:{number}: {line.strip()}"
        for name, path in SOURCES.items()
        if f"/{member}/" in name
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if PROTOCOL_LITERAL.search(line)
    ]
    assert found == []


# -- what is loaded -----------------------------------------------------------------------------

HEAVY = {
    "anyio",
    "asyncio",
    "concurrent.futures",
    "cryptography",
    "hashlib",
    "hmac",
    "jsonschema_rs",
    "logging",
    "multiprocessing",
    "socket",
    "ssl",
    "threading",
    "trio",
    *NEVER_AT_RUN_TIME,
}

EVERYTHING = "for name in module.__all__: getattr(module, name)"
SERVE = """
from sansmcp_core import Server
from sansmcp_core.testing import TestClient
server = Server("small")
@server.tool
def add(a: int, b: int) -> int:
    return a + b
for revision in ("2026-07-28", "2025-11-25"):
    with TestClient(server, revision) as client:
        client.request("tools/list")
        assert client.call_tool("add", a=1, b=2)["content"][0]["text"] == "3"
"""


def loaded_by(program: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{program}\nprint(*sys.modules)"],
        capture_output=True,
        check=True,
        text=True,
        timeout=60,
    )
    return set(done.stdout.split())


@pytest.mark.parametrize(
    "program",
    [
        pytest.param(f"import sansmcp_schema as module\n{EVERYTHING}", id="all of the schema"),
        pytest.param(f"import sansmcp_core as module\n{EVERYTHING}", id="all of the core"),
        pytest.param(SERVE, id="a server of plain functions"),
    ],
)
def test_schema_and_core_load_nothing_heavy(program: str) -> None:
    # What the interpreter itself brings, such as a debugger's or coverage's hook, is not ours.
    assert loaded_by(program) & HEAVY - loaded_by("") == set()


def test_the_stdio_adapter_loads_no_event_loop_before_it_is_asked() -> None:
    program = "import sansmcp_stdio; sansmcp_stdio.run"
    assert loaded_by(program) & {"anyio", "asyncio", "trio", "ssl", "socket"} == set()
