"""What is read all the time is read from the cache; what was written is read at once here, and soon elsewhere."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import msgspec
import pytest

from fullhouse.accounts import actions as accounts
from fullhouse.accounts.model import ChangeOrganization
from fullhouse.events import actions, keys, policy, public_reads, store, venue_actions
from fullhouse.events.jobs import move_due_events
from fullhouse.events.model import ChangeEvent, Event, EventSummary, NewEvent, NewVenue
from fullhouse.events.policy import Move
from fullhouse.events.public_model import EventNotFound, PublicEvent
from fullhouse.events.public_reads import Filters
from fullhouse.kit import cache as cache_module
from fullhouse.kit import warm
from fullhouse.kit.db import WORKER, Database
from fullhouse.kit.files import Disk
from fullhouse.kit.ids import new_id
from fullhouse.kit.replica import Reads
from fullhouse.kit.services import Services, open_services
from fullhouse.kit.text import folded
from fullhouse.kit.warm import client as redis_client
from tests.accounts.helpers import data
from tests.events.helpers import DAY, HALL, HOUR, make_picture
from tests.fixtures import PUBLIC_URL, SECRET_KEY, Client, Tenant
from tests.kit.helpers import until
from tests.services import servers
from tests.services.servers import Server

pytestmark = pytest.mark.req("FEED-4", "CACHE-1")
Clock = Callable[[timedelta], Any]
MINUTE = timedelta(minutes=1)


class Process:
    """One of several API processes of one house, and how often it has asked the database."""

    def __init__(self, services: Services, tenant: Tenant) -> None:
        self.services, self.tenant = services, tenant
        self.city = f"Stad {tenant.id.hex[-10:]}"
        self.asked = 0
        database = services.database
        for name in ("nobody", "tenant"):
            setattr(database, name, self._counting(getattr(database, name)))

    def _counting(self, begin: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **more: Any) -> Any:
            self.asked += 1
            return begin(*args, **more)

        return counted

    # --- reading

    async def show(self, event: Event) -> PublicEvent | None:
        try:
            return (await public_reads.public_show(self.services, event.id)).show
        except EventNotFound:
            return None

    async def titles(self, **asked: Any) -> list[str]:
        filters = Filters(**dict.fromkeys(Filters._fields) | {"city": folded(self.city)} | asked)
        return [show.title for show in (await public_reads.feed(self.services, filters, "latest", None, 50)).data]

    async def suggested(self) -> bool:
        """Whether the test's own city is."""
        found = (await public_reads.city_index(self.services)).suggest(self.city, 1)
        return bool(found and found[0].city == self.city)

    async def upcoming(self, venue_id: UUID | None = None) -> list[str]:
        return [event.name for event in await public_reads.upcoming(self.services, self.tenant.id, venue_id)]

    async def summary(self, event: Event) -> EventSummary:
        return await public_reads.summary(self.services, self.tenant.id, event.id)

    # --- writing

    async def venue(self, **more: Any) -> UUID:
        who = self.tenant.principal("owner")
        async with self.services.database.tenant(self.tenant.id, who.actor) as tx:
            wish = NewVenue(**HALL | {"city": self.city} | more)
            return (await venue_actions.create_venue(tx, who, wish)).id

    async def make(self, *moves: Move, **more: Any) -> Event:
        who = self.tenant.principal("owner")
        venue_id = more.pop("venue_id", None) or await self.venue()
        async with self.services.database.tenant(self.tenant.id, who.actor) as tx:
            start = await tx.now() + 30 * DAY
            usual: dict[str, Any] = {"name": "The Tempest", "start_at": start, "end_at": start + 4 * HOUR}
            usual |= {"description": "A storm.", "category": "theatre", "cover_image_ids": [await make_picture(tx)]}
            event = await actions.create_event(tx, who, NewEvent(venue_id=venue_id, **usual | more))
        for move in moves:
            event = await self.move(event, move)
        return event

    async def move(self, event: Event, move: Move, **more: Any) -> Event:
        async with self.services.database.tenant(self.tenant.id) as tx:
            return await actions.move_event(tx, event.id, move, **more)

    async def change(self, event: Event, **wish: Any) -> Event:
        who = self.tenant.principal("owner")
        async with self.services.database.tenant(self.tenant.id, who.actor) as tx:
            return await actions.change_event(tx, who, event.id, ChangeEvent(**wish), None)

    async def suspend(self, status: str) -> None:
        async with self.services.database.tenant(self.tenant.id) as tx:
            await accounts.change_organization_status(tx, status, "a reason")


@pytest.fixture
async def here(services: Services, tenant: Tenant) -> Process:
    return Process(services, tenant)


@pytest.fixture
async def redis(server_home: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Server]:
    """One's own: pages and cities have names that all houses on one Redis would share. It may be slow."""
    monkeypatch.setattr(warm, "TIMEOUT_S", 5.0)
    server = await servers.redis(server_home)
    yield server
    server.stop()


@pytest.fixture
async def start(server_url: str, tenant: Tenant, tmp_path: Path) -> AsyncIterator[Any]:
    """Another process on the same database."""
    async with AsyncExitStack() as stack:

        async def start(redis_url: str | None = None) -> Process:
            opened = await stack.enter_async_context(
                open_services(
                    url=server_url,
                    read_url=None,
                    redis_url=redis_url,
                    secret_key=SECRET_KEY,
                    files=Disk(tmp_path / "images"),
                    public_url=PUBLIC_URL,
                    pool_size=4,
                )
            )
            return Process(opened, tenant)

        yield start


@pytest.fixture
def ticks(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """The time by which cached values grow old."""
    ticks = SimpleNamespace(now=1000.0)
    monkeypatch.setattr(cache_module, "time", SimpleNamespace(monotonic=lambda: ticks.now))
    return ticks


READS: dict[str, Callable[[Process, Event], Awaitable[Any]]] = {
    "show": lambda process, event: process.show(event),
    "page": lambda process, _event: process.titles(),
    "cities": lambda process, _event: process.suggested(),
    "upcoming": lambda process, _event: process.upcoming(),
    "upcoming at a venue": lambda process, event: process.upcoming(event.venue_id),
    "summary": lambda process, event: process.summary(event),
}


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
    "show": (300, keys.SHOW_S),
    "page": (15, keys.PAGE_S),
    "cities": (3600, keys.CITIES_S),
    "upcoming": (60, keys.SUMMARY_HOT_S),
    "upcoming at a venue": (60, keys.SUMMARY_HOT_S),
    "summary": (60, keys.SUMMARY_HOT_S),
}


async def news_from(here: Process, there: Process) -> None:
    """What one process has told is known in the other."""
    heard = asyncio.Event()
    leave = there.services.bus.subscribe("settled", lambda _topic, _none: heard.set())
    async with here.services.database.nobody() as tx:
        tx.tell("settled", None)
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


async def test_in_redis_too(start: Any, redis: Server) -> None:
    process = await start(redis.url)
    event = await process.make(Move.PUBLISH)
    for read in READS.values():
        await read(process, event)
    names = {
        keys.show(event.id): 300,
        keys.CITIES: 3600,
        keys.summary(process.tenant.id, event.id): 900,
        keys.upcoming(process.tenant.id, None): 900,
        keys.upcoming(process.tenant.id, event.venue_id): 900,
    }
    async with redis_client(redis.url) as looking:
        for name, ttl_s in names.items():
            assert ttl_s * 1000 - 60_000 < await looking.pttl(f"fullhouse:{name}") <= ttl_s * 1000, name
        [page] = [name async for name in looking.scan_iter("fullhouse:public:feed:*")]
        assert 0 < await looking.pttl(page) <= 15_000


async def test_made_up_ids_push_no_show_out(start: Any, redis: Server) -> None:
    process = await start(redis.url)
    event = await process.make(Move.PUBLISH)
    await process.show(event)
    process.services.cache._size = 5
    for _ in range(20):
        with pytest.raises(EventNotFound):
            await public_reads.public_show(process.services, new_id())
    before = process.asked
    assert await process.show(event)
    assert process.asked == before
    async with redis_client(redis.url) as looking:
        names = [name async for name in looking.scan_iter("fullhouse:public:event:*")]
    assert names == [f"fullhouse:{keys.show(event.id)}".encode()]


async def test_a_show_is_encoded_once_while_nothing_changes(here: Process) -> None:
    event = await here.make(Move.PUBLISH)
    first = await public_reads.public_show(here.services, event.id)
    assert await public_reads.public_show(here.services, event.id) is first
    assert msgspec.json.decode(first.answer.body, type=dict[str, PublicEvent]) == {"data": first.show}
    await here.change(event, name="King Lear")
    assert b"King Lear" in (await public_reads.public_show(here.services, event.id)).answer.body


async def test_what_is_kept_ready_is_bounded(here: Process, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(public_reads, "READY_MAX", 2)
    monkeypatch.setattr(public_reads, "_ready", {})
    for n in range(4):
        await here.show(await here.make(Move.PUBLISH, name=f"Night {n}"))
    assert len(public_reads._ready) == 2


# --- after a write


async def _end_by_the_clock(process: Process, _event: Event, server_url: str, clock: Clock) -> None:
    await clock(30 * DAY + HOUR)
    finder = await Database.open(server_url, WORKER, size=1)
    try:
        await move_due_events(finder, process.services.database)
    finally:
        await finder.close()


async def _postponed(process: Process) -> Event:
    return await process.make(Move.PUBLISH, Move.POSTPONE)


async def _published(process: Process) -> Event:
    return await process.make(Move.PUBLISH)


async def _drafted(process: Process) -> Event:
    return await process.make()


Change = tuple[Callable[[Process], Awaitable[Event]], Callable[[Process, Event], Awaitable[Any]]]
CHANGES: dict[str, Change] = {
    "publish": (_drafted, lambda p, e: p.move(e, Move.PUBLISH)),
    "patch": (_published, lambda p, e: p.change(e, name="King Lear")),
    "cancel": (_published, lambda p, e: p.move(e, Move.CANCEL)),
    "unpublish": (_published, lambda p, e: p.move(e, Move.UNPUBLISH)),
    "start": (_published, lambda p, e: p.move(e, Move.START)),
    "postpone": (_published, lambda p, e: p.move(e, Move.POSTPONE)),
    "reschedule": (_postponed, lambda p, e: p.move(e, Move.RESCHEDULE, new_date=e.start_at + DAY)),
    "postponed and published": (
        _postponed,
        lambda p, e: _then(p.move(e, Move.RESCHEDULE, new_date=e.start_at + DAY), p.move(e, Move.PUBLISH)),
    ),
}


async def _then(*steps: Awaitable[Any]) -> None:
    for step in steps:
        await step


async def _all(process: Process, event: Event) -> list[Any]:
    return [await read(process, event) for read in READS.values()]


async def _truth(process: Process, event: Event) -> list[Any]:
    """The same with nothing remembered."""
    process.services.bus.deliver([("resync", None)])
    return await _all(process, event)


@pytest.mark.parametrize("change", CHANGES)
async def test_the_next_read_in_this_process_shows_the_change(here: Process, change: str) -> None:
    prepare, do = CHANGES[change]
    event = await prepare(here)
    before = await _all(here, event)
    await do(here, event)
    after = await _all(here, event)
    assert after != before
    assert after == await _truth(here, event)


async def test_what_the_clock_does_is_a_change_too(here: Process, server_url: str, clock: Clock) -> None:
    event = await here.make(Move.PUBLISH)
    assert (await here.show(event)).phase == "published"  # type: ignore[union-attr]
    await _end_by_the_clock(here, event, server_url, clock)
    assert (await here.show(event)).phase == "live"  # type: ignore[union-attr]
    assert [s.status for s in await public_reads.upcoming(here.services, here.tenant.id, None)] == ["live"]


@pytest.mark.parametrize("redis_too", [False, True])
async def test_another_process_soon_shows_the_change(start: Any, redis: Server, redis_too: bool) -> None:
    url = redis.url if redis_too else None
    here, there = await start(url), await start(url)
    event = await here.make(Move.PUBLISH)
    for process in (here, there):
        await _all(process, event)
    await here.change(event, name="King Lear")

    async def shown() -> bool:
        show, summary = await there.show(event), await there.summary(event)
        lists = [await there.titles(), await there.upcoming(), await there.upcoming(event.venue_id)]
        return show.title == summary.name == "King Lear" and lists == [["King Lear"]] * 3

    await until(shown)
    await here.move(event, Move.CANCEL)

    async def gone() -> bool:
        lists = [await there.titles(), await there.upcoming(), await there.upcoming(event.venue_id)]
        return await there.show(event) is None and lists == [[]] * 3 and not await there.suggested()

    await until(gone)
    assert await _all(there, event) == await _all(here, event)


async def test_a_change_that_is_rolled_back_is_none(here: Process) -> None:
    event = await here.make(Move.PUBLISH)
    before = await _all(here, event)
    asked = here.asked
    with pytest.raises(ZeroDivisionError):
        async with here.services.database.tenant(here.tenant.id) as tx:
            await actions.move_event(tx, event.id, Move.CANCEL)
            raise ZeroDivisionError
    assert await _all(here, event) == before
    assert here.asked == asked + 1


async def test_a_city_comes_and_goes_with_its_only_show(here: Process) -> None:
    assert not await here.suggested()
    first = await here.make(Move.PUBLISH)
    assert await here.suggested()
    second = await here.make(Move.PUBLISH, name="Another")
    await here.move(first, Move.CANCEL)
    assert await here.suggested()
    elsewhere = await here.venue(city=f"Dorp {new_id().hex[-10:]}", name="Barn")
    await here.change(second, venue_id=elsewhere, reason="storm")
    assert not await here.suggested()


async def test_a_show_that_moves_leaves_its_old_venues_list(here: Process) -> None:
    event = await here.make(Move.PUBLISH)
    other = await here.venue(name="Barn")
    assert [await here.upcoming(event.venue_id), await here.upcoming(other)] == [["The Tempest"], []]
    await here.change(event, venue_id=other, reason="storm")
    assert [await here.upcoming(event.venue_id), await here.upcoming(other)] == [[], ["The Tempest"]]


async def test_a_deleted_venue_has_no_shows(here: Process) -> None:
    event = await here.make(Move.PUBLISH)
    assert await here.upcoming(event.venue_id) == ["The Tempest"]
    assert (await here.summary(event)).venue_id == event.venue_id
    async with here.services.database.tenant(here.tenant.id) as tx:
        assert event.venue_id
        await venue_actions.delete_venue(tx, event.venue_id, None)
    assert await here.upcoming(event.venue_id) == []
    assert (await here.summary(event)).venue_id is None


async def test_a_house_that_is_renamed_is_shown_by_its_new_name(here: Process) -> None:
    event = await here.make(Move.PUBLISH)
    assert (await here.show(event)).organization_name == "Test House"  # type: ignore[union-attr]
    async with here.services.database.tenant(here.tenant.id) as tx:
        await accounts.change_organization(tx, ChangeOrganization(name="New House"))
    assert (await here.show(event)).organization_name == "New House"  # type: ignore[union-attr]


@pytest.mark.req("TEN-2")
async def test_a_suspended_houses_shows_vanish_and_come_back(here: Process, start: Any) -> None:
    there = await start()
    seen, unseen = await here.make(Move.PUBLISH), await here.make(Move.PUBLISH, name="Unseen")
    for process in (here, there):
        assert await process.show(seen)
        assert await process.titles() == ["The Tempest", "Unseen"]
        assert await process.suggested()
    await here.suspend("suspended")
    for process in (here, there):
        await until(lambda p=process: _is(p.titles(), []))  # type: ignore[misc]
        assert [await process.show(seen), await process.show(unseen), await process.suggested()] == [None, None, False]
    await here.suspend("active")
    for process in (here, there):
        await until(lambda p=process: _is(p.titles(), ["The Tempest", "Unseen"]))  # type: ignore[misc]
        assert await process.suggested()
        assert await process.show(seen)
        assert await process.show(unseen)  # its absence must not be remembered either


async def _is(getting: Awaitable[Any], expected: Any) -> bool:
    return bool(await getting == expected)


# --- as it lies in Redis


@pytest.mark.req("CACHE-1")
async def test_others_read_the_summary_and_the_lists_in_redis(start: Any, redis: Server) -> None:
    process = await start(redis.url)
    event = await process.make(Move.PUBLISH)
    other = await process.make(Move.PUBLISH, name="Later", start_at=event.start_at + DAY, end_at=event.end_at + DAY)
    await process.change(event, replaced_by_event_id=other.id)
    event = await process.move(event, Move.POSTPONE, new_date=event.start_at + HOUR)
    await _all(process, event)
    prefix = f"fullhouse:org:{process.tenant.id}:events"
    summary, whole, at_venue = f"{prefix}:summary:{event.id}", f"{prefix}:list", f"{prefix}:list:venue:{event.venue_id}"
    async with redis_client(redis.url) as looking:
        raw: dict[Any, Any] = await looking.hgetall(summary)
        kept = {key.decode(): value.decode() for key, value in raw.items()}
        assert kept == {
            "id": str(event.id),
            "name": "The Tempest",
            "slug": "the-tempest",
            "status": "postponed",
            "start_at": _said(event.start_at),
            "end_at": _said(event.end_at),
            "sale_start_at": _said(event.sale_start_at),
            "sale_end_at": _said(event.sale_end_at),
            "rescheduled_at": _said(event.rescheduled_at),
            "venue_id": str(event.venue_id),
            "timezone": "Europe/Brussels",
            "capacity": "0",
            "replaced_by_event_id": str(other.id),
            "org_id": str(process.tenant.id),
        }
        items = [msgspec.json.decode(item) for item in await looking.lrange(whole, 0, -1)]
        assert [item["id"] for item in items] == [str(event.id), str(other.id)]
        assert items[0].items() >= {"status": "postponed", "name": "The Tempest"}.items()
        assert all(b"\n" not in item and b": " not in item for item in await looking.lrange(whole, 0, -1))
        assert [msgspec.json.decode(i)["id"] for i in await looking.lrange(at_venue, 0, -1)] == [str(event.id)]
        await process.change(event, name="King Lear")
        await until(lambda: _is(looking.exists(summary, whole, at_venue), 0))
        await _all(process, event)
        assert await looking.hget(summary, "name") == b"King Lear"
        assert [msgspec.json.decode(i)["name"] for i in await looking.lrange(whole, 0, -1)] == ["King Lear", "Later"]
        assert await looking.type(at_venue) == b"list"


def _said(at: datetime | None) -> str:
    assert at
    return str(msgspec.to_builtins(at))


LIES: dict[str, Callable[[Any, str], Awaitable[Any]]] = {
    "a text": lambda redis, name: redis.set(name, b"\xff\xfe no"),
    "an empty map": lambda redis, name: redis.set(name, b"\x80"),
    "a deep one": lambda redis, name: redis.set(name, b"\x81\xa1x" + b"\x91" * 100_000),
    "a hash": lambda redis, name: redis.hset(name, mapping={"id": "none", "name": b"\xff", b"\xff": "x"}),
    "a hash with half of it": lambda redis, name: redis.hset(name, mapping={"id": str(UUID(int=1)), "name": "Lie"}),
    "a list": lambda redis, name: redis.rpush(name, b"{", b'{"id": 1}', b"\xff"),
    "a deep list": lambda redis, name: redis.rpush(name, b'{"x":' + b"[" * 100_000),
    "a set": lambda redis, name: redis.sadd(name, "x"),
}


@pytest.mark.parametrize("lie", LIES)
async def test_whatever_lies_in_redis_no_read_fails(start: Any, redis: Server, lie: str) -> None:
    writer = await start(redis.url)
    event = await writer.make(Move.PUBLISH)
    truth = await _all(writer, event)
    async with redis_client(redis.url) as looking:
        names = [name async for name in looking.scan_iter("fullhouse:*")]
        assert len(names) >= 7
        for name in names:
            await looking.delete(name)
            await LIES[lie](looking, name)
            await looking.pexpire(name, 60_000)
        reader = await start(redis.url)
        assert await _all(reader, event) == truth
        assert not reader.services.cache._warm._breaker.tripped, "a lie is no reason to think that Redis is away"
        assert await looking.type(f"fullhouse:{keys.summary(writer.tenant.id, event.id)}") == b"hash"
        assert await looking.type(f"fullhouse:{keys.upcoming(writer.tenant.id, None)}") == b"list"


async def test_what_somebody_keeps_for_ever_is_not_believed(start: Any, redis: Server) -> None:
    writer = await start(redis.url)
    event = await writer.make(Move.PUBLISH)
    await _all(writer, event)
    async with redis_client(redis.url) as looking:
        name = f"fullhouse:{keys.summary(writer.tenant.id, event.id)}"
        await looking.hset(name, "name", "Lie")
        await looking.persist(name)
    reader = await start(redis.url)
    assert (await reader.summary(event)).name == "The Tempest"


# --- the hour


@pytest.mark.req("EV-5")
async def test_a_kept_show_is_on_sale_from_the_minute_on(here: Process, clock: Clock) -> None:
    async with here.services.database.nobody() as tx:
        now = await tx.now()
    event = await here.make(Move.PUBLISH, sale_start_at=now + HOUR, sale_end_at=now + 2 * HOUR)
    asked = None
    for shift, word in ((0 * MINUTE, "upcoming"), (61 * MINUTE, "on_sale"), (121 * MINUTE, "closed")):
        await clock(shift)
        await here.services.clock.measure()
        assert (await here.show(event)).sale_status == word  # type: ignore[union-attr]
        page = await public_reads.feed(
            here.services, Filters(folded(here.city), None, None, None, None, None), "latest", None, 50
        )
        assert [show.sale_status for show in page.data] == [word]
        assert here.asked == asked or asked is None  # nobody wrote, and nobody was asked
        asked = here.asked


@pytest.fixture
async def own_time(owner: Any) -> AsyncIterator[Any]:
    """A connection that sets its clock itself, and of which nothing is left."""
    transaction = owner.transaction()
    await transaction.start()
    await owner.execute(
        "CREATE OR REPLACE FUNCTION app.clock() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE"
        " RETURN current_setting('test.clock')::timestamptz"
    )
    yield owner
    await transaction.rollback()


@pytest.mark.req("EV-5")
async def test_both_who_work_out_the_sale_status_say_the_same(here: Process, own_time: Any) -> None:
    """The policy for what is cached, and the view for what is filtered: cell by cell, and at the very edges."""
    event = await here.make(Move.PUBLISH)
    step = timedelta(microseconds=1)
    moments = [
        edge + away
        for edge in (event.sale_start_at, event.sale_end_at)
        for away in (-DAY, -step, timedelta(), step, DAY)
    ]
    dates, words = (None, event.start_at + DAY), set()
    for phase, date, sold_out in itertools.product(("published", "live", "postponed"), dates, (False, True)):
        await own_time.execute(
            "UPDATE public_events SET status = $2, rescheduled_at = $3, sold_out = $4 WHERE event_id = $1",
            event.id, phase, date, sold_out,
        )  # fmt: skip
        for now in moments:
            await own_time.execute("SELECT set_config('test.clock', $1, true)", now.isoformat())
            show = await store.public_event(own_time, event.id)
            assert show
            unsaid = msgspec.structs.replace(show, sale_status="?")
            assert policy.shown_at(unsaid, now).sale_status == show.sale_status, (phase, date, sold_out, now)
            words.add(show.sale_status)
    assert words == {"upcoming", "on_sale", "sold_out", "suspended", "closed"}


# --- a replica


@pytest.mark.req("FEED-6")
async def test_who_wrote_reads_it_however_far_the_replica_is_behind(
    here: Process, server_url: str, tenant: Tenant
) -> None:
    event = await here.make(Move.PUBLISH)
    behind = await Database.open(server_url, size=1)
    asked: list[str] = []

    class Behind:
        def nobody(self) -> Any:
            asked.append("replica")
            return behind.nobody()

    reads = Reads(here.services.database, Behind(), here.services.bus)  # type: ignore[arg-type]
    services = msgspec.structs.replace(here.services, reads=reads)
    try:
        assert await public_reads.public_show(services, event.id)
        assert asked
        before = len(asked)
        await here.change(event, name="King Lear")
        shown = (await public_reads.public_show(services, event.id)).show
        assert (shown.title, len(asked)) == ("King Lear", before)
    finally:
        await behind.close()
