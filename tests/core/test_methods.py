"""Every method once per era and revision: what its raw result holds, and that it is valid."""

from typing import Any

import mcp_types._v2025_11_25 as v2025_11_25
import mcp_types._v2026_07_28 as v2026_07_28
import pytest
from core_peer import MODERN, Peer, initialize, legacy, meta, modern
from official_schema import check_message
from sansmcp_core import (
    CacheHint,
    Completion,
    Context,
    Server,
    Settings,
    annotations,
    audio,
    embedded_blob,
    embedded_text,
    image,
    resource_link,
    text,
)
from sansmcp_core._methods import METHODS
from sansmcp_core.testing import TestClient
from sansmcp_schema.revisions import LEGACY_REVISIONS, REVISIONS

SERVER_INFO = "io.modelcontextprotocol/serverInfo"
MODELS: dict[str, Any] = {"2025-11-25": v2025_11_25, MODERN: v2026_07_28}
ICON = {"src": "https://example.com/i.png", "mimeType": "image/png", "sizes": ["48x48"]}


def make_server(**settings: Any) -> Server:
    server = Server(
        "methods",
        "1.2.3",
        title="Methods",
        description="Every method",
        website_url="https://example.com/",
        icons=[ICON],
        instructions="Call them all \u2014 \u2713",
        settings=Settings(**settings),
    )

    @server.tool(title="Adder", read_only=True, icons=[ICON], meta={"example.com/a": 1})
    def add(a: float, b: float = 2) -> float:
        """Add two numbers."""
        return a + b

    @server.tool
    def blocks() -> list[Any]:
        return [
            text("t", annotations=annotations(audience=["user"], priority=0.5)),
            image(b"i", "image/png"),
            audio(b"a", "audio/wav"),
            resource_link("a://b", "b"),
            embedded_text("a://t", "t"),
            embedded_blob("a://b", b"b", mime_type="application/x"),
        ]

    @server.tool
    def chatty(ctx: Context) -> list[int]:
        ctx.report_progress(1, total=2, message="half")
        ctx.log("error", {"a": [1]}, logger="l")
        return [1]

    @server.resource("a://b", title="B", mime_type="text/plain", cache=CacheHint(ttl_ms=7))
    def b() -> str:
        return "b"

    @server.resource("a://x/{y}")
    def x(y: str) -> bytes:
        return y.encode()

    @server.prompt(title="Hello")
    def hello(who: str) -> str:
        """Greet."""
        return f"Hello, {who}"

    @server.completion("hello", "who")
    def propose(value: str) -> Completion:
        return Completion(values=["you"], total=5, has_more=True)

    return server


# method -> parameters; what is None does not exist in that era
SHARED: dict[str, dict[str, Any]] = {
    "tools/list": {},
    "tools/call": {"name": "blocks"},
    "resources/list": {},
    "resources/templates/list": {},
    "resources/read": {"uri": "a://x/z"},
    "prompts/list": {},
    "prompts/get": {"name": "hello", "arguments": {"who": "you"}},
    "completion/complete": {
        "ref": {"type": "ref/prompt", "name": "hello"},
        "argument": {"name": "who", "value": ""},
    },
}
MODERN_ONLY: dict[str, dict[str, Any]] = {
    "server/discover": {},
    "subscriptions/listen": {"notifications": {}},
}
LEGACY_ONLY: dict[str, dict[str, Any]] = {
    "initialize": initialize()["params"],
    "ping": {},
    "logging/setLevel": {"level": "info"},
    "resources/subscribe": {"uri": "a://b"},
    "resources/unsubscribe": {"uri": "a://b"},
}
CACHEABLE = {
    "server/discover",
    "tools/list",
    "resources/list",
    "resources/templates/list",
    "prompts/list",
    "resources/read",
}


def test_the_tests_know_every_method() -> None:
    assert set(METHODS) == {*SHARED, *MODERN_ONLY, *LEGACY_ONLY}


@pytest.mark.parametrize("method", [*SHARED, "server/discover"])
def test_a_modern_result_says_what_it_is_who_answers_and_how_long_it_keeps(method: str) -> None:
    params = {**SHARED, **MODERN_ONLY}[method]
    answer = Peer(make_server()).one(modern(1, method, **params))
    result = answer["result"]
    assert result["resultType"] == "complete"
    assert result["_meta"][SERVER_INFO]["name"] == "methods"
    assert result["_meta"][SERVER_INFO]["version"] == "1.2.3"
    if method in CACHEABLE:
        assert (result["ttlMs"], result["cacheScope"]) == (0, "private")
    else:
        assert not {"ttlMs", "cacheScope"} & set(result)
    check_message(answer, MODERN, method)


@pytest.mark.parametrize("revision", LEGACY_REVISIONS)
@pytest.mark.parametrize("method", [*SHARED, *LEGACY_ONLY])
def test_a_legacy_result_has_none_of_that(method: str, revision: str) -> None:
    peer = Peer(make_server())
    peer.ask(initialize("first", revision))
    params = {**SHARED, **LEGACY_ONLY}[method]
    if method == "initialize":
        params = {**params, "protocolVersion": revision}
    answer = peer.one(legacy(1, method, **params))
    result = answer["result"]
    assert not {"resultType", "ttlMs", "cacheScope"} & set(result)
    assert SERVER_INFO not in result.get("_meta", {})
    check_message(answer, revision, method)


@pytest.mark.parametrize("method", sorted(METHODS))
def test_a_method_exists_in_its_own_era_only(method: str) -> None:
    peer = Peer(make_server())
    params = {**SHARED, **MODERN_ONLY, **LEGACY_ONLY}[method]
    if method in LEGACY_ONLY:
        assert peer.error(modern(1, method, **params))["code"] == -32601
    if method == "subscriptions/listen":
        assert peer.error(legacy(1, method, **params))["code"] == -32601


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("name", ["add", "blocks", "chatty"])
def test_all_that_a_call_says_is_valid_in_every_revision(name: str, revision: str) -> None:
    peer = Peer(make_server())
    params: dict[str, Any] = {"name": name, "arguments": {"a": 1.5} if name == "add" else {}}
    if revision == MODERN:
        level = {"io.modelcontextprotocol/logLevel": "debug"}
        said = peer.ask(modern(1, "tools/call", meta(progressToken="p", **level), **params))
    else:
        peer.ask(initialize(revision=revision), legacy(2, "logging/setLevel", level="debug"))
        said = peer.ask(legacy(1, "tools/call", _meta={"progressToken": "p"}, **params))
    assert len(said) == (3 if name == "chatty" else 1)
    for message in said:
        check_message(message, revision, "tools/call")
    model = MODELS.get(revision)
    if model is not None:
        model.CallToolResult.model_validate(said[-1]["result"])


def test_discover_and_initialize_tell_the_same_of_the_server() -> None:
    server = make_server()
    found = Peer(server).result(modern(1, "server/discover"))
    begun = Peer(server).result(initialize())
    assert found["instructions"] == begun["instructions"] == "Call them all \u2014 \u2713"
    assert found["capabilities"] == begun["capabilities"]
    assert found["capabilities"] == {
        "tools": {"listChanged": True},
        "resources": {"subscribe": True, "listChanged": True},
        "prompts": {"listChanged": True},
        "completions": {},
        "logging": {},
    }
    assert found["_meta"][SERVER_INFO] == begun["serverInfo"]
    v2026_07_28.DiscoverResult.model_validate(found)
    v2025_11_25.InitializeResult.model_validate(begun)


def test_the_servers_name_in_results_is_a_switch() -> None:
    peer = Peer(make_server(server_info_in_results=False))
    for method, params in {**SHARED, "server/discover": {}}.items():
        assert "_meta" not in peer.result(modern(1, method, **params))


def test_cache_hints_come_from_the_entry_then_the_list_then_the_server() -> None:
    peer = Peer(
        make_server(
            cache=CacheHint(ttl_ms=1, cache_scope="public"),
            cache_lists={"tools": CacheHint(ttl_ms=2), "discover": CacheHint(ttl_ms=3)},
        )
    )

    def hint(method: str, **params: Any) -> tuple[int, str]:
        result = peer.result(modern(1, method, **params))
        return result["ttlMs"], result["cacheScope"]

    assert hint("tools/list") == (2, "private")
    assert hint("server/discover") == (3, "private")
    assert hint("prompts/list") == (1, "public")
    assert hint("resources/read", uri="a://x/z") == (1, "public")
    assert hint("resources/read", uri="a://b") == (7, "private")


def test_a_method_without_anything_behind_it_does_not_exist() -> None:
    empty = Peer(Server("empty"))
    for method, params in SHARED.items():
        for message in (modern(1, method, **params), legacy(2, method, **params)):
            assert empty.error(message)["code"] == -32601, method
    for method in ("resources/subscribe", "resources/unsubscribe"):
        assert empty.error(legacy(1, method, uri="a://b"))["code"] == -32601
    assert empty.result(modern(1, "server/discover"))["capabilities"] == {"logging": {}}
    assert empty.send(modern(1, "subscriptions/listen", notifications={"toolsListChanged": True}))


def test_a_method_exists_where_the_server_says_so() -> None:
    settings = Settings(
        offer_tools=True,
        offer_resources=True,
        offer_prompts=True,
        offer_completions=True,
        logging=False,
    )
    peer = Peer(Server("offers", settings=settings))
    offered = peer.result(modern(1, "server/discover"))["capabilities"]
    assert set(offered) == {"tools", "resources", "prompts", "completions"}
    for method, holder in [
        ("tools/list", "tools"),
        ("resources/list", "resources"),
        ("resources/templates/list", "resourceTemplates"),
        ("prompts/list", "prompts"),
    ]:
        assert peer.result(modern(1, method))[holder] == []
    assert peer.error(modern(1, "tools/call", name="add"))["code"] == -32602
    assert peer.error(legacy(1, "logging/setLevel", level="info"))["code"] == -32601


def test_a_frozen_server_promises_no_changes() -> None:
    server = make_server()
    server.freeze()
    offered = Peer(server).result(modern(1, "server/discover"))["capabilities"]
    assert offered["tools"] == {}
    assert offered["prompts"] == {}
    assert offered["resources"] == {"subscribe": True}


def test_a_result_that_a_handler_returns_again_and_again_is_not_changed_by_sending_it() -> None:
    from sansmcp_schema.results import CallToolResult

    server = make_server()
    kept = CallToolResult(content=[text("x")], meta={"example.com/k": 1})

    @server.tool
    def again() -> CallToolResult:
        return kept

    peer = Peer(server)
    first = peer.result(modern(1, "tools/call", name="again"))
    assert first["_meta"] == {"example.com/k": 1, SERVER_INFO: first["_meta"][SERVER_INFO]}
    assert "resultType" not in peer.result(legacy(2, "tools/call", name="again"))
    assert peer.result(modern(3, "tools/call", name="again")) == first
    assert kept.meta == {"example.com/k": 1}


@pytest.mark.parametrize("revision", ["2026-07-28", "2025-11-25"])
def test_a_list_that_became_empty_is_still_offered(revision: str) -> None:
    """A client that was told of the change goes on to fetch the list."""
    server = Server("s")
    server.tool(lambda: "x", name="t")
    with TestClient(server, revision) as client:
        server.tools.remove("t")

        assert client.request("tools/list")["tools"] == []
