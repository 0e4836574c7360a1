"""The HTTP binding: requests in, effects out, no I/O.

An adapter owns an ``Endpoint``, opens an ``Exchange`` for each request, and carries out its
effects. Each name is loaded when it is first used.

Source: MCP 2026-07-28 basic/transports/streamable-http; 2025-11-25 basic/transports.
"""

from importlib import import_module

# Type checkers take it for true, and `typing` is not loaded for it.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from .._effects import Data as Data
    from .._effects import EndOfMessage as EndOfMessage
    from .._effects import Respond as Respond
    from .._effects import Response as Response
    from ._endpoint import Endpoint as Endpoint
    from ._events import EventStore as EventStore
    from ._events import MemoryEventStore as MemoryEventStore
    from ._exchange import Exchange as Exchange
    from ._head import RequestHead as RequestHead
    from ._header_values import decode_header_value as decode_header_value
    from ._header_values import encode_header_value as encode_header_value
    from ._names import LAST_EVENT_ID as LAST_EVENT_ID
    from ._names import MCP_METHOD as MCP_METHOD
    from ._names import MCP_NAME as MCP_NAME
    from ._names import MCP_PARAM_PREFIX as MCP_PARAM_PREFIX
    from ._names import MCP_PROTOCOL_VERSION as MCP_PROTOCOL_VERSION
    from ._names import MCP_SESSION_ID as MCP_SESSION_ID
    from ._settings import HttpSettings as HttpSettings

_NAMES = {
    ".._effects": ("Data", "EndOfMessage", "Respond", "Response"),
    "._endpoint": ("Endpoint",),
    "._events": ("EventStore", "MemoryEventStore"),
    "._exchange": ("Exchange",),
    "._head": ("RequestHead",),
    "._header_values": ("decode_header_value", "encode_header_value"),
    "._names": (
        "LAST_EVENT_ID",
        "MCP_METHOD",
        "MCP_NAME",
        "MCP_PARAM_PREFIX",
        "MCP_PROTOCOL_VERSION",
        "MCP_SESSION_ID",
    ),
    "._settings": ("HttpSettings",),
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names}

__all__ = [
    "LAST_EVENT_ID",
    "MCP_METHOD",
    "MCP_NAME",
    "MCP_PARAM_PREFIX",
    "MCP_PROTOCOL_VERSION",
    "MCP_SESSION_ID",
    "Data",
    "EndOfMessage",
    "Endpoint",
    "EventStore",
    "Exchange",
    "HttpSettings",
    "MemoryEventStore",
    "RequestHead",
    "Respond",
    "Response",
    "decode_header_value",
    "encode_header_value",
]


def __getattr__(name: str) -> object:
    """Load the module that holds ``name``, once."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(home, __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
