"""An endpoint at work in one event loop, with the server's lifespan around it."""

import time

import anyio
from sansmcp_core import Report
from sansmcp_core.http import Endpoint
from sansmcp_runtime.beside import Beside
from sansmcp_runtime.exchanges import HttpRuntime
from sansmcp_runtime.lifespan import Lifespan, entered
from sansmcp_runtime.log import Log

__all__ = ["LOG", "Running"]

LOG = Log("sansmcp.asgi", "serve the app in a server or worker that runs on {}")

_LAST_WORDS_S = 0.5
"""Seconds that cancelled calls are given to end."""


class Running:
    """Serves requests in one event loop; made in that loop.

    Args:
        endpoint: Answers requests.
        max_threads: The most blocking calls that run at once.
        send_timeout_s: Seconds after which a client that does not read counts as gone.
    """

    def __init__(self, endpoint: Endpoint, max_threads: int, send_timeout_s: float | None) -> None:
        self.runtime = HttpRuntime(
            endpoint, LOG, max_threads=max_threads, send_timeout_s=send_timeout_s
        )
        self.serve = self.runtime.serve
        """Serves one request."""
        self.loop = self.runtime.loop
        self.is_ready = False
        """Whether requests may be served: the server's lifespan is entered, or it has none."""
        self.is_over = False
        """Whether it was ended, or could not begin."""
        self.is_held = False
        """Whether somebody has entered the app's lifespan, and so will leave it."""
        self._endpoint = endpoint
        self._keeper: Beside | None = None
        self._begun = anyio.Event()
        self._enough = anyio.Event()

    def begin(self, lifespan_value: object) -> None:
        """Let requests be served."""
        self._endpoint.lifespan_value = lifespan_value
        self.is_ready = True
        self._begun.set()

    def keep(self, lifespan: Lifespan) -> None:
        """Enter a lifespan in a task of its own, which leaves it at the end.

        No request's task could: what is entered in a task has to be left in it, and before all that
        was entered earlier. The end is that of the event loop, unless ``end`` comes first.
        """
        if lifespan is None:
            self.begin(None)
        else:
            self._keeper = Beside(self.loop, lambda: self._keep(lifespan), self._lifespan_failed)

    async def ready(self) -> None:
        """Wait until requests may be served.

        Raises:
            RuntimeError: The server's lifespan could not be entered.
        """
        await self._begun.wait()
        if not self.is_ready:
            assert self._keeper is not None
            raise RuntimeError("the server's lifespan failed") from self._keeper.failure

    def end_streams(self) -> None:
        """End every stream that belongs to no call, and refuse new requests."""
        self._endpoint.shutdown(time.time())

    async def end(self, drain_s: float) -> None:
        """End streams, give calls time to end, then cancel them; leave what ``keep`` entered.

        Args:
            drain_s: Seconds that calls are given.
        """
        self.end_streams()
        try:
            with anyio.move_on_after(drain_s):
                await self.runtime.drain()
        finally:
            self._endpoint.close(time.time())
            self.runtime.stop()
            self.is_over = True
        with anyio.move_on_after(_LAST_WORDS_S):
            await self.runtime.drain()
        if self._keeper is not None:
            self._enough.set()
            await self._keeper.wait()

    async def _keep(self, lifespan: Lifespan) -> None:
        async with entered(lifespan) as value:
            self.begin(value)
            await self._enough.wait()

    def _lifespan_failed(self) -> None:
        assert self._keeper is not None
        self.is_over = True
        LOG.write(Report("error", "the server's lifespan failed", self._keeper.failure))
        self._begun.set()
