"""What feeds a stream that belongs to no call: a subscription, or a legacy session.

Each has events to give whenever its exchange is rung; ``None`` ends the stream.
"""

from typing import TYPE_CHECKING, Protocol

from ._sse import events

if TYPE_CHECKING:
    from .._envelope import Envelope
    from .._listening import Subscription
    from .._subscriptions import Hub
    from ._sessions import HttpSession
    from ._streams import SessionStream

__all__ = ["Feed", "ListenFeed", "SessionFeed"]


class Feed(Protocol):
    """Where the events of an exchange come from."""

    @property
    def over(self) -> bool:
        """Whether nothing more will come."""

    def take(self) -> bytes | None:
        """Return the events that wait, ``b""`` for none; None where the stream is broken."""

    def ending(self) -> bytes:
        """Return the events that end the stream on the server's initiative."""

    def close(self) -> None:
        """Hear of nothing any more."""


class ListenFeed:
    """One ``subscriptions/listen``.

    Args:
        subscription: What the client wants to hear of.
        hub: Tells of it.
        envelope: Wraps the result at the end.
        cancel_too: Whether the server's end is told in both ways that the specification has.
    """

    __slots__ = ("_cancel_too", "_envelope", "_hub", "_subscription")

    def __init__(
        self, subscription: "Subscription", hub: "Hub", envelope: "Envelope", *, cancel_too: bool
    ) -> None:
        self._subscription = subscription
        self._hub = hub
        self._envelope = envelope
        self._cancel_too = cancel_too

    @property
    def over(self) -> bool:
        """Whether nothing more will come: there is always something that may change."""
        return False

    def take(self) -> bytes | None:
        """Return the changes since the last call."""
        lines = self._subscription.lines(self._hub.take(self._subscription.listener))
        return events(lines) if lines else b""

    def ending(self) -> bytes:
        """Return the result that completes the request."""
        lines = self._subscription.ending(self._envelope, cancel_too=self._cancel_too)
        return (self.take() or b"") + events(lines)

    def close(self) -> None:
        """Hear of no change any more."""
        self._hub.remove(self._subscription.listener)


class SessionFeed:
    """A stream of a legacy session that a GET carries.

    Args:
        session: The session.
        stream: The stream.
        after: The id of the last event that the client has; empty for a stream without ids.
        standing: Whether it is the one that tells of changes, and not the stream of a call.
    """

    __slots__ = ("_after", "_session", "_standing", "_stream")

    def __init__(
        self, session: "HttpSession", stream: "SessionStream", after: str, *, standing: bool
    ) -> None:
        self._session = session
        self._stream = stream
        self._after = after
        self._standing = standing

    @property
    def over(self) -> bool:
        """Whether all is said."""
        return self._stream.over

    def take(self) -> bytes | None:
        """Return what was said since the last call; None where some of it is lost."""
        stream = self._stream
        fresh = b""
        listener = self._session.legacy.listener
        if self._standing and listener is not None:
            lines = self._session.listeners.lines(listener)
            fresh = stream.put(lines) if lines else b""
        if not stream.resumable:
            return fresh
        kept = stream.after(self._after)
        if kept is None:
            return None
        self._after, data = kept
        stream.carried_id = self._after
        return data

    def ending(self) -> bytes:
        """Return what is left; nothing tells of the end itself."""
        return self.take() or b""

    def close(self) -> None:
        """Do nothing: the exchange lets go of the stream as it ends."""
