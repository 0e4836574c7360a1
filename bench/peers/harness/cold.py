"""Cold start: from spawning to the first answer, and the memory once idle; imports too."""

import subprocess
import time
from functools import partial

from . import envs, wire
from .load_stdio import StdioServer
from .quiet import Cores, Sample, quietly
from .servers import Server, pinned

__all__ = ["IMPORTS", "first_answer", "imports", "measure"]

IDLE_S = 0.3  # between the first answer and the look at the memory
IMPORTS = {
    "mcp": "import mcp",
    "fastmcp.FastMCP": "from fastmcp import FastMCP",
    "pydantic": "from pydantic import BaseModel",
    "starlette": "import starlette.applications",
    "uvicorn": "import uvicorn",
    "asyncio": "import asyncio",
    "anyio": "import anyio",
    "trio": "import trio",
    "h11": "import h11",
    "httptools": "import httptools",
    "hypercorn.trio": "import hypercorn.trio",
    "msgspec": "import msgspec",
    "jsonschema": "import jsonschema",
    "jsonschema_rs": "import jsonschema_rs",
    "fastjsonschema": "import fastjsonschema",
    "msgspec + trio": "import msgspec, trio",
    "msgspec + trio + h11 + jsonschema_rs": "import msgspec, trio, h11, jsonschema_rs",
}
TIMED = "import time; start = time.perf_counter(); {}; print((time.perf_counter() - start) * 1e3)"
COUNTED = "import sys; n = len(sys.modules); {}; print(len(sys.modules) - n)"


def first_answer(command: list[str], core: int | None, program: bool) -> Sample:
    """Spawn once.

    Args:
        command: What.
        core: Where.
        program: It is a bare interpreter that answers by itself, in place of a server.
    """
    start = time.perf_counter()
    with StdioServer(command, core) as process:
        if program:
            process.line()
        else:
            answer = process.ask(wire.message("server/discover"))
        taken = time.perf_counter() - start
        if not program:
            versions = answer.get("result", {}).get("supportedVersions", [])
            if wire.VERSION not in versions:
                raise AssertionError(f"no discovery: {answer}")
        time.sleep(IDLE_S)
        return {"ms": taken * 1e3, "rss": process.rss_mb()}


def measure(servers: list[Server], rounds: int, cores: Cores) -> list[Sample]:
    """Every server's start, beside those of programs that do nothing."""
    commands = {server.name: (server.command("stdio"), False) for server in servers}
    empty = [str(envs.PYTHON), "-c", "print(flush=True); input()"]
    commands["empty Python program"] = (empty, True)
    node = str(envs.NODE) if envs.NODE.exists() else "node"
    empty = [node, "-e", "console.log(); process.stdin.on('data', () => {})"]
    commands["empty node program"] = (empty, True)
    samples = []
    # The first turn warms the disk cache and the bytecode, and is not kept.
    for turn in range(-1, rounds):
        names = list(commands)
        for name in names if turn % 2 == 0 else names[::-1]:
            command, program = commands[name]
            sample = quietly(partial(first_answer, command, cores[0], program), cores)
            samples.append(sample | {"row": name, "column": "cold", "round": turn})
    return [sample for sample in samples if sample["round"] >= 0]


def imports(rounds: int, cores: Cores) -> list[Sample]:
    """What each import takes, timed in a fresh process, and how many modules it loads."""

    def once(code: str) -> Sample:
        command = pinned([str(envs.PYTHON), "-c", TIMED.format(code)], cores[0])
        ran = subprocess.run(command, check=True, capture_output=True)
        return {"ms": float(ran.stdout)}

    def loaded(code: str) -> int:
        command = [str(envs.PYTHON), "-c", COUNTED.format(code)]
        return int(subprocess.run(command, check=True, capture_output=True).stdout)

    modules = {name: loaded(code) for name, code in IMPORTS.items()}
    samples = []
    for turn in range(rounds):
        names = list(IMPORTS)
        for name in names if turn % 2 == 0 else names[::-1]:
            sample = quietly(partial(once, IMPORTS[name]), cores) | {"modules": modules[name]}
            samples.append(sample | {"row": name, "column": "import", "round": turn})
    return samples
