"""What the pages say is so: their code runs, their tables are current, their links lead somewhere.

The Python fences of a page run from top to bottom in one module. A fence that opens with
``python fragment`` is part of something larger and is only parsed.
"""

import ast
import inspect
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest
import sansmcp_stdio
from sansmcp_asgi import McpApp
from sansmcp_core import Limits
from sansmcp_core.http import HttpSettings, MemoryEventStore
from sansmcp_h11 import ConnectionLimits, run
from sansmcp_schema.json_check import keyword_table

ROOT = Path(__file__).parents[1]
PAGES = {
    path.relative_to(ROOT).as_posix(): path
    for path in (
        ROOT / "README.md",
        *sorted(ROOT.glob("packages/*/README.md")),
        *sorted(ROOT.glob("docs/*.md")),
    )
}
DEADLINE_S = 30
_FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
_ANCHOR = re.compile(r"\]\(([^)#\s:]*)#([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


class Fence(NamedTuple):
    language: str
    text: str
    line: int


def fences(page: str, language: str) -> list[Fence]:
    text = PAGES[page].read_text(encoding="utf-8")
    return [
        Fence(match[1], match[2], text.count("\n", 0, match.start()) + 2)
        for match in _FENCE.finditer(text)
        if match[1] == language
    ]


def fence_with(page: str, words: str) -> str:
    (text,) = [fence.text for fence in fences(page, "python") if words in fence.text]
    return text


def table(page: str, name: str) -> list[list[str]]:
    """The rows of the table between two comments, without its head."""
    text = PAGES[page].read_text(encoding="utf-8")
    body = text.split(f"<!-- {name}: begin -->\n")[1].split(f"<!-- {name}: end -->")[0]
    rows = [re.split(r"(?<!\\)\|", row.strip("|")) for row in body.splitlines()]
    return [[cell.strip() for cell in row] for row in rows[2:]]


# -- code ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", [page for page in PAGES if fences(page, "python")])
def test_the_code_of_a_page_runs_from_top_to_bottom(
    page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = ModuleType("page_" + re.sub(r"\W", "_", page))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    for fence in fences(page, "python"):
        code = compile("\n" * (fence.line - 1) + fence.text, str(PAGES[page]), "exec")
        exec(code, module.__dict__)


@pytest.mark.parametrize("words", ["class FindArguments", "class Name"])
def test_each_piece_of_the_readme_continues_the_first_server(
    words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = ModuleType("server")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    for piece in ("sansmcp_stdio.run(server)", words):
        exec(compile(fence_with("README.md", piece), piece, "exec"), module.__dict__)


@pytest.mark.parametrize("page", PAGES)
def test_fragments_and_data_are_well_formed(page: str) -> None:
    for fence in fences(page, "python fragment"):
        ast.parse(fence.text)
    for fence in fences(page, "json"):
        json.loads(fence.text)
    known = {"", "python", "python fragment", "json", "console", "text"}
    text = PAGES[page].read_text(encoding="utf-8")
    assert {match[1] for match in _FENCE.finditer(text)} <= known


def code_lines(text: str) -> int:
    return len([line for line in text.splitlines() if line.strip()])


def test_the_first_server_is_short() -> None:
    assert code_lines(fence_with("README.md", "sansmcp_stdio.run(server)")) <= 15


def test_the_embedding_is_short() -> None:
    assert code_lines(fence_with("README.md", "connection.receive_eof")) <= 30


def answers_of(program: list[str], folder: Path, requests: list[dict[str, Any]]) -> list[Any]:
    done = subprocess.run(
        program,
        cwd=folder,
        input=b"".join(json.dumps(request).encode() + b"\n" for request in requests),
        capture_output=True,
        check=True,
        timeout=DEADLINE_S,
    )
    assert done.stderr == b""
    return sorted((json.loads(line) for line in done.stdout.splitlines()), key=lambda a: a["id"])


def call(
    id: int, meta: dict[str, Any] | None = None, name: str = "add", **arguments: Any
) -> dict[str, Any]:
    params: dict[str, Any] = {"name": name, "arguments": arguments or {"a": 1, "b": 2}}
    if meta is not None:
        params["_meta"] = meta
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}


MODERN_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


PROGRAMS = {
    "the server by itself": ["server.py"],
    "the module": ["-m", "sansmcp_stdio", "server:server"],
    "the loop of one's own": ["embed.py"],
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_the_readme_serves_both_eras(program: list[str], tmp_path: Path) -> None:
    server = fence_with("README.md", "sansmcp_stdio.run(server)")
    embedding = fence_with("README.md", "connection.receive_eof")
    (tmp_path / "server.py").write_text(server, encoding="utf-8")
    (tmp_path / "embed.py").write_text(
        f"{embedding}\n\nfrom server import server\n\nserve(server)\n", encoding="utf-8"
    )
    modern, legacy = answers_of(
        [sys.executable, *program], tmp_path, [call(1, MODERN_META), call(2)]
    )
    assert modern["result"]["structuredContent"] == 3
    assert legacy["result"]["structuredContent"] == {"result": 3}


def test_the_client_configuration_starts_the_server_file() -> None:
    (fence,) = fences("README.md", "json")
    (entry,) = json.loads(fence.text)["mcpServers"].values()
    command, file = Path(entry["command"]), Path(*entry["args"])
    assert command.is_absolute()
    assert file.is_absolute()
    assert (command.name, file.name) == ("python", "server.py")


def test_the_line_to_try_a_server_by_hand_gives_what_the_page_shows(tmp_path: Path) -> None:
    server = fence_with("docs/stdio.md", "sansmcp_stdio.run(server)")
    (tmp_path / "server.py").write_text(server, encoding="utf-8")
    (fence,) = fences("docs/stdio.md", "console")
    command, shown = fence.text.removeprefix("$ ").split("\n", 1)
    command = command.replace("| python", f"| '{sys.executable}'")
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=tmp_path,
        capture_output=True,
        check=True,
        text=True,
        timeout=DEADLINE_S,
    )
    assert (done.stdout, done.stderr) == (shown, "")


def test_threads_share_the_database_of_the_lifespan(tmp_path: Path) -> None:
    server = fence_with("docs/handlers.md", "sqlite3.connect")
    (tmp_path / "notes.py").write_text(server, encoding="utf-8")
    requests = [call(id, name="save_note", text="x") for id in range(1, 21)]
    program = [sys.executable, "-m", "sansmcp_stdio", "notes:server"]
    answers = answers_of(program, tmp_path, requests)
    numbers = [answer["result"]["structuredContent"]["result"] for answer in answers]
    assert sorted(numbers) == list(range(1, 21))


@pytest.mark.parametrize("page", PAGES)
def test_every_hatch_command_exists(page: str) -> None:
    environments = tomllib.loads((ROOT / "hatch.toml").read_text(encoding="utf-8"))["envs"]
    scripts = {
        script if name == "default" else f"{name}:{script}"
        for name, environment in environments.items()
        for script in environment.get("scripts", ())
    }
    text = PAGES[page].read_text(encoding="utf-8")
    assert set(re.findall(r"hatch run ([\w:-]+)", text)) <= scripts


def test_the_install_line_names_a_package_and_all_that_it_needs_from_here() -> None:
    readme = PAGES["README.md"].read_text(encoding="utf-8")
    lines = re.findall(r"^\$ python -m pip install (packages/.*)$", readme, re.MULTILINE)
    folders = [ROOT / folder for folder in " ".join(lines).split()]
    assert sorted(folders) == sorted(ROOT.glob("packages/*"))
    projects = [
        tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        for folder in folders
    ]
    siblings = {
        dependency.split("==")[0]
        for project in projects
        for dependency in project["dependencies"]
        if dependency.startswith("sansmcp-")
    }
    assert siblings < {project["name"] for project in projects}


def test_the_two_commands_are_those_that_are_checked() -> None:
    readme = PAGES["README.md"].read_text(encoding="utf-8")
    checked = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "\n$ python -m pip install hatch && hatch run demo\n$ hatch test\n" in readme
    assert {"step hatch run demo", "step hatch test"} <= set(checked.splitlines())


# -- tables and links ---------------------------------------------------------------------------


def test_the_table_of_limits_is_the_one_in_the_code() -> None:
    written = [row[:2] for row in table("docs/limits.md", "limits")]
    default = Limits()
    assert written == [
        [f"`{name}`", str(getattr(default, name))] for name in Limits.__struct_fields__
    ]


def test_the_table_of_http_settings_is_the_one_in_the_code() -> None:
    written = [row[:2] for row in table("docs/http.md", "http-settings")]
    default = HttpSettings()
    assert written == [
        [f"`{name}`", f"`{getattr(default, name)}`"] for name in HttpSettings.__struct_fields__
    ]


@pytest.mark.parametrize(
    ("rows", "defaults"),
    [
        ("http-limits", HttpSettings()),
        ("connection-limits", ConnectionLimits()),
        ("event-limits", inspect.signature(MemoryEventStore)),
    ],
)
def test_the_bounds_of_http_are_those_in_the_code(rows: str, defaults: Any) -> None:
    if isinstance(defaults, ConnectionLimits):
        names = [row[0].strip("`") for row in table("docs/limits.md", rows)]
        assert names == list(ConnectionLimits.__struct_fields__)
    for name, shown, *_ in table("docs/limits.md", rows):
        if isinstance(defaults, inspect.Signature):
            value = defaults.parameters[name.strip("`")].default
        else:
            value = getattr(defaults, name.strip("`"))
        assert shown == str(value), name


@pytest.mark.parametrize(("rows", "made"), [("app-options", McpApp), ("run-options", run)])
def test_the_tables_of_http_options_are_the_signatures(rows: str, made: Any) -> None:
    parameters = list(inspect.signature(made).parameters.values())[1:]
    written = table("docs/http.md", rows)
    assert [name for name, *_ in written] == [f"`{parameter.name}`" for parameter in parameters]
    for (name, shown, _), parameter in zip(written, parameters, strict=True):
        if isinstance(parameter.default, str | int | float) and name != "`max_threads`":
            assert shown.strip("`") == str(parameter.default).removesuffix(".0")


def test_the_table_of_stdio_options_is_the_signature_and_the_command_line() -> None:
    text = PAGES["docs/stdio.md"].read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| `(--[\w-]+)` \|", text, re.MULTILINE)
    options = list(inspect.signature(sansmcp_stdio.run).parameters)[1:]
    assert rows == [(name, "--" + name.replace("_", "-")) for name in options]
    done = subprocess.run(
        [sys.executable, "-m", "sansmcp_stdio", "--help"],
        capture_output=True,
        text=True,
        check=True,
        timeout=DEADLINE_S,
    )
    assert [flag for _, flag in rows if flag not in done.stdout] == []


def test_the_table_of_keywords_is_the_one_in_the_code() -> None:
    assert table("docs/declaring.md", "keywords") == [
        [f"`{name}`", f"{role}: {hint}" if role == "refused" else role, dialects or "neither"]
        for name, role, dialects, hint in keyword_table()
    ]


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_files(page: str) -> None:
    links = _LINK.findall(PAGES[page].read_text(encoding="utf-8"))
    local = [link for link in links if not link.startswith(("http:", "https:", "mailto:"))]
    assert [link for link in local if not (PAGES[page].parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES)
def test_links_into_a_page_lead_to_a_heading(page: str) -> None:
    path = PAGES[page]
    dead = []
    for target, anchor in _ANCHOR.findall(path.read_text(encoding="utf-8")):
        text = (path.parent / target if target else path).read_text(encoding="utf-8")
        anchors = {
            re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
            for heading in _HEADING.findall(text)
        }
        if anchor not in anchors:
            dead.append(f"{target}#{anchor}")
    assert dead == []


@pytest.mark.parametrize("page", PAGES)
def test_lines_are_short_enough_to_read_in_a_terminal(page: str) -> None:
    lines = PAGES[page].read_text(encoding="utf-8").splitlines()
    # A command is copied, so it is one line whatever its length.
    assert [line for line in lines if len(line) > 150 and not line.startswith(("|", "$ "))] == []
