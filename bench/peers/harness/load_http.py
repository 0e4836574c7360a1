"""HTTP load with wrk: the same request over and over, every answer looked at."""

import json
import os
import resource
import shutil
import subprocess
from contextlib import ExitStack
from functools import partial
from typing import NamedTuple

from . import envs, wire
from .quiet import Cores, Sample, quietly
from .servers import HttpServer, Server, pinned

__all__ = ["CONNECTIONS", "MANY", "TOOLS", "drive", "measure"]

TOOLS = 100  # how many tools the servers of call100 and list have
CONNECTIONS = (1, 16, 64)
MANY = 16  # connections of call100 and list


class Scenario(NamedTuple):
    """One load, and the processes that it is put on."""

    column: str
    method: str
    connections: int
    processes: list[HttpServer]


def drive(
    target: HttpServer, method: str, connections: int, seconds: int, core: int | None
) -> Sample:
    """One run of wrk against one server.

    Raises:
        AssertionError: An answer was wrong or missing.
    """
    if method == "tools/list":
        body, headers = wire.message(method), wire.headers(method)
        expect = f'"search_{TOOLS - 1:03d}"'
    else:
        body, headers, expect = wire.add(), wire.headers(method, "add"), str(wire.SUM)
    env = os.environ | {
        "BENCH_BODY": body.decode(),
        "BENCH_HEADERS": "\n".join(f"{name}: {value}" for name, value in headers.items()),
        "BENCH_EXPECT": expect,
    }
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}", "--timeout", "10"]
    command += ["-s", str(envs.BENCH / "wrk.lua"), f"http://127.0.0.1:{target.port}/mcp"]
    cpu, own = target.cpu_seconds(), resource.getrusage(resource.RUSAGE_CHILDREN)
    ran = subprocess.run(pinned(command, core), env=env, capture_output=True, text=True, check=True)
    cpu = target.cpu_seconds() - cpu
    own_now = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = json.loads(ran.stdout.partition("BENCH ")[2])
    if out["wrong"] or out["broken"] or not out["right"]:
        raise AssertionError(f"{target.server.name}: {method}: {out}\n{ran.stdout}")
    own_s = own_now.ru_utime + own_now.ru_stime - own.ru_utime - own.ru_stime
    return {
        "rate": out["right"] / out["seconds"],
        "p50": out["p50"],
        "p99": out["p99"],
        "cpu": cpu / out["right"] * 1e6,
        "bytes": out["bytes"] / out["right"],
        "generator_busy": own_s / out["seconds"],
    }


def only_call(server: Server, brief: bool) -> bool:
    """Whether a server takes part at the highest number of connections only."""
    return brief and server.role in ("variant", "floor")


def start(
    servers: list[Server], brief: bool, core: int | None, stack: ExitStack
) -> list[HttpServer]:
    """Start every server, once for each number of tools that it is measured with."""
    started = []
    for server in servers:
        counts = []
        if "call" in server.scenarios:
            counts.append(1)
        if {"call100", "list"} & set(server.scenarios) and not only_call(server, brief):
            counts.append(TOOLS)
        started += [stack.enter_context(HttpServer(server, tools, core)) for tools in counts]
    return started


def plan(started: list[HttpServer], brief: bool) -> list[Scenario]:
    """What is measured, in its order."""
    single = [process for process in started if process.tools == 1]
    many = [process for process in started if process.tools > 1]
    scenarios = []
    for count in CONNECTIONS:
        every = count == CONNECTIONS[-1]
        chosen = [p for p in single if every or not only_call(p.server, brief)]
        scenarios.append(Scenario(f"call c={count}", "tools/call", count, chosen))
        if count == MANY:
            for column, method in (("call100", "tools/call"), ("list", "tools/list")):
                chosen = [p for p in many if column in p.server.scenarios]
                scenarios.append(Scenario(column, method, count, chosen))
    return scenarios


def measure(
    servers: list[Server], rounds: int, seconds: int, brief: bool, cores: Cores
) -> list[Sample]:
    """Every scenario of every server, the servers taking turns within each scenario.

    Args:
        servers: Those that are served over HTTP.
        rounds: How often.
        seconds: How long one load lasts.
        brief: Variants and floors take part at the highest number of connections only.
        cores: Where the servers and the load run.
    """
    if not shutil.which("wrk"):
        raise SystemExit("wrk is missing: apt-get install wrk")
    server_core, load_core = cores
    samples = []
    with ExitStack() as stack:
        started = start(servers, brief, server_core, stack)
        listing = {}
        for process in started:
            process.wait()
            if process.tools > 1:
                listing[process.server.name] = process.check()
            if process.server.role != "floor":
                drive(process, "tools/call", MANY, 1, load_core)  # warm-up: caches, a JIT

        scenarios = plan(started, brief)
        for turn in range(rounds):
            for column, method, count, processes in scenarios:
                for process in processes if turn % 2 == 0 else processes[::-1]:
                    load = partial(drive, process, method, count, seconds, load_core)
                    sample = quietly(load, cores, process.user_seconds)
                    sample |= {"row": process.server.name, "column": column, "round": turn}
                    if column == "list":
                        sample["listing"] = listing[process.server.name]
                    samples.append(sample)
    return samples
