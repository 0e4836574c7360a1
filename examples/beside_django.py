"""An MCP server beside a Django site, in one process: ``python examples/beside_django.py``.

In a project of its own, the last part goes into ``asgi.py``.
"""

from typing import Any

import django
import serving
from django.conf import settings
from django.core.asgi import get_asgi_application
from django.http import HttpRequest, HttpResponse
from django.urls import path
from guestbook import page, server
from sansmcp_asgi import McpApp

__all__ = ["app"]

settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["127.0.0.1", "localhost"])
django.setup()


def home(_request: HttpRequest) -> HttpResponse:
    """A page of the site."""
    return HttpResponse(page(), content_type="text/plain")


urlpatterns = [path("", home)]

site = get_asgi_application()
mcp = McpApp(server)


async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Give /mcp to the MCP server, and the lifespan too, which Django does not know."""
    mine = scope["type"] == "lifespan" or scope["path"].rstrip("/") == "/mcp"
    await (mcp if mine else site)(scope, receive, send)


if __name__ == "__main__":
    serving.main_app(app, mcp, "/mcp", workers=["asyncio"])  # the only one that Django runs on
