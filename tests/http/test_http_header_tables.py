"""The headers that a tool declares are read from its schema when it is registered, never later."""

from typing import Any

import pytest
import sansmcp_core._header_table
from http_peer import HttpPeer
from http_server import call, make_server


def test_a_table_is_made_once_per_registration(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    make = sansmcp_core._header_table.header_table

    def counted(owner: str, *more: Any) -> Any:
        made.append(owner)
        return make(owner, *more)

    monkeypatch.setattr(sansmcp_core._header_table, "header_table", counted)
    server = make_server()
    assert made.count("tool 'pay'") == 1
    del made[:]
    peer = HttpPeer(server)
    for _ in range(3):
        trip = peer.modern(call("pay", region="eu"), mcp_param_region="eu")
        assert trip.result["resultType"] == "input_required"
        assert peer.modern(call("pay", region="eu"), mcp_param_region="us").verdict == (400, -32020)
    assert made == []
