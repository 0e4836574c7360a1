# bench: name = mcp high-level
# bench: role = peer
# bench: modes = http, stdio
# bench: note = uvicorn, h11, asyncio: what `pip install mcp` gives
#
# bench: name = mcp high-level, sync tool
# bench: role = variant
# bench: modes = http, stdio
# bench: scenarios = call
# bench: variant = sync
# bench: note = `def add` instead of `async def add`: the SDK runs it in a worker thread
#
# bench: name = mcp high-level, httptools+uvloop
# bench: role = variant
# bench: modes = http
# bench: scenarios = call
# bench: variant = fast
# bench: note = the same app on uvicorn[standard]
"""The official Python SDK's high-level server (`mcp.server.MCPServer`)."""

import sys

from mcp.server import MCPServer

mode, port, tools, variant = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]

server = MCPServer("bench", version="1.0", log_level="WARNING")

if variant == "sync":

    @server.tool()
    def add(a: int, b: int) -> int:
        """Add two integers."""
        return a + b

else:

    @server.tool()
    async def add(a: int, b: int) -> int:  # type: ignore[misc]
        """Add two integers."""
        return a + b


async def search(query: str, limit: int = 10, exact: bool = False) -> str:
    """Search the catalogue by title or author."""
    return query


for number in range(1, tools):
    server.add_tool(search, name=f"search_{number:03d}")

if mode == "stdio":
    server.run("stdio")
else:
    import uvicorn

    http, loop = ("httptools", "uvloop") if variant == "fast" else ("h11", "asyncio")
    app = server.streamable_http_app(json_response=True, stateless_http=True)
    uvicorn.run(
        app,
        host="127.0.0.1",
        port=port,
        http=http,
        loop=loop,
        log_level="warning",
        access_log=False,
    )
