"""Every kind of message that is measured: through both bindings of the core, and its floor."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import core_floor as floor
import msgspec
from core_drive import Step, open_session, through_connection, through_endpoint
from core_wire import LEGACY, fields, legacy, modern
from sansmcp_core import Connection, Context, ObjectSchema, Server
from sansmcp_core.http import Endpoint

__all__ = ["CASES", "Case", "make_case", "make_server"]

A, B = 1234567, 7654321


class Name(msgspec.Struct):
    """What ``greet`` asks for."""

    name: str


def add(a: int, b: int) -> int:
    """Add two integers."""
    return a + b


async def add_async(a: int, b: int) -> int:
    """Add two integers."""
    return a + b


def greet(ctx: Context) -> str:
    """Greet a person; asks who."""
    return f"Hello, {ctx.elicit('who', 'Who should be greeted?', Name).content.name}!"


def fail(a: int, b: int) -> int:
    """Raise."""
    raise ValueError("something that nobody expected")


def search(query: str, limit: int = 10, exact: bool = False) -> str:
    """Search the catalogue by title or author."""
    return query


RAW = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
    "required": ["a", "b"],
}


def make_server(tools: int = 1, **options: Any) -> Server:
    """A server with ``add`` and as many other tools as are asked for.

    Args:
        tools: How many in all.
        options: What else ``Server`` takes.
    """
    server = Server("bench", version="1.0", **options)
    server.tool(add, inline=True)
    for number in range(1, tools):
        server.tool(search, name=f"search_{number:03d}")
    return server


def make_server_of_every_kind() -> Server:
    """A server with a tool of each kind."""
    server = make_server()
    builder = ObjectSchema().integer("a").integer("b")
    server.tool(add, name="add_builder", inline=True, arguments=builder)
    server.tool(add, name="add_raw", inline=True, arguments=RAW)
    server.tool(add, name="add_blocking")
    server.tool(add_async)
    server.tool(greet, inline=True)
    server.tool(fail, inline=True)
    return server


class Case(NamedTuple):
    """One kind of message, ready to be served over and over."""

    name: str
    through_connection: Step
    through_endpoint: Step
    floor: Step


class Kind(NamedTuple):
    """How a case is made."""

    method: str
    params: dict[str, Any]
    make_floor: floor.Floor
    make_server: Callable[[], Server] = make_server_of_every_kind
    is_legacy: bool = False
    is_cut: bool = False
    """Whether the last bytes of the message are missing."""
    is_answer: bool = False
    """Whether it carries the client's answer to the question that it leads to."""


def call(name: str, make_floor: floor.Floor = floor.added, /, **more: Any) -> Kind:
    """A call of a tool that takes two integers."""
    params = {"name": name, "arguments": {"a": A, "b": B}}
    return Kind("tools/call", params, make_floor, **more)


def call_greet(make_floor: floor.Floor, /, **more: Any) -> Kind:
    """A call of the tool that asks."""
    return Kind("tools/call", {"name": "greet", "arguments": {}}, make_floor, **more)


INVALID = {"name": "add", "arguments": {"a": A, "b": "many"}}

CASES: dict[str, Kind] = {
    "tools/call, typed": call("add"),
    "tools/call, builder": call("add_builder"),
    "tools/call, raw schema": call("add_raw"),
    "tools/call, blocking": call("add_blocking"),
    "tools/call, async": call("add_async"),
    "tools/call, typed, legacy era": call("add", is_legacy=True),
    "tools/list, 1 tool": Kind("tools/list", {}, floor.answered(floor.Listed), make_server),
    "tools/list, 100 tools": Kind(
        "tools/list", {}, floor.answered(floor.Listed), partial(make_server, 100)
    ),
    "asks: first round": call_greet(floor.answered(floor.InputRequired)),
    "asks: second round": call_greet(floor.greeted, is_answer=True),
    "error: invalid arguments": Kind("tools/call", INVALID, floor.invalid_arguments),
    "error: the handler raises": call("fail", floor.raised),
    "error: unknown tool": call("ad", floor.answered(floor.Failed)),
    "error: unknown method": Kind("tools/run", {}, floor.answered(floor.Failed)),
    "error: no JSON": call("add", floor.unreadable, is_cut=True),
}


def make_case(name: str, server: Server | None = None) -> Case:
    """The case of that name; its three ways are checked to give the same answer.

    Args:
        name: A key of ``CASES``.
        server: What serves it; by default one that is made for it.
    """
    kind = CASES[name]
    server = kind.make_server() if server is None else server
    connection, endpoint = Connection(server), Endpoint(server)
    params = kind.params
    if kind.is_answer:
        question = through_connection(connection, modern(kind.method, **params))()
        state = msgspec.json.decode(question)["result"]["requestState"]
        answers = {"who": {"action": "accept", "content": {"name": "Ada"}}}
        params = {**params, "requestState": state, "inputResponses": answers}
    message = (legacy if kind.is_legacy else modern)(kind.method, **params)
    message = message[:-10] if kind.is_cut else message
    head_of = partial(fields, message, kind.method, params.get("name", ""))
    if kind.is_legacy:
        through_connection(connection, _handshake())()
        session = open_session(endpoint)
        head = fields(message, kind.method, version=LEGACY, session=session)
    else:
        head = head_of()
    by_line = through_connection(connection, message)
    by_post = through_endpoint(endpoint, head, message)
    case = Case(name, by_line, by_post, kind.make_floor(message, by_line()))
    _check(name, [by_line(), by_post(), case.floor()])
    return case


def _handshake() -> bytes:
    client = {"name": "bench", "version": "1.0"}
    return legacy("initialize", protocolVersion=LEGACY, capabilities={}, clientInfo=client)


def _check(name: str, answers: Sequence[bytes]) -> None:
    first, *others = (msgspec.json.decode(answer) for answer in answers)
    for other in others:
        assert other == first, f"{name}: {other} is not {first}"
