"""A hold ends on time by the database's clock, whoever notices it first; and it ends once."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import msgspec
import pytest

from fullhouse.holds import actions, jobs, store
from fullhouse.holds.model import HoldEnded, HoldNotFound, ReasonNeeded
from fullhouse.kit.db.database import Database
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from fullhouse.seating.maps.seat_states import SeatStateCache
from fullhouse.seating.model import AVAILABLE, HELD, RESERVED
from tests.fixtures import Tenant
from tests.holds.helpers import convert, hall, held_in, hold, places, seat_row, seats, stage, statuses

Move = Callable[[timedelta], Any]
LATER = timedelta(seconds=301)


async def trail(owner: Any, hold_id: UUID | None) -> list[tuple[str, str]]:
    rows = await owner.fetch(
        "SELECT action, actor_type FROM audit_log WHERE entity_id = $1 ORDER BY created_at, id", hold_id
    )
    return [(row["action"], row["actor_type"]) for row in rows]


async def facts(owner: Any, hold_id: UUID | None) -> list[str]:
    return [r["name"] for r in await owner.fetch("SELECT name FROM outbox WHERE subject_id = $1 ORDER BY seq", hold_id)]


@pytest.mark.req("HOLD-4")
async def test_an_expired_hold_never_blocks_a_seat(process: Services, tenant: Tenant, owner: Any, clock: Move) -> None:
    sale = await stage(process, tenant, hall(1, 4))
    (first,) = await hold(process, tenant, sale, new_id(), *seats(sale, 0))
    (early,) = await hold(process, tenant, sale, new_id(), *seats(sale, 0))
    await clock(timedelta(seconds=299))
    (late,) = await hold(process, tenant, sale, new_id(), *seats(sale, 0))
    await clock(LATER)
    (second,) = await hold(process, tenant, sale, new_id(), *seats(sale, 0))
    assert (first.outcome, early.outcome, late.outcome) == ("held", *["seat_held_by_another_user"] * 2)
    assert (early.left_s, late.left_s) == (300, 1)
    assert second.outcome == "held"
    assert (await seat_row(owner, sale, 0))["hold_id"] == second.hold_id


@pytest.mark.req("HOLD-4")
async def test_their_own_expired_hold_is_not_theirs_any_more(process: Services, tenant: Tenant, clock: Move) -> None:
    sale, me = await stage(process, tenant, hall(1, 4)), new_id()
    (first,) = await hold(process, tenant, sale, me, *seats(sale, 0))
    (again,) = await hold(process, tenant, sale, me, *seats(sale, 0))
    await clock(LATER)
    (fresh,) = await hold(process, tenant, sale, me, *seats(sale, 0))
    assert (again.outcome, again.hold_id) == ("own", first.hold_id)
    assert fresh.outcome == "held"
    assert fresh.hold_id != first.hold_id


@pytest.mark.req("HOLD-4")
async def test_an_expired_hold_never_blocks_a_place(process: Services, tenant: Tenant, owner: Any, clock: Move) -> None:
    """The zone is full of overdue holds: who asks gets a place, and each of those ended properly."""
    sale = await stage(process, tenant, hall(1, 4, pit=5))
    (old,) = await hold(process, tenant, sale, new_id(), places(sale, "pit", 4))
    (full,) = await hold(process, tenant, sale, new_id(), places(sale, "pit", 2))
    await clock(LATER)
    (fresh,) = await hold(process, tenant, sale, new_id(), places(sale, "pit", 5))
    assert (full.outcome, fresh.outcome) == ("block_at_capacity", "held")
    assert await held_in(owner, sale) == {"hall": 0, "pit": 5}
    assert await statuses(owner, sale) == ["expired", "active"]
    assert await trail(owner, old.hold_id) == [("seat_reserved", "user"), ("seat_hold_expired", "system")]
    assert await facts(owner, old.hold_id) == ["hold.placed", "hold.expired"]


@pytest.mark.req("HOLD-4")
@pytest.mark.parametrize("line", ["a seat", "a place"])
async def test_an_expired_hold_never_blocks_a_show_that_is_full(
    line: str, process: Services, tenant: Tenant, owner: Any, clock: Move
) -> None:
    """The show's own limit counts seats and places alike."""
    sale = await stage(process, tenant, hall(1, 4, pit=5), capacity=3)
    old = await hold(process, tenant, sale, new_id(), *seats(sale, 0, 1), places(sale, "pit", 1))
    want = seats(sale, 3)[0] if line == "a seat" else places(sale, "pit", 1)
    (full,) = await hold(process, tenant, sale, new_id(), want)
    map_of = await process.part(SeatStateCache).get(tenant.id, sale.event_id)
    assert map_of
    assert [int(state) for state in map_of.states] == [HELD, HELD, AVAILABLE, AVAILABLE]
    await clock(LATER)
    (fresh,) = await hold(process, tenant, sale, new_id(), want)
    assert (full.outcome, fresh.outcome) == ("block_at_capacity", "held")
    assert (await held_in(owner, sale))["event"] == 1
    assert sorted(await statuses(owner, sale)) == ["active", "expired", "expired", "expired"]
    assert [(await trail(owner, gone.hold_id))[-1] for gone in old] == [("seat_hold_expired", "system")] * 3
    assert [int(state) for state in map_of.states[:2]] == [AVAILABLE] * 2
    assert (await seat_row(owner, sale, 0))["status"] == "available"


@pytest.mark.req("HOLD-4", "AUD-1")
async def test_the_sweep_marks_frees_audits_announces_and_tells(
    process: Services, finder: Database, tenant: Tenant, owner: Any, clock: Move
) -> None:
    sale = await stage(process, tenant, hall(1, 4, pit=5), capacity=6)
    seat, place = await hold(process, tenant, sale, new_id(), *seats(sale, 1), places(sale, "pit", 3))
    map_of = await process.part(SeatStateCache).get(tenant.id, sale.event_id)
    assert map_of
    assert int(map_of.states[1]) == HELD
    for early in (timedelta(0), timedelta(seconds=290)):  # the time between the hold and here passes, too
        await clock(early)
        await jobs.sweep_holds(finder, process.database)
        assert await statuses(owner, sale) == ["active"] * 2
        assert int(map_of.states[1]) == HELD
    await clock(LATER)
    assert await jobs.sweep_holds(finder, process.database) >= 2
    assert await statuses(owner, sale) == ["expired"] * 2
    assert await held_in(owner, sale) == {"hall": 0, "pit": 0, "event": 0}
    row = await seat_row(owner, sale, 1)
    assert (row["status"], row["hold_id"], row["held_until"]) == ("available", None, None)
    assert int(map_of.states[1]) == AVAILABLE
    for result in (seat, place):
        assert await trail(owner, result.hold_id) == [("seat_reserved", "user"), ("seat_hold_expired", "system")]
        assert await facts(owner, result.hold_id) == ["hold.placed", "hold.expired"]
    before = await owner.fetchval("SELECT count(*) FROM audit_log")
    assert await jobs.sweep_holds(finder, process.database) == 0  # once is enough
    assert await owner.fetchval("SELECT count(*) FROM audit_log") == before


@pytest.mark.req("HOLD-4")
async def test_neither_the_sweeps_question_nor_its_verb_is_early(
    process: Services, finder: Database, tenant: Tenant, clock: Move
) -> None:
    """Each looks at the time for itself, and would make good a mistake of the other: each alone must be right."""
    sale = await stage(process, tenant, hall(1, 4, pit=5))
    held = await hold(process, tenant, sale, new_id(), *seats(sale, 1), places(sale, "pit", 3))
    ids = [one.hold_id for one in held]

    async def due() -> set[UUID]:
        async with finder.without_tenant() as tx:
            return {hold_id for _, found in await store.list_due_holds(tx, 10_000) for hold_id in found} & set(ids)

    async def ended() -> int:
        async with process.database.tenant(tenant.id, jobs.SWEEPER) as tx:
            return await actions.end(tx, [hold_id for hold_id in ids if hold_id], "expired", overdue_only=True)

    await clock(timedelta(seconds=285))
    assert (await due(), await ended()) == (set(), 0)
    await clock(LATER)
    assert (await due(), await ended()) == (set(ids), 2)


@pytest.mark.req("HOLD-4")
async def test_a_sweep_takes_nothing_from_whoever_came_after(
    process: Services, finder: Database, tenant: Tenant, owner: Any, clock: Move
) -> None:
    sale = await stage(process, tenant, hall(1, 4), capacity=3)
    await hold(process, tenant, sale, new_id(), *seats(sale, 0))
    await clock(LATER)
    (second,) = await hold(process, tenant, sale, new_id(), *seats(sale, 0))
    await jobs.sweep_holds(finder, process.database)
    row = await seat_row(owner, sale, 0)
    assert (row["status"], row["hold_id"]) == ("held", second.hold_id)
    assert await statuses(owner, sale) == ["expired", "active"]
    assert (await held_in(owner, sale))["event"] == 1


@pytest.mark.req("HOLD-4")
async def test_several_sweeps_at_once_end_each_hold_once(
    process: Services, finder: Database, tenant: Tenant, owner: Any, clock: Move
) -> None:
    sale = await stage(process, tenant, hall(5, 10, pit=100))
    for n in range(50):
        await hold(process, tenant, sale, new_id(), *seats(sale, n), places(sale, "pit", 2))
    await clock(LATER)
    ended = await asyncio.gather(*(jobs.sweep_holds(finder, process.database) for _ in range(4)))
    assert sum(ended) >= 100  # other organisations' too
    assert await held_in(owner, sale) == {"hall": 0, "pit": 0}
    rows = await owner.fetchval(
        "SELECT count(*) FROM audit_log WHERE organization_id = $1 AND action = 'seat_hold_expired'", tenant.id
    )
    assert rows == 100


@pytest.mark.req("HOLD-4", "EV-6")
async def test_a_show_that_somebody_is_changing_is_left_out_of_the_sweep(
    process: Services, finder: Database, tenant: Tenant, owner: Any, clock: Move
) -> None:
    """Whoever cancels it locks its seats as they come: the sweep neither waits for that nor stands in its way."""
    busy, free = [await stage(process, tenant, hall(1, 4)) for _ in range(2)]
    for sale in (busy, free):
        await hold(process, tenant, sale, new_id(), *seats(sale, 0))
    await clock(LATER)
    async with owner.transaction():
        await owner.execute("SELECT FROM events WHERE id = $1 FOR UPDATE", busy.event_id)
        async with asyncio.timeout(4):  # less than a lock is waited for
            await jobs.sweep_holds(finder, process.database)
        assert (await statuses(owner, busy), await statuses(owner, free)) == (["active"], ["expired"])
    await jobs.sweep_holds(finder, process.database)
    assert await statuses(owner, busy) == ["expired"]


@pytest.mark.req("ACC-1")
async def test_companions_are_free_with_their_wheelchair_place(
    process: Services, finder: Database, tenant: Tenant, owner: Any, clock: Move
) -> None:
    sale = await stage(process, tenant, hall(2, 6, wheelchairs=1))
    chair, companion = await owner.fetchrow(
        "SELECT w.ordinal, c.ordinal AS beside FROM event_seats c JOIN event_seats w ON w.event_id = c.event_id"
        " AND w.seat_id = c.companion_of WHERE c.event_id = $1",
        sale.event_id,
    )
    (want,) = seats(sale, chair)
    await hold(process, tenant, sale, new_id(), want._replace(keeps_companions=True))
    map_of = await process.part(SeatStateCache).get(tenant.id, sale.event_id)
    assert map_of
    (others,) = await hold(process, tenant, sale, new_id(), *seats(sale, companion))
    assert (others.outcome, int(map_of.states[companion])) == ("seat_not_available", RESERVED)
    await clock(LATER)
    (before_the_sweep,) = await hold(process, tenant, sale, someone := new_id(), *seats(sale, companion))
    assert before_the_sweep.outcome == "held"
    await jobs.sweep_holds(finder, process.database)
    row = await seat_row(owner, sale, companion)
    assert (row["hold_id"], row["reserved_for"]) == (before_the_sweep.hold_id, None)
    await hold(process, tenant, sale, someone, want._replace(hold_id=new_id(), keeps_companions=True))
    await clock(2 * LATER)
    await jobs.sweep_holds(finder, process.database)
    row = await seat_row(owner, sale, companion)
    assert (row["status"], row["reserved_for"]) == ("available", None)


# --- giving back


@pytest.mark.req("HOLD-7", "AUD-1")
async def test_the_owner_gives_back_and_staff_with_a_reason(process: Services, tenant: Tenant, owner: Any) -> None:
    sale = await stage(process, tenant, hall(1, 6, pit=5), capacity=9)
    buyer, staff, other = (tenant.principal(role) for role in ("customer", "staff", "scanner"))
    assert buyer.id
    mine, theirs, place = await hold(process, tenant, sale, buyer.id, *seats(sale, 0, 1), places(sale, "pit", 2))

    async def release(who: Any, hold_id: UUID | None, reason: str | None = None) -> None:
        assert hold_id
        async with process.database.tenant(tenant.id, who.actor) as tx:
            await actions.release(tx, who, hold_id, reason)

    await release(buyer, mine.hold_id)
    with pytest.raises(HoldEnded):
        await release(buyer, mine.hold_id)
    with pytest.raises(HoldNotFound):
        await release(other, theirs.hold_id, "I would like it")
    with pytest.raises(HoldNotFound):
        await release(staff, new_id(), "A reason")
    with pytest.raises(ReasonNeeded):
        await release(staff, theirs.hold_id)
    await release(staff, theirs.hold_id, "Broken seat")
    await release(buyer, place.hold_id)
    assert await statuses(owner, sale) == ["cancelled"] * 3
    assert await held_in(owner, sale) == {"hall": 0, "pit": 0, "event": 0}
    assert (await seat_row(owner, sale, 0))["status"] == "available"
    row = await owner.fetchrow(
        "SELECT actor_id, reason FROM audit_log WHERE entity_id = $1 AND action = 'hold.cancelled'", theirs.hold_id
    )
    assert tuple(row) == (staff.id, "Broken seat")
    payload = await owner.fetchval(
        "SELECT payload::text FROM outbox WHERE subject_id = $1 AND name = 'hold.cancelled'", theirs.hold_id
    )
    assert msgspec.json.decode(payload)["reason"] == "Broken seat"


@pytest.mark.req("HOLD-5")
@pytest.mark.parametrize("order", ["release first", "convert first", "sweep first"])
async def test_a_hold_ends_once(
    order: str, process: Services, finder: Database, tenant: Tenant, owner: Any, clock: Move
) -> None:
    sale, buyer = await stage(process, tenant, hall(1, 4)), tenant.principal("customer")
    assert buyer.id
    (held,) = await hold(process, tenant, sale, buyer.id, *seats(sale, 0))
    assert held.hold_id

    async def release() -> bool:
        try:
            async with process.database.tenant(tenant.id, buyer.actor) as tx:
                assert held.hold_id
                await actions.release(tx, buyer, held.hold_id, None)
        except HoldEnded:
            return False
        return True

    if order == "release first":
        assert await release()
    if order == "convert first":
        assert await convert(process, tenant, held.hold_id)
    await clock(LATER)
    ending = {"release first": "cancelled", "convert first": "converted", "sweep first": "expired"}[order]
    await jobs.sweep_holds(finder, process.database)  # of all organisations: what it counts is not ours alone
    assert await statuses(owner, sale) == [ending]
    assert (await convert(process, tenant, held.hold_id, late=True), await release()) == (False, False)
    assert await statuses(owner, sale) == [ending]
    sold = "sold" if order == "convert first" else "available"
    assert (await seat_row(owner, sale, 0))["status"] == sold
