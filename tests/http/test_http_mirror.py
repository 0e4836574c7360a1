"""Headers must say what the body says; where they do not, the text tells which and why."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sansmcp_core._header_table import HeaderRow, HeaderTable
from sansmcp_core.http._head import RequestHead
from sansmcp_core.http._header_values import decode_header_value, encode_header_value
from sansmcp_core.http._mirror import Mirror, mirror_of


def mirror(*headers: tuple[bytes, bytes]) -> Mirror:
    return mirror_of(RequestHead("POST", "/mcp", headers))


def row(name: str, kind: str, *path: str, secret: bool = False) -> HeaderRow:
    return HeaderRow(name, b"mcp-param-" + name.lower().encode(), path, kind, secret)


# -- the protocol version -----------------------------------------------------------------------

VERSIONS: list[tuple[list[bytes], str | None]] = [
    ([], None),
    ([b"2026-07-28"], "2026-07-28"),
    ([b" 2026-07-28\t"], "2026-07-28"),
    ([b""], ""),
    ([b"2026-07-28", b"2026-07-28"], None),
    ([b"2026-07-28", b"2025-11-25"], None),
    ([b"2026\xe9"], None),
    ([b"=?base64?MjAyNi0wNy0yOA==?="], "=?base64?MjAyNi0wNy0yOA==?="),
]


@pytest.mark.parametrize(("values", "version"), VERSIONS, ids=[repr(row[0]) for row in VERSIONS])
def test_the_version_is_known_where_it_came_once_and_is_text(
    values: list[bytes], version: str | None
) -> None:
    head = mirror(*[(b"mcp-protocol-version", value) for value in values])
    assert head.version == version
    if version != "2026-07-28":
        assert head.wrong_version("2026-07-28").startswith("Header mismatch: MCP-Protocol-Version")


@pytest.mark.parametrize("value", [b"add", b" add ", b"=?base64?YWRk?=", b"add" * 60])
def test_what_is_remembered_of_a_value_is_what_it_says(value: bytes) -> None:
    """Whether a value is seen for the first time or again makes no difference."""
    name = decode_header_value(value)
    assert name is not None
    for _ in range(2):
        head = mirror((b"mcp-method", value), (b"mcp-name", value))
        assert head.name in (None, name)
        assert head.check_name(name) is None
        assert head.method in (None, value.decode().strip())


# -- method and name ----------------------------------------------------------------------------

METHODS: list[tuple[list[bytes], bool]] = [
    ([b"tools/call"], True),
    ([b" tools/call "], True),
    ([], False),
    ([b""], False),
    ([b"TOOLS/CALL"], False),
    ([b"tools/list"], False),
    ([b"tools/call", b"tools/call"], False),
    ([b"=?base64?dG9vbHMvY2FsbA==?="], False),
    ([b"tools/call\xff"], False),
]


@pytest.mark.parametrize(("values", "fits"), METHODS, ids=[repr(row[0]) for row in METHODS])
def test_the_method_is_compared_letter_by_letter_and_never_decoded(
    values: list[bytes], fits: bool
) -> None:
    wrong = mirror(*[(b"mcp-method", value) for value in values]).check_method("tools/call")
    assert (wrong is None) == fits
    assert wrong is None or wrong.startswith("Header mismatch: Mcp-Method header ")


NAMES: list[tuple[str, list[bytes], bool]] = [
    ("Hello", [b"Hello"], True),
    ("Hello", [b"\t Hello  "], True),
    ("Hello", [b"=?base64?SGVsbG8=?="], True),
    ("Hello", [], False),
    ("Hello", [b"hello"], False),
    ("Hello", [b"=?base64?SGVsbG8?="], False),
    ("Hello", [b"=?base64?SGVs!!!bG8=?="], False),
    ("Hello", [b"=?base64?SGVsbG8="], False),
    ("Hello", [b"Hello", b"Hello"], False),
    ("=?base64?SGVsbG8=", [b"=?base64?SGVsbG8="], True),
    ("SGVsbG8=?=", [b"SGVsbG8=?="], True),
    ("=?base64?x?=", [b"=?base64?x?="], False),
    ("日本", [encode_header_value("日本").encode()], True),
    ("日本", ["日本".encode()], False),
    ("file:///a b", [b"file:///a b"], True),
    ("", [b""], True),
    ("", [], False),
    ("e\u0301", [encode_header_value("\u00e9").encode()], False),
]


@pytest.mark.parametrize(
    ("name", "values", "fits"), NAMES, ids=[f"{row[0]!r} {row[1]!r}" for row in NAMES]
)
def test_the_name_is_compared_after_decoding(name: str, values: list[bytes], fits: bool) -> None:
    wrong = mirror(*[(b"mcp-name", value) for value in values]).check_name(name)
    assert (wrong is None) == fits
    assert wrong is None or wrong.startswith("Header mismatch: Mcp-Name header ")


TEXTS: list[tuple[list[bytes], str, str]] = [
    ([b"foo"], "bar", "Mcp-Name header value 'foo' does not match body value 'bar'"),
    ([], "bar", "Mcp-Name header is missing; send it with the body value 'bar'"),
    (
        [b"a", b"b"],
        "bar",
        "Mcp-Name header came more than once; send it once, with the body value 'bar'",
    ),
    (
        [b"caf\xe9"],
        "bar",
        (
            r"Mcp-Name header value 'caf\xe9' holds other characters than visible ASCII, spaces "
            "and tabs; encode other text as =?base64?...?="
        ),
    ),
    (
        [b"=?base64?SGVsbG8?="],
        "Hello",
        (
            "Mcp-Name header value '=?base64?SGVsbG8?=' is malformed; between =?base64? and ?= "
            "belongs the padded Base64 of a UTF-8 text (RFC 4648 section 4)"
        ),
    ),
    (
        [b"x" * 41],
        "y" * 40,
        f"Mcp-Name header value '{'x' * 40}...' does not match body value '{'y' * 40}'",
    ),
    (
        [b"=?base64?YQpi?="],
        "a\u200b",
        r"Mcp-Name header value 'a\nb' does not match body value 'a\u200b'",
    ),
]


@pytest.mark.parametrize(("values", "name", "text"), TEXTS, ids=[row[2][:40] for row in TEXTS])
def test_the_text_says_header_expectation_and_arrival(
    values: list[bytes], name: str, text: str
) -> None:
    wrong = mirror(*[(b"mcp-name", value) for value in values]).check_name(name)
    assert wrong == f"Header mismatch: {text}"


# -- parameters ---------------------------------------------------------------------------------

TEXT = (row("P", "string", "p"),)
INTEGER = (row("P", "integer", "p"),)
BOOLEAN = (row("P", "boolean", "p"),)
NESTED = (row("P", "string", "a", "b"),)

FITTING: list[tuple[HeaderTable, bytes | None, bytes | None]] = [
    # No value, no header.
    (TEXT, None, None),
    (TEXT, b"null", None),
    (TEXT, b"{}", None),
    (TEXT, b'{"p":null}', None),
    (TEXT, b'{ "p" : null }', None),
    (TEXT, b'{"q":{"p":"x"}}', None),
    (NESTED, b'{"a":null}', None),
    (NESTED, b'{"a":{}}', None),
    (NESTED, b'{"a":[{"b":"x"}]}', None),
    (NESTED, b'{"a":"no object"}', None),
    (NESTED, b'{"a":"{no object"}', None),
    (NESTED, b'{"b":"x"}', None),
    (NESTED, b'{"a.b":"x"}', None),
    # Arguments that are no object are for others to refuse.
    (TEXT, b"[1]", None),
    (TEXT, b'"p"', None),
    (TEXT, b"7", None),
    # Text, exactly.
    (TEXT, b'{"p":"x"}', b"x"),
    (TEXT, b'{"p":"x"}', b"  x\t"),
    (TEXT, b'{"p":""}', b""),
    (TEXT, b'{"p":"Hello"}', b"=?base64?SGVsbG8=?="),
    (TEXT, b'{"p":"\\u0048ello"}', b"Hello"),
    (TEXT, b'{"\\u0070":"x"}', b"x"),
    (TEXT, b'{"p":"y","p":"x"}', b"x"),
    (TEXT, '{"p":"世"}'.encode(), encode_header_value("世").encode()),
    (NESTED, b'{"a":{"b":"x"}}', b"x"),
    # An object that was sent as text may be repaired, and is then acted on.
    (NESTED, b'{"a":"{\\"b\\":\\"x\\"}"}', b"x"),
    # Integers, by number.
    (INTEGER, b'{"p":42}', b"42"),
    (INTEGER, b'{"p":42}', b"42.0"),
    (INTEGER, b'{"p":42.0}', b"42"),
    (INTEGER, b'{"p":42}', b"4.2e1"),
    (INTEGER, b'{"p":-7}', b"-7"),
    (INTEGER, b'{"p":0}', b"-0"),
    (INTEGER, b'{"p":9007199254740993}', b"9007199254740993.0"),
    (INTEGER, b'{"p":"42"}', b"42"),
    (INTEGER, b'{"p":"42"}', b"42.0"),
    (INTEGER, b'{"p":"many"}', b"many"),
    (INTEGER, b'{"p":1.5}', b"1.5"),
    (INTEGER, b'{"p":true}', b"true"),
    (INTEGER, b'{"p":' + b"9" * 5000 + b"}", b"9" * 5000),
    # Booleans, and values of another type by their text.
    (BOOLEAN, b'{"p":true}', b"true"),
    (BOOLEAN, b'{"p":false}', b"false"),
    (BOOLEAN, b'{"p":"true"}', b"true"),
    (BOOLEAN, b'{"p":1}', b"1"),
    (TEXT, b'{"p":5}', b"5"),
    (TEXT, b'{"p":5.0}', b"5"),
    (TEXT, b'{"p":false}', b"false"),
    # What no header can say is for the check of the arguments to refuse.
    (TEXT, b'{"p":["x"]}', None),
    (TEXT, b'{"p":{"x":1}}', None),
]

UNFITTING: list[tuple[HeaderTable, bytes | None, bytes | None]] = [
    # A value without its header, a header without its value.
    (TEXT, b'{"p":"x"}', None),
    (TEXT, b'{"p":""}', None),
    (TEXT, None, b"x"),
    (TEXT, b"{}", b""),
    (TEXT, b'{"p":null}', b"null"),
    (TEXT, b'{"p":["x"]}', b"x"),
    (TEXT, b'{"p":["x"]}', b'["x"]'),
    (NESTED, b'{"a":{"b":"x"}}', None),
    (NESTED, b'{"a":"{\\"b\\":\\"x\\"}"}', None),
    (NESTED, b'{"a":{}}', b"x"),
    # Text.
    (TEXT, b'{"p":"x"}', b"X"),
    (TEXT, b'{"p":"x"}', b'"x"'),
    (TEXT, b'{"p":"5"}', b"5.0"),
    (TEXT, b'{"p":"Hello"}', b"=?base64?SGVsbG8?="),
    (TEXT, b'{"p":"Hello"}', b"=?base64?SGVs!!!bG8=?="),
    (TEXT, '{"p":"é"}'.encode(), "é".encode()),
    (TEXT, '{"p":"é"}'.encode(), b"\xe9"),
    (TEXT, b'{"p":"y","p":"x"}', b"y"),
    (TEXT, b'{"p":"a\\u0000"}', b"a\x00"),
    # Integers.
    (INTEGER, b'{"p":42}', b"43"),
    (INTEGER, b'{"p":42}', b"042"),
    (INTEGER, b'{"p":42}', b"+42"),
    (INTEGER, b'{"p":42}', b"4 2"),
    (INTEGER, b'{"p":42}', b"0x2a"),
    (INTEGER, b'{"p":42}', b""),
    (INTEGER, b'{"p":42}', encode_header_value("٤٢").encode()),
    (INTEGER, b'{"p":1}', b"true"),
    (INTEGER, b'{"p":9007199254740993}', b"9007199254740992"),
    (INTEGER, b'{"p":' + b"9" * 5000 + b"}", b"9" * 5000 + b".0"),
    (INTEGER, b'{"p":1}', b"1e" + b"9" * 30),
    (INTEGER, b'{"p":1e999999999}', b"1e999999998"),
    # Booleans.
    (BOOLEAN, b'{"p":true}', b"True"),
    (BOOLEAN, b'{"p":true}', b"1"),
    (BOOLEAN, b'{"p":true}', b"false"),
    # Unreadable, whatever the header says.
    (TEXT, b'{"p":"\xff"}', b"\xff"),
    (TEXT, b'{"p":"\xff"}', None),
    (TEXT, b'{"p":"\\ud800"}', b"=?base64?7aCA?="),
    (TEXT, b'{"p":"\\ud800"}', None),
    (TEXT, b'{"p":"x"', b"x"),
    (TEXT, b'{"p":NaN}', b"NaN"),
    (TEXT, b'{"\xff":1,"p":"x"}', b"x"),
    (TEXT, b'{"q":' + b"[" * 100_000 + b"]" * 100_000 + b',"p":"x"}', b"x"),
    (NESTED, b'{"a":{"\xff":1,"b":"x"}}', None),
]


def told(rows: list[tuple[HeaderTable, bytes | None, bytes | None]]) -> list[str]:
    return [
        f"{i}: {table[0].kind} {args!r:.60} {raw!r:.40}"
        for i, (table, args, raw) in enumerate(rows)
    ]


def check(table: HeaderTable, arguments: bytes | None, raw: bytes | None) -> str | None:
    headers = [] if raw is None else [(b"mcp-param-p", raw)]
    return mirror(*headers).check_params(table, arguments)


@pytest.mark.parametrize(("table", "arguments", "raw"), FITTING, ids=told(FITTING))
def test_what_says_the_same_passes(
    table: HeaderTable, arguments: bytes | None, raw: bytes | None
) -> None:
    assert check(table, arguments, raw) is None


@pytest.mark.parametrize(("table", "arguments", "raw"), UNFITTING, ids=told(UNFITTING))
def test_what_differs_is_refused(
    table: HeaderTable, arguments: bytes | None, raw: bytes | None
) -> None:
    wrong = check(table, arguments, raw)
    assert wrong is not None
    assert wrong.startswith("Header mismatch: ")
    assert "Mcp-Param-P" in wrong
    assert len(wrong) < 300
    msgspec.json.encode(wrong)


def test_a_repeated_parameter_is_refused() -> None:
    head = mirror((b"mcp-param-p", b"x"), (b"mcp-param-p", b"x"))
    assert head.check_params(TEXT, b'{"p":"x"}') == (
        "Header mismatch: Mcp-Param-P header came more than once; send it once, with the value of "
        "the argument 'p'"
    )


def test_headers_that_the_tool_does_not_declare_are_ignored() -> None:
    head = mirror((b"mcp-param-q", b"x"), (b"mcp-param-q", b"\xff"))
    assert head.check_params((), b'{"q":"y"}') is None
    assert head.check_params(TEXT, b'{"q":"y"}') is None


def test_every_header_of_the_table_is_checked() -> None:
    table = (*TEXT, row("Q", "integer", "q"), row("R", "string", "a", "r"))
    arguments = b'{"p":"x","q":1,"a":{"r":"y"}}'
    good = [(b"mcp-param-p", b"x"), (b"mcp-param-q", b"1"), (b"mcp-param-r", b"y")]
    assert mirror(*good).check_params(table, arguments) is None
    for left_out in range(3):
        headers = [header for at, header in enumerate(good) if at != left_out]
        wrong = mirror(*headers).check_params(table, arguments)
        assert wrong is not None
        assert f"Mcp-Param-{table[left_out].name} header is missing" in wrong


def test_raw_arguments_are_taken_as_decoded_from_the_envelope() -> None:
    assert mirror((b"mcp-param-p", b"x")).check_params(TEXT, msgspec.Raw(b'{"p":"x"}')) is None


def test_a_header_that_mirrors_nothing_is_told_with_the_place_in_the_body() -> None:
    assert mirror((b"mcp-param-p", b"x")).check_params(NESTED, b'{"a":{}}') == (
        "Header mismatch: Mcp-Param-P header value 'x' mirrors nothing: the body has no value at "
        "'a.b'; leave the header out, or send the argument"
    )


@pytest.mark.parametrize(
    ("arguments", "raw"),
    [
        (b'{"p":"sesame"}', b"SESAME"),
        (b"{}", b"sesame"),
        (b'{"p":"sesame"}', b"sesame\xff"),
        (b'{"p":"sesame"}', b"=?base64?sesame!?="),
        (b'{"p":"sesame"}', None),
    ],
    ids=repr,
)
def test_the_value_of_a_secret_is_never_shown(arguments: bytes, raw: bytes | None) -> None:
    wrong = check((row("P", "string", "p", secret=True),), arguments, raw)
    assert wrong is not None
    assert "sesame" not in wrong.lower()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["p", "a", "b"]), inner),
)
ROWS = st.sampled_from([TEXT, INTEGER, BOOLEAN, NESTED])


@given(ROWS, st.none() | st.binary(), st.none() | st.binary())
def test_no_bytes_raise(table: HeaderTable, arguments: bytes | None, raw: bytes | None) -> None:
    check(table, arguments, raw)
    head = mirror(*[] if raw is None else [(b"mcp-name", raw)])
    head.check_name("x")


@given(ROWS, JSON, st.text() | st.integers() | st.floats())
def test_no_json_raises(table: HeaderTable, arguments: Any, header: object) -> None:
    text = json.dumps(arguments).encode()
    check(table, text, str(header).encode("utf-8", "surrogatepass"))


@given(st.text(st.characters(codec="utf-8")) | st.integers() | st.booleans())
def test_what_a_client_encodes_by_the_rules_passes(value: str | int | bool) -> None:
    raw = encode_header_value(value).encode()
    arguments = json.dumps({"p": value}).encode()
    for table in (TEXT, INTEGER, BOOLEAN):
        assert check(table, arguments, raw) is None
