"""A server whose tools show what the HTTP binding does, and requests for them."""

from typing import Any

from asking import KEY, Name
from core_peer import Json, meta, modern
from sansmcp_core import Context, Server, Settings

__all__ = ["ALL_LOGS", "LISTEN_TO", "call", "legacy_call", "listen", "make_server"]

LISTEN_TO: Json = {"toolsListChanged": True, "resourceSubscriptions": ["a://b"]}
ALL_LOGS = {"io.modelcontextprotocol/logLevel": "debug"}

PAY = {
    "name": "pay",
    "inputSchema": {
        "type": "object",
        "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
    },
}


def make_server(**settings: Any) -> Server:
    """A server with tools, a resource, a prompt; nothing of it changes by itself."""
    server = Server("http", "1", settings=Settings(**{"state_keys": (KEY,), **settings}))

    @server.tool
    def add(a: int, b: int) -> int:
        return a + b

    @server.tool(inline=True)
    def quick() -> str:
        return "quick"

    @server.tool
    def work(ctx: Context) -> str:
        return ctx.request.protocol_version

    @server.tool
    async def later(ctx: Context) -> str:
        ctx.log("info", "later")
        return "later"

    @server.tool
    def log(ctx: Context) -> str:
        ctx.log("info", 0)
        ctx.log("error", 1)
        return "logged"

    @server.tool
    def count(ctx: Context) -> str:
        for step in (1, 2):
            ctx.report_progress(step, 2)
        return "counted"

    @server.tool
    def fail() -> None:
        raise RuntimeError("broken")

    @server.resource("a://b")
    def ab() -> str:
        return "ab"

    add_asking(server)
    return server


def add_asking(server: Server) -> None:
    """Add what asks the client."""

    @server.tool
    def greet(ctx: Context) -> str:
        answer = ctx.elicit("who", "Who?", Name)
        return f"Hello, {answer.content.name}" if answer.accepted else answer.action

    @server.tool
    def twice(ctx: Context) -> str:
        first = ctx.elicit("one", "One?", Name).content.name
        second = ctx.elicit("two", "Two?", Name).content.name
        return f"{first} and {second}"

    @server.prompt
    def hello(ctx: Context) -> str:
        return f"Hello, {ctx.elicit('who', 'Who?', Name).content.name}"

    @server.resource("greet://{greeting}")
    def greeting(greeting: str, ctx: Context) -> str:
        return f"{greeting}, {ctx.elicit('who', 'Who?', Name).content.name}"

    def pay(arguments: dict[str, Any], ctx: Context) -> str:
        ctx.elicit("who", "Who?", Name)
        return "paid"

    server.add_tool(PAY, pay)


def call(tool: str, id: Any = 1, /, _meta: Json | None = None, **arguments: Any) -> Json:
    """A modern call of a tool; more keys for its ``_meta`` may be given."""
    return modern(id, "tools/call", meta(**(_meta or {})), name=tool, arguments=arguments)


def legacy_call(tool: str, id: Any = 1, /, **arguments: Any) -> Json:
    """A legacy call of a tool."""
    params = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}


def listen(id: Any = 1, /, **wanted: Any) -> Json:
    """A modern ``subscriptions/listen``."""
    return modern(id, "subscriptions/listen", notifications=wanted or LISTEN_TO)
