"""``module:server`` on a command line -> the server."""

import importlib
import sys
from pathlib import Path
from types import ModuleType

from sansmcp_core import Server

__all__ = ["BadReference", "load"]


class BadReference(Exception):
    """The command line names no server; the message says why, and what to write."""


def load(reference: str) -> Server:
    """The server behind ``module:attribute``; the attribute may have dots.

    The current directory is searched first.

    Raises:
        BadReference: There is none.
    """
    module_name, colon, path = reference.partition(":")
    if not (module_name and colon and path):
        raise BadReference(
            f"expected module:server, got {reference!r}; for a Server named server in app.py, "
            "write app:server"
        )
    value: object = _import(module_name)
    walked = module_name
    for name in path.split("."):
        if not hasattr(value, name):
            raise BadReference(f"{walked} has no attribute {name!r}{_servers_in(value)}")
        value = getattr(value, name)
        walked = f"{walked}.{name}"
    if not isinstance(value, Server):
        raise BadReference(
            f"{reference} is of type {type(value).__name__}, expected a sansmcp_core.Server"
        )
    return value


def _import(module_name: str) -> ModuleType:
    if not all(part.isidentifier() for part in module_name.split(".")):
        raise BadReference(
            f"{module_name!r} is not the name of a module; write app:server, or "
            "package.app:server, for a Server named server in app.py"
        )
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        return importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        # A module that is missing inside the named one is that module's own fault.
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise
        hint = ""
        if module_name.endswith(".py"):
            hint = f"; write a module's name, not a file's: {module_name.removesuffix('.py')}"
        raise BadReference(f"there is no module {error.name!r} in {folder}{hint}") from error


def _servers_in(value: object) -> str:
    names = [name for name, item in vars(value).items() if isinstance(item, Server)]
    return f"; servers there: {', '.join(names)}" if names else ""
