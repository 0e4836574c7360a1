"""The page's own HTTP server, in twenty lines of the standard library, serves both eras."""

import json
import re
import threading
from collections.abc import Iterator
from http.client import HTTPConnection
from http.server import HTTPServer
from pathlib import Path
from typing import Any

import pytest
from core_peer import initialize, legacy, modern

PAGE = Path(__file__).resolve().parents[2] / "docs" / "embedding.md"
DEADLINE_S = 10.0


@pytest.fixture
def connection() -> Iterator[HTTPConnection]:
    fences = re.findall(
        r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    (program,) = [text for text in fences if "BaseHTTPRequestHandler" in text]
    scope: dict[str, Any] = {"__name__": "embedded"}
    exec(compile(program, str(PAGE), "exec"), scope)
    scope["Handler"].log_message = lambda *_: None
    with HTTPServer(("127.0.0.1", 0), scope["Handler"]) as web:
        thread = threading.Thread(target=web.serve_forever, args=(0.01,))
        thread.start()
        client = HTTPConnection("127.0.0.1", web.server_port, timeout=DEADLINE_S)
        try:
            yield client
        finally:
            client.close()
            web.shutdown()
            thread.join(DEADLINE_S)


def post(connection: HTTPConnection, message: Any, **headers: str) -> tuple[Any, Any]:
    own = {
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    connection.request("POST", "/mcp", json.dumps(message), own)
    response = connection.getresponse()
    return response, json.loads(response.read())


def test_it_serves_a_modern_client(connection: HTTPConnection) -> None:
    message = modern(1, "tools/call", name="add", arguments={"a": 1, "b": 2})
    response, answer = post(
        connection,
        message,
        mcp_protocol_version="2026-07-28",
        mcp_method="tools/call",
        mcp_name="add",
    )
    assert response.status == 200
    assert answer["result"]["structuredContent"] == 3


def test_it_serves_a_legacy_client(connection: HTTPConnection) -> None:
    response, _ = post(connection, initialize())
    session = response.headers["Mcp-Session-Id"]
    message = legacy(2, "tools/call", name="add", arguments={"a": 1, "b": 2})
    _, answer = post(connection, message, mcp_session_id=session)
    assert answer["result"]["content"][0]["text"] == "3"


def test_it_refuses_what_the_head_says_is_wrong(connection: HTTPConnection) -> None:
    response, _ = post(connection, modern(1, "tools/list"), origin="https://evil.example")
    assert response.status == 403
