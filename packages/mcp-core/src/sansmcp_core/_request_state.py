"""Sealing and opening of request state: what a client carries from one round to the next.

The state is readable by the client and protected against any change: HMAC-SHA256 over the payload,
or, with ``encrypt_state``, ChaCha20-Poly1305. It is bound to the method, its target, a digest of
the decoded arguments, the principal and an expiry. Every failure is one and the same ``None``.

Source: MCP 2026-07-28 basic/patterns/mrtr, Server Requirements 3 to 5; RFC 2104; RFC 8439.
"""

import binascii
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from ._rounds import RequestState

if TYPE_CHECKING:
    from ._request import Request
    from ._targets import Target

__all__ = ["Binding", "RequestState", "Sealer", "binding_of", "canonical_json", "make_sealer"]

_KEY_BYTES = 32
_SHORTEST_KEY_BYTES = 16
_MAC_BYTES = 32
_NONCE_BYTES = 12


class Binding(msgspec.Struct, frozen=True):
    """The request that a state belongs to; it opens on no other."""

    method: str
    target: str
    arguments: bytes
    """The canonical JSON of the decoded arguments."""

    principal: str | None = None


class _Sealed(msgspec.Struct, array_like=True):
    expires_s: float
    digest: bytes
    state: RequestState


class _Protection(Protocol):
    def protect(self, payload: bytes) -> bytes: ...

    def open(self, token: bytes) -> bytes | None: ...


def binding_of(request: "Request", target: "Target") -> Binding:
    """Return what a request's state is bound to."""
    name, raw = target.bound_to
    if raw is None:
        raw = b"{}"
    try:
        arguments = canonical_json(msgspec.json.decode(raw))
    except (ValueError, RecursionError):
        # An argument that nobody reads may hold what cannot be read; then the spelling counts.
        arguments = raw
    return Binding(request.message.method, name, arguments)


def canonical_json(value: Any) -> bytes:
    """Return one spelling for equal JSON values: keys sorted, ``1.0`` written as ``1``."""
    return msgspec.json.encode(_normalised(value), order="sorted")


def _normalised(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _normalised(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_normalised(item) for item in value]
    return value


class Sealer:
    """Seals request state into a token and opens it again.

    Args:
        protection: What keeps the payload from being changed.
        ttl_s: Seconds for which a token is accepted.
    """

    def __init__(self, protection: _Protection, ttl_s: float) -> None:
        self._protection = protection
        self._ttl_s = ttl_s

    def seal(self, state: RequestState, binding: Binding, now: float) -> str:
        """Return the token for ``state``, good for this request until ``now`` plus the TTL."""
        sealed = _Sealed(now + self._ttl_s, _digest(binding), state)
        return _to_text(self._protection.protect(msgspec.json.encode(sealed)))

    def open(self, token: str, binding: Binding, now: float) -> RequestState | None:
        """Return what ``token`` holds; None where anything at all is wrong with it."""
        data = _from_text(token)
        if data is None:
            return None
        payload = self._protection.open(data)
        if payload is None:
            return None
        sealed = msgspec.json.decode(payload, type=_Sealed)
        if now >= sealed.expires_s or not _same(sealed.digest, _digest(binding)):
            return None
        return sealed.state


_TO_URL = bytes.maketrans(b"+/", b"-_")
_FROM_URL = bytes.maketrans(b"-_", b"+/")


def _to_text(data: bytes) -> str:
    return binascii.b2a_base64(data, newline=False).translate(_TO_URL).rstrip(b"=").decode()


def _from_text(token: str) -> bytes | None:
    try:
        raw = token.encode("ascii").translate(_FROM_URL)
        data = binascii.a2b_base64(raw + b"=" * (-len(raw) % 4), strict_mode=True)
    except (UnicodeEncodeError, binascii.Error):
        return None
    # The last character may have bits that mean nothing; only one spelling counts.
    return data if _to_text(data) == token else None


def make_sealer(
    keys: tuple[bytes, ...], ttl_s: float, random: Callable[[int], bytes], *, encrypt: bool
) -> Sealer:
    """Return a sealer over a key ring: the first key seals, each of them opens.

    Args:
        keys: Secrets of at least 16 bytes, newest first; empty makes a random one.
        ttl_s: Seconds for which a token is accepted.
        random: Returns as many random bytes as it is asked for.
        encrypt: Hide the payload from the client too; needs ``cryptography``.
    """
    for key in keys:
        if len(key) < _SHORTEST_KEY_BYTES:
            raise ValueError(
                f"state_keys must have at least {_SHORTEST_KEY_BYTES} bytes each, got one of "
                f"{len(key)}; make one with os.urandom(32)"
            )
    ring = keys or (random(_KEY_BYTES),)
    if encrypt:
        return Sealer(_Encrypted(ring, random), ttl_s)
    return Sealer(_Signed(ring), ttl_s)


class _Signed:
    """Payload in the clear behind its HMAC-SHA256."""

    def __init__(self, keys: tuple[bytes, ...]) -> None:
        self._keys = keys

    def protect(self, payload: bytes) -> bytes:
        return _mac(self._keys[0], payload) + payload

    def open(self, token: bytes) -> bytes | None:
        mac, payload = token[:_MAC_BYTES], token[_MAC_BYTES:]
        # Every key is tried, so that the time tells nothing of which one fits.
        fits = [_same(mac, _mac(key, payload)) for key in self._keys]
        return payload if any(fits) else None


class _Encrypted:
    """Payload encrypted with ChaCha20-Poly1305 behind its nonce."""

    def __init__(self, keys: tuple[bytes, ...], random: Callable[[int], bytes]) -> None:
        # Loaded here and nowhere else: only servers that ask for it need the package.
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415
        from cryptography.hazmat.primitives.ciphers.aead import (  # noqa: PLC0415
            ChaCha20Poly1305,
        )

        self._invalid = InvalidTag
        self._ciphers = [ChaCha20Poly1305(_mac(key, b"request state, encrypted")) for key in keys]
        self._random = random

    def protect(self, payload: bytes) -> bytes:
        nonce = self._random(_NONCE_BYTES)
        return nonce + self._ciphers[0].encrypt(nonce, payload, None)

    def open(self, token: bytes) -> bytes | None:
        nonce, sealed = token[:_NONCE_BYTES], token[_NONCE_BYTES:]
        if len(nonce) < _NONCE_BYTES:
            return None
        for cipher in self._ciphers:
            try:
                return cipher.decrypt(nonce, sealed, None)
            except self._invalid:
                continue
        return None


def _digest(binding: Binding) -> bytes:
    return _sha256(msgspec.json.encode(binding))


# hmac and hashlib cost milliseconds of start-up and most servers never ask a question, so they are
# loaded on first use, here.


def _mac(key: bytes, data: bytes) -> bytes:
    import hmac  # noqa: PLC0415

    return hmac.digest(key, data, "sha256")


def _sha256(data: bytes) -> bytes:
    import hashlib  # noqa: PLC0415

    return hashlib.sha256(data).digest()


def _same(left: bytes, right: bytes) -> bool:
    import hmac  # noqa: PLC0415

    return hmac.compare_digest(left, right)
