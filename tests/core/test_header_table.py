"""``x-mcp-header``: what it may stand on, and the headers that a tool has of it."""

import enum
import subprocess
import sys
from typing import TYPE_CHECKING, Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta, Struct
from sansmcp_core import ObjectSchema, Parameter, RegistrationError, Server
from sansmcp_core._header_table import header_table
from sansmcp_core.testing import TestClient
from sansmcp_schema.revisions import REVISIONS

if TYPE_CHECKING:
    from sansmcp_core._header_table import HeaderTable

DEADLINE_S = 30


def root(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def text(header: Any = "Region", **keywords: Any) -> dict[str, Any]:
    return {"type": "string", "x-mcp-header": header, **keywords}


def integer(**keywords: Any) -> dict[str, Any]:
    return {"type": "integer", "x-mcp-header": "Count", **keywords}


def rows(table: "HeaderTable") -> list[tuple[str, str, str]]:
    return [(row.name, ".".join(row.path), row.kind) for row in table]


# -- schemas ------------------------------------------------------------------------------------

TAKEN: list[tuple[str, dict[str, Any], list[tuple[str, str, str]]]] = [
    ("none", root(a={"type": "string"}), []),
    ("an empty schema", {}, []),
    ("a text", root(a=text()), [("Region", "a", "string")]),
    ("an integer", root(a=integer()), [("Count", "a", "integer")]),
    ("a boolean", root(a={**text("B"), "type": "boolean"}), [("B", "a", "boolean")]),
    ("a choice of texts", root(a=text(enum=["x", "y"])), [("Region", "a", "string")]),
    (
        "in order, nested ones after",
        root(o=root(z=text("Z")), a=text("A"), b=text("B")),
        [("A", "a", "string"), ("B", "b", "string"), ("Z", "o.z", "string")],
    ),
    ("every token character", root(a=text("!#$%&'*+-.^_`|~09azAZ")), [
        ("!#$%&'*+-.^_`|~09azAZ", "a", "string")
    ]),
    ("a property of that name", root(**{"x-mcp-header": {"type": "string"}}), []),
    (
        "a property of that name with the annotation",
        root(**{"x-mcp-header": text()}),
        [("Region", "x-mcp-header", "string")],
    ),
    ("a property named properties", root(properties=text()), [("Region", "properties", "string")]),
    ("in const", root(a={"const": text()}), []),
    ("in enum", root(a={"enum": [text()]}), []),
    ("in default", root(a={"default": {"properties": {"b": text("")}}}), []),
    ("in examples", root(a={"examples": [text()]}), []),
    ("in a description", root(a={"description": "x-mcp-header"}), []),
    ("a required name", {**root(), "required": ["x-mcp-header"]}, []),
    (
        "bounds at the border",
        root(a=integer(minimum=-(2**53) + 1, maximum=2**53 - 1)),
        [("Count", "a", "integer")],
    ),
    ("a long number in a text's pattern", root(a=text(maxLength=2**60)), [
        ("Region", "a", "string")
    ]),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "expected"), [c[1:] for c in TAKEN], ids=[c[0] for c in TAKEN])
def test_the_table_has_the_annotated_properties(
    schema: dict[str, Any], expected: list[tuple[str, str, str]]
) -> None:
    assert rows(header_table("tool 't'", schema)) == expected


PLACES: list[dict[str, Any]] = [
    text(),
    root(a={"type": "array", "items": text()}),
    root(a={"type": "array", "items": [text()]}),
    root(a={"type": "array", "prefixItems": [text()]}),
    root(a={"type": "array", "contains": text()}),
    root(a={"type": "array", "items": root(b=text())}),
    root(a={"additionalProperties": text()}),
    root(a={"propertyNames": text()}),
    root(a={"patternProperties": {"^x": text()}}),
    root(a={"anyOf": [text(), {"type": "null"}]}),
    root(a={"oneOf": [root(b=text())]}),
    {"allOf": [root(a=text())]},
    {"not": root(a=text())},
    {"if": root(a=text())},
    {"then": root(a=text())},
    {"else": root(a=text())},
    {"dependentSchemas": {"a": root(b=text())}},
    {"dependencies": {"a": root(b=text()), "b": ["a"]}},
    {"$defs": {"A": text()}},
    {"definitions": {"A": root(a=text())}},
    {"$defs": {"properties": {"properties": {"a": text()}}}},
    {"unevaluatedProperties": text()},
    {"contentSchema": text()},
    {"a word of tomorrow": root(a=text())},
]


@pytest.mark.parametrize("schema", PLACES, ids=[f"{i}: {s!r:.60}" for i, s in enumerate(PLACES)])
def test_only_properties_may_lead_to_an_annotation(schema: dict[str, Any]) -> None:
    with pytest.raises(RegistrationError, match=r"tool 't': x-mcp-header 'Region' stands at #"):
        header_table("tool 't'", schema)


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("empty", root(a=text("")), "one or more letters, digits and"),
    ("a space", root(a=text("My Region")), "got 'My Region'"),
    ("a colon", root(a=text("Region:")), "got 'Region:'"),
    ("no ASCII", root(a=text("Région")), "got 'Région'"),
    ("a control character", root(a=text("A\r\nB")), r"got 'A\\r\\nB'"),
    ("a final newline", root(a=text("A\n")), r"got 'A\\n'"),
    ("no text", root(a=text(7)), "must be a text of one or more .* got 7"),
    ("null", root(a=text(None)), "got None"),
    ("a number", root(a={**text(), "type": "number"}), "got 'number'"),
    ("an object", root(a={**text(), "type": "object"}), "got 'object'"),
    ("an array", root(a={**text(), "type": "array"}), "got 'array'"),
    ("null alone", root(a={**text(), "type": "null"}), "got 'null'"),
    ("no type", root(a={"x-mcp-header": "A"}), "got no type"),
    ("a reference", root(a={"$ref": "#/$defs/A", "x-mcp-header": "A"}), "got no type"),
    ("type or null", root(a={**text(), "type": ["string", "null"]}), "leave null out of its type"),
    ("a list of one", root(a={**text(), "type": ["string"]}), "alone, got"),
    (
        "a choice beside it",
        root(a={"anyOf": [{"type": "string"}, {"type": "null"}], "x-mcp-header": "A"}),
        "alone, got a choice; where there is no value, clients leave the argument out",
    ),
    ("twins", root(a=text("Region"), b=text("REGION")), "'a' and 'b' share the x-mcp-header"),
    ("nested twins", root(o=root(a=text()), b=text()), "'b' and 'o.a' share"),
    ("a minimum too low", root(a=integer(minimum=-(2**53))), "minimum -9007199254740992 lies"),
    ("a maximum too high", root(a=integer(maximum=2**53)), "outside -9007199254740991 to"),
    ("a bound too high", root(a=integer(exclusiveMaximum=1e300)), r"exclusiveMaximum 1e\+300"),
    ("a choice too high", root(a=integer(enum=[1, 2**60])), "enum 1152921504606846976"),
    ("the value too high", root(a=integer(const=2**53)), "const 9007199254740992"),
]


@pytest.mark.parametrize(("schema", "said"), [c[1:] for c in REFUSED], ids=[c[0] for c in REFUSED])
def test_what_breaks_a_rule_is_refused_and_named(schema: dict[str, Any], said: str) -> None:
    with pytest.raises(RegistrationError, match=said) as caught:
        header_table("tool 't'", schema)
    assert str(caught.value).startswith("tool 't'")
    assert "x-mcp-header" in str(caught.value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(
            st.sampled_from(["type", "properties", "x-mcp-header", "items", "$defs", "enum"]), inner
        )
    ),
)


@given(st.dictionaries(st.sampled_from(["properties", "x-mcp-header", "allOf"]), JSON))
def test_any_schema_has_a_table_or_is_refused(schema: dict[str, Any]) -> None:
    try:
        table = header_table("tool 't'", schema)
    except RegistrationError:
        return
    assert len({row.field for row in table}) == len(table)


# -- declarations -------------------------------------------------------------------------------


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Place(Struct):
    region: Annotated[str, Parameter(header="Region")]
    zone: Annotated[str | None, Meta(extra_json_schema={"x-mcp-header": "Zone"})] = None


Tenant = Annotated[str, Parameter(header="Tenant")]


def typed(server: Server) -> None:
    @server.tool
    def look(
        region: Annotated[str, Parameter(header="Region")],
        count: Annotated[int, Meta(ge=1, extra_json_schema={"x-mcp-header": "Count"})] = 1,
    ) -> None: ...


def by_mapping(server: Server) -> None:
    @server.tool(parameters={"region": Parameter(header="Region"), "n": Parameter(header="Count")})
    def look(region: str, n: int = 1) -> None: ...


def by_class(server: Server) -> None:
    @server.tool(arguments=Place)
    def look(place: Place) -> None: ...


def nested(server: Server) -> None:
    @server.tool
    def look(place: Place) -> None: ...


def by_builder(server: Server) -> None:
    inner = ObjectSchema().boolean("deep", header="Deep")
    schema = (
        ObjectSchema()
        .string("region", header="Region")
        .integer("n", default=1, header="Count")
        .enum("colour", ["red"], required=False, header="Colour")
        .object("inner", inner, required=False)
    )

    @server.tool(arguments=schema)
    def look(arguments: dict[str, Any]) -> None: ...


def raw(server: Server) -> None:
    @server.tool(arguments=root(region=text()))
    def look(arguments: dict[str, Any]) -> None: ...


def raw_text(server: Server) -> None:
    schema = '{"type": "object", "properties": {"r": {"type": "string", "x-mcp-header": "R"}}}'

    @server.tool(arguments=schema)
    def look(arguments: dict[str, Any]) -> None: ...


def published_only(server: Server) -> None:
    @server.tool(arguments=root(region=text()), validated_by_application=True)
    def look(arguments: dict[str, Any]) -> None: ...


def whole_definition(server: Server) -> None:
    server.add_tool({"name": "look", "inputSchema": root(region=text())}, lambda arguments: None)


def converted(server: Server) -> None:
    @server.tool
    def look(
        id: Annotated[int, Parameter(header="Id", advertised={"type": "string"}, convert=int)],
    ) -> None: ...


def plain(server: Server) -> None:
    @server.tool
    def look(region: str) -> None: ...


DECLARED = {
    typed: [("Region", "region", "string"), ("Count", "count", "integer")],
    by_mapping: [("Region", "region", "string"), ("Count", "n", "integer")],
    by_class: [("Region", "region", "string"), ("Zone", "zone", "string")],
    nested: [("Region", "place.region", "string"), ("Zone", "place.zone", "string")],
    by_builder: [
        ("Region", "region", "string"),
        ("Count", "n", "integer"),
        ("Colour", "colour", "string"),
        ("Deep", "inner.deep", "boolean"),
    ],
    raw: [("Region", "region", "string")],
    raw_text: [("R", "r", "string")],
    published_only: [("Region", "region", "string")],
    whole_definition: [("Region", "region", "string")],
    converted: [("Id", "id", "string")],
    plain: [],
}


def headers_of(server: Server, name: str = "look") -> list[tuple[str, str, str]]:
    tool = server.tools.find(name)
    assert tool is not None
    return rows(tool.headers)


@pytest.mark.parametrize("declare", DECLARED, ids=[d.__name__ for d in DECLARED])
def test_every_way_to_declare_arguments_can_declare_headers(declare: Any) -> None:
    server = Server("s", version="1")
    declare(server)
    assert headers_of(server) == DECLARED[declare]


@pytest.mark.parametrize("revision", REVISIONS)
def test_lists_show_the_annotation_in_every_revision(revision: str) -> None:
    server = Server("s", version="1")
    typed(server)
    with TestClient(server, revision) as client:
        (listed,) = client.request("tools/list")["tools"]
    assert listed["inputSchema"]["properties"] == {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "count": {"type": "integer", "minimum": 1, "x-mcp-header": "Count", "default": 1},
    }


def optional_server() -> Server:
    server = Server("s", version="1")

    @server.tool
    def look(
        a: Annotated[str | None, Parameter(header="A")] = None,
        b: Tenant | None = None,
        c: Annotated[int, Parameter(header="C")] = None,  # type: ignore[assignment]  # noqa: RUF013
        d: Annotated[Colour | None, Parameter(header="D")] = Colour.BLUE,
        e: Annotated[
            Literal["x", "y"] | None, Meta(extra_json_schema={"x-mcp-header": "E"})
        ] = None,
        f: Annotated[bool | None, Parameter(header="F", description="On")] = None,
    ) -> str:
        return repr((a, b, c, d and d.value, e, f))

    return server


def test_an_optional_argument_is_published_as_one_type_that_may_be_left_out() -> None:
    with TestClient(optional_server()) as client:
        (listed,) = client.request("tools/list")["tools"]
    assert listed["inputSchema"] == {
        "type": "object",
        "properties": {
            "a": {"type": "string", "x-mcp-header": "A"},
            "b": {"type": "string", "x-mcp-header": "Tenant"},
            "c": {"type": "integer", "x-mcp-header": "C"},
            "d": {
                "type": "string",
                "enum": ["red", "blue"],
                "x-mcp-header": "D",
                "default": "blue",
            },
            "e": {"type": "string", "enum": ["x", "y"], "x-mcp-header": "E"},
            "f": {"type": "boolean", "x-mcp-header": "F", "description": "On"},
        },
        "additionalProperties": False,
    }


ANSWERS: list[tuple[dict[str, Any], str]] = [
    ({}, "(None, None, None, 'blue', None, None)"),
    (
        {"a": "x", "b": "t", "c": 2, "d": "red", "e": "y", "f": True},
        "('x', 't', 2, 'red', 'y', True)",
    ),
    ({"c": "2"}, "(None, None, 2, 'blue', None, None)"),
    ({"a": None}, "Invalid arguments:\na: expected string, got null"),
    ({"b": None}, "Invalid arguments:\nb: expected string, got null"),
]


@pytest.mark.parametrize(("arguments", "answer"), ANSWERS, ids=[str(row[0]) for row in ANSWERS])
def test_an_optional_argument_takes_what_is_published(
    arguments: dict[str, Any], answer: str
) -> None:
    with TestClient(optional_server()) as client:
        result = client.request("tools/call", {"name": "look", "arguments": arguments})
    assert result["content"][0]["text"] == answer


@pytest.mark.parametrize("way", [by_class, nested])
def test_an_optional_field_takes_what_is_published(way: Any) -> None:
    server = Server("s", version="1")
    way(server)
    with TestClient(server) as client:

        def refused(zone: Any) -> bool:
            place = {"region": "r", "zone": zone}
            arguments = place if way is by_class else {"place": place}
            answer = client.request("tools/call", {"name": "look", "arguments": arguments})
            return answer.get("isError", False) is True

        assert not refused("z")
        assert refused(None)


def test_a_result_has_no_headers_and_keeps_its_null() -> None:
    server = Server("s", version="1")

    @server.tool
    def look(place: Place) -> Place:
        return place

    with TestClient(server) as client:
        (listed,) = client.request("tools/list")["tools"]
        result = client.call_tool("look", place={"region": "r"})
    assert "x-mcp-header" not in str(listed["outputSchema"])
    assert result["structuredContent"] == {"region": "r", "zone": None}


def a_number(server: Server) -> None:
    server.tool(lambda x: None, name="t", parameters={"x": Parameter(header="X")})


def a_float(server: Server) -> None:
    @server.tool
    def t(x: Annotated[float, Parameter(header="X")]) -> None: ...


def a_union(server: Server) -> None:
    @server.tool
    def t(x: Annotated[str | int, Parameter(header="X")]) -> None: ...


def a_list(server: Server) -> None:
    @server.tool
    def t(x: list[Tenant]) -> None: ...


def an_optional_class(server: Server) -> None:
    @server.tool
    def t(x: Place | None = None) -> None: ...


def twins(server: Server) -> None:
    @server.tool
    def t(x: Tenant, y: Tenant) -> None: ...


def nullable(server: Server) -> None:
    @server.tool(arguments=ObjectSchema().string("x", header="X", nullable=True))
    def t(arguments: dict[str, Any]) -> None: ...


def a_bad_name(server: Server) -> None:
    @server.tool
    def t(x: Annotated[str, Parameter(header="X Y")]) -> None: ...


@pytest.mark.parametrize(
    "declare",
    [a_number, a_float, a_union, a_list, an_optional_class, twins, nullable, a_bad_name],
    ids=lambda declare: declare.__name__,
)
def test_a_tool_that_clients_would_leave_out_fails_at_registration(declare: Any) -> None:
    server = Server("s", version="1")
    with pytest.raises(RegistrationError, match=r"tool 't'.*x-mcp-header"):
        declare(server)
    assert len(server.tools) == 0


def test_the_builder_has_no_header_for_what_no_header_says() -> None:
    with pytest.raises(Exception, match=r"'header' is no option of number\(\)"):
        ObjectSchema().number("x", header="X")


def test_names_that_are_defined_later_are_checked_when_serving_starts() -> None:
    server = Server("s", version="1")

    def look(x: "Later") -> None: ...  # type: ignore[name-defined]  # noqa: F821

    server.tool(look)
    later: Any = Annotated[float, Parameter(header="X")]
    look.__globals__["Later"] = later
    try:
        with pytest.raises(RegistrationError, match=r"tool 'look', property 'x'.*x-mcp-header"):
            server.prepare()
    finally:
        del look.__globals__["Later"]


def test_a_refreshed_schema_brings_its_headers_and_a_bad_one_changes_nothing() -> None:
    server = Server("s", version="1")
    schema = root(a=text("A"))

    @server.tool(input_schema_hook=lambda: schema)
    def look(arguments: dict[str, Any]) -> None: ...

    assert headers_of(server) == [("A", "a", "string")]
    schema = root(b=text("B"))
    server.refresh("look")
    assert headers_of(server) == [("B", "b", "string")]
    schema = root(b=text("B C"))
    with pytest.raises(RegistrationError, match="got 'B C'"):
        server.refresh("look")
    assert headers_of(server) == [("B", "b", "string")]


def test_secrets_are_known_to_the_table() -> None:
    server = Server("s", version="1")

    @server.tool
    def look(
        a: Annotated[str, Parameter(header="A", write_only=True)],
        b: Annotated[str, Parameter(header="B", format="password")],
        token: Annotated[str, Parameter(header="C")],
        d: Annotated[str, Parameter(header="D")],
    ) -> None: ...

    tool = server.tools.find("look")
    assert tool is not None
    assert [row.secret for row in tool.headers] == [True, True, True, False]


def test_a_server_without_such_headers_never_loads_their_module() -> None:
    code = (
        "import sys\n"
        "from sansmcp_core import Server\n"
        "server = Server('s', version='1')\n"
        "@server.tool\n"
        "def look(region: str) -> None: ...\n"
        "assert server.tools.find('look').headers == ()\n"
        "assert 'sansmcp_core._header_table' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=DEADLINE_S)
