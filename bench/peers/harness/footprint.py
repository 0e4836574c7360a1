"""What an installation brings: distributions and megabytes in a fresh, empty environment."""

import os
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import envs
from .quiet import Sample

__all__ = ["INSTALLS", "install", "largest", "measure", "size_mb"]

INSTALLS = (
    "mcp",
    "fastmcp",
    "msgspec",
    "msgspec trio h11",
    "msgspec trio httptools",
    "msgspec trio h11 hypercorn anyio jsonschema-rs",
)


def size_mb(folder: Path, bytecode: bool = True) -> float:
    """How large the files of a folder are."""
    files = (file for file in folder.rglob("*") if file.is_file() and not file.is_symlink())
    return sum(file.stat().st_size for file in files if bytecode or file.suffix != ".pyc") / 1e6


def largest(site: Path, count: int = 4) -> str:
    """The largest folders, and their size in megabytes."""
    sizes = sorted(((size_mb(f), f.name) for f in site.iterdir() if f.is_dir()), reverse=True)
    return ", ".join(f"{name} {size:.1f}" for size, name in sizes[:count])


def install(names: str) -> Sample:
    """Install what is pinned under these names, alone; return what came."""
    pins = envs.pins()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([envs.PYTHON, "-m", "venv", "--without-pip", folder], check=True)
        pip = [str(envs.PYTHON), "-m", "pip", "--python", f"{folder}/bin/python", "install", "-q"]
        wanted = [pins[package] for package in names.split()]
        subprocess.run(
            [*pip, "--disable-pip-version-check", *wanted], check=True, stderr=subprocess.DEVNULL
        )
        site = next(Path(folder).glob("lib/python*/site-packages"))
        return {
            "row": f"pip install {names}",
            "distributions": len(list(site.glob("*.dist-info"))),
            "mb": size_mb(site),
            "mb_source": size_mb(site, bytecode=False),
            "largest": largest(site),
        }


def measure(cores: set[int]) -> list[Sample]:
    """Nothing is timed here, so the installations run side by side on all the cores."""
    usual = os.sched_getaffinity(0)

    def spread() -> None:
        os.sched_setaffinity(0, cores)

    with ThreadPoolExecutor(len(cores), initializer=spread) as pool:
        rows = list(pool.map(install, INSTALLS))
    os.sched_setaffinity(0, usual)
    modules = envs.ROOT / "node" / "node_modules"
    if modules.exists():
        names = [
            file.parent.relative_to(modules)
            for file in (*modules.glob("*/package.json"), *modules.glob("@*/*/package.json"))
            if file.parent.name.split("-")[0] != "node" or file.parent.parent != modules
        ]
        total = sum(size_mb(modules / name) for name in names)
        rows.append(
            {
                "row": "npm install server node zod",
                "distributions": len(names),
                "mb": total,
                "mb_source": total,
                "largest": "",
            }
        )
    return rows
