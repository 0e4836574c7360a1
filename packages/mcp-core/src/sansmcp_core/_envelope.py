"""Results and errors in, bytes of one whole message out, as the era wants them.

The one place that knows what wraps a result: ``resultType``, the server's name, and cache hints for
modern clients; none of it for legacy ones.

Source: MCP 2026-07-28 basic/index, Responses; server/utilities/caching.
"""

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET, Raw
from sansmcp_schema.jsonrpc import Error, JSONRPCErrorResponse, JSONRPCResultResponse
from sansmcp_schema.meta_keys import SERVER_INFO_KEY, SUBSCRIPTION_ID_KEY
from sansmcp_schema.results import CacheableResult, Result
from sansmcp_schema.revisions import for_revision

from ._era import MODERN, Era
from ._settings import CacheHint

if TYPE_CHECKING:
    from ._server import Server

__all__ = ["SERVER_INFO_KEY", "SUBSCRIPTION_ID_KEY", "Envelope", "encode_line"]

_encode = msgspec.json.Encoder().encode
_NEWLINE = 10


def encode_line(message: Any) -> bytes:
    """Return ``message`` as one line of JSON.

    Raises:
        Exception: The message holds what JSON has not.
    """
    data = _encode(message)
    if _NEWLINE in data:
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
        """Return the response that carries ``result``, which nobody else may hold.

        A result is completed in place; an encoded one is taken as it is.

        Raises:
            Exception: The result holds what JSON has not.
        """
        if type(result) is not Raw:
            if era is MODERN:
                self._complete(result, cache)
            else:
                result = for_revision(result, revision)
        return encode_line(JSONRPCResultResponse(id=id, result=result))

    def error(self, id: Any, code: int, message: str, data: Any = UNSET) -> bytes:
        """Return the error response; without id where the request's could not be read."""
        return encode_line(JSONRPCErrorResponse(id=id, error=Error(code, message, data)))

    def meta(self, extra: dict[str, Any]) -> dict[str, Any]:
        """Return the ``_meta`` of a modern result that has keys of its own."""
        return {**extra, **self._info}

    def _complete(self, result: Result, cache: CacheHint | None) -> None:
        if result.result_type is UNSET:
            result.result_type = "complete"
        if result.meta is UNSET:
            result.meta = self._meta
        elif isinstance(result.meta, dict):
            result.meta = self.meta(result.meta)
        if result.cacheable and result.result_type == "complete":
            assert isinstance(result, CacheableResult)
            hint = cache or self._cache
            if result.ttl_ms is UNSET:
                result.ttl_ms = hint.ttl_ms
            if result.cache_scope is UNSET:
                result.cache_scope = hint.cache_scope
