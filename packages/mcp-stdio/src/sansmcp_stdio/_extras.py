"""What is said where an extra is not installed."""

__all__ = ["NEEDS_ANYIO", "MissingExtra"]

NEEDS_ANYIO = (
    "needs anyio, which is not installed; install the extra: pip install 'sansmcp-stdio[asyncio]'"
)


class MissingExtra(ValueError):
    """A value was asked for that needs an extra."""
