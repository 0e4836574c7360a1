"""Several workers behind one address, which share a key and nothing else, in any order."""

import re
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

import pytest
from core_peer import LEGACY, Json, initialize, legacy, modern
from http_peer import HttpPeer, Trip, legacy_post
from http_server import call, make_server
from sansmcp_core.http import HttpSettings

README = Path(__file__).parents[2] / "README.md"
ADA: Json = {"action": "accept", "content": {"name": "Ada"}}
BOB: Json = {"action": "accept", "content": {"name": "Bob"}}


@pytest.fixture
def workers() -> Iterator[HttpPeer]:
    """The worker that gets the next request: never the one that got the last."""
    return cycle([HttpPeer(make_server(), HttpSettings(sessions=False)) for _ in range(2)])


def test_a_modern_client_is_asked_by_one_and_answers_another(workers: Iterator[HttpPeer]) -> None:
    message = call("twice")
    for id, answers in enumerate(({"one": ADA}, {"two": BOB}), 2):
        result = next(workers).modern(message).result
        assert result["resultType"] == "input_required"
        message = modern(
            id,
            "tools/call",
            message["params"]["_meta"],
            name="twice",
            arguments={},
            inputResponses=answers,
            requestState=result["requestState"],
        )
    assert next(workers).modern(message).text == "Ada and Bob"


def test_a_legacy_client_meets_another_with_each_request(workers: Iterator[HttpPeer]) -> None:
    def post(message: Json, version: str | None = LEGACY) -> Trip:
        return next(workers).send(legacy_post(message, None, version))

    hello = post(initialize(1), None)
    assert hello.result["protocolVersion"] == LEGACY
    assert b"mcp-session-id" not in hello.headers
    assert post({"jsonrpc": "2.0", "method": "notifications/initialized"}).status == 202
    for id in range(2, 6):
        assert post(legacy(id, "tools/list")).result["tools"]
        arguments = {"a": id, "b": 1}
        trip = post(legacy(id, "tools/call", name="add", arguments=arguments))
        assert trip.text == str(id + 1)


def test_the_line_of_the_readme_for_several_workers_keeps_no_sessions() -> None:
    text = README.read_text(encoding="utf-8")
    found = re.search(
        r"^Several worker processes .*?^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL
    )
    assert found is not None
    assert "HttpSettings(sessions=False)" in found[1]
