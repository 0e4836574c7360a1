"""Descriptors 0 and 1 belong to the protocol, whatever they are and whatever a handler does."""

import fcntl
import json
import os
import pty
import socket
import tty
from pathlib import Path

import pytest
import stdio_client
from stdio_client import Client, StartServer, call, request

start_server = stdio_client.start_server
backend = stdio_client.backend
loop_backend = stdio_client.loop_backend

FORK_BESIDE_THREADS = {"PYTHONWARNINGS": "ignore::DeprecationWarning"}  # from 3.12 on

ECHO = """
@server.tool
def echo(text: str) -> str:
    return text
"""

STRAY = {
    "print": "print('stray', flush=True)",
    "print_buffered": "print('stray')",
    "os_write": "os.write(1, b'stray\\n')",
    "dunder_stdout": "sys.__stdout__.write('stray\\n'); sys.__stdout__.flush()",
    "child": "subprocess.run(['echo', 'stray'], check=True)",
    "shell": "os.system('echo stray')",
    "logging": "logging.getLogger('x').error('stray')",
    "c_code": "import ctypes; ctypes.CDLL(None).printf(b'stray\\n')",
    "fork": "pid = os.fork()\n    if not pid: os.write(1, b'stray\\n'); os._exit(0)\n"
    "    os.waitpid(pid, 0)",
}


@pytest.mark.parametrize("statement", STRAY.values(), ids=STRAY)
def test_stray_output_goes_to_standard_error_only(
    start_server: StartServer, backend: str, statement: str
) -> None:
    client = start_server(
        f"""
logging.basicConfig(stream=sys.stdout)

@server.tool
def stray() -> str:
    {statement}
    return "done"

@server.tool(inline=True)
def inline_stray() -> str:
    {statement}
    return "done"
""",
        backend,
        env=FORK_BESIDE_THREADS,
    )
    assert client.text(1, "stray") == "done"
    assert client.text(2, "inline_stray") == "done"
    client.close_input()
    assert client.rest() == []
    assert client.wait() == 0
    assert client.log.count("stray") == 2
    assert client.raw.count(b"\n") == 2


def test_answers_beside_stray_output_are_not_lost(start_server: StartServer, backend: str) -> None:
    client = start_server(
        """
@server.tool
def noisy() -> str:
    for _ in range(200):
        print("x")
        os.write(1, b"x\\n")
    return "noisy"

@server.tool
def quiet() -> str:
    return "quiet"
""",
        backend,
    )
    ids = range(100)
    client.send(*[call(id, "noisy" if id % 2 else "quiet") for id in ids])
    assert {client.line()["id"] for _ in ids} == set(ids)
    assert client.end() == 0
    assert client.rest() == []


def test_text_printed_before_the_run_does_not_reach_the_peer(start_server: StartServer) -> None:
    client = start_server(ECHO + "\nprint('stray')\n")
    assert client.text(1, "echo", text="x") == "x"
    assert client.end() == 0
    assert client.rest() == []
    assert "stray" in client.log


def test_the_diversion_is_undone_at_the_end(start_server: StartServer, backend: str) -> None:
    client = start_server(
        ECHO,
        backend,
        run="sansmcp_stdio.run(server, backend=BACKEND)\nprint('mine again')\n",
    )
    assert client.text(1, "echo", text="x") == "x"
    client.close_input()
    while client.read():
        pass
    assert client.wait() == 0
    assert client.raw.splitlines()[1:] == [b"mine again"]


def test_handlers_and_children_read_nothing_of_the_input(
    start_server: StartServer, backend: str
) -> None:
    client = start_server(
        """
@server.tool
def steal() -> str:
    child = subprocess.run(["cat"], capture_output=True, check=True).stdout
    return repr((os.read(0, 100), sys.stdin.read(), child))
""",
        backend,
    )
    client.send(call(1, "steal"), call(2, "steal"))
    texts = [client.answer(id)["result"]["content"][0]["text"] for id in (1, 2)]
    assert texts == ["(b'', '', b'')"] * 2
    assert client.end() == 0


def test_a_child_that_stays_does_not_keep_the_channel_open(
    start_server: StartServer, backend: str
) -> None:
    client = start_server(
        """
@server.tool
def leave_child() -> str:
    child = subprocess.Popen(["sleep", "60"], start_new_session=True)
    child.returncode = 0
    pid = os.fork()
    if not pid:
        time.sleep(60)
        os._exit(0)
    return f"{child.pid} {pid}"
""",
        backend,
        env=FORK_BESIDE_THREADS,
    )
    children = client.text(1, "leave_child").split()
    try:
        client.close_input()
        assert client.rest() == []
        assert client.wait() == 0
    finally:
        for pid in children:
            os.kill(int(pid), 9)


FORKS = """
def fork(then: str = "") -> str:
    pid = os.fork()
    if not pid:
        print("child")
        exec(then)
    return str(pid)

server.tool(fork, name="blocking")
server.tool(fork, name="inline", inline=True)

@server.tool
def exit_status(pid: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

@server.tool(inline=True)
def echo(text: str) -> str:
    return text

if BACKEND != "threads":
    import anyio

    @server.tool(name="async")
    async def fork_at_first(then: str = "") -> str:
        return fork(then)

    @server.tool(name="async_later")
    async def fork_later(then: str = "") -> str:
        await anyio.sleep(0)
        return fork(then)

    @server.tool
    async def fork_and_await() -> str:
        pid = fork()
        await anyio.sleep(0.01)
        return pid
"""


def fork_tools(backend: str) -> list[str]:
    """The tools that fork."""
    loops = ["async", "async_later"] if backend != "threads" else []
    return ["inline", "blocking", *loops]


def test_a_forked_child_that_returns_ends_and_its_parent_goes_on(
    start_server: StartServer, backend: str
) -> None:
    client = start_server(FORKS, backend, env=FORK_BESIDE_THREADS)
    tools = fork_tools(backend)
    for tool in tools:
        child = int(client.text(tool, tool))
        for id in range(10):
            assert client.text(f"{tool}{id}", "echo", text="x") == "x"
        assert client.text("status", "exit_status", pid=child) == "0"
    client.close_input()
    assert client.rest() == []
    assert client.wait() == 0
    assert client.log == "child\n" * len(tools)


def test_a_forked_child_that_awaits_ends_and_says_why(
    start_server: StartServer, loop_backend: str
) -> None:
    client = start_server(FORKS, loop_backend, env=FORK_BESIDE_THREADS)
    child = int(client.text(1, "fork_and_await"))
    assert client.text(2, "exit_status", pid=child) == "1"
    assert client.text(3, "echo", text="x") == "x"
    assert client.end() == 0
    assert "RuntimeError: " in client.log
    assert "event loop" in client.log


@pytest.mark.parametrize(
    ("then", "status"),
    [("raise ValueError('why')", 1), ("sys.exit()", 0), ("sys.exit(3)", 3), ("sys.exit('x')", 1)],
)
def test_a_forked_child_that_raises_ends_as_any_program_would(
    start_server: StartServer, backend: str, then: str, status: int
) -> None:
    client = start_server(FORKS, backend, env=FORK_BESIDE_THREADS)
    for tool in fork_tools(backend):
        child = int(client.text(tool, tool, then=then))
        assert client.text("status", "exit_status", pid=child) == str(status)
    assert client.end() == 0
    assert client.log.count("ValueError: why") == len(fork_tools(backend)) * ("why" in then)


def test_lines_may_end_in_crlf_and_answers_end_in_lf(
    start_server: StartServer, backend: str
) -> None:
    client = start_server(ECHO, backend)
    client.send(call(1, "echo", text="x").replace(b"\n", b"\r\n"))
    assert client.line()["id"] == 1
    assert client.end() == 0
    assert b"\r" not in client.raw


@pytest.mark.parametrize("encoding", ["cp932", "ascii", "utf-16"])
def test_output_is_utf8_whatever_the_environment_says(
    start_server: StartServer, backend: str, encoding: str
) -> None:
    client = start_server(
        """
server = Server("test", "1", instructions="a — b ✓")

@server.tool
def echo(text: str) -> str:
    return text
""",
        backend,
        env={"PYTHONIOENCODING": encoding, "LC_ALL": "C", "PYTHONUTF8": "0"},
    )
    assert client.ask(request(1, "server/discover"))["result"]["instructions"] == "a — b ✓"
    assert client.text(2, "echo", text="é✓𝄞") == "é✓𝄞"
    assert client.raw.decode("utf-8").count("\n") == 2
    assert client.end() == 0


def test_input_may_be_dev_null(start_server: StartServer, backend: str) -> None:
    back, server_out = os.pipe()
    null = os.open(os.devnull, os.O_RDONLY)
    ends = (null, server_out, os.open(os.devnull, os.O_WRONLY), back)
    client = start_server.command([str(start_server.script(ECHO, backend))], ends=ends)
    assert client.rest() == []
    assert client.wait() == 0


def test_input_and_output_may_be_regular_files(
    start_server: StartServer, backend: str, tmp_path: Path
) -> None:
    big = "x" * 3_000_000
    questions, answers = tmp_path / "questions", tmp_path / "answers"
    questions.write_bytes(b"".join(call(id, "echo", text=big) for id in range(3)))
    ends = (
        os.open(questions, os.O_RDONLY),
        os.open(answers, os.O_WRONLY | os.O_CREAT),
        os.open(os.devnull, os.O_WRONLY),
        os.open(os.devnull, os.O_RDONLY),
    )
    client = start_server.command([str(start_server.script(ECHO, backend))], ends=ends)
    assert client.wait() == 0
    messages = [json.loads(line) for line in answers.read_bytes().splitlines()]
    assert sorted(message["id"] for message in messages) == [0, 1, 2]
    assert {message["result"]["content"][0]["text"] for message in messages} == {big}


@pytest.mark.parametrize("family", [socket.AF_UNIX, socket.AF_INET])
def test_input_and_output_may_be_one_socket(
    start_server: StartServer, backend: str, family: socket.AddressFamily
) -> None:
    theirs, ours = connected(family)
    to = ours.detach()
    ends = (theirs.detach(), 0, to, to)
    client = start_server.command(
        [str(start_server.script(ECHO, backend))], ends=(ends[0], ends[0], to, to)
    )
    big = "é" * 2_000_000
    assert client.text(1, "echo", text=big) == big
    end_of_input = socket.socket(fileno=os.dup(to))
    end_of_input.shutdown(socket.SHUT_WR)
    end_of_input.close()
    assert client.rest() == []
    assert client.wait() == 0


def connected(family: socket.AddressFamily) -> tuple[socket.socket, socket.socket]:
    if family == socket.AF_UNIX:
        return socket.socketpair()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        ours = socket.create_connection(listener.getsockname())
        theirs, _ = listener.accept()
    return theirs, ours


def test_input_and_output_may_be_a_terminal(start_server: StartServer, backend: str) -> None:
    ours, theirs = pty.openpty()
    tty.setraw(theirs)
    client = start_server.command(
        [str(start_server.script(ECHO, backend))], ends=(theirs, theirs, ours, ours)
    )
    big = "x" * 200_000
    client.send(call(1, "echo", text="x"), call(2, "echo", text=big))
    assert {client.line()["id"], client.line()["id"]} == {1, 2}
    os.close(ours)  # hangs up
    client.to = client.back = -1
    assert client.wait() == 0


@pytest.mark.parametrize("closed", ["0", "1", "2", "0 1", "1 2", "0 1 2"])
def test_closed_descriptors_are_survived(
    start_server: StartServer, backend: str, closed: str
) -> None:
    server = start_server.script(
        ECHO + "\n@server.tool\ndef noise() -> str:\n    print('stray')\n    return 'x'\n", backend
    )
    closing = "\n".join(f"os.close({fd})" for fd in closed.split())
    code = f"import os, runpy\n{closing}\nrunpy.run_path({str(server)!r}, run_name='__main__')"
    client = start_server.command(["-c", code])
    client.send(call(1, "noise"))
    if "0" not in closed and "1" not in closed:
        assert client.line()["id"] == 1
    assert client.end() == 0
    assert client.rest() == []


def flags(fd: int) -> int:
    return fcntl.fcntl(fd, fcntl.F_GETFL)


@pytest.mark.parametrize("kind", ["pipe", "socket", "terminal"])
def test_o_nonblock_is_never_set_on_a_shared_description(
    start_server: StartServer, backend: str, kind: str
) -> None:
    if kind == "pipe":
        server_in, to = os.pipe()
        back, server_out = os.pipe()
    elif kind == "socket":
        theirs, ours = socket.socketpair()
        server_in = server_out = theirs.detach()
        to = back = ours.detach()
    else:
        to, server_in = pty.openpty()
        tty.setraw(server_in)
        server_out, back = server_in, to
    shared = [os.dup(server_in), os.dup(server_out)]
    client = start_server.command(
        [str(start_server.script(ECHO, backend))], ends=(server_in, server_out, to, back)
    )
    before = [flags(fd) for fd in shared]
    assert not any(flag & os.O_NONBLOCK for flag in before)
    big = "x" * 4_000_000  # more than five reads can give
    client.send(call(1, "echo", text=big))
    for _ in range(5):
        client.read()
        assert [flags(fd) for fd in shared] == before
    client.answer(1)
    assert [flags(fd) for fd in shared] == before
    client.process.terminate()
    assert client.wait() == 0
    assert [flags(fd) for fd in shared] == before
    for fd in shared:
        os.close(fd)


def test_o_nonblock_set_by_somebody_else_is_no_error(
    start_server: StartServer, backend: str
) -> None:
    server_in, to = os.pipe()
    back, server_out = os.pipe()
    os.set_blocking(server_in, False)
    os.set_blocking(server_out, False)
    client = start_server.command(
        [str(start_server.script(ECHO, backend))], ends=(server_in, server_out, to, back)
    )
    big = "x" * 1_000_000
    assert client.text(1, "echo", text=big) == big
    assert client.text(2, "echo", text="x") == "x"
    assert client.end() == 0


def test_a_second_run_beside_the_first_is_refused(start_server: StartServer, backend: str) -> None:
    client: Client = start_server(
        """
@server.tool
def run_again() -> str:
    try:
        sansmcp_stdio.run(Server("other"))
    except RuntimeError as error:
        return str(error)
    return "ran"
""",
        backend,
    )
    assert "already being served" in client.text(1, "run_again")
    assert client.end() == 0
