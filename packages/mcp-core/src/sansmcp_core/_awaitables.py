"""Plain-looking handlers that return something to be awaited."""

from collections.abc import Awaitable
from typing import Any

from sansmcp_schema.declare import ResultError

__all__ = ["refuse_awaitable"]


def refuse_awaitable(value: Any) -> None:
    """Do nothing for a value that is ready.

    Raises:
        ResultError: It would have to be awaited, and nobody will.
    """
    if not isinstance(value, Awaitable):
        return
    close = getattr(value, "close", None)
    if close is not None:
        close()  # else a coroutine warns that it was never awaited
    raise ResultError(
        f"the handler looks like a plain function but returned {type(value).__name__}, which has "
        "to be awaited; write it, and what wraps it, with async def"
    )
