"""What a request leads to, as a value that the binding carries out."""

from typing import TYPE_CHECKING, TypeAlias, final

import msgspec
from msgspec import Raw
from sansmcp_schema.results import Result

from ._decode import Rejection
from ._rounds import Rounds
from ._settings import CacheHint
from ._subscriptions import Kind
from ._targets import Target

if TYPE_CHECKING:
    from sansmcp_schema.requests import InitializeRequestParams, SubscriptionFilter

__all__ = ["AtOnce", "Begin", "Follow", "Listen", "Outcome", "Reply", "Start"]


@final
class Reply(msgspec.Struct, frozen=True):
    """Answer at once; an encoded result is complete as it is."""

    result: Result | Raw
    cache: CacheHint | None = None


@final
class Start(msgspec.Struct, frozen=True):
    """Run a handler."""

    target: Target
    rounds: Rounds | None = None
    """What earlier rounds left; None where there were none."""


class Listen(msgspec.Struct, frozen=True):
    """Open a subscription with this filter, which the server can honour."""

    honoured: "SubscriptionFilter"


class Begin(msgspec.Struct, frozen=True):
    """Begin the legacy session."""

    params: "InitializeRequestParams"
    kinds: tuple[Kind, ...]
    """Lists whose changes the server promises to tell of."""


class Follow(msgspec.Struct, frozen=True):
    """Let the legacy session hear of a resource, or no longer."""

    uri: str
    wanted: bool


AtOnce: TypeAlias = Reply | Listen | Begin | Follow | Rejection
"""What is answered at once."""

Outcome: TypeAlias = Start | AtOnce
