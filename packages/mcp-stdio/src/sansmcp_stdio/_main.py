"""The command line: ``python -m sansmcp_stdio module:server``."""

import argparse
from collections.abc import Sequence

from sansmcp_runtime.pool import DEFAULT_MAX_THREADS
from sansmcp_runtime.references import BadReference, load

from ._descriptors import StandardStreams
from ._extras import MissingExtra
from ._run import BACKENDS, run_on

__all__ = ["main"]


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
        try:
            run_on(
                channel,
                server,
                backend=options.backend,
                max_threads=options.max_threads,
                drain_s=options.drain_s,
            )
        except MissingExtra as error:
            parser.error(str(error))


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
