"""The comparison with the peers can be run again: it finds every server, and each of ours answers.

Ours are started with the Python of the tests; the peers need an environment of their own.
"""

import subprocess
import sys
from pathlib import Path

import chart
import pytest
from peers.harness import cold, envs, footprint, load_http, report, servers, wire
from peers.harness.load_stdio import StdioServer, one_at_a_time, pipelined, verify
from peers.harness.servers import HEADER, HttpServer, Server

ROOT = Path(__file__).resolve().parents[2]
OUR_FOLDER = ROOT / "bench" / "servers"
PEERS = ROOT / "bench" / "peers"
DEADLINE_S = 20.0

KEYS = {"name", "role", "modes", "scenarios", "variant", "note"}
SHARED = {"bench_tools.py", "floor_common.py"}
"""Files beside the servers, which are none."""

FOLDERS = (OUR_FOLDER, PEERS / "servers")
FILES = [
    file
    for folder in FOLDERS
    for file in sorted(folder.iterdir())
    if file.suffix in (".py", ".mjs")
]
ALL = [server for server in servers.find() if server.file.parent in FOLDERS]
OURS = [server for server in ALL if server.file.parent == OUR_FOLDER]

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="the harness reads Linux's /proc")


def ours(mode: str) -> pytest.MarkDecorator:
    rows = [pytest.param(server, id=server.name) for server in OURS if mode in server.modes]
    return pytest.mark.parametrize("server", rows)


@pytest.fixture(autouse=True)
def this_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(envs, "PYTHON", Path(sys.executable))


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(PEERS / "run.py"), *arguments],
        capture_output=True,
        check=False,
        env=environment,
        text=True,
        timeout=DEADLINE_S,
    )


# -- the command --------------------------------------------------------------------------------


def test_the_command_says_what_it_can_do() -> None:
    done = run("--help")
    assert (done.returncode, done.stderr) == (0, "")
    for option in ("--setup", "--quick", "--only", "--sections", "--json", "--where"):
        assert option in done.stdout


def test_a_run_without_an_environment_says_how_to_make_one(tmp_path: Path) -> None:
    done = run("--quick", BENCH_ENV=str(tmp_path))
    assert done.returncode == 1
    assert done.stderr == "no environment yet: python bench/peers/run.py --setup\n"


def test_setting_up_installs_all_packages_of_this_checkout() -> None:
    assert set(envs.OURS) == {file.parent for file in ROOT.glob("packages/*/pyproject.toml")}


def test_what_is_installed_to_be_weighed_is_pinned() -> None:
    assert {name for names in footprint.INSTALLS for name in names.split()} <= set(envs.pins())


# -- the rows -----------------------------------------------------------------------------------


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_file_is_found_with_its_rows(file: Path) -> None:
    entries = HEADER.findall(file.read_text(encoding="utf-8"))
    assert {key for key, _ in entries} <= KEYS
    names = [value for key, value in entries if key == "name"]
    assert sorted(names) == sorted(server.name for server in ALL if server.file == file)
    assert bool(names) is (file.name not in SHARED)


def test_the_rows_can_be_told_apart() -> None:
    names = [server.name for server in ALL]
    assert sorted(set(names)) == sorted(names)


@pytest.mark.parametrize("server", [pytest.param(server, id=server.name) for server in ALL])
def test_a_row_asks_for_what_there_is(server: Server) -> None:
    assert server.modes
    assert set(server.modes) <= {"http", "stdio"}
    assert set(server.scenarios) <= {"call", "call100", "list"}
    assert server.role in servers.ORDER


def test_our_rows_come_first_and_the_floors_last() -> None:
    roles = list(dict.fromkeys(server.role for server in ALL))
    assert roles == ["candidate", "peer", "variant", "floor"]
    assert {server.file.parent for server in ALL if server.role == "candidate"} == {OUR_FOLDER}
    for mode in ("http", "stdio"):
        assert any(mode in server.modes for server in OURS if server.role == "candidate")


def test_rows_are_chosen_by_an_expression() -> None:
    assert [server.name for server in servers.find("^sansmcp$|^mcp high-level$")] == [
        "sansmcp",
        "mcp high-level",
    ]


def test_the_rows_that_the_documents_speak_of_exist() -> None:
    names = {server.name for server in ALL}
    charted = {name for rows in chart._CHARTED.values() for name in rows}
    assert charted | {*chart._SHARE_OF} | {*chart._SHARE_OF.values()} <= names
    assert chart.REFERENCE == report.REFERENCE
    assert report.REFERENCE in names


# -- our servers --------------------------------------------------------------------------------


@on_linux
@ours("http")
def test_our_server_answers_right_over_http(server: Server) -> None:
    with HttpServer(server, load_http.TOOLS, None) as process:
        process.wait(DEADLINE_S)
        assert process.check() > 100 * load_http.TOOLS
        assert process.cpu_seconds() > 0


@on_linux
@ours("stdio")
def test_our_server_answers_right_over_stdio(server: Server) -> None:
    with StdioServer(server.command("stdio"), None) as process:
        wire.check_sum(process.ask(wire.add(7, 20, 22)), 7, 42)
        for load in (pipelined, one_at_a_time):
            assert load(process, 0.05)["rate"] > 0
    first = cold.first_answer(server.command("stdio"), None, program=False)
    assert 0 < first["rss"] < 200


@on_linux
def test_a_server_that_does_not_start_is_told_with_its_command(tmp_path: Path) -> None:
    file = tmp_path / "broken.py"
    file.write_text("raise SystemExit(3)\n", encoding="utf-8")
    server = Server("broken", file, "candidate", ("http",))
    with HttpServer(server, 1, None) as process:
        process.popen.wait(DEADLINE_S)
        with pytest.raises(RuntimeError, match=r"broken exited with 3.*broken\.py"):
            process.wait(DEADLINE_S)


# -- what is taken for right --------------------------------------------------------------------

RESULT = {
    "resultType": "complete",
    "content": [{"type": "text", "text": "5"}],
    "structuredContent": {"result": 5},
}


def test_a_right_answer_is_taken() -> None:
    wire.check_sum({"id": 1, "result": RESULT}, 1, 5)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param({"id": 2, "result": RESULT}, id="to another request"),
        pytest.param({"id": 1, "error": {"code": -32603}}, id="an error"),
        pytest.param({"id": 1, "result": RESULT | {"isError": True}}, id="a failed call"),
        pytest.param({"id": 1, "result": RESULT | {"resultType": "input"}}, id="a question"),
        pytest.param({"id": 1, "result": RESULT | {"structuredContent": {}}}, id="without data"),
        pytest.param({"id": 1, "result": RESULT | {"content": [{"text": "6"}]}}, id="wrong text"),
    ],
)
def test_a_wrong_answer_is_not_taken(answer: dict[str, object]) -> None:
    with pytest.raises(AssertionError, match="expected the sum 5"):
        wire.check_sum(answer, 1, 5)


def test_a_missing_answer_is_noticed() -> None:
    with pytest.raises(AssertionError, match="sent 2 requests, got 1 answers"):
        verify(b"{}\n", 2)


def test_a_ratio_is_taken_in_each_round_before_its_median() -> None:
    rates = {report.REFERENCE: (100.0, 200.0, 400.0), "ours": (300.0, 500.0, 2000.0)}
    samples = [
        {"column": "pipelined", "row": row, "round": turn, "rate": rate}
        for row, found in rates.items()
        for turn, rate in enumerate(found)
    ]
    assert report.Table(samples).ratio("ours", "pipelined", "rate") == 3.0
    assert "| ours | 500 | ×3.00 |" in report.stdio(samples)  # noqa: RUF001


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--only", "zzz"], "no server's name matches 'zzz'"),
        (["--only", "("], "--only takes a regular expression"),
        (["--where", "nope"], "there is no server 'nope'; there are sansmcp"),
    ],
)
def test_a_wrong_command_line_is_told_in_one_line(arguments: list[str], said: str) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert said in done.stderr.splitlines()[-1]
