"""Serving HTTP exchanges: what an adapter implements, and what it calls."""

from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from sansmcp_core import Call, Report

from .exchange_task import ExchangeTask
from .loops import current_loop
from .outcome import outcome
from .pool import DEFAULT_MAX_THREADS, Pool
from .pulse import Pulse

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from contextvars import Context

    from sansmcp_core.http import Endpoint, RequestHead

    from .log import Log

__all__ = ["Headers", "HttpPeer", "HttpRuntime"]

Headers: TypeAlias = list[tuple[bytes, bytes]]
"""Header fields in order, names in lower case."""


class HttpPeer(Protocol):
    """The client of one request; each method raises ``OSError`` where it has gone.

    Never are two sends under way at once, but sends come from another task than ``receive``.
    """

    async def receive(self) -> tuple[bytes, bool]:
        """The next piece of the body, and whether more may come."""

    async def wait_gone(self) -> None:
        """Return when the client has gone; may be cancelled and called again."""

    async def respond(self, status: int, headers: Headers, body: bytes) -> None:
        """Send a whole answer, whose headers are complete."""

    async def start(self, status: int, headers: Headers) -> None:
        """Send the head of an answer whose body comes in pieces."""

    async def send(self, data: bytes) -> None:
        """Send a piece of the body, at once."""

    async def end(self) -> None:
        """End the body."""


class HttpRuntime:
    """Serves the exchanges of one endpoint; made and used in one event loop.

    Nothing is started but threads, so it needs no end of its own.

    Args:
        endpoint: Answers requests.
        log: Where reports go.
        max_threads: The most blocking calls that run at once; the endpoint's
            ``max_blocking_calls`` should be the same.
        send_timeout_s: Seconds after which a client that does not take a piece of a stream counts
            as gone; None for never.
    """

    def __init__(
        self,
        endpoint: "Endpoint",
        log: "Log",
        *,
        max_threads: int = DEFAULT_MAX_THREADS,
        send_timeout_s: float | None = 60.0,
    ) -> None:
        self.endpoint = endpoint
        self.send_timeout_s = send_timeout_s
        self.loop = current_loop()
        self.serving = 0
        """How many requests are being served."""
        self.changes = Pulse()
        """Beats when none is served any more."""
        self._log = log
        name = log.logger.replace(".", "-")
        self._pool: Pool[tuple[ExchangeTask, Call, Context]] = Pool(
            self._run_blocking, max_threads, name
        )

    def serve(self, head: "RequestHead", peer: HttpPeer) -> "Coroutine[Any, Any, None]":
        """Serve one request; return when it is answered and no call of it runs any more.

        A client that goes away is told to the exchange, and to nobody else. Handlers run in copies
        of the current context. Where this is cancelled, so is a call that awaits something; a
        thread is not waited for.

        Args:
            head: The request's head.
            peer: The client.
        """
        return ExchangeTask(self, head, peer).run()

    async def drain(self) -> None:
        """Wait until no request is being served."""
        while self.serving:
            await self.changes.wait()

    def stop(self) -> None:
        """Let idle threads end, and busy ones after what they do; returns at once."""
        self._pool.stop()

    def report(self, report: Report) -> None:
        """Write a report into the log."""
        self._log.write(report, self.loop.name)

    def submit(self, task: ExchangeTask, call: Call, context: "Context") -> None:
        """Run a blocking call in a thread, then tell ``task`` how it ended, in the loop."""
        self._pool.submit((task, call, context))

    def _run_blocking(self, item: "tuple[ExchangeTask, Call, Context]") -> None:
        task, call, context = item
        # No variable holds the outcome: an exception in it leads here, and would make a circle.
        self.loop.post(partial(task.take_end, outcome(call, context)))
