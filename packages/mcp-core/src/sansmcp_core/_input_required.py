"""What a handler returns when it asks the client by itself."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ._questions import AnyQuestion

__all__ = ["InputRequired"]


class InputRequired:
    """Return it from a handler to ask the client yourself.

    The handler runs again with the answers in ``ctx.answers`` and what it kept in ``ctx.state``.

    Args:
        requests: The questions, each under a key of your choice.
        state: Any JSON value to be given back on the next run.
    """

    __slots__ = ("requests", "state")

    def __init__(
        self, requests: "Mapping[str, AnyQuestion] | None" = None, *, state: Any = None
    ) -> None:
        self.requests: dict[str, AnyQuestion] = dict(requests or {})
        self.state = state
        if not self.requests and state is None:
            raise ValueError("InputRequired needs requests, or a state, or both")
