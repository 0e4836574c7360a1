"""``McpApp`` within apps of web frameworks: at any path, without redirects, lifespan or not."""

import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from typing import Any

import pytest
from asgi_client import App, AsgiRequest, ask, lifespan_of_app, opened
from django.conf import settings as django_settings
from django.core.asgi import get_asgi_application
from fastapi import FastAPI
from http_peer import modern_post
from http_server import call, listen, make_server
from hypercorn.middleware import DispatcherMiddleware
from litestar import Litestar, asgi
from quart import Quart
from sansmcp_asgi import McpApp
from sansmcp_core import Context, Server
from sansmcp_core.http import HttpSettings
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.routing import Mount, Route, Router

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    """Most of the frameworks know no other loop."""
    return "asyncio"


def mcp() -> McpApp:
    return McpApp(make_server())


def starlette_mount_above() -> App:
    return Starlette(routes=[Mount("/api", mcp())])


def starlette_mount_at_root() -> App:
    return Starlette(routes=[Mount("/", mcp())])


def starlette_route() -> App:
    app = mcp()
    return Starlette(routes=[Route("/mcp", app), Route("/mcp/", app)])


def starlette_route_and_mount() -> App:
    app = mcp()
    return Starlette(routes=[Route("/tools", app), Mount("/tools", app)])


def starlette_two_deep() -> App:
    return Starlette(routes=[Mount("/a", routes=[Mount("/b", mcp())])])


def fastapi_mount_above() -> App:
    app = FastAPI()
    app.mount("/api", mcp())
    return app


def fastapi_in_starlette() -> App:
    app = FastAPI()
    app.mount("/b", mcp())
    return Starlette(routes=[Mount("/a", app)])


def litestar_mount() -> App:
    served = mcp()

    @asgi("/api", is_mount=True, copy_scope=True)
    async def endpoint(scope: Any, receive: Any, send: Any) -> None:
        await served(scope, receive, send)

    return Litestar(route_handlers=[endpoint], openapi_config=None)


def litestar_mount_at_the_endpoint() -> App:
    served = mcp()

    @asgi("/mcp", is_mount=True, copy_scope=True)
    async def endpoint(scope: Any, receive: Any, send: Any) -> None:
        await served(scope, receive, send)

    return Litestar(route_handlers=[endpoint], openapi_config=None)


class Beside:
    """What answers below one path is the MCP app, everything else the other."""

    def __init__(self, other: Any, path: str) -> None:
        self.other, self.path, self.mcp = other, path, mcp()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        mine = f"{scope.get('path', '')}/".startswith(f"{self.path}/")
        await (self.mcp if mine else self.other)(scope, receive, send)


def beside_quart() -> App:
    app = Quart("quart")
    app.asgi_app = Beside(app.asgi_app, "/mcp")  # type: ignore[method-assign]
    return app


def beside_django() -> App:
    if not django_settings.configured:
        django_settings.configure(ALLOWED_HOSTS=["*"])
    return Beside(get_asgi_application(), "/mcp")


def hypercorn_dispatcher() -> App:
    return DispatcherMiddleware({"/api": mcp()})  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("make_app", "path"),
    [
        pytest.param(make_app, path, id=f"{make_app.__name__}-{path}")
        for make_app, paths in (
            (starlette_mount_above, ("/api/mcp", "/api/mcp/", "/api/")),
            (starlette_mount_at_root, ("/mcp", "/mcp/", "/")),
            (starlette_route, ("/mcp", "/mcp/")),
            (starlette_route_and_mount, ("/tools/", "/tools/mcp", "/tools/mcp/")),
            (starlette_two_deep, ("/a/b/mcp", "/a/b/mcp/")),
            (fastapi_mount_above, ("/api/mcp", "/api/mcp/")),
            (fastapi_in_starlette, ("/a/b/mcp", "/a/b/mcp/")),
            (litestar_mount, ("/api", "/api/", "/api/mcp", "/api/mcp/")),
            (litestar_mount_at_the_endpoint, ("/mcp", "/mcp/")),
            (beside_quart, ("/mcp", "/mcp/")),
            (beside_django, ("/mcp", "/mcp/")),
            (hypercorn_dispatcher, ("/api", "/api/mcp", "/api/mcp/")),
        )
        for path in paths
    ],
)
async def test_it_answers_where_it_is_mounted_without_lifespan_or_redirect(
    make_app: Callable[[], App], path: str
) -> None:
    app = make_app()
    for _ in range(2):
        request = modern_post(call("add", a=1, b=2), path=path, x_forwarded_proto="https")
        answer = await ask(app, request)
        assert (answer.status, answer.text) == (200, "3")


async def test_a_route_at_the_endpoint_itself_is_served_whatever_it_is_called() -> None:
    app = Starlette(
        routes=[Route("/tools", McpApp(make_server(), HttpSettings(paths=("/tools",))))]
    )
    answer = await ask(app, modern_post(call("quick"), path="/tools"))
    assert (answer.status, answer.text) == (200, "quick")


async def test_methods_are_judged_by_the_endpoint_not_by_the_router() -> None:
    app = Starlette(routes=[Route("/mcp", mcp())])
    request = modern_post(call("quick"))._replace(method="PUT")
    answer = await ask(app, request)
    assert answer.status == 405
    assert b"POST" in answer.headers[b"allow"]


async def test_what_it_does_not_serve_stays_with_the_app_around_it() -> None:
    answer = await ask(beside_quart(), modern_post(call("quick"), path="/other"))
    assert answer.status == 404


async def test_two_mounts_side_by_side_share_nothing() -> None:
    one, two = Server("one", "1"), Server("two", "1")
    one.tool(lambda: "one", name="name")
    two.tool(lambda: "two", name="name")
    app = Starlette(routes=[Mount("/one", McpApp(one)), Mount("/two", McpApp(two))])
    for name in ("one", "two"):
        assert (await ask(app, modern_post(call("name"), path=f"/{name}/mcp"))).text == name


@contextlib.asynccontextmanager
async def lifespan(server: Server) -> AsyncIterator[str]:
    EVENTS.append("in")
    yield "value"
    EVENTS.append("out")


EVENTS: list[str] = []


def with_lifespan() -> McpApp:
    EVENTS.clear()
    server = Server("lasting", "1", lifespan=lifespan)

    @server.tool
    def value(ctx: Context) -> str:
        return str(ctx.lifespan)

    return McpApp(server)


def starlette_handing_on() -> App:
    app = with_lifespan()
    return Starlette(routes=[Mount("/", app)], lifespan=app.lifespan)


def fastapi_handing_on() -> App:
    served = with_lifespan()
    app = FastAPI(lifespan=served.lifespan)
    app.mount("/", served)
    return app


def litestar_handing_on() -> App:
    served = with_lifespan()

    @asgi("/", is_mount=True, copy_scope=True)
    async def endpoint(scope: Any, receive: Any, send: Any) -> None:
        await served(scope, receive, send)

    return Litestar([endpoint], lifespan=[served.lifespan], openapi_config=None)


def quart_handing_on() -> App:
    app = Quart("quart")
    beside = Beside(app.asgi_app, "/mcp")
    beside.mcp = with_lifespan()
    app.asgi_app = beside  # type: ignore[method-assign]

    @app.while_serving
    async def serve() -> AsyncGenerator[None, None]:
        async with beside.mcp.lifespan():
            yield

    return app


@pytest.mark.parametrize(
    "make_app", [starlette_handing_on, fastapi_handing_on, litestar_handing_on, quart_handing_on]
)
async def test_an_app_can_hand_its_lifespan_on(make_app: Callable[[], App]) -> None:
    app = make_app()
    async with lifespan_of_app(app, []):
        assert EVENTS == ["in"]
        assert (await ask(app, modern_post(call("value"), path="/mcp"))).text == "value"
    assert EVENTS == ["in", "out"]


async def test_events_pass_through_a_compressing_middleware_as_they_come() -> None:
    server = make_server()
    app = Starlette(
        routes=[Mount("/", McpApp(server))], middleware=[Middleware(GZipMiddleware, minimum_size=1)]
    )
    request = modern_post(listen(), accept_encoding="gzip")
    async with opened(app, request) as asgi:
        await asgi.until(lambda: is_acknowledged(asgi))
        assert b"content-encoding" not in asgi.headers
        server.resource_updated("a://b")
        await asgi.until(lambda: len(asgi.messages) == 2)
        asgi.gone.set()


def is_acknowledged(asgi: AsgiRequest) -> bool:
    return len(asgi.sent) > 1 and b"acknowledged" in asgi.body


async def test_a_router_without_redirects_serves_both_spellings() -> None:
    app = mcp()
    router = Router(routes=[Mount("/mcp", app), Route("/mcp", app)], redirect_slashes=False)
    for path in ("/mcp", "/mcp/"):
        assert (await ask(router, modern_post(call("quick"), path=path))).text == "quick"
