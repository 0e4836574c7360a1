"""Servers whose handlers ask a modern client, and the rounds of one request."""

from collections.abc import Callable
from typing import Any

import msgspec
from core_peer import MODERN, Peer, modern
from official_schema import check_message
from sansmcp_core import (
    Context,
    Elicit,
    ListRoots,
    Sample,
    Server,
    Settings,
)

__all__ = [
    "ACCEPTED",
    "ALL",
    "CANCELLED",
    "DECLINED",
    "GREET",
    "KEY",
    "OTHER_KEY",
    "ROOTS",
    "SAMPLED",
    "TARGETS",
    "Name",
    "ask",
    "make_asking",
    "make_server",
    "retry",
    "said",
    "several",
]

KEY = b"k" * 32
OTHER_KEY = b"o" * 32


class Name(msgspec.Struct):
    name: str


ACCEPTED = {"action": "accept", "content": {"name": "Ada"}}
DECLINED = {"action": "decline"}
CANCELLED = {"action": "cancel"}
ROOTS = {"roots": [{"uri": "file:///a", "name": "a"}]}
SAMPLED = {"role": "assistant", "content": {"type": "text", "text": "Paris"}, "model": "m"}


def make_server(**settings: Any) -> Server:
    server = Server("mrtr", "1", settings=Settings(**{"state_keys": (KEY,), **settings}))

    @server.tool
    def greet(ctx: Context, greeting: str = "Hello") -> str:
        answer = ctx.elicit("who", "Who?", Name)
        return f"{greeting}, {answer.content.name}" if answer.accepted else answer.action

    @server.tool
    def other(ctx: Context, greeting: str = "Hello") -> str:
        return ctx.elicit("who", "Who?", Name).action

    @server.tool
    async def waits(ctx: Context) -> str:
        return ctx.elicit("who", "Who?", Name).action

    @server.prompt
    def hello(ctx: Context, greeting: str = "Hello") -> str:
        return f"{greeting}, {ctx.elicit('who', 'Who?', Name).content.name}"

    @server.resource("greet://{greeting}")
    def greeting(greeting: str, ctx: Context) -> str:
        return f"{greeting}, {ctx.elicit('who', 'Who?', Name).content.name}"

    return server


TARGETS: dict[str, tuple[str, dict[str, Any]]] = {
    "tool": ("tools/call", {"name": "greet", "arguments": {"greeting": "Hi"}}),
    "prompt": ("prompts/get", {"name": "hello", "arguments": {"greeting": "Hi"}}),
    "resource": ("resources/read", {"uri": "greet://Hi"}),
}
GREET = TARGETS["tool"]


def ask(peer: Peer, target: tuple[str, dict[str, Any]] = GREET, /, **more: Any) -> dict[str, Any]:
    """Return the input_required result of a request."""
    answer = peer.one(modern("ask", target[0], **{**target[1], **more}))
    check_message(answer, MODERN)
    result: dict[str, Any] = answer["result"]
    assert result["resultType"] == "input_required"
    return result


def retry(
    peer: Peer,
    state: str | None,
    responses: Any = ...,
    target: tuple[str, dict[str, Any]] = GREET,
    **more: Any,
) -> dict[str, Any]:
    """Return the whole answer to the next round of a request."""
    params = {**target[1], **more}
    if state is not None:
        params["requestState"] = state
    if responses is not ...:
        params["inputResponses"] = responses
    return peer.one(modern("retry", target[0], **params))


def said(answer: dict[str, Any]) -> str:
    """Return the text of an answer, whatever its method."""
    result = answer["result"]
    assert result["resultType"] == "complete", result
    if "messages" in result:
        text = result["messages"][0]["content"]["text"]
    elif "contents" in result:
        text = result["contents"][0]["text"]
    else:
        text = result["content"][0]["text"]
    assert isinstance(text, str)
    return text


def make_asking(handler: Callable[..., Any], **settings: Any) -> tuple[Peer, Any]:
    server = Server("asking", settings=Settings(**settings))
    server.tool(handler, name="t", structured=False)
    return Peer(server), ("tools/call", {"name": "t"})


def several(ctx: Context) -> str:
    answers = ctx.ask({"a": Elicit("A?", Name), "b": ListRoots(), "c": Sample("C?", max_tokens=5)})
    return f"{answers['a'].content.name} {answers['b'][0].uri} {answers['c'].content.text}"


ALL = {"a": ACCEPTED, "b": ROOTS, "c": SAMPLED}
