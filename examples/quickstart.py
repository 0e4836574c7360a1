"""A first server: ``python examples/quickstart.py`` serves it over standard input and output."""

import time
from typing import Annotated

import sansmcp_stdio
from msgspec import Meta, Struct
from sansmcp_core import Context, ResourceNotFound, Server

server = Server("quickstart", version="1.0.0", instructions="Adds, greets, and keeps short notes.")
notes = {"welcome": "Edit quickstart.py and start it again.", "wish": "A server in one file."}


@server.tool(read_only=True, idempotent=True)
def add(a: float, b: float) -> float:
    """Add two numbers and return the sum."""
    return a + b


class Name(Struct):
    """The form that greet shows."""

    name: Annotated[str, Meta(description="Who should be greeted", min_length=1)]


@server.tool
def greet(ctx: Context) -> str:
    """Greet a person; asks who."""
    answer = ctx.elicit("who", "Who should be greeted?", Name)
    return f"Hello, {answer.content.name}!" if answer.accepted else "Hello, stranger!"


@server.tool
def save_note(title: str, text: str, ctx: Context) -> None:
    """Save a note under a title, and tell whoever follows it."""
    notes[title] = text
    ctx.log("info", f"saved {title}")
    server.resource_updated(f"note://{title}")


@server.tool(read_only=True)
def count_down(ctx: Context, start: int = 10) -> str:
    """Count down to zero, ten numbers a second, until told to stop."""
    for done in range(start):
        ctx.check_cancelled()
        ctx.report_progress(done, start)
        time.sleep(0.1)
    return "Lift-off!"


@server.tool(read_only=True)
def describe_folders(ctx: Context) -> str:
    """Let the client's model guess what the client's folders hold."""
    folders = ", ".join(root.uri for root in ctx.list_roots())
    answer = ctx.sample("guess", f"What may be in these folders? {folders}", max_tokens=100)
    return str(getattr(answer.content, "text", "The model said nothing."))


@server.resource("notes://titles")
def titles() -> list[str]:
    """The titles of all notes."""
    return sorted(notes)


@server.resource("note://{title}", mime_type="text/plain")
def note(title: str) -> str:
    """One note."""
    if title not in notes:
        raise ResourceNotFound(f"there is no note {title!r}")
    return notes[title]


@server.prompt
def explain(title: Annotated[str, Meta(description="Title of a note")]) -> str:
    """Explain a note."""
    return f"Explain this note to a newcomer: {notes.get(title, title)}"


@server.completion("explain", "title")
@server.completion("note://{title}", "title")
def complete_title(value: str) -> list[str]:
    """Titles that begin like what is typed."""
    return [title for title in sorted(notes) if title.startswith(value)]


if __name__ == "__main__":
    sansmcp_stdio.run(server)
