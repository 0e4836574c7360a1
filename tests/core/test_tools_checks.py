"""Names, ``_meta`` keys, icons and extensions: what is taken, and what is refused with a reason."""

import warnings
from typing import Any

import pytest
from sansmcp_core._checks import (
    ToolNameWarning,
    check_extensions,
    check_icons,
    check_meta,
    check_tool_name,
)
from sansmcp_core._errors import RegistrationError
from sansmcp_schema.content import Icon


@pytest.mark.parametrize(
    "name", ["getUser", "DATA_EXPORT_v2", "admin.tools.list", "a-b", "0", "x" * 128]
)
def test_an_ordinary_tool_name_is_taken_without_a_word(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert check_tool_name(name) == name


@pytest.mark.parametrize(
    "name", ["two words", "a,b", "é", "a/b", "x" * 129, "line\nbreak", "trailing\n", "💥"]
)
def test_an_odd_tool_name_warns_and_is_taken(name: str) -> None:
    with pytest.warns(ToolNameWarning, match="outside what clients can be expected to take"):
        assert check_tool_name(name) == name


@pytest.mark.parametrize("name", ["", " ", "\t", None, 5, b"add"])
def test_an_empty_tool_name_is_refused(name: Any) -> None:
    with pytest.raises(RegistrationError, match="a tool needs a name that is not empty, got"):
        check_tool_name(name)


@pytest.mark.parametrize(
    "key",
    [
        "colour",
        "a",
        "a_b-c.d",
        "com.example/colour",
        "com.example/",
        "example/x",
        "com.example.mcp/x",
        "mcp/x",
        "a-1.b2/x.y",
        "ui/resourceUri",
        "traceparent",
    ],
)
def test_a_meta_key_that_follows_the_rules_is_taken(key: str) -> None:
    assert check_meta("tool 'x'", {key: 1}) == {key: 1}


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        ("io.modelcontextprotocol/serverInfo", "reserved"),
        ("io.modelcontextprotocol/anything", "reserved"),
        ("dev.mcp/", "reserved"),
        ("org.modelcontextprotocol.api/x", "reserved"),
        ("com.mcp.tools/x", "reserved"),
        ("COM.MCP/x", "reserved"),
        ("", "is empty"),
        ("_x", "a name that"),
        ("x-", "a name that"),
        ("a b", "a name that"),
        ("a\n", "a name that"),
        ("com.example/-x", "a name that"),
        ("com..example/x", "a prefix that"),
        ("1com.example/x", "a prefix that"),
        ("com.example-/x", "a prefix that"),
        ("a/b/x", "a prefix that"),
        ("/x", "a prefix that"),
        (5, "is no string"),
    ],
)
def test_a_meta_key_that_breaks_them_is_refused_by_name(key: Any, reason: str) -> None:
    with pytest.raises(RegistrationError, match=f"of tool 'x'.*{reason}"):
        check_meta("tool 'x'", {key: 1})


def test_meta_is_copied_and_has_to_be_an_object() -> None:
    given = {"a": 1}
    taken = check_meta("tool 'x'", given)
    given["io.modelcontextprotocol/x"] = 2
    assert taken == {"a": 1}
    assert check_meta("tool 'x'", None) is None
    with pytest.raises(RegistrationError, match="must be a dict, got list"):
        check_meta("tool 'x'", ["a"])  # type: ignore[arg-type]


def test_icons_are_structs_or_dicts_in_the_words_of_the_specification() -> None:
    icons = check_icons(
        "tool 'x'",
        [
            {"src": "https://example.com/a.png", "mimeType": "image/png", "sizes": ["48x48"]},
            Icon(src="data:image/png;base64,AAAA", theme="dark"),
            {"src": "HTTP://example.com/a"},
        ],
    )
    assert icons is not None
    assert icons[0] == Icon(src="https://example.com/a.png", mime_type="image/png", sizes=["48x48"])
    assert len(icons) == 3


@pytest.mark.parametrize(
    "src",
    ["javascript:alert(1)", "file:///etc/passwd", "ftp://x/y", "ws://x", "app://icon", "a.png", ""],
)
@pytest.mark.parametrize("as_struct", [True, False])
def test_an_icon_that_clients_must_refuse_is_refused(src: str, as_struct: bool) -> None:
    icon: Any = Icon(src=src) if as_struct else {"src": src}
    with pytest.raises(RegistrationError, match="use https:, http: or data:"):
        check_icons("tool 'x'", [icon])


@pytest.mark.parametrize(
    "icon", [{}, {"src": 5}, {"src": "https://x", "theme": "blue"}, "https://x", None]
)
def test_an_icon_of_another_shape_is_refused(icon: Any) -> None:
    with pytest.raises(RegistrationError, match="an icon of tool 'x' has the wrong shape"):
        check_icons("tool 'x'", [icon])


@pytest.mark.parametrize("icons", [{"src": "https://x"}, "https://x", Icon(src="https://x")])
def test_one_icon_where_a_list_belongs_is_refused(icons: Any) -> None:
    with pytest.raises(RegistrationError, match="must be a list of icons"):
        check_icons("tool 'x'", icons)


def test_no_icons_are_no_field() -> None:
    assert check_icons("tool 'x'", None) is None
    assert check_icons("tool 'x'", []) is None


def test_extensions_need_a_prefix_and_official_ones_are_welcome() -> None:
    check_extensions({"io.modelcontextprotocol/tasks": {}, "com.example/tables": {}})


@pytest.mark.parametrize("key", ["tables", "/tables", "com.example/", "a b/c", ""])
def test_an_extension_without_a_prefix_is_refused(key: str) -> None:
    with pytest.raises(ValueError, match="needs an identifier with a prefix"):
        check_extensions({key: {}})
