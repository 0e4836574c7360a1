"""A server for the official client: ``python official_server.py stdio|h11|hypercorn|uvicorn``.

It has what no example shows: pages, a page to be opened, several rounds, and tools that tell what
has happened in the server. ``--no-sessions`` keeps none for legacy clients.
"""

import argparse
import signal
import socket
import sys
import time
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any

import anyio
from msgspec import Struct
from sansmcp_asgi import McpApp
from sansmcp_core import (
    Context,
    Elicit,
    ListRoots,
    ObjectSchema,
    Sample,
    Server,
    Settings,
    resource_link,
)
from sansmcp_core.http import HttpSettings
from sansmcp_h11 import run as run_h11
from sansmcp_schema.requests import LoggingLevel
from sansmcp_stdio import run as run_stdio

__all__ = ["server"]

DEADLINE_S = 30.0

server = Server(
    "official", "1", settings=Settings(page_size=2, list_legacy_versions=True, time_limit_s=60)
)
happened: Counter[str] = Counter()
LEVELS: tuple[LoggingLevel, ...] = ("debug", "info", "warning", "error")


class Name(Struct):
    name: str


class Sum(Struct):
    total: int
    parts: list[int]


# -- results ---------------------------------------------------------------------------------


@server.tool(read_only=True, inline=True)
def add(numbers: list[int]) -> Sum:
    return Sum(sum(numbers), numbers)


@server.tool
def link() -> Any:
    return resource_link("item://3", name="third")


@server.tool(read_only=True)
def echo(text: str) -> str:
    return text


@server.tool
def fail() -> str:
    raise RuntimeError("deliberate")


@server.tool(time_limit_s=0.05)
async def be_slow() -> str:
    await anyio.sleep(DEADLINE_S)
    return "slow"


HEADED = ObjectSchema().string("city", header="City").integer("floor", header="Floor", default=0)


@server.tool(arguments=HEADED)
def go(city: str, floor: int, ctx: Context) -> dict[str, Any]:
    headers = ctx.request.http_headers
    return {
        "city": city,
        "floor": floor,
        "over_http": bool(headers),
        "headers": {k: v for k, v in headers.items() if k.startswith("mcp-param-")},
    }


@server.tool(inline=True)
def client(ctx: Context) -> dict[str, Any]:
    request = ctx.request
    return {
        "version": request.protocol_version,
        "name": None if request.client_info is None else request.client_info.name,
        "can": [
            capability
            for capability in ("elicitation.form", "elicitation.url", "sampling", "roots")
            if ctx.client_supports(capability)
        ],
    }


# -- what comes while a call runs, and what ends it ------------------------------------------


@server.tool
async def talk(ctx: Context) -> str:
    for number, level in enumerate(LEVELS):
        ctx.log(level, {"number": number}, logger="talker")
        ctx.report_progress(number + 0.5, 4, f"at {level}")
    return "talked"


@server.tool
async def wait_async(ctx: Context) -> str:
    ctx.report_progress(1)
    try:
        await anyio.sleep(DEADLINE_S)
    except anyio.get_cancelled_exc_class():
        happened["wait_async"] += 1
        raise
    return "nobody stopped it"


@server.tool
def wait_blocking(ctx: Context) -> str:
    ctx.report_progress(1)
    until = time.monotonic() + DEADLINE_S
    while not ctx.cancelled and time.monotonic() < until:
        time.sleep(0.01)
    happened["wait_blocking"] += ctx.cancelled
    return "over"


@server.tool
async def times_stopped(name: str, at_least: int) -> int:
    """How often a call was stopped; waits until it was."""
    with anyio.move_on_after(DEADLINE_S / 2):
        while happened[name] < at_least:  # noqa: ASYNC110 - some are noted in threads
            await anyio.sleep(0.01)
    return happened[name]


@server.tool
async def rest(seconds: float) -> str:
    await anyio.sleep(seconds)
    return "rested"


@server.tool
async def hang_up(ctx: Context) -> str:
    ctx.log("info", "before")
    ctx.close_stream(retry_ms=10)
    await anyio.sleep(0.1)
    ctx.log("info", "after")
    return "hung up"


# -- questions -------------------------------------------------------------------------------


@server.tool
def open_page(ctx: Context) -> str:
    return ctx.elicit_url("page", "Please pay", "https://pay.example/1").action


@server.tool
def ask_much(ctx: Context) -> str:
    """Three rounds, the second with three questions, and a step that is done once."""
    ctx.report_progress(1, 3)
    first = ctx.elicit("first", "First?", Name).content.name
    count = ctx.once("count", lambda: happened.update(["once"]) or happened["once"])
    answers = ctx.ask(
        {
            "second": Elicit("Second?", Name),
            "sample": Sample(f"After {first}", max_tokens=10),
            "roots": ListRoots(),
        }
    )
    third = ctx.elicit("third", "Third?", Name).content.name
    again = ctx.once("count", lambda: -1)
    second, model, roots = answers["second"], answers["sample"], answers["roots"]
    names = f"{first} {second.content.name} {third}"
    return f"{names}; {model.content.text}; {roots[0].name}; once: {count == again}"


@server.tool
async def greet(number: int, ctx: Context) -> str:
    answer = ctx.elicit("who", f"Who is number {number}?", Name)
    return f"{number}: {answer.content.name if answer.accepted else answer.action}"


@server.resource("greeting://{word}")
def greeting(word: str, ctx: Context) -> str:
    return f"{word}, {ctx.elicit('who', 'Who?', Name).content.name}"


@server.prompt
def introduce(ctx: Context, style: str = "short") -> str:
    return f"{style}: {ctx.elicit('who', 'Who?', Name).content.name}"


# -- lists and changes -----------------------------------------------------------------------


@server.resource("item://{number}")
def item(number: int) -> str:
    return f"item {number}"


@server.resource("shelf://{room}/{+path}")
def shelf(room: str, path: str) -> str:
    return f"{room}: {path}"


for i in range(5):
    server.resource(f"fixed://{i}", name=f"fixed {i}")(lambda: "one of five")
    server.prompt(lambda: "one of five", name=f"prompt_{i}", description="One of five.")


@server.completion("shelf://{room}/{+path}", "path")
def complete_path(value: str, filled: dict[str, str]) -> list[str]:
    return [f"{filled.get('room', '?')}-{value}{i}" for i in range(150)]


@server.tool
def change(uri: str) -> None:
    server.resource_updated(uri)


@server.tool
def toggle_resource() -> bool:
    """Add a resource, or remove it again; tells whether it is there."""
    happened["toggle"] += 1
    there = happened["toggle"] % 2 == 1
    if there:
        server.resource("passing://", name="passing")(lambda: "here for a while")
    else:
        server.resources.remove("passing://")
    return there


# -- serving ---------------------------------------------------------------------------------


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("adapter", choices=("stdio", "h11", "hypercorn", "uvicorn"))
    parser.add_argument("--no-sessions", action="store_true")
    options = parser.parse_args()
    settings = HttpSettings(sessions=not options.no_sessions, keep_alive_s=0.2)
    if options.adapter == "stdio":
        run_stdio(server, backend="asyncio")
    elif options.adapter == "h11":
        run_h11(server, port=0, settings=settings)
    elif options.adapter == "hypercorn":
        sys.path.append(str(Path.cwd()))  # the folder of the examples
        app = McpApp(server, settings)
        import_module("serving").serve_app(app, app, "127.0.0.1", 0, path="/mcp", worker="asyncio")
    else:
        serve_uvicorn(McpApp(server, settings))


def serve_uvicorn(app: McpApp) -> None:
    uvicorn = import_module("uvicorn")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # raised again by uvicorn at its end
    listener = socket.create_server(("127.0.0.1", 0))
    sys.stdout.write(f"Serving at http://127.0.0.1:{listener.getsockname()[1]}/mcp\n")
    sys.stdout.flush()
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run([listener])


if __name__ == "__main__":
    main()
