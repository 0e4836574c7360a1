"""A server with one of everything: ``python examples/everything.py`` serves it over stdio.

``--http 127.0.0.1:3000`` serves it over HTTP (``serving.py`` has the options). Some handlers are
coroutine functions, so it is served in an event loop, over stdio trio's by default. Beside what is
declared here it has the fixtures of the official conformance suite (``conformance/``).
"""

import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from fnmatch import fnmatch
from pathlib import Path
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

import anyio
import conformance
import serving
from msgspec import Meta, Struct
from sansmcp_core import (
    CacheHint,
    Context,
    ObjectSchema,
    ResourceNotFound,
    Server,
    ToolError,
    embedded_text,
    safe_join,
    text,
    user,
)
from sansmcp_schema.prompts import PromptMessage

README = """# everything

One of each thing that a server can offer. Call `list_files` to look around, `add_dynamic_tool` to
see the list of tools change, and `touch_resource` to see a subscription at work.
"""

LOG = [
    ("info", "server started"),
    ("debug", "cache is cold"),
    ("warning", "disk is 91 % full"),
    ("error", "backup failed: no space left on device"),
]
LEVELS = ("debug", "info", "warning", "error")
Level = Literal["debug", "info", "warning", "error"]


@contextmanager
def lifespan(_server: Server) -> Iterator[datetime]:
    """Entered before the first call and left after the last; its value is ``ctx.lifespan``."""
    yield datetime.now(UTC)


server = Server(
    "everything",
    version="1.0.0",
    title="One of everything",
    instructions="Offers one of each thing that the protocol has, to try clients with.",
    lifespan=lifespan,
)

for fixtures in (
    conformance.ContentTools(),
    conformance.FeedbackTools(server),
    conformance.QuestionTools(),
    conformance.RoundTrips(),
    conformance.SchemaTools(),
    conformance.TransportTools(),
    conformance.FixtureResources(),
    conformance.FixturePrompts(),
):
    server.register(fixtures)


# -- arguments, declared in four ways ---------------------------------------------------------


@server.tool(read_only=True, inline=True)
def echo(message: str) -> str:
    """Give a message back. (Arguments: the signature.)"""
    return message


@server.tool(title="Clock", read_only=True, inline=True)
def get_time(
    timezone: Annotated[str, Meta(description="IANA name such as Europe/Lisbon")] = "UTC",
) -> datetime:
    """Tell the time. (Arguments: the signature, with a description and a default.)"""
    if timezone == "UTC":
        return datetime.now(UTC)
    try:
        return datetime.now(ZoneInfo(timezone))
    except (OSError, ValueError, LookupError):
        raise ToolError(
            f"unknown time zone {timezone!r}; give an IANA name such as Europe/Lisbon"
        ) from None


class ListFiles(Struct):
    """Which files to list."""

    path: Annotated[str, Meta(description="Folder below the server's working directory")] = "."
    pattern: Annotated[str, Meta(description="Shell pattern such as *.py")] = "*"
    limit: Annotated[int, Meta(ge=1, le=1000)] = 100


class File(Struct):
    """One file or folder."""

    name: str
    size: int
    is_folder: bool


@server.tool(arguments=ListFiles, read_only=True)
def list_files(wanted: ListFiles) -> list[File]:
    """List a folder. (Arguments: a Struct that is the whole schema.)"""
    try:
        folder = safe_join(Path.cwd(), wanted.path)
        paths = [path for path in sorted(folder.iterdir()) if fnmatch(path.name, wanted.pattern)]
        return [File(p.name, p.lstat().st_size, p.is_dir()) for p in paths[: wanted.limit]]
    except (ResourceNotFound, OSError):
        raise ToolError(
            f"cannot list {wanted.path!r}; give a folder below the working directory, such as '.'"
        ) from None


OPERANDS = (
    ObjectSchema()
    .enum("operation", ["add", "subtract", "multiply", "divide"], "What to do")
    .number("a", "The first operand")
    .number("b", "The second operand")
)


@server.tool(arguments=OPERANDS, read_only=True, idempotent=True, inline=True)
def calculate(operation: str, a: float, b: float) -> float:
    """Do one step of arithmetic. (Arguments: the builder.)"""
    if operation == "divide" and b == 0:
        raise ToolError("b is 0, and nothing can be divided by 0")
    try:
        result = float(
            {
                "add": lambda: a + b,
                "subtract": lambda: a - b,
                "multiply": lambda: a * b,
                "divide": lambda: a / b,
            }[operation]()
        )
    except OverflowError:
        result = math.inf
    if not math.isfinite(result):
        raise ToolError("the result is too large for a floating-point number")
    return result


REPEAT = """{
    "name": "repeat",
    "description": "Say a word several times. (Arguments: JSON Schema in a whole definition.)",
    "inputSchema": {
        "type": "object",
        "properties": {
            "word": {"type": "string", "maxLength": 100},
            "times": {"type": "integer", "minimum": 1, "maximum": 100, "default": 2}
        },
        "required": ["word"]
    }
}"""


def repeat(arguments: dict[str, Any]) -> str:
    """Gets the arguments as they were sent, with defaults filled in."""
    return " ".join([arguments["word"]] * arguments["times"])


server.add_tool(REPEAT, repeat, read_only=True)


# -- time ------------------------------------------------------------------------------------


@server.tool(read_only=True, time_limit_s=60)
async def wait(ctx: Context, seconds: Annotated[float, Meta(ge=0, le=60)] = 1) -> str:
    """Wait, and report progress ten times a second; the client may cancel it."""
    steps = max(1, math.ceil(seconds * 10))
    for step in range(steps):
        ctx.report_progress(step, steps)
        await anyio.sleep(seconds / steps)
    return f"Waited {seconds} seconds."


# -- change ----------------------------------------------------------------------------------

dynamic_tools: set[str] = set()


@server.tool
def add_dynamic_tool(
    name: Annotated[str, Meta(min_length=1, max_length=64)] = "dynamic_tool",
) -> str:
    """Add a tool; clients hear that the list of tools has changed."""
    if server.tools.find(name) is not None:
        raise ToolError(f"there is a tool {name!r} already; remove it, or choose another name")
    server.tool(lambda: f"Hello from {name}", name=name, description="Added while serving.")
    dynamic_tools.add(name)
    return f"Added the tool {name}."


@server.tool
def remove_dynamic_tool(name: str = "dynamic_tool") -> str:
    """Remove a tool that was added while serving."""
    if name not in dynamic_tools:
        raise ToolError(f"{name!r} is no dynamic tool; there are: {sorted(dynamic_tools)}")
    dynamic_tools.discard(name)
    server.tools.remove(name)
    return f"Removed the tool {name}."


@server.tool
def add_dynamic_prompt() -> str:
    """Add the prompt dynamic_prompt; clients hear that the list of prompts has changed."""
    if server.prompts.find("dynamic_prompt") is not None:
        raise ToolError("the prompt is there already; remove it first")
    server.prompt(lambda: "Hello!", name="dynamic_prompt", description="Added while serving.")
    return "Added the prompt dynamic_prompt."


@server.tool
def remove_dynamic_prompt() -> str:
    """Remove the prompt dynamic_prompt."""
    if server.prompts.find("dynamic_prompt") is None:
        raise ToolError("there is no dynamic prompt; add it first")
    server.prompts.remove("dynamic_prompt")
    return "Removed the prompt dynamic_prompt."


@server.tool(ok_result=True)
def touch_resource(uri: str = "test://watched-resource") -> None:
    """Tell everybody who follows a resource that it has changed."""
    server.resource_updated(uri)


# -- resources and prompts -------------------------------------------------------------------


@server.resource("project://info")
def info(ctx: Context) -> dict[str, Any]:
    """What this server runs on, and since when."""
    return {
        "name": server.info.name,
        "version": server.info.version,
        "python": sys.version.split()[0],
        "started": ctx.lifespan.isoformat(),
    }


@server.resource(
    "project://readme", mime_type="text/markdown", cache=CacheHint(3_600_000, "public")
)
def readme() -> str:
    """What this server is for."""
    return README


@server.prompt
def summarize_logs(
    level: Annotated[Level, Meta(description="Leave out what is below")] = "info",
    lines: Annotated[int, Meta(description="At most so many lines", ge=1)] = 20,
) -> list[PromptMessage]:
    """Sum up the latest log messages."""
    chosen = [f"{at}: {line}" for at, line in LOG if LEVELS.index(at) >= LEVELS.index(level)]
    return [
        user(embedded_text("project://logs", "\n".join(chosen[-lines:]))),
        user(text("Sum up the log above; begin with what needs attention.")),
    ]


@server.completion("summarize_logs", "level")
def complete_level(value: str) -> list[str]:
    """Levels that begin like what is typed."""
    return [level for level in LEVELS if level.startswith(value)]


if __name__ == "__main__":
    serving.main(server)
