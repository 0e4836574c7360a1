"""One call of a handler: a value that an adapter carries out as its mode says."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from ._effects import Effect
from ._operation import ASYNC, Mode
from ._rounds import RequestState, Rounds

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from ._channel import Channel
    from ._context import Context
    from ._questions import AnyQuestion
    from ._request import Request
    from ._targets import Target

__all__ = ["Around", "Call"]

NO_QUESTIONS: "Mapping[str, AnyQuestion]" = {}

Around: TypeAlias = "Callable[[Call], AbstractContextManager[Any]]"


class Call(msgspec.Struct, eq=False):
    """What to run for one request.

    The adapter looks at ``mode``, calls ``invoke`` (and awaits what it returns, where the mode is
    async), then calls exactly one of ``completed`` and ``failed``: also after ``Cancel``, when
    nothing more is sent for it and only its place becomes free.
    """

    channel: "Channel"
    request: "Request"
    target: "Target"
    mode: Mode
    request_id: str | int
    """The id of the request."""
    around: "Around | None"
    """What is entered around each run of the handler, in the thread or task that runs it."""
    earlier: Rounds | None
    """What earlier rounds left; None where there were none."""
    over: bool = False
    """Whether the request is answered or cancelled; nothing is sent for it any more."""
    running: bool = False
    """Whether it was handed out and its end is not told yet."""
    context: "Context | None" = None
    """What the handler sees of its request, where it wants to."""
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = {}
    due_s: float | None = None
    last_progress: float = float("-inf")
    returned: Any = None
    """The handler's value, for what is around the call, once the handler has returned it."""

    @property
    def open_questions(self) -> "Mapping[str, AnyQuestion]":
        """What this run of the handler asked and the client has not answered yet."""
        return NO_QUESTIONS if self.context is None else self.context.open_questions

    @property
    def rounds(self) -> Rounds:
        """What the call knows of its questions; made with the first one."""
        if self.earlier is None:
            self.earlier = Rounds(RequestState(), {})
        return self.earlier

    @property
    def label(self) -> str:
        """What it is, for the names of threads and tasks and for logs."""
        return self.target.label

    def invoke(self) -> Any:
        """Call the handler; return its value, or an awaitable where the mode is async.

        May be called in any thread. Whatever it raises is for ``failed``, ``BaseException`` too.
        """
        around = self.around
        if around is None:
            return self.target.operation.function(*self.args, **self.kwargs)
        if self.mode is ASYNC:
            return _await_around(around, self)
        with around(self):
            value = self.returned = self.target.operation.function(*self.args, **self.kwargs)
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
    with around(call):
        value = call.returned = await call.target.operation.function(*call.args, **call.kwargs)
        return value
