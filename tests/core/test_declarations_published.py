"""What cannot be listed is refused where it is declared, by the name of declaration and field."""

import enum
import pathlib
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from opaque import Opaque
from sansmcp_core import RegistrationError, Server, annotations
from sansmcp_schema.content import Annotations, Icon
from sansmcp_schema.prompts import PromptArgument

NAN = float("nan")


def handler() -> str:
    return ""


def templated(x: str) -> str:
    return x


def _tool(options: dict[str, Any]) -> None:
    Server("s").tool(handler, **{"name": "t", **options})


def _resource(options: dict[str, Any]) -> None:
    Server("s").resource("app://r", handler, **options)


def _template(options: dict[str, Any]) -> None:
    Server("s").resource("app://{x}", templated, **options)


def _prompt(options: dict[str, Any]) -> None:
    Server("s").prompt(handler, **{"name": "p", **options})


def _server(options: dict[str, Any]) -> None:
    Server(**{"name": "s", **options})


_SHARED: list[tuple[dict[str, Any], str]] = [
    ({"title": 5}, "title"),
    ({"title": "\ud800"}, "title"),
    ({"description": "\ud800"}, "description"),
    ({"description": ["a"]}, "description"),
    ({"icons": 5}, "icons"),
    ({"icons": [Icon(src=5)]}, "icon"),  # type: ignore[arg-type]
    ({"icons": [Icon(src="https://a/\ud800")]}, "icon"),
]
_NAMED: list[tuple[dict[str, Any], str]] = [
    *_SHARED,
    ({"name": "\ud800x"}, "name"),
    ({"meta": {"cfg": Opaque()}}, "meta"),
    ({"meta": {"k": NAN}}, "meta"),
    ({"meta": {"k": "\ud800"}}, "meta"),
]
_RESOURCES: list[tuple[dict[str, Any], str]] = [
    *_NAMED,
    ({"mime_type": 5}, "mime_type"),
    ({"annotations": {"priority": 7}}, "annotations"),
    ({"annotations": Annotations(priority=7)}, "annotations"),
    ({"annotations": {"audience": ["robot"]}}, "annotations"),
    ({"annotations": {"last_modified": "2025-01-01T00:00:00Z"}}, "annotations"),
    ({"annotations": "user"}, "annotations"),
]
_WRONG: list[tuple[Callable[[dict[str, Any]], None], str, list[tuple[dict[str, Any], str]]]] = [
    (_tool, "tool 't'", [
        *_NAMED,
        ({"read_only": "yes"}, "read_only"),
        ({"destructive": 1}, "destructive"),
        ({"annotations_title": 5}, "annotations.title"),
    ]),
    (_resource, "resource 'app://r'", [
        *_RESOURCES,
        ({"size": "5"}, "size"),
        ({"size": 1.5}, "size"),
    ]),
    (_template, "resource 'app://{x}'", _RESOURCES),
    (_prompt, "prompt 'p'", [
        *_NAMED,
        ({"arguments": [PromptArgument(name="a", required="yes")]}, "required"),  # type: ignore[arg-type]
        ({"arguments": [PromptArgument(name="a", title=5)]}, "title"),  # type: ignore[arg-type]
    ]),
    (_server, "server 's'", [
        *_SHARED,
        ({"title": Opaque()}, "title"),
        ({"instructions": "\ud800"}, "instructions"),
        ({"instructions": 5}, "instructions"),
        ({"version": 5}, "version"),
        ({"website_url": 5}, "website_url"),
    ]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("declare", "owner", "options", "field"),
    [
        pytest.param(declare, owner, options, field, id=f"{declare.__name__[1:]}-{options!a:.50}")
        for declare, owner, cases in _WRONG
        for options, field in cases
    ],
)
def test_a_field_that_cannot_be_listed_is_refused_by_name(
    declare: Callable[[dict[str, Any]], None], owner: str, options: dict[str, Any], field: str
) -> None:
    with pytest.raises(RegistrationError) as caught:
        declare(options)

    assert field in str(caught.value)
    if "name" not in options:
        assert owner in str(caught.value)


@pytest.mark.parametrize("name", [5, "\ud800"])
def test_a_server_needs_a_name_that_json_can_carry(name: Any) -> None:
    with pytest.raises(RegistrationError, match="server"):
        Server(name)


@pytest.mark.parametrize("uri", ["app://\ud800", "app://\ud800/{x}"])
def test_a_uri_that_json_cannot_carry_is_refused(uri: str) -> None:
    with pytest.raises(RegistrationError, match=r"(?i)uri"):
        Server("s").resource(uri, templated if "{" in uri else handler)


class Shade(enum.StrEnum):
    DARK = "dark"


def test_what_has_a_json_form_is_listed_in_it() -> None:
    server = Server("s")
    given = {"path": pathlib.PurePosixPath("/a"), "set": {1}, "none": None}
    server.tool(handler, name="t", title=Shade.DARK, meta=given)

    (tool,) = server.tools.entries()
    given["later"] = 1

    assert msgspec.json.decode(msgspec.json.encode(tool.listing()))["_meta"] == {
        "path": "/a",
        "set": [1],
        "none": None,
    }
    assert tool.listing().title == "dark"


@pytest.mark.parametrize("uri", ["app://r", "app://{x}"])
def test_annotations_may_be_a_dict_in_the_words_of_the_specification(uri: str) -> None:
    server = Server("s")
    server.resource(
        uri,
        templated if "{" in uri else handler,
        annotations={
            "audience": ["user"], "priority": 1, "lastModified": "2025-01-01T00:00:00Z",
        },
    )  # fmt: skip

    (entry,) = server.resources.every()

    assert entry.listing().annotations == annotations(
        audience="user", priority=1, last_modified="2025-01-01T00:00:00Z"
    )


@pytest.mark.parametrize(
    "definition",
    [
        {"name": "add"},
        {"name": "add", "inputSchema": 5},
        {"name": "add", "inputSchema": {"type": "object"}, "title": 5},
        '{"name": "add", "inputSchema": []}',
        {"name": "add", "inputSchema": {"type": "object"}, "execution": {"taskSupport": "no"}},
    ],
)
def test_a_bad_definition_is_refused_by_its_name(definition: Any) -> None:
    with pytest.raises(RegistrationError, match="'add'"):
        Server("s").add_tool(definition, handler)


@pytest.mark.parametrize("definition", [{"name": "\ud800"}, {"name": 5}, [], "{", {}])
def test_a_definition_without_a_name_to_show_is_refused_all_the_same(definition: Any) -> None:
    with pytest.raises(RegistrationError, match="a tool definition could not be read"):
        Server("s").add_tool(definition, handler)
