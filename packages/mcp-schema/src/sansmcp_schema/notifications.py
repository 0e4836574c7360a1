"""What is told without an answer, by either side."""

from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType

from .jsonrpc import ProgressToken
from .requests import (
    CancelledNotificationParams,
    LoggingLevel,
    NotificationParams,
    SubscriptionFilter,
)

__all__ = [
    "CancelledNotification",
    "InitializedNotification",
    "LoggingMessageNotification",
    "LoggingMessageNotificationParams",
    "ProgressNotification",
    "ProgressNotificationParams",
    "PromptListChangedNotification",
    "ResourceListChangedNotification",
    "ResourceUpdatedNotification",
    "ResourceUpdatedNotificationParams",
    "RootsListChangedNotification",
    "SubscriptionsAcknowledgedNotification",
    "SubscriptionsAcknowledgedNotificationParams",
    "ToolListChangedNotification",
]


class ProgressNotificationParams(NotificationParams, kw_only=True, rename="camel", gc=False):
    """How far a request has come; ``message`` does not exist in 2024-11-05."""

    progress_token: ProgressToken
    progress: int | float
    total: int | float | UnsetType = UNSET
    message: str | UnsetType = UNSET


class LoggingMessageNotificationParams(NotificationParams, kw_only=True, gc=False):
    """A log entry; ``data`` is any JSON value."""

    level: LoggingLevel
    logger: str | UnsetType = UNSET
    data: Any


class ResourceUpdatedNotificationParams(NotificationParams, kw_only=True, gc=False):
    """The resource that changed."""

    uri: str


class SubscriptionsAcknowledgedNotificationParams(NotificationParams, kw_only=True, gc=False):
    """What of a listener's filter the server honours."""

    notifications: SubscriptionFilter


class _Notification(Struct, kw_only=True, tag_field="method", gc=False):
    jsonrpc: Literal["2.0"] = "2.0"


class CancelledNotification(_Notification, tag="notifications/cancelled", kw_only=True, gc=False):
    """The sender no longer wants the answer."""

    params: CancelledNotificationParams


class ProgressNotification(_Notification, tag="notifications/progress", kw_only=True, gc=False):
    """A request is under way."""

    params: ProgressNotificationParams


class LoggingMessageNotification(
    _Notification, tag="notifications/message", kw_only=True, gc=False
):
    """The server logged something."""

    params: LoggingMessageNotificationParams


class ResourceUpdatedNotification(
    _Notification, tag="notifications/resources/updated", kw_only=True, gc=False
):
    """A resource changed."""

    params: ResourceUpdatedNotificationParams


class ResourceListChangedNotification(
    _Notification, tag="notifications/resources/list_changed", kw_only=True, gc=False
):
    """The list of resources changed."""

    params: NotificationParams | UnsetType = UNSET


class ToolListChangedNotification(
    _Notification, tag="notifications/tools/list_changed", kw_only=True, gc=False
):
    """The list of tools changed."""

    params: NotificationParams | UnsetType = UNSET


class PromptListChangedNotification(
    _Notification, tag="notifications/prompts/list_changed", kw_only=True, gc=False
):
    """The list of prompts changed."""

    params: NotificationParams | UnsetType = UNSET


class SubscriptionsAcknowledgedNotification(
    _Notification, tag="notifications/subscriptions/acknowledged", kw_only=True, gc=False
):
    """A ``subscriptions/listen`` is in force (2026-07-28)."""

    params: SubscriptionsAcknowledgedNotificationParams


class InitializedNotification(
    _Notification, tag="notifications/initialized", kw_only=True, gc=False
):
    """The client has taken note of the answer to ``initialize`` (until 2025-11-25)."""

    params: NotificationParams | UnsetType = UNSET


class RootsListChangedNotification(
    _Notification, tag="notifications/roots/list_changed", kw_only=True, gc=False
):
    """The client's roots changed (until 2025-11-25)."""

    params: NotificationParams | UnsetType = UNSET
