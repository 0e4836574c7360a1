"""``elicitation/create``: what a server asks of the user, and the answer.

Does not exist before 2025-06-18; URL mode not before 2025-11-25.
"""

from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType, field

from .jsonrpc import JSONObject, RequestId

__all__ = [
    "ElicitRequest",
    "ElicitRequestFormParams",
    "ElicitRequestParams",
    "ElicitRequestURLParams",
    "ElicitResult",
    "ElicitationCompleteNotification",
    "ElicitationCompleteNotificationParams",
    "URLElicitationRequiredData",
]


class ElicitRequestParams(Struct, kw_only=True, rename="camel", gc=False):
    """The question as decoded, in either mode; an absent ``mode`` means form.

    Decoding yields this class; build ``ElicitRequestFormParams`` or ``ElicitRequestURLParams``.
    """

    mode: Literal["form", "url"] | UnsetType = UNSET
    message: str
    requested_schema: JSONObject | UnsetType = UNSET
    url: str | UnsetType = UNSET
    elicitation_id: str | UnsetType = UNSET
    meta: JSONObject | UnsetType = field(name="_meta", default=UNSET)

    def __post_init__(self) -> None:
        if self.mode == "url":
            if self.url is UNSET:
                raise ValueError("an elicitation in mode `url` has a `url`")
        elif self.requested_schema is UNSET:
            raise ValueError("an elicitation in mode `form` has a `requestedSchema`")


class ElicitRequestFormParams(ElicitRequestParams, kw_only=True, rename="camel", gc=False):
    """A form: a flat object schema whose properties are the primitive schemas of ``forms``."""

    mode: Literal["form"] | UnsetType = "form"
    requested_schema: JSONObject


class ElicitRequestURLParams(ElicitRequestParams, kw_only=True, rename="camel", gc=False):
    """A page to open; ``elicitation_id`` is required in 2025-11-25 and unknown elsewhere."""

    mode: Literal["url"] = "url"
    url: str


class ElicitRequest(Struct, kw_only=True, tag_field="method", tag="elicitation/create", gc=False):
    """The question; a JSON-RPC request until 2025-11-25, an ``InputRequest`` from 2026-07-28."""

    jsonrpc: Literal["2.0"] | UnsetType = UNSET
    id: RequestId | UnsetType = UNSET
    params: ElicitRequestParams


class ElicitResult(Struct, kw_only=True, gc=False):
    """The user's answer; ``content`` only where a form was accepted."""

    action: Literal["accept", "decline", "cancel"]
    content: dict[str, Any] | None | UnsetType = UNSET
    meta: dict[str, Any] | UnsetType = field(name="_meta", default=UNSET)


class ElicitationCompleteNotificationParams(Struct, kw_only=True, rename="camel", gc=False):
    """The params of ``notifications/elicitation/complete`` (2025-11-25)."""

    elicitation_id: str


class ElicitationCompleteNotification(
    Struct, kw_only=True, tag_field="method", tag="notifications/elicitation/complete", gc=False
):
    """The user has finished what a URL led to (2025-11-25)."""

    jsonrpc: Literal["2.0"] = "2.0"
    params: ElicitationCompleteNotificationParams


class URLElicitationRequiredData(Struct, gc=False):
    """The ``data`` of a ``URL_ELICITATION_REQUIRED`` error (2025-11-25)."""

    elicitations: list[ElicitRequestURLParams]
