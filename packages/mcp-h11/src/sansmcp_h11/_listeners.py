"""Sockets that listen at a host's addresses, all on one port."""

import contextlib
import errno
import os
import socket
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from typing import NamedTuple

__all__ = ["LOOPBACK_NAMES", "Listener", "bind"]

LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})

_BACKLOG = 1024
_ATTEMPTS = 32

_NO_SUCH_ADDRESS = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)


class Listener(NamedTuple):
    """A listening socket, not blocking, and where it is bound."""

    sock: socket.socket
    host: str
    port: int


def bind(host: str, port: int) -> list[Listener]:
    """Listen at every address of a host, on the same port.

    Args:
        host: An address or a name. ``127.0.0.1``, ``localhost`` and ``::1`` each mean both loopback
            addresses, as far as the machine has them.
        port: The port; 0 for one that is free at all of them.

    Returns:
        The listeners, at least one.

    Raises:
        OSError: The host has no address here, or the port is taken at one of them.
    """
    addresses = _addresses(host)
    for _ in range(_ATTEMPTS - 1):
        try:
            return _bind_all(addresses, port)
        except OSError as error:
            # A port that was free at the first address was taken at the second.
            if port or len(addresses) == 1 or error.errno != errno.EADDRINUSE:
                raise
    return _bind_all(addresses, port)


def _addresses(host: str) -> Sequence[tuple[socket.AddressFamily, str]]:
    if host in LOOPBACK_NAMES:
        loopback = [(socket.AF_INET, "127.0.0.1")]
        return [*loopback, (socket.AF_INET6, "::1")] if socket.has_ipv6 else loopback
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    return list(dict.fromkeys((family, str(address[0])) for family, _, _, _, address in found))


def _bind_all(addresses: Sequence[tuple[socket.AddressFamily, str]], port: int) -> list[Listener]:
    listeners: list[Listener] = []
    absent: OSError | None = None
    with ExitStack() as undo:
        for family, address in addresses:
            try:
                sock = _listen(family, address, port)
            except OSError as error:
                if error.errno not in _NO_SUCH_ADDRESS:
                    raise _explained(error, address, port) from error
                absent = error
                continue
            undo.callback(sock.close)
            port = sock.getsockname()[1]
            listeners.append(Listener(sock, address, port))
        if absent is not None and not listeners:
            raise _explained(absent, addresses[0][1], port) from absent
        undo.pop_all()
    return listeners


def _listen(family: socket.AddressFamily, address: str, port: int) -> socket.socket:
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.setblocking(False)
        if sys.platform == "win32":
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            # A former server's connections that linger do not keep the port.
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            with contextlib.suppress(OSError):
                sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, address != "::")
        sock.bind((address, port))
        sock.listen(_BACKLOG)
    except BaseException:
        sock.close()
        raise
    return sock


def _explained(error: OSError, address: str, port: int) -> OSError:
    shown = f"[{address}]" if ":" in address else address
    reason = os.strerror(error.errno) if error.errno else str(error)
    hint = ""
    if error.errno == errno.EADDRINUSE:
        hint = "; another program listens there: end it, or choose another port (0 for a free one)"
    return OSError(error.errno, f"cannot listen at {shown} port {port}: {reason}{hint}")
