"""An environment outside the repository: one Python venv, with us in it, and one node_modules."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

__all__ = ["BENCH", "NODE", "OURS", "PYTHON", "ROOT", "pins", "runtime", "setup", "versions"]

BENCH = Path(__file__).parent.parent
ROOT = Path(os.environ.get("BENCH_ENV") or Path(tempfile.gettempdir()) / "mcp-bench")
PYTHON = ROOT / "venv" / "bin" / "python"
NODE = ROOT / "node" / "node_modules" / ".bin" / "node"

PACKAGES = BENCH.parents[1] / "packages"
OURS = [PACKAGES / f"mcp-{name}" for name in ("schema", "core", "runtime", "stdio", "asgi", "h11")]
"""Our packages. They are installed as users have them: an editable one starts in other time."""


def pins() -> dict[str, str]:
    """Each distribution of the requirements -> the line that pins it."""
    lines = (BENCH / "requirements.txt").read_text(encoding="utf-8").splitlines()
    return {line.partition("==")[0]: line for line in lines if "==" in line}


def setup(extra: list[str]) -> None:
    """Make or update the environment.

    Args:
        extra: More things to pip install.
    """
    ROOT.mkdir(parents=True, exist_ok=True)
    if not PYTHON.exists():
        subprocess.run([sys.executable, "-m", "venv", ROOT / "venv"], check=True)
    pip = [str(PYTHON), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    subprocess.run([*pip, "-r", BENCH / "requirements.txt", *OURS, *extra], check=True)
    (ROOT / "node").mkdir(exist_ok=True)
    shutil.copy(BENCH / "package.json", ROOT / "node")
    npm = ["npm", "install", "--silent", "--no-fund", "--no-audit"]
    subprocess.run(npm, cwd=ROOT / "node", check=True)


def runtime(file: Path) -> list[str]:
    """The command that runs one server file. JavaScript is run from beside its node_modules."""
    if file.suffix == ".mjs":
        copy = ROOT / "node" / file.name
        shutil.copy(file, copy)
        return [str(NODE) if NODE.exists() else "node", str(copy)]
    return [str(PYTHON), str(file)]


def versions() -> dict[str, str]:
    """The versions that a table should name."""
    code = (
        "import json,sys,importlib.metadata as m;"
        "print(json.dumps({n:m.version(n) for n in sys.argv[1:]}))"
    )
    out = subprocess.run([PYTHON, "-c", code, *pins()], check=True, capture_output=True).stdout
    found = {"python": sys.version.split()[0], **json.loads(out)}
    node = str(NODE) if NODE.exists() else shutil.which("node")
    if node:
        ran = subprocess.run([node, "--version"], check=False, capture_output=True, text=True)
        found["node"] = ran.stdout.strip().lstrip("v")
    modules = ROOT / "node" / "node_modules" / "@modelcontextprotocol"
    for package in ("server", "node"):
        manifest = modules / package / "package.json"
        if manifest.exists():
            version = json.loads(manifest.read_text(encoding="utf-8"))["version"]
            found[f"@modelcontextprotocol/{package}"] = version
    return found
