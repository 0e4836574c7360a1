"""Builders give the specification's content blocks, with bytes encoded and nothing empty sent."""

import base64
import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import msgspec
import pytest
from sansmcp_core import _content as build
from sansmcp_schema.content import Icon, ImageContent

DATA = bytes(range(256))
BASE64 = base64.b64encode(DATA).decode()
HINTS = build.annotations(audience="user", priority=1, last_modified="2025-01-12T15:00:58Z")
HINTS_JSON = {"audience": ["user"], "priority": 1, "lastModified": "2025-01-12T15:00:58Z"}

BUILT: list[tuple[Any, dict[str, Any]]] = [
    (build.text("hi"), {"type": "text", "text": "hi"}),
    (
        build.text("hi", annotations=HINTS, meta={"a/b": 1}),
        {"type": "text", "text": "hi", "annotations": HINTS_JSON, "_meta": {"a/b": 1}},
    ),
    (
        build.image(DATA, "image/png"),
        {"type": "image", "data": BASE64, "mimeType": "image/png"},
    ),
    (
        build.audio(DATA, "audio/wav", annotations=HINTS),
        {"type": "audio", "data": BASE64, "mimeType": "audio/wav", "annotations": HINTS_JSON},
    ),
    (
        build.resource_link("x://a", "a"),
        {"type": "resource_link", "uri": "x://a", "name": "a"},
    ),
    (
        build.resource_link(
            "x://a",
            "a",
            title="A",
            description="the a",
            mime_type="text/plain",
            size=3,
            icons=[Icon(src="https://x/i.png")],
            annotations=HINTS,
            meta={},
        ),
        {
            "type": "resource_link",
            "uri": "x://a",
            "name": "a",
            "title": "A",
            "description": "the a",
            "mimeType": "text/plain",
            "size": 3,
            "icons": [{"src": "https://x/i.png"}],
            "annotations": HINTS_JSON,
            "_meta": {},
        },
    ),
    (
        build.embedded_text("x://a", "hi"),
        {"type": "resource", "resource": {"uri": "x://a", "mimeType": "text/plain", "text": "hi"}},
    ),
    (
        build.embedded_blob("x://a", DATA, "image/png", annotations=HINTS),
        {
            "type": "resource",
            "resource": {"uri": "x://a", "mimeType": "image/png", "blob": BASE64},
            "annotations": HINTS_JSON,
        },
    ),
    (build.text_contents("x://a", ""), {"uri": "x://a", "text": ""}),
    (
        build.text_contents("x://a", "{}", "application/json", meta={"k": 1}),
        {"uri": "x://a", "mimeType": "application/json", "text": "{}", "_meta": {"k": 1}},
    ),
    (build.blob_contents("x://a", b""), {"uri": "x://a", "blob": ""}),
    (build.annotations(), {}),
    (
        build.annotations(audience=["user", "assistant"], priority=0.5),
        {"audience": ["user", "assistant"], "priority": 0.5},
    ),
    (
        build.error_result("no", build.image(b"x", "image/png")),
        {
            "content": [
                {"type": "text", "text": "no"},
                {"type": "image", "data": "eA==", "mimeType": "image/png"},
            ],
            "isError": True,
        },
    ),
]


@pytest.mark.parametrize(("built", "expected"), BUILT, ids=range(len(BUILT)))
def test_a_builder_gives_exactly_this_json(built: msgspec.Struct, expected: dict[str, Any]) -> None:
    assert json.loads(msgspec.json.encode(built)) == expected


def test_a_datetime_becomes_an_iso_8601_text() -> None:
    moment = datetime(2025, 1, 12, 15, 0, 58, tzinfo=UTC)
    assert build.annotations(last_modified=moment).last_modified == "2025-01-12T15:00:58Z"
    elsewhere = moment.astimezone(timezone(timedelta(hours=1)))
    assert build.annotations(last_modified=elsewhere).last_modified == "2025-01-12T16:00:58+01:00"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"audience": "everyone"}, "'everyone'"),
        ({"audience": ["user", "robot"]}, "'robot'"),
        ({"priority": 1.5}, "0 to 1"),
        ({"priority": -1}, "0 to 1"),
        ({"priority": float("nan")}, "0 to 1"),
        ({"last_modified": datetime(2025, 1, 1)}, "time zone"),
    ],
)
def test_annotations_outside_the_specification_are_refused(
    options: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        build.annotations(**options)


def test_text_where_bytes_belong_is_refused_rather_than_encoded_twice() -> None:
    with pytest.raises(TypeError, match="raw bytes"):
        build.image(BASE64, "image/png")  # type: ignore[arg-type]


def test_an_error_result_without_content_is_refused() -> None:
    with pytest.raises(ValueError, match="needs content"):
        build.error_result()


def test_every_block_class_is_known_as_one() -> None:
    assert isinstance(build.image(b"", "image/png"), build.CONTENT_BLOCKS)
    assert ImageContent in build.CONTENT_BLOCKS
