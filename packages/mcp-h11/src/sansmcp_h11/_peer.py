"""One request on a connection, and the bytes of its answer."""

import time
from typing import TYPE_CHECKING

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

    def __init__(self, connection: "Connection", request: Request) -> None:
        self.keeps_alive = False
        """Whether the connection can take another request; known when the answer is written."""
        self.answered = False
        """Whether any of the answer was written."""
        self._connection = connection
        self._request = request
        self._awaits_continue = request.expects_continue
        self._has_all = False
        self._has_body = request.head.method != "HEAD"
        self._is_chunked = False
        self._body_began = time.monotonic()

    # -- the request -------------------------------------------------------------------------

    async def receive(self) -> tuple[bytes, bool]:
        """The next piece of the body, and whether more may come.

        Raises:
            OSError: The client has gone, is too slow, or sends what is no body.
        """
        pieces: list[bytes] = []
        connection = self._connection
        try:
            while (event := connection.next_event()) is not None or not pieces:
                if event is None:
                    await self._wait_for_more()
                elif event:
                    assert isinstance(event, bytes)
                    pieces.append(event)
                else:
                    self._has_all = True
                    break
        except BadRequest as bad:
            await self._refuse(bad)
        data = pieces[0] if len(pieces) == 1 else b"".join(pieces)
        return data, not self._has_all

    async def _wait_for_more(self) -> None:
        connection, limits = self._connection, self._connection.site.limits
        if self._awaits_continue:
            self._awaits_continue = False
            await connection.transport.send(CONTINUE)
        until = min(time.monotonic() + limits.body_s, self._body_began + limits.body_total_s)
        if await connection.receive(until):
            return
        if connection.socket.late:
            await self._refuse(BadRequest(408, "the body of the request did not come in time"))
        raise ConnectionResetError("the client went away before the end of its request")

    async def _refuse(self, bad: BadRequest) -> None:
        self.answered = True
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
            size = await connection.receive_ahead()
            if not size:
                break
            ahead_bytes += size
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
        self.answered = True
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
        self.answered = True
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
        try:
            while not self._has_all and (event := connection.next_event()) is not None:
                self._has_all = event == b""
        except BadRequest:
            self._has_all = False
        self.keeps_alive = (
            self._request.keeps_alive and self._has_all and not connection.site.is_ending
        )

    def _framing(self) -> bytes:
        if not self.keeps_alive:
            return _CLOSE
        return b"" if self._request.is_1_1 else _KEEP
