"""The command line: ``python -m sansmcp_stdio module:server``."""

import argparse
import importlib
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from sansmcp_core import Server

from ._descriptors import StandardStreams
from ._pool import DEFAULT_MAX_THREADS
from ._run import BACKENDS, run_on

__all__ = ["BadReference", "load", "main"]


class BadReference(Exception):
    """The command line names no server; the message says why, and what to write."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve the server that the command line names over standard input and output.

    What the named module prints while it is imported goes to standard error already.
    """
    parser = _parser()
    options = parser.parse_args(arguments)
    with StandardStreams() as channel:
        try:
            server = load(options.server)
        except BadReference as error:
            parser.error(str(error))
        run_on(
            channel,
            server,
            backend=options.backend,
            max_threads=options.max_threads,
            drain_s=options.drain_s,
        )


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


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m sansmcp_stdio",
        description="Serve a sansmcp server over standard input and output.",
    )
    parser.add_argument("server", help="where the server is, as module:attribute")
    parser.add_argument(
        "--backend",
        choices=BACKENDS,
        help="threads where nothing is async, otherwise trio, unless told here",
    )
    parser.add_argument(
        "--max-threads",
        type=int,
        default=DEFAULT_MAX_THREADS,
        metavar="N",
        help="blocking calls that run at once (default: %(default)s)",
    )
    parser.add_argument(
        "--drain-s",
        type=float,
        default=2.0,
        metavar="SECONDS",
        help="time for running calls after the end of input (default: %(default)s)",
    )
    return parser
