# bench: name = fastmcp
# bench: role = peer
# bench: modes = http, stdio
# bench: note = uvicorn, h11, asyncio; banner and update check off
"""FastMCP (PrefectHQ)."""

import os
import sys

os.environ["FASTMCP_CHECK_FOR_UPDATES"] = "off"
os.environ["FASTMCP_LOG_LEVEL"] = "WARNING"

from fastmcp import FastMCP
from fastmcp.tools import Tool

mode, port, tools = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])

server = FastMCP("bench", version="1.0")


@server.tool  # type: ignore[untyped-decorator, unused-ignore]
async def add(a: int, b: int) -> int:
    """Add two integers."""
    return a + b


async def search(query: str, limit: int = 10, exact: bool = False) -> str:
    """Search the catalogue by title or author."""
    return query


for number in range(1, tools):
    server.add_tool(Tool.from_function(search, name=f"search_{number:03d}"))

if mode == "stdio":
    server.run("stdio", show_banner=False)
else:
    import uvicorn

    app = server.http_app(json_response=True, stateless_http=True)
    uvicorn.run(
        app,
        host="127.0.0.1",
        port=port,
        http="h11",
        loop="asyncio",
        log_level="warning",
        access_log=False,
    )
