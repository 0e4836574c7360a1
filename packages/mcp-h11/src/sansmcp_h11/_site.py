"""What all connections of one server share."""

import time
from collections.abc import Callable

import anyio
from sansmcp_core import Report
from sansmcp_core.http import Endpoint
from sansmcp_runtime.exchanges import HttpRuntime
from sansmcp_runtime.log import Log
from sansmcp_runtime.pulse import Pulse

from ._answers import last_answer
from ._limits import ConnectionLimits
from ._parser import BadRequest, Parser
from ._transport import SocketTransport

__all__ = ["LOG", "Site"]

_LAST_WORDS_S = 1.0
"""Seconds for what has been cancelled to be written, and for clients to close."""

LOG = Log("sansmcp.h11", 'serve it with sansmcp_h11.run(server, backend="{}")')


class Site:
    """One endpoint, and who is connected to it.

    Args:
        endpoint: Answers requests.
        runtime: Runs their calls.
        limits: The bounds of connections.
        new_parser: Makes a connection's parser, for the most bytes of a head.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        runtime: HttpRuntime,
        limits: ConnectionLimits,
        new_parser: Callable[[int], Parser],
    ) -> None:
        self.limits = limits
        self.new_parser = new_parser
        self.changes = Pulse()
        """Beats when a connection becomes idle, or is closed."""
        self.sockets: set[SocketTransport] = set()
        """The connections that are open."""
        self.tasks = 0
        """How many tasks serve connections; some may be closed, and their calls still run."""
        self.is_ending = False
        """Whether connections take no further request."""
        self.serve = runtime.serve
        """Answers one request."""
        self._endpoint = endpoint
        self._idle: dict[SocketTransport, None] = {}
        """Those that wait for a request, or for the client to close; the longest first."""

    def refusal(self, bad: BadRequest, *, with_body: bool = True) -> bytes:
        """The whole answer to what is no request, after which the connection is closed."""
        return last_answer(self._endpoint.refusal(bad.status, bad.reason), with_body=with_body)

    def report(self, level: str, message: str, exception: BaseException | None = None) -> None:
        """Write a line into the log."""
        LOG.write(Report(level, message, exception))

    # -- connections -------------------------------------------------------------------------

    @property
    def is_full(self) -> bool:
        """Whether no further connection may be accepted."""
        return len(self.sockets) >= self.limits.max_connections

    def make_room(self) -> None:
        """Close the connection that has been idle longest, if one is."""
        for socket in self._idle:
            if not socket.has_input():
                socket.interrupt()
                return

    def idles(self, socket: SocketTransport) -> None:
        """Note that a connection waits for a request, or for its end."""
        self._idle[socket] = None
        self.changes.beat()

    def works(self, socket: SocketTransport) -> None:
        """Note that a request has begun to come."""
        del self._idle[socket]

    def forget(self, socket: SocketTransport) -> None:
        """Close a connection."""
        self._idle.pop(socket, None)
        self.sockets.discard(socket)
        socket.close()
        self.changes.beat()

    # -- the end -----------------------------------------------------------------------------

    async def end(self, drain_s: float) -> None:
        """Take no further request; end what runs, first by itself, then by force.

        Args:
            drain_s: Seconds that calls are given to end.
        """
        self.is_ending = True
        for socket in self._idle:
            if not socket.has_input():
                socket.interrupt()
        self._endpoint.shutdown(time.time())
        await self._until_all_have_gone(drain_s)
        self._endpoint.close(time.time())
        await self._until_all_have_gone(_LAST_WORDS_S)

    async def _until_all_have_gone(self, timeout_s: float) -> None:
        with anyio.move_on_after(timeout_s):
            while self.tasks:
                await self.changes.wait()
