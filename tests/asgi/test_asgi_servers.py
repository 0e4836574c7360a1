"""``McpApp`` under real ASGI servers, over real sockets."""

import ssl
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
import trustme
from asgi_served import DEADLINE_S, SERVERS, Served, serving
from core_peer import initialize, legacy
from http2_client import Http2Client
from http_peer import Request, legacy_post, modern_post
from http_server import call, listen
from raw_http import RawClient

SPEAK = {"progressToken": 1}


@pytest.fixture(scope="module", params=SERVERS)
def served(request: pytest.FixtureRequest) -> Iterator[Served]:
    with serving(request.param) as served:
        yield served


@pytest.fixture
def client(served: Served) -> Iterator[RawClient]:
    with RawClient(served.port) as client:
        yield client


def wire(request: Request, *, body: bytes | None = None, **changed: str) -> bytes:
    """The bytes of a request in HTTP/1.1."""
    body = request.body if body is None else body
    fields = {name.decode(): value.decode() for name, value in request.headers}
    fields |= {"content-length": str(len(body)), **changed}
    lines = [f"{request.method} {request.path} HTTP/1.1"]
    lines += [f"{name}: {value}" for name, value in fields.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


def tell(port: int, tool: str) -> str:
    """Call a tool on a connection of its own; return its text."""
    with RawClient(port) as client:
        answer = client.send(wire(modern_post(call(tool)))).receive()
    text: str = answer.json["result"]["content"][0]["text"]
    return text


def legacy_call(tool: str, session: str, **arguments: Any) -> Request:
    return legacy_post(legacy(1, "tools/call", name=tool, arguments=arguments), session)


def session_of(port: int) -> str:
    with RawClient(port) as client:
        answer = client.send(wire(legacy_post(initialize("init"), None, None))).receive()
    return answer.headers["mcp-session-id"]


# -- answers ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tool", "arguments", "text"),
    [("quick", {}, "quick"), ("add", {"a": 1, "b": 2}, "3"), ("later", {}, "lifespan")],
)
def test_calls_are_answered_on_one_connection(
    client: RawClient, tool: str, arguments: Any, text: str
) -> None:
    for path in ("/mcp", "/mcp/", "/"):
        request = modern_post(call(tool, **arguments), path=path)
        answer = client.send(wire(request)).receive()
        assert answer.status == 200
        assert answer.headers["content-type"] == "application/json"
        assert answer.json["result"]["content"][0]["text"] == text


def test_a_listener_hears_at_once_and_is_kept_alive(served: Served, client: RawClient) -> None:
    client.send(wire(modern_post(listen())))
    client.wait_for(b"text/event-stream")
    client.wait_for(b"subscriptions/acknowledged")
    assert tell(served.port, "change") == "changed"
    client.wait_for(b"resources/updated")
    client.wait_for(b":")  # a comment


def test_a_declared_length_over_the_limit_is_413_before_the_body(client: RawClient) -> None:
    head = wire(modern_post(call("quick")), body=b"", **{"content-length": "100001"})
    assert client.send(head).receive().status == 413


@pytest.mark.parametrize("pieces", [3, 100])
def test_a_body_over_the_limit_is_413_and_hurts_nobody(
    served: Served, client: RawClient, pieces: int
) -> None:
    """Chunked, so that nobody knows before; the client goes on sending."""
    request = modern_post(call("quick"))
    fields = [*request.headers, (b"transfer-encoding", b"chunked")]
    lines = [b"POST /mcp HTTP/1.1", *(b": ".join(field) for field in fields), b"", b""]
    client.send(b"\r\n".join(lines))
    for _ in range(pieces):
        client.send_leniently(b"c350\r\n" + b"x" * 50_000 + b"\r\n")
    answer = client.answer_or_end()
    assert answer is None or answer.status == 413
    assert tell(served.port, "quick") == "quick"


# -- clients that go away --------------------------------------------------------------------


@pytest.mark.parametrize("tool", ["linger", "block"])
@pytest.mark.parametrize("speak", [True, False], ids=["stream", "plain"])
def test_a_modern_call_is_cancelled_within_a_second_of_its_client(
    served: Served, tool: str, speak: bool
) -> None:
    arguments = {"speak": True} if speak and tool == "linger" else {}
    with RawClient(served.port) as client:
        client.send(wire(modern_post(call(tool, 1, SPEAK if speak else {}, **arguments))))
        served.wait_for("began")
        if arguments:
            client.wait_for(b"notifications/progress")
    dropped = time.monotonic()
    served.wait_for("cancelled")
    assert time.monotonic() - dropped < 1.5


def test_a_legacy_call_goes_on_to_its_end_without_its_client(served: Served) -> None:
    session = session_of(served.port)
    with RawClient(served.port) as client:
        client.send(wire(legacy_call("linger", session)))
        served.wait_for("began")
    served.wait_for("log DEBUG the client went away")
    assert tell(served.port, "quick") == "quick"
    assert tell(served.port, "release") == "released"
    assert served.wait_for("finished", "cancelled") == "finished"


def test_a_client_that_leaves_within_its_body_is_one_debug_line(served: Served) -> None:
    request = wire(modern_post(call("quick")))
    with RawClient(served.port) as client:
        client.send(request[:-10])
        assert tell(served.port, "quick") == "quick"
    served.wait_for("log DEBUG the client went away")


def test_nothing_of_all_that_was_worth_a_complaint(served: Served) -> None:
    assert tell(served.port, "quick") == "quick"
    said = [line for line in served.heard if line.startswith("log ")]
    assert [line for line in said if not line.startswith("log DEBUG")] == []


# -- the end ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", SERVERS)
def test_a_server_ends_with_streams_and_calls_open(kind: str) -> None:
    with serving(kind) as served, RawClient(served.port) as one, RawClient(served.port) as two:
        one.send(wire(modern_post(listen())))
        one.wait_for(b"subscriptions/acknowledged")
        two.send(wire(modern_post(call("linger"))))
        served.wait_for("began")
        served.process.terminate()
        if kind != "granian":
            one.wait_for(b'"resultType":"complete"')
        served.process.wait(DEADLINE_S)
        said = served.rest()
    # granian waits for streams to end, for as long as it is told, and then kills its workers.
    assert [line for line in said if line in ("cancelled", "left")] == (
        [] if kind == "granian" else ["cancelled", "left"]
    )
    assert [line for line in said if line.startswith("log ") and "DEBUG" not in line] == []


# -- TLS and HTTP/2 --------------------------------------------------------------------------


class Certified(msgspec.Struct):
    files: tuple[str, str]
    trust: ssl.SSLContext


@pytest.fixture(scope="module")
def certified(tmp_path_factory: pytest.TempPathFactory) -> Certified:
    folder: Path = tmp_path_factory.mktemp("tls")
    authority = trustme.CA()
    issued = authority.issue_cert("127.0.0.1", "localhost")
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    for blob in issued.cert_chain_pems:
        blob.write_to_path(certificate, append=True)
    issued.private_key_pem.write_to_path(key)
    trust = ssl.create_default_context()
    authority.configure_trust(trust)
    return Certified((str(certificate), str(key)), trust)


@pytest.mark.parametrize(
    ("kind", "version"),
    [
        ("hypercorn-asyncio", "HTTP/2"),
        ("hypercorn-trio", "HTTP/2"),
        ("granian", "HTTP/2"),
        *((kind, "HTTP/1.1") for kind in SERVERS),
    ],
)
def test_calls_and_streams_over_tls(certified: Certified, kind: str, version: str) -> None:
    with (
        serving(kind, *certified.files) as served,
        httpx.Client(
            base_url=f"https://127.0.0.1:{served.port}",
            verify=certified.trust,
            http2=version == "HTTP/2",
            timeout=DEADLINE_S,
        ) as client,
    ):
        for tool, text in (("quick", "quick"), ("later", "lifespan")):
            answer = client.request(**arguments_of(modern_post(call(tool))))
            assert (answer.http_version, answer.status_code) == (version, 200), answer.text
            assert answer.json()["result"]["content"][0]["text"] == text
        with client.stream(**arguments_of(modern_post(listen()))) as stream:
            lines = stream.iter_lines()
            assert any("acknowledged" in line for line in lines)
            changed = client.request(**arguments_of(modern_post(call("change"))))
            assert changed.status_code == 200
            assert any("resources/updated" in line for line in lines)


def arguments_of(request: Request) -> dict[str, Any]:
    """What httpx calls a request."""
    headers = {n.decode(): v.decode() for n, v in request.headers if n != b"host"}
    return {
        "method": request.method,
        "url": request.path,
        "content": request.body,
        "headers": headers,
    }


@pytest.mark.parametrize("kind", ["hypercorn-asyncio", "hypercorn-trio", "granian"])
@pytest.mark.parametrize("speak", [True, False], ids=["stream", "plain"])
def test_an_http_2_stream_that_is_reset_is_a_client_that_went_away(
    certified: Certified, kind: str, speak: bool
) -> None:
    with (
        serving(kind, *certified.files) as served,
        Http2Client(served.port, certified.trust) as client,
    ):
        meta = SPEAK if speak else {}
        stream = client.send(modern_post(call("linger", 1, meta, speak=speak)))
        served.wait_for("began")
        if speak:
            client.wait_for(stream, b"notifications/progress")
        client.reset(stream)
        reset = time.monotonic()
        served.wait_for("cancelled")
        assert time.monotonic() - reset < 1.5
        head, body = client.receive(client.send(modern_post(call("quick"))))
        assert head[":status"] == "200"
        assert b'"quick"' in body
        assert not {"connection", "transfer-encoding", "keep-alive"} & set(head)


@pytest.mark.parametrize("kind", ["hypercorn-asyncio", "hypercorn-trio", "granian"])
def test_a_body_over_the_limit_leaves_the_other_streams_alone(
    certified: Certified, kind: str
) -> None:
    with (
        serving(kind, *certified.files) as served,
        Http2Client(served.port, certified.trust) as client,
    ):
        listener = client.send(modern_post(listen()))
        client.wait_for(listener, b"acknowledged")
        too_long = modern_post(call("quick"), content_length="100001")
        head, _ = client.receive(client.send(too_long, ends=False))
        assert head[":status"] == "413"
        head, _ = client.receive(client.send(modern_post(call("change"))))
        assert head[":status"] == "200"
        client.wait_for(listener, b"resources/updated")
