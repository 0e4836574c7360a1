"""The everything server as an ASGI app: ``hypercorn everything_asgi:app``, or any ASGI server."""

from everything import server
from sansmcp_asgi import McpApp

__all__ = ["app"]

app = McpApp(server)
