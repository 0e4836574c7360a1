"""How a handler's run is left in the middle: no errors, so ``except Exception`` lets them pass."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ._questions import AnyQuestion

__all__ = ["CallCancelled", "ClientLacks", "NeedsInput", "Signal"]


class Signal(BaseException):
    """Root of the signals; let them pass, or raise them again after cleaning up."""


class NeedsInput(Signal):
    """The handler asked for what the client has not answered yet."""

    def __init__(self, questions: "Mapping[str, AnyQuestion]") -> None:
        super().__init__(
            f"waiting for the client's answer to {', '.join(questions)}; let this exception pass"
        )
        self.questions = questions


class ClientLacks(Signal):
    """The handler asked for what the client cannot answer."""

    def __init__(self, capabilities: list[str]) -> None:
        super().__init__(f"the client did not declare {', '.join(capabilities)}")
        self.capabilities = capabilities


class CallCancelled(Signal):
    """The client no longer wants the answer."""
