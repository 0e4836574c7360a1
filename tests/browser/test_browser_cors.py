"""Web pages in a real browser: who may call tools, and who is refused."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import anyio
import pytest
from browser import Site, await_blocked, browsing, chromium
from official_client import serve
from sansmcp_core import Server
from sansmcp_core.http import HttpSettings
from sansmcp_h11 import BackgroundServer

CALLS = ("modern", "legacy", "unasked")
REFUSED = ["TypeError", "TypeError", ["opaque", 0]]  # all that a page may know
EVIL = "evil.example"
EVIL_LEADS_HERE = f"--host-resolver-rules=MAP {EVIL} 127.0.0.1"


class Counted:
    """A server in a thread, which knows how often its tool was called."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.server = Server("counted", "1")
        self.server.tool(self.echo)

    def echo(self, message: str) -> str:
        self.calls.append(message)
        return message

    @contextmanager
    def serving(self, port: int = 0, settings: HttpSettings | None = None) -> Iterator[str]:
        with BackgroundServer(self.server, port=port, settings=settings) as background:
            yield background.url


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    chromium()
    return tmp_path / "profile"


EXPECTED = {
    "modern": [200, "application/json", "from a page"],
    "argumentInHeader": [200, "Region: north"],
    "error": [400, -32020],
    "stream": [200, "text/event-stream", 0, 50, 100, "Done, in three steps."],
    "legacy": [True, 200, "from a session", 204],
    "sessionStream": [
        200,
        "text/event-stream",
        "notifications/resources/updated",
        "test://watched-resource",
    ],
}


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
@pytest.mark.parametrize("adapter", ["h11", "asgi"])
async def test_a_page_from_loopback_does_everything(
    adapter: str, host: str, profile: Path, tmp_path: Path
) -> None:
    command = ["everything.py", "--http", "127.0.0.1:0", "--adapter", adapter]
    async with serve(command, tmp_path / "log") as url:
        with Site([(step, url) for step in EXPECTED]) as site, browsing(site.url(host), profile):
            outcomes = await anyio.to_thread.run_sync(site.outcomes)
    assert dict(zip(EXPECTED, outcomes, strict=True)) == EXPECTED


@pytest.mark.parametrize(
    "settings",
    [
        HttpSettings(allowed_origins=("https://app.example",)),
        HttpSettings(allowed_origins=()),
    ],
    ids=["others", "nobody"],
)
def test_a_page_that_is_not_allowed_calls_nothing(settings: HttpSettings, profile: Path) -> None:
    counted = Counted()
    with (
        counted.serving(settings=settings) as url,
        Site([(step, url) for step in CALLS]) as site,
        browsing(site.url(), profile) as console,
    ):
        assert site.outcomes() == REFUSED
        await_blocked(console, 2)
    assert counted.calls == []


def test_a_page_that_may_not_read_calls_nothing_either(profile: Path) -> None:
    counted = Counted()
    with (
        counted.serving(settings=HttpSettings(cors_origins=())) as url,
        Site([(step, url) for step in CALLS]) as site,
        browsing(site.url(), profile) as console,
    ):
        assert site.outcomes() == REFUSED
        await_blocked(console, 2)
    assert counted.calls == []


def test_an_allowed_page_calls_a_tool_that_another_page_may_not(profile: Path) -> None:
    counted = Counted()
    steps: list[tuple[str, str]] = []
    with Site(steps) as site:
        settings = HttpSettings(allowed_origins=(site.url().rstrip("/"),))
        with counted.serving(settings=settings) as url:
            steps += [(step, url) for step in CALLS]
            with browsing(site.url("localhost"), profile.with_name("other")):
                assert site.outcomes() == REFUSED
            assert counted.calls == []
            with browsing(site.url(), profile):
                modern, legacy, _ = site.outcomes()
    assert modern == EXPECTED["modern"]
    assert legacy == EXPECTED["legacy"]
    assert counted.calls == ["from a page", "from a session"]


def test_a_page_from_elsewhere_calls_nothing_on_loopback(profile: Path) -> None:
    counted = Counted()
    with (
        counted.serving() as url,
        Site([(step, url) for step in CALLS]) as site,
        browsing(site.url(EVIL), profile, EVIL_LEADS_HERE) as console,
    ):
        assert site.outcomes() == REFUSED
        await_blocked(console, 2)
    assert counted.calls == []


@pytest.mark.parametrize(
    ("settings", "status", "says", "calls"),
    [
        (HttpSettings(), 403, "allowed_hosts", []),
        (HttpSettings(allowed_hosts=("*",), allowed_origins=("*",)), 200, "rebound", ["rebound"]),
    ],
    ids=["default", "reckless"],
)
def test_a_page_whose_name_is_rebound_to_the_server_calls_nothing_by_default(
    settings: HttpSettings, status: int, says: str, calls: list[str], profile: Path
) -> None:
    """The page's own name and port lead to the server, so to the browser it is the same origin."""
    counted = Counted()
    with ExitStack() as stack:
        page: Site

        def rebind() -> None:
            page.close()
            stack.enter_context(counted.serving(page.port, settings))

        report = stack.enter_context(Site([], asked=rebind))
        page = Site([("rebound", f"{report.url()}ask")], report=f"{report.url()}report")
        stack.enter_context(page)
        stack.enter_context(browsing(page.url(EVIL), profile, EVIL_LEADS_HERE))
        ((answered, text),) = report.outcomes()
    assert answered == status
    assert says in text
    assert counted.calls == calls
