"""An MCP server in a Starlette app: ``python examples/mount_starlette.py``.

``hypercorn mount_starlette:app`` and other ASGI servers do as well.
"""

import serving
from guestbook import page, server
from sansmcp_asgi import McpApp
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route

__all__ = ["app"]

mcp = McpApp(server)


async def home(_request: Request) -> PlainTextResponse:
    """A page of the app's own."""
    return PlainTextResponse(page())


app = Starlette(
    lifespan=mcp.lifespan,  # Starlette hands its own to nobody by itself
    routes=[
        Route("/", home),
        Route("/mcp", mcp),  # a Mount alone would redirect from /mcp to /mcp/
        Mount("/mcp", mcp),  # and a Route alone from /mcp/ to /mcp
    ],
)

if __name__ == "__main__":
    serving.main_app(app, mcp, "/mcp")
