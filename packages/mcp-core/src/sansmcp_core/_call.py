"""One call of a handler: a value that an adapter carries out as its mode says."""

from typing import TYPE_CHECKING, Any, TypeAlias

from ._effects import Effect
from ._operation import Bound, Mode
from ._request_state import RequestState
from ._rounds import Rounds

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from ._channel import Channel
    from ._context import Context
    from ._request import Request
    from ._targets import Target

__all__ = ["Around", "Call"]

Around: TypeAlias = "Callable[[Call], AbstractContextManager[Any]]"


class Call:
    """What to run for one request.

    The adapter looks at ``mode``, calls ``invoke`` (and awaits what it returns, where the mode is
    async), then calls exactly one of ``completed`` and ``failed``: also after ``Cancel``, when
    nothing more is sent for it and only its place becomes free.
    """

    __slots__ = (
        "_rounds",
        "bound",
        "channel",
        "context",
        "due_s",
        "last_progress",
        "mode",
        "over",
        "request",
        "request_id",
        "returned",
        "running",
        "target",
    )

    def __init__(
        self, channel: "Channel", request: "Request", target: "Target", rounds: Rounds | None
    ) -> None:
        self.channel = channel
        self._rounds = rounds
        self.request = request
        self.request_id: str | int = request.id
        self.target = target
        self.mode: Mode = target.operation.mode
        self.over = False
        """Whether the request is answered or cancelled; nothing is sent for it any more."""
        self.running = False
        """Whether it was handed out and its end is not told yet."""
        self.due_s: float | None = None
        self.last_progress = float("-inf")
        self.returned: Any = None
        """The handler's value, for what is around the call, once the handler has returned it."""
        self.context: Context
        self.bound: Bound

    @property
    def rounds(self) -> Rounds:
        """What the call knows of its questions; made with the first one."""
        if self._rounds is None:
            self._rounds = Rounds(RequestState(), {})
        return self._rounds

    @property
    def label(self) -> str:
        """What it is, for the names of threads and tasks and for logs."""
        return self.target.label

    def invoke(self) -> Any:
        """Call the handler; return its value, or an awaitable where the mode is async.

        May be called in any thread. Whatever it raises is for ``failed``, ``BaseException`` too.
        """
        bound = self.bound
        around = self.channel.around
        if around is None:
            return bound.function(*bound.args, **bound.kwargs)
        if self.mode is Mode.ASYNC:
            return _await_around(around, self)
        with around(self):
            value = self.returned = bound.function(*bound.args, **bound.kwargs)
            return value

    def completed(self, value: Any, now: float) -> list[Effect]:
        """Return the next effects, now that the handler returned ``value``."""
        return self.channel.completed(self, value, now)

    def failed(self, exception: BaseException, now: float) -> list[Effect]:
        """Return the next effects, now that the handler raised ``exception`` or was stopped."""
        return self.channel.failed(self, exception, now)

    def notify(self, data: bytes) -> None:
        """Let a message wait for the owner; dropped once the call is over."""
        if not self.over:
            self.channel.note(self, data)


async def _await_around(around: Around, call: Call) -> Any:
    bound = call.bound
    with around(call):
        value = call.returned = await bound.function(*bound.args, **bound.kwargs)
        return value
