"""Many clients at once: those that listen, those that do not read, those that go away."""

import contextlib
import time
from collections.abc import Callable
from typing import NamedTuple

from load_client import Combination, Crowd, Served, Sock, serving
from load_http import call, listen

__all__ = [
    "ACKNOWLEDGED",
    "URI",
    "CrowdFigures",
    "MuteFigures",
    "ResetFigures",
    "crowd",
    "expect_silence",
    "has",
    "mute",
    "resets",
]

URI = "load://changing"
LONG_URI = "load://" + "x" * 4000
ACKNOWLEDGED = b"notifications/subscriptions/acknowledged"
UPDATED = b"notifications/resources/updated"


def has(text: bytes) -> Callable[[Sock], bool]:
    """Whether that text has come on a connection."""
    return lambda sock: text in sock.received


# -- a crowd --------------------------------------------------------------------------------------


class CrowdFigures(NamedTuple):
    """Many listeners and calls at once."""

    acknowledged_s: float
    """From the first connection to the last acknowledgement."""

    reached_s: float
    """From a change to the last listener that hears of it."""

    statuses: set[int]
    """Of the calls' answers."""

    rss_before_kib: int
    rss_with_kib: int
    rss_after_kib: int
    rss_again_kib: int
    """After the same once more."""


def crowd(combination: Combination, listeners: int = 1000, calls: int = 100) -> CrowdFigures:
    """Hold many streams and calls open at once; tell all of one change."""
    with serving(combination) as served:
        before = served.numbers()
        acknowledged_s, reached_s, statuses, with_kib = _crowd(served, listeners, calls)
        after = served.until(lambda n: n["exchanges"] == 0, "streams are left")
        _crowd(served, listeners, calls)
        again = served.until(lambda n: n["exchanges"] == 0, "streams are left")
        expect_silence(served)
    return CrowdFigures(
        acknowledged_s,
        reached_s,
        statuses,
        before["rss_kib"],
        with_kib,
        after["rss_kib"],
        again["rss_kib"],
    )


def _crowd(served: Served, listeners: int, calls: int) -> tuple[float, float, set[int], int]:
    started = time.monotonic()
    with Crowd(served.port, [listen(URI)] * listeners) as listening:
        listening.until(has(ACKNOWLEDGED))
        acknowledged_s = time.monotonic() - started
        with Crowd(served.port, [call("wait")] * calls) as waiting:
            held = served.until(lambda n: n["waiting"] == calls, "the calls do not begin")
            listening.forget()
            with Crowd(served.port, [call("change", uri=URI)]):
                reached_s = max(listening.until(has(UPDATED)))
            served.call("release")
            waiting.until(Sock.is_answered)
            answers = [sock.answer for sock in waiting.socks]
    statuses = {answer.status for answer in answers if answer is not None}
    return acknowledged_s, reached_s, statuses, held["rss_kib"]


# -- a listener that does not read ----------------------------------------------------------------


class MuteFigures(NamedTuple):
    """A listener that never reads beside one that does."""

    heard: int
    """What the one that reads heard; changes that come while one waits are told once."""

    changes_s: float
    """How long the changes took."""

    rss_before_kib: int
    rss_peak_kib: int
    dropped_s: float | None
    """From the last change until the server has let go of the one that does not read; None where
    it keeps it."""

    descriptors_left: int
    """How many more there are then than before the one that does not read had come."""


def mute(
    combination: Combination, changes: int = 10_000, send_timeout_s: float = 1.0
) -> MuteFigures:
    """Change a resource with a long name often; one of two that follow it does not read."""
    with serving(combination, send_timeout_s=send_timeout_s) as served:
        with Crowd(served.port, [listen(LONG_URI)]) as healthy:
            healthy.until(has(ACKNOWLEDGED))
            alone = served.numbers()
            with contextlib.closing(Sock(served.port, receive_buffer=4096)) as sock:
                sock.sock.sendall(listen(LONG_URI))
                served.until(lambda n: n["listeners"] == 2, "it does not listen")
                before = served.numbers(anew=True)
                changes_s = _change_often(served, healthy, changes)
                started = time.monotonic()
                peak = served.numbers()
                heard = healthy.socks[0].received.count(UPDATED)
                dropped_s: float | None = None
                with contextlib.suppress(TimeoutError):
                    lets_go_s = 3 * send_timeout_s
                    served.until(lambda n: n["listeners"] == 1, "it is kept", lets_go_s)
                    dropped_s = time.monotonic() - started
                left = served.numbers()["descriptors"] - alone["descriptors"]
                _drain(healthy)
                served.call("change", uri=LONG_URI)
                healthy.until(has(UPDATED))
        expect_silence(served)
    return MuteFigures(heard, changes_s, before["rss_kib"], peak["peak_kib"], dropped_s, left)


def _change_often(served: Served, healthy: Crowd, times: int) -> float:
    """Change, while the healthy one reads; return how many seconds that takes."""
    started = time.monotonic()
    with Crowd(served.port, [call("change", uri=LONG_URI, times=times)]) as changing:
        (one,), (reader,) = changing.socks, healthy.socks
        while not one.is_answered():
            reader.take()
            one.take()
    return time.monotonic() - started


def _drain(reading: Crowd) -> None:
    """Read and forget what has come so far."""
    for sock in reading.socks:
        size = -1
        while size != len(sock.received):
            size = len(sock.received)
            sock.take()
    reading.forget()


# -- connections that are reset -------------------------------------------------------------------


class ResetFigures(NamedTuple):
    """What is left of connections that were reset."""

    before: dict[str, int]
    within: dict[str, int]
    after: dict[str, int]
    back_s: float
    """Until everything was back to the start."""


COUNTED = ("exchanges", "calls", "streams", "listeners", "waiting", "tasks", "descriptors")


def resets(combination: Combination, size: int = 500, kind: str = "streams") -> ResetFigures:
    """Reset many connections at once.

    Args:
        combination: What serves.
        size: How many connections.
        kind: ``streams`` for those that listen, ``waiting`` for those with a call that runs.
    """
    request = listen(URI) if kind == "streams" else call("wait")
    with serving(combination, limits={"max_concurrent_calls": 4096}) as served:
        served.call("block", text="x")  # what is made once and kept is made now
        before = served.numbers()
        with Crowd(served.port, [request] * size) as going:
            if kind == "streams":
                going.until(has(ACKNOWLEDGED))
            within = served.until(lambda n: n[kind] == size, f"there are no {size} of them")
            going.reset()
        started = time.monotonic()
        after = served.until(
            lambda n: all(n[name] == before[name] for name in COUNTED), f"not back to {before}"
        )
        back_s = time.monotonic() - started
        expect_silence(served)
    return ResetFigures(before, within, after, back_s)


def expect_silence(served: Served) -> None:
    """Raise where the server has complained of anything."""
    if served.complaints:
        raise AssertionError(f"the server's log is not empty:\n{served.complaints}")
