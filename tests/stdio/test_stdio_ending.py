"""However a run ends, it ends soon, in order, with exit status 0."""

import os
import signal
import time

import pytest
import stdio_client
from stdio_client import StartServer, call, request

start_server = stdio_client.start_server
backend = stdio_client.backend
loop_backend = stdio_client.loop_backend

SOON_S = 10.0  # "a couple of seconds", on a machine that does other things, too

SLEEPERS = """
import anyio

@contextlib.asynccontextmanager
async def lifespan(server):
    print("entered", file=sys.stderr)
    yield "value"
    print("left", file=sys.stderr)

server = Server("test", "1", lifespan=lifespan)

@server.tool
async def sleep_async() -> str:
    print("sleeping", file=sys.stderr)
    try:
        await anyio.sleep(60)
    finally:
        print("cleaned up", file=sys.stderr)
    return "slept"

@server.tool
def sleep_sync() -> str:
    print("sleeping", file=sys.stderr)
    time.sleep(60)
    return "slept"
"""

PLAIN_SLEEPERS = """
@contextlib.contextmanager
def lifespan(server):
    print("entered", file=sys.stderr)
    yield "value"
    print("left", file=sys.stderr)

server = Server("test", "1", lifespan=lifespan)

@server.tool
def sleep_sync() -> str:
    print("sleeping", file=sys.stderr)
    time.sleep(60)
    return "slept"

@server.tool
def sleep_a_little() -> str:
    print("sleeping", file=sys.stderr)
    time.sleep(0.3)
    return "slept"
"""


def test_end_of_input_cancels_async_calls_and_leaves_threads_behind(
    start_server: StartServer, loop_backend: str
) -> None:
    client = start_server(SLEEPERS, loop_backend)
    client.send(call(1, "sleep_async"), call(2, "sleep_sync"))
    client.await_log("sleeping\n")
    started = time.monotonic()
    assert client.end() == 0
    assert time.monotonic() - started < SOON_S
    assert client.rest() == []
    for text in ("entered", "cleaned up", "left"):
        assert client.log.count(text) == 1
    assert client.log.index("cleaned up") < client.log.index("left")
    assert "Traceback" not in client.log


def test_end_of_input_leaves_a_hanging_thread_behind(
    start_server: StartServer, backend: str
) -> None:
    client = start_server(PLAIN_SLEEPERS, backend)
    client.send(call(1, "sleep_sync"), call(2, "sleep_sync"))
    client.await_log("sleeping\nsleeping\n")
    started = time.monotonic()
    assert client.end() == 0
    assert time.monotonic() - started < SOON_S
    assert client.rest() == []
    assert client.log.count("left") == 1
    assert "Traceback" not in client.log


def test_calls_that_end_in_time_are_answered_after_the_end_of_input(
    start_server: StartServer, backend: str
) -> None:
    client = start_server(PLAIN_SLEEPERS, backend, options="{'drain_s': 20.0}")
    client.send(call(1, "sleep_a_little"), call(2, "sleep_a_little"))
    client.close_input()
    started = time.monotonic()
    assert sorted(message["id"] for message in client.rest()) == [1, 2]
    assert client.wait() == 0
    assert time.monotonic() - started < 15, "the time to drain is a bound, not a delay"


@pytest.mark.parametrize("tool", ["echo", "inline_echo", "async_echo"])
def test_an_unterminated_last_line_is_answered(
    start_server: StartServer, loop_backend: str, tool: str
) -> None:
    client = start_server(ECHOES, loop_backend)
    client.send(call(1, tool, text="x").rstrip(b"\n"))
    client.close_input()
    assert [message["id"] for message in client.rest()] == [1]
    assert client.wait() == 0


ECHOES = """
@server.tool
def echo(text: str) -> str:
    return text

@server.tool(inline=True)
def inline_echo(text: str) -> str:
    return text

if BACKEND != "threads":
    @server.tool
    async def async_echo(text: str) -> str:
        return text
"""


def test_a_pipeline_gets_all_its_answers(start_server: StartServer, backend: str) -> None:
    client = start_server(ECHOES, backend)
    tools = ["echo", "inline_echo"] + (["async_echo"] if backend != "threads" else [])
    lines = [call(id, tools[id % len(tools)], text="x" * 100) for id in range(300)]
    client.send(b"".join(lines).rstrip(b"\n"))
    client.close_input()
    assert sorted(message["id"] for message in client.rest()) == list(range(300))
    assert client.wait() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_run_in_order(
    start_server: StartServer, backend: str, number: signal.Signals
) -> None:
    client = start_server(PLAIN_SLEEPERS, backend, options="{'drain_s': 0.5}")
    client.send(call(1, "sleep_sync"), request("listen", "subscriptions/listen", notifications={}))
    client.await_log("sleeping\n")
    client.line()
    started = time.monotonic()
    client.process.send_signal(number)
    assert client.wait() == 0
    assert time.monotonic() - started < SOON_S
    assert [message["id"] for message in client.rest()] == ["listen"]
    assert client.log.count("left") == 1
    assert "Traceback" not in client.log


def test_a_signal_that_comes_while_nothing_runs_ends_at_once(
    start_server: StartServer, backend: str
) -> None:
    client = start_server(ECHOES, backend, options="{'drain_s': 300.0}")
    assert client.text(1, "echo", text="x") == "x"
    client.process.terminate()
    assert client.wait() == 0


def test_a_second_signal_does_not_wait_for_calls(start_server: StartServer, backend: str) -> None:
    client = start_server(PLAIN_SLEEPERS, backend, options="{'drain_s': 300.0}")
    client.send(call(1, "sleep_sync"))
    client.await_log("sleeping\n")
    client.process.terminate()
    deadline = time.monotonic() + SOON_S
    while client.process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.2)  # two of one kind that come too close together are one
        client.process.terminate()
        if client.log.count("left"):
            break
    assert client.process.wait(SOON_S) in (0, -signal.SIGTERM)
    assert client.log.count("left") == 1


def test_handlers_of_the_program_are_back_after_the_run(
    start_server: StartServer, backend: str
) -> None:
    client = start_server(
        ECHOES,
        backend,
        run="""
import signal
signal.signal(signal.SIGTERM, lambda *_: None)
before = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)
sansmcp_stdio.run(server, backend=BACKEND)
assert (signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)) == before
print("same", file=sys.stderr)
""",
    )
    assert client.text(1, "echo", text="x") == "x"
    assert client.end() == 0
    assert "same" in client.log


def test_run_works_outside_the_main_thread(start_server: StartServer, backend: str) -> None:
    client = start_server(
        ECHOES,
        backend,
        run="""
thread = threading.Thread(target=sansmcp_stdio.run, args=[server], kwargs={"backend": BACKEND})
thread.start()
thread.join()
print("joined", file=sys.stderr)
""",
    )
    assert client.text(1, "echo", text="x") == "x"
    assert client.end() == 0
    assert "joined" in client.log


def test_run_can_be_called_again(start_server: StartServer, backend: str) -> None:
    client = start_server(
        PLAIN_SLEEPERS,
        backend,
        run="""
import signal
sansmcp_stdio.run(server, backend=BACKEND)
print("again", file=sys.stderr)
sansmcp_stdio.run(server, backend=BACKEND)
""",
    )
    assert client.text(1, "sleep_a_little") == "slept"
    client.process.terminate()
    client.await_log("again")
    assert client.text(2, "sleep_a_little") == "slept"
    assert client.end() == 0
    assert client.log.count("left") == 2


def test_closed_output_ends_the_run_without_a_traceback(
    start_server: StartServer, backend: str
) -> None:
    client = start_server(PLAIN_SLEEPERS, backend)
    assert client.text(1, "sleep_a_little") == "slept"
    os.close(client.back)
    client.back = os.open(os.devnull, os.O_RDONLY)
    client.send(call(2, "sleep_a_little"))
    assert client.wait() == 0
    assert client.log.count("left") == 1
    assert "Traceback" not in client.log
    assert "BrokenPipe" not in client.log


def test_both_ends_closed_during_a_call_is_routine(start_server: StartServer, backend: str) -> None:
    client = start_server(PLAIN_SLEEPERS, backend)
    client.send(*[call(id, "sleep_a_little") for id in range(4)])
    client.await_log("sleeping")
    os.close(client.back)
    client.back = os.open(os.devnull, os.O_RDONLY)
    assert client.end() == 0
    assert "Traceback" not in client.log


def test_the_run_ends_although_the_client_does_not_read(
    start_server: StartServer, backend: str
) -> None:
    client = start_server(ECHOES, backend, options="{'drain_s': 0.3}")
    client.send(call(1, "echo", text="x" * 1_000_000))
    client.read()  # now it is writing
    started = time.monotonic()
    assert client.end() == 0
    assert time.monotonic() - started < SOON_S


def test_a_thread_that_prints_for_ever_does_not_spoil_the_exit(
    start_server: StartServer, backend: str
) -> None:
    client = start_server(
        """
@server.tool
def print_for_ever() -> str:
    while True:
        print("x")
""",
        backend,
        options="{'drain_s': 0.1}",
    )
    client.send(call(1, "print_for_ever"))
    client.await_log("x\nx\n")
    assert client.end() == 0


def test_the_lifespan_is_entered_before_the_first_call_and_its_value_reaches_it(
    start_server: StartServer, backend: str
) -> None:
    client = start_server(
        PLAIN_SLEEPERS
        + """
@server.tool
def show(ctx: Context) -> str:
    return ctx.lifespan
""",
        backend,
    )
    assert client.text(1, "show") == "value"
    assert client.end() == 0
    assert client.log.split() == ["entered", "left"]


def test_an_async_lifespan_needs_a_loop_and_gets_one_unasked(start_server: StartServer) -> None:
    source = """
@contextlib.asynccontextmanager
async def lifespan(server):
    yield "trio" if "trio" in sys.modules else "no trio"

server = Server("test", "1", lifespan=lifespan)

@server.tool
def show(ctx: Context) -> str:
    return ctx.lifespan
"""
    client = start_server(source)
    assert client.text(1, "show") == "trio"
    assert client.end() == 0
    client = start_server(source, "threads")
    assert client.wait() == 1
    assert 'backend="threads" cannot enter an async lifespan' in client.log


def test_a_lifespan_that_is_no_context_manager_is_named(start_server: StartServer) -> None:
    client = start_server("server = Server('test', '1', lifespan=lambda server: 5)")
    assert client.wait() == 1
    assert "lifespan must return a context manager, plain or async, got int" in client.log
