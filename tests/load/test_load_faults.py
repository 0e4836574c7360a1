"""Clients that trickle, bodies over the limit, handlers that fail, and the server's end."""

import pytest
from load_client import Combination
from load_faults import end, loris, stumble, too_long

H11 = [Combination("h11", "trio", "h11"), Combination("h11", "asyncio", "httptools")]
ASGI = [Combination("uvicorn", "asyncio", "h11"), Combination("hypercorn", "trio", "h11")]

each = pytest.mark.parametrize("combination", [*H11, *ASGI], ids=lambda c: c.name)

MIB = 1 << 20


@each
def test_healthy_clients_are_served_beside_slow_ones(combination: Combination) -> None:
    found = loris(combination, size=60, pause_s=0.05, limit_s=0.6)
    assert found.served > 10
    if combination.is_ours:  # elsewhere time limits are the ASGI server's
        assert found.cut == 60
        assert found.statuses == {408: 60}


@each
@pytest.mark.parametrize("declared", [True, False], ids=["declared", "chunks"])
def test_a_body_over_the_limit_costs_no_more_than_the_limit(
    declared: bool, combination: Combination
) -> None:
    found = too_long(combination, declared=declared, max_body_bytes=MIB, most_bytes=32 * MIB)
    assert found.status == 413
    assert found.rss_growth_kib < 8 * 1024
    if combination.is_ours:
        assert found.closed
        assert found.sent_bytes < 16 * MIB  # what the limit allows, and what buffers hold


@each
def test_the_last_event_of_a_handler_that_fails_is_its_error(combination: Combination) -> None:
    found = stumble(combination)
    assert (found.status, found.content_type) == (200, "text/event-stream")
    assert found.messages == 2
    assert found.is_error
    assert found.whole


@each
def test_at_the_end_streams_are_completed_and_calls_get_their_time(
    combination: Combination,
) -> None:
    found = end(combination, listeners=50, calls=10, drain_s=1.0)
    assert found.listeners_told == 50
    assert found.calls_answered == 10
    assert found.cut == 10
    assert found.exit_s < 10
    if combination.is_ours:  # uvicorn raises the signal anew
        assert found.exit_status == 0
