"""Of two things that are wrong and are answered by the same code, too, the first in order answers.

The order is that of the table of checks; only the words of the answer tell these rungs apart.
"""

from collections.abc import Callable
from itertools import combinations
from typing import Any, NamedTuple

import pytest
from core_peer import CAPABILITIES_KEY, VERSION_KEY, Json
from http_peer import HttpPeer, modern_post
from http_server import call, make_server

Spoil = Callable[[Json, dict[str, Any]], Any]


class Rung(NamedTuple):
    """One thing that may be wrong; how to spoil a message and its headers; a word of the answer."""

    name: str
    spoil: Spoil
    word: str


def header(name: str, value: Any) -> Spoil:
    return lambda message, headers: headers.update({name: value})


def meta_without(key: str) -> Spoil:
    return lambda message, headers: message["params"]["_meta"].pop(key)


MISMATCHES = [
    Rung("no version header", header("mcp_protocol_version", None), "MCP-Protocol-Version"),
    Rung("no Mcp-Method", header("mcp_method", None), "Mcp-Method"),
    Rung("no Mcp-Name", header("mcp_name", None), "Mcp-Name"),
    Rung("no Mcp-Param", header("mcp_param_region", None), "Mcp-Param-Region"),
]
INVALID = [
    Rung("types of _meta", lambda m, h: m["params"]["_meta"].update(progressToken=[]), "progressT"),
    Rung("no version in _meta", meta_without(VERSION_KEY), "protocolVersion"),
    Rung("no capabilities", meta_without(CAPABILITIES_KEY), "clientCapabilities"),
    Rung("parameters", lambda m, h: m["params"].update(requestState=5), "requestState"),
    Rung(
        "unknown tool",
        lambda m, h: (m["params"].update(name="none"), h.update(mcp_name="none")),
        "Unknown tool",
    ),
]


def text_of(*rungs: Rung) -> str:
    """What a request is told of which all these are wrong."""
    message = call("pay", 7, region="eu")
    headers: dict[str, Any] = {
        name.decode().replace("-", "_"): value.decode()
        for name, value in modern_post(message).headers
    }
    headers["mcp_param_region"] = "eu"
    for rung in rungs:
        rung.spoil(message, headers)
    error = HttpPeer(make_server()).modern(message, **headers).error
    text: str = error["message"]
    return text


@pytest.mark.parametrize("rung", MISMATCHES + INVALID, ids=lambda rung: rung.name)
def test_each_rung_has_words_of_its_own(rung: Rung) -> None:
    assert rung.word in text_of(rung)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param(first, second, id=f"{first.name}-{second.name}")
        for rungs in (MISMATCHES, INVALID)
        for first, second in combinations(rungs, 2)
    ],
)
def test_of_two_rungs_with_the_same_code_the_first_answers(first: Rung, second: Rung) -> None:
    assert first.word in text_of(second, first)
