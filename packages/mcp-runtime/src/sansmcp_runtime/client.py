"""The client of one HTTP exchange, which may go away at any moment."""

from typing import TYPE_CHECKING

import anyio
from sansmcp_core import Data, Effect, EndOfMessage, Report, Response

if TYPE_CHECKING:
    from .exchanges import HttpPeer, HttpRuntime

__all__ = ["PIECES", "Client"]

PIECES = frozenset({Response, Data, EndOfMessage})
"""Parts of an answer that go out as they come."""


class Client:
    """Takes the answer; raises nothing, but notes that the client has gone.

    What stands in the class is so at first, and mostly to the end.
    """

    _runtime: "HttpRuntime"
    _peer: "HttpPeer"

    gone = False
    """Whether nothing can be sent to it any more."""

    why_gone = ""

    writing = False
    """Whether a piece is being written; what is broken off there cannot be continued."""

    async def write(self, piece: Effect) -> None:
        """Send a piece of the answer, unless the client has gone."""
        if self.gone:
            return
        self.writing = True
        try:
            if self._runtime.send_timeout_s is None:
                await self._send(piece)
            else:
                with anyio.move_on_after(self._runtime.send_timeout_s) as scope:
                    await self._send(piece)
                if scope.cancelled_caught:
                    self.lose(TimeoutError("it has not taken what was sent in time"))
        except Exception as exception:  # noqa: BLE001 - sorted out there
            self.lose(exception)
        self.writing = False

    async def watch(self) -> None:
        """Return when it has gone."""
        try:
            await self._peer.wait_gone()
        except Exception as exception:  # noqa: BLE001 - sorted out there
            self.lose(exception)
        self.gone = True

    def lose(self, exception: Exception) -> None:
        """Note that it cannot be reached; what is no mere hang-up is worth a line."""
        self.gone = True
        self.why_gone = f": {exception}"
        if not isinstance(exception, OSError):
            self._runtime.report(Report("error", "the client cannot be reached", exception))

    async def _send(self, piece: Effect) -> None:
        if type(piece) is Data:
            await self._peer.send(piece.data)
        elif type(piece) is Response:
            await self._peer.start(piece.status, piece.headers)
        elif type(piece) is EndOfMessage:
            await self._peer.end()
