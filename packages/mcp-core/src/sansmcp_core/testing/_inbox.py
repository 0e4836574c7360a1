"""What the server has sent so far, sorted: answers, notifications, and questions."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from ._wire import Wire

__all__ = ["Answers", "Inbox"]

Answers: TypeAlias = Mapping[str, Any] | Callable[[str, dict[str, Any]], Any]
"""Answers to the server's questions: by key or method, or a function of key and request."""


class Inbox:
    """Sorts the messages of one wire, and answers the live questions of legacy connections.

    Args:
        wire: Where the messages come from.
        answers: What questions are answered with; one without an answer stays open.
    """

    def __init__(self, wire: Wire, answers: Answers) -> None:
        self.answers = answers
        self.notifications: list[dict[str, Any]] = []
        """Notifications nobody has taken yet, in order."""
        self.unanswered: dict[str, str] = {}
        """Live questions without an answer, by key, with their methods."""
        self._wire = wire
        self._results: dict[str | int, dict[str, Any]] = {}

    def collect(self) -> None:
        """Sort what has come."""
        while (message := self._wire.next_message()) is not None:
            if "method" not in message:
                self._results[message.get("id", "")] = message
            elif "id" not in message:
                self.notifications.append(message)
            else:
                self._answer_live(message)

    def answer_to(self, id: str | int) -> dict[str, Any] | None:
        """Return the whole answer to a request; None where there is none yet."""
        self.collect()
        return self._results.get(id)

    def take_notifications(self) -> list[dict[str, Any]]:
        """Return the notifications since the last call."""
        self.collect()
        taken = list(self.notifications)
        self.notifications.clear()
        return taken

    def retry(
        self, params: Mapping[str, Any] | None, result: dict[str, Any]
    ) -> dict[str, Any] | None:
        """Return the parameters of the next round; None where the result is final."""
        if result.get("resultType") != "input_required":
            return None
        responses = {}
        for key, request in result.get("inputRequests", {}).items():
            answer = self._answer(key, request)
            if answer is None:
                return None
            responses[key] = answer
        retry = {**(params or {}), "inputResponses": responses}
        if "requestState" in result:
            retry["requestState"] = result["requestState"]
        return retry

    def _answer_live(self, request: dict[str, Any]) -> None:
        # A live request does not carry the question's key, so the wire is asked for it.
        key = self._wire.key_of(request["id"]) or request["method"]
        answer = self._answer(key, request)
        if answer is None:
            self.unanswered[key] = request["method"]
        else:
            self._wire.send({"jsonrpc": "2.0", "id": request["id"], "result": answer})

    def _answer(self, key: str, request: dict[str, Any]) -> Any:
        if callable(self.answers):
            return self.answers(key, request)
        return self.answers.get(key, self.answers.get(request["method"]))
