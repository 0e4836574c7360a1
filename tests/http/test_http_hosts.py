"""``Host`` and ``Origin``: which are served where, and how that is set."""

from typing import Any

import pytest
from gated import (
    LOOPBACK_HOST,
    PUBLIC_ADDRESS,
    error_text,
    head,
    make_gate,
    refused,
    status,
)
from hypothesis import given
from hypothesis import strategies as st
from sansmcp_core._effects import Report
from sansmcp_core.http._gate import Refused
from sansmcp_core.http._hosts import (
    Address,
    host_pattern,
    is_loopback,
    origin_pattern,
    parse_host,
    parse_origin,
)
from sansmcp_core.http._settings import HttpSettings

NOT_HOSTS = [
    "",
    "localhost:evil",
    "localhost:80.evil.example",
    "localhost:65536",
    "localhost:-1",
    "localhost:+80",
    "localhost:8 0",
    "localhost:80:80",
    "localhost:\u00b2",
    ":80",
    "a b",
    "a,b",
    "a/b",
    "a@b",
    "http://a",
    "a\r\nb",
    "::1",
    "[::1",
    "[::1]x",
    "[localhost]",
    "[127.0.0.1]",
    "[fe80::1%25lo]",
    "[1:2]",
    "a%zz",
    "caf\u00e9",
]


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("localhost", Address("localhost")),
        ("LOCALHOST:8000", Address("localhost", 8000)),
        ("localhost:", Address("localhost")),
        ("localhost:0", Address("localhost", 0)),
        ("localhost:65535", Address("localhost", 65535)),
        ("localhost:00080", Address("localhost", 80)),
        (" a.example ", Address("a.example")),
        ("[::1]:8000", Address("::1", 8000)),
        ("[0:0:0:0:0:0:0:1]", Address("::1")),
        ("[2001:DB8::1]", Address("2001:db8::1")),
        ("[::ffff:127.0.0.1]", Address("127.0.0.1")),
        ("under_score.example", Address("under_score.example")),
        ("%2Ftmp%2Fsocket", Address("%2ftmp%2fsocket")),
    ],
)
def test_a_host_has_one_spelling(text: str, host: Address) -> None:
    assert parse_host(text) == host


@pytest.mark.parametrize("text", NOT_HOSTS)
def test_what_is_no_host_is_none(text: str) -> None:
    assert parse_host(text) is None
    assert status(make_gate(), head(host=text)) == 400
    assert status(make_gate(allowed_hosts=("*",)), head(host=text, local=PUBLIC_ADDRESS)) == 400


@pytest.mark.parametrize(
    ("text", "origin"),
    [
        ("http://localhost", Address("localhost", None, "http")),
        ("HTTP://LocalHost:80", Address("localhost", None, "http")),
        ("https://localhost:80", Address("localhost", 80, "https")),
        ("https://a.example:443", Address("a.example", None, "https")),
        ("http://[::1]:3000", Address("::1", 3000, "http")),
        ("chrome-extension://abcdef", Address("abcdef", None, "chrome-extension")),
    ],
)
def test_an_origin_has_one_spelling(text: str, origin: Address) -> None:
    assert parse_origin(text) == origin


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "localhost",
        "http:localhost",
        "http:/localhost",
        "http://",
        "://localhost",
        "http://localhost/",
        "http://localhost:",
        "http://localhost:evil",
        "http://localhost:80.evil.com",
        "http://user@localhost",
        "http://localhost#x",
        "http://a http://b",
        "http://a, http://b",
        "1http://a",
    ],
)
def test_what_is_no_origin_is_none_and_403_whatever_is_allowed(text: str) -> None:
    assert parse_origin(text) is None
    for gate in (make_gate(), make_gate(allowed_origins=("*",))):
        for local in ("127.0.0.1", PUBLIC_ADDRESS):
            assert status(gate, head(origin=text, local=local)) == 403


@pytest.mark.parametrize(
    ("name", "loopback"),
    [
        ("localhost", True),
        ("LOCALHOST", True),
        ("127.0.0.1", True),
        ("127.8.9.10", True),
        ("::1", True),
        ("[::1]", True),
        ("::ffff:127.0.0.1", True),
        ("0.0.0.0", False),
        ("::", False),
        ("128.0.0.1", False),
        ("127.0.0.1.evil.example", False),
        ("127.1", False),
        ("localhost.", False),
        ("a.localhost", False),
        ("evil.example", False),
    ],
)
def test_loopback_is_localhost_and_the_loopback_networks(name: str, loopback: bool) -> None:
    assert is_loopback(name) is loopback


# -- Host ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "local", ["127.0.0.1", "::1", "localhost", "::ffff:127.0.0.1", "127.9.9.9"]
)
@pytest.mark.parametrize(
    ("host", "code"),
    [
        ("localhost:8000", 0),
        ("LOCALHOST:8000", 0),
        ("localhost", 0),
        ("[::1]:8000", 0),
        ("127.0.0.1:1", 0),
        ("127.0.0.2", 0),
        ("localhost:evil", 400),
        ("evil.example", 403),
        ("localhost.evil.example", 403),
        ("evil.example:3000", 403),
        ("192.0.2.7:3000", 403),
        ("localhost.", 403),
        ("0.0.0.0:3000", 403),
    ],
)
def test_on_loopback_its_names_are_served_with_any_port(local: str, host: str, code: int) -> None:
    assert status(make_gate(), head(host=host, local=local)) == code


@pytest.mark.parametrize("local", ["0.0.0.0", "::", PUBLIC_ADDRESS, "mcp.example", None])
@pytest.mark.parametrize("host", ["mcp.example", "evil.example:8", "localhost", "[::1]:3000"])
def test_elsewhere_every_host_is_served(local: str | None, host: str) -> None:
    assert status(make_gate(), head(host=host, local=local)) == 0


def test_the_bound_address_can_be_set_either_way() -> None:
    public = make_gate(bind_host="mcp.example")
    assert status(public, head(host="mcp.example", local="127.0.0.1")) == 0
    local = make_gate(bind_host="127.0.0.1")
    assert status(local, head(host="mcp.example", local=None)) == 403
    assert status(local, head(host="localhost:3000", local="172.17.0.2")) == 0


@pytest.mark.parametrize(
    ("pattern", "host", "code"),
    [
        ("*", "what.ever:1", 0),
        ("a.example", "a.example", 0),
        ("A.Example", "a.eXAMPLE", 0),
        ("a.example", "a.example:443", 0),
        ("a.example", "a.example:80", 0),
        ("a.example:443", "a.example", 0),
        ("a.example:443", "a.example:80", 403),
        ("a.example", "a.example:8080", 403),
        ("a.example:8080", "a.example:8080", 0),
        ("a.example:8080", "a.example:08080", 0),
        ("a.example:8080", "a.example", 403),
        ("a.example:8080", "a.example:808", 403),
        ("a.example:*", "a.example", 0),
        ("a.example:*", "a.example:1", 0),
        ("a.example:*", "a.example:x", 400),
        ("a.example:*", "b.example:1", 403),
        ("a.example:*", "a.example.evil:1", 403),
        ("a.example:*", "x.a.example", 403),
        ("[::1]:*", "[0::1]:7", 0),
        ("[2001:db8::1]", "[2001:DB8:0::1]", 0),
        ("a.example", "192.0.2.7:3000", 0),  # its own address
        ("a.example", "192.0.2.7", 0),
        ("a.example", "192.0.2.7:3001", 403),
        ("a.example", "localhost:3000", 403),
    ],
)
def test_a_list_of_hosts_replaces_what_is_served_beside_the_own_address(
    pattern: str, host: str, code: int
) -> None:
    gate = make_gate(allowed_hosts=(pattern,))
    assert status(gate, head(host=host, local=PUBLIC_ADDRESS)) == code


def test_on_loopback_every_loopback_name_with_the_own_port_is_the_own_address() -> None:
    gate = make_gate(allowed_hosts=("a.example",))
    assert status(gate, head(host="localhost:3000")) == 0
    assert status(gate, head(host="127.0.0.1:3000")) == 0
    assert status(gate, head(host="localhost:3001")) == 403
    assert status(gate, head(host="a.example")) == 0


def test_an_absent_or_repeated_host_is_400() -> None:
    gate = make_gate()
    assert status(gate, head(without="host")) == 400
    assert status(gate, head()) == 0
    assert status(gate, head("POST", "/mcp", ("host", LOOPBACK_HOST))) == 400
    assert status(gate, head("POST", "/mcp", ("host", LOOPBACK_HOST), host="evil.example")) == 400


# -- Origin -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("origin", "code"),
    [
        ("http://localhost:5173", 0),
        ("https://localhost", 0),
        ("HTTP://LOCALHOST:1", 0),
        ("http://127.0.0.1:6274", 0),
        ("http://[::1]:6274", 0),
        ("null", 403),
        ("http://localhost:80.evil.com", 403),
        ("http://evil.example", 403),
        ("http://localhost.evil.example", 403),
        ("ftp://localhost", 403),
        ("chrome-extension://abcdef", 403),
        ("http://192.0.2.7:3000", 403),
    ],
)
def test_on_loopback_pages_of_its_names_are_served(origin: str, code: int) -> None:
    assert status(make_gate(), head(origin=origin)) == code


@pytest.mark.parametrize(
    ("origin", "code"),
    [
        ("http://192.0.2.7:3000", 0),  # its own address
        ("https://192.0.2.7:3000", 403),
        ("http://192.0.2.7", 403),
        ("http://localhost:3000", 403),
        ("http://mcp.example:3000", 403),
        ("http://evil.example", 403),
        ("null", 403),
    ],
)
def test_elsewhere_only_pages_of_the_own_address_are_served(origin: str, code: int) -> None:
    assert status(make_gate(), head(host="x.example", origin=origin, local=PUBLIC_ADDRESS)) == code


def test_a_request_without_origin_passes_everywhere() -> None:
    assert status(make_gate(allowed_origins=()), head()) == 0
    assert status(make_gate(), head(local=PUBLIC_ADDRESS)) == 0


def test_behind_a_socket_without_address_no_origin_is_served() -> None:
    assert status(make_gate(), head(origin="http://localhost:3000", local=None)) == 403


@pytest.mark.parametrize(
    ("pattern", "origin", "code"),
    [
        ("*", "https://what.ever:1", 0),
        ("*", "null", 403),
        ("https://a.example", "https://a.example", 0),
        ("https://a.example", "https://a.example:443", 0),
        ("https://a.example:443", "https://a.example", 0),
        ("http://a.example", "http://a.example:80", 0),
        ("http://a.example", "http://a.example:443", 403),
        ("https://a.example", "http://a.example", 403),
        ("https://a.example", "https://a.example:8443", 403),
        ("https://a.example:8443", "https://a.example:8443", 0),
        ("https://a.example:*", "https://a.example", 0),
        ("https://a.example:*", "https://a.example:8443", 0),
        ("https://a.example:*", "https://a.example:8443.evil.example", 403),
        ("https://a.example:*", "https://a.example.evil.example", 403),
        ("https://a.example", "https://b.a.example", 403),
        ("chrome-extension://abcdef", "chrome-extension://abcdef", 0),
        ("https://a.example", "http://localhost:1", 403),
        ("https://a.example", "http://localhost:3000", 0),  # its own address
    ],
)
def test_a_list_of_origins_replaces_what_is_served_beside_the_own_address(
    pattern: str, origin: str, code: int
) -> None:
    assert status(make_gate(allowed_origins=(pattern,)), head(origin=origin)) == code


def test_a_repeated_origin_is_403() -> None:
    gate = make_gate()
    good = "http://localhost:1"
    assert status(gate, head(origin=good)) == 0
    assert status(gate, head("POST", "/mcp", ("origin", good), origin=good)) == 403
    assert status(gate, head("POST", "/mcp", ("origin", good), origin="http://evil.example")) == 403


# -- behind a proxy -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("forwarded", "code"),
    [
        ("mcp.example", 0),
        ("evil.example, mcp.example", 0),
        ("mcp.example, evil.example", 403),
        ("mcp.example,", 400),
        ("localhost:evil", 400),
    ],
)
def test_of_a_trusted_forwarded_host_the_nearest_proxy_s_counts(forwarded: str, code: int) -> None:
    gate = make_gate(allowed_hosts=("mcp.example",), trust_forwarded=True)
    given_head = head(host="backend:8000", local="0.0.0.0", x_forwarded_host=forwarded)
    assert status(gate, given_head) == code


def test_a_trusting_server_takes_host_where_no_proxy_says_more() -> None:
    gate = make_gate(allowed_hosts=("mcp.example",), trust_forwarded=True)
    assert status(gate, head(host="mcp.example", local="0.0.0.0")) == 0
    assert status(gate, head(host="backend", local="0.0.0.0")) == 403


def test_a_forwarded_host_is_ignored_unless_it_is_trusted() -> None:
    gate = make_gate(allowed_hosts=("mcp.example",))
    assert status(gate, head(host="evil.example", x_forwarded_host="mcp.example")) == 403
    assert status(gate, head(host="mcp.example", x_forwarded_host="evil.example")) == 0


def test_the_cache_knows_forwarded_hosts_apart() -> None:
    gate = make_gate(allowed_hosts=("a.example",), trust_forwarded=True)
    assert status(gate, head(x_forwarded_host="a.example")) == 0
    assert status(gate, head(x_forwarded_host="evil.example")) == 403


# -- refusals and the log -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "setting"),
    [
        ({"host": "evil.example"}, "allowed_hosts"),
        ({"origin": "http://evil.example"}, "allowed_origins"),
        ({"origin": "null"}, "allowed_origins"),
    ],
)
def test_a_refusal_names_the_setting_and_is_reported_once(
    fields: dict[str, str], setting: str
) -> None:
    gate = make_gate()
    first, second = gate.judge(head(**fields)), gate.judge(head(**fields))
    assert isinstance(first, Refused)
    assert isinstance(second, Refused)
    assert first.answer.status == 403
    text = error_text(first.answer)
    assert f"{setting} in HttpSettings" in text
    assert repr(*fields.values()) in text
    assert first.report == Report("warning", text)
    assert second.report is None
    assert second.answer == first.answer


def test_the_reports_of_refusals_have_an_end() -> None:
    gate = make_gate()
    reports = []
    for number in range(1000):
        verdict = gate.judge(head(host=f"{number}.evil.example" + "x" * number))
        assert isinstance(verdict, Refused)
        reports.append(verdict.report)
    told = [report for report in reports if report is not None]
    assert len(told) == 100
    assert "not be reported any more" in told[-1].message
    assert reports[100:] == [None] * 900
    assert sum(len(value) for _, value in gate._reported) <= 100 * 100


def test_a_long_or_strange_value_is_shown_short_and_escaped() -> None:
    text = error_text(refused(make_gate(), head(origin="\x1b[31m\n" + "x" * 5000)))
    assert len(text) < 250
    assert text.isprintable()


# -- settings -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("setting", "value", "hint"),
    [
        ("allowed_hosts", "http://a.example", '"host:port"'),
        ("allowed_hosts", "a.example:x", '"host:port"'),
        ("allowed_hosts", "a.example:80:*", '"host:\\*"'),
        ("allowed_hosts", "*.example", '"\\*"'),
        ("allowed_hosts", "::1", "brackets"),
        ("allowed_hosts", "a.example/", "got 'a.example/'"),
        ("allowed_origins", "a.example", '"scheme://host"'),
        ("allowed_origins", "https://a.example/", "without a path"),
        ("allowed_origins", "https://*.example", "got 'https://\\*.example'"),
        ("allowed_origins", "http://a.example:80:*", '"scheme://host:\\*"'),
        ("allowed_origins", "null", "got 'null'"),
        ("cors_origins", "a.example", "cors_origins: "),
        ("cors_origins", "", "cors_origins: "),
        ("cors_origins", 1, "got 1"),
    ],
)
def test_a_pattern_that_is_none_is_told_at_once(setting: str, value: Any, hint: str) -> None:
    settings: dict[str, Any] = {setting: (value,)}
    with pytest.raises(ValueError, match=hint):
        HttpSettings(**settings)


@pytest.mark.parametrize("setting", ["allowed_hosts", "allowed_origins", "cors_origins"])
def test_one_string_is_no_tuple_of_patterns(setting: str) -> None:
    settings: dict[str, Any] = {setting: "*"}
    with pytest.raises(TypeError, match=r"write \('\*',\)"):
        HttpSettings(**settings)


@pytest.mark.parametrize(
    "value", ["http://a.example", "localhost:3000", "127.0.0.1:80", "[::1]:80", "", "localhost:"]
)
def test_the_bound_address_is_a_bare_name_or_address(value: str) -> None:
    with pytest.raises(ValueError, match="without scheme and port"):
        HttpSettings(bind_host=value)


@pytest.mark.parametrize("value", ["0.0.0.0", "::", "::1", "[::1]", "fe80::1%eth0", "a.example"])
def test_the_bound_address_may_be_any_of_these(value: str) -> None:
    assert HttpSettings(bind_host=value).bind_host == value


@pytest.mark.parametrize(
    ("settings", "hint"),
    [
        ({"paths": ()}, "one path or more"),
        ({"paths": "/mcp"}, "tuple"),
        ({"paths": ("mcp",)}, "begins with a slash, got 'mcp'"),
        ({"info_path": "info"}, "begins with a slash, got 'info'"),
        ({"info_path": "/mcp/"}, "must not be one of paths"),
        ({"info_path": ""}, "must not be one of paths"),
    ],
)
def test_paths_are_checked(settings: dict[str, Any], hint: str) -> None:
    with pytest.raises(ValueError, match=hint):
        HttpSettings(**settings)


# -- properties ---------------------------------------------------------------------------------


@given(st.binary())
def test_any_bytes_can_be_read_as_host_and_origin(value: bytes) -> None:
    host, origin = parse_host(value), parse_origin(value)
    if host is not None:
        assert parse_host(host.authority) == host
    if origin is not None:
        assert parse_origin(f"{origin.scheme}://{origin.authority}") == origin


NAMES = st.from_regex(r"\A[a-z0-9][a-z0-9.-]{0,9}\Z") | st.ip_addresses().map(
    lambda ip: f"[{ip}]" if ip.version == 6 else str(ip)
)
PORTS = st.integers(0, 65535)


@given(NAMES, PORTS, st.sampled_from(["http", "https", "app"]))
def test_a_pattern_means_itself_and_any_port_means_every_port(
    name: str, port: int, scheme: str
) -> None:
    host, origin = parse_host(f"{name}:{port}"), parse_origin(f"{scheme}://{name}:{port}")
    assert host is not None
    assert origin is not None
    for text in (f"{name}:{port}", f"{name}:*", "*"):
        pattern = host_pattern(text)
        assert pattern is not None
        assert pattern.matches(host)
    for text in (f"{scheme}://{name}:{port}", f"{scheme}://{name}:*", "*"):
        pattern = origin_pattern(text)
        assert pattern is not None
        assert pattern.matches(origin)
