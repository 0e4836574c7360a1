"""Pagination cursors: a place in a list that survives changes and cannot be made up.

A cursor names the last entry that was sent, by its serial number and a digest of its key, and
carries a MAC over that and the list it belongs to.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._protocols import Place

__all__ = ["Cursors"]

_SERIAL_BYTES = 8
_INSTANCE_BYTES = 8
_DIGEST_BYTES = 8
_MAC_BYTES = 16
_CURSOR_CHARS = 2 * (_SERIAL_BYTES + _INSTANCE_BYTES + _DIGEST_BYTES + _MAC_BYTES)
_KEY_BYTES = 32


class Cursors:
    """Makes cursors, and finds the place that one stands for.

    Args:
        server_name: Cursors of another server are refused even where it shares the keys.
        keys: Secrets, newest first: the first one signs, each of them is accepted. Empty makes a
            random one, good in this process.
        random: Gives as many random bytes as it is asked for.
        max_chars: A longer cursor is not looked at.
    """

    def __init__(
        self,
        server_name: str,
        keys: tuple[bytes, ...],
        random: Callable[[int], bytes],
        max_chars: int,
    ) -> None:
        self._server_name = server_name
        self._keys = keys or (random(_KEY_BYTES),)
        self._instance = random(_INSTANCE_BYTES)
        self._max_chars = max_chars

    def after(self, kind: str, place: "Place") -> str:
        """The cursor for what follows ``place`` in the list ``kind``."""
        serial = place.serial.to_bytes(_SERIAL_BYTES, "big")
        body = serial + self._instance + _digest(place.key)
        return (body + self._mac(self._keys[0], kind, body)).hex()

    def start(self, kind: str, places: "Sequence[Place]", cursor: str) -> int | None:
        """The index in ``places`` where the page behind ``cursor`` starts.

        ``None`` for what this server, or one that shares its keys, never issued for this list.
        """
        if len(cursor) != _CURSOR_CHARS or len(cursor) > self._max_chars:
            return None
        try:
            token = bytes.fromhex(cursor)
        except ValueError:
            return None
        # fromhex takes capitals and spaces, which no cursor of ours has.
        if token.hex() != cursor:
            return None
        body, mac = token[:-_MAC_BYTES], token[-_MAC_BYTES:]
        # Every key is tried, so that the time tells nothing of which one fits.
        fits = [_same(mac, self._mac(key, kind, body)) for key in self._keys]
        if not any(fits):
            return None
        serial = int.from_bytes(body[:_SERIAL_BYTES], "big")
        instance = body[_SERIAL_BYTES : _SERIAL_BYTES + _INSTANCE_BYTES]
        if instance != self._instance:
            # Another process may have counted differently; the name of the entry counts first.
            digest = body[_SERIAL_BYTES + _INSTANCE_BYTES :]
            for index, place in enumerate(places):
                if _digest(place.key) == digest:
                    return index + 1
        return bisect_right(places, serial, key=_serial_of)

    def _mac(self, key: bytes, kind: str, body: bytes) -> bytes:
        # The label keeps these apart from other uses of the same keys.
        label = f"list cursor\0{kind}\0{self._server_name}\0".encode("utf-8", "surrogatepass")
        return _hmac(key, label + body)[:_MAC_BYTES]


# hmac and hashlib cost milliseconds of start-up and few servers paginate, so they are loaded on
# first use, here.


def _hmac(key: bytes, data: bytes) -> bytes:
    import hmac  # noqa: PLC0415

    return hmac.digest(key, data, "sha256")


def _same(left: bytes, right: bytes) -> bool:
    import hmac  # noqa: PLC0415

    return hmac.compare_digest(left, right)


def _serial_of(place: "Place") -> int:
    return place.serial


def _digest(key: str) -> bytes:
    import hashlib  # noqa: PLC0415

    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()[:_DIGEST_BYTES]
