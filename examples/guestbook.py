"""A small server for the examples that mount one in a web app: both work on the same guest book."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from sansmcp_core import Context, Server

__all__ = ["guests", "page", "server"]

guests: list[str] = []


@contextmanager
def lifespan(_server: Server) -> Iterator[datetime]:
    """Entered before the first call and left after the last, as a pool of connections would be."""
    yield datetime.now(UTC)


server = Server("guestbook", version="1.0.0", lifespan=lifespan)


@server.tool(inline=True)
def sign(name: str, ctx: Context) -> str:
    """Write a name into the guest book."""
    guests.append(name)
    return f"{name} is guest {len(guests)} since {ctx.lifespan:%H:%M}."


def page() -> str:
    """The guest book as a page of the web app."""
    return "Guests: " + (", ".join(guests) or "none yet")
