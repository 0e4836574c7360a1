"""The first judge of a request: what its head alone decides, before the body is read."""

from collections.abc import Callable
from operator import attrgetter
from typing import Any, final

import msgspec
from msgspec import UNSET
from msgspec.structs import replace
from sansmcp_schema.jsonrpc import INVALID_REQUEST

from .._effects import Report, Respond
from .._envelope import Envelope
from ._accept import accepted_types
from ._allowed import Allowed
from ._answers import whole_answer
from ._cors import CorsHeaders
from ._head import RequestHead
from ._ladder import Ladder, Rejoinder
from ._names import (
    ACCEPT,
    CONTENT_ENCODING,
    CONTENT_LENGTH,
    CONTENT_TYPE,
    HOST,
    MCP_SESSION_ID,
    ORIGIN,
    X_FORWARDED_HOST,
    X_FORWARDED_PROTO,
)
from ._settings import HttpSettings

__all__ = ["Admitted", "Gate", "Refused"]

_MAX_CACHED = 256
_MAX_KEY_LENGTH = 1024
_MAX_REPORTED = 100
_MAX_REPORTED_LENGTH = 100

_place = attrgetter("method", "path", "scheme", "local_host", "local_port", "bound_host")
_DECIDING = (HOST, ORIGIN, CONTENT_TYPE, CONTENT_ENCODING, ACCEPT)
_FORWARDED = (X_FORWARDED_HOST, X_FORWARDED_PROTO)

# Fields that decide something and may come once only. Where one is repeated the cache, which knows
# the last of each, is of no use.
_SINGLE = frozenset({CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HOST, ORIGIN})


class Admitted(msgspec.Struct, frozen=True):
    """The request may go on: its body decides."""

    accepts_json: bool
    accepts_stream: bool
    cors: CorsHeaders
    """Headers that every answer of this exchange must have; mostly none."""


@final
class Refused(msgspec.Struct, frozen=True):
    """The request has its answer: a refusal, or all that it asked for."""

    answer: Respond
    report: Report | None


class Gate:
    """Judges heads for one endpoint, by the table of ``_ladder.py``.

    What was admitted is kept in a small cache, for most clients send the same head every time.

    Args:
        settings: The endpoint's settings.
        envelope: Makes the bodies of refusals.
        info: From the URL of the endpoint to the JSON of the info path.

    Raises:
        ValueError: A pattern in the settings is none.
    """

    def __init__(
        self, settings: HttpSettings, envelope: Envelope, info: Callable[[str], bytes]
    ) -> None:
        self._allowed = Allowed(settings)
        self._ladder = Ladder(settings, self._allowed, info)
        self._envelope = envelope
        self._max_body_bytes = settings.max_body_bytes
        self._deciding = _DECIDING + _FORWARDED if settings.trust_forwarded else _DECIDING
        self._cache: dict[tuple[Any, ...], Admitted] = {}
        self._reported: set[tuple[str, bytes]] = set()

    def judge(self, head: RequestHead) -> Admitted | Refused:
        """Return whether the request may go on, or what it is answered; any bytes may be in it."""
        # Everything that the ladder looks at but the length, so equal keys are judged alike.
        get = head.fields.get
        key = (_place(head), *map(get, self._deciding), MCP_SESSION_ID in head.fields)
        admitted = self._cache.get(key)
        if admitted is None or not head.repeated.isdisjoint(_SINGLE):
            return self._judge_slowly(head, key)
        length = get(CONTENT_LENGTH)
        if length is None or self._fits(length):
            return admitted
        return self._judge_slowly(head, key)

    def _judge_slowly(self, head: RequestHead, key: tuple[Any, ...]) -> Admitted | Refused:
        cors = self._allowed.cors(head)
        rejoinder = self._ladder.climb(head)
        if rejoinder is not None:
            return self._refused(head, rejoinder, cors)
        admitted = Admitted(*accepted_types(head.fields.get(ACCEPT)), cors)
        # Keys say nothing of repeated fields; such a head may have passed only by its repetition.
        if head.repeated.isdisjoint(_SINGLE):
            self._remember(key, admitted)
        rejoinder = self._ladder.length(head)
        return admitted if rejoinder is None else self._refused(head, rejoinder, cors)

    def _fits(self, length: bytes) -> bool:
        """Return whether a length is certainly right; where not, the ladder has the last word."""
        return length.isdigit() and len(length) < 16 and int(length) <= self._max_body_bytes

    def _remember(self, key: tuple[Any, ...], admitted: Admitted) -> None:
        parts = (*key[0], *key[1:])
        if sum(len(part) for part in parts if isinstance(part, str | bytes)) > _MAX_KEY_LENGTH:
            return
        if len(self._cache) >= _MAX_CACHED:
            self._cache.clear()
        self._cache[key] = admitted

    def _refused(self, head: RequestHead, rejoinder: Rejoinder, cors: CorsHeaders) -> Refused:
        body = rejoinder.body
        if rejoinder.text:
            body = self._envelope.error(UNSET, INVALID_REQUEST, rejoinder.text)
        answer = whole_answer(rejoinder.status, body, (*rejoinder.headers, *cors))
        if head.method == "HEAD":
            # The length stays, for it is that of what another method would get.
            answer = replace(answer, body=b"")
        return Refused(answer, self._report(rejoinder))

    def _report(self, rejoinder: Rejoinder) -> Report | None:
        """Return a line for the log, once per value that a setting keeps out."""
        if not rejoinder.setting or len(self._reported) >= _MAX_REPORTED:
            return None
        kept_out = (rejoinder.setting, rejoinder.value[:_MAX_REPORTED_LENGTH])
        if kept_out in self._reported:
            return None
        self._reported.add(kept_out)
        text = rejoinder.text
        if len(self._reported) == _MAX_REPORTED:
            text += " (others that are kept out will not be reported any more)"
        return Report("warning", text)
