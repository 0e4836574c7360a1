"""The server that every row serves: ``add``, and as many other tools as are asked for."""

from typing import TypedDict

from sansmcp_core import Server
from sansmcp_schema.content import TextContent
from sansmcp_schema.results import CallToolResult

__all__ = ["make_server"]


class Sum(TypedDict):
    """The structured content that the harness looks for."""

    result: int


def add(a: int, b: int) -> CallToolResult:
    """Add two integers."""
    total = a + b
    return CallToolResult(content=[TextContent(str(total))], structured_content={"result": total})


async def add_async(a: int, b: int) -> CallToolResult:
    """Add two integers."""
    return add(a, b)


def search(query: str, limit: int = 10, exact: bool = False) -> str:
    """Search the catalogue by title or author."""
    return query


def make_server(tools: int, mode: str) -> Server:
    """Return a server with ``tools`` tools.

    Args:
        tools: How many.
        mode: How ``add`` runs: ``inline``, ``blocking`` or ``async``.
    """
    server = Server("bench", version="1.0")
    if mode == "async":
        server.tool(add_async, name="add", output=Sum)
    else:
        server.tool(add, inline=mode == "inline", output=Sum)
    for number in range(1, tools):
        server.tool(search, name=f"search_{number:03d}")
    return server
