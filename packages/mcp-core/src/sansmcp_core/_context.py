"""What a handler sees of the request it serves, and how it speaks to the client meanwhile."""

import math
from typing import TYPE_CHECKING, Any

import msgspec
import sansmcp_schema as schema
from msgspec import UNSET
from sansmcp_schema.capabilities import ClientCapabilities, Implementation
from sansmcp_schema.declare import to_json
from sansmcp_schema.requests import LoggingLevel, decode_meta
from sansmcp_schema.revisions import for_revision

from ._asking_context import AskingContext
from ._envelope import encode_line
from ._era import Era
from ._session import LOG_LEVELS
from ._signals import CallCancelled

if TYPE_CHECKING:
    from ._call import Call

__all__ = ["Context"]


class Context(AskingContext):
    """The request behind one run of a handler.

    A handler gets it by annotating a parameter with this class; the parameter is never part of
    the published schema. Progress and log messages may come from any thread, and are dropped once
    the call has ended.
    """

    __slots__ = ("lifespan",)

    def __init__(self, call: "Call", lifespan: Any) -> None:
        super().__init__(call)
        self.lifespan: Any = lifespan
        """What the server's ``lifespan`` yielded; None where it has none."""

    # -- the request -------------------------------------------------------------------------

    @property
    def request(self) -> "RequestView":
        """The request's own facts: id, era, protocol version, client, ``_meta``."""
        return RequestView(self._call)

    @property
    def cancelled(self) -> bool:
        """Whether the client no longer wants the answer, or the time limit has passed."""
        return self._call.over

    def check_cancelled(self) -> None:
        """Leave the handler here if the call was cancelled.

        Raises:
            CallCancelled: It was; a ``BaseException``, to be let pass.
        """
        if self._call.over:
            raise CallCancelled("the call was cancelled; let this exception pass")

    # -- what the client hears meanwhile -----------------------------------------------------

    def report_progress(
        self, progress: float, total: float | None = None, message: str | None = None
    ) -> None:
        """Tell the client how far the call has come, where it asked to be told.

        Args:
            progress: How far; a value that does not grow is dropped.
            total: How far it goes, if known.
            message: What is being done.

        Source: MCP 2026-07-28 basic/patterns/progress.
        """
        for value in (progress, 0.0 if total is None else total):
            if not math.isfinite(value):
                raise ValueError(f"progress and total must be finite numbers, got {value!r}")
        call = self._call
        token = call.request.meta.progress_token
        if token is UNSET or progress <= call.last_progress:
            return
        call.last_progress = progress
        params = schema.ProgressNotificationParams(
            progress_token=token,
            progress=progress,
            total=UNSET if total is None else total,
            message=UNSET if message is None else message,
        )
        notification = for_revision(
            schema.ProgressNotification(params=params), self._call.request.revision
        )
        call.notify(encode_line(notification))

    def log(self, level: LoggingLevel, data: Any, *, logger: str | None = None) -> None:
        """Send the client a log message, where it asked for messages of this level.

        Args:
            level: One of the eight levels of RFC 5424.
            data: Any JSON value.
            logger: Name of the part that logs.

        Source: MCP 2026-07-28 server/utilities/logging.
        """
        if level not in LOG_LEVELS:
            raise ValueError(f"unknown log level {level!r}; there are {', '.join(LOG_LEVELS)}")
        wanted = self._call.request.log_level
        if wanted is None or LOG_LEVELS[level] < LOG_LEVELS[wanted]:
            return
        params = schema.LoggingMessageNotificationParams(
            level=level, data=msgspec.Raw(to_json(data)), logger=UNSET if logger is None else logger
        )
        notification = for_revision(
            schema.LoggingMessageNotification(params=params), self._call.request.revision
        )
        self._call.notify(encode_line(notification))

    def close_stream(self, retry_ms: int) -> None:
        """Have a legacy client hang up and come back for the rest, so that no connection waits.

        The call goes on. Only HTTP clients of the legacy era whose streams can be resumed are
        told so; elsewhere it does nothing.

        Args:
            retry_ms: Milliseconds after which the client should connect again.

        Source: MCP 2025-11-25 basic/transports, Sending Messages to the Server, 6.
        """
        if retry_ms < 0:
            raise ValueError(f"retry_ms must be 0 or more milliseconds, got {retry_ms}")
        self._call.channel.close_stream(self._call, retry_ms)


class RequestView:
    """The facts of one request, as its handler may see them."""

    __slots__ = ("_call",)

    def __init__(self, call: "Call") -> None:
        self._call = call

    @property
    def id(self) -> str | int:
        """The JSON-RPC id."""
        return self._call.request_id

    @property
    def era(self) -> Era:
        """Modern or legacy."""
        return self._call.request.era

    @property
    def protocol_version(self) -> str:
        """The revision the request is served by."""
        return self._call.request.revision

    @property
    def client_info(self) -> Implementation | None:
        """What the client calls itself; not verified by anyone."""
        return self._call.request.client_info

    @property
    def client_capabilities(self) -> ClientCapabilities:
        """What the client declared."""
        return self._call.request.capabilities

    @property
    def meta(self) -> dict[str, Any]:
        """The whole ``_meta`` of the request, decoded anew at each look."""
        return decode_meta(self._call.request.message.params)

    @property
    def progress_token(self) -> str | int | None:
        """The token that asks for progress; None where the client did not."""
        token = self._call.request.meta.progress_token
        return None if token is UNSET else token

    @property
    def http_headers(self) -> dict[str, str]:
        """The header fields of the HTTP request, names in lower case; empty on a byte stream."""
        head = self._call.channel.head
        if head is None:
            return {}
        return {name.decode("latin-1"): value.decode("latin-1") for name, value in head.headers}

    @property
    def principal(self) -> str | None:
        """Who is authorized; always None on a byte stream."""
        return None

    @property
    def scopes(self) -> frozenset[str]:
        """What the principal may do; always empty on a byte stream."""
        return frozenset()
