"""A call that failed leaves nothing in memory, whatever it failed of."""

import gc
import json
from collections.abc import Callable
from typing import Annotated, Any

import pytest
from sansmcp_core import Connection, Report, Run, Server
from sansmcp_schema.declare import Parameter

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
CALL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "work", "arguments": {"value": 1}, "_meta": META},
}
LINE = json.dumps(CALL).encode() + b"\n"


def infinite(value: int) -> float:
    return value * float("inf")


def raising(value: int) -> float:
    raise ValueError(value)


def _refuse(value: Any) -> Any:
    raise RuntimeError(value)


def unconvertible(value: Annotated[int, Parameter(advertised=int, convert=_refuse)]) -> int:
    return value


def alive() -> int:
    gc.collect()
    return sum(type(thing) is Report for thing in gc.get_objects())


def serve(connection: Connection) -> None:
    for effect in connection.receive(LINE, 0.0):
        if isinstance(effect, Run):
            try:
                value = effect.call.invoke()
            except ValueError as error:
                effect.call.failed(error, 0.0)
            else:
                effect.call.completed(value, 0.0)


@pytest.mark.parametrize("function", [infinite, raising, unconvertible])
def test_the_report_of_a_failed_call_is_freed_with_what_it_holds(
    function: Callable[..., Any],
) -> None:
    server = Server("s")
    server.tool(function, name="work", inline=True)
    connection = Connection(server)
    before = alive()
    for _ in range(20):
        serve(connection)
    assert alive() == before
