# bench: name = mcp low-level
# bench: role = peer
# bench: modes = http, stdio
# bench: note = with the `get_tool_input_schema=` hook; validates no argument
#
# bench: name = mcp low-level, no schema hook
# bench: role = variant
# bench: modes = http
# bench: scenarios = call, call100
# bench: variant = nohook
# bench: note = without the hook every tools/call runs the tools/list handler first
"""The official Python SDK's low-level server (`mcp.server.Server`)."""

import sys

from mcp.server import Server, ServerRequestContext
from mcp.types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
)

mode, port, tools, variant = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]

ADD = Tool(
    name="add",
    description="Add two integers.",
    input_schema={
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "required": ["a", "b"],
    },
    output_schema={
        "type": "object",
        "properties": {"result": {"type": "integer"}},
        "required": ["result"],
    },
)
SEARCH = {
    "type": "object",
    "properties": {
        "query": {"type": "string"},
        "limit": {"type": "integer", "default": 10},
        "exact": {"type": "boolean", "default": False},
    },
    "required": ["query"],
}
SEARCH_RESULT = {
    "type": "object",
    "properties": {"result": {"type": "string"}},
    "required": ["result"],
}
TOOLS = [ADD] + [
    Tool(
        name=f"search_{number:03d}",
        description="Search the catalogue by title or author.",
        input_schema=SEARCH,
        output_schema=SEARCH_RESULT,
    )
    for number in range(1, tools)
]
SCHEMAS = {tool.name: tool.input_schema for tool in TOOLS}


async def list_tools(
    ctx: ServerRequestContext, params: PaginatedRequestParams | None
) -> ListToolsResult:
    return ListToolsResult(tools=TOOLS)


async def call_tool(ctx: ServerRequestContext, params: CallToolRequestParams) -> CallToolResult:
    if params.name != "add":
        raise ValueError(params.name)
    args = params.arguments or {}
    total = args["a"] + args["b"]
    return CallToolResult(
        content=[TextContent(type="text", text=str(total))], structured_content={"result": total}
    )


server = Server(
    "bench",
    version="1.0",
    on_list_tools=list_tools,
    on_call_tool=call_tool,
    get_tool_input_schema=None if variant == "nohook" else SCHEMAS.get,
)

if mode == "stdio":
    import anyio
    from mcp.server.stdio import stdio_server

    async def main() -> None:
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    anyio.run(main)
else:
    import uvicorn

    app = server.streamable_http_app(json_response=True, stateless_http=True)
    uvicorn.run(
        app,
        host="127.0.0.1",
        port=port,
        http="h11",
        loop="asyncio",
        log_level="warning",
        access_log=False,
    )
