"""A server's lifespan: made before the backend is chosen, entered before the first call."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager
from typing import Any, TypeAlias

from sansmcp_core import Server

__all__ = ["Lifespan", "entered", "lifespan_of"]

Lifespan: TypeAlias = AbstractContextManager[Any] | AbstractAsyncContextManager[Any] | None


def lifespan_of(server: Server) -> Lifespan:
    """The context manager that the server's ``lifespan`` makes; ``None`` where it has none.

    Raises:
        TypeError: It makes something else.
    """
    if server.lifespan is None:
        return None
    manager: object = server.lifespan(server)
    if isinstance(manager, AbstractContextManager | AbstractAsyncContextManager):
        return manager
    raise TypeError(
        f"lifespan must return a context manager, plain or async, got {type(manager).__name__}; "
        "decorate a generator function with contextlib.contextmanager or "
        "contextlib.asynccontextmanager"
    )


@asynccontextmanager
async def entered(lifespan: Lifespan) -> AsyncIterator[Any]:
    """Enter a lifespan of either kind, or none; what comes out is its value."""
    if lifespan is None:
        yield None
    elif isinstance(lifespan, AbstractContextManager):
        with lifespan as value:
            yield value
    else:
        async with lifespan as value:
            yield value
