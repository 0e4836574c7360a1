"""An in-memory client for the tests of your own server: real messages, no process, no port.

::

    from sansmcp_core.testing import TestClient

    def test_add() -> None:
        with TestClient(server) as client:
            assert client.call_tool("add", a=1, b=2)["structuredContent"] == 3

It passes real bytes through the same core that the adapters use, in either era, starts no task and
no thread, and has a clock of its own that only you move.
"""

from ._client import PeerError, Pending, TestClient
from ._inbox import Answers

__all__ = ["Answers", "PeerError", "Pending", "TestClient"]
