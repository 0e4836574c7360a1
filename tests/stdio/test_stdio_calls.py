"""Calls run beside each other, each ends once, and none spoils another."""

import pytest
import stdio_client
from stdio_client import StartServer, call, cancel, request

start_server = stdio_client.start_server
backend = stdio_client.backend
loop_backend = stdio_client.loop_backend

MIXED = """
gate = threading.Event()

@server.tool
def block() -> str:
    print("blocking", file=sys.stderr)
    gate.wait(60)
    return "blocked"

@server.tool
def open_gate() -> str:
    gate.set()
    return "open"

@server.tool(inline=True)
def quick() -> str:
    return "quick"

if BACKEND != "threads":
    import anyio

    @server.tool
    async def fast() -> str:
        return "fast"

    @server.tool
    async def suspend(steps: int) -> str:
        for _ in range(steps):
            await anyio.sleep(0)
        return "suspended"

    @server.tool
    async def hang() -> str:
        print("hanging", file=sys.stderr)
        try:
            await anyio.sleep(60)
        finally:
            print("cancelled", file=sys.stderr)
        return "never"
"""


def test_a_blocking_call_delays_no_other(start_server: StartServer, backend: str) -> None:
    client = start_server(MIXED, backend)
    client.send(call("slow", "block"))
    client.await_log("blocking")
    ping = b'{"jsonrpc":"2.0","id":"ping","method":"ping"}\n'
    assert client.ask(ping) == {"jsonrpc": "2.0", "id": "ping", "result": {}}
    assert client.text(1, "quick") == "quick"
    if backend != "threads":
        assert client.text(2, "fast") == "fast"
        assert client.text(3, "suspend", steps=5) == "suspended"
    client.send(call(4, "open_gate"))
    assert {client.line()["id"], client.line()["id"]} == {"slow", 4}
    assert client.end() == 0


def test_all_threads_in_use_do_not_block_the_rest(start_server: StartServer, backend: str) -> None:
    client = start_server(MIXED, backend, options="{'max_threads': 2}")
    client.send(*[call(id, "block") for id in range(5)])
    client.await_log("blocking\nblocking\n")
    assert client.text("quick", "quick") == "quick"
    if backend != "threads":
        assert client.text("fast", "fast") == "fast"
    client.close_input()
    assert client.wait() == 0
    assert client.log.count("blocking") == 2


def test_the_number_of_threads_is_bounded(start_server: StartServer, backend: str) -> None:
    client = start_server(
        """
lock = threading.Lock()
running = most = 0

@server.tool
def count() -> int:
    global running, most
    with lock:
        running += 1
        most = max(most, running)
    time.sleep(0.01)
    with lock:
        running -= 1
    return most
""",
        backend,
        options="{'max_threads': 3}",
    )
    client.send(*[call(id, "count") for id in range(60)])
    most = [int(client.line()["result"]["content"][0]["text"]) for _ in range(60)]
    assert max(most) == 3
    assert client.end() == 0


def test_context_variables_reach_every_handler_and_leak_from_none(
    start_server: StartServer, backend: str
) -> None:
    client = start_server(
        """
variable = contextvars.ContextVar("variable", default="nothing")

@contextlib.contextmanager
def lifespan(server):
    variable.set("lifespan")
    yield

server = Server("test", "1", lifespan=lifespan)

def show() -> str:
    before = variable.get()
    variable.set("handler")
    return before + " " + variable.get()

server.tool(show, name="blocking")
server.tool(show, name="inline", inline=True)

if BACKEND != "threads":
    import anyio

    async def show_async(steps: int) -> str:
        before = variable.get()
        variable.set("handler")
        for _ in range(steps):
            await anyio.sleep(0)
        return before + " " + variable.get()

    server.tool(show_async, name="async")
""",
        backend,
    )
    for id in range(6):
        assert client.text(f"b{id}", "blocking") == "lifespan handler"
        assert client.text(f"i{id}", "inline") == "lifespan handler"
        if backend != "threads":
            assert client.text(f"a{id}", "async", steps=id % 3) == "lifespan handler"
    assert client.end() == 0


@pytest.mark.parametrize("steps", [0, 1, 3])
def test_async_calls_in_one_chunk_are_all_answered(
    start_server: StartServer, loop_backend: str, steps: int
) -> None:
    client = start_server(MIXED, loop_backend)
    names = ["fast", "suspend", "quick", "open_gate"]
    lines = [
        call(id, "suspend", steps=steps) if id % 4 == 1 else call(id, names[id % 4])
        for id in range(200)
    ]
    client.send(*lines)
    assert {client.line()["id"] for _ in lines} == set(range(200))
    assert client.end() == 0


def test_an_async_call_is_cancelled_and_never_answered(
    start_server: StartServer, loop_backend: str
) -> None:
    client = start_server(MIXED, loop_backend)
    client.send(call(1, "hang"), call(2, "hang"))
    client.await_log("hanging\nhanging\n")
    client.send(cancel(1))
    client.await_log("cancelled")
    assert client.text(3, "fast") == "fast"
    client.send(cancel(2))
    client.close_input()
    assert client.rest() == []
    assert client.wait() == 0
    assert "Traceback" not in client.log


def test_a_cancelled_blocking_call_is_told_and_never_answered(
    start_server: StartServer, backend: str
) -> None:
    client = start_server(
        """
@server.tool
def poll(ctx: Context) -> str:
    print("polling", file=sys.stderr)
    while not ctx.cancelled:
        time.sleep(0.005)
    print("cancelled", file=sys.stderr)
    return "cancelled"

@server.tool
def echo() -> str:
    return "x"
""",
        backend,
    )
    client.send(call(1, "poll"))
    client.await_log("polling")
    client.send(cancel(1))
    client.await_log("cancelled")
    assert client.text(2, "echo") == "x"
    client.close_input()
    assert client.rest() == []
    assert client.wait() == 0


def test_a_call_that_is_cancelled_while_it_waits_for_a_thread_never_runs(
    start_server: StartServer, backend: str
) -> None:
    client = start_server(
        MIXED + "\n@server.tool\ndef run() -> str:\n    print('ran', file=sys.stderr)\n",
        backend,
        options="{'max_threads': 1}",
    )
    client.send(call(1, "block"))
    client.await_log("blocking")
    client.send(call(2, "run"), call(3, "open_gate"), cancel(2), cancel(1))
    assert client.text(4, "quick") == "quick"
    client.process.terminate()
    assert client.wait() == 0
    assert "ran" not in client.log


RAISED = [
    "ValueError('x')",
    "SystemExit(3)",
    "KeyboardInterrupt()",
    "GeneratorExit()",
    "BaseException('x')",
    "BaseExceptionGroup('x', [KeyboardInterrupt()])",
    "StopIteration(5)",
    "asyncio.CancelledError()",
    "RecursionError()",
    "MemoryError()",
]


@pytest.mark.parametrize("raised", RAISED)
def test_whatever_a_handler_raises_the_process_lives(
    start_server: StartServer, backend: str, raised: str
) -> None:
    client = start_server(
        f"""
import asyncio

def fail() -> str:
    raise {raised}

server.tool(fail, name="blocking")
server.tool(fail, name="inline", inline=True)

if BACKEND != "threads":
    import anyio

    async def fail_async(steps: int = 0) -> str:
        for _ in range(steps):
            await anyio.sleep(0)
        raise {raised}

    server.tool(fail_async, name="async")
""",
        backend,
    )
    lines = [call(1, "blocking"), call(2, "inline")]
    if backend != "threads":
        lines += [call(3, "async"), call(4, "async", steps=2), call(5, "async", steps=1)]
    for line in lines:
        answer = client.ask(line)
        assert "error" in answer or answer["result"]["isError"] is True
    assert "tools" in client.ask(request(9, "tools/list"))["result"]
    assert client.end() == 0


def test_awaiting_a_cancelled_task_of_its_own_fails_the_call_only(
    start_server: StartServer,
) -> None:
    client = start_server(
        """
import asyncio

@server.tool
async def await_cancelled() -> str:
    task = asyncio.ensure_future(asyncio.sleep(60))
    task.cancel()
    await task

@server.tool
async def cancel_self() -> str:
    asyncio.current_task().cancel()
    await asyncio.sleep(60)

@server.tool
async def time_out() -> str:
    try:
        async with asyncio.timeout(0.01):
            await asyncio.sleep(60)
    except TimeoutError:
        return "timed out"

@server.tool
async def use_executor() -> str:
    return await asyncio.to_thread(lambda: "executed")
""",
        "asyncio",
    )
    for id in range(3):
        for name in ("await_cancelled", "cancel_self"):
            assert client.ask(call(f"{name}{id}", name))["result"]["isError"] is True
        assert client.text(f"timeout{id}", "time_out") == "timed out"
        assert client.text(f"executor{id}", "use_executor") == "executed"
    assert client.end() == 0


def test_async_handlers_may_use_the_whole_of_their_library(
    start_server: StartServer, loop_backend: str
) -> None:
    client = start_server(
        """
import anyio

@server.tool
async def use_everything() -> str:
    seen = []
    async def add(item):
        await anyio.sleep(0)
        seen.append(item)
    async with anyio.create_task_group() as tasks:
        for item in range(5):
            tasks.start_soon(add, item)
    with anyio.move_on_after(0.01):
        await anyio.sleep(60)
    seen.append(await anyio.to_thread.run_sync(lambda: "thread"))
    process = await anyio.run_process(["echo", "child"])
    seen.append(process.stdout.decode().strip())
    return repr(sorted(map(str, seen)))
""",
        loop_backend,
    )
    client.send(*[call(id, "use_everything") for id in range(4)])
    expected = repr(["0", "1", "2", "3", "4", "child", "thread"])
    for _ in range(4):
        assert client.line()["result"]["content"][0]["text"] == expected
    assert client.end() == 0


def test_one_call_at_a_time_is_answered_in_order_of_arrival(
    start_server: StartServer, backend: str
) -> None:
    client = start_server(
        """
server = Server("test", "1", settings=Settings(limits=Limits(max_concurrent_calls=1)))

def echo(n: int) -> str:
    time.sleep(0.002 * (n % 3))
    return str(n)

server.tool(echo, name="blocking")
server.tool(echo, name="inline", inline=True)

if BACKEND != "threads":
    import anyio

    async def echo_async(n: int) -> str:
        for _ in range(n % 3):
            await anyio.sleep(0)
        return str(n)

    server.tool(echo_async, name="async")
""",
        backend,
    )
    names = ["blocking", "inline"] + (["async"] if backend != "threads" else [])
    client.send(*[call(id, names[id % len(names)], n=id) for id in range(60)])
    assert [client.line()["id"] for _ in range(60)] == list(range(60))
    assert client.end() == 0


def test_progress_from_any_kind_of_handler_comes_before_the_answer(
    start_server: StartServer, backend: str
) -> None:
    client = start_server(
        """
def work(ctx: Context) -> str:
    for step in range(1, 4):
        ctx.report_progress(step, 3)
    return "done"

server.tool(work, name="blocking")
server.tool(work, name="inline", inline=True)

if BACKEND != "threads":
    import anyio

    async def work_async(ctx: Context) -> str:
        for step in range(1, 4):
            ctx.report_progress(step, 3)
            await anyio.sleep(0.01)
        return "done"

    server.tool(work_async, name="async")
""",
        backend,
    )
    for name in ["blocking", "inline"] + (["async"] if backend != "threads" else []):
        meta = {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "progressToken": name,
        }
        client.send(request(name, "tools/call", name=name, arguments={}, _meta=meta))
        steps = [client.line() for _ in range(3)]
        assert [step["params"]["progress"] for step in steps] == [1, 2, 3]
        assert client.line()["id"] == name
    assert client.end() == 0


def test_progress_arrives_while_a_blocking_handler_still_runs(
    start_server: StartServer, backend: str
) -> None:
    client = start_server(
        MIXED
        + """
@server.tool
def announce(ctx: Context) -> str:
    ctx.report_progress(1)
    gate.wait(60)
    return "done"
""",
        backend,
    )
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "progressToken": "t",
    }
    client.send(request(1, "tools/call", name="announce", arguments={}, _meta=meta))
    assert client.line()["method"] == "notifications/progress"
    client.send(call(2, "open_gate"))
    assert {client.line()["id"], client.line()["id"]} == {1, 2}
    assert client.end() == 0


def test_what_is_ready_is_written_before_a_slow_inline_call(
    start_server: StartServer, backend: str
) -> None:
    client = start_server(
        MIXED
        + """
@server.tool(inline=True)
def slow_inline() -> str:
    gate.wait(60)
    return "slow"
""",
        backend,
    )
    client.send(call(1, "quick"), call(2, "slow_inline"))
    assert client.line()["id"] == 1


def test_a_time_limit_is_kept_while_nothing_else_happens(
    start_server: StartServer, backend: str
) -> None:
    client = start_server(
        """
@server.tool(time_limit_s=0.2)
def sleep_sync() -> str:
    time.sleep(60)

if BACKEND != "threads":
    import anyio

    @server.tool(time_limit_s=0.2)
    async def sleep_async() -> str:
        await anyio.sleep(60)
""",
        backend,
    )
    assert client.ask(call(1, "sleep_sync"))["result"]["isError"] is True
    if backend != "threads":
        assert client.ask(call(2, "sleep_async"))["result"]["isError"] is True
    assert client.end() == 0


def test_an_async_handler_registered_later_is_refused_on_threads(
    start_server: StartServer,
) -> None:
    client = start_server(
        """
@server.tool
def add_async() -> str:
    async def late() -> str:
        return "x"
    try:
        server.tool(late)
    except Exception as error:
        return f"{type(error).__name__} {error}"
    return "added"
""",
    )
    assert client.text(1, "add_async").startswith("RegistrationError")
    assert client.end() == 0


def test_reports_reach_standard_error_without_any_logging_configuration(
    start_server: StartServer, backend: str
) -> None:
    client = start_server(
        "@server.tool\ndef fail() -> str:\n    raise ValueError('why')\n", backend
    )
    client.ask(call(7, "fail"))
    assert client.end() == 0
    assert "ValueError: why" in client.log
    assert "(request 7)" in client.log
