"""Tools that ask the client: the same code for live requests and for multi round-trip ones."""

from typing import Any, Literal

import msgspec
from msgspec import Struct
from sansmcp_core import Context, Elicitation, mark
from sansmcp_schema.sampling import CreateMessageResult

__all__ = ["QuestionTools", "text_of"]


class User(Struct):
    """A form whose fields are all required."""

    username: str
    email: str


class Defaults(Struct):
    """A form whose fields all have a default."""

    name: str = "John Doe"
    age: int = 30
    score: float = 95.5
    status: Literal["active", "inactive", "pending"] = "active"
    verified: bool = True


def _titled(numbers: range) -> list[dict[str, str]]:
    return [{"const": f"value{number}", "title": f"Value {number}"} for number in numbers]


CHOICES: dict[str, Any] = {
    "type": "object",
    "properties": {
        "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
        "titledSingle": {"type": "string", "oneOf": _titled(range(1, 4))},
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {
            "type": "array",
            "items": {"type": "string", "enum": ["option1", "option2", "option3"]},
        },
        "titledMulti": {"type": "array", "items": {"anyOf": _titled(range(1, 4))}},
    },
}
"""A form as raw JSON Schema: every kind of choice that the protocol has."""


class QuestionTools:
    """Sampling and elicitation, each asked once."""

    @mark.tool
    def test_sampling(self, prompt: str, ctx: Context) -> str:
        """Pass a prompt to the client's model."""
        return f"LLM response: {text_of(ctx.sample('answer', prompt, max_tokens=100))}"

    @mark.tool
    def test_elicitation(self, message: str, ctx: Context) -> str:
        """Ask for a name and an address."""
        return f"User response: {_told(ctx.elicit('user', message, User))}"

    @mark.tool
    def test_elicitation_sep1034_defaults(self, ctx: Context) -> str:
        """Show a form that is filled in already."""
        answer = ctx.elicit("defaults", "Please review these values", Defaults)
        return f"Elicitation completed: {_told(answer)}"

    @mark.tool
    def test_elicitation_sep1330_enums(self, ctx: Context) -> str:
        """Show a form with every kind of choice."""
        answer = ctx.elicit("choices", "Please choose", CHOICES)
        return f"Elicitation completed: {_told(answer)}"

    @mark.tool
    def test_missing_capability(self, ctx: Context) -> str:
        """Ask for what the client may not be able to do."""
        return text_of(ctx.sample("answer", "Say hello", max_tokens=100))

    @mark.tool
    async def test_streaming_elicitation(self, ctx: Context) -> str:
        """Report, then ask, from a coroutine."""
        ctx.report_progress(1, 2)
        ctx.log("info", "About to ask")
        answer = ctx.elicit("user", "Who are you?", User)
        return f"Elicitation completed: {_told(answer)}"


def text_of(message: CreateMessageResult) -> str:
    """The text of a sampled message; empty where it has none."""
    blocks = message.content if isinstance(message.content, list) else [message.content]
    return " ".join(block.text for block in blocks if hasattr(block, "text"))


def _told(answer: Elicitation[Any]) -> str:
    content = msgspec.json.encode(answer.content).decode() if answer.accepted else "none"
    return f"action={answer.action}, content={content}"
