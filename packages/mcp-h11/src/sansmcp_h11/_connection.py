"""One client's connection: its requests, one after the other."""

import time
from typing import TYPE_CHECKING

import anyio.lowlevel

from ._parser import BadRequest, Head
from ._peer import Peer
from ._requests import Place, request_of
from ._transport import SocketTransport, Transport

if TYPE_CHECKING:
    from ._site import Site

__all__ = ["Connection"]


class Connection:
    """Serves one client until either side has enough of the other.

    Args:
        site: What is served.
        socket: The client's socket.
        transport: The same, or TLS on top of it.
        place: Where it arrived.
    """

    def __init__(
        self, site: "Site", socket: SocketTransport, transport: Transport, place: Place
    ) -> None:
        self.site = site
        self.socket = socket
        self.transport = transport
        self.parser = site.new_parser(site.limits.max_head_bytes)
        self._place = place

    async def run(self) -> None:
        """Serve requests until the client goes, one of them cannot be read, or the end comes."""
        limit_s = self.site.limits.head_s
        try:
            while (head := await self._next_head(limit_s)) is not None:
                if not await self._serve(head):
                    break
                limit_s = self.site.limits.idle_s
            else:
                return
        except BadRequest as bad:
            await self.transport.send(self.site.refusal(bad))
        if not self.socket.broken:
            await self._linger()

    async def _next_head(self, limit_s: float) -> Head | None:
        """The next head; None where there is none to come."""
        head = self.parser.next_head()
        if head is not None:  # it has come already: let others have their turn
            await anyio.lowlevel.checkpoint()
            return head
        site = self.site
        site.idles(self.socket)
        if site.is_ending:
            return None
        data = await self.transport.receive(time.monotonic() + limit_s)
        if not data:
            return None
        site.works(self.socket)
        self.parser.feed(data)
        return self.parser.next_head() or await self._rest_of_head()

    async def _rest_of_head(self) -> Head | None:
        """The head that has begun to come; None where the client goes."""
        until = time.monotonic() + self.site.limits.head_s
        while data := await self.transport.receive(until):
            self.parser.feed(data)
            head = self.parser.next_head()
            if head is not None:
                return head
        if self.socket.late:
            raise BadRequest(408, "the head of the request did not come in time")
        return None

    async def _serve(self, head: Head) -> bool:
        """Answer a request; return whether another one can follow it."""
        try:
            request = request_of(head, self._place)
        except BadRequest as bad:
            with_body = head.method != "HEAD"
            await self.transport.send(self.site.refusal(bad, with_body=with_body))
            return False
        peer = Peer(self, request)
        if request.head.path == "*" and head.method == "OPTIONS":
            await peer.respond(204, [], b"")
            return peer.keeps_alive
        await self.site.serve(request.head, peer)
        return peer.keeps_alive and not self.socket.broken

    def drop(self) -> None:
        """Have nothing more to do with the client, although its request may still run."""
        self.socket.broken = True
        self.site.forget(self.socket)

    async def _linger(self) -> None:
        """Close so that the client reads what was sent, although it may still be sending.

        Source: RFC 9112 section 9.6.
        """
        limits = self.site.limits
        await self.transport.shut_down()
        until = time.monotonic() + limits.linger_s
        self.site.idles(self.socket)
        discarded = 0
        while discarded < limits.max_discarded_bytes and not self.socket.broken:
            data = await self.transport.receive(until)
            if not data:
                break
            discarded += len(data)
