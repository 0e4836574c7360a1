"""What pages of other origins are told."""

from typing import Any

import pytest
from gated import PUBLIC_ADDRESS, admitted, head, make_gate, refused
from sansmcp_core.http._head import RequestHead

PAGE = "https://page.example"
CORS = (
    (b"access-control-allow-origin", PAGE.encode()),
    (
        b"access-control-expose-headers",
        b"mcp-session-id, www-authenticate, retry-after, mcp-protocol-version",
    ),
    (b"vary", b"origin"),
)
METHODS = b"DELETE, GET, OPTIONS, POST"


def preflight(*more: tuple[str, str], origin: str = PAGE, path: str = "/mcp") -> RequestHead:
    return head(
        "OPTIONS",
        path,
        *more,
        origin=origin,
        access_control_request_method="POST",
        host="localhost",
    )


def test_an_admitted_page_may_read_the_answers() -> None:
    gate = make_gate(allowed_origins=(PAGE,))
    assert admitted(gate, head(origin=PAGE)).cors == CORS
    assert admitted(gate, head()).cors == ()


def test_the_origin_comes_back_as_it_was_sent_even_for_a_star() -> None:
    gate = make_gate(allowed_origins=("*",))
    cors = dict(admitted(gate, head(origin="https://Other.Example:443")).cors)
    assert cors[b"access-control-allow-origin"] == b"https://Other.Example:443"
    assert b"access-control-allow-credentials" not in cors


def test_on_loopback_the_local_pages_may_read_without_a_setting() -> None:
    cors = dict(admitted(make_gate(), head(origin="http://localhost:6274")).cors)
    assert cors[b"access-control-allow-origin"] == b"http://localhost:6274"


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({"path": "/nowhere"}, 404),
        ({"host": "x:y"}, 400),
        ({"host": "evil.example"}, 403),
        ({"method": "PUT"}, 405),
        ({"method": "GET"}, 405),
        ({"content_type": "text/plain"}, 415),
        ({"accept": "text/plain"}, 406),
        ({"content_length": "x"}, 400),
        ({"content_length": "999999999"}, 413),
    ],
)
def test_a_page_may_read_its_refusals(changed: dict[str, Any], status: int) -> None:
    answer = refused(make_gate(allowed_origins=(PAGE,)), head(**{"origin": PAGE, **changed}))
    assert answer.status == status
    assert set(CORS) <= set(answer.headers)


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "x"])
def test_a_page_that_is_refused_reads_nothing(origin: str) -> None:
    gate = make_gate(allowed_origins=(PAGE,))
    for given in (head(origin=origin), head(path="/x", origin=origin), preflight(origin=origin)):
        names = {name for name, _ in refused(gate, given).headers}
        assert names == {b"content-type", b"content-length"}
    assert refused(gate, preflight(origin=origin)).status == 403


def test_who_may_call_need_not_be_who_may_read() -> None:
    other = "https://other.example"
    gate = make_gate(allowed_origins=(PAGE, other), cors_origins=(PAGE,))
    assert admitted(gate, head(origin=PAGE)).cors == CORS
    assert admitted(gate, head(origin=other)).cors == ()
    assert refused(gate, preflight(origin=other)).headers == [(b"allow", METHODS)]


def test_cors_can_be_switched_off() -> None:
    gate = make_gate(allowed_origins=(PAGE,), cors_origins=())
    assert admitted(gate, head(origin=PAGE)).cors == ()
    assert refused(gate, preflight()).headers == [(b"allow", METHODS)]


def test_to_be_a_reader_does_not_make_a_caller() -> None:
    gate = make_gate(cors_origins=(PAGE,))
    answer = refused(gate, head(origin=PAGE, local=PUBLIC_ADDRESS))
    assert answer.status == 403
    assert set(CORS).isdisjoint(answer.headers)


def test_a_preflight_is_told_methods_and_how_long_that_holds() -> None:
    answer = refused(make_gate(allowed_origins=(PAGE,)), preflight())
    assert (answer.status, answer.body) == (204, b"")
    assert answer.headers == [
        (b"allow", METHODS),
        (b"access-control-allow-methods", METHODS),
        (b"access-control-max-age", b"7200"),
        *CORS,
    ]


def test_without_sessions_a_preflight_is_told_of_post_alone() -> None:
    answer = refused(make_gate(allowed_origins=(PAGE,), sessions=False), preflight())
    assert dict(answer.headers)[b"access-control-allow-methods"] == b"OPTIONS, POST"


@pytest.mark.parametrize(
    ("asked", "allowed"),
    [
        ("content-type", b"content-type"),
        (
            "authorization,content-type, Mcp-Param-Region ,mcp-method",
            b"authorization, content-type, Mcp-Param-Region, mcp-method",
        ),
        ("a b, good, c:d, \xe9, x\r\ny", b"good"),
        (",,", None),
        ("", None),
    ],
)
def test_a_preflight_is_granted_every_header_that_is_one(asked: str, allowed: bytes | None) -> None:
    gate = make_gate(allowed_origins=(PAGE,))
    answer = refused(gate, preflight(("access-control-request-headers", asked)))
    assert dict(answer.headers).get(b"access-control-allow-headers") == allowed


@pytest.mark.parametrize(("asked", "granted"), [("true", b"true"), ("false", None)])
def test_a_preflight_from_a_public_page_to_a_private_network(
    asked: str, granted: bytes | None
) -> None:
    gate = make_gate(allowed_origins=(PAGE,))
    answer = refused(gate, preflight(("access-control-request-private-network", asked)))
    assert dict(answer.headers).get(b"access-control-allow-private-network") == granted


def test_a_preflight_of_the_info_page() -> None:
    gate = make_gate(allowed_origins=(PAGE,), info_path="/info")
    answer = refused(gate, preflight(path="/info"))
    assert dict(answer.headers)[b"access-control-allow-methods"] == b"GET, OPTIONS"


def test_options_that_are_no_preflight_are_told_the_methods() -> None:
    gate = make_gate(allowed_origins=(PAGE,))
    assert refused(gate, head("OPTIONS")).headers == [(b"allow", METHODS)]
    assert refused(gate, head("OPTIONS", origin=PAGE)).headers == [(b"allow", METHODS), *CORS]
    asked = head("OPTIONS", access_control_request_method="POST")
    assert refused(gate, asked).headers == [(b"allow", METHODS)]
