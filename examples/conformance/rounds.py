"""Multi round-trip requests, asked implicitly and explicitly."""

from msgspec import Struct
from sansmcp_core import Context, Elicit, InputRequired, ListRoots, Sample, mark

from .questions import text_of

__all__ = ["RoundTrips"]

_CAPITAL = "What is the capital of France?"


class Name(Struct):
    """A form with one text."""

    name: str


class Confirmation(Struct):
    """A form with one tick."""

    ok: bool


class Color(Struct):
    """A form with one more text."""

    color: str


class Purpose(Struct):
    """A form with the context of a prompt."""

    context: str


class RoundTrips:
    """Tools, and a prompt, that are called again with the answers."""

    @mark.tool
    def test_input_required_result_elicitation(self, ctx: Context) -> str:
        """Ask for a name."""
        answer = ctx.elicit("user_name", "What is your name?", Name)
        return f"Hello, {answer.content.name}!" if answer.accepted else "Hello, stranger!"

    @mark.tool
    def test_input_required_result_sampling(self, ctx: Context) -> str:
        """Ask the client's model."""
        return text_of(ctx.sample("capital_question", _CAPITAL, max_tokens=100))

    @mark.tool
    def test_input_required_result_list_roots(self, ctx: Context) -> str:
        """Ask for the client's folders."""
        return ", ".join(root.uri for root in ctx.list_roots("client_roots")) or "no roots"

    @mark.tool
    def test_input_required_result_request_state(self, ctx: Context) -> str | InputRequired:
        """Ask explicitly, with a state that comes back."""
        if "confirm" not in ctx.answers:
            question = Elicit("Please confirm", Confirmation)
            return InputRequired({"confirm": question}, state="state-ok")
        return f"Confirmed: {ctx.state}"

    @mark.tool
    def test_input_required_result_multiple_inputs(self, ctx: Context) -> str:
        """Ask three things at once."""
        answers = ctx.ask(
            {
                "user_name": Elicit("What is your name?", Name),
                "greeting": Sample("Generate a greeting", max_tokens=50),
                "client_roots": ListRoots(),
            }
        )
        name = answers["user_name"]
        who = name.content.name if name.accepted else "stranger"
        return f"{text_of(answers['greeting'])} {who}: {len(answers['client_roots'])} roots"

    @mark.tool
    async def test_input_required_result_multi_round(self, ctx: Context) -> str:
        """Ask for a name, then for a color."""
        name = ctx.elicit("step1", "Step 1: What is your name?", Name)
        color = ctx.elicit("step2", "Step 2: What is your favorite color?", Color)
        if not (name.accepted and color.accepted):
            return "Never mind."
        return f"{name.content.name} likes {color.content.color}"

    @mark.tool
    def test_input_required_result_tampered_state(self, ctx: Context) -> str:
        """Ask for a confirmation whose state must come back unchanged."""
        answer = ctx.elicit("confirm", "Please confirm", Confirmation)
        return "Confirmed" if answer.accepted and answer.content.ok else "Not confirmed"

    @mark.tool
    def test_input_required_result_capabilities(self, ctx: Context) -> str:
        """Ask only what this client can answer."""
        heard = []
        if ctx.client_supports("elicitation.form"):
            heard.append(ctx.elicit("user_name", "What is your name?", Name).action)
        if ctx.client_supports("sampling"):
            heard.append(text_of(ctx.sample("capital_question", _CAPITAL, max_tokens=100)))
        return f"Heard: {', '.join(heard) or 'nothing'}"

    @mark.prompt
    def test_input_required_result_prompt(self, ctx: Context) -> str:
        """Ask what the prompt is for."""
        answer = ctx.elicit("user_context", "What is the context?", Purpose)
        context = answer.content.context if answer.accepted else "unknown"
        return f"The context of what follows: {context}"
