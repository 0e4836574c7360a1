"""An MCP server in a FastAPI app: ``python examples/mount_fastapi.py``.

``uvicorn mount_fastapi:app`` and other ASGI servers do as well.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import serving
from fastapi import FastAPI
from fastapi.responses import PlainTextResponse
from guestbook import page, server
from sansmcp_asgi import McpApp
from starlette.routing import Route

__all__ = ["app"]

mcp = McpApp(server)


@asynccontextmanager
async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
    """What the app needs while it serves; lifespan=mcp.lifespan where that is all."""
    async with mcp.lifespan():
        yield


app = FastAPI(lifespan=lifespan)
app.routes.append(Route("/mcp", mcp))  # a mount alone would redirect from /mcp to /mcp/,
app.mount("/mcp", mcp)  # and a route alone from /mcp/ to /mcp


@app.get("/", response_class=PlainTextResponse)
async def home() -> str:
    """A page of the app's own."""
    return page()


if __name__ == "__main__":
    serving.main_app(app, mcp, "/mcp")
