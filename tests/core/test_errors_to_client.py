"""What a client hears of a handler's fault, and what only the server's log does."""

import math
from typing import Any, cast

import msgspec
import pytest
from core_peer import Peer, initialize, legacy, modern
from sansmcp_core import (
    Context,
    LocalProtocolError,
    Report,
    RequestError,
    ResourceNotFound,
    Server,
    Settings,
    ToolError,
    image,
    text,
    text_contents,
    user,
)
from sansmcp_core.testing import PeerError, TestClient
from sansmcp_schema.content import TextResourceContents
from sansmcp_schema.results import CallToolResult, GetPromptResult, ReadResourceResult

SECRET = "db at 10.0.0.5 /etc/secret"
GOOD = legacy("good", "ping")


class Unprintable(Exception):
    def __str__(self) -> str:
        raise ValueError("even this")


class OwnBase(BaseException):
    pass


FAULTS: list[BaseException] = [
    RuntimeError(SECRET),
    ValueError(SECRET),
    KeyError(SECRET),
    AssertionError(SECRET),
    UnicodeDecodeError("utf-8", SECRET.encode(), 0, 1, SECRET),
    RecursionError(SECRET),
    MemoryError(SECRET),
    OSError(5, SECRET),
    StopIteration(SECRET),
    StopAsyncIteration(SECRET),
    LocalProtocolError(SECRET),
    Unprintable(SECRET),
    SystemExit(SECRET),
    KeyboardInterrupt(SECRET),
    GeneratorExit(SECRET),
    OwnBase(SECRET),
    ExceptionGroup(SECRET, [RuntimeError(SECRET), ValueError(SECRET)]),
    BaseExceptionGroup(SECRET, [KeyboardInterrupt(SECRET), RuntimeError(SECRET)]),
]


def make_server(error: BaseException | None = None, value: Any = None, **settings: Any) -> Server:
    """A server whose every handler raises, or returns, the same."""
    server = Server("faults", settings=Settings(**settings))

    def handler() -> Any:
        if error is not None:
            raise error
        return value

    server.tool(handler, name="t")
    server.resource("a://b", handler)
    server.prompt(handler, name="p")

    @server.prompt
    def with_argument(x: str = "") -> str:
        return x

    @server.completion("with_argument", "x")
    def propose(typed: str) -> Any:
        return handler()

    return server


TOOL = ("tools/call", {"name": "t"})
RESOURCE = ("resources/read", {"uri": "a://b"})
PROMPT = ("prompts/get", {"name": "p"})
COMPLETION = (
    "completion/complete",
    {
        "ref": {"type": "ref/prompt", "name": "with_argument"},
        "argument": {"name": "x", "value": ""},
    },
)
METHODS = [TOOL, RESOURCE, PROMPT, COMPLETION]


@pytest.mark.parametrize("era", [modern, legacy], ids=["modern", "legacy"])
@pytest.mark.parametrize("target", METHODS, ids=lambda target: target[0])
@pytest.mark.parametrize("error", FAULTS, ids=lambda error: type(error).__name__)
def test_an_unexpected_exception_leaves_no_trace_in_the_answer(
    error: BaseException, target: tuple[str, dict[str, Any]], era: Any
) -> None:
    method, params = target
    peer = Peer(make_server(error))
    answer = peer.one(era(1, method, **params))
    raw = msgspec.json.encode(answer).decode()
    for leak in (SECRET, "secret", "10.0.0.5", type(error).__name__, "Traceback", "even this"):
        assert leak not in raw
    if target is TOOL:
        assert answer["result"]["isError"] is True
        assert answer["result"]["content"][0]["text"]
    else:
        assert answer["error"]["code"] == -32603
        assert "data" not in answer["error"]
    (report,) = peer.reports
    assert report.level == "error"
    assert report.exception is error
    assert report.request_id == 1
    assert peer.one(GOOD)["result"] == {}
    assert peer.connection.calls_open == 0


@pytest.mark.parametrize("target", METHODS, ids=lambda target: target[0])
@pytest.mark.parametrize("error", FAULTS, ids=lambda error: type(error).__name__)
def test_a_switch_shows_the_exception(
    error: BaseException, target: tuple[str, dict[str, Any]]
) -> None:
    method, params = target
    peer = Peer(make_server(error, show_exceptions=True))
    raw = msgspec.json.encode(peer.one(modern(1, method, **params))).decode()
    assert type(error).__name__ in raw
    assert SECRET in raw or isinstance(error, Unprintable)


def test_a_tool_error_passes_its_own_text() -> None:
    peer = Peer(make_server(ToolError("No such city: try Paris")))
    result = peer.result(modern(1, TOOL[0], **TOOL[1]))
    assert result["isError"] is True
    assert result["content"] == [{"type": "text", "text": "No such city: try Paris"}]
    assert "structuredContent" not in result
    for method, params in (RESOURCE, PROMPT, COMPLETION):
        error = peer.error(modern(1, method, **params))
        assert error == {"code": -32603, "message": "No such city: try Paris"}
    assert peer.reports == []


@pytest.mark.parametrize("target", METHODS, ids=lambda target: target[0])
def test_a_chosen_error_is_the_answer_of_any_method(target: tuple[str, dict[str, Any]]) -> None:
    method, params = target
    peer = Peer(make_server(RequestError(-31899, "quota", {"left": 0})))
    for message in (modern(1, method, **params), legacy(1, method, **params)):
        assert peer.error(message) == {"code": -31899, "message": "quota", "data": {"left": 0}}
    assert peer.reports == []


@pytest.mark.parametrize("data", [None, 0, "", [], False])
def test_the_data_of_a_chosen_error_is_any_json(data: Any) -> None:
    peer = Peer(make_server(RequestError(7, "m", data)))
    error = peer.error(modern(1, TOOL[0], **TOOL[1]))
    assert error == {"code": 7, "message": "m"} | ({} if data is None else {"data": data})


BAD_ERRORS: list[tuple[str, Exception]] = [
    ("data that JSON has not", RequestError(7, "m", object())),
    ("data that is not a number", RequestError(7, "m", math.nan)),
    ("data with half a surrogate pair", RequestError(7, "m", {"\ud800": 1})),
    ("a message with half a surrogate pair", RequestError(7, "\ud800")),
    ("a code that is no integer", RequestError("7", "m")),  # type: ignore[arg-type]
    ("a message that is no text", RequestError(7, None)),  # type: ignore[arg-type]
    ("a tool error with half a surrogate pair", ToolError("\ud800")),
    ("a tool error that cannot be printed", type("T", (ToolError, Unprintable), {})()),
]


@pytest.mark.parametrize("row", BAD_ERRORS, ids=lambda row: row[0])
def test_an_error_that_cannot_be_sent_is_the_handlers_fault(row: tuple[str, Exception]) -> None:
    error = row[1]
    peer = Peer(make_server(error))
    for message in (modern(1, TOOL[0], **TOOL[1]), legacy(2, TOOL[0], **TOOL[1])):
        answer = peer.one(message)
        failed = answer.get("error", {}).get("code") == -32603 or answer["result"]["isError"]
        assert failed, answer
    assert [report.level for report in peer.reports] == ["error", "error"]


# Not found


def test_a_handler_that_finds_nothing_answers_like_an_unknown_uri_in_each_era() -> None:
    peer = Peer(make_server(ResourceNotFound()))
    for uri in ("a://b", "unknown://x"):
        error = peer.error(modern(1, "resources/read", uri=uri))
        assert (error["code"], error["data"]) == (-32602, {"uri": uri})
        error = peer.error(legacy(1, "resources/read", uri=uri))
        assert (error["code"], error["data"]) == (-32002, {"uri": uri})
    for revision in ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"):
        peer.send(initialize(revision, revision))
        assert peer.error(legacy(1, "resources/read", uri="a://b"))["code"] == -32002


@pytest.mark.parametrize("era", [modern, legacy], ids=["modern", "legacy"])
def test_not_found_means_nothing_where_there_is_no_resource(era: Any) -> None:
    peer = Peer(make_server(ResourceNotFound(SECRET)))
    assert peer.result(era(1, TOOL[0], **TOOL[1]))["isError"] is True
    assert peer.error(era(1, PROMPT[0], **PROMPT[1]))["code"] == -32603


def test_an_unknown_tool_or_prompt_is_a_protocol_error() -> None:
    server = make_server(value="x")
    peer = Peer(server)
    server.tools.disable("t")
    for name in ("nobody", "t", "", "T"):
        assert peer.error(modern(1, "tools/call", name=name))["code"] == -32602
    server.tools.enable("t")
    assert peer.result(modern(1, TOOL[0], **TOOL[1]))["content"][0]["text"] == "x"
    assert peer.error(modern(1, "prompts/get", name="nobody"))["code"] == -32602
    server.prompts.disable("p")
    assert peer.error(modern(1, "prompts/get", name="p"))["code"] == -32602


def test_long_names_come_back_cut() -> None:
    peer = Peer(make_server(value="x"))
    long = "x" * 100_000
    for message in (
        modern(1, "tools/call", name=long),
        modern(1, "prompts/get", name=long),
        modern(1, long),
        legacy(1, "resources/read", uri=long),
    ):
        assert len(peer.error(message)["message"]) < 10_000


# What JSON has not


LOOP: list[Any] = []
LOOP.append(LOOP)
VALUES: dict[str, Any] = {
    "NaN": math.nan,
    "infinity": [math.inf],
    "minus infinity": {"a": -math.inf},
    "half a surrogate pair": "\ud800",
    "half a surrogate pair inside": ["\udfff"],
    "half a surrogate pair as key": {"\ud800": 1},
    "an object": object(),
    "an object inside": {"a": [object()]},
    "a function": print,
    "keys that are no text": {(1, 2): 3},
    "a loop": LOOP,
    "a text block with half a surrogate pair": text("\ud800"),
    "a result with a wrong block": CallToolResult(content=["x"]),  # type: ignore[list-item]
    "a result with half a surrogate pair": CallToolResult(content=[text("\ud800")]),
    "a result whose meta JSON has not": CallToolResult(content=[], meta={"a": object()}),
    "a result whose meta is not a number": CallToolResult(content=[], meta={"a": math.nan}),
    "structured content JSON has not": CallToolResult(content=[], structured_content=object()),
    "structured NaN": CallToolResult(content=[], structured_content=[math.nan]),
}


@pytest.mark.parametrize("era", [modern, legacy], ids=["modern", "legacy"])
@pytest.mark.parametrize("name", VALUES)
def test_a_value_that_json_has_not_is_the_tools_fault_and_never_null(name: str, era: Any) -> None:
    peer = Peer(make_server(value=VALUES[name]))
    answer = peer.one(era(1, TOOL[0], **TOOL[1]))
    assert answer["result"]["isError"] is True
    assert "structuredContent" not in answer["result"]
    (report,) = peer.reports
    assert report.exception is not None
    assert peer.one(GOOD)["result"] == {}


@pytest.mark.parametrize("target", [RESOURCE, PROMPT, COMPLETION], ids=lambda target: target[0])
@pytest.mark.parametrize("name", [name for name in VALUES if "result" not in name])
def test_a_value_that_json_has_not_is_an_internal_error_elsewhere(
    name: str, target: tuple[str, dict[str, Any]]
) -> None:
    peer = Peer(make_server(value=VALUES[name]))
    answer = peer.one(modern(1, target[0], **target[1]))
    assert answer["error"]["code"] == -32603, answer
    assert len(peer.reports) == 1


@pytest.mark.parametrize(
    ("target", "value"),
    [
        (RESOURCE, ReadResourceResult(contents=[], meta={"a": object()})),
        (PROMPT, GetPromptResult(messages=[], meta={"a": object()})),
        (PROMPT, GetPromptResult(messages=[], description="\ud800")),
    ],
)
def test_a_whole_result_that_json_has_not_is_an_internal_error(
    target: tuple[str, dict[str, Any]], value: Any
) -> None:
    peer = Peer(make_server(value=value))
    answer = peer.one(modern(1, target[0], **target[1]))
    assert answer["error"]["code"] == -32603, answer
    assert len(peer.reports) == 1


def test_json_that_somebody_formatted_stays_one_line() -> None:
    pretty = msgspec.Raw(b'{\r\n  "a":\n    1,\r"b":2}')
    peer = Peer(make_server(value=CallToolResult(content=[], structured_content=pretty)))
    for era in (modern, legacy):
        assert peer.result(era(1, TOOL[0], **TOOL[1]))["structuredContent"] == {"a": 1, "b": 2}


def test_a_group_of_several_errors_is_a_fault_and_tells_nothing() -> None:
    peer = Peer(make_server(ExceptionGroup("x", [ToolError("told"), RuntimeError(SECRET)])))
    assert peer.result(modern(1, TOOL[0], **TOOL[1]))["isError"] is True
    (report,) = peer.reports
    assert isinstance(report, Report)


def test_bad_arguments_name_the_parameter_and_hide_a_secret_one() -> None:
    server = Server("secrets")

    @server.tool
    def login(user: str, password: int) -> None: ...

    @server.prompt
    def greet(count: int) -> str:
        return "x" * count

    peer = Peer(server)
    arguments = {"user": 5, "password": "hunter2", "unknown": 1}
    result = peer.result(modern(1, "tools/call", name="login", arguments=arguments))
    (block,) = result["content"]
    assert "user: expected string, got 5" in block["text"]
    assert "password" in block["text"]
    assert "unknown" in block["text"]
    assert "hunter2" not in block["text"]
    for era in (modern, legacy):
        error = peer.error(era(1, "prompts/get", name="greet", arguments={"count": "many"}))
        assert error["code"] == -32602
        assert 'count: expected integer, got "many"' in error["message"]
        missing = peer.error(era(1, "prompts/get", name="greet"))
        assert missing["code"] == -32602
        assert "count" in missing["message"]
    assert peer.reports == []


def test_a_context_that_outlives_its_call_says_nothing() -> None:
    server = Server("outlives")
    kept: list[Context] = []

    @server.tool
    def keep(ctx: Context) -> None:
        kept.append(ctx)

    peer = Peer(server)
    message = modern(1, "tools/call", name="keep")
    message["params"]["_meta"]["progressToken"] = 1
    message["params"]["_meta"]["io.modelcontextprotocol/logLevel"] = "debug"
    peer.ask(message)
    kept[0].report_progress(1)
    kept[0].log("error", "late")
    assert kept[0].cancelled
    assert peer.pending() == []


READY_MADE = [
    pytest.param("resources/read", ReadResourceResult(contents=cast("Any", ["x"])), id="contents"),
    pytest.param(
        "resources/read",
        TextResourceContents(uri="a://b", text="x", meta={"x": math.nan}),
        id="NaN in the _meta of contents",
    ),
    pytest.param("prompts/get", GetPromptResult(messages=cast("Any", ["x"])), id="messages"),
    pytest.param(
        "prompts/get",
        GetPromptResult(messages=[], meta={"x": math.inf}),
        id="infinity in the _meta of a prompt",
    ),
]


@pytest.mark.parametrize(("method", "value"), READY_MADE)
def test_a_ready_made_result_with_wrong_parts_is_never_sent(method: str, value: object) -> None:
    server = Server("s")
    server.resource("a://b", lambda: value, name="r")
    server.prompt(lambda: value, name="p")
    params = {"resources/read": {"uri": "a://b"}, "prompts/get": {"name": "p"}}[method]
    with TestClient(server) as client:
        with pytest.raises(PeerError) as caught:
            client.request(method, params)

        assert caught.value.code == -32603
        assert len(client.reports) == 1


WRONG_TYPES = [
    pytest.param("tools/call", image(b"x", cast("Any", 5)), id="mime type of an image"),
    pytest.param("tools/call", text("x", annotations=cast("Any", {"priority": "x"})), id="a dict"),
    pytest.param("prompts/get", user(text(cast("Any", 5))), id="text of a message"),
    pytest.param("resources/read", text_contents("a://b", cast("Any", 5)), id="text contents"),
]


@pytest.mark.parametrize(("method", "value"), WRONG_TYPES)
def test_ready_made_content_of_the_wrong_type_is_never_sent(method: str, value: object) -> None:
    server = Server("s")
    server.tool(lambda: value, name="t")
    server.resource("a://b", lambda: value, name="r")
    server.prompt(lambda: value, name="p")
    params = {"tools/call": {"name": "t"}, "resources/read": {"uri": "a://b"}}
    with TestClient(server) as client:
        pending = client.begin(method, params.get(method, {"name": "p"}))
        answer = client.inbox.answer_to(pending.id)

        assert answer is not None
        assert "error" in answer or answer["result"]["isError"] is True
        assert len(client.reports) == 1


@pytest.mark.parametrize("error", [ToolError("told"), RequestError(-5, "told")])
def test_one_error_in_a_task_group_is_the_handlers_own_word(error: Exception) -> None:
    server = Server("s")

    @server.tool
    def grouped() -> str:
        raise ExceptionGroup("group", [ExceptionGroup("inner", [error])])

    with TestClient(server) as client:
        pending = client.begin("tools/call", {"name": "grouped"})

        assert "told" in str(client.inbox.answer_to(pending.id))


def test_a_declaration_that_json_cannot_carry_never_ends_the_connection() -> None:
    server = Server("s")
    server.instructions = "\ud800"
    server.tool(lambda: "x", name="t")
    with TestClient(server) as client:
        method = "server/discover"
        with pytest.raises(PeerError) as caught:
            client.request(method)

        assert caught.value.code == -32603
        assert client.call_tool("t")["content"][0]["text"] == "x"
