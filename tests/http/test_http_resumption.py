"""Streams of legacy sessions that broke, or were closed, and are taken up again."""

from typing import Any

import pytest
from asking import ACCEPTED
from core_peer import LEGACY, legacy, notification
from http_peer import HttpPeer, LegacyClient, Trip, session_get
from http_server import call, make_server
from sansmcp_core import Server
from sansmcp_core.http import HttpSettings, MemoryEventStore
from sansmcp_schema.revisions import LEGACY_REVISIONS

ADA = ACCEPTED
BOB = {"action": "accept", "content": {"name": "Bob"}}


def make_peer(hold: bool = False, **http: Any) -> HttpPeer:
    return HttpPeer(make_server(), HttpSettings(**http), hold=hold)


def change(server: Server, name: str = "new") -> None:
    server.tool(lambda: "", name=name)


def last_id(trip: Trip) -> str:
    return trip.events[-1].id


# -- streams that can be taken up ---------------------------------------------------------------


def running(client: LegacyClient, id: Any = 1) -> Trip:
    """A call that has begun to stream."""
    trip = client.call(id, "work", {"progressToken": id})
    client.peer.context_of(trip).report_progress(1)
    client.peer.pump()
    assert trip.methods == ["progress"]
    return trip


def test_a_stream_begins_with_something_to_resume_after() -> None:
    peer = make_peer(True)
    client = LegacyClient(peer)
    trip = running(client)
    assert trip.events[0].data == ""
    ids = [event.id for event in trip.events]
    assert len(set(ids)) == 2
    assert all(id and all("!" <= character <= "~" for character in id) for id in ids)
    assert client.get().events[0].data == ""


@pytest.mark.parametrize("revision", [r for r in LEGACY_REVISIONS if r < "2025-11-25"])
def test_older_clients_get_no_event_without_data(revision: str) -> None:
    peer = make_peer(True)
    client = LegacyClient(peer, revision)
    assert [event.data for event in running(client).events if not event.data] == []
    assert client.get().events == []


@pytest.mark.parametrize("after", [0, 1, 2])
def test_a_call_whose_client_left_goes_on_and_can_be_taken_up(after: int) -> None:
    peer = make_peer(True)
    client = LegacyClient(peer)
    trip = running(client)
    context = peer.context
    context.report_progress(2)
    peer.pump()
    trip.disconnect()
    assert trip.cancelled == []
    context.report_progress(3)
    peer.pump()
    peer.finish(trip)
    taken = client.get(trip.events[after].id)
    heard = ["progress", "progress", "progress", "result"]
    assert taken.methods == heard[after:]
    assert taken.text == "done"
    assert taken.ended
    peer.assert_idle()


def test_a_stream_is_taken_up_while_its_call_still_runs() -> None:
    peer = make_peer(True)
    client = LegacyClient(peer)
    trip = running(client)
    context = peer.context
    trip.disconnect()
    context.report_progress(2)
    peer.pump()
    taken = client.get(last_id(trip))
    assert [message["params"]["progress"] for message in taken.messages] == [2]
    assert not taken.ended
    context.report_progress(3)
    peer.pump()
    assert len(taken.messages) == 2
    peer.finish(trip)
    assert taken.methods == ["progress", "progress", "result"]
    peer.assert_idle()


def test_a_stream_can_be_taken_up_again_and_again() -> None:
    peer = make_peer(True)
    client = LegacyClient(peer)
    trip = running(client)
    context, seen = peer.context, [last_id(trip)]
    current = trip
    for step in range(2, 6):
        current.disconnect()
        context.report_progress(step)
        peer.pump()
        current = client.get(seen[-1])
        assert [m["params"]["progress"] for m in current.messages] == [step]
        seen.append(last_id(current))
    assert len(set(seen)) == len(seen)
    peer.finish(trip)
    assert current.text == "done"
    peer.assert_idle()


def test_who_takes_a_stream_up_replaces_who_had_it() -> None:
    peer = make_peer(True)
    client = LegacyClient(peer)
    trip = running(client)
    taken = client.get(last_id(trip))
    assert trip.ended
    peer.finish(trip)
    assert trip.methods == ["progress"]
    assert taken.methods == ["result"]
    peer.assert_idle()


def test_a_question_that_was_missed_is_asked_again_where_the_stream_is_taken_up() -> None:
    peer = make_peer(True)
    client = LegacyClient(peer)
    trip = client.call(1, "twice", {"progressToken": 1})
    peer.context.report_progress(1)
    peer.pump()
    trip.disconnect()
    peer.run(trip)
    taken = client.get(trip.events[0].id)
    assert taken.methods == ["progress", "elicitation/create"]
    client.reply(taken.messages[-1], ADA)
    peer.run(trip)
    client.reply(taken.messages[-1], BOB)
    peer.run(trip)
    assert taken.text == "Ada and Bob"
    peer.assert_idle()


def test_two_calls_at_once_are_taken_up_apart() -> None:
    peer = make_peer(True)
    client = LegacyClient(peer)
    trips = [running(client, id) for id in (1, 2)]
    for trip in trips:
        trip.disconnect()
        peer.finish(trip, f"call {trip.messages[0]['params']['progressToken']}")
    taken = [client.get(last_id(trip)) for trip in trips]
    assert [trip.text for trip in taken] == ["call 1", "call 2"]
    assert [trip.answer["id"] for trip in taken] == [1, 2]
    ids = [event.id for trip in (*trips, *taken) for event in trip.events]
    assert len(set(ids)) == len(ids)
    peer.assert_idle()


def test_the_sessions_stream_can_be_taken_up_too() -> None:
    server = make_server()
    peer = HttpPeer(server)
    client = LegacyClient(peer)
    stream = client.get()
    change(server)
    peer.pump()
    stream.disconnect()
    change(server, "newer")
    peer.pump()
    taken = client.get(stream.events[0].id)
    peer.pump()
    # What the broken stream carried is replayed; what waited meanwhile follows.
    assert taken.methods in (["tools/list_changed"], ["tools/list_changed"] * 2)
    change(server, "newest")
    peer.pump()
    assert taken.methods[-1] == "tools/list_changed"
    assert not taken.ended


def test_a_stream_of_another_session_cannot_be_taken_up() -> None:
    peer = make_peer(True)
    client, thief = LegacyClient(peer), LegacyClient(peer)
    trip = running(client)
    trip.disconnect()
    peer.finish(trip, "secret")
    stolen = thief.get(trip.events[0].id)
    assert b"secret" not in stolen.body
    assert "result" not in stolen.methods
    assert client.get(trip.events[0].id).text == "secret"


@pytest.mark.parametrize("junk", ["junk", "", "a.1", "." * 5000, "\u00e9", "1", "\t"])
def test_an_unknown_event_id_raises_nothing_and_replays_nothing(junk: str) -> None:
    peer = make_peer(True)
    client = LegacyClient(peer)
    trip = running(client)
    trip.disconnect()
    peer.finish(trip)
    answered = client.get(junk)
    assert answered.status in (200, 400, 404)
    assert "result" not in answered.methods


def test_a_replay_with_a_gap_is_not_passed_off_as_whole() -> None:
    peer = make_peer(True, event_store=MemoryEventStore(max_events_per_stream=2))
    client = LegacyClient(peer)
    trip = running(client)
    context = peer.context
    trip.disconnect()
    for step in range(2, 9):
        context.report_progress(step)
        peer.pump()
    peer.finish(trip)
    taken = client.get(last_id(trip))
    assert taken.methods not in (["progress", "result"], ["result"])
    assert taken.ended or taken.messages == []


def test_closing_a_stream_lets_the_client_come_again_for_the_rest() -> None:
    peer = make_peer(True)
    client = LegacyClient(peer)
    trip = client.call(1, "work", {"progressToken": 1})
    context = peer.context
    context.report_progress(1)
    context.close_stream(250)
    context.report_progress(2)
    peer.pump()
    assert trip.ended
    assert trip.methods == ["progress"]
    assert trip.sse is not None
    assert trip.sse.retry_ms == 250
    assert trip.cancelled == []
    taken = client.get(last_id(trip))
    assert taken.methods == ["progress"]
    peer.finish(trip)
    assert taken.methods == ["progress", "result"]
    peer.assert_idle()


def test_a_stream_may_be_closed_before_anything_was_said() -> None:
    peer = make_peer(True)
    client = LegacyClient(peer)
    trip = client.call(1, "work")
    peer.context.close_stream(250)
    peer.pump()
    assert trip.ended
    assert trip.messages == []
    peer.finish(trip)
    assert client.get(last_id(trip)).text == "done"
    peer.assert_idle()


def test_a_stream_may_be_closed_again_and_by_a_call_that_ends() -> None:
    peer = make_peer(True)
    client = LegacyClient(peer)
    trip = client.call(1, "work")
    context = peer.context
    context.close_stream(250)
    peer.pump()
    context.close_stream(250)
    peer.pump()
    taken = client.get(last_id(trip))
    context.close_stream(500)
    peer.finish(trip)
    seen = [event for each in (trip, taken) for event in each.events]
    final = client.get(seen[-1].id) if "result" not in taken.methods else taken
    assert final.text == "done"
    peer.assert_idle()


@pytest.mark.parametrize(
    ("revision", "http"),
    [("2025-06-18", {}), ("2024-11-05", {}), (LEGACY, {"resumable": False})],
    ids=["not primed", "the oldest", "switched off"],
)
def test_a_stream_that_cannot_be_taken_up_is_not_closed(revision: str, http: Any) -> None:
    peer = make_peer(True, **http)
    client = LegacyClient(peer, revision)
    trip = client.call(1, "work", {"progressToken": 1})
    peer.context.close_stream(250)
    peer.context.report_progress(1)
    peer.pump()
    peer.finish()
    assert trip.methods == ["progress", "result"]
    peer.assert_idle()


def test_without_resumption_streams_have_no_ids() -> None:
    peer = make_peer(True, resumable=False)
    client = LegacyClient(peer)
    trip = running(client)
    peer.finish(trip)
    assert [event.id for event in trip.events] == ["", ""]
    assert client.get().events == []


def test_an_unknown_session_takes_nothing_up() -> None:
    peer = make_peer(True)
    client = LegacyClient(peer)
    trip = running(client)
    trip.disconnect()
    peer.finish(trip)
    assert peer.send(session_get("never", trip.events[0].id)).status == 404
    assert peer.send(session_get(None, trip.events[0].id)).status == 405
    client.delete()
    assert client.get(trip.events[0].id).status == 404


def test_a_store_of_ones_own_is_used() -> None:
    store = MemoryEventStore()
    peer = make_peer(True, event_store=store)
    client = LegacyClient(peer)
    trip = running(client)
    assert store.after(trip.events[0].id) is not None
    client.delete()
    assert store.after(trip.events[0].id) is None


def test_what_a_session_keeps_of_streams_that_have_ended_is_bounded() -> None:
    store = MemoryEventStore()
    peer = make_peer(True, event_store=store)
    client = LegacyClient(peer)
    trips = []
    for id in range(200):
        trips.append(running(client, id))
        peer.finish(trips[-1])
    assert len(store._streams) < 100
    assert store.after(trips[0].events[0].id) is None
    assert client.get(trips[-1].events[0].id).text == "done"


# -- calls whose client has left ----------------------------------------------------------------


@pytest.mark.parametrize("resumable", [True, False])
def test_a_plain_call_whose_client_left_goes_on(resumable: bool) -> None:
    peer = make_peer(True, resumable=resumable)
    client = LegacyClient(peer)
    trip = client.call(1, "work").disconnect()
    assert trip.cancelled == []
    assert peer.endpoint.calls_open == 1
    assert not trip.exchange.done
    peer.advance(100)
    peer.finish(trip)
    peer.assert_idle()
    assert client.post(legacy(2, "ping")).status == 200


def test_a_call_whose_client_left_can_be_cancelled() -> None:
    peer = make_peer(True)
    client = LegacyClient(peer)
    trip = client.call(1, "work").disconnect()
    client.post(notification("notifications/cancelled", requestId=1))
    assert len(trip.cancelled) == 1
    peer.assert_idle()


def test_a_call_whose_client_left_still_has_its_time_limit() -> None:
    peer = HttpPeer(make_server(time_limit_s=30.0), hold=True)
    client = LegacyClient(peer)
    trip = running(client)
    trip.disconnect()
    peer.advance(31)
    assert len(trip.cancelled) == 1
    assert client.get(last_id(trip)).result["isError"]
    peer.assert_idle()


def test_streams_take_no_requests_of_the_modern_era_along() -> None:
    peer = make_peer(True)
    client = LegacyClient(peer)
    trip = peer.modern(call("work", 1, {"progressToken": 1}))
    peer.context.report_progress(1)
    peer.pump()
    trip.disconnect()
    stream = client.get()
    assert stream.messages == []
    assert len(trip.cancelled) == 1
