"""One duplex byte stream, as bytes in and effects out: stdio, a socket, anything with two ends.

Source: MCP 2026-07-28 basic/transports/stdio.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from msgspec import UNSET
from sansmcp_schema.jsonrpc import INVALID_REQUEST

from ._admission import Admission
from ._calls import Calls
from ._decode import decode_message
from ._duplex import DuplexChannel
from ._effects import Cancel, Close, Effect, Send
from ._envelope import Envelope
from ._errors import LocalProtocolError
from ._lines import LineBuffer, TooLong
from ._listening import Listeners
from ._outbox import Outbox
from ._reception import Reception
from ._unsent import Unsent

if TYPE_CHECKING:
    from ._server import Server

__all__ = ["Connection"]


def _stay_asleep() -> None:
    """Do nothing: for owners that look at ``pending`` by themselves."""


class Connection:
    """Serves one peer that speaks newline-delimited JSON-RPC, in both eras at once.

    It does no I/O, knows no clock and starts no thread. Whoever owns it passes in what arrived and
    carries out the effects, in order. Only the owner calls its methods, one at a time; handlers
    may run anywhere. Nothing that the peer sends raises.

    Args:
        server: What is served; one server may have many connections.
        wake: Called, from any thread, when ``pending`` has something to return; it must neither
            block nor call back. Does nothing by default.
        lifespan_value: What the server's lifespan yielded.
        async_handlers: Whether the owner can await; where it cannot, coroutine functions are
            refused at registration.
        max_blocking_calls: How many blocking calls the owner can run at once, such as the number
            of its threads; further ones wait in the core, and their time limits with them. By
            default as many as run at all.

    Raises:
        RegistrationError: A declaration of the server cannot be served.
    """

    def __init__(
        self,
        server: "Server",
        *,
        wake: Callable[[], None] = _stay_asleep,
        lifespan_value: Any = None,
        async_handlers: bool = True,
        max_blocking_calls: int | None = None,
    ) -> None:
        server.prepare(async_handlers)
        limits = server.settings.limits
        self._server = server
        self._max_nesting = limits.max_nesting
        self._lines = LineBuffer(limits.max_line_bytes)
        self._envelope = Envelope(server)
        outbox = Outbox(wake, limits.max_queued_messages)
        self._unsent = Unsent(limits.max_unsent_bytes)
        self._admission = Admission(
            limits.max_concurrent_calls, limits.max_waiting_calls, max_blocking_calls
        )
        self._calls = Calls(server, self._envelope, self._admission, lifespan_value)
        self._listeners = Listeners(server.hub, outbox.put, limits.max_uris_per_listen)
        self._channel = DuplexChannel(self._calls, outbox, self._unsent, self._listeners)
        self._reception = Reception(
            server, self._envelope, self._calls, self._channel, self._listeners
        )
        self._take = self._reception.take
        self._ended = False

    # -- what the owner calls ----------------------------------------------------------------

    def receive(self, data: bytes, now: float) -> list[Effect]:
        """Return the effects of bytes that arrived, in any segmentation.

        Args:
            data: What was read; it may end in the middle of a message.
            now: Unix time in seconds.

        Raises:
            LocalProtocolError: This is no bytes, or the stream was said to have ended.
        """
        if not isinstance(data, bytes):
            raise LocalProtocolError(f"receive() takes bytes, got {type(data).__name__}")
        if self._ended:
            raise LocalProtocolError("receive() after receive_eof(): the stream has ended")
        effects: list[Effect] = []
        for line in self._lines.feed(data):
            if type(line) is TooLong:
                self._refuse_line(effects)
            elif line and line != b"\r":
                self._take(decode_message(line, self._max_nesting), now, effects)
        return self._unsent.add(effects) if self._unsent.counting else effects

    def receive_eof(self, now: float) -> list[Effect]:
        """Return the effects of the stream's end: a last line without newline is served, too."""
        effects: list[Effect] = []
        if not self._ended:
            self._ended = True
            line = self._lines.end()
            if line and line != b"\r":
                self._take(decode_message(line, self._max_nesting), now, effects)
            self._channel.client_gone = reason = "the client has closed the stream"
            for leg in self._channel.back_channel.legs():
                effects += self._calls.asker.give_up(leg, reason)
        return self._unsent.add(effects)

    def pending(self, now: float) -> list[Effect]:
        """Return what arose elsewhere: progress, log messages, changes. Call it after ``wake``."""
        return self._unsent.add(self._channel.flush())

    def tick(self, now: float) -> list[Effect]:
        """Return the effects of time that has passed; call it at ``deadline()``."""
        effects: list[Effect] = []
        for item in self._channel.timers.pop_due(now):
            effects += self._calls.time_out(item)
        return self._unsent.add(effects)

    def deadline(self) -> float | None:
        """Return the Unix time at which ``tick`` wants to be called; None for never."""
        return self._channel.timers.deadline()

    @property
    def calls_open(self) -> int:
        """How many calls run or wait, cancelled ones that still run included."""
        return len(self._admission) + len(self._channel.back_channel.legs())

    @property
    def paused(self) -> bool:
        """Whether the owner should read no more for now, since too much is unsent."""
        return self._unsent.too_much

    def sent(self, count: int) -> None:
        """Tell that ``count`` bytes were written; without ever calling it nothing pauses."""
        self._unsent.take(count)

    def shutdown(self, now: float) -> list[Effect]:
        """Return the effects of an orderly end: subscriptions end, new requests are refused.

        Calls that run or wait go on; when they are done, or have had time enough, ``close``.
        """
        self._reception.refusing = True
        effects = self._channel.flush()
        cancel_too = self._server.settings.cancel_ended_subscriptions
        endings = self._listeners.end_all(self._envelope, cancel_too=cancel_too)
        if endings:
            effects.append(Send(endings))
        return self._unsent.add(effects)

    def close(self, now: float) -> list[Effect]:
        """Return what stops every call, and the end of the stream; nothing is answered any more."""
        self._ended = self._reception.refusing = True
        self._listeners.close()
        channel = self._channel
        for call in channel.open.values():
            call.over = True
            channel.timers.stop(call)
        for leg in channel.back_channel.legs():
            self._calls.asker.drop(leg, "the connection is closed")
        channel.open.clear()
        self._admission.drop_waiting()
        return [*(Cancel(call) for call in self._admission.running), Close()]

    def question_key(self, id: str | int) -> str | None:
        """Return the key of the question that was sent to a legacy client under ``id``."""
        return self._channel.back_channel.key_of(id)

    # -- inside ------------------------------------------------------------------------------

    def _refuse_line(self, effects: list[Effect]) -> None:
        longest = self._server.settings.limits.max_line_bytes
        text = f"Invalid request: a line is longer than {longest} bytes"
        effects.append(Send(self._envelope.error(UNSET, INVALID_REQUEST, text)))
