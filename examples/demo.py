"""One server, two eras: what a modern and a legacy client say to ``quickstart.py``.

``python examples/demo.py`` starts the server as a child process, as clients do, and prints each
message as it crosses the pipe. Both clients use the same process.
"""

import json
import os
import queue
import shutil
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, cast

Message = dict[str, Any]

SERVER = Path(__file__).with_name("quickstart.py")
DEADLINE_S = 20.0
MAX_LINES = 20
ARROWS = {"to": ("client -> server", "36"), "from": ("client <- server", "32")}

MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "demo", "version": "1.0.0"},
    "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
}
LEGACY = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"elicitation": {}},
    "clientInfo": {"name": "demo", "version": "1.0.0"},
}
ALICE = {"action": "accept", "content": {"name": "Alice"}}


class DemoFailed(Exception):
    """What went otherwise than it should."""


class Screen:
    """Prints messages so that people can read them; in colours only on a terminal."""

    def __init__(self) -> None:
        self._colours = sys.stdout.isatty() and "NO_COLOR" not in os.environ
        self._width = max(60, shutil.get_terminal_size((100, 24)).columns)

    def title(self, text: str) -> None:
        """Print what comes next."""
        print(f"\n{self._paint(text, '1')}")

    def message(self, direction: str, era: str, message: Message) -> None:
        """Print one message under its direction and era, cut where it is long."""
        arrow, colour = ARROWS[direction]
        print(f"\n  {self._paint(f'{arrow}  ({era})', colour)}")
        lines = pretty(message, self._width - 6).splitlines()
        if len(lines) > MAX_LINES:
            cut = len(lines) - MAX_LINES
            lines = [*lines[:MAX_LINES], f"... and {cut} more line{'s' * (cut > 1)}"]
        for line in lines:
            room = self._width - 4
            print(f"    {line if len(line) <= room else line[: room - 3] + '...'}")

    def _paint(self, text: str, colour: str) -> str:
        return f"\033[{colour}m{text}\033[0m" if self._colours else text


def pretty(value: Any, width: int, levels: int = 3) -> str:
    """The JSON of ``value``: what does not fit ``width`` is spread, down to so many levels."""
    line = json.dumps(value)
    if len(line) <= width or not levels or not isinstance(value, dict | list):
        return line
    names: Any = value if isinstance(value, dict) else [None] * len(value)
    parts = []
    for name, part in zip(names, value.values() if isinstance(value, dict) else value, strict=True):
        label = "" if name is None else f"{json.dumps(name)}: "
        parts.append(label + pretty(part, width - 2 - len(label), levels - 1).replace("\n", "\n  "))
    inside = ",\n  ".join(parts)
    return f"{{\n  {inside}\n}}" if isinstance(value, dict) else f"[\n  {inside}\n]"


class Client:
    """Both clients' end of the pipe to one server.

    Args:
        process: The server.
        screen: Shows what is sent and received.
    """

    def __init__(self, process: "subprocess.Popen[bytes]", screen: Screen) -> None:
        self._to = cast("IO[bytes]", process.stdin)
        self._back = cast("IO[bytes]", process.stdout)
        self._screen = screen
        self._received: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._id = 0
        # Not every system can wait for a pipe with a deadline, but every system has threads.
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def send(self, era: str, message: Message) -> None:
        """Write one message, and show it."""
        message = {"jsonrpc": "2.0", **message}
        self._screen.message("to", era, message)
        try:
            self._to.write(json.dumps(message).encode() + b"\n")
            self._to.flush()
        except OSError as error:
            raise DemoFailed(f"the server reads no more: {error}") from error

    def receive(self, era: str) -> Message:
        """The next message, shown."""
        try:
            line = self._received.get(timeout=DEADLINE_S)
        except queue.Empty:
            raise DemoFailed(f"the server sent nothing for {DEADLINE_S:g} seconds") from None
        if not line:
            raise DemoFailed("the server ended before it had answered")
        try:
            message = json.loads(line)
        except ValueError:
            raise DemoFailed(f"the server sent a line that is no JSON: {line[:80]!r}") from None
        self._screen.message("from", era, message)
        if not isinstance(message, dict):
            raise DemoFailed("the server sent JSON that is no message")
        return message

    def ask(self, era: str, method: str, params: Message) -> Message:
        """Send a request; return the result, or what the server asks before it answers."""
        self._id += 1
        self.send(era, {"id": self._id, "method": method, "params": params})
        message = self.receive(era)
        return message if "method" in message else self.result(message)

    def result(self, message: Message) -> Message:
        """The result in the answer to the latest request."""
        result = message.get("result")
        if message.get("id") != self._id or not isinstance(result, dict):
            raise DemoFailed(f"request {self._id} was answered with {json.dumps(message)[:200]}")
        return result

    def hang_up(self) -> None:
        """Tell the server that nothing more comes."""
        self._to.close()

    def dispose(self) -> None:
        """Close the pipes of a server that has ended."""
        self._reader.join(DEADLINE_S)
        with suppress(OSError):
            self._to.close()
        self._back.close()

    def _read(self) -> None:
        for line in self._back:
            self._received.put(line)
        self._received.put(b"")


def modern(client: Client, screen: Screen) -> None:
    """Each request says in ``_meta`` what the client is; a question is a result."""

    def ask(method: str, **params: Any) -> Message:
        return client.ask("modern", method, {**params, "_meta": MODERN})

    screen.title("Revision 2026-07-28. What can this server do?")
    expect("2026-07-28" in ask("server/discover")["supportedVersions"], "it is not modern")
    screen.title("Its tools:")
    expect("add" in names(ask("tools/list")), "there is no tool add")
    screen.title("A call:")
    said(ask("tools/call", name="add", arguments={"a": 2, "b": 3}), "5")
    screen.title("A call that needs the user: the server answers with a question.")
    question = ask("tools/call", name="greet", arguments={})
    expect(question.get("resultType") == "input_required", "greet did not ask")
    screen.title("The same call again, with the answer:")
    state, (key,) = question["requestState"], question["inputRequests"]
    answers = {key: ALICE}
    retry = ask(
        "tools/call", name="greet", arguments={}, inputResponses=answers, requestState=state
    )
    said(retry, "Alice")


def legacy(client: Client, screen: Screen) -> None:
    """A handshake first; a question is a request of the server's, in the middle of the call."""

    def ask(method: str, **params: Any) -> Message:
        return client.ask("legacy", method, params)

    screen.title("The same process, revision 2025-11-25: first a handshake.")
    agreed = ask("initialize", **LEGACY)["protocolVersion"]
    expect(agreed == "2025-11-25", f"it agreed to {agreed}")
    client.send("legacy", {"method": "notifications/initialized"})
    screen.title("Its tools:")
    expect("greet" in names(ask("tools/list")), "there is no tool greet")
    screen.title("A call:")
    said(ask("tools/call", name="add", arguments={"a": 2, "b": 3}), "5")
    screen.title("A call that needs the user: the server sends a request of its own.")
    question = ask("tools/call", name="greet", arguments={})
    expect(question.get("method") == "elicitation/create", "greet did not ask")
    screen.title("The answer to it, and then the answer to the call:")
    client.send("legacy", {"id": question["id"], "result": ALICE})
    said(client.result(client.receive("legacy")), "Alice")


def names(result: Message) -> list[str]:
    """The names of the tools in a list."""
    return [tool["name"] for tool in result["tools"]]


def said(result: Message, text: str) -> None:
    """Fail unless the result of a call says ``text``."""
    expect(text in json.dumps(result.get("content")), f"expected {text!r} in the result")


def expect(holds: bool, otherwise: str) -> None:
    """Fail with ``otherwise`` unless it ``holds``."""
    if not holds:
        raise DemoFailed(otherwise)


def main() -> int:
    """Run the demonstration; give the exit status."""
    screen = Screen()
    screen.title(f"$ python {SERVER.name}")
    started = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, str(SERVER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    client = Client(process, screen)
    try:
        modern(client, screen)
        legacy(client, screen)
        screen.title("The client closes the pipe, and the server ends.")
        client.hang_up()
        status = process.wait(DEADLINE_S)
        expect(status == 0, f"the server ended with status {status}")
    except subprocess.TimeoutExpired:
        return failed(f"the server still runs {DEADLINE_S:g} seconds after the pipe was closed")
    except (LookupError, TypeError, ValueError) as error:
        return failed(f"the server's answer lacks something ({error!r})")
    except DemoFailed as error:
        return failed(str(error))
    finally:
        process.kill()
        process.wait(DEADLINE_S)
        client.dispose()
    print(f"Both eras answered, in {time.monotonic() - started:.1f} seconds.")
    return 0


def failed(reason: str) -> int:
    """Print why; give the exit status."""
    print(f"\nThe demonstration failed: {reason}.", file=sys.stderr)
    return 1


def run() -> int:
    """Run the demonstration, as long as somebody reads it; give the exit status."""
    try:
        status = main()
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes once more when it exits, which must not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return status


if __name__ == "__main__":
    sys.exit(run())
