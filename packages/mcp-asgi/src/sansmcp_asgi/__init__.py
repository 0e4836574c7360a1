"""Serve a sansmcp server as an ASGI app."""

from ._app import McpApp

__all__ = ["McpApp"]
