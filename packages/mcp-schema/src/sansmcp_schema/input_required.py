"""The result that asks the client for input before the request can be answered (2026-07-28)."""

from typing import TypeAlias

from msgspec import UNSET, UnsetType

from .elicitation import ElicitRequest, ElicitResult
from .results import Result
from .roots import ListRootsRequest, ListRootsResult
from .sampling import CreateMessageRequest, CreateMessageResult

__all__ = [
    "InputRequest",
    "InputRequests",
    "InputRequiredResult",
    "InputResponse",
    "InputResponses",
]

InputRequest: TypeAlias = CreateMessageRequest | ListRootsRequest | ElicitRequest
InputRequests: TypeAlias = dict[str, InputRequest]

InputResponse: TypeAlias = CreateMessageResult | ListRootsResult | ElicitResult
"""Untagged, so not decodable as it stands: the question says which of them an answer is."""
InputResponses: TypeAlias = dict[str, InputResponse]


class InputRequiredResult(Result, kw_only=True, rename="camel"):
    """The questions by key, and the state to send back with the answers; at least one of them."""

    result_type: str | UnsetType = "input_required"
    input_requests: InputRequests | UnsetType = UNSET
    request_state: str | UnsetType = UNSET
