"""A hook supplies a tool's input schema anew; a broken one never takes the last good one away."""

import contextlib
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from sansmcp_core._context import Context
from sansmcp_core._errors import RegistrationError
from sansmcp_core._operation import Refused
from sansmcp_core._server import Server
from sansmcp_core._subscriptions import Listener
from sansmcp_core.testing import TestClient
from sansmcp_schema.revisions import LATEST_MODERN

CONTEXT = Context.__new__(Context)


def plain() -> None: ...


def listed(server: Server) -> list[dict[str, Any]]:
    page = server.lists.page("tools", LATEST_MODERN, None)
    assert page is not None
    tools: list[dict[str, Any]] = msgspec.json.decode(page)["tools"]
    return tools


def schema(*cities: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"city": {"enum": list(cities)}, "unit": {"type": "string"}},
        "required": ["city"],
        "additionalProperties": False,
    }


class Cities:
    """A hook that counts its calls."""

    def __init__(self) -> None:
        self.schema: Any = schema("Rome")
        self.calls = 0

    def __call__(self) -> Any:
        self.calls += 1
        if isinstance(self.schema, Exception):
            raise self.schema
        return self.schema


def weather(city: str, unit: str = "C") -> str:
    return city + unit


@pytest.fixture
def cities() -> Cities:
    return Cities()


@pytest.fixture
def server(cities: Cities) -> Server:
    server = Server("s")
    server.tool(weather, input_schema_hook=cities)
    return server


def accepts(server: Server, city: str) -> bool:
    tool = server.tools.find("weather")
    assert tool is not None
    bound = tool.bind(msgspec.json.encode({"city": city}), CONTEXT)
    return not isinstance(bound, Refused)


def offered(server: Server) -> Any:
    (tool,) = [tool for tool in listed(server) if tool["name"] == "weather"]
    return tool["inputSchema"]["properties"]["city"]["enum"]


def test_the_hooks_schema_is_listed_and_enforced(server: Server, cities: Cities) -> None:
    assert offered(server) == ["Rome"]
    assert accepts(server, "Rome")
    assert not accepts(server, "Oslo")
    assert cities.calls == 1


def test_the_hook_is_asked_again_when_the_list_is_made_again(
    server: Server, cities: Cities
) -> None:
    offered(server)
    cities.schema = schema("Oslo")
    assert offered(server) == ["Rome"]
    assert accepts(server, "Rome")
    server.tool(plain)
    assert offered(server) == ["Oslo"]
    assert accepts(server, "Oslo")
    assert not accepts(server, "Rome")
    assert cities.calls == 2


def test_refresh_asks_the_hook_and_announces_it(server: Server, cities: Cities) -> None:
    offered(server)
    woken: list[Listener] = []
    server.hub.add(Listener(["tools"], [], woken.append))
    cities.schema = schema("Oslo")
    server.refresh("weather")
    assert accepts(server, "Oslo")
    assert woken
    assert offered(server) == ["Oslo"]
    assert cities.calls == 2


BROKEN = [
    pytest.param(RuntimeError("no database"), "RuntimeError: no database", id="it raises"),
    pytest.param(None, "returned None", id="None"),
    pytest.param({"type": "array"}, "tool 'weather'", id="no object"),
    pytest.param({"type": "objekt"}, "tool 'weather'", id="malformed"),
    pytest.param("{", "tool 'weather'", id="no JSON"),
    pytest.param({"type": "object"}, "tool 'weather'", id="without the parameter"),
]


@pytest.mark.parametrize(("broken", "message"), BROKEN)
def test_a_broken_hook_is_refused_at_registration(
    cities: Cities, broken: Any, message: str
) -> None:
    cities.schema = broken
    server = Server("s")
    with pytest.raises(RegistrationError, match=message):
        server.tool(weather, input_schema_hook=cities)
    assert len(server.tools) == 0


@pytest.mark.parametrize(("broken", "message"), BROKEN)
def test_a_hook_that_breaks_at_refresh_leaves_the_last_good_schema(
    server: Server, cities: Cities, broken: Any, message: str
) -> None:
    cities.schema = broken
    with pytest.raises(RegistrationError, match=message):
        server.refresh("weather")
    assert accepts(server, "Rome")
    assert offered(server) == ["Rome"]


@pytest.mark.parametrize(("broken", "message"), BROKEN)
def test_a_hook_that_breaks_while_serving_is_reported_once(
    server: Server, cities: Cities, broken: Any, message: str
) -> None:
    offered(server)
    cities.schema = broken
    server.tool(plain)
    assert offered(server) == ["Rome"]
    assert accepts(server, "Rome")
    (report,) = server.lists.take_reports()
    assert report.level == "error"
    assert message in report.message
    assert "the last good schema stays" in report.message
    assert isinstance(report.exception, RegistrationError)
    assert list(server.lists.take_reports()) == []


def test_what_has_no_hook_cannot_be_refreshed(server: Server) -> None:
    server.tool(plain)
    with pytest.raises(RegistrationError, match="input_schema_hook"):
        server.refresh("plain")
    with pytest.raises(RegistrationError, match="no tool 'x' is registered"):
        server.refresh("x")


def test_a_hook_may_register_tools(cities: Cities) -> None:
    server = Server("s")

    def hook() -> Any:
        if server.tools.find("plain") is None:
            server.tool(plain)
        return schema("Rome")

    server.tool(weather, input_schema_hook=hook)
    assert len(listed(server)) == 2


def test_what_is_around_a_call_sees_its_context_whether_the_handler_does_or_not() -> None:
    seen: list[Any] = []

    @contextlib.contextmanager
    def around(call: Any) -> Iterator[None]:
        seen.append(call.context.request.id)
        yield

    server = Server("s")
    server.around_calls = around
    server.tool(lambda: 1, name="work", inline=True)
    with TestClient(server) as client:
        client.call_tool("work")
    assert len(seen) == 1


def test_processes_that_are_forked_share_the_key_of_request_state() -> None:
    calls: list[int] = []

    def random(count: int) -> bytes:
        calls.append(count)
        return bytes(count)

    server = Server("s", random=random)
    made = len(calls)
    assert server.sealer is not None
    assert len(calls) == made
