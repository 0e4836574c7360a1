"""Lists are encoded once per change, and cursors keep their place and cannot be made up."""

import binascii
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sansmcp_core._effects import Report
from sansmcp_core._limits import Limits
from sansmcp_core._lists import ListKind, Lists
from sansmcp_core._operation import Mode
from sansmcp_core._registry import Registry
from sansmcp_core._settings import CacheHint, Settings
from sansmcp_schema.capabilities import Implementation
from sansmcp_schema.prompts import Prompt
from sansmcp_schema.resources import Resource, ResourceTemplate
from sansmcp_schema.revisions import LATEST_LEGACY, LATEST_MODERN, REVISIONS
from sansmcp_schema.tools import Tool

KINDS: tuple[ListKind, ...] = ("tools", "resources", "resource_templates", "prompts")
KEYS = dict(zip(KINDS, ("tools", "resources", "resourceTemplates", "prompts"), strict=True))
KEY = b"a key that two processes share!!"

LISTINGS: dict[ListKind, Callable[[str], msgspec.Struct]] = {
    "tools": lambda name: Tool(name=name, input_schema={"type": "object"}),
    "resources": lambda name: Resource(uri=f"x://{name}", name=name),
    "resource_templates": lambda name: ResourceTemplate(uri_template=f"x://{name}", name=name),
    "prompts": lambda name: Prompt(name=name),
}


class Entry:
    function: Callable[..., Any] = print
    takes_context = False
    mode = Mode.BLOCKING
    time_limit_s = None
    scopes: frozenset[str] = frozenset()

    def __init__(self, kind: ListKind, name: str) -> None:
        self.name = name
        self._kind = kind
        self.listed = 0

    def listing(self) -> msgspec.Struct:
        self.listed += 1
        return LISTINGS[self._kind](self.name)

    def before_listing(self) -> Report | None:
        return None


def counting() -> Callable[[int], bytes]:
    """Random bytes that are not, but differ each time."""
    numbers = iter(range(1, 1000))
    return lambda count: next(numbers).to_bytes(count, "big")


class Fixture:
    """Four lists with the same names in each."""

    def __init__(
        self,
        names: str,
        *,
        random: Callable[[int], bytes] | None = None,
        server_name: str = "s",
        **settings: Any,
    ) -> None:
        self.registries: dict[ListKind, Registry[Entry]] = {
            kind: Registry(kind, lambda: None) for kind in KINDS
        }
        for name in names:
            self.add(name)
        info = Implementation(name=server_name, version="1")
        self.lists = Lists(self.registries, info, Settings(**settings), random or counting())

    def add(self, name: str) -> None:
        for kind, registry in self.registries.items():
            registry.add(Entry(kind, name))

    def remove(self, name: str) -> None:
        for registry in self.registries.values():
            registry.remove(name)

    def change(self, sign: str, name: str) -> None:
        """Add, remove or hide one name in each list."""
        if sign == "+":
            self.add(name)
        elif sign == "-":
            self.remove(name)
        else:
            for registry in self.registries.values():
                registry.disable(name)

    def result(
        self, cursor: str | None = None, kind: ListKind = "tools", revision: str = LATEST_MODERN
    ) -> dict[str, Any]:
        raw = self.lists.page(kind, revision, cursor)
        assert raw is not None
        decoded: dict[str, Any] = msgspec.json.decode(raw)
        return decoded

    def page(
        self, cursor: str | None = None, kind: ListKind = "tools", revision: str = LATEST_MODERN
    ) -> tuple[str, str | None]:
        """The names on a page, and the cursor for the next one."""
        result = self.result(cursor, kind, revision)
        return "".join(entry["name"] for entry in result[KEYS[kind]]), result.get("nextCursor")

    def pages(self, kind: ListKind = "tools", revision: str = LATEST_MODERN) -> Iterator[str]:
        cursor: str | None = None
        for _ in range(100):
            names, cursor = self.page(cursor, kind, revision)
            yield names
            if cursor is None:
                return
        raise AssertionError("the pages never end")


PAGES = {
    "": [""],
    "ab": ["ab"],
    "abc": ["ab", "c"],
    "abcd": ["ab", "cd"],
    "abcde": ["ab", "cd", "e"],
}


@pytest.mark.parametrize("names", PAGES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("revision", REVISIONS)
def test_pages_end_without_a_cursor_and_hold_each_entry_once(
    names: str, kind: ListKind, revision: str
) -> None:
    assert list(Fixture(names, page_size=2).pages(kind, revision)) == PAGES[names]


def test_without_a_page_size_a_list_is_whole_and_has_no_cursor() -> None:
    assert Fixture("abcde").page() == ("abcde", None)


def test_a_cursor_is_short_whatever_the_entries_are_called() -> None:
    fixture = Fixture("", page_size=1)
    fixture.add("a" * 10_000)
    fixture.add("b")
    _, cursor = fixture.page()
    assert cursor
    assert len(cursor) < Limits().max_cursor_chars


CHANGES: list[tuple[str, str, list[str]]] = [
    ("nothing", "", ["cd", "e"]),
    ("the entry the cursor names is gone", "-b", ["cd", "e"]),
    ("an entry before it is gone", "-a", ["cd", "e"]),
    ("an entry after it is gone", "-c", ["de"]),
    ("all after it are gone", "-c-d-e", [""]),
    ("all are gone", "-a-b-c-d-e", [""]),
    ("one is new", "+f", ["cd", "ef"]),
    ("it was taken away and came back", "-b+b", ["cd", "eb"]),
    ("it is hidden", "~b", ["cd", "e"]),
]


@pytest.mark.parametrize(("change", "rest"), [pytest.param(c, r, id=i) for i, c, r in CHANGES])
@pytest.mark.parametrize("kind", KINDS)
def test_a_cursor_keeps_its_place_when_the_list_changes(
    kind: ListKind, change: str, rest: list[str]
) -> None:
    fixture = Fixture("abcde", page_size=2)
    _, cursor = fixture.page(None, kind)
    for sign, name in zip(change[::2], change[1::2], strict=True):
        fixture.change(sign, name)
    found: list[str] = []
    while cursor is not None:
        names, cursor = fixture.page(cursor, kind)
        found.append(names)
    assert found == rest


@given(st.lists(st.integers(0, 9), max_size=8), st.integers(1, 4))
def test_what_stays_in_the_list_is_seen_once_whatever_is_removed_between_pages(
    removals: list[int], size: int
) -> None:
    names = "abcdefghij"
    fixture = Fixture(names, page_size=size)
    seen, cursor = fixture.page()
    gone = set()
    for number in removals:
        if cursor is None:
            break
        if names[number] not in gone:
            gone.add(names[number])
            fixture.remove(names[number])
        page, cursor = fixture.page(cursor)
        seen += page
    while cursor is not None:
        page, cursor = fixture.page(cursor)
        seen += page
    assert len(set(seen)) == len(seen)
    assert set(names) - gone <= set(seen)


def altered(cursor: str, serial: int) -> str:
    token = binascii.unhexlify(cursor)
    return (serial.to_bytes(8, "big", signed=serial < 0) + token[8:]).hex()


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("size", [2, None])
def test_a_cursor_nobody_issued_is_refused(revision: str, size: int | None) -> None:
    issued = Fixture("abcde", page_size=2)
    _, good = issued.page()
    assert good is not None
    _, other_list = issued.page(None, "prompts")
    assert other_list is not None
    forged = [
        *("", "bogus", "null", "-1", "1.5", "1", "1000000000", "eyJwYWdlIjogM30=", "é" * 80),
        *(altered(good, serial) for serial in (-1, 0, 1, 3, 10**9)),
        other_list,
        good.upper(),
        good + "00",
        good[:-2],
        f" {good}",
        good[:40] + " " + good[41:],
        "0" * len(good),
        "g" * len(good),
        "0" * 1_000_000,
    ]
    fixture = Fixture("abcde", page_size=size)
    for cursor in forged:
        assert fixture.lists.page("tools", revision, cursor) is None, cursor[:100]
    assert (fixture.lists.page("tools", revision, good) is None) == (size is None)


@pytest.mark.parametrize("position", range(0, 80, 7))
def test_a_cursor_with_one_character_changed_is_refused(position: int) -> None:
    fixture = Fixture("abcde", page_size=2)
    _, cursor = fixture.page()
    assert cursor is not None
    changed = "0" if cursor[position] != "0" else "1"
    assert fixture.lists.page("tools", LATEST_MODERN, cursor) is not None
    wrong = cursor[:position] + changed + cursor[position + 1 :]
    assert fixture.lists.page("tools", LATEST_MODERN, wrong) is None


@given(st.text())
def test_no_text_makes_it_fail(cursor: str) -> None:
    assert Fixture("abc", page_size=2).lists.page("tools", LATEST_MODERN, cursor) is None


def process(names: str, number: int, **settings: Any) -> Fixture:
    return Fixture(names, random=lambda count: bytes([number]) * count, page_size=2, **settings)


def test_processes_that_share_a_key_take_each_others_cursors() -> None:
    first = process("abcde", 1, state_keys=(KEY,))
    second = process("abcde", 2, state_keys=(b"a newer key for a ring of keys..", KEY))
    _, cursor = first.page()
    assert second.page(cursor)[0] == "cd"


def test_another_process_that_counts_differently_goes_by_the_name() -> None:
    _, cursor = process("abcde", 1, state_keys=(KEY,)).page()
    assert process("xyzabcde", 2, state_keys=(KEY,)).page(cursor)[0] == "cd"


def test_another_process_without_that_entry_goes_by_the_number() -> None:
    _, cursor = process("abcde", 1, state_keys=(KEY,)).page()
    assert process("aycde", 2, state_keys=(KEY,)).page(cursor)[0] == "cd"


@pytest.mark.parametrize(
    "other",
    [
        pytest.param({}, id="no key"),
        pytest.param({"state_keys": (b"k" * 32,)}, id="another key"),
        pytest.param({"state_keys": (KEY,), "server_name": "t"}, id="another server"),
    ],
)
def test_a_cursor_of_a_stranger_is_refused(other: dict[str, Any]) -> None:
    _, cursor = process("abcde", 1, state_keys=(KEY,)).page()
    assert process("abcde", 2, **other).lists.page("tools", LATEST_MODERN, cursor) is None


def test_a_cursor_works_in_every_revision() -> None:
    fixture = Fixture("abcde", page_size=2)
    _, cursor = fixture.page(revision=LATEST_LEGACY)
    assert fixture.page(cursor, revision=LATEST_MODERN)[0] == "cd"


def test_a_page_is_encoded_once_and_again_after_a_change() -> None:
    fixture = Fixture("abcde", page_size=2)
    lists = fixture.lists
    first = lists.page("tools", LATEST_MODERN, None)
    _, cursor = fixture.page()
    second = lists.page("tools", LATEST_MODERN, cursor)
    assert lists.page("tools", LATEST_MODERN, None) is first
    assert lists.page("tools", LATEST_MODERN, cursor) is second
    assert lists.page("tools", LATEST_LEGACY, None) is not first
    fixture.registries["prompts"].remove("a")
    assert lists.page("tools", LATEST_MODERN, None) is first
    fixture.registries["tools"].remove("c")
    assert lists.page("tools", LATEST_MODERN, None) is not first
    assert lists.page("tools", LATEST_MODERN, None) == first


def test_pages_of_old_cursors_are_not_kept() -> None:
    fixture = Fixture("abcdefghij", page_size=3)
    _, cursor = fixture.page()
    fixture.remove("a")
    assert fixture.page(cursor)[0] == "def"
    listed = fixture.lists._listed["tools"]
    assert listed.pages == {}


def test_modern_results_say_how_long_they_may_be_kept_and_who_answers() -> None:
    fixture = Fixture(
        "a",
        cache=CacheHint(ttl_ms=5, cache_scope="public"),
        cache_lists={"prompts": CacheHint(ttl_ms=7)},
    )
    assert fixture.result(kind="tools") == {
        "resultType": "complete",
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "s", "version": "1"}},
        "ttlMs": 5,
        "cacheScope": "public",
        "tools": [{"name": "a", "inputSchema": {"type": "object"}}],
    }
    prompts = fixture.result(kind="prompts")
    assert (prompts["ttlMs"], prompts["cacheScope"]) == (7, "private")
    assert fixture.lists.hint("discover") == CacheHint(ttl_ms=5, cache_scope="public")


@pytest.mark.parametrize("kind", KINDS)
def test_every_modern_list_has_the_required_fields_by_default(kind: ListKind) -> None:
    result = Fixture("a").result(kind=kind)
    assert result["resultType"] == "complete"
    assert (result["ttlMs"], result["cacheScope"]) == (0, "private")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("revision", REVISIONS[:-1])
def test_no_legacy_list_has_any_of_them(kind: ListKind, revision: str) -> None:
    assert set(Fixture("a").result(kind=kind, revision=revision)) == {KEYS[kind]}


def test_the_name_of_the_server_can_be_left_out() -> None:
    assert "_meta" not in Fixture("a", server_info_in_results=False).result()


@pytest.mark.parametrize("size", [0, -1])
def test_a_page_size_below_one_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match="page_size must be 1 or more"):
        Fixture("", page_size=size)


def test_a_cache_hint_for_a_list_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="cache_lists has no list 'tool'; lists are: tools, "):
        Fixture("", cache_lists={"tool": CacheHint()})


def test_the_order_is_that_of_registration() -> None:
    names = "zaymb"
    assert all(left < right for left, right in pairwise(sorted(names)))
    assert Fixture(names).page()[0] == names


def test_hmac_is_loaded_by_the_first_cursor_and_not_before() -> None:
    program = """
import sys
from sansmcp_core._lists import Lists
from sansmcp_core._registry import Registry
from sansmcp_core._settings import Settings
from sansmcp_schema.capabilities import Implementation
kinds = ("tools", "resources", "resource_templates", "prompts")
sources = {kind: Registry(kind, lambda: None) for kind in kinds}
lists = Lists(sources, Implementation(name="s", version=""), Settings(page_size=2), bytes)
assert lists.page("tools", "2026-07-28", None) is not None
assert not {"hmac", "hashlib"} & set(sys.modules), "loaded too early"
assert lists.page("tools", "2026-07-28", "0" * 80) is None
assert "hmac" in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
