"""What every binding says where it cannot serve a message, and how it reads a cancellation."""

import msgspec
import sansmcp_schema as schema
from msgspec import UNSET, UnsetType
from sansmcp_schema.jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST

from ._decode import Message, Rejection
from ._effects import Report

__all__ = [
    "BUSY_CALLS",
    "BUSY_LISTENERS",
    "GOING_DOWN",
    "cancelled_id",
    "id_still_open",
    "too_many_followed",
    "unanswerable",
]

BUSY_CALLS = "Server busy: too many calls are waiting; try again later"
BUSY_LISTENERS = "Server busy: too many listeners; try again later"
GOING_DOWN = "Server is shutting down"


def id_still_open(id: str | int) -> Rejection:
    """Return the rejection of a second request under the id of one that is open.

    It has no id: with it, this would pass for the answer to the request that is open.
    """
    text = f"Invalid request: the id {id!r} belongs to a request that is still open"
    return Rejection(INVALID_REQUEST, text)


def too_many_followed(id: str | int, most: int) -> Rejection:
    """Return the rejection of a legacy session that follows as many resources as it may."""
    text = f"Invalid params: no more than {most} resources can be followed"
    return Rejection(INVALID_PARAMS, text, UNSET, id)


def unanswerable(message: Message, error: Exception) -> tuple[Report, Rejection]:
    """Return the line for the log and the rejection where the author's declarations fail."""
    assert message.id is not UNSET
    text = f"{message.method} could not be answered from what the server declares"
    failure = "Internal error: the server's log has the details"
    report = Report("error", text, error, message.id)
    return report, Rejection(INTERNAL_ERROR, failure, UNSET, message.id)


def cancelled_id(message: Message) -> str | int | UnsetType:
    """Return the id that a ``notifications/cancelled`` names; UNSET where it names none."""
    try:
        params = msgspec.json.decode(message.params, type=schema.CancelledNotificationParams)
        return params.request_id
    except (ValueError, RecursionError):
        return UNSET
