"""Each example, started as users start it and spoken to in plain JSON."""

import json
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import stdio_client
from stdio_client import DEADLINE_S, META, Client, StartServer, call, cancel, request

start_server = stdio_client.start_server

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
PROTOCOL = "io.modelcontextprotocol/"


def able(*capabilities: str) -> dict[str, Any]:
    """The ``_meta`` of a client that can do so much."""
    return {**META, PROTOCOL + "clientCapabilities": {name: {} for name in capabilities}}


def retry(id: int, name: str, state: str | None = None, **answers: Any) -> bytes:
    """A call with answers, by a client that can be asked anything."""
    params = {"name": name, "arguments": {}, "_meta": able("elicitation", "sampling", "roots")}
    if state is not None:
        params["requestState"] = state
    if answers:
        params["inputResponses"] = answers
    return request(id, "tools/call", **params)


def legacy(id: int, method: str, **params: Any) -> bytes:
    """A request without ``_meta``."""
    return (
        json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).encode()
        + b"\n"
    )


# -- quickstart ------------------------------------------------------------------------------


def test_quickstart_serves_both_eras_and_loads_no_event_loop(start_server: StartServer) -> None:
    code = (
        "import atexit, runpy, sys; "
        "atexit.register(lambda: print(sorted({'anyio', 'asyncio', 'trio'} & sys.modules.keys()),"
        " file=sys.stderr)); runpy.run_path('quickstart.py', run_name='__main__')"
    )
    client = start_server.command(["-c", code], cwd=EXAMPLES)
    discovered = client.ask(request(1, "server/discover"))["result"]
    assert discovered["_meta"][PROTOCOL + "serverInfo"]["name"] == "quickstart"
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {}}
    hello["clientInfo"] = {"name": "test", "version": "1"}
    agreed = client.ask(legacy(2, "initialize", **hello))["result"]
    assert agreed["protocolVersion"] == "2025-06-18"
    assert client.text(3, "add", a=40, b=2) == "42.0"
    answer = client.ask(legacy(4, "tools/call", name="add", arguments={"a": 1, "b": 2}))
    assert answer["result"]["structuredContent"] == {"result": 3.0}
    assert client.end() == 0
    assert client.log == "[]\n"


@pytest.mark.parametrize("name", ["quickstart.py", "everything.py"])
def test_a_server_without_input_ends_at_once(start_server: StartServer, name: str) -> None:
    client = start_server.command([str(EXAMPLES / name)])
    assert client.end() == 0
    assert client.rest() == []
    assert client.log == ""


# -- everything ------------------------------------------------------------------------------


@pytest.fixture
def everything(start_server: StartServer) -> Iterator[Client]:
    client = start_server.command([str(EXAMPLES / "everything.py")])
    yield client
    assert client.end() == 0
    assert client.log == ""


def test_test_simple_text_is_listed_first(everything: Client) -> None:
    tools = everything.ask(request(1, "tools/list"))["result"]["tools"]
    assert tools[0]["name"] == "test_simple_text"
    assert everything.text(2, "test_simple_text") == "This is a simple text response for testing."


def test_a_wrong_key_is_asked_for_again_and_an_extra_one_ignored(everything: Client) -> None:
    name = "test_input_required_result_elicitation"
    accept = {"action": "accept", "content": {"name": "Alice"}}
    first = everything.ask(retry(1, name))["result"]
    assert first["resultType"] == "input_required"
    question = first["inputRequests"]["user_name"]
    assert question["method"] == "elicitation/create"
    assert question["params"]["message"] == "What is your name?"
    assert question["params"]["requestedSchema"]["required"] == ["name"]
    for answers in ({"wrong_key": accept}, {"user_name": 12345}):
        again = everything.ask(retry(2, name, first["requestState"], **answers))["result"]
        assert again["resultType"] == "input_required"
    answers = {"user_name": accept, "extra": accept}
    done = everything.ask(retry(3, name, first["requestState"], **answers))["result"]
    assert done["resultType"] == "complete"
    assert done["content"][0]["text"] == "Hello, Alice!"


def test_null_answers_do_not_complete(everything: Client) -> None:
    params = {"name": "test_input_required_result_elicitation", "arguments": {}}
    line = request(1, "tools/call", **params, inputResponses=None, _meta=able("elicitation"))
    answer = everything.ask(line)
    assert answer.get("result", {}).get("resultType") != "complete"


def test_a_tampered_state_is_an_error(everything: Client) -> None:
    name = "test_input_required_result_tampered_state"
    state = everything.ask(retry(1, name))["result"]["requestState"]
    accept = {"action": "accept", "content": {"ok": True}}
    answer = everything.ask(retry(2, name, state + "-TAMPERED", confirm=accept))
    assert answer["error"]["code"] == -32602


def test_each_round_has_a_state_of_its_own(everything: Client) -> None:
    name = "test_input_required_result_multi_round"
    first = everything.ask(retry(1, name))["result"]
    accept = {"action": "accept", "content": {"name": "Alice"}}
    second = everything.ask(retry(2, name, first["requestState"], step1=accept))["result"]
    assert second["resultType"] == "input_required"
    assert second["inputRequests"].keys() == {"step2"}
    assert second["requestState"] != first["requestState"]
    accept = {"action": "accept", "content": {"color": "blue"}}
    third = everything.ask(retry(3, name, second["requestState"], step2=accept))["result"]
    assert third["content"][0]["text"] == "Alice likes blue"


def test_several_questions_come_together(everything: Client) -> None:
    first = everything.ask(retry(1, "test_input_required_result_multiple_inputs"))["result"]
    methods = sorted(question["method"] for question in first["inputRequests"].values())
    assert methods == ["elicitation/create", "roots/list", "sampling/createMessage"]
    assert first["requestState"]


def test_only_what_the_client_can_answer_is_asked(everything: Client) -> None:
    params = {"name": "test_input_required_result_capabilities", "arguments": {}}
    line = request(1, "tools/call", **params, _meta=able("sampling"))
    result = everything.ask(line)["result"]
    assert result["resultType"] == "input_required"
    methods = [question["method"] for question in result["inputRequests"].values()]
    assert methods == ["sampling/createMessage"]


def test_a_missing_capability_is_named(everything: Client) -> None:
    error = everything.ask(call(1, "test_missing_capability"))["error"]
    assert error["code"] == -32021
    assert error["data"]["requiredCapabilities"] == {"sampling": {}}


def test_lists_and_the_first_resource_carry_cache_hints(everything: Client) -> None:
    lines = [
        request(method, method)
        for method in ("tools/list", "prompts/list", "resources/list", "resources/templates/list")
    ]
    (first, *_) = everything.ask(request(1, "resources/list"))["result"]["resources"]
    for line in (*lines, request("read", "resources/read", uri=first["uri"])):
        result = everything.ask(line)["result"]
        assert result["ttlMs"] >= 0
        assert result["cacheScope"] in ("public", "private")


def test_no_log_message_without_a_level(everything: Client) -> None:
    everything.send(call(1, "test_logging_tool"))
    assert everything.line()["id"] == 1
    meta = {**META, PROTOCOL + "logLevel": "debug"}
    everything.send(request(2, "tools/call", name="test_logging_tool", arguments={}, _meta=meta))
    assert everything.line()["method"] == "notifications/message"
    assert everything.line()["id"] == 2


def test_a_cancelled_coroutine_stops(start_server: StartServer) -> None:
    command = ["-m", "sansmcp_stdio", "everything:server", "--drain-s", "600"]
    client = start_server.command(command, cwd=EXAMPLES)
    meta = {**META, "progressToken": "p"}
    client.send(request(1, "tools/call", name="wait", arguments={"seconds": 60}, _meta=meta))
    assert client.line()["method"] == "notifications/progress"
    client.send(cancel(1))
    assert client.end() == 0  # it would be given the time that it takes
    assert [message for message in client.rest() if "id" in message] == []


# -- a loop of one's own ---------------------------------------------------------------------


class Caller:
    """One TCP connection to the embedded core."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=DEADLINE_S)
        self._file = self.socket.makefile("rb")

    def send(self, line: bytes) -> None:
        self.socket.sendall(line)

    def line(self) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(self._file.readline())
        return message

    def ask(self, line: bytes) -> dict[str, Any]:
        self.send(line)
        return self.line()

    def close(self) -> None:
        self._file.close()
        self.socket.close()


@pytest.fixture
def embedded(start_server: StartServer) -> Iterator[tuple[Client, int]]:
    client = start_server.command(["-u", str(EXAMPLES / "embed_selectors.py")])
    while b"\n" not in client.raw:
        assert client.read()
    found = re.fullmatch(rb"serving on port (\d+)\n", client.raw)
    assert found, client.raw
    yield client, int(found[1])
    assert client.process.poll() is None
    client.process.terminate()
    client.wait()
    assert client.log == ""


@pytest.fixture
def callers(embedded: tuple[Client, int]) -> Iterator[tuple[Caller, Caller]]:
    pair = Caller(embedded[1]), Caller(embedded[1])
    yield pair
    for caller in pair:
        caller.close()


def test_the_embedding_is_short() -> None:
    source = (EXAMPLES / "embed_selectors.py").read_text()
    assert len(source.splitlines()) <= 60
    assert "import thread" not in source


def test_an_embedded_core_serves_several_connections(callers: tuple[Caller, Caller]) -> None:
    one, other = callers
    for id, caller in enumerate((one, other, one)):
        result = caller.ask(call(id, "add", a=id, b=1))["result"]
        assert result["structuredContent"] == id + 1


def test_an_embedded_core_asks_in_both_eras(callers: tuple[Caller, Caller]) -> None:
    one, other = callers
    accept = {"action": "accept", "content": {"name": "Ada"}}
    first = one.ask(retry(1, "greet"))["result"]
    done = one.ask(retry(2, "greet", first["requestState"], who=accept))["result"]
    assert done["content"][0]["text"] == "Hello, Ada!"
    hello = {
        "protocolVersion": "2025-11-25",
        "capabilities": {"elicitation": {}},
        "clientInfo": {"name": "test", "version": "1"},
    }
    other.ask(legacy(1, "initialize", **hello))
    question = other.ask(legacy(2, "tools/call", name="greet", arguments={}))
    answer = {"jsonrpc": "2.0", "id": question["id"], "result": accept}
    done = other.ask(json.dumps(answer).encode() + b"\n")
    assert done["id"] == 2
    assert done["result"]["content"][0]["text"] == "Hello, Ada!"


def test_a_change_in_one_connection_wakes_the_other(callers: tuple[Caller, Caller]) -> None:
    one, other = callers
    wanted = {"resourceSubscriptions": ["note://today"]}
    acknowledged = one.ask(request("listen", "subscriptions/listen", notifications=wanted))
    assert acknowledged["method"] == "notifications/subscriptions/acknowledged"
    assert "result" in other.ask(call(1, "save_note", title="today", text="sunny"))
    updated = one.line()
    assert updated["method"] == "notifications/resources/updated"
    assert updated["params"]["uri"] == "note://today"


def test_a_client_that_goes_or_does_not_read_disturbs_nobody(
    embedded: tuple[Client, int], callers: tuple[Caller, Caller]
) -> None:
    one, other = callers
    text = "x" * 2_000_000
    one.ask(call(1, "save_note", title="long", text=text))
    for id in range(2, 20):
        one.send(request(id, "resources/read", uri="note://long"))  # 36 MB, and nobody reads them
    assert other.ask(call(1, "add", a=1, b=2))["result"]["structuredContent"] == 3
    for id in range(2, 20):
        message = one.line()
        assert message["id"] == id
        assert len(message["result"]["contents"][0]["text"]) == len(text)
    gone = Caller(embedded[1])
    gone.send(request(1, "resources/read", uri="note://long"))
    gone.close()
    assert other.ask(call(2, "add", a=2, b=2))["result"]["structuredContent"] == 4


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs Linux's list of threads")
def test_an_embedded_core_starts_no_thread(
    embedded: tuple[Client, int], callers: tuple[Caller, Caller]
) -> None:
    callers[0].ask(call(1, "add", a=1, b=2))
    threads = Path(f"/proc/{embedded[0].process.pid}/task")
    assert len(list(threads.iterdir())) == 1


# -- the demonstration -----------------------------------------------------------------------


def demonstrate(script: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-X", "dev", str(script)],
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )


def test_the_demonstration_shows_both_eras() -> None:
    shown = demonstrate(EXAMPLES / "demo.py")
    assert (shown.returncode, shown.stderr) == (0, "")
    out = shown.stdout
    assert out.count("client -> server  (modern)") == out.count("client <- server  (modern)") == 5
    assert out.count("client -> server  (legacy)") == 6
    assert out.count("client <- server  (legacy)") == 5
    assert out.count("Hello, Alice!") == 2
    for word in ("server/discover", "input_required", "initialize", "elicitation/create"):
        assert f'"{word}"' in out
    assert "\033" not in out
    assert max(map(len, out.splitlines())) <= 100


def test_the_demonstration_ends_quietly_where_nobody_reads_on() -> None:
    with subprocess.Popen(
        [sys.executable, "-X", "dev", str(EXAMPLES / "demo.py")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        process.stdout = None
        _, errors = process.communicate(timeout=DEADLINE_S)
    assert errors == b""


@pytest.mark.parametrize(
    ("server", "reason"),
    [
        ("", "the server ended before it had answered"),
        ("print('hello')", "a line that is no JSON: b'hello\\n'"),
        ("print('[1]')", "JSON that is no message"),
        ('input(); print(\'{"id": 1, "result": {}}\')', "lacks something (KeyError("),
        ('input(); print(\'{"id": 7, "error": {}}\')', "request 1 was answered with"),
        ("import sys; sys.stdin.close()", "the server "),
    ],
)
def test_the_demonstration_tells_what_is_wrong(tmp_path: Path, server: str, reason: str) -> None:
    script = Path(shutil.copy(EXAMPLES / "demo.py", tmp_path))
    (tmp_path / "quickstart.py").write_text(server)
    shown = demonstrate(script)
    assert shown.returncode == 1
    assert "The demonstration failed: " in shown.stderr
    assert reason in shown.stderr
    assert "Traceback" not in shown.stderr
