"""The command line: ``python -m sansmcp_h11 module:server``."""

import argparse
import ssl
from collections.abc import Sequence

from sansmcp_core.http import HttpSettings
from sansmcp_runtime.pool import DEFAULT_MAX_THREADS
from sansmcp_runtime.references import BadReference, load

from ._parser import PARSERS
from ._run import BACKENDS, run

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve the server that the command line names over HTTP/1.1, until a signal comes."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.keyfile and not options.certfile:
        parser.error("--keyfile needs --certfile")
    try:
        server = load(options.server)
    except BadReference as error:
        parser.error(str(error))
    try:
        run(
            server,
            options.host,
            options.port,
            backend=options.backend,
            settings=HttpSettings(
                allowed_hosts=tuple(options.allow_host) if options.allow_host else None,
                allowed_origins=tuple(options.allow_origin) if options.allow_origin else None,
            ),
            ssl_context=_ssl_context(options.certfile, options.keyfile),
            parser=options.parser,
            max_threads=options.max_threads,
            drain_s=options.drain_s,
        )
    except (ImportError, OSError) as error:
        parser.exit(1, f"{parser.prog}: {error}\n")


def _ssl_context(certfile: str | None, keyfile: str | None) -> ssl.SSLContext | None:
    if certfile is None:
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certfile, keyfile)
    context.set_alpn_protocols(["http/1.1"])
    return context


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m sansmcp_h11", description="Serve a sansmcp server over HTTP/1.1."
    )
    add = parser.add_argument
    add("server", help="where the server is, as module:attribute")
    add(
        "--host",
        default="127.0.0.1",
        help="an address or name of this machine (default: %(default)s, and ::1 with it)",
    )
    add("--port", type=int, default=3000, help="0 for any that is free (default: %(default)s)")
    add("--backend", choices=BACKENDS, default="trio", help="event loop (default: %(default)s)")
    add(
        "--parser",
        choices=PARSERS,
        default="h11",
        help="what reads HTTP; httptools comes with sansmcp-h11[fast] (default: %(default)s)",
    )
    add("--certfile", metavar="FILE", help="certificate chain in PEM, for TLS")
    add("--keyfile", metavar="FILE", help="its private key, where it is in another file")
    add(
        "--allow-host",
        action="append",
        metavar="HOST",
        help="a Host to serve, besides the server's own address; may be repeated",
    )
    add(
        "--allow-origin",
        action="append",
        metavar="ORIGIN",
        help="an Origin to serve, as scheme://host[:port]; may be repeated",
    )
    add(
        "--max-threads",
        type=int,
        default=DEFAULT_MAX_THREADS,
        metavar="N",
        help="blocking calls that run at once (default: %(default)s)",
    )
    add(
        "--drain-s",
        type=float,
        default=5.0,
        metavar="SECONDS",
        help="time for running calls after a signal (default: %(default)s)",
    )
    return parser
