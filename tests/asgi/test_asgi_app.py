"""``McpApp`` between an ASGI server and the binding, on trio and asyncio, without sockets."""

import asyncio
import contextvars
import logging
import threading
from collections.abc import Callable
from typing import Any

import anyio
import anyio.lowlevel
import pytest
from asgi_client import DEADLINE_S, AsgiRequest, ask, opened
from asking import Name
from core_peer import initialize, legacy, notification
from http_peer import legacy_post, modern_post, session_delete
from http_server import call, listen, make_server
from sansmcp_asgi import McpApp
from sansmcp_core import Context, Server, Settings
from sansmcp_core.http import HttpSettings

pytestmark = pytest.mark.anyio

VARIABLE = contextvars.ContextVar("variable", default="unset")


class Stage:
    """A server whose tools wait for the test, and tell it what becomes of them."""

    def __init__(self, **settings: Any) -> None:
        self.begun = threading.Semaphore(0)
        self.gate = threading.Event()
        self.open = anyio.Event()
        self.stopped = anyio.Event()
        self.runs: list[str] = []
        self.server = Server("stage", "1", settings=Settings(**settings))
        self.server.tool(self.block)
        self.server.tool(self.wait)
        self.server.tool(self.tell)
        self.server.tool(self.where)
        self.server.tool(self.where_async)
        self.server.tool(self.where_inline, inline=True)

    def block(self, ctx: Context) -> str:
        self.begun.release()
        assert self.gate.wait(DEADLINE_S)
        self.runs.append("stopped" if ctx.cancelled else "done")
        return "blocked"

    async def wait(self) -> str:
        """Return, or tell that it was cancelled."""
        self.begun.release()
        try:
            with anyio.fail_after(DEADLINE_S):
                await self.open.wait()
        except anyio.get_cancelled_exc_class():
            self.runs.append("stopped")
            self.stopped.set()
            raise
        self.runs.append("done")
        return "waited"

    async def tell(self, ctx: Context) -> str:
        """Speak, then wait."""
        ctx.report_progress(1, 2, "first")
        return await self.wait()

    def where(self) -> str:
        before, _ = VARIABLE.get(), VARIABLE.set("changed")
        return f"{before} in {threading.current_thread().name.rpartition('-')[0]}"

    def where_inline(self) -> str:
        return self.where()

    async def where_async(self) -> str:
        await anyio.lowlevel.checkpoint()
        return self.where()


async def until(holds: Callable[[], bool]) -> None:
    """Give other tasks their turns until that holds."""
    with anyio.fail_after(DEADLINE_S):
        while not holds():
            await anyio.lowlevel.checkpoint()


def begun(stage: Stage) -> Callable[[], bool]:
    return lambda: stage.begun.acquire(blocking=False)


def debug_lines(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str]]:
    return [(r.levelname, r.getMessage()) for r in caplog.records if r.name == "sansmcp.asgi"]


# -- requests and answers --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tool", "arguments", "text"),
    [
        ("quick", {}, "quick"),
        ("add", {"a": 1, "b": 2}, "3"),
        ("work", {}, "2026-07-28"),
        ("later", {}, "later"),
    ],
)
async def test_a_call_of_each_kind_is_one_plain_answer(
    tool: str, arguments: Any, text: str
) -> None:
    asgi = await ask(McpApp(make_server()), modern_post(call(tool, **arguments)))
    assert [message["type"] for message in asgi.sent] == [
        "http.response.start",
        "http.response.body",
    ]
    assert (asgi.status, asgi.headers[b"content-type"]) == (200, b"application/json")
    assert asgi.text == text


async def test_what_is_answered_at_once_watches_nobody_and_starts_no_task() -> None:
    app = McpApp(make_server())
    for request in (call("quick"), call("add", a=1, b=2), {"jsonrpc": "2.0"}):
        asgi = await ask(app, modern_post(request))
        assert asgi.asked == 1, "receive was called for the body, and no more"


async def test_a_body_may_come_in_pieces() -> None:
    request = modern_post(call("add", a=1, b=2))
    pieces = [request.body[index : index + 7] for index in range(0, len(request.body), 7)]
    assert (await ask(McpApp(make_server()), request, [*pieces, b""])).text == "3"
    assert (await ask(McpApp(make_server()), request, [b"", *pieces])).text == "3"


async def test_a_scope_may_hold_headers_in_any_iterable() -> None:
    request = modern_post(call("add", a=1, b=2))
    app = McpApp(make_server())
    for headers in (tuple(request.headers), [list(pair) for pair in request.headers]):
        assert (await ask(app, request, headers=headers)).text == "3"


async def test_a_declared_length_over_the_limit_is_answered_before_the_body_is_asked_for() -> None:
    request = modern_post(call("quick"), content_length=101)
    asgi = await ask(McpApp(make_server(), HttpSettings(max_body_bytes=100)), request)
    assert (asgi.status, asgi.asked) == (413, 0)


async def test_a_body_over_the_limit_is_answered_as_soon_as_that_is_known() -> None:
    app = McpApp(make_server(), HttpSettings(max_body_bytes=10))
    pieces = [b"12345", b"67890", b"1", b"more", None]
    asgi = await ask(app, modern_post(call("quick")), pieces)
    assert (asgi.status, asgi.asked, asgi.complete) == (413, 3, True)


async def test_a_body_of_exactly_the_limit_is_served() -> None:
    request = modern_post(call("quick"))
    settings = HttpSettings(max_body_bytes=len(request.body))
    assert (await ask(McpApp(make_server(), settings), request)).text == "quick"


async def test_a_client_that_leaves_within_its_request_is_not_answered(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    async with opened(McpApp(make_server()), modern_post(call("quick")), [b"{", None]) as asgi:
        await asgi.until(lambda: asgi.asked == 2)
        asgi.gone.set()
    assert asgi.sent == []
    ((level, _),) = debug_lines(caplog)
    assert level == "DEBUG"


@pytest.mark.parametrize("kind", ["where", "where_inline", "where_async"])
async def test_a_handler_runs_in_a_copy_of_the_context_of_its_request(kind: str) -> None:
    stage = Stage()
    app = McpApp(stage.server)
    token = VARIABLE.set("given")
    thread = "sansmcp-asgi" if kind == "where" else ""
    for _ in range(2):
        text = (await ask(app, modern_post(call(kind)))).text
        assert text.startswith("given in ")
        assert not thread or text == f"given in {thread}"
    assert VARIABLE.get() == "given"
    VARIABLE.reset(token)


# -- streams ---------------------------------------------------------------------------------


async def test_a_call_that_speaks_is_a_stream_written_as_it_comes() -> None:
    stage = Stage()
    request = modern_post(call("tell", 1, {"progressToken": 1}))
    async with opened(McpApp(stage.server), request) as asgi:
        await asgi.until(lambda: len(asgi.sent) >= 2 and bool(asgi.messages))
        assert asgi.headers[b"content-type"] == b"text/event-stream"
        assert not {b"connection", b"transfer-encoding", b"keep-alive"} & set(asgi.headers)
        (progress,) = asgi.messages
        assert progress["params"]["message"] == "first"
        assert not asgi.complete
        stage.open.set()
    assert asgi.complete
    assert asgi.text == "waited"


async def test_a_call_that_takes_long_becomes_a_stream_and_is_kept_alive() -> None:
    stage = Stage()
    app = McpApp(stage.server, HttpSettings(keep_alive_s=0.02))
    async with opened(app, modern_post(call("block"))) as asgi:
        await asgi.until(lambda: len(asgi.sent) > 1 and asgi.body.count(b"\n\n") >= 2)
        stage.gate.set()
    assert asgi.text == "blocked"


async def test_a_change_reaches_who_listens() -> None:
    server = make_server()
    async with opened(McpApp(server), modern_post(listen())) as asgi:
        await asgi.until(lambda: len(asgi.sent) > 1 and len(asgi.messages) == 1)
        server.resource_updated("a://b")
        await asgi.until(lambda: len(asgi.messages) == 2)
        asgi.gone.set()
    assert asgi.messages[1]["params"]["uri"] == "a://b"


async def test_a_change_from_another_thread_reaches_who_listens() -> None:
    server = make_server()
    async with opened(McpApp(server), modern_post(listen())) as asgi:
        await asgi.until(lambda: len(asgi.sent) > 1 and len(asgi.messages) == 1)
        threading.Thread(target=server.resource_updated, args=("a://b",)).start()
        await asgi.until(lambda: len(asgi.messages) == 2)
        asgi.gone.set()


async def test_a_client_that_does_not_read_holds_up_nobody_else() -> None:
    server = make_server()
    app = McpApp(server)
    async with (
        opened(app, modern_post(listen(1))) as stuck,
        opened(app, modern_post(listen(2))) as healthy,
    ):
        for asgi in (stuck, healthy):
            await asgi.until(lambda asgi=asgi: len(asgi.sent) > 1 and len(asgi.messages) == 1)  # type: ignore[misc]
        stuck.taking = anyio.Event()
        for times in range(2, 52):
            server.resource_updated("a://b")
            await healthy.until(lambda times=times: len(healthy.messages) >= times)  # type: ignore[misc]
        assert len(stuck.messages) == 1
        stuck.taking.set()
        # What was not taken meanwhile has become one change.
        await stuck.until(lambda: len(stuck.messages) >= 2)
        assert len(stuck.messages) <= 3
        stuck.gone.set()
        healthy.gone.set()


async def test_a_client_that_takes_nothing_for_long_counts_as_gone() -> None:
    stage = Stage()
    app = McpApp(stage.server, send_timeout_s=0.05)
    request = modern_post(call("tell", 1, {"progressToken": 1}))
    asgi = AsgiRequest(app, request)
    asgi.taking = anyio.Event()
    with anyio.fail_after(DEADLINE_S):
        await asgi.run()
    assert stage.runs == ["stopped"]


# -- clients that go away --------------------------------------------------------------------


async def test_a_modern_call_ends_with_its_client(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    stage = Stage()
    async with opened(McpApp(stage.server), modern_post(call("wait"))) as asgi:
        await until(begun(stage))
        asgi.gone.set()
        with anyio.fail_after(1):
            await stage.stopped.wait()
    assert (stage.runs, asgi.sent) == (["stopped"], [])
    assert [level for level, _ in debug_lines(caplog)] == ["DEBUG"]


async def test_a_modern_call_in_a_thread_is_told_of_its_client_and_waited_for() -> None:
    stage = Stage()
    async with opened(McpApp(stage.server), modern_post(call("block"))) as asgi:
        await until(begun(stage))
        asgi.gone.set()
        await asgi.until(lambda: asgi.asked >= 2)
        await anyio.wait_all_tasks_blocked()
        stage.gate.set()
    assert (stage.runs, asgi.sent) == (["stopped"], [])


@pytest.mark.parametrize("error", [OSError("gone"), BrokenPipeError(), ConnectionResetError()])
async def test_a_failing_send_is_a_client_that_went_away(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    stage = Stage()
    asgi = AsgiRequest(McpApp(stage.server), modern_post(call("tell", 1, {"progressToken": 1})))
    asgi.failing = error
    with anyio.fail_after(DEADLINE_S):
        await asgi.run()
    assert stage.runs == ["stopped"]
    assert [level for level, _ in debug_lines(caplog)] == ["DEBUG"]


async def test_a_send_that_fails_otherwise_is_told_with_its_cause(
    caplog: pytest.LogCaptureFixture,
) -> None:
    asgi = AsgiRequest(McpApp(make_server()), modern_post(call("quick")))
    asgi.failing = KeyError("a fault of some middleware")
    await asgi.run()
    ((level, _),) = debug_lines(caplog)
    assert level == "ERROR"
    assert caplog.records[0].exc_info is not None


@pytest.mark.parametrize("tool", ["wait", "block"])
async def test_a_legacy_call_goes_on_without_its_client(tool: str) -> None:
    stage = Stage()
    app = McpApp(stage.server, HttpSettings(sessions=False))
    request = legacy_post(legacy(1, "tools/call", name=tool, arguments={}))
    async with opened(app, request) as asgi:
        await until(begun(stage))
        asgi.gone.set()
        await asgi.until(lambda: asgi.asked >= 2)
        await anyio.wait_all_tasks_blocked()
        assert not asgi.over.is_set()
        stage.open.set()
        stage.gate.set()
    assert (stage.runs, asgi.sent) == (["done"], [])


async def test_whatever_receive_gives_after_the_body_is_no_disconnect() -> None:
    stage = Stage()
    app = McpApp(stage.server)
    asgi = AsgiRequest(app, modern_post(call("block")))
    given = 0

    async def receive() -> dict[str, Any]:
        nonlocal given
        given += 1
        if given == 3:
            stage.gate.set()
        return await asgi.receive() if given == 1 else {"type": "http.request", "body": b""}

    with anyio.fail_after(DEADLINE_S):
        await app(asgi.scope, receive, asgi.send)
    assert asgi.text == "blocked"


# -- bounds ----------------------------------------------------------------------------------


async def test_threads_that_are_all_busy_hold_up_no_async_call() -> None:
    stage = Stage()
    app = McpApp(stage.server, max_threads=2)
    stage.open.set()
    async with anyio.create_task_group() as tasks:
        blocked = [AsgiRequest(app, modern_post(call("block", id))) for id in range(3)]
        for asgi in blocked:
            tasks.start_soon(asgi.run)
        await until(begun(stage))
        await until(begun(stage))
        assert (await ask(app, modern_post(call("wait")))).text == "waited"
        stage.gate.set()
    assert [asgi.text for asgi in blocked] == ["blocked"] * 3
    assert stage.runs == ["done"] * 4


async def test_a_call_over_its_time_is_answered_though_its_thread_goes_on() -> None:
    stage = Stage(time_limit_s=0.05)
    async with opened(McpApp(stage.server), modern_post(call("block"))) as asgi:
        await asgi.until(lambda: asgi.complete)
        assert not asgi.over.is_set()
        stage.gate.set()
    assert stage.runs == ["stopped"]
    assert "error" in asgi.messages[0] or asgi.messages[0]["result"]["isError"]


# -- the surroundings ------------------------------------------------------------------------


@pytest.mark.parametrize("tool", ["wait", "tell"])
async def test_a_request_that_is_cancelled_cancels_its_call(tool: str) -> None:
    stage = Stage()
    app = McpApp(stage.server)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(AsgiRequest(app, modern_post(call(tool))).run)
        await until(begun(stage))
        tasks.cancel_scope.cancel()
    assert stage.runs == ["stopped"]


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_task_that_is_cancelled_as_asyncio_does_it_stays_cancelled(
    anyio_backend: str,
) -> None:
    server = Server("converting", "1")
    begun = anyio.Event()

    @server.tool
    async def convert() -> None:
        begun.set()
        try:
            await anyio.sleep_forever()
        except asyncio.CancelledError:
            raise ValueError("something else") from None

    task = asyncio.create_task(AsgiRequest(McpApp(server), modern_post(call("convert"))).run())
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_listener_that_is_cancelled_has_its_stream_ended() -> None:
    asgi = AsgiRequest(McpApp(make_server()), modern_post(listen()))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(asgi.run)
        await asgi.until(lambda: len(asgi.sent) > 1 and bool(asgi.messages))
        tasks.cancel_scope.cancel()
    assert asgi.complete
    assert asgi.messages[-1]["result"]["resultType"] == "complete"


async def test_a_listener_that_is_cancelled_and_does_not_read_is_left_alone() -> None:
    server = make_server()
    asgi = AsgiRequest(McpApp(server), modern_post(listen()))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(asgi.run)
        await asgi.until(lambda: len(asgi.sent) > 1 and bool(asgi.messages))
        asgi.taking = anyio.Event()
        server.resource_updated("a://b")
        await anyio.wait_all_tasks_blocked()
        tasks.cancel_scope.cancel()
    assert not asgi.complete


async def test_a_request_that_is_cancelled_does_not_wait_for_its_thread() -> None:
    stage = Stage()
    app = McpApp(stage.server, max_threads=1)
    with anyio.fail_after(DEADLINE_S):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(AsgiRequest(app, modern_post(call("block"))).run)
            await until(begun(stage))
            tasks.cancel_scope.cancel()
    stage.gate.set()
    # The place of the call is free again once its thread has ended.
    assert (await ask(app, modern_post(call("where")))).text.endswith("in sansmcp-asgi")
    assert stage.runs == ["stopped"]


async def test_handlers_may_leave_scopes_of_their_own_open_over_what_they_await() -> None:
    server = Server("scopes", "1")

    @server.tool
    async def scoped() -> str:
        with anyio.move_on_after(0.01):
            await anyio.sleep_forever()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(anyio.sleep, 0.2)
        return "out of all of them"

    assert (await ask(McpApp(server), modern_post(call("scoped")))).text == "out of all of them"


@pytest.mark.parametrize("when", ["at once", "later"])
async def test_a_handler_that_raises_what_ends_coroutines_fails_alone(when: str) -> None:
    server = Server("raising", "1")

    @server.tool
    async def leave() -> str:
        if when == "later":
            await anyio.sleep(0.01)
        raise GeneratorExit

    asgi = await ask(McpApp(server), modern_post(call("leave")))
    assert asgi.messages[-1]["result"]["isError"] is True


async def test_a_websocket_is_refused() -> None:
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        sent.append(message)

    await McpApp(make_server())({"type": "websocket"}, receive, send)
    assert sent == [{"type": "websocket.close"}]


async def test_an_unknown_kind_of_scope_is_an_error() -> None:
    asgi = AsgiRequest(McpApp(make_server()), modern_post(call("quick")), type="telepathy")
    with pytest.raises(ValueError, match="http, lifespan and websocket scopes, got 'telepathy'"):
        await asgi.run()


# -- paths -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("root_path", "path", "status"),
    [
        ("", "/mcp", 200),
        ("", "/mcp/", 200),
        ("", "/", 200),
        ("", "/other", 404),
        ("/api", "/api/mcp", 200),  # as the specification has it
        ("/api", "/api/mcp/", 200),
        ("/api", "/api", 200),
        ("/api", "/api/", 200),
        ("/api/", "/api/mcp", 200),
        ("/api", "/mcp", 200),  # as others have it
        ("/api", "/apimcp", 404),
        ("/api", "/api/other", 404),
        ("/mcp", "/mcp", 200),
        ("/mcp", "/mcp/", 200),
        ("", "mcp/", 200),  # Litestar, mounted at the root
        ("/a b/ü", "/a b/ü/mcp", 200),
    ],
)
async def test_the_path_counts_from_where_the_app_is_mounted(
    root_path: str, path: str, status: int
) -> None:
    request = modern_post(call("quick"), path=path)
    asgi = await ask(McpApp(make_server()), request, root_path=root_path)
    assert asgi.status == status


async def test_a_unix_socket_is_no_address() -> None:
    request = modern_post(call("quick"), host="anything")
    asgi = await ask(McpApp(make_server()), request, server=("/run/x.sock", None))
    assert asgi.status == 200


@pytest.mark.parametrize("server", [None, ("127.0.0.1", 3000), ("::1", 3000)])
async def test_a_scope_need_not_name_the_server(server: Any) -> None:
    asgi = await ask(McpApp(make_server()), modern_post(call("quick")), server=server)
    assert asgi.status == 200


async def test_two_apps_share_nothing() -> None:
    one, two = McpApp(make_server()), McpApp(make_server())
    hello = legacy_post(initialize("init"), None, None)
    session = (await ask(one, hello)).headers[b"mcp-session-id"].decode()
    assert (await ask(two, session_delete(session))).status == 404
    assert (await ask(one, session_delete(session))).status in (200, 204)


# -- legacy clients that are asked -----------------------------------------------------------


@pytest.mark.parametrize("kind", ["plain", "async"])
async def test_a_legacy_call_that_asks_runs_again_in_the_task_of_its_request(kind: str) -> None:
    server = Server("asking", "1")
    runs: list[str] = []

    def greet(ctx: Context) -> str:
        runs.append("run")
        answers = [ctx.elicit(key, "Who?", Name).content.name for key in ("one", "two")]
        return " and ".join(answers)

    async def greet_async(ctx: Context) -> str:
        await anyio.lowlevel.checkpoint()
        return greet(ctx)

    server.tool(greet if kind == "plain" else greet_async, name="greet")
    app = McpApp(server)
    hello = await ask(app, legacy_post(initialize("init"), None, None))
    session = hello.headers[b"mcp-session-id"].decode()
    call_of_it = legacy_post(legacy(1, "tools/call", name="greet", arguments={}), session)
    async with opened(app, call_of_it) as asgi:
        for round_, name in enumerate(("Ada", "Bob"), 1):
            await asgi.until(lambda n=round_: len(asgi.sent) > 1 and len(asgi.messages) == n)  # type: ignore[misc]
            question = asgi.messages[-1]
            result = {"action": "accept", "content": {"name": name}}
            answer = {"jsonrpc": "2.0", "id": question["id"], "result": result}
            assert (await ask(app, legacy_post(answer, session))).status == 202
    assert (asgi.text, len(runs)) == ("Ada and Bob", 3)


async def test_a_legacy_client_cancels_with_a_request_of_its_own() -> None:
    stage = Stage()
    app = McpApp(stage.server)
    hello = await ask(app, legacy_post(initialize("init"), None, None))
    session = hello.headers[b"mcp-session-id"].decode()
    request = legacy_post(legacy(7, "tools/call", name="wait", arguments={}), session)
    async with opened(app, request):
        await until(begun(stage))
        cancel = notification("notifications/cancelled", requestId=7)
        assert (await ask(app, legacy_post(cancel, session))).status == 202
        with anyio.fail_after(1):
            await stage.stopped.wait()
    assert stage.runs == ["stopped"]
