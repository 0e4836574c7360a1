"""The one clock of all connections."""

import time
from collections.abc import Collection

import anyio

from ._limits import ConnectionLimits
from ._transport import SocketTransport

__all__ = ["period_of", "reap"]


def period_of(limits: ConnectionLimits) -> float:
    """Seconds between two rounds: a quarter of the least limit, at most a second."""
    shortest = min(limits.head_s, limits.body_s, limits.idle_s, limits.write_s, limits.linger_s)
    return min(1.0, max(0.01, shortest / 4))


async def reap(transports: Collection[SocketTransport], period_s: float) -> None:
    """Look after the time limits of all transports, for ever.

    Args:
        transports: Those that are open; changes meanwhile.
        period_s: Seconds between two rounds.
    """
    while True:
        await anyio.sleep(period_s)
        now = time.monotonic()
        for transport in tuple(transports):
            transport.look(now)
