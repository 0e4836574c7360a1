"""The server's lifespan, with and without the ASGI server's help; loops that come and go."""

import contextlib
import logging
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import anyio
import pytest
from asgi_client import DEADLINE_S, AsgiRequest, ask, lifespan_of_app, opened
from core_peer import initialize
from http_peer import legacy_post, modern_post, session_delete
from http_server import call, listen, make_server
from sansmcp_asgi import McpApp
from sansmcp_core import Context, Server

pytestmark = pytest.mark.anyio

on_both = pytest.mark.parametrize("backend", ["trio", "asyncio"])


class House:
    """A server with a lifespan, and who went in and out."""

    def __init__(self, kind: str = "async") -> None:
        self.events: list[str] = []
        self.failing: Exception | None = None
        self.entering: anyio.Event | None = None
        """What entering waits for."""
        lifespan: Any = self.plain if kind == "plain" else self.nested
        self.server = Server("house", "1", lifespan=lifespan)
        self.gate = threading.Event()
        self.begun = threading.Event()

        @self.server.tool
        async def value(ctx: Context) -> str:
            return str(ctx.lifespan)

        @self.server.tool
        async def hang() -> str:
            self.begun.set()
            try:
                await anyio.sleep_forever()
            finally:
                self.events.append("call stopped")
            return "never"

    @contextlib.contextmanager
    def plain(self, server: Server) -> Iterator[str]:
        self.events.append("in")
        yield "plain value"
        self.events.append("out")

    @contextlib.asynccontextmanager
    async def nested(self, server: Server) -> AsyncIterator[str]:
        """One with a task group, which must be left in the task that entered it."""
        if self.entering is not None:
            await self.entering.wait()
        if self.failing is not None:
            raise self.failing
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(anyio.sleep_forever)
            self.events.append("in")
            try:
                yield "async value"
            finally:
                self.events.append("out")
                tasks.cancel_scope.cancel()


async def value_of(app: McpApp) -> str:
    return (await ask(app, modern_post(call("value")))).text


# -- with lifespan events --------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["plain", "async"])
async def test_lifespan_events_enter_and_leave_the_lifespan_of_the_server(kind: str) -> None:
    house = House(kind)
    app = McpApp(house.server)
    answers: list[str] = []
    for _ in range(2):
        async with lifespan_of_app(app, answers):
            assert house.events[-1] == "in"
            assert await value_of(app) == f"{kind} value"
        assert house.events[-1] == "out"
    assert house.events == ["in", "out"] * 2
    assert answers == ["lifespan.startup.complete", "lifespan.shutdown.complete"] * 2


async def test_lifespan_events_are_answered_where_the_server_has_no_lifespan() -> None:
    answers: list[str] = []
    async with lifespan_of_app(McpApp(make_server()), answers):
        pass
    assert answers == ["lifespan.startup.complete", "lifespan.shutdown.complete"]


async def test_a_lifespan_that_fails_is_told_to_the_asgi_server(
    caplog: pytest.LogCaptureFixture,
) -> None:
    house = House()
    house.failing = ValueError("no database")
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "lifespan.startup"}

    async def send(message: Any) -> None:
        sent.append(message)

    await McpApp(house.server)({"type": "lifespan"}, receive, send)
    assert sent == [{"type": "lifespan.startup.failed", "message": "no database"}]
    assert [record.levelname for record in caplog.records] == ["ERROR"]


async def test_the_end_of_the_lifespan_ends_streams_and_cancels_what_does_not_end() -> None:
    house = House()
    app = McpApp(house.server, drain_s=0.05)
    listener = AsgiRequest(app, modern_post(listen()))
    caller = AsgiRequest(app, modern_post(call("hang")))
    async with anyio.create_task_group() as tasks:
        async with lifespan_of_app(app, []):
            tasks.start_soon(listener.run)
            tasks.start_soon(caller.run)
            await listener.until(lambda: len(listener.sent) > 1 and bool(listener.messages))
            assert await anyio.to_thread.run_sync(house.begun.wait, DEADLINE_S)
        assert listener.complete
        assert listener.messages[-1]["result"]["resultType"] == "complete"
        assert house.events == ["in", "call stopped", "out"]


async def test_a_program_that_stops_its_server_can_end_the_streams_before() -> None:
    house = House()
    app = McpApp(house.server)
    app.end_streams()  # nothing is served yet
    listener = AsgiRequest(app, modern_post(listen()))
    async with anyio.create_task_group() as tasks, lifespan_of_app(app, []):
        tasks.start_soon(listener.run)
        await listener.until(lambda: len(listener.sent) > 1 and bool(listener.messages))
        app.end_streams()
        await listener.until(lambda: listener.complete)
        assert listener.messages[-1]["result"]["resultType"] == "complete"
        assert (await ask(app, modern_post(call("value")))).status == 503
    assert (await ask(app, modern_post(call("value")))).status == 200  # it may begin anew


async def test_a_request_during_the_end_is_refused() -> None:
    stage = House()
    app = McpApp(stage.server, drain_s=0.5)
    async with anyio.create_task_group() as tasks:
        hold = AsgiRequest(app, modern_post(call("hang")))
        async with app.lifespan():
            tasks.start_soon(hold.run)
            assert await anyio.to_thread.run_sync(stage.begun.wait, DEADLINE_S)
            tasks.start_soon(refused, app)


async def refused(app: McpApp) -> None:
    with anyio.fail_after(DEADLINE_S):
        while (asgi := await ask(app, modern_post(call("value")))).status == 200:
            await anyio.lowlevel.checkpoint()
    assert asgi.status == 503


# -- lifespan() ------------------------------------------------------------------------------


async def test_an_app_that_mounts_it_can_hand_its_lifespan_on() -> None:
    house = House()
    app = McpApp(house.server)
    for host in ((), (object(),)):
        async with app.lifespan(*host) as state:
            assert state is None
            assert await value_of(app) == "async value"
    assert house.events == ["in", "out"] * 2


async def test_the_lifespan_is_entered_once_at_a_time() -> None:
    app = McpApp(House().server)
    async with app.lifespan():
        with pytest.raises(RuntimeError, match="entered already"):
            async with app.lifespan():
                pass
        assert await value_of(app) == "async value"


async def test_a_lifespan_that_is_entered_late_takes_over_from_the_one_of_a_request() -> None:
    house = House()
    app = McpApp(house.server)
    assert await value_of(app) == "async value"
    async with app.lifespan():
        assert house.events == ["in", "out", "in"]
        assert await value_of(app) == "async value"
    assert house.events == ["in", "out"] * 2


# -- without any -----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["plain", "async"])
async def test_without_lifespan_the_first_request_enters_it_once(kind: str) -> None:
    house = House(kind)
    house.entering = anyio.Event()
    app = McpApp(house.server)
    requests = [AsgiRequest(app, modern_post(call("value", id))) for id in range(5)]
    async with anyio.create_task_group() as tasks:
        for asgi in requests:
            tasks.start_soon(asgi.run)
        await anyio.wait_all_tasks_blocked()
        house.entering.set()
    assert {asgi.text for asgi in requests} == {f"{kind} value"}
    assert house.events == ["in"]
    async with app.lifespan():  # leaves it, so that nothing stays behind
        pass


async def test_the_request_that_entered_it_may_be_cancelled_without_harm() -> None:
    house = House()
    house.entering = anyio.Event()
    app = McpApp(house.server)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(AsgiRequest(app, modern_post(call("value"))).run)
        await anyio.wait_all_tasks_blocked()
        tasks.cancel_scope.cancel()
    house.entering.set()
    assert await value_of(app) == "async value"
    assert house.events == ["in"]
    async with app.lifespan():
        pass


async def test_a_lifespan_that_fails_fails_the_request_and_is_tried_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    house = House()
    house.failing = ValueError("no database")
    app = McpApp(house.server)
    with pytest.raises(RuntimeError, match="the server's lifespan failed") as failure:
        await value_of(app)
    assert failure.value.__cause__ is house.failing
    assert [record.levelname for record in caplog.records] == ["ERROR"]
    house.failing = None
    assert await value_of(app) == "async value"
    async with app.lifespan():
        pass


@on_both
def test_what_a_request_entered_is_left_when_the_loop_ends(backend: str) -> None:
    house = House()
    app = McpApp(house.server)
    assert anyio.run(value_of, app, backend=backend) == "async value"
    assert house.events == ["in", "out"]


# -- loops -----------------------------------------------------------------------------------


@pytest.mark.parametrize("first", ["trio", "asyncio"])
@pytest.mark.parametrize("second", ["trio", "asyncio"])
def test_an_app_may_be_served_by_one_loop_after_another(first: str, second: str) -> None:
    house = House()
    app = McpApp(house.server)
    for backend in (first, second):
        assert anyio.run(value_of, app, backend=backend) == "async value"
    assert house.events == ["in", "out"] * 2


def test_sessions_outlive_the_loop_where_nobody_ends_the_app() -> None:
    app = McpApp(make_server())
    hello = anyio.run(ask, app, legacy_post(initialize("init"), None, None))
    session = hello.headers[b"mcp-session-id"].decode()
    ended = anyio.run(ask, app, session_delete(session))
    assert ended.status in (200, 204)


async def test_sessions_end_with_the_lifespan() -> None:
    app = McpApp(make_server())
    async with app.lifespan():
        hello = await ask(app, legacy_post(initialize("init"), None, None))
    session = hello.headers[b"mcp-session-id"].decode()
    assert (await ask(app, session_delete(session))).status == 404


@on_both
async def test_a_second_loop_while_the_first_still_runs_is_an_error(backend: str) -> None:
    app = McpApp(make_server())
    async with opened(app, modern_post(listen())) as asgi:
        await asgi.until(lambda: len(asgi.sent) > 1 and bool(asgi.messages))

        def elsewhere() -> None:
            with pytest.raises(RuntimeError, match="another event loop serves this McpApp"):
                anyio.run(ask, app, modern_post(call("quick")), backend=backend)

        await anyio.to_thread.run_sync(elsewhere)
        asgi.gone.set()


# -- what is given ---------------------------------------------------------------------------


def test_what_cannot_be_served_is_told_when_the_app_is_made() -> None:
    with pytest.raises(TypeError, match=r"McpApp\(\) takes a sansmcp_core.Server, got str"):
        McpApp("app:server")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="max_threads must be at least 1, got 0"):
        McpApp(make_server(), max_threads=0)


def test_the_log_of_a_handler_for_the_other_loop_says_what_to_do(
    caplog: pytest.LogCaptureFixture,
) -> None:
    import asyncio

    server = Server("wrong", "1")

    @server.tool
    async def nap() -> None:
        await asyncio.sleep(0.001)

    caplog.set_level(logging.ERROR)
    anyio.run(ask, McpApp(server), modern_post(call("nap")), backend="trio")
    (record,) = caplog.records
    assert "serve the app in a server or worker that runs on asyncio" in record.getMessage()
