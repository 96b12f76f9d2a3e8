"""What is read all the time is read from the cache, and lives there as long as the table says."""

import asyncio
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from fullhouse.events import cache_keys
from fullhouse.events.policy import Move
from fullhouse.events.public import reads
from fullhouse.events.public.model import PublicEvent
from fullhouse.kit.cache import cache as cache_module
from tests.accounts.helpers import data
from tests.events.kept_reads import READS, Process, here
from tests.fixtures import Client

__all__ = ["here"]  # fixtures

pytestmark = pytest.mark.req("FEED-4", "CACHE-1")


@pytest.fixture
def ticks(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """The time by which cached values grow old."""
    ticks = SimpleNamespace(now=1000.0)
    monkeypatch.setattr(cache_module, "time", SimpleNamespace(monotonic=lambda: ticks.now))
    return ticks


# --- once


@pytest.mark.parametrize("what", READS)
async def test_a_second_read_does_not_ask_the_database(here: Process, what: str) -> None:
    event = await here.make(Move.PUBLISH)
    first = await READS[what](here, event)
    assert first
    before = here.asked
    assert await READS[what](here, event) == first
    assert here.asked == before


async def test_what_is_not_there_is_remembered_too(here: Process) -> None:
    hidden = await here.make()
    assert [await here.show(hidden), await here.titles()] == [None, []]
    before = here.asked
    assert [await here.show(hidden), await here.titles()] == [None, []]
    assert here.asked == before
    await here.move(hidden, Move.PUBLISH)
    assert await here.show(hidden)
    assert await here.titles() == ["The Tempest"]


async def test_over_http_too(client: Client, lane: Any, here: Process) -> None:
    event = await here.make(Move.PUBLISH)
    there = Process(lane.wide.state.services, here.tenant)
    await news_from(here, there)
    signed_in = client.as_(here.tenant.tokens["scanner"])
    calls: list[tuple[Client, str, dict[str, Any]]] = [
        (client, f"/event/v1/events/{event.id}", {}),
        (client, "/event/v1/events", {"city": here.city}),
        (client, "/event/v1/events", {"city": here.city, "sort": "trending"}),
        (client, "/event/v1/meta/cities", {"q": here.city}),
        (signed_in, "/api/events/upcoming", {}),
        (signed_in, f"/api/events/{event.id}/summary", {}),
    ]
    for caller, path, params in calls:
        first = await caller.get(path, params=params)
        assert data(first)
        before = there.asked
        assert (await caller.get(path, params=params)).content == first.content
        assert there.asked == before, path


# --- until when


TTLS = {
    "show": (300, cache_keys.EVENT_S),
    "page": (15, cache_keys.PAGE_S),
    "cities": (3600, cache_keys.CITIES_S),
    "upcoming": (60, cache_keys.SUMMARY_MEMORY_S),
    "upcoming at a venue": (60, cache_keys.SUMMARY_MEMORY_S),
    "summary": (60, cache_keys.SUMMARY_MEMORY_S),
}


async def news_from(here: Process, there: Process) -> None:
    """What one process has told is known in the other."""
    heard = asyncio.Event()
    leave = there.services.bus.subscribe("settled", lambda _topic, _none: heard.set())
    async with here.services.database.without_tenant() as tx:
        tx.publish("settled", None)
    async with asyncio.timeout(10):
        await heard.wait()
    leave()


@pytest.mark.parametrize("what", READS)
async def test_each_lives_as_long_as_the_table_says(here: Process, ticks: SimpleNamespace, what: str) -> None:
    event = await here.make(Move.PUBLISH)
    ttl_s, told_s = TTLS[what]
    assert ttl_s == told_s
    await READS[what](here, event)
    for passed_s, asks in ((ttl_s - 1, False), (2, True), (ttl_s - 1, False)):
        ticks.now += passed_s
        before = here.asked
        await READS[what](here, event)
        assert (here.asked > before) is asks


async def test_a_show_is_encoded_once_while_nothing_changes(here: Process) -> None:
    event = await here.make(Move.PUBLISH)
    first = await reads.require_public_event(here.services, event.id)
    assert await reads.require_public_event(here.services, event.id) is first
    assert msgspec.json.decode(first.response.body, type=dict[str, PublicEvent]) == {"data": first.event}
    await here.change(event, name="King Lear")
    assert b"King Lear" in (await reads.require_public_event(here.services, event.id)).response.body


async def test_what_is_kept_ready_is_bounded(here: Process, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reads, "ENCODED_MAX", 2)
    monkeypatch.setattr(reads, "_encoded", {})
    for n in range(4):
        await here.show(await here.make(Move.PUBLISH, name=f"Night {n}"))
    assert len(reads._encoded) == 2
