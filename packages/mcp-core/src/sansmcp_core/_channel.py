"""Where what a call has to say goes: one duplex connection, or one HTTP exchange."""

from typing import TYPE_CHECKING, Any, Protocol

from ._effects import Effect

if TYPE_CHECKING:
    from ._back_channel import BackChannel
    from ._call import Call
    from ._timers import Timers
    from .http._head import RequestHead

__all__ = ["Channel"]


class Channel(Protocol):
    """What a call, and what becomes of it, needs of the binding that it came through.

    Effects that its methods return, and those that are about one of its calls, are for whoever
    owns this channel; ``hand_over`` is the way to it from the turn of another one.
    """

    @property
    def open(self) -> "dict[str | int, Call]":
        """Calls that are not answered yet, by the id of their request."""

    @property
    def timers(self) -> "Timers":
        """Deadlines of its calls and of their questions."""

    @property
    def back_channel(self) -> "BackChannel":
        """The live questions to its client."""

    def why_no_answers(self) -> str | None:
        """Return why the client can answer no live question; None where it can."""

    def note(self, call: "Call", data: bytes) -> None:
        """Let a message of ``call`` wait for the owner; from any thread."""

    def close_stream(self, call: "Call", retry_ms: int) -> None:
        """Have the connection of a resumable stream closed; from any thread."""

    @property
    def head(self) -> "RequestHead | None":
        """The head of the HTTP request; None on a byte stream."""

    def flush(self) -> list[Effect]:
        """Return what waits for the owner."""

    def say(self, data: bytes) -> list[Effect]:
        """Return what sends questions, or takes them back."""

    def answer(self, data: bytes, code: int | None) -> list[Effect]:
        """Return what sends the answer to a request.

        Args:
            data: The whole message.
            code: The code of an error; None for a result.
        """

    def completed(self, call: "Call", value: Any, now: float) -> list[Effect]:
        """Return the effects of a handler's value."""

    def failed(self, call: "Call", exception: BaseException, now: float) -> list[Effect]:
        """Return the effects of a handler's exception."""

    def hand_over(self, effects: list[Effect]) -> list[Effect]:
        """Return the effects that are for whoever has the turn; let the others wait here."""
