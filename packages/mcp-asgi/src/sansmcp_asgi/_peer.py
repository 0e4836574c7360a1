"""The client of one request, behind ``receive`` and ``send``."""

from typing import TYPE_CHECKING

import anyio

from ._asgi import Receive, Send

if TYPE_CHECKING:
    from sansmcp_runtime.exchanges import Headers

__all__ = ["AsgiPeer"]

_PAUSE_S = 0.1
"""Seconds between two looks at a server that has something other to tell than the end."""


class AsgiPeer:
    """Receives the body and sends the answer; see ``HttpPeer``.

    Args:
        receive: What ASGI gives for one request.
        send: The same.
    """

    __slots__ = ("_receive", "_send")

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive = receive
        self._send = send

    async def receive(self) -> tuple[bytes, bool]:
        """The next piece of the body, and whether more may come."""
        message = await self._receive()
        if message["type"] == "http.disconnect":
            raise ConnectionResetError("the client went away before the end of its request")
        return message.get("body", b""), message.get("more_body", False)

    async def wait_gone(self) -> None:
        """Return when the server says that the client has gone."""
        while True:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                return
            await anyio.sleep(_PAUSE_S)  # whatever comes after the body, it may come without end

    async def respond(self, status: int, headers: "Headers", body: bytes) -> None:
        """Send a whole answer."""
        await self._send({"type": "http.response.start", "status": status, "headers": headers})
        await self._send({"type": "http.response.body", "body": body, "more_body": False})

    async def start(self, status: int, headers: "Headers") -> None:
        """Send the head of an answer whose body comes in pieces."""
        await self._send({"type": "http.response.start", "status": status, "headers": headers})
        # Some servers, and middleware, hold the head back until there is a body.
        await self._send({"type": "http.response.body", "body": b"", "more_body": True})

    async def send(self, data: bytes) -> None:
        """Send a piece of the body."""
        await self._send({"type": "http.response.body", "body": data, "more_body": True})

    async def end(self) -> None:
        """End the body."""
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})
