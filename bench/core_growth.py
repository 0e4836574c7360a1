"""Whether a message costs more where much is registered or open: tools, sessions, listeners."""

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import msgspec
from core_cases import make_case, make_server
from core_drive import (
    NOW,
    Step,
    carry_out,
    open_exchange,
    open_session,
    through_connection,
    through_endpoint,
)
from core_timing import Cell
from core_wire import LEGACY, fields, legacy, modern
from sansmcp_core import Connection, Server, Settings
from sansmcp_core.http import Endpoint, Exchange

__all__ = ["GROWTHS", "Growth", "with_listeners", "with_sessions", "with_tools"]

PAGE = 50
CALL_BY_LINE = "tools/call, Connection"
CALL_BY_POST = "tools/call, Endpoint"
PAGE_BY_LINE = f"tools/list, a page of {PAGE} in the middle"
MODERN_CALL = "tools/call, modern"
LEGACY_CALL = "tools/call in one of the sessions"
TOLD_BY_LINE = "a change told, each listener, Connection"
TOLD_BY_POST = "a change told, each listener, Endpoint"
CALL = {"name": "add", "arguments": {"a": 1, "b": 2}}


class Growth(NamedTuple):
    """One table: what is measured beside so many of something."""

    title: str
    unit: str
    rows: Sequence[str]
    cells: Callable[[int], list[Cell]]
    """Makes so many of it; returns a cell for each row that there can be."""


# -- tools ----------------------------------------------------------------------------------------


def with_tools(count: int) -> list[Cell]:
    """Messages to a server with so many tools."""
    with _no_collection():
        server = make_server(count, settings=Settings(page_size=PAGE))
    case = make_case("tools/call, typed", server)
    column = f"{count:,}"
    cells = [
        Cell(CALL_BY_LINE, column, case.through_connection),
        Cell(CALL_BY_POST, column, case.through_endpoint),
    ]
    pages = _pages(Connection(server))
    if len(pages) > 1:
        cells.append(Cell(PAGE_BY_LINE, column, pages[-1]))
    return cells


def _pages(connection: Connection) -> list[Step]:
    """What asks for each page, up to the middle one."""
    asks: list[Step] = []
    step = through_connection(connection, modern("tools/list"))
    while True:
        asks.append(step)
        cursor = msgspec.json.decode(step())["result"].get("nextCursor")
        if cursor is None:
            return asks[: len(asks) // 2 + 1]
        step = through_connection(connection, modern("tools/list", cursor=cursor))


# -- sessions -------------------------------------------------------------------------------------


def with_sessions(count: int) -> list[Cell]:
    """Messages to an endpoint with so many legacy sessions."""
    endpoint = Endpoint(make_server())
    with _no_collection():
        sessions = [open_session(endpoint) for _ in range(count)]
    column = f"{count:,}"
    call, old = modern("tools/call", **CALL), legacy("tools/call", **CALL)
    head = fields(call, "tools/call", "add")
    session = sessions[count // 2]
    old_head = fields(old, "tools/call", version=LEGACY, session=session)
    return [
        Cell(MODERN_CALL, column, through_endpoint(endpoint, head, call)),
        Cell(LEGACY_CALL, column, through_endpoint(endpoint, old_head, old)),
    ]


# -- listeners ------------------------------------------------------------------------------------


class Listening:
    """One ``subscriptions/listen`` of an endpoint; is in ``woken`` while it has things to say."""

    __slots__ = ("exchange", "woken")

    def __init__(self, endpoint: Endpoint, woken: "list[Listening]", message: bytes) -> None:
        self.woken = woken
        head = fields(message, "subscriptions/listen")
        self.exchange: Exchange = open_exchange(endpoint, head, self.wake)
        self.exchange.begin(NOW)
        effects = self.exchange.receive(message, False, NOW)
        assert len(effects) > 1, effects  # the head, and the acknowledgement

    def wake(self) -> None:
        """Note that it has something to say."""
        self.woken.append(self)


def with_listeners(count: int) -> list[Cell]:
    """Messages to a server with so many listeners, and what a change costs for each of them."""
    notifications = {"toolsListChanged": True}
    listened, posted = make_server(2), make_server(2)
    connection, endpoint = Connection(listened), Endpoint(posted)
    woken: list[Listening] = []
    with _no_collection():
        for number in range(count):
            message = modern("subscriptions/listen", 10 + number, notifications=notifications)
            assert b"acknowledged" in through_connection(connection, message)()
            Listening(endpoint, woken, message)
    assert endpoint.exchanges_open == count

    def tell_by_lines() -> None:
        _change(listened)
        told = carry_out(connection.pending(NOW))
        assert told.count(b"list_changed") == 1, (
            told
        )  # each has a Send of its own; this is the last

    def tell_by_events() -> None:
        _change(posted)
        assert len(woken) == count, len(woken)
        for listening in woken:
            listening.exchange.pending(NOW)
        woken.clear()

    column = f"{count:,}"
    call = modern("tools/call", **CALL)
    by_post = through_endpoint(endpoint, fields(call, "tools/call", "add"), call)
    return [
        Cell(CALL_BY_LINE, column, through_connection(connection, call)),
        Cell(CALL_BY_POST, column, by_post),
        Cell(TOLD_BY_LINE, column, tell_by_lines, count),
        Cell(TOLD_BY_POST, column, tell_by_events, count),
    ]


def _change(server: Server) -> None:
    name = "search_001"
    if server.tools.find(name) is None:
        server.tools.enable(name)
    else:
        server.tools.disable(name)


@contextmanager
def _no_collection() -> Iterator[None]:
    """Make much, all of which stays, without looking for garbage in it again and again."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


GROWTHS: Sequence[Growth] = (
    Growth("Tools registered", "tools", (CALL_BY_LINE, CALL_BY_POST, PAGE_BY_LINE), with_tools),
    Growth("Legacy sessions open", "sessions", (MODERN_CALL, LEGACY_CALL), with_sessions),
    Growth(
        "Listeners open",
        "listeners",
        (CALL_BY_LINE, CALL_BY_POST, TOLD_BY_LINE, TOLD_BY_POST),
        with_listeners,
    ),
)
