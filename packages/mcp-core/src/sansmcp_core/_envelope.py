"""Results and errors in, bytes of one whole message out, as the era wants them.

The one place that knows what wraps a result: ``resultType``, the server's name, and cache hints for
modern clients; none of it for legacy ones.

Source: MCP 2026-07-28 basic/index, Responses; server/utilities/caching.
"""

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET, Raw
from msgspec.structs import replace
from sansmcp_schema.jsonrpc import Error, JSONRPCErrorResponse, JSONRPCResultResponse
from sansmcp_schema.meta_keys import SERVER_INFO_KEY, SUBSCRIPTION_ID_KEY
from sansmcp_schema.results import CacheableResult, Result
from sansmcp_schema.revisions import for_revision

from ._era import Era
from ._settings import CacheHint

if TYPE_CHECKING:
    from ._server import Server

__all__ = ["SERVER_INFO_KEY", "SUBSCRIPTION_ID_KEY", "Envelope", "encode_line"]

_encode = msgspec.json.Encoder().encode


def encode_line(message: Any) -> bytes:
    """Return ``message`` as one line of JSON.

    Raises:
        Exception: The message holds what JSON has not.
    """
    data = _encode(message)
    if b"\n" in data:
        # Only JSON that somebody else formatted and that was spliced in holds line breaks.
        data = _encode(msgspec.json.decode(data))
    return data + b"\n"


class Envelope:
    """Wraps what one server answers."""

    __slots__ = ("_cache", "_info", "_meta")

    def __init__(self, server: "Server") -> None:
        settings = server.settings
        self._cache = settings.cache
        self._info: dict[str, Any] = {}
        if settings.server_info_in_results:
            self._info = {SERVER_INFO_KEY: Raw(_encode(server.info))}
        self._meta: Any = Raw(_encode(self._info)) if self._info else UNSET

    def result(
        self, id: str | int, result: Result | Raw, era: Era, revision: str, cache: CacheHint | None
    ) -> bytes:
        """Return the response that carries ``result``; an encoded one is taken as it is.

        Raises:
            Exception: The result holds what JSON has not.
        """
        if type(result) is not Raw:
            if era is Era.MODERN:
                result = self._modern(result, cache)
            else:
                result = for_revision(result, revision)
        return encode_line(JSONRPCResultResponse(id=id, result=result))

    def error(self, id: Any, code: int, message: str, data: Any = UNSET) -> bytes:
        """Return the error response; without id where the request's could not be read."""
        return encode_line(JSONRPCErrorResponse(id=id, error=Error(code, message, data)))

    def meta(self, extra: dict[str, Any]) -> dict[str, Any]:
        """Return the ``_meta`` of a modern result that has keys of its own."""
        return {**extra, **self._info}

    def _modern(self, result: Result, cache: CacheHint | None) -> Result:
        # Always a copy, for a handler may return the same ready-made result again and again.
        kind = "complete" if result.result_type is UNSET else result.result_type
        meta = result.meta
        if meta is UNSET:
            meta = self._meta
        elif isinstance(meta, dict):
            meta = self.meta(meta)
        if not isinstance(result, CacheableResult) or kind != "complete":
            return replace(result, result_type=kind, meta=meta)
        hint = cache or self._cache
        return replace(
            result,
            result_type=kind,
            meta=meta,
            ttl_ms=hint.ttl_ms if result.ttl_ms is UNSET else result.ttl_ms,
            cache_scope=hint.cache_scope if result.cache_scope is UNSET else result.cache_scope,
        )
