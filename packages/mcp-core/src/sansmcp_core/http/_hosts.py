"""``Host`` and ``Origin``: how they are read, and which of them a server answers to.

A web page can make its own name point at any address, even at this machine (DNS rebinding). Then
the browser takes the server for the page's own, and only ``Host`` and ``Origin`` tell the truth.

Source: MCP 2026-07-28 basic/transports/streamable-http, Security & Endpoint; RFC 9110 section 7.2;
RFC 6454 section 6.2.
"""

import re
from collections.abc import Callable, Sequence
from ipaddress import IPv6Address, ip_address
from typing import TypeAlias

import msgspec

__all__ = [
    "DEFAULT_PORTS",
    "Address",
    "Bound",
    "Pattern",
    "host_pattern",
    "is_bare_host",
    "is_loopback",
    "matches_any",
    "origin_pattern",
    "parse_host",
    "parse_origin",
    "read_patterns",
]

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|(?:[a-z0-9._~!$&'()*+;=-]|%[0-9a-f]{2})+)(?::([0-9]{0,5}))?")
_PORT = re.compile(r":[0-9]*\Z")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*")
DEFAULT_PORTS = {"http": 80, "https": 443}
_MAX_PORT = 65535


class Address(msgspec.Struct, frozen=True):
    """A ``Host`` or an ``Origin``, in one spelling: lower case, addresses in their short form."""

    name: str
    port: int | None = None
    """None where it is left out; in an origin also where it is the scheme's default."""
    scheme: str = ""
    """Empty in a host."""

    @property
    def authority(self) -> str:
        """``name`` or ``name:port``, as a URL holds it."""
        name = f"[{self.name}]" if ":" in self.name else self.name
        return name if self.port is None else f"{name}:{self.port}"


class Pattern(msgspec.Struct, frozen=True):
    """One entry of ``allowed_hosts``, ``allowed_origins`` or ``cors_origins``."""

    address: Address | None
    """None is ``*``."""
    any_port: bool = False

    def matches(self, address: Address) -> bool:
        """Return whether ``address``, a host or an origin like the pattern, is meant."""
        own = self.address
        if own is None:
            return True
        if own.name != address.name or own.scheme != address.scheme:
            return False
        return self.any_port or _same_port(own, address)


Parse: TypeAlias = Callable[[str], Pattern | None]


def parse_host(value: bytes | str) -> Address | None:
    """Return a ``Host``, None where it is malformed. A port is a number up to 65535, or missing."""
    text = _ascii(value)
    match = _HOST.fullmatch(text)
    if match is None:
        return None
    name, digits = match[1], match[2]
    port = int(digits) if digits else None
    if port is not None and port > _MAX_PORT:
        return None
    if name.startswith("["):
        name = _canonical(name)
        if name.startswith("["):
            return None
    return Address(name, port)


def parse_origin(value: bytes | str) -> Address | None:
    """Return an ``Origin``, None where it is malformed or ``null``."""
    scheme, separator, rest = _ascii(value).partition("://")
    host = parse_host(rest)
    if not separator or host is None or _SCHEME.fullmatch(scheme) is None or rest.endswith(":"):
        return None
    port = None if host.port == DEFAULT_PORTS.get(scheme) else host.port
    return Address(host.name, port, scheme)


def host_pattern(text: str) -> Pattern | None:
    """Return the pattern ``host``, ``host:port``, ``host:*`` or ``*``; None where it is none."""
    return _pattern(text, parse_host)


def origin_pattern(text: str) -> Pattern | None:
    """Return the pattern ``scheme://host[:port]``, ``scheme://host:*`` or ``*``, or None."""
    return _pattern(text, parse_origin)


_KINDS: dict[str, tuple[Parse, str]] = {
    "allowed_hosts": (
        host_pattern,
        '"host", "host:port", "host:*" or "*" (an IPv6 address in brackets)',
    ),
    "allowed_origins": (
        origin_pattern,
        '"scheme://host", "scheme://host:port", "scheme://host:*" or "*", without a path',
    ),
}
_KINDS["cors_origins"] = _KINDS["allowed_origins"]


def read_patterns(setting: str, texts: Sequence[str]) -> tuple[Pattern, ...]:
    """Return the patterns of a setting.

    Args:
        setting: ``allowed_hosts``, ``allowed_origins`` or ``cors_origins``.
        texts: Its value.

    Raises:
        TypeError: It is one string.
        ValueError: One of them is no such pattern; the message says what would be.
    """
    parse, expected = _KINDS[setting]
    if isinstance(texts, str):
        raise TypeError(f"{setting} is a tuple of patterns, got one string: write ({texts!r},)")
    patterns = []
    for text in texts:
        pattern = parse(text) if isinstance(text, str) else None
        if pattern is None:
            raise ValueError(f"{setting}: a pattern is {expected}; got {text!r}")
        patterns.append(pattern)
    return tuple(patterns)


def matches_any(patterns: Sequence[Pattern], address: Address) -> bool:
    """Return whether one of the patterns means ``address``."""
    return any(pattern.matches(address) for pattern in patterns)


def is_loopback(name: str) -> bool:
    """Return whether ``name`` is ``localhost`` or an address of the loopback network.

    IPv4 addresses written as IPv6 ones count.
    """
    name = _canonical(name)
    if name == "localhost":
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


def is_bare_host(text: str) -> bool:
    """Return whether ``text`` is a name or an address, in brackets or not, and nothing else."""
    try:
        ip_address(text.partition("%")[0])
    except ValueError:
        return _HOST.fullmatch(text.lower()) is not None and not _PORT.search(text)
    return True


class Bound(msgspec.Struct, frozen=True):
    """A server's own address, as far as it is known.

    Args:
        host: A name or an address; None behind a Unix socket.
        port: Its port.
        scheme: ``http`` or ``https``.
        loopback: Whether only programs of this machine reach it.
    """

    host: str | None
    port: int | None
    scheme: str
    loopback: bool

    def is_host(self, host: Address) -> bool:
        """Return whether ``host`` is this address; it may leave out the port."""
        return self._is_name(host.name) and host.port in (None, self.port)

    def is_origin(self, origin: Address) -> bool:
        """Return whether ``origin`` is a page that this very server has sent."""
        port = origin.port or DEFAULT_PORTS.get(origin.scheme)
        return self._is_name(origin.name) and (origin.scheme, port) == (self.scheme, self.port)

    def _is_name(self, name: str) -> bool:
        if self.host is None:
            return False
        return name == _canonical(self.host) or (is_loopback(self.host) and is_loopback(name))


def _ascii(value: bytes | str) -> str:
    """Return ``value`` in lower case; what is not ASCII becomes what no name may hold."""
    if isinstance(value, str):
        value = value.encode("utf-8", "surrogatepass")
    return value.strip(b" \t").decode("ascii", "replace").lower()


def _canonical(name: str) -> str:
    """Return an address in its short form without brackets, any other name in lower case."""
    name = name.lower()
    bare = name.removeprefix("[").removesuffix("]")
    try:
        address = ip_address(bare.partition("%")[0])
    except ValueError:
        return name
    if isinstance(address, IPv6Address):
        return str(address.ipv4_mapped or address)
    # Brackets are for IPv6 only.
    return name


def _pattern(text: str, parse: Callable[[str], Address | None]) -> Pattern | None:
    if text == "*":
        return Pattern(None)
    base = text.removesuffix(":*")
    address = parse(base)
    any_port = base != text
    if address is None or "*" in address.name or (any_port and ":" in _after_name(base)):
        return None
    return Pattern(address, any_port)


def _after_name(base: str) -> str:
    """Return what follows the name in ``[scheme://]name[:port]``."""
    rest = base.partition("://")[2] or base
    return rest.rpartition("]")[2]


def _same_port(own: Address, other: Address) -> bool:
    if own.port == other.port:
        return True
    # Which scheme the client used nobody knows for sure behind a proxy, so a host without a port
    # is the same as one with either default port.
    return not own.scheme and {own.port, other.port} in ({None, 80}, {None, 443})
