"""Clients that trickle, bodies that are too long, handlers that fail, and the end of the server."""

import select
import statistics
import time
from collections import Counter
from typing import NamedTuple

from load_client import DEADLINE_S, Combination, Crowd, Served, Sock, ask, serving
from load_crowds import ACKNOWLEDGED, URI, expect_silence, has
from load_http import call, head_of, listen

__all__ = [
    "EndFigures",
    "LorisFigures",
    "StumbleFigures",
    "TooLongFigures",
    "end",
    "loris",
    "stumble",
    "too_long",
]

# -- a slow loris ---------------------------------------------------------------------------------


class LorisFigures(NamedTuple):
    """Clients that send a byte now and then, beside healthy ones."""

    served: int
    """Healthy requests that were answered meanwhile."""

    median_s: float
    slowest_s: float
    """Of the healthy ones."""

    cut: int
    """Slow ones whose connection the server closed, or answered with 408."""

    statuses: dict[int, int]
    """What the slow ones were answered."""

    last_cut_s: float


def loris(
    combination: Combination, size: int = 200, pause_s: float = 1.0, limit_s: float = 10.0
) -> LorisFigures:
    """Send the heads of half of them, and the bodies of the other half, byte by byte.

    Args:
        combination: What serves.
        size: How many slow clients.
        pause_s: Seconds between two bytes.
        limit_s: Seconds that are allowed for a head, and for a body.
    """
    body = head_of("tools/call", "echo", "Content-Length: 100000")
    starts = [b"", body] * (size // 2)
    drips = [body, b" " * 100_000] * (size // 2)
    limits = {"head_s": limit_s, "body_total_s": limit_s}
    with serving(combination, connections=limits) as served, Crowd(served.port, starts) as slow:
        latencies, last_cut_s = _drip(served, slow, drips, pause_s, 3 * limit_s)
        answers = [sock.answer for sock in slow.socks]
        cut = sum(sock.at_end for sock in slow.socks)
        expect_silence(served)
    statuses = dict(Counter(answer.status for answer in answers if answer is not None))
    return LorisFigures(
        len(latencies), statistics.median(latencies), max(latencies), cut, statuses, last_cut_s
    )


def _drip(
    served: Served, slow: Crowd, drips: list[bytes], pause_s: float, until_s: float
) -> tuple[list[float], float]:
    """Let the slow ones trickle until all are cut; return the latencies of healthy requests."""
    latencies: list[float] = []
    started = time.monotonic()
    sent = 0
    last_cut_s = 0.0
    while (now_s := time.monotonic() - started) < until_s:
        if now_s >= sent * pause_s:
            for sock, drip in zip(slow.socks, drips, strict=True):
                if not sock.at_end:
                    sock.send_leniently(drip[sent : sent + 1])
            sent += 1
        cut = [sock.at_end for sock in slow.socks]
        if all(cut):
            break
        for sock, is_cut in zip(slow.socks, cut, strict=True):
            if not is_cut:
                sock.take()
                if sock.at_end:
                    last_cut_s = now_s
        before = time.monotonic()
        ask(served.port, call("echo", text="healthy"))
        latencies.append(time.monotonic() - before)
    return latencies, last_cut_s


# -- bodies over the limit ------------------------------------------------------------------------

_PIECE = b" " * 65_536
_CHUNK = b"10000\r\n" + _PIECE + b"\r\n"


class TooLongFigures(NamedTuple):
    """A body far over the limit."""

    status: int | None
    """Of the answer; None where the connection was cut without one."""

    sent_bytes: int
    """What could be sent before the server closed, what lay in buffers included."""

    closed: bool
    rss_growth_kib: int


def too_long(
    combination: Combination,
    *,
    declared: bool,
    max_body_bytes: int = 1 << 20,
    most_bytes: int = 64 << 20,
) -> TooLongFigures:
    """Send a body over the limit, and do not stop where an answer comes.

    Args:
        combination: What serves.
        declared: Whether the head says the length.
        max_body_bytes: The limit.
        most_bytes: How long the body is.
    """
    framing = f"Content-Length: {most_bytes}" if declared else "Transfer-Encoding: chunked"
    piece = _PIECE if declared else _CHUNK
    with serving(combination, http={"max_body_bytes": max_body_bytes}) as served:
        before = served.numbers(anew=True)
        with Crowd(served.port, [head_of("tools/call", "echo", framing)]) as crowd:
            (sock,) = crowd.socks
            sent = _pour(sock, piece, most_bytes)
            crowd.until(lambda one: one.at_end or one.is_answered())
            received = sock.received
        peak = served.numbers()["peak_kib"]
        expect_silence(served)
    status = int(received[9:12]) if received.startswith(b"HTTP/1.1 ") else None
    return TooLongFigures(status, sent, sock.at_end, peak - before["rss_kib"])


def _pour(sock: Sock, piece: bytes, most_bytes: int) -> int:
    """Send as much as the server takes; return how many bytes that was."""
    sent = 0
    until = time.monotonic() + DEADLINE_S
    while sent < most_bytes and not sock.at_end and time.monotonic() < until:
        readable, writable, _ = select.select([sock.sock], [sock.sock], [], 1.0)
        if readable:
            sock.take()
        elif writable:
            rest = piece[sent % len(piece) :]
            try:
                sent += sock.sock.send(rest)
            except ConnectionError:
                break
    return sent


# -- a handler that fails in the midst ------------------------------------------------------------


class StumbleFigures(NamedTuple):
    """A handler that raises after its stream has begun."""

    status: int
    content_type: str
    messages: int
    is_error: bool
    """Whether the last event is the answer, and tells of an error."""

    whole: bool
    """Whether the stream came to its end as HTTP has it."""


def stumble(combination: Combination) -> StumbleFigures:
    """Call a tool that reports something, then raises."""
    with serving(combination) as served, Crowd(served.port, [call("stumble", True)]) as one:
        one.until(Sock.is_answered)
        answer = one.socks[0].answer
    assert answer is not None
    messages = answer.messages
    is_error = messages[-1].get("id") == 1 and messages[-1]["result"]["isError"] is True
    content_type = answer.headers["content-type"]
    return StumbleFigures(answer.status, content_type, len(messages), is_error, answer.whole)


# -- the end --------------------------------------------------------------------------------------


class EndFigures(NamedTuple):
    """A server that is asked to end while much is open."""

    listeners_told: int
    """Those that got the result that completes their request, and a well-formed end."""

    calls_answered: int
    """Those calls that end within the time that they are given, and were answered."""

    cut: int
    """Calls that would never end, and whose connection was closed."""

    exit_status: int
    exit_s: float
    """From the signal to the end of the process."""


def end(
    combination: Combination, listeners: int = 100, calls: int = 20, drain_s: float = 2.0
) -> EndFigures:
    """Ask a server to end while it has streams, calls that end soon and calls that never do."""
    requests = [call("work", seconds=drain_s / 4)] * calls
    with (
        serving(combination, drain_s=drain_s) as served,
        Crowd(served.port, [listen(URI)] * listeners) as listening,
        Crowd(served.port, [call("wait")] * calls) as hanging,
    ):
        listening.until(has(ACKNOWLEDGED))
        served.until(lambda n: n["waiting"] == calls, "the calls do not begin")
        with Crowd(served.port, requests) as ending:
            served.until(lambda n: n["calls"] > 2 * calls, "the other calls do not begin")
            started = time.monotonic()
            served.ask_to_end()
            for crowd in (ending, listening, hanging):
                crowd.until(lambda sock: sock.at_end)
            exit_status = served.wait()
            exit_s = time.monotonic() - started
            answered = sum(_ends_well(sock) for sock in ending.socks)
        told = sum(_ends_well(sock) for sock in listening.socks)
        cut = sum(not _ends_well(sock) for sock in hanging.socks)
        if combination.is_ours:  # ASGI servers tell of every request that they cancel
            expect_silence(served)
    return EndFigures(told, answered, cut, exit_status, exit_s)


def _ends_well(sock: Sock) -> bool:
    """Whether the last message is the request's answer, and nothing is cut off."""
    try:
        answer = sock.answer
    except Exception:  # noqa: BLE001 - whatever h11 has to say against it
        return False
    if answer is None or not answer.whole or not answer.messages:
        return False
    return "result" in answer.messages[-1] and answer.messages[-1].get("id") == 1
