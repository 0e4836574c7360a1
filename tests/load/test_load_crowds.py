"""Many clients at once, beside one that does not read, and when they all go away."""

import pytest
from load_client import Combination
from load_crowds import crowd, mute, resets

H11 = [Combination("h11", "trio", "h11"), Combination("h11", "asyncio", "httptools")]
ASGI = [Combination("uvicorn", "asyncio", "httptools"), Combination("hypercorn", "trio", "h11")]

each = pytest.mark.parametrize("combination", [*H11, *ASGI], ids=lambda c: c.name)


@each
def test_a_crowd_of_listeners_hears_of_a_change_while_a_hundred_calls_run(
    combination: Combination,
) -> None:
    listeners = 300 if combination.adapter == "hypercorn" else 1000  # it takes its time
    found = crowd(combination, listeners, calls=100)
    assert found.statuses == {200}
    assert found.rss_with_kib - found.rss_before_kib < 1100 * 150
    assert found.rss_again_kib - found.rss_after_kib < 30_000


@each
def test_a_listener_that_does_not_read_costs_little_and_hinders_nobody(
    combination: Combination,
) -> None:
    found = mute(combination, changes=5000, send_timeout_s=0.5)
    assert found.heard > 10
    assert found.rss_peak_kib - found.rss_before_kib < 16_000
    if combination.name != "hypercorn trio h11":  # there a write, once begun, cannot be ended
        assert found.dropped_s is not None
    if combination.is_ours:
        assert found.descriptors_left == 0


@each
@pytest.mark.parametrize("kind", ["streams", "waiting"])
def test_nothing_is_left_of_connections_that_are_reset(kind: str, combination: Combination) -> None:
    found = resets(combination, 100, kind)
    assert found.within["exchanges"] == 100
    assert found.within["descriptors"] >= found.before["descriptors"] + 100
    for name in ("exchanges", "calls", "streams", "listeners", "threads", "tasks", "descriptors"):
        assert found.after[name] == found.before[name], name
