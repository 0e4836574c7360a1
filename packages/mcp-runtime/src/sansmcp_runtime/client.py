"""The client of one HTTP exchange, which may go away at any moment."""

from typing import TYPE_CHECKING, TypeAlias

import anyio
from sansmcp_core import Data, EndOfMessage, Report, Respond, Response

if TYPE_CHECKING:
    from .exchanges import HttpPeer, HttpRuntime

__all__ = ["OUTGOING", "Client", "Outgoing"]

Outgoing: TypeAlias = Respond | Response | Data | EndOfMessage

OUTGOING = (Respond, Response, Data, EndOfMessage)


class Client:
    """Gives the body and takes the answer; raises nothing, but notes that it has gone.

    Args:
        peer: What the adapter has of it.
        runtime: What exchanges share.
    """

    __slots__ = ("_peer", "_runtime", "gone", "why_gone", "writing")

    def __init__(self, peer: "HttpPeer", runtime: "HttpRuntime") -> None:
        self._peer = peer
        self._runtime = runtime
        self.gone = False
        """Whether nothing can be sent to it any more."""
        self.why_gone = ""
        self.writing = False
        """Whether something is being written; what is broken off there cannot be continued."""

    async def receive(self) -> tuple[bytes, bool] | None:
        """The next piece of the body, and whether more may come; None where it has gone."""
        try:
            return await self._peer.receive()
        except Exception as exception:  # noqa: BLE001 - sorted out there
            self._lose(exception)
            return None

    async def write(self, effect: Outgoing) -> None:
        """Send a part of the answer, unless the client has gone."""
        if self.gone:
            return
        self.writing = True
        try:
            if isinstance(effect, Respond):
                await self._peer.respond(effect.status, effect.headers, effect.body)
            elif self._runtime.send_timeout_s is None:
                await self._write_piece(effect)
            else:
                with anyio.move_on_after(self._runtime.send_timeout_s) as scope:
                    await self._write_piece(effect)
                if scope.cancelled_caught:
                    self._lose(TimeoutError("it has not taken what was sent in time"))
        except Exception as exception:  # noqa: BLE001 - sorted out there
            self._lose(exception)
        self.writing = False

    async def watch(self) -> None:
        """Return when it has gone."""
        try:
            await self._peer.wait_gone()
        except Exception as exception:  # noqa: BLE001 - sorted out there
            self._lose(exception)
        self.gone = True

    async def _write_piece(self, effect: Response | Data | EndOfMessage) -> None:
        if isinstance(effect, Data):
            await self._peer.send(effect.data)
        elif isinstance(effect, Response):
            await self._peer.start(effect.status, effect.headers)
        else:
            await self._peer.end()

    def _lose(self, exception: Exception) -> None:
        """Note that it cannot be reached; what is no mere hang-up is worth a line."""
        self.gone = True
        self.why_gone = f": {exception}"
        if not isinstance(exception, OSError):
            self._runtime.report(Report("error", "the client cannot be reached", exception))
