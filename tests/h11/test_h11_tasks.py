"""A handler's task is the connection's: who cancels it ends one connection, not the server."""

import asyncio
import logging

import pytest
from h11_served import Events, serving, slow_server
from raw_http import RawClient, post

ADD = post("add", a=1, b=2)


@pytest.mark.parametrize("delay_s", [0.0, 0.1])
def test_a_task_that_is_cancelled_by_hand_costs_its_connection_only(
    delay_s: float, caplog: pytest.LogCaptureFixture
) -> None:
    server = slow_server(Events())

    @server.tool
    async def give_up() -> str:
        task = asyncio.current_task()
        assert task is not None
        asyncio.get_running_loop().call_later(delay_s, task.cancel)
        await asyncio.sleep(20)
        return "not reached"

    with (
        serving(server, backend="asyncio") as running,
        RawClient(running.bound_port) as bystander,
        RawClient(running.bound_port) as client,
    ):
        bystander.send(post("soon", text="on its way"))
        assert client.send(post("give_up")).answer_or_end() is None
        assert bystander.receive().status == 200
        assert bystander.send(ADD).receive().status == 200
    warnings = [r.getMessage() for r in caplog.records if r.levelno >= logging.WARNING]
    assert warnings == ["a connection's task was cancelled, but not by its server"]
    caplog.clear()  # this once, there is something to complain of
