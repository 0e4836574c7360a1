"""A server is declared once, by decorators or calls, before and while it is served."""

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any, assert_type

import msgspec
import pytest
from sansmcp_core._context import Context
from sansmcp_core._errors import RegistrationError
from sansmcp_core._operation import Mode, Refused
from sansmcp_core._server import Server
from sansmcp_core._settings import Settings
from sansmcp_core._subscriptions import Kind, Listener
from sansmcp_schema.revisions import LATEST_LEGACY, LATEST_MODERN, REVISIONS

KINDS: tuple[Kind, ...] = ("tools", "prompts", "resources")
CONTEXT = Context.__new__(Context)


def plain(x: int = 0) -> int:
    return x


async def waits(x: int = 0) -> int:
    return x


def proposes(value: str) -> list[str]:
    return [value]


def listed(server: Server, revision: str = LATEST_MODERN) -> list[dict[str, Any]]:
    page = server.lists.page("tools", revision, None)
    assert page is not None
    tools: list[dict[str, Any]] = msgspec.json.decode(page)["tools"]
    return tools


# Decorators


def test_decorators_give_the_function_back_unchanged() -> None:
    server = Server("s")
    assert server.tool(plain) is plain
    assert server.tool(name="b")(plain) is plain
    assert server.tool(plain, name="c") is plain
    assert server.prompt(plain) is plain
    assert server.prompt(name="b")(plain) is plain
    assert server.resource("x://{x}")(plain) is plain
    assert server.resource("y://{x}", plain) is plain
    assert server.completion("plain", "x")(proposes) is proposes
    assert [tool.name for tool in server.tools.entries()] == ["plain", "b", "c"]
    assert [prompt.name for prompt in server.prompts.entries()] == ["plain", "b"]
    assert len(server.resources) == 2
    assert len(server.completions) == 1


async def test_decorators_keep_the_type_of_the_function() -> None:
    server = Server("s")

    @server.tool
    def bare(x: int) -> str:
        return str(x)

    @server.tool(title="With options")
    def with_options(x: int) -> str:
        return str(x)

    @server.prompt
    def prompt(x: str) -> str:
        return x

    @server.resource("x://{x}")
    def resource(x: str) -> str:
        return x

    @server.completion("prompt", "x")
    async def complete(value: str) -> list[str]:
        return [value]

    # What is Any passes no assert_type, so these fail in the type check, not here.
    assert_type(bare(1), str)
    assert_type(with_options(1), str)
    assert_type(prompt(""), str)
    assert_type(resource(""), str)
    assert_type(await complete(""), list[str])


def test_a_name_in_the_place_of_the_function_is_explained() -> None:
    with pytest.raises(RegistrationError, match=r"options go by keyword.*name="):
        Server("s").tool("add")  # type: ignore[call-overload]


def test_a_duplicate_tool_names_the_one_there_is() -> None:
    server = Server("s")
    server.tool(plain)
    with pytest.raises(
        RegistrationError, match=r"'plain' is already registered.*test_server.plain"
    ):
        server.tool(waits, name="plain")


def test_a_failed_registration_leaves_nothing_behind() -> None:
    server = Server("s")

    def broken(x: complex) -> None: ...

    with pytest.raises(RegistrationError):
        server.tool(broken)
    assert len(server.tools) == 0
    assert server.tools.version == 0


def test_an_odd_tool_name_warns_where_it_is_written() -> None:
    server = Server("s")
    with pytest.warns(UserWarning, match="outside what clients") as caught:
        server.tool(plain, name="two words")
    assert caught[0].filename == __file__
    with pytest.warns(UserWarning, match="outside what clients") as caught:
        server.tool(name="three odd words")(plain)
    assert caught[0].filename == __file__
    with pytest.warns(UserWarning, match="outside what clients") as caught:
        server.add_tool({"name": "a b", "inputSchema": {"type": "object"}}, lambda arguments: 1)
    assert caught[0].filename == __file__


# What the server says about itself


def test_the_server_describes_itself() -> None:
    server = Server(
        "s",
        "1.0",
        title="S",
        description="Serves.",
        website_url="https://example.com",
        icons=[{"src": "https://example.com/i.png"}],
        instructions="Ask.",
    )
    assert msgspec.to_builtins(server.info) == {
        "name": "s",
        "version": "1.0",
        "title": "S",
        "description": "Serves.",
        "websiteUrl": "https://example.com",
        "icons": [{"src": "https://example.com/i.png"}],
    }
    assert server.instructions == "Ask."


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": ""}, "a server needs a name"),
        ({"name": "s", "icons": [{"src": "file:///x"}]}, "use https:"),
        ({"name": "s", "settings": Settings(extensions={"x": {}})}, "needs an identifier"),
        ({"name": "s", "settings": Settings(page_size=0)}, "page_size"),
    ],
)
def test_a_wrong_description_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises((RegistrationError, ValueError), match=message):
        Server(**arguments)


def test_a_lifespan_is_kept_for_whoever_serves() -> None:
    @contextlib.contextmanager
    def lifespan(server: Server) -> Iterator[str]:
        yield server.info.name

    server = Server("s", lifespan=lifespan)
    assert server.lifespan is lifespan


# Capabilities


def capabilities(server: Server, revision: str = LATEST_MODERN) -> Any:
    return msgspec.to_builtins(server.capabilities(revision))


@pytest.mark.parametrize("revision", REVISIONS)
def test_an_empty_server_offers_logging_alone(revision: str) -> None:
    assert capabilities(Server("s"), revision) == {"logging": {}}
    assert capabilities(Server("s", settings=Settings(logging=False)), revision) == {}


def full_server(**settings: Any) -> Server:
    server = Server("s", settings=Settings(**settings))
    server.tool(plain)
    server.prompt(plain)
    server.resource("x://y", lambda: "", name="y")
    server.completion("plain", "x", lambda value: [])
    return server


FULL = {
    "logging": {},
    "completions": {},
    "tools": {"listChanged": True},
    "prompts": {"listChanged": True},
    "resources": {"subscribe": True, "listChanged": True},
}


@pytest.mark.parametrize("revision", REVISIONS)
def test_what_is_registered_is_offered(revision: str) -> None:
    expected = dict(FULL)
    if revision == "2024-11-05":
        del expected["completions"]
    assert capabilities(full_server(), revision) == expected


def test_a_frozen_server_says_that_its_lists_do_not_change() -> None:
    server = full_server()
    server.freeze()
    assert capabilities(server) == {
        **FULL,
        "tools": {},
        "prompts": {},
        "resources": {"subscribe": True},
    }


def test_settings_offer_what_is_not_there_yet() -> None:
    server = Server(
        "s",
        settings=Settings(
            offer_tools=True,
            offer_resources=True,
            offer_prompts=True,
            offer_completions=True,
            extensions={"com.example/x": {"a": 1}},
            experimental={"y": {}},
        ),
    )
    assert capabilities(server) == {
        **FULL,
        "extensions": {"com.example/x": {"a": 1}},
        "experimental": {"y": {}},
    }
    assert "extensions" not in capabilities(server, LATEST_LEGACY)


def test_what_is_disabled_stays_offered_since_it_may_come_back() -> None:
    server = full_server()
    server.tools.disable("plain")
    assert capabilities(server) == FULL


def test_a_template_alone_offers_resources() -> None:
    server = Server("s")
    server.resource("x://{x}", plain)
    assert "resources" in capabilities(server)


# Changes


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        pytest.param(lambda s: s.tool(waits), "tools", id="add a tool"),
        pytest.param(lambda s: s.tools.remove("plain"), "tools", id="remove a tool"),
        pytest.param(lambda s: s.tools.disable("plain"), "tools", id="disable a tool"),
        pytest.param(lambda s: s.prompt(waits), "prompts", id="add a prompt"),
        pytest.param(lambda s: s.prompts.remove("plain"), "prompts", id="remove a prompt"),
        pytest.param(lambda s: s.resource("x://{x}", plain), "resources", id="add a template"),
        pytest.param(lambda s: s.resources.remove("x://y"), "resources", id="remove a resource"),
    ],
)
def test_each_change_is_announced_by_itself(change: Callable[[Server], Any], kind: Kind) -> None:
    server = full_server()
    woken: list[Listener] = []
    listener = Listener(KINDS, ["x://y"], woken.append)
    assert server.hub.add(listener)
    change(server)
    assert woken == [listener]
    assert server.hub.take(listener).kinds == (kind,)
    server.resource_updated("x://y")
    assert server.hub.take(listener).uris == ("x://y",)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda s: s.tool(waits), id="add a tool"),
        pytest.param(
            lambda s: s.add_tool({"name": "n", "inputSchema": {}}, plain), id="definition"
        ),
        pytest.param(lambda s: s.tools.remove("plain"), id="remove a tool"),
        pytest.param(lambda s: s.tools.enable("plain"), id="enable a tool"),
        pytest.param(lambda s: s.refresh("plain"), id="refresh a tool"),
        pytest.param(lambda s: s.prompt(waits), id="add a prompt"),
        pytest.param(lambda s: s.resource("z://z", plain), id="add a resource"),
        pytest.param(lambda s: s.resource("x://{x}", plain), id="add a template"),
        pytest.param(lambda s: s.resources.disable("x://y"), id="disable a resource"),
        pytest.param(lambda s: s.completions.remove("plain", "x"), id="remove a completer"),
    ],
)
def test_after_freeze_every_change_is_an_error(change: Callable[[Server], Any]) -> None:
    server = full_server()
    server.freeze()
    with pytest.raises(RegistrationError):
        change(server)


def test_threads_may_register_tools_while_the_list_is_served() -> None:
    server = Server("s")
    threads, each = 4, 50
    begin = threading.Barrier(threads + 1, timeout=10)

    def register(number: int) -> None:
        begin.wait()
        for index in range(each):
            server.tool(plain, name=f"t{number}.{index}")

    workers = [threading.Thread(target=register, args=(number,)) for number in range(threads)]
    for worker in workers:
        worker.start()
    begin.wait()
    seen = 0
    while any(worker.is_alive() for worker in workers):
        count = len(listed(server))
        assert count >= seen
        seen = count
    for worker in workers:
        worker.join(timeout=30)
    names = [tool["name"] for tool in listed(server)]
    assert len(names) == len(set(names)) == threads * each


# Getting ready


def test_async_handlers_are_refused_where_nobody_can_run_them() -> None:
    server = Server("s")
    server.tool(plain)
    assert not server.has_async_handlers
    server.prepare(async_handlers=False)
    with pytest.raises(RegistrationError, match="write the handler with def"):
        server.tool(waits)
    with pytest.raises(RegistrationError, match="write the handler with def"):
        server.prompt(waits)
    with pytest.raises(RegistrationError, match="write the handler with def"):
        server.resource("x://{x}", waits)
    server.tool(plain, name="another")


@pytest.mark.parametrize(
    "register",
    [
        pytest.param(lambda s: s.tool(waits), id="tool"),
        pytest.param(lambda s: s.prompt(waits), id="prompt"),
        pytest.param(lambda s: s.resource("x://{x}", waits), id="template"),
        pytest.param(lambda s: (s.tool(waits), s.tools.disable("waits")), id="disabled"),
    ],
)
def test_any_async_handler_counts(register: Callable[[Server], Any]) -> None:
    server = Server("s")
    register(server)
    assert server.has_async_handlers
    server.prepare(async_handlers=True)
    with pytest.raises(RegistrationError, match="is async"):
        server.prepare(async_handlers=False)


def test_a_name_defined_in_the_function_around_is_found() -> None:
    class Local(msgspec.Struct):
        x: int

    server = Server("s")

    @server.tool
    def by_decorator(local: "Local") -> int:
        return local.x

    @server.tool(name="with_options")
    def with_options(local: "Local") -> int:
        return local.x

    server.tool(by_decorator, name="by_call")
    for tool in server.tools.entries():
        bound = tool.bind(b'{"local":{"x":1}}', CONTEXT)
        assert not isinstance(bound, Refused)
        assert tool.function(*bound.args, **bound.kwargs) == 1


def test_a_name_defined_later_is_found_when_serving_starts() -> None:
    server = Server("s")

    @server.tool
    def late(later: "Later") -> int:
        return later.x

    class Later(msgspec.Struct):
        x: int

    server.prepare()
    assert listed(server)[0]["inputSchema"]["required"] == ["later"]


def test_a_name_that_is_never_defined_is_an_error_by_parameter_and_name() -> None:
    server = Server("s")

    def lost(thing: "Nowhere") -> None: ...  # type: ignore[name-defined]  # noqa: F821

    server.tool(lost)
    with pytest.raises(RegistrationError, match=r"'lost', parameter 'thing'.*'Nowhere'"):
        server.prepare()


def test_once_serving_a_name_that_is_not_defined_is_an_error_at_once() -> None:
    server = Server("s")
    server.prepare()

    def lost(thing: "Nowhere") -> None: ...  # type: ignore[name-defined]  # noqa: F821

    with pytest.raises(RegistrationError, match="'Nowhere'"):
        server.tool(lost)


def test_a_server_can_be_prepared_again_and_again() -> None:
    server = full_server()
    server.prepare()
    server.prepare()
    tool = server.tools.find("plain")
    assert tool is not None
    assert tool.mode is Mode.BLOCKING
