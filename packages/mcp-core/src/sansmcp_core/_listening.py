"""Change notifications as each era sends them.

Source: MCP 2026-07-28 basic/patterns/subscriptions; 2025-11-25 server/resources, Subscriptions.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import sansmcp_schema as schema
from msgspec import UNSET

from ._envelope import SUBSCRIPTION_ID_KEY, Envelope, encode_line
from ._era import Era
from ._session import LegacySession
from ._subscriptions import Changes, Hub, Kind, Listener

if TYPE_CHECKING:
    from sansmcp_schema.requests import SubscriptionFilter

__all__ = ["Listeners", "Subscription", "change_lines"]

_LIST_CHANGED: dict[Kind, str] = {
    "tools": "ToolListChangedNotification",
    "prompts": "PromptListChangedNotification",
    "resources": "ResourceListChangedNotification",
}
"""The names of the notifications, whose Structs are loaded with the first change."""


class Subscription:
    """One open ``subscriptions/listen``."""

    __slots__ = ("_filter", "_meta", "id", "listener", "revision")

    def __init__(
        self,
        id: str | int,
        revision: str,
        honoured: "SubscriptionFilter",
        ready: Callable[[Listener], None],
    ) -> None:
        self.id = id
        self.revision = revision
        self._filter = honoured
        self._meta: dict[str, Any] = {SUBSCRIPTION_ID_KEY: id}
        kinds: dict[Kind, object] = {
            "tools": honoured.tools_list_changed,
            "prompts": honoured.prompts_list_changed,
            "resources": honoured.resources_list_changed,
        }
        uris = honoured.resource_subscriptions
        self.listener = Listener(
            [kind for kind, wanted in kinds.items() if wanted is True],
            () if uris is UNSET else uris,
            ready,
        )

    def acknowledgement(self) -> bytes:
        """Return the message that comes before every other one of the subscription."""
        params = schema.SubscriptionsAcknowledgedNotificationParams(
            meta=self._meta, notifications=self._filter
        )
        return encode_line(schema.SubscriptionsAcknowledgedNotification(params=params))

    def lines(self, changes: Changes) -> bytes:
        """Return the notifications for ``changes``."""
        return change_lines(changes, self._meta)

    def ending(self, envelope: Envelope, *, cancel_too: bool) -> bytes:
        """Return what ends the subscription on the server's initiative.

        Two pages of the specification disagree: one wants a final result, the other a
        ``notifications/cancelled``. The result is sent, and the other behind a switch.
        """
        result = schema.SubscriptionsListenResult(meta=dict(self._meta))
        line = envelope.result(self.id, result, Era.MODERN, self.revision, None)
        if cancel_too:
            params = schema.CancelledNotificationParams(meta=self._meta, request_id=self.id)
            line = encode_line(schema.CancelledNotification(params=params)) + line
        return line


class Listeners:
    """Who listens on one connection: its open subscriptions, and its legacy session.

    Args:
        hub: Tells of changes.
        ready: Takes a listener for which changes wait.
        max_uris: Resources that one of them may follow.
    """

    __slots__ = ("_by_listener", "_hub", "_max_uris", "_ready", "subscriptions")

    def __init__(self, hub: Hub, ready: Callable[[Listener], None], max_uris: int) -> None:
        self._hub = hub
        self._ready = ready
        self._max_uris = max_uris
        self.subscriptions: dict[str | int, Subscription] = {}
        """The open ones, by the id of their request."""
        self._by_listener: dict[Listener, Subscription | None] = {}

    def open(
        self, id: str | int, revision: str, honoured: "SubscriptionFilter"
    ) -> Subscription | None:
        """Return a new subscription; None where the server has too many."""
        subscription = Subscription(id, revision, honoured, self._ready)
        if not self._hub.add(subscription.listener):
            return None
        self.subscriptions[id] = subscription
        self._by_listener[subscription.listener] = subscription
        return subscription

    def cancel(self, id: str | int) -> bool:
        """End a subscription without a word; False where there is none of that id."""
        subscription = self.subscriptions.pop(id, None)
        if subscription is None:
            return False
        self._forget(subscription.listener)
        return True

    def begin_session(self, session: LegacySession, kinds: Iterable[Kind]) -> bool:
        """Let a legacy session hear of changes; False where the server has too many listeners."""
        if session.listener is not None:
            self._forget(session.listener)
            session.listener = None
        listener = Listener(kinds, (), self._ready)
        if not self._hub.add(listener):
            return False
        self._by_listener[listener] = None
        session.listener = listener
        return True

    def follow(self, session: LegacySession, uri: str, *, wanted: bool) -> bool:
        """Let a legacy session hear of a resource, or no longer; False where it is one too many."""
        # Before the handshake it hears of what it follows, and of nothing else.
        if session.listener is None and not self.begin_session(session, ()):
            return False
        listener = session.listener
        assert listener is not None
        if not wanted:
            self._hub.unfollow(listener, uri)
        elif uri not in listener.uris:
            if len(listener.uris) >= self._max_uris:
                return False
            self._hub.follow(listener, uri)
        return True

    def lines(self, listener: Listener) -> bytes:
        """Return the notifications that wait for ``listener``; empty where it has gone."""
        if listener not in self._by_listener:
            return b""
        changes = self._hub.take(listener)
        subscription = self._by_listener[listener]
        return change_lines(changes, None) if subscription is None else subscription.lines(changes)

    def end_all(self, envelope: Envelope, *, cancel_too: bool) -> bytes:
        """Return what ends every subscription on the server's initiative."""
        endings = [
            subscription.ending(envelope, cancel_too=cancel_too)
            for subscription in self.subscriptions.values()
        ]
        for id in list(self.subscriptions):
            self.cancel(id)
        return b"".join(endings)

    def close(self) -> None:
        """Hear of nothing any more."""
        for listener in list(self._by_listener):
            self._forget(listener)
        self.subscriptions.clear()

    def _forget(self, listener: Listener) -> None:
        self._hub.remove(listener)
        self._by_listener.pop(listener, None)


def change_lines(changes: Changes, meta: dict[str, Any] | None) -> bytes:
    """Return the notifications for ``changes``, with the ``_meta`` of a subscription or none."""
    shared = UNSET if meta is None else meta
    lines = []
    for kind in changes.kinds:
        params = UNSET if meta is None else schema.NotificationParams(meta=meta)
        lines.append(encode_line(getattr(schema, _LIST_CHANGED[kind])(params=params)))
    for uri in changes.uris:
        updated = schema.ResourceUpdatedNotificationParams(meta=shared, uri=uri)
        lines.append(encode_line(schema.ResourceUpdatedNotification(params=updated)))
    return b"".join(lines)
