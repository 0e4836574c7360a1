"""The store of resumable streams: what it gives back is whole, or it says that it is not."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule
from sansmcp_core import LocalProtocolError
from sansmcp_core.http import EventStore, MemoryEventStore

JUNK = ["", ".", "a", "a.", ".1", "a.0", "a.-1", "a.01", "a.2", "a.x", "b.1", "a.\u0661", "a. 1"]


def fill(store: EventStore, stream: str, *data: bytes) -> list[str]:
    return [store.append(stream, piece) for piece in data]


def data_after(store: EventStore, event_id: str) -> list[bytes] | None:
    kept = store.after(event_id)
    return None if kept is None else [data for _, data in kept]


def test_what_comes_after_an_event_is_what_its_stream_got_in_order() -> None:
    store = MemoryEventStore()
    one, _, two, _ = (
        store.append(stream, data)
        for stream, data in [("a", b"1"), ("b", b"x"), ("a", b"2"), ("b", b"y")]
    )
    three = store.append("a", b"3")
    assert store.after(one) == [(two, b"2"), (three, b"3")]
    assert store.after(two) == [(three, b"3")]
    assert store.after(three) == []


def test_an_event_id_leads_to_its_stream_and_fits_a_header() -> None:
    store = MemoryEventStore()
    for stream in ("a", "a.b", "a.1", "~!-_=/+"):
        event_id = store.append(stream, b"")
        assert store.stream_of(event_id) == stream
        assert all("!" <= character <= "~" for character in event_id)


@pytest.mark.parametrize("stream", ["", "a b", "a\n", "a\r", "\0", "\u00e9", "a\x7f"])
def test_a_stream_id_that_fits_no_header_is_the_callers_fault(stream: str) -> None:
    store = MemoryEventStore()
    with pytest.raises(LocalProtocolError, match="visible ASCII"):
        store.append(stream, b"")
    assert store.after(stream + ".1") is None


@pytest.mark.parametrize("junk", JUNK, ids=repr)
def test_an_unknown_id_leads_nowhere(junk: str) -> None:
    store = MemoryEventStore()
    assert store.stream_of(junk) is None
    assert store.after(junk) is None
    store.append("a", b"1")
    if junk != "a.1":
        assert store.stream_of(junk) is None
        assert store.after(junk) is None


@given(st.text())
def test_whatever_a_client_sends_as_an_id_raises_nothing(junk: str) -> None:
    store = MemoryEventStore()
    store.append("a", b"1")
    assert store.stream_of(junk) in (None, "a")
    assert store.after(junk) in (None, [])
    assert store.stream_of("a." + junk) in (None, "a")
    assert store.after("a." + junk) in (None, [])
    assert store.stream_of("a." + "9" * 5000) is None


def test_a_gap_is_told_and_never_skipped() -> None:
    store = MemoryEventStore(max_events_per_stream=2)
    ids = fill(store, "a", b"1", b"2", b"3", b"4")
    assert store.after(ids[0]) is None
    # The event itself is gone, but all that came after it is there.
    assert data_after(store, ids[1]) == [b"3", b"4"]
    assert data_after(store, ids[2]) == [b"4"]
    assert store.stream_of(ids[0]) == "a"


def test_the_bytes_of_a_stream_are_bounded() -> None:
    store = MemoryEventStore(max_bytes_per_stream=10)
    ids = fill(store, "a", b"1234", b"5678", b"90", b"x")
    assert data_after(store, ids[0]) == [b"5678", b"90", b"x"]
    big = store.append("a", b"y" * 11)
    assert [store.after(id) for id in ids] == [None] * 4
    assert store.after(big) == []


def test_the_streams_are_bounded_and_the_one_with_the_longest_silence_goes() -> None:
    store = MemoryEventStore(max_streams=2)
    (a,), (b,) = fill(store, "a", b"1"), fill(store, "b", b"1")
    fill(store, "a", b"2")
    (c,) = fill(store, "c", b"1")
    assert store.stream_of(b) is None
    assert store.after(b) is None
    assert data_after(store, a) == [b"2"]
    assert store.after(c) == []


def test_the_bytes_of_all_streams_are_bounded() -> None:
    store = MemoryEventStore(max_bytes=10)
    (a,), (b,) = fill(store, "a", b"12345"), fill(store, "b", b"12345")
    fill(store, "b", b"6")
    assert store.after(a) is None
    assert data_after(store, b) == [b"6"]
    # One stream alone is bounded by its own limit only.
    ids = fill(store, "b", b"7" * 100)
    assert data_after(store, b) == [b"6", b"7" * 100]
    fill(store, "c", b"1")
    assert store.after(ids[0]) is None


def test_a_stream_that_is_forgotten_and_comes_again_has_no_id_twice() -> None:
    store = MemoryEventStore()
    old = fill(store, "a", b"1", b"2")
    store.forget("a")
    store.forget("never")
    assert [store.after(id) for id in old] == [None, None]
    new = fill(store, "a", b"3", b"4")
    assert not set(old) & set(new)
    assert [store.after(id) for id in old] == [None, None]
    assert data_after(store, new[0]) == [b"4"]


@pytest.mark.parametrize(
    "bound", ["max_events_per_stream", "max_bytes_per_stream", "max_streams", "max_bytes"]
)
def test_a_bound_below_one_is_refused(bound: str) -> None:
    with pytest.raises(ValueError, match=f"{bound} must be 1 or more, got 0"):
        MemoryEventStore(**{bound: 0})


class Replays(RuleBasedStateMachine):
    """Whatever happens, a replay is the whole rest of a stream, or None."""

    ids: Bundle[tuple[str, int]] = Bundle("ids")

    def __init__(self) -> None:
        super().__init__()
        self.bounds: dict[str, Any] = {
            "max_events_per_stream": 4,
            "max_bytes_per_stream": 12,
            "max_streams": 3,
            "max_bytes": 24,
        }
        self.store = MemoryEventStore(**self.bounds)
        self.log: dict[str, list[tuple[str, bytes]]] = {}
        self.seen: set[str] = set()

    @rule(target=ids, stream=st.sampled_from("abcd"), data=st.binary(max_size=14))
    def append(self, stream: str, data: bytes) -> tuple[str, int]:
        event_id = self.store.append(stream, data)
        assert event_id not in self.seen
        self.seen.add(event_id)
        log = self.log.setdefault(stream, [])
        log.append((event_id, data))
        return stream, len(log)

    @rule(event=ids)
    def replay(self, event: tuple[str, int]) -> None:
        stream, position = event
        log = self.log[stream]
        kept = self.store.after(log[position - 1][0])
        assert kept is None or kept == log[position:]
        if kept:
            assert self.store.stream_of(log[position - 1][0]) == stream

    @rule(event=consumes(ids))
    def forget(self, event: tuple[str, int]) -> None:
        stream, position = event
        self.store.forget(stream)
        assert self.store.after(self.log[stream][position - 1][0]) is None

    @invariant()
    def bounded(self) -> None:
        streams = self.store._streams
        sizes = [sum(len(data) for _, data in s.events) for s in streams.values()]
        assert [s.size for s in streams.values()] == sizes
        assert self.store._size == sum(sizes)
        assert len(streams) <= 3
        assert all(size <= 12 for size in sizes)
        assert all(len(s.events) <= 4 for s in streams.values())
        assert sum(sizes) <= 24 or len(streams) == 1


TestReplays = Replays.TestCase
