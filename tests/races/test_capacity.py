"""Limits are edited while people take places: whoever comes first is counted, and the other one is told."""

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from uuid import UUID

import pytest

from fullhouse.events import actions as events
from fullhouse.events.model import ChangeEvent, ChangeVenue
from fullhouse.events.venues import actions as venues
from fullhouse.holds import actions as holds
from fullhouse.kit.actors import SYSTEM
from fullhouse.kit.db.database import Tx
from fullhouse.kit.errors import Refusal
from fullhouse.kit.ids import new_id
from tests.fixtures import soaking
from tests.holds.helpers import OnSale, hall, places, seats, stage, wish
from tests.kit.helpers import until
from tests.races.arena import Arena, arena

# Whoever holds a place keeps the event as it is until the commit.
EVENT_LOCK = ("app.lock_for_hold", "ORDER BY id FOR SHARE", "ORDER BY id")
# So does whoever gives one back.
ENDING_LOCK = ("app.end_holds", "ORDER BY e.id FOR SHARE", "ORDER BY e.id")
Edit = Callable[[Arena, Tx, OnSale, int], Awaitable[object]]
ROUNDS = 40 if soaking() else 6


async def edit_event(at: Arena, tx: Tx, sale: OnSale, most: int) -> object:
    return await events.change_event(tx, at.tenant.principal("owner"), sale.event_id, ChangeEvent(capacity=most), None)


async def edit_venue(at: Arena, tx: Tx, sale: OnSale, most: int) -> object:
    venue_id = (await events.require_event(tx, sale.event_id)).venue_id
    assert venue_id
    change = ChangeVenue(max_capacity=most)
    return await venues.change_venue(tx, at.tenant.principal("owner"), venue_id, change, None)


EDITS: dict[str, Edit] = {"the event's": edit_event, "the venue's": edit_venue}


async def somebody_comes_between(at: Arena, edit: Edit) -> str:
    """Five seats are held, the limit becomes five, and somebody comes after the judgement and before the commit. Of a
    seat no pool's lock is asked for, so nothing but the event's makes them wait."""
    sale = await stage(at.processes[0], at.tenant, hall(1, 10))
    await at.hold(wish(sale, new_id(), *seats(sale, *range(5))), 0)
    async with at.processes[0].database.tenant(at.tenant.id, at.tenant.principal("owner").actor) as tx:
        await edit(at, tx, sale, 5)
        mine = await tx.fetchval("SELECT pg_backend_pid()")
        coming = asyncio.create_task(at.hold(wish(sale, new_id(), *seats(sale, 8)), 1))
        waits = "SELECT true FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid)) LIMIT 1"

        async def blocked_or_done() -> bool:
            return coming.done() or bool(await at.owner.fetchval(waits, mine))

        await until(blocked_or_done, 20)
    ((result,),) = await asyncio.gather(coming)
    return result.outcome


@pytest.mark.req("EV-1", "EV-2", "BUY-1", "CAP-1")
@pytest.mark.parametrize("whose", EDITS)
async def test_nobody_comes_between_a_limit_and_its_judgement(whose: str, tmp_path: Path) -> None:
    async with arena(tmp_path, 2) as at:
        assert await somebody_comes_between(at, EDITS[whose]) == "block_at_capacity"
        assert await at.wrong() == {}


@pytest.mark.req("CAP-1")
@pytest.mark.parametrize("whose", EDITS)
async def test_without_the_events_lock_somebody_does(whose: str, tmp_path: Path) -> None:
    """The mutant of the first test: it must be seen to fail."""
    async with arena(tmp_path, 2) as at:
        await at.remove(EVENT_LOCK)
        assert await somebody_comes_between(at, EDITS[whose]) == "held"
        found = await at.wrong()
    assert any("6 places are held and sold where" in sentence for sentence in found["taken"]), found


async def limit_while_a_hold_ends(at: Arena, edit: Edit) -> dict[str, list[str]]:
    """Three people hold seats in an event without a limit; one hold ends, and before the commit a limit is set."""
    sale = await stage(at.processes[0], at.tenant, hall(1, 10))
    ((held,), _, _) = [await at.hold(wish(sale, new_id(), *seats(sale, seat)), 0) for seat in (0, 4, 8)]
    assert held.hold_id
    waits = "SELECT true FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid)) LIMIT 1"

    async def limit() -> None:
        async with at.processes[1].database.tenant(at.tenant.id, at.tenant.principal("owner").actor) as tx:
            await edit(at, tx, sale, 5)

    async with at.processes[0].database.tenant(at.tenant.id, SYSTEM) as tx:
        await holds.end(tx, [held.hold_id], "cancelled")
        mine = await tx.fetchval("SELECT pg_backend_pid()")
        limiting = asyncio.create_task(limit())

        async def blocked_or_done() -> bool:
            return limiting.done() or bool(await at.owner.fetchval(waits, mine))

        await until(blocked_or_done, 20)
    await limiting
    return await at.wrong()


@pytest.mark.req("EV-1", "EV-2", "BUY-1", "CAP-1")
@pytest.mark.parametrize("whose", EDITS)
async def test_a_new_limit_counts_a_hold_that_ends_meanwhile_once(whose: str, tmp_path: Path) -> None:
    async with arena(tmp_path, 2) as at:
        assert await limit_while_a_hold_ends(at, EDITS[whose]) == {}


@pytest.mark.req("CAP-1")
async def test_without_the_events_lock_it_is_counted_for_good(tmp_path: Path) -> None:
    """The mutant of the test before."""
    async with arena(tmp_path, 2) as at:
        await at.remove(ENDING_LOCK)
        found = await limit_while_a_hold_ends(at, edit_event)
    assert any("counts 3 held where holds have 2" in sentence for sentence in found["counted"]), found


@pytest.mark.soak
@pytest.mark.req("EV-1", "EV-2", "BUY-1", "CAP-1")
async def test_limits_are_edited_while_places_are_taken_and_given_back(tmp_path: Path) -> None:
    """Locks in one order: nobody waits in a circle, and in the end every limit holds."""
    async with arena(tmp_path, 3) as at:
        sale = await stage(at.processes[0], at.tenant, hall(2, 10, pit=30))
        dice, taken, said = random.Random(7), list[UUID](), Counter[str]()
        few = asyncio.Semaphore(4)  # each process has so many connections

        async def take() -> None:
            line = (
                seats(sale, dice.randrange(20)) if dice.random() < 0.5 else (places(sale, "pit", dice.randint(1, 3)),)
            )
            for result in await at.hold(wish(sale, new_id(), *line)):
                said[result.outcome] += 1
                if result.is_granted and result.hold_id:
                    taken.append(result.hold_id)

        async def give_back() -> None:
            if not taken:
                return
            hold_id = taken.pop(dice.randrange(len(taken)))  # before anybody else has a turn
            async with few, at.processes[1].database.tenant(at.tenant.id, SYSTEM) as tx:
                await holds.end(tx, [hold_id], "cancelled")

        async def limit() -> None:
            edit, most = dice.choice(list(EDITS.values())), dice.choice([0, 5, 8, 12, 20, 40])
            try:
                async with few, at.processes[2].database.tenant(at.tenant.id, at.tenant.principal("owner").actor) as tx:
                    await edit(at, tx, sale, most)
                said["limited"] += 1
            except Refusal as refusal:
                said[refusal.code] += 1

        for _ in range(ROUNDS):
            work = [take] * 12 + [give_back] * 6 + [limit] * 4
            dice.shuffle(work)
            await asyncio.gather(*(each() for each in work))
            assert await at.wrong() == {}
        assert {"held", "block_at_capacity", "limited", "capacity_in_use"} <= set(said), said
