"""The least real work of an MCP server, for all floors: typed decode, a call, typed encode."""

import sys
from typing import Any

import msgspec


class Arguments(msgspec.Struct):
    a: int
    b: int


class Meta(msgspec.Struct):
    version: str = msgspec.field(name="io.modelcontextprotocol/protocolVersion")
    capabilities: dict[Any, Any] = msgspec.field(name="io.modelcontextprotocol/clientCapabilities")
    client: dict[Any, Any] | None = msgspec.field(
        name="io.modelcontextprotocol/clientInfo", default=None
    )


class Params(msgspec.Struct):
    meta: Meta = msgspec.field(name="_meta")
    name: str | None = None
    arguments: msgspec.Raw = msgspec.Raw(b"{}")


class Request(msgspec.Struct):
    id: int | str
    method: str
    params: Params


class Text(msgspec.Struct):
    text: str
    type: str = "text"


class Result(msgspec.Struct, rename="camel"):
    content: list[Text]
    structured_content: dict[Any, Any]
    is_error: bool = False
    result_type: str = "complete"
    meta: msgspec.Raw = msgspec.field(
        name="_meta",
        default=msgspec.Raw(
            b'{"io.modelcontextprotocol/serverInfo":{"name":"bench","version":"1.0"}}'
        ),
    )


class Response(msgspec.Struct):
    id: int | str
    result: Result | msgspec.Raw
    jsonrpc: str = "2.0"


encoder = msgspec.json.Encoder()
decode_arguments = msgspec.json.Decoder(Arguments).decode

_SEARCH = {
    "type": "object",
    "properties": {
        "query": {"type": "string"},
        "limit": {"type": "integer", "default": 10},
        "exact": {"type": "boolean", "default": False},
    },
    "required": ["query"],
}


def _tool(name: str, description: str, schema: dict[str, Any], result: str) -> dict[str, Any]:
    output = {"type": "object", "properties": {"result": {"type": result}}, "required": ["result"]}
    return {"name": name, "description": description, "inputSchema": schema, "outputSchema": output}


def _listing(count: int) -> bytes:
    integer = {"type": "integer"}
    add = {"type": "object", "properties": {"a": integer, "b": integer}, "required": ["a", "b"]}
    tools = [_tool("add", "Add two integers.", add, "integer")] + [
        _tool(f"search_{number:03d}", "Search the catalogue by title or author.", _SEARCH, "string")
        for number in range(1, count)
    ]
    return encoder.encode(
        {"resultType": "complete", "tools": tools, "ttlMs": 0, "cacheScope": "private"}
    )


LISTING = msgspec.Raw(_listing(int(sys.argv[3]) if len(sys.argv) > 3 else 1))
DISCOVERY = msgspec.Raw(
    b'{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},'
    b'"ttlMs":0,"cacheScope":"private"}'
)


def answer(message: Request) -> bytes:
    result: Result | msgspec.Raw
    if message.method == "tools/call":
        arguments = decode_arguments(message.params.arguments)
        total = arguments.a + arguments.b
        result = Result([Text(str(total))], {"result": total})
    elif message.method == "tools/list":
        result = LISTING
    else:
        result = DISCOVERY
    return encoder.encode(Response(message.id, result))


ROUTING = (
    b"mcp-protocol-version",
    b"mcp-method",
    b"mcp-name",
    b"accept",
    b"content-type",
    b"origin",
)
decode_request = msgspec.json.Decoder(Request).decode


def respond(
    method: bytes, target: bytes, headers: list[tuple[bytes, bytes]], body: bytes
) -> tuple[int, bytes]:
    """One HTTP exchange: the checks that the specification asks for, then the answer."""
    routing = {name: value for name, value in headers if name in ROUTING}
    message = decode_request(body)
    params = message.params
    if (
        method != b"POST"
        or target != b"/mcp"
        or b"origin" in routing
        or b"application/json" not in routing.get(b"accept", b"")
        or routing.get(b"mcp-protocol-version") != params.meta.version.encode()
        or routing.get(b"mcp-method") != message.method.encode()
        or (params.name is not None and routing.get(b"mcp-name") != params.name.encode())
    ):
        return 400, b"{}"
    return 200, answer(message)
