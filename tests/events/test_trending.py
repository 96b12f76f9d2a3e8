"""`trending`: what people look at and buy, cooling by the day. The order stands still for whoever pages through it."""

import asyncio
import math
import random
from collections import Counter
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import asyncpg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fullhouse.events import actions, keys, policy, public_actions, public_reads, store, venue_actions, views
from fullhouse.events.jobs import FORGET_RANKS, rank_shows
from fullhouse.events.model import ChangeEvent, Event, NewEvent, NewVenue
from fullhouse.events.policy import Move
from fullhouse.events.public_model import PublicEvent
from fullhouse.events.public_reads import Filters
from fullhouse.events.views import Views
from fullhouse.kit.cursors import BadCursor, Page
from fullhouse.kit.db import WORKER, Database, sweep
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from fullhouse.kit.text import folded
from tests.accounts.helpers import data, refused
from tests.events.helpers import DAY, HALL, HOUR, make_picture, make_show
from tests.fixtures import Client, Tenant, soaking
from tests.kit.helpers import end_backends, until

pytestmark = pytest.mark.req("FEED-2")
MINUTE = timedelta(minutes=1)
ZERO = datetime(2025, 1, 1, tzinfo=UTC)
FOREVER = 2147483647


class House:
    """A city of the test's own, the shows in it, and a clock."""

    def __init__(self, services: Services, tenant: Tenant, finder: Database, owner: Any, move: Any) -> None:
        self.services, self.tenant, self.finder, self.owner, self._move = services, tenant, finder, owner, move
        self.city = f"Stad {new_id().hex[-10:]}"
        self.passed = timedelta()
        self._venue: UUID | None = None

    async def show(self, *, days: float = 30, moves: tuple[Move, ...] = (Move.PUBLISH,), **more: Any) -> Event:
        """Announced, in so many days."""
        who = self.tenant.principal("owner")
        async with self.services.database.tenant(self.tenant.id, who.actor) as tx:
            if self._venue is None:
                wish = NewVenue(**HALL | {"city": self.city})
                self._venue = (await venue_actions.create_venue(tx, who, wish)).id
            start = (await tx.now()).replace(minute=0, second=0, microsecond=0) + timedelta(days=days)
            usual: dict[str, Any] = {
                "name": f"Show {new_id().hex}",
                "venue_id": self._venue,
                "start_at": start,
                "end_at": start + HOUR,
            }
            usual |= {"description": "A play.", "category": "theatre", "cover_image_ids": [await make_picture(tx)]}
            event = await actions.create_event(tx, who, NewEvent(**usual | more))
            for move in moves:
                event = await actions.move_event(tx, event.id, move)
        return event

    async def act(self, event: Event, *, views: int = 0, sold: int = 0) -> None:
        async with self.services.database.tenant(self.tenant.id) as tx:
            await store.record_activity(tx, self.tenant.id, [event.id], [views], [sold])

    async def change(self, event: Event, **wish: Any) -> None:
        who = self.tenant.principal("owner")
        async with self.services.database.tenant(self.tenant.id, who.actor) as tx:
            await actions.change_event(tx, who, event.id, ChangeEvent(**wish), None)

    async def move(self, event: Event, move: Move) -> None:
        async with self.services.database.tenant(self.tenant.id) as tx:
            await actions.move_event(tx, event.id, move)

    async def rank(self) -> int:
        return await rank_shows(self.finder, self.services.database)

    async def wait(self, shift: timedelta) -> None:
        """Lets time pass, in the database and, as far as this process knows it, here."""
        self.passed += shift
        await self._move(self.passed)
        await self.services.clock.measure()

    async def settle(self) -> None:
        """What was done counts from now on, also for those who begin to read."""
        await self.rank()
        await self.wait(policy.EPOCHS_AHEAD * timedelta(seconds=policy.EPOCH_S))

    async def page(self, cursor: str | None = None, limit: int = 50, **asked: Any) -> Page[PublicEvent]:
        """Never one that was kept: these tests are about the order, not about its cache."""
        self.services.bus.deliver([("cache", [keys.FEED])])
        filters = Filters(**dict.fromkeys(Filters._fields) | {"city": folded(self.city)} | asked)
        return await public_reads.feed(self.services, filters, "trending", cursor, limit)

    async def order(self, **asked: Any) -> list[UUID]:
        return [show.id for show in (await self.page(**asked)).data]

    async def versions(self, event: Event) -> list[dict[str, Any]]:
        rows = await self.owner.fetch(
            "SELECT since_epoch, until_epoch, rank FROM public_ranks WHERE event_id = $1 ORDER BY since_epoch", event.id
        )
        return [dict(row) for row in rows]

    async def stats(self, event: Event) -> Any:
        return await self.owner.fetchrow("SELECT views, sold, heat FROM event_stats WHERE event_id = $1", event.id)


@pytest.fixture
async def finder(server_url: str, owner: Any) -> AsyncIterator[Database]:
    """A worker. What earlier tests left to be ranked is not this one's business."""
    await owner.execute("UPDATE event_stats SET unranked = false")
    opened = await Database.open(server_url, WORKER, size=2)
    yield opened
    await opened.close()


@pytest.fixture
async def house(services: Services, tenant: Tenant, finder: Database, owner: Any, clock: Any) -> House:
    return House(services, tenant, finder, owner, clock)


# --- what is hot


async def test_what_is_looked_at_and_sold_comes_first(house: House) -> None:
    quiet, seen, sold = [await house.show() for _ in range(3)]
    await house.act(seen, views=50)
    await house.act(sold, sold=3)  # as much as 60 views
    await house.settle()
    assert await house.order() == [sold.id, seen.id, quiet.id]
    await house.act(seen, views=11)
    await house.settle()
    assert await house.order() == [seen.id, sold.id, quiet.id]


async def test_of_two_alike_the_nearer_one_comes_first(house: House) -> None:
    far, near = await house.show(days=20), await house.show(days=10)
    assert await house.order() == [near.id, far.id]
    later, sooner = await house.show(days=40), await house.show(days=35)
    assert await house.order() == [near.id, far.id, sooner.id, later.id]


@pytest.mark.parametrize(("heat", "first"), [(1.01, "far"), (0.99, "near")])
async def test_a_month_nearer_is_worth_twice_the_heat(house: House, heat: float, first: str) -> None:
    far, near = await house.show(days=40), await house.show(days=10)
    for event, at in ((near, 700.0), (far, 700.0 + heat)):
        await house.owner.execute("UPDATE event_stats SET heat = $2, unranked = true WHERE event_id = $1", event.id, at)
    await house.settle()
    assert await house.order() == ([far.id, near.id] if first == "far" else [near.id, far.id])


@pytest.mark.parametrize(("views", "first"), [(33, "today"), (31, "yesterday")])
async def test_heat_halves_in_a_day(house: House, views: int, first: str) -> None:
    """To be announced was worth one view for each: 65 yesterday are 32.5 today, and 1 yesterday half a view."""
    yesterday, today = await house.show(), await house.show()
    await house.act(yesterday, views=64)
    await house.wait(DAY)
    await house.act(today, views=views)
    await house.settle()
    assert await house.order() == ([today.id, yesterday.id] if first == "today" else [yesterday.id, today.id])


async def test_the_order_changes_only_when_somebody_does_something(house: House) -> None:
    shows = [await house.show(days=10 + 3 * n) for n in range(4)]
    for event, seen in zip(shows, (0, 3, 90, 1), strict=True):
        await house.act(event, views=seen)
    await house.settle()
    order, versions = await house.order(), [await house.versions(event) for event in shows]
    for shift in (MINUTE, HOUR, 5 * DAY, 2 * DAY):
        await house.wait(shift)
        assert await house.rank() == 0
        assert await house.order() == order
    assert [await house.versions(event) for event in shows] == versions


# --- the arithmetic, against a model

_CLOCK_OF_THE_SESSION = """
CREATE OR REPLACE FUNCTION app.clock() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
RETURN current_setting('test.clock')::timestamptz
"""
acts = st.lists(
    st.tuples(
        st.floats(0.01, 1e6, allow_nan=False),
        st.integers(0, 4000 * 86400).map(lambda seconds: ZERO + timedelta(seconds=seconds)),
    ),
    min_size=1,
    max_size=8,
)
in_one_database = settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
async def own_time(owner: Any) -> AsyncIterator[Any]:
    """A connection whose clock it sets itself; nobody else ever sees that."""
    transaction = owner.transaction()
    await transaction.start()
    await owner.execute(_CLOCK_OF_THE_SESSION)
    yield owner
    await transaction.rollback()


async def heated(connection: Any, done: list[tuple[float, datetime]], heat: float | None = None) -> float | None:
    for weight, at in done:
        await connection.execute("SELECT set_config('test.clock', $1, true)", at.isoformat())
        heat = await connection.fetchval("SELECT app.heat($1, $2)", heat, weight)
    return heat


def model(done: list[tuple[float, datetime]]) -> float:
    """log2 of the plain sum, each act worth twice as much as the same one a day before."""
    days = [(at - ZERO).total_seconds() / 86400 for _, at in done]
    newest = max(days)
    return newest + math.log2(sum(w * 2.0 ** (day - newest) for (w, _), day in zip(done, days, strict=True)))


@in_one_database
@given(orders=acts.flatmap(lambda done: st.tuples(st.just(done), st.permutations(done))))
async def test_heat_is_the_logarithm_of_the_plain_sum_in_whatever_order(
    own_time: Any, orders: tuple[list[tuple[float, datetime]], ...]
) -> None:
    for order in orders:
        assert await heated(own_time, order) == pytest.approx(model(orders[0]), abs=1e-9)


async def test_what_weighs_nothing_warms_nothing(own_time: Any) -> None:
    warm = await heated(own_time, [(3.0, ZERO + DAY)])
    for weight in (0.0, -1.0):
        assert await heated(own_time, [(weight, ZERO + 9 * DAY)], warm) == warm
        assert await heated(own_time, [(weight, ZERO + 9 * DAY)]) is None


@in_one_database
@given(heat=st.floats(-1e4, 1e4), start=st.integers(0, 80 * 365 * 86400))
async def test_rank_is_months_to_the_start_less_the_heat(owner: Any, heat: float, start: int) -> None:
    start_at = ZERO + timedelta(seconds=start)
    months = (start_at - ZERO).total_seconds() / (30 * 86400)
    assert await owner.fetchval("SELECT app.rank($1, $2)", heat, start_at) == pytest.approx(months - heat, abs=1e-9)


async def test_the_database_and_the_house_count_the_same_epochs(own_time: Any) -> None:
    for at in (ZERO, ZERO + timedelta(seconds=29.9), ZERO + timedelta(seconds=30), datetime(2090, 6, 1, tzinfo=UTC)):
        await own_time.execute("SELECT set_config('test.clock', $1, true)", at.isoformat())
        assert await own_time.fetchval("SELECT app.epoch()") == policy.epoch(at)


# --- paging


async def walk(house: House, between: Callable[[], Any]) -> list[UUID]:
    """All pages, two at a time; `between` happens after each."""
    found: list[UUID] = []
    cursor = None
    while True:
        page = await house.page(cursor, limit=2)
        found += [show.id for show in page.data]
        cursor = page.next_cursor
        if cursor is None:
            return found
        await between()


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(40 if soaking() else 4))
async def test_pages_neither_skip_nor_repeat_while_the_order_moves(house: House, seed: int) -> None:
    dice = random.Random(seed)
    shows = [await house.show(days=dice.randint(5, 60)) for _ in range(9)]
    for event in shows:
        await house.act(event, views=dice.choice([0, 1, 5, 50]))
    await house.settle()
    alive, born = list(shows), list(shows)

    async def a_new_show() -> None:
        alive.append(await house.show(days=dice.randint(5, 60)))
        born.append(alive[-1])

    async def one_is_taken_back() -> None:
        event = alive.pop(dice.randrange(len(alive)))
        await house.move(event, dice.choice([Move.UNPUBLISH, Move.CANCEL]))

    async def looks() -> None:
        for event in dice.sample(alive, 3):
            await house.act(event, views=dice.choice([1, 20, 400]), sold=dice.choice([0, 2]))

    async def another_date() -> None:
        event = dice.choice(alive)
        start = event.start_at + dice.randint(-4, 200) * DAY
        await house.change(event, start_at=start, end_at=start + HOUR, doors_at=start)

    async def time_passes() -> None:
        await house.wait(timedelta(seconds=dice.choice([1, 31, 65, 300])))

    happenings = [a_new_show, one_is_taken_back, looks, looks, looks, another_date, house.rank, house.rank, time_passes]

    async def something() -> None:
        for happens in dice.choices(happenings, k=4):
            await happens()

    found = Counter(await walk(house, something))
    throughout = {event.id for event in shows} & {event.id for event in alive}
    assert max(found.values()) == 1
    assert throughout <= set(found)
    assert set(found) <= {event.id for event in born}


@pytest.mark.parametrize("ahead", [policy.EPOCHS_AHEAD, 0])
async def test_without_versions_a_show_that_rises_would_be_skipped(
    house: House, ahead: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The walk above can fail: it does where a new rank holds at once."""
    shows = [await house.show(days=10 + n) for n in range(6)]
    monkeypatch.setattr(policy, "EPOCHS_AHEAD", ahead)

    async def the_last_rises() -> None:
        await house.act(shows[-1], sold=100)
        await house.rank()

    found = await walk(house, the_last_rises)
    assert found == [event.id for event in (shows if ahead else shows[:-1])]


async def test_who_begins_later_sees_the_new_order_and_who_began_before_the_old_one(house: House) -> None:
    first, second, third = [await house.show(days=10 + n) for n in range(3)]
    cursor = (await house.page(limit=1)).next_cursor
    await house.act(third, views=100)
    await house.settle()
    assert await house.order() == [third.id, first.id, second.id]
    assert await house.order(cursor=cursor) == [second.id, third.id]


async def test_a_new_show_is_there_at_once(house: House) -> None:
    old = await house.show(days=10)
    await house.act(old, views=5)
    await house.settle()
    new = await house.show(days=9)
    assert await house.order() == [old.id, new.id]


async def test_a_cursor_is_good_for_an_hour(house: House) -> None:
    shows = [await house.show(days=10 + n) for n in range(3)]
    cursor = (await house.page(limit=1)).next_cursor
    await house.act(shows[2], views=100)
    await house.rank()
    await house.wait(59 * MINUTE)
    await sweep(house.finder, FORGET_RANKS)
    assert await house.order(cursor=cursor) == [shows[1].id, shows[2].id]
    await house.wait(2 * MINUTE)
    with pytest.raises(BadCursor):
        await house.page(cursor)


async def test_a_cursor_belongs_to_its_list(house: House, client: Client) -> None:
    for _ in range(3):
        await house.show(category="theatre")
    asked: dict[str, Any] = {"city": house.city, "limit": 1}
    lists: list[dict[str, Any]] = [
        {"sort": "latest"}, {"sort": "trending"}, {"sort": "trending", "category": "theatre"},
        {"sort": "trending", "q": "show"},
    ]  # fmt: skip

    async def get(**params: Any) -> Any:
        return await client.get("/event/v1/events", params=asked | params)

    cursors = [(await get(**mine)).json()["next_cursor"] for mine in lists]
    assert None not in cursors
    for mine in lists:
        for other, cursor in zip(lists, cursors, strict=True):
            answer = await get(**mine, cursor=cursor)
            if mine is other:
                assert answer.status_code == 200, answer.text
            else:
                assert refused(answer) == (422, "invalid_cursor")
    for forged in ("None", "x", cursors[1][:-2] + "AA", f"{cursors[1]}:None"):
        for _ in range(2):  # also when the page that it might be taken for is kept
            assert refused(await get(sort="trending", cursor=forged)) == (422, "invalid_cursor")


@pytest.mark.req("FEED-3")
async def test_every_filter_works_in_this_order_too(house: House) -> None:
    now = datetime.now(UTC)
    cold = await house.show(days=10, category="theatre", name="A storm at sea")
    hot = await house.show(days=12, category="theatre", name="Calm")
    other = await house.show(days=50, category="concert", name="Songs", sale_start_at=now + 40 * DAY)
    await house.act(hot, views=10)
    await house.settle()
    assert await house.order() == [hot.id, cold.id, other.id]
    assert await house.order(city=folded("Elsewhere")) == []
    assert await house.order(category="theatre") == [hot.id, cold.id]
    assert await house.order(category="concert") == [other.id]
    assert await house.order(since=now + 11 * DAY) == [hot.id, other.id]
    assert await house.order(until=now + 11 * DAY) == [cold.id]
    assert await house.order(sale_status="on_sale") == [hot.id, cold.id]
    assert await house.order(sale_status="upcoming") == [other.id]
    assert await house.order(words="storm") == [cold.id]
    assert await house.order(words="storm", category="concert") == []


async def test_a_show_that_changes_its_category_is_found_by_the_new_one_soon(house: House) -> None:
    event = await house.show(category="theatre")
    await house.change(event, category="concert")
    await house.settle()
    assert await house.order(category="concert") == [event.id]
    assert await house.order(category="theatre") == []


# --- versions of ranks


async def test_ranking_twice_changes_nothing(house: House) -> None:
    events = [await house.show() for _ in range(3)]
    await house.act(events[0], views=5)
    await house.act(events[1], views=5)
    assert await house.rank() == 2
    versions = [await house.versions(event) for event in events]
    assert [len(v) for v in versions] == [2, 2, 1]
    assert await house.rank() == 0
    async with house.services.database.tenant(house.tenant.id) as tx:
        epoch = policy.epoch(await tx.now())
        for _ in range(2):
            await store.rank_event(tx, house.tenant.id, [e.id for e in events], epoch + policy.EPOCHS_AHEAD, epoch)
    assert [await house.versions(event) for event in events] == versions


async def test_several_acts_within_an_epoch_make_one_version(house: House) -> None:
    event = await house.show()
    for _ in range(3):
        await house.act(event, views=1)
        await house.rank()
    old, new = (await house.versions(event))[0], (await house.versions(event))[-1]
    assert len(await house.versions(event)) <= 3  # the epoch may have changed under us
    assert old["until_epoch"] < FOREVER
    assert new["until_epoch"] == FOREVER
    stats = await house.stats(event)
    assert new["rank"] == await house.owner.fetchval("SELECT app.rank($1, $2)", stats["heat"], event.start_at)


async def test_old_versions_are_forgotten_after_an_hour_and_the_newest_never(house: House) -> None:
    event, untouched = await house.show(), await house.show()
    await house.act(event, views=5)
    await house.settle()
    await house.wait(58 * MINUTE)
    await sweep(house.finder, FORGET_RANKS)
    assert len(await house.versions(event)) == 2
    await house.wait(3 * MINUTE)
    await sweep(house.finder, FORGET_RANKS)
    [left] = await house.versions(event)
    assert left["until_epoch"] == FOREVER
    await house.wait(10 * DAY)
    await sweep(house.finder, FORGET_RANKS)
    assert await house.versions(event) == [left]
    assert len(await house.versions(untouched)) == 1


async def test_what_is_taken_back_has_no_rank_and_comes_back_with_its_heat(house: House) -> None:
    event, other = await house.show(days=20), await house.show(days=10)
    await house.act(event, views=5)
    await house.settle()
    heat = (await house.stats(event))["heat"]
    await house.move(event, Move.UNPUBLISH)
    assert await house.versions(event) == []
    assert await house.order() == [other.id]
    await house.act(event, views=1)  # somebody's look that was still on its way
    assert await house.rank() == 1
    assert await house.versions(event) == []
    await house.move(event, Move.PUBLISH)
    assert await house.order() == [event.id, other.id]
    assert (await house.stats(event))["heat"] > heat


async def test_who_began_to_rank_earlier_may_end_later(house: House) -> None:
    """The same holds for a clock that was put back: nobody's change fails because of it."""
    event = await house.show()
    await house.act(event, views=1)
    async with house.services.database.tenant(house.tenant.id) as tx:
        await tx.now()
        await house.wait(2 * MINUTE)
        await house.rank()
        await store.record_activity(tx, house.tenant.id, [event.id], [1], [0])
        await public_actions.rank(tx, [event.id])
    newest = [v for v in await house.versions(event) if v["until_epoch"] == FOREVER]
    stats = await house.stats(event)
    rank_now = await house.owner.fetchval("SELECT app.rank($1, $2)", stats["heat"], event.start_at)
    assert [v["rank"] for v in newest] == [rank_now]


async def test_a_show_that_is_taken_back_while_it_is_ranked_holds_up_no_other(house: House) -> None:
    stays, goes = await house.show(), await house.show()
    for event in (stays, goes):
        await house.act(event, views=5)
    blocked = "SELECT count(*) FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))"
    async with house.services.database.tenant(house.tenant.id) as tx:
        pid = await tx.fetchval("SELECT pg_backend_pid()")
        await actions.move_event(tx, goes.id, Move.UNPUBLISH)
        ranking = asyncio.create_task(house.rank())
        await until(lambda: ranking.done() or house.owner.fetchval(blocked, pid))
    assert await ranking == 2
    assert [len(await house.versions(event)) for event in (stays, goes)] == [2, 0]


async def test_nobody_fails_while_ranks_are_written(house: House) -> None:
    """Organisers, visitors and the worker touch the same rows: they wait for each other, and never in a circle."""
    shows = [await house.show() for _ in range(6)]
    dice = random.Random(1)

    async def look() -> None:
        ids = [event.id for event in dice.sample(shows, 6)]
        async with house.services.database.tenant(house.tenant.id) as tx:
            await store.record_activity(tx, house.tenant.id, ids, [1] * 6, [0] * 6)

    async def rank() -> None:
        async with house.services.database.tenant(house.tenant.id) as tx:
            await public_actions.rank(tx, await store.take_unranked(tx, house.tenant.id) or [])

    for n in range(60):
        move = Move.PUBLISH if n % 2 else Move.UNPUBLISH
        if n % 10 == 0:
            await house.wait(timedelta(seconds=31))
        await asyncio.gather(
            *(house.move(event, move) for event in shows[:3]),
            *(house.change(event, category=f"c{n}") for event in shows[3:]),
            look(), rank(), look(), rank(),
        )  # fmt: skip
    assert [len([v for v in await house.versions(e) if v["until_epoch"] == FOREVER]) for e in shows] == [1] * 6


@pytest.mark.req("TEN-1")
async def test_a_worker_forgets_only_what_is_over(house: House) -> None:
    event = await house.show()
    await house.act(event, views=5)
    await house.rank()
    before = await house.versions(event)

    async def forget() -> str:
        async with house.finder.nobody() as tx:
            answer: str = await tx.execute("DELETE FROM public_ranks WHERE event_id = $1", event.id)
        return answer

    assert await forget() == "DELETE 0"  # the old one still holds
    await house.wait(3 * MINUTE)
    assert await forget() == "DELETE 1"
    assert await house.versions(event) == before[1:]
    for change in (
        "UPDATE public_ranks SET rank = 0",
        "INSERT INTO public_ranks (event_id, organization_id, since_epoch, rank, start_at, city_norm, category)"
        " SELECT event_id, organization_id, 0, 0, start_at, city_norm, category FROM public_ranks LIMIT 1",
        "UPDATE event_stats SET heat = 0",
        "DELETE FROM event_stats",
    ):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            async with house.finder.tenant(house.tenant.id) as tx:
                await tx.execute(change)


@pytest.mark.req("TEN-1")
async def test_an_organisation_warms_only_its_own(house: House, other_tenant: Tenant) -> None:
    event = await house.show()
    before, versions = await house.stats(event), await house.versions(event)
    async with house.services.database.tenant(other_tenant.id) as tx:
        assert await store.record_activity(tx, house.tenant.id, [event.id], [9], [9]) == 0
        assert await store.record_activity(tx, other_tenant.id, [event.id], [9], [9]) == 0
        for change in ("UPDATE public_ranks SET rank = 0", "DELETE FROM public_ranks", "DELETE FROM event_stats"):
            assert (await tx.execute(change)).endswith(" 0")
    assert (await house.stats(event), await house.versions(event)) == (before, versions)


# --- who looks


def see(looks: Views, event: Event, ip: str | None, tenant: Tenant) -> None:
    looks.note(tenant.id, event.id, ip)


async def test_a_network_counts_once_for_each_show(house: House) -> None:
    one, other = await house.show(), await house.show()
    looks = Views(house.services)
    for ip in ("192.0.2.1", "192.0.2.1", "192.0.2.2", "2001:db8::1", "2001:db8::2", "2001:db8:0:1::1", None, None):
        see(looks, one, ip, house.tenant)
    see(looks, other, "192.0.2.1", house.tenant)
    await looks.write()
    assert [(await house.stats(event))["views"] for event in (one, other)] == [5, 1]
    await looks.write()
    see(looks, one, "192.0.2.1", house.tenant)
    await looks.write()
    assert (await house.stats(one))["views"] == 5


async def test_who_was_seen_long_ago_counts_again(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "REMEMBERED", 3)
    event = await house.show()
    looks = Views(house.services)
    for n in (*range(6), 5, 4, 0):  # the last one is forgotten: twice three others came since
        see(looks, event, f"192.0.2.{n}", house.tenant)
    await looks.write()
    assert (await house.stats(event))["views"] == 7


async def test_a_read_of_a_public_show_is_a_look_and_nothing_else_is(house: House, client: Client, lane: Any) -> None:
    event = await house.show()
    hidden = await house.show(moves=())
    for path in (f"/event/v1/events/{event.id}", f"/event/v1/events/{hidden.id}", f"/event/v1/events/{new_id()}"):
        for _ in range(2):
            await client.get(path)
    data(await client.get("/event/v1/events", params={"city": house.city}))
    await lane.wide.state.services.part(Views).write()
    assert (await house.stats(event))["views"] == 1
    assert await house.stats(hidden) is None
    assert await house.rank() == 1


async def test_many_houses_are_written_each_by_itself(house: House, other_tenant: Tenant) -> None:
    here, there = await house.show(), await make_show(house.services, other_tenant, Move.PUBLISH)
    looks = Views(house.services)
    see(looks, here, "192.0.2.1", house.tenant)
    see(looks, there, "192.0.2.1", other_tenant)
    looks.note(new_id(), new_id(), "192.0.2.1")  # one that is gone meanwhile
    await looks.write()
    assert [(await house.stats(event))["views"] for event in (here, there)] == [1, 1]


_WAITING = "wait_event_type = 'Lock' AND query LIKE '%UPDATE event_stats%'"


@pytest.mark.fault
async def test_looks_that_could_not_be_written_are_counted_on(house: House, owner_url: str) -> None:
    event = await house.show()
    looks = Views(house.services)
    see(looks, event, "192.0.2.1", house.tenant)
    holder = await asyncpg.connect(owner_url)
    try:
        async with holder.transaction():
            await holder.execute("SELECT FROM event_stats WHERE event_id = $1 FOR UPDATE", event.id)
            writing = asyncio.create_task(looks.write())
            await until(lambda: end_backends(house.owner, _WAITING))
            await writing  # no error: it is only written later
            see(looks, event, "192.0.2.2", house.tenant)
    finally:
        await holder.close()
    assert (await house.stats(event))["views"] == 0
    await looks.write()
    assert (await house.stats(event))["views"] == 2


async def test_it_writes_by_itself_and_what_is_left_when_it_stops(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = await house.show()
    monkeypatch.setattr(views, "EVERY_S", 0.01)
    looks = Views(house.services)
    await looks.start()
    see(looks, event, "192.0.2.1", house.tenant)

    async def written() -> bool:
        return bool((await house.stats(event))["views"] == 1)

    await until(written)
    monkeypatch.setattr(views, "EVERY_S", 3600)
    see(looks, event, "192.0.2.2", house.tenant)
    await looks.stop()
    assert (await house.stats(event))["views"] == 2


async def test_a_stop_in_the_middle_of_a_write_loses_nothing(
    house: House, owner_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = await house.show()
    monkeypatch.setattr(views, "EVERY_S", 0.0)
    looks = Views(house.services)
    see(looks, event, "192.0.2.1", house.tenant)
    holder = await asyncpg.connect(owner_url)
    waiting = f"SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND {_WAITING}"
    try:
        async with holder.transaction():
            await holder.execute("SELECT FROM event_stats WHERE event_id = $1 FOR UPDATE", event.id)
            await looks.start()
            await until(lambda: house.owner.fetchval(waiting))
            stopping = asyncio.create_task(looks.stop())
            await asyncio.sleep(0)
    finally:
        await holder.close()
    await stopping
    assert (await house.stats(event))["views"] == 1
