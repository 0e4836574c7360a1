"""An ASGI server of one request at a time, for tests: it sends and receives what it is told."""

from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from typing import Any

import anyio
import msgspec
from http_peer import Request
from sse import SseParser

__all__ = ["DEADLINE_S", "App", "AsgiRequest", "Json", "ask", "lifespan_of_app", "opened"]

DEADLINE_S = 20.0

Json = dict[str, Any]
App = Callable[[Any, Any, Any], Coroutine[Any, Any, None]]


class AsgiRequest:
    """One request, its answer, and the client's ways to go.

    Args:
        app: What is served.
        request: The request.
        pieces: The body in pieces; None for the request's in one. Without a last piece (None at
            the end) the client is still at it.
        scope: What else the scope holds.
    """

    def __init__(
        self,
        app: App,
        request: Request,
        pieces: Sequence[bytes | None] | None = None,
        **scope: Any,
    ) -> None:
        self.app = app
        self.scope: dict[str, Any] = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": request.method,
            "scheme": "http",
            "path": request.path,
            "query_string": b"",
            "root_path": "",
            "headers": request.headers,
            "client": ("127.0.0.1", 50_000),
            "server": ("127.0.0.1", 3000),
            **scope,
        }
        self.sent: list[Json] = []
        self.failing: Exception | None = None
        """What ``send`` raises."""
        self.taking = anyio.Event()
        """Until it is set, a client that does not read holds up ``send``."""
        self.taking.set()
        self.asked = 0
        """How often ``receive`` was called."""
        self.gone = anyio.Event()
        self.over = anyio.Event()
        """Set when the app has returned."""
        self._changed = anyio.Event()
        given: Sequence[bytes | None] = [request.body] if pieces is None else pieces
        self._body: list[Json] = [
            {"type": "http.request", "body": piece, "more_body": index + 1 < len(given)}
            for index, piece in enumerate(given)
            if piece is not None
        ]

    async def run(self) -> None:
        """Let the app serve it."""
        try:
            await self.app(self.scope, self.receive, self.send)
        finally:
            self.over.set()

    async def receive(self) -> Json:
        self.asked += 1
        self._change()
        if self._body and not self.gone.is_set():
            return self._body.pop(0)
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        await self.taking.wait()
        if self.failing is not None:
            raise self.failing
        assert not self.over.is_set()
        self.sent.append(message)
        self._change()

    def _change(self) -> None:
        self._changed.set()
        self._changed = anyio.Event()

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until that holds, looking whenever something is sent or asked."""
        with anyio.fail_after(DEADLINE_S):
            while not holds():
                await self._changed.wait()

    @property
    def status(self) -> int:
        assert self.sent[0]["type"] == "http.response.start"
        status: int = self.sent[0]["status"]
        return status

    @property
    def headers(self) -> dict[bytes, bytes]:
        return dict(self.sent[0]["headers"])

    @property
    def body(self) -> bytes:
        assert [message["type"] for message in self.sent[1:]] == (
            ["http.response.body"] * (len(self.sent) - 1)
        )
        return b"".join(message.get("body", b"") for message in self.sent[1:])

    @property
    def complete(self) -> bool:
        """Whether the answer has come to its end."""
        return len(self.sent) > 1 and not self.sent[-1].get("more_body", False)

    @property
    def messages(self) -> list[Json]:
        """The messages in the answer, by now."""
        if self.headers.get(b"content-type") == b"text/event-stream":
            parser = SseParser()
            parser.feed(self.body)
            return [msgspec.json.decode(event.data) for event in parser.events if event.data]
        return [msgspec.json.decode(self.body)] if self.body else []

    @property
    def text(self) -> str:
        """The text of the tool's result that ends the answer."""
        text: str = self.messages[-1]["result"]["content"][0]["text"]
        return text


async def ask(app: App, request: Request, *args: Any, **scope: Any) -> AsgiRequest:
    """Serve one request to its end."""
    asgi = AsgiRequest(app, request, *args, **scope)
    with anyio.fail_after(DEADLINE_S):
        await asgi.run()
    return asgi


@asynccontextmanager
async def opened(
    app: App, request: Request, *args: Any, **scope: Any
) -> AsyncIterator[AsgiRequest]:
    """A request that is being served; the app must be done with it by the end of the block."""
    asgi = AsgiRequest(app, request, *args, **scope)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(asgi.run)
        yield asgi
        with anyio.fail_after(DEADLINE_S):
            await asgi.over.wait()


@asynccontextmanager
async def lifespan_of_app(app: App, events: list[str]) -> AsyncIterator[None]:
    """Send the lifespan events that a server sends; what the app answers goes into ``events``."""
    to_app, from_server = anyio.create_memory_object_stream[Json](2)
    answered = anyio.Event()

    async def send(message: Json) -> None:
        nonlocal answered
        events.append(message["type"])
        answered.set()
        answered = anyio.Event()

    async def phase(name: str) -> None:
        waiting = answered
        await to_app.send({"type": f"lifespan.{name}"})
        with anyio.fail_after(DEADLINE_S):
            await waiting.wait()

    with to_app, from_server:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(app, {"type": "lifespan"}, from_server.receive, send)
            await phase("startup")
            yield
            await phase("shutdown")
