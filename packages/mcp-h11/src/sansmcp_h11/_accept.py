"""A listening socket -> connections, as many at once as have come."""

import contextlib
import math
import socket
import ssl
import time
from ipaddress import ip_address
from typing import TYPE_CHECKING

import anyio

from ._connection import Connection
from ._listeners import Listener
from ._readiness import NewReadiness
from ._requests import Place
from ._site import Site
from ._tls import TlsTransport
from ._transport import SocketTransport, Transport

if TYPE_CHECKING:
    from anyio.abc import TaskGroup

__all__ = ["Doorkeeper"]

_PAUSE_S = 0.1


class Doorkeeper:
    """Accepts the connections of one listener; each gets a task of its own.

    Args:
        site: What is served.
        listener: Where they come.
        ready: Makes what waits for a socket.
        tasks: Where connections run.
        ssl_context: What makes them TLS; None for none.
    """

    def __init__(
        self,
        site: Site,
        listener: Listener,
        ready: NewReadiness,
        tasks: "TaskGroup",
        ssl_context: ssl.SSLContext | None,
    ) -> None:
        self._site = site
        self._sock = listener.sock
        self._ready = ready
        self._tasks = tasks
        self._ssl_context = ssl_context
        scheme = "http" if ssl_context is None else "https"
        self._place = Place(listener.host, listener.port, scheme)
        self._is_bound_to_all = ip_address(listener.host).is_unspecified

    async def accept(self) -> None:
        """Accept connections, for ever."""
        site = self._site
        readiness = self._ready(self._sock, self._accept_all)
        try:
            while True:
                clients = await readiness.take()
                for client in clients:
                    self._tasks.start_soon(self._serve, client)
                if clients:
                    continue
                site.make_room()
                if site.is_full:
                    await site.changes.wait()
                else:  # the system has no more to give
                    await anyio.sleep(_PAUSE_S)
        finally:
            readiness.interrupt()  # before the socket is closed

    def _place_of(self, client: SocketTransport) -> Place:
        """Where a connection arrived: one that is bound to all addresses has its own from that."""
        if not self._is_bound_to_all:
            return self._place
        host = client.local_host() or self._place.host
        return self._place._replace(host=host, bound_host=self._place.host)

    def _accept_all(self) -> list[SocketTransport]:
        """Accept what is there, as long as there is room; nothing where there is none."""
        site = self._site
        clients: list[SocketTransport] = []
        while not site.is_full:
            try:
                sock, _ = self._sock.accept()
            except BlockingIOError:
                if clients:
                    break
                raise
            except ConnectionAbortedError:
                continue
            except OSError as error:  # no more descriptors, for one
                site.report("warning", f"cannot accept a connection: {error}")
                break
            sock.setblocking(False)
            with contextlib.suppress(OSError):  # it may have gone already
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            client = SocketTransport(sock, self._ready, site.limits.write_s)
            site.sockets.add(client)
            clients.append(client)
        return clients

    async def _serve(self, client: SocketTransport) -> None:
        site = self._site
        site.tasks += 1
        try:
            transport = await self._secured(client)
            if transport is not None:
                await Connection(site, client, transport, self._place_of(client)).run()
        except OSError as error:
            site.report("debug", f"a client went away: {error}")
        except Exception as error:  # noqa: BLE001 - one connection's fault is not the others'
            site.report("error", "a connection failed", error)
        except anyio.get_cancelled_exc_class():
            if anyio.current_effective_deadline() == -math.inf:
                raise
            # A handler has let somebody cancel its task, which would end the whole task group.
            site.report("warning", "a connection's task was cancelled, but not by its server")
        finally:
            site.tasks -= 1
            site.forget(client)

    async def _secured(self, client: SocketTransport) -> Transport | None:
        """The transport of a connection; None where a client fails at TLS."""
        if self._ssl_context is None:
            return client
        tls = TlsTransport(client, self._ssl_context)
        until = time.monotonic() + self._site.limits.head_s
        return tls if await tls.shake_hands(until) else None
