"""Carries messages through a ``Connection`` and an ``Endpoint`` as an adapter does, without I/O.

Blocking handlers run in this thread, and async ones take the one step that they need.
"""

from collections.abc import Callable, Coroutine
from typing import Any, TypeAlias

from core_wire import LEGACY, Fields, fields, legacy
from sansmcp_core import Call, Connection, Effect, Mode, Respond, Run, Send
from sansmcp_core.http import Endpoint, Exchange, RequestHead

__all__ = [
    "NOW",
    "Step",
    "carry_out",
    "open_exchange",
    "open_session",
    "through_connection",
    "through_endpoint",
]

NOW = 1_800_000_000.0

Step: TypeAlias = Callable[[], bytes]
"""Serves one message; returns what is written."""


def through_connection(connection: Connection, message: bytes) -> Step:
    """What serves ``message`` as a line."""
    receive = connection.receive
    line = message + b"\n"
    return lambda: carry_out(receive(line, NOW))


def through_endpoint(endpoint: Endpoint, head: Fields, message: bytes) -> Step:
    """What serves ``message`` as the body of a POST."""

    def step() -> bytes:
        exchange = open_exchange(endpoint, head, _stay_asleep)
        effects = exchange.begin(NOW)
        if exchange.wants_body:
            effects = exchange.receive(message, False, NOW)
        return carry_out(effects)

    return step


def open_exchange(endpoint: Endpoint, head: Fields, wake: Callable[[], None]) -> Exchange:
    """The exchange of a POST; its ``begin`` comes next."""
    return endpoint.open(RequestHead("POST", "/mcp", head, "http", "127.0.0.1", 8000), wake)


def open_session(endpoint: Endpoint) -> str:
    """The id of a new legacy session, ready for requests."""
    params = {
        "protocolVersion": LEGACY,
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1.0"},
    }
    hello = legacy("initialize", **params)
    exchange = open_exchange(endpoint, fields(hello, "", version=LEGACY), _stay_asleep)
    exchange.begin(NOW)
    (answer,) = exchange.receive(hello, False, NOW)
    assert isinstance(answer, Respond)
    session = dict(answer.headers)[b"mcp-session-id"].decode()
    ready = legacy("notifications/initialized", None)
    head = fields(ready, "", version=LEGACY, session=session)
    through_endpoint(endpoint, head, ready)()
    return session


def carry_out(effects: list[Effect]) -> bytes:
    """Run what is to be run; return what was written last."""
    written = b""
    for effect in effects:
        kind = type(effect)
        if kind is Run:
            written = carry_out(_run(effect.call))  # type: ignore[union-attr]
        elif kind is Send:
            written = effect.data  # type: ignore[union-attr]
        elif kind is Respond:
            written = effect.body  # type: ignore[union-attr]
    return written


def _run(call: Call) -> list[Effect]:
    # A function of its own: the exception's traceback holds this frame, and so no effects.
    try:
        value = call.invoke()
        if call.mode is Mode.ASYNC:
            value = _one_step(value)
    except BaseException as error:  # noqa: BLE001 - as adapters do
        return call.failed(error, NOW)
    return call.completed(value, NOW)


def _one_step(coroutine: Coroutine[Any, Any, Any]) -> Any:
    try:
        coroutine.send(None)
    except StopIteration as end:
        return end.value
    raise AssertionError("this handler waits for something; here is no event loop")


def _stay_asleep() -> None:
    """Do nothing: all is looked after at once."""
