"""One request on a connection, and the bytes of its answer."""

import contextlib
import time
from typing import TYPE_CHECKING, NoReturn

import anyio

from ._answers import CONTINUE, LAST_CHUNK, chunk, head_of_answer
from ._parser import BadRequest
from ._requests import Request

if TYPE_CHECKING:
    from sansmcp_runtime.exchanges import Headers

    from ._connection import Connection

__all__ = ["Peer"]

_LOOK_S = 0.25
"""Seconds between two looks for a hang-up, while nothing more is read."""

_CLOSE = b"connection: close\r\n"
_KEEP = b"connection: keep-alive\r\n"
_CHUNKED = b"transfer-encoding: chunked\r\n"
_BODYLESS = frozenset({204, 304})


class Peer:
    """The client, as far as one exchange is concerned.

    What the client does not take, or takes no longer, is an ``OSError``.

    Args:
        connection: Where the request came.
        request: Its head; the body is still to be read.
    """

    __slots__ = (
        "_awaits_continue",
        "_body_until",
        "_connection",
        "_has_all",
        "_has_body",
        "_is_chunked",
        "_request",
        "keeps_alive",
    )

    def __init__(self, connection: "Connection", request: Request) -> None:
        self.keeps_alive = False
        """Whether the connection can take another request; known when the answer is written."""
        self._connection = connection
        self._request = request
        self._awaits_continue = request.expects_continue
        self._has_all = False
        self._has_body = request.head.method != "HEAD"
        self._is_chunked = False
        self._body_until = 0.0
        """Until when the whole body may come; 0 as long as it was not waited for."""

    # -- the request -------------------------------------------------------------------------

    async def receive(self) -> tuple[bytes, bool]:
        """The next piece of the body, and whether more may come.

        Raises:
            OSError: The client has gone, is too slow, or sends what is no body.
        """
        parser = self._connection.parser
        try:
            data, more = parser.next_body()
            while more and not data:
                await self._wait_for_more()
                data, more = parser.next_body()
        except BadRequest as bad:
            await self._refuse(bad)
        self._has_all = not more
        return data, more

    async def _wait_for_more(self) -> None:
        connection, limits = self._connection, self._connection.site.limits
        if self._awaits_continue:
            self._awaits_continue = False
            await connection.transport.send(CONTINUE)
        now = time.monotonic()
        if not self._body_until:
            self._body_until = now + limits.body_total_s
        data = await connection.transport.receive(min(now + limits.body_s, self._body_until))
        if data:
            connection.parser.feed(data)
            return
        if connection.socket.late:
            await self._refuse(BadRequest(408, "the body of the request did not come in time"))
        raise ConnectionResetError("the client went away before the end of its request")

    async def _refuse(self, bad: BadRequest) -> NoReturn:
        await self._connection.transport.send(self._connection.site.refusal(bad))
        raise ConnectionAbortedError(bad.reason)

    async def wait_gone(self) -> None:
        """Return when the client has gone, or has long since sent its last byte."""
        connection = self._connection
        limits = connection.site.limits
        ahead_bytes = 0
        while True:
            if ahead_bytes >= limits.max_ahead_bytes:
                if connection.socket.has_hung_up():
                    break
                await anyio.sleep(_LOOK_S)
                continue
            data = await connection.transport.receive()
            if not data:
                break
            connection.parser.feed(data)
            ahead_bytes += len(data)
        if not connection.socket.broken:
            await anyio.sleep(limits.half_closed_s)
        connection.drop()

    # -- the answer --------------------------------------------------------------------------

    async def respond(self, status: int, headers: "Headers", body: bytes) -> None:
        """Send a whole answer."""
        self._decide()
        data = head_of_answer(status, headers, self._framing())
        if self._has_body:
            data += body
        await self._connection.transport.send(data)

    async def start(self, status: int, headers: "Headers") -> None:
        """Send the head of an answer whose body comes in pieces."""
        self._decide()
        self._has_body = self._has_body and status not in _BODYLESS
        if self._has_body:
            # The end of the connection is the end of the body where there are no chunks.
            self._is_chunked = self._request.is_1_1
            self.keeps_alive = self.keeps_alive and self._is_chunked
        framing = self._framing() + (_CHUNKED if self._is_chunked else b"")
        await self._connection.transport.send(head_of_answer(status, headers, framing))

    async def send(self, data: bytes) -> None:
        """Send a piece of the body."""
        if self._has_body and data:
            await self._connection.transport.send(chunk(data) if self._is_chunked else data)

    async def end(self) -> None:
        """End the body."""
        if self._is_chunked:
            await self._connection.transport.send(LAST_CHUNK)

    def _decide(self) -> None:
        """Settle what becomes of the connection.

        Where the request has not come to its end, what follows on the connection is unknown.
        """
        connection = self._connection
        if not self._has_all:
            with contextlib.suppress(BadRequest):
                self._has_all = not connection.parser.next_body()[1]
        self.keeps_alive = (
            self._request.keeps_alive and self._has_all and not connection.site.is_ending
        )

    def _framing(self) -> bytes:
        if not self.keeps_alive:
            return _CLOSE
        return b"" if self._request.is_1_1 else _KEEP
