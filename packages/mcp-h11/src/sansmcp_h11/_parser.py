"""What comes out of a parser of requests, whichever does the work."""

from collections.abc import Callable
from typing import Literal, Protocol, TypeAlias

import msgspec

__all__ = ["PARSERS", "BadRequest", "Head", "Parser", "ParserName", "parser_named"]

ParserName: TypeAlias = Literal["h11", "httptools"]

PARSERS: tuple[ParserName, ...] = ("h11", "httptools")


class Head(msgspec.Struct, frozen=True):
    """The head of a request as it was sent."""

    method: str
    target: bytes
    version: str
    """``1.1``, ``1.0`` or another that is not served."""

    headers: list[tuple[bytes, bytes]]
    """In order of arrival; names in lower case, values without blanks around them."""


class BadRequest(Exception):
    """What a client sent is no request that can be served; nothing after it can be read either.

    Args:
        status: The HTTP status it gets.
        reason: What was wrong, for the client.
    """

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


class Parser(Protocol):
    """Bytes in, requests out; one for a connection. A head comes as soon as it is complete."""

    def feed(self, data: bytes) -> None:
        """Take what has arrived; not empty."""

    def next_head(self) -> Head | None:
        """The head of the next request, once the last one's body has ended; None for not yet.

        Raises:
            BadRequest: There is none, nor will there be.
        """

    def next_body(self) -> tuple[bytes, bool]:
        """What has come of the body since, maybe nothing, and whether more is to come.

        Raises:
            BadRequest: What came is no body, nor will there be one. What came before is lost.
        """


def parser_named(name: str) -> Callable[[int], Parser]:
    """What makes a parser of that name, for the most bytes that a head may have.

    Raises:
        ImportError: Its package is not installed.
        ValueError: There is none.
    """
    if name == "h11":
        from ._h11_parser import H11Parser  # noqa: PLC0415 - 22 ms, when something is served

        return H11Parser
    if name != "httptools":
        raise ValueError(f"parser must be one of {', '.join(PARSERS)}, got {name!r}")
    try:
        from ._httptools_parser import HttptoolsParser  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise ImportError(
            'parser="httptools" needs the package httptools; install sansmcp-h11[fast], or leave '
            'the parser out for "h11"'
        ) from error
    return HttptoolsParser


def is_too_long(head: Head, max_head_bytes: int) -> bool:
    """Whether a head is too long, whatever the pieces it came in."""
    size = len(head.method) + len(head.target) + sum(len(n) + len(v) + 4 for n, v in head.headers)
    return size > max_head_bytes


def too_long(max_head_bytes: int) -> BadRequest:
    """The refusal of a head of more bytes than that."""
    return BadRequest(431, f"the head of the request is longer than {max_head_bytes} bytes")
