"""Live requests from the server to a legacy client, and the calls that wait for their answers.

Source: MCP 2025-11-25 client/elicitation, client/sampling, client/roots.
"""

from typing import TYPE_CHECKING

import msgspec
import sansmcp_schema as schema
from sansmcp_schema.jsonrpc import Error
from sansmcp_schema.revisions import for_revision

from ._decode import Answer
from ._envelope import encode_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ._call import Call
    from ._questions import AnyQuestion

__all__ = ["BackChannel", "Leg", "Refusal"]


class Leg:
    """The questions of one round of one call."""

    __slots__ = ("answers", "call", "due_s", "open")

    def __init__(self, call: "Call") -> None:
        self.call = call
        self.answers: dict[str, bytes] = {}
        self.open: dict[str | int, str] = {}
        """Ids of our requests that are not answered yet, and the keys of their questions."""
        self.due_s: float | None = None


class Refusal(msgspec.Struct, frozen=True):
    """The client answered a question with an error."""

    leg: Leg
    text: str


class BackChannel:
    """The requests of one connection that its client has not answered yet."""

    __slots__ = ("_legs", "_serial")

    def __init__(self) -> None:
        self._legs: dict[str | int, Leg] = {}
        self._serial = 0

    def __len__(self) -> int:
        return len(self._legs)

    def ask(
        self, call: "Call", questions: "Mapping[str, AnyQuestion]", revision: str
    ) -> tuple[Leg, bytes]:
        """Return what waits for the answers, and the requests to send."""
        leg = Leg(call)
        lines = []
        for key, question in questions.items():
            self._serial += 1
            request = for_revision(question.request(key), revision)
            request.jsonrpc = "2.0"
            request.id = self._serial
            self._legs[self._serial] = leg
            leg.open[self._serial] = key
            lines.append(encode_line(request))
        return leg, b"".join(lines)

    def take(self, answer: Answer) -> Leg | Refusal | None:
        """Return the leg that ``answer`` completes, or ends; None for anything else."""
        leg = self._legs.pop(answer.id, None)
        if leg is None:
            return None
        key = leg.open.pop(answer.id)
        if answer.result is None:
            return Refusal(leg, _refusal_text(key, answer.error))
        leg.answers[key] = answer.result
        return None if leg.open else leg

    def drop(self, leg: Leg, reason: str) -> bytes:
        """Forget a leg; return the notifications that tell the client so."""
        lines = []
        for id in leg.open:
            self._legs.pop(id, None)
            params = schema.CancelledNotificationParams(request_id=id, reason=reason)
            lines.append(encode_line(schema.CancelledNotification(params=params)))
        leg.open.clear()
        return b"".join(lines)

    def key_of(self, id: str | int) -> str | None:
        """Return the key of the question that was sent under ``id``."""
        leg = self._legs.get(id)
        return None if leg is None else leg.open.get(id)

    def leg_of(self, call: "Call") -> Leg | None:
        """Return the leg that ``call`` waits for."""
        for leg in self._legs.values():
            if leg.call is call:
                return leg
        return None

    def legs(self) -> list[Leg]:
        """Return every leg that waits."""
        return list(dict.fromkeys(self._legs.values()))


def _refusal_text(key: str, error: bytes | None) -> str:
    try:
        details = msgspec.json.decode(error or b"{}", type=Error)
        return (
            f"the client answered the question {key!r} with error {details.code}: {details.message}"
        )
    except (ValueError, RecursionError):
        return f"the client answered the question {key!r} with an error"
