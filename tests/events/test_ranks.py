"""Each rank is a version: written once for each change, forgotten after an hour, and nobody's but its house's."""

import asyncio
import random
from datetime import timedelta

import asyncpg
import pytest

from fullhouse.events import actions, policy, store
from fullhouse.events.policy import Move
from fullhouse.events.public import actions as public_actions
from fullhouse.events.store import DELETE_OLD_RANKS
from fullhouse.kit.db.database import delete_in_batches
from tests.events.helpers import DAY
from tests.events.trending import FOREVER, MINUTE, House, finder, house
from tests.fixtures import Tenant
from tests.kit.helpers import until

__all__ = ["finder", "house"]  # fixtures

pytestmark = pytest.mark.req("FEED-2")


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
            await store.update_ranks(
                tx, event_ids=[e.id for e in events], next_epoch=epoch + policy.EPOCHS_AHEAD, epoch=epoch
            )
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
    await delete_in_batches(house.finder, DELETE_OLD_RANKS)
    assert len(await house.versions(event)) == 2
    await house.wait(3 * MINUTE)
    await delete_in_batches(house.finder, DELETE_OLD_RANKS)
    [left] = await house.versions(event)
    assert left["until_epoch"] == FOREVER
    await house.wait(10 * DAY)
    await delete_in_batches(house.finder, DELETE_OLD_RANKS)
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
        await store.record_activity(tx, event_ids=[event.id], views=[1], sold=[0])
        await public_actions.update_ranks(tx, [event.id])
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
            await store.record_activity(tx, event_ids=ids, views=[1] * 6, sold=[0] * 6)

    async def rank() -> None:
        async with house.services.database.tenant(house.tenant.id) as tx:
            await public_actions.update_ranks(tx, await store.claim_unranked(tx) or [])

    for n in range(60):
        move = Move.PUBLISH if n % 2 else Move.UNPUBLISH
        if n % 10 == 0:
            await house.wait(timedelta(seconds=31))
        await asyncio.gather(
            *(house.move(event, move) for event in shows[:3]),
            *(house.change(event, category=f"c{n}") for event in shows[3:]),
            look(),
            rank(),
            look(),
            rank(),
        )
    assert [len([v for v in await house.versions(e) if v["until_epoch"] == FOREVER]) for e in shows] == [1] * 6


@pytest.mark.req("TEN-1")
async def test_a_worker_forgets_only_what_is_over(house: House) -> None:
    event = await house.show()
    await house.act(event, views=5)
    await house.rank()
    before = await house.versions(event)

    async def forget() -> str:
        async with house.finder.without_tenant() as tx:
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
        query, asked = store.record_activity.query, {"event_ids": [event.id], "views": [9], "sold": [9]}
        for named in (house.tenant.id, other_tenant.id):  # as a statement that names whatever organisation it likes
            assert (await tx.execute(query.text, *query.arguments(named, **asked))).endswith(" 0")
        for change in ("UPDATE public_ranks SET rank = 0", "DELETE FROM public_ranks", "DELETE FROM event_stats"):
            assert (await tx.execute(change)).endswith(" 0")
    assert (await house.stats(event), await house.versions(event)) == (before, versions)
