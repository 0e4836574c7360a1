"""Serve a sansmcp server over HTTP/1.1 on raw sockets, under trio or asyncio."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._background import BackgroundServer
    from ._limits import ConnectionLimits
    from ._parser import ParserName
    from ._run import Backend, run
    from ._serve import Address, serve

__all__ = [
    "Address",
    "Backend",
    "BackgroundServer",
    "ConnectionLimits",
    "ParserName",
    "run",
    "serve",
]

_MODULES = {
    "Address": "_serve",
    "Backend": "_run",
    "BackgroundServer": "_background",
    "ConnectionLimits": "_limits",
    "ParserName": "_parser",
    "run": "_run",
    "serve": "_serve",
}


def __getattr__(name: str) -> Any:
    # An event loop and a parser are loaded by who serves, not by who imports.
    if name in _MODULES:
        value = getattr(import_module(f".{_MODULES[name]}", __name__), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
