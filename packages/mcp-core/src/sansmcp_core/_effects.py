"""What the core asks of the program that embeds it: small values, carried out in order."""

from typing import TYPE_CHECKING, TypeAlias

import msgspec

if TYPE_CHECKING:
    from ._call import Call

__all__ = [
    "Cancel",
    "Close",
    "Data",
    "Effect",
    "EndOfMessage",
    "Headers",
    "Report",
    "Respond",
    "Response",
    "Run",
    "Send",
]

Headers: TypeAlias = list[tuple[bytes, bytes]]
"""HTTP header fields in order, names in lower case."""


class Send(msgspec.Struct, frozen=True, gc=False):
    """Write ``data`` to the peer: one or more whole messages, each ended by a newline."""

    data: bytes


class Run(msgspec.Struct, frozen=True):
    """Carry out ``call`` as its ``mode`` says, then tell it how that ended."""

    call: "Call"


class Cancel(msgspec.Struct, frozen=True):
    """Stop ``call`` where that is possible; its end must still be told, and yields no message."""

    call: "Call"


class Close(msgspec.Struct, frozen=True):
    """Write what was sent before, then end the stream."""


class Report(msgspec.Struct, frozen=True):
    """A line for the server's own log; never for the client.

    Levels are the names of ``logging``: ``debug``, ``info``, ``warning``, ``error``.
    """

    level: str
    message: str
    exception: BaseException | None = None
    request_id: str | int | None = None


class Respond(msgspec.Struct, frozen=True, gc=False):
    """Send a whole HTTP answer; its headers are complete."""

    status: int
    headers: Headers
    body: bytes


class Response(msgspec.Struct, frozen=True):
    """Send the head of an HTTP answer whose body follows in pieces, at once."""

    status: int
    headers: Headers


class Data(msgspec.Struct, frozen=True, gc=False):
    """Send a piece of the body, at once."""

    data: bytes


class EndOfMessage(msgspec.Struct, frozen=True):
    """End the body of the HTTP answer."""


Effect: TypeAlias = Send | Run | Cancel | Close | Report | Respond | Response | Data | EndOfMessage
"""A ``Connection`` returns the first five, an HTTP ``Exchange`` all but ``Send`` and ``Close``."""
