"""What happens to a show happens to what is held of it, in the same transaction."""

import asyncio
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from fullhouse.events import actions as events
from fullhouse.events.model import ChangeEvent
from fullhouse.events.policy import Move as Lifecycle
from fullhouse.holds import actions, jobs
from fullhouse.holds.engine import Engine
from fullhouse.holds.model import EventInSale
from fullhouse.kit.db.database import Database
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from fullhouse.seating.maps.seat_states import SeatStateCache
from fullhouse.seating.model import AVAILABLE, BLOCKED, HELD
from tests.accounts.helpers import audited, data, refused
from tests.events.helpers import move
from tests.fixtures import Client, Tenant, soaking
from tests.holds.helpers import (
    OnSale,
    convert,
    guest,
    hall,
    held_in,
    hold,
    on_sale,
    places,
    seat_row,
    seats,
    stage,
    statuses,
    wish,
)

Move = Callable[[timedelta], Any]
LATER = timedelta(seconds=301)


async def some_holds(staff: Client, buyer: Client) -> OnSale:
    """Two seats and three places, of a show that has a limit of its own."""
    sale = await on_sale(staff, hall(pit=20), event={"capacity": 30})
    items = [{"seat_id": sale.seat(0)}, {"seat_id": sale.seat(1)}, {"zone_id": sale.zones["pit"], "quantity": 3}]
    data(await buyer.post(sale.path("holds"), json={"items": items}), 201)
    return sale


async def change(who: Client, sale: OnSale, name: str, **body: Any) -> Any:
    return data(await move(who, {"id": sale.event_id}, name, **body))


NOTHING_HELD = {"hall": 0, "pit": 0, "event": 0}


@pytest.mark.req("EV-6", "AUD-1")
@pytest.mark.parametrize("moves", [["cancel"], ["start", "end"], ["postpone", "cancel"]], ids=" and ".join)
async def test_the_end_of_a_show_frees_all_that_is_held(
    moves: list[str], staff: Client, buyer: Client, tenant: Tenant, owner: Any
) -> None:
    sale = await some_holds(staff, buyer)
    for name in moves:
        await change(staff, sale, name)
    assert await statuses(owner, sale) == ["cancelled"] * 3
    assert await held_in(owner, sale) == NOTHING_HELD
    assert (await seat_row(owner, sale, 0))["status"] == "available"
    rows = await audited(owner, tenant, "hold.cancelled")
    said = {"cancel": "the show is cancelled", "end": "the show is ended"}[moves[-1]]
    assert [(row["actor_id"], row["reason"]) for row in rows] == [(tenant.people["owner"].id, said)] * 3
    facts = await owner.fetchval(
        "SELECT count(*) FROM outbox WHERE name = 'hold.cancelled' AND organization_id = $1", tenant.id
    )
    assert facts == 3
    assert data(await buyer.get(sale.path("holds"))) == []


@pytest.mark.req("EV-6")
async def test_a_cancellation_that_fails_frees_nothing(process: Services, tenant: Tenant, owner: Any) -> None:
    sale = await stage(process, tenant, hall(1, 4, pit=5))
    await hold(process, tenant, sale, new_id(), *seats(sale, 0), places(sale, "pit", 2))
    with pytest.raises(asyncpg.DivisionByZeroError):
        async with process.database.tenant(tenant.id) as tx:
            await events.move_event(tx, sale.event_id, Lifecycle.CANCEL, reason="storm")
            assert await statuses(tx, sale) == ["cancelled"] * 2  # it was in this transaction, and goes with it
            await tx.execute("SELECT 1 / 0")
    assert await statuses(owner, sale) == ["active"] * 2
    assert await held_in(owner, sale) == {"hall": 0, "pit": 2}


@pytest.mark.soak
@pytest.mark.req("EV-6")
async def test_a_cancellation_in_the_middle_of_a_rush_leaves_no_hold(
    process: Services, tenant: Tenant, owner: Any
) -> None:
    """Whoever was told yes before it was freed by it; whoever came after was told no."""
    crowd = 400 if soaking() else 120
    sale = await stage(process, tenant, hall(4, 100, pit=1000))
    engine, begun = process.part(Engine), asyncio.Event()

    async def buy(n: int) -> str:
        for step in range(5):
            ask = wish(sale, new_id(), *seats(sale, (n * 5 + step) % 400), places(sale, "pit", 1))
            results = await engine.hold(tenant.id, ask)
            if results[0].is_granted:
                begun.set()
            if results[0].outcome == "event_not_available":
                return "too late"
        return "in time"

    async def cancel() -> None:
        await begun.wait()
        async with process.database.tenant(tenant.id) as tx:
            await events.move_event(tx, sale.event_id, Lifecycle.CANCEL, reason="storm")

    ends = Counter(await asyncio.gather(*(buy(n) for n in range(crowd)), _nothing(cancel())))
    assert ends["too late"] > 0, ends
    left = Counter(await statuses(owner, sale))
    assert set(left) == {"cancelled"}
    assert await held_in(owner, sale) == {"hall": 0, "pit": 0}
    taken = "SELECT count(*) FROM event_seats WHERE event_id = $1 AND status <> 'available'"
    assert await owner.fetchval(taken, sale.event_id) == 0


async def _nothing(work: Any) -> str:
    await work
    return "cancelled"


@pytest.mark.req("EV-7")
async def test_without_a_date_holds_wait_and_with_one_they_have_their_time_again(
    staff: Client,
    buyer: Client,
    client: Client,
    tenant: Tenant,
    owner: Any,
    clock: Move,
    process: Services,
    finder: Database,
) -> None:
    sale = await some_holds(staff, buyer)
    await clock(timedelta(seconds=200))
    await change(staff, sale, "postpone")
    assert await statuses(owner, sale) == ["suspended"] * 3
    assert await held_in(owner, sale) == {"hall": 0, "pit": 3, "event": 5}
    mine = data(await buyer.get(sale.path("holds")))
    assert [(h["status"], h["held_until"]) for h in mine] == [("suspended", None)] * 3
    await clock(timedelta(days=10))
    await jobs.sweep_holds(finder, process.database)
    assert await statuses(owner, sale) == ["suspended"] * 3  # they do not count down
    assert not await convert(process, tenant, UUID(mine[0]["id"]))  # nor can they be sold
    stranger = await guest(client, tenant)
    assert refused(await stranger.post(sale.path(f"seats/{sale.seat(5)}/reserve"), json={}))[1] == "event_not_available"
    await change(staff, sale, "reschedule")
    assert await statuses(owner, sale) == ["active"] * 3
    again = data(await buyer.post(sale.path(f"seats/{sale.seat(0)}/reserve"), json={}), 200)
    assert 298 <= again["expires_in_seconds"] <= 300
    assert (
        refused(await stranger.post(sale.path(f"seats/{sale.seat(0)}/reserve"), json={}))[1]
        == "seat_held_by_another_user"
    )
    await clock(timedelta(days=10) + LATER)
    await jobs.sweep_holds(finder, process.database)
    assert await statuses(owner, sale) == ["expired"] * 3
    assert await held_in(owner, sale) == NOTHING_HELD


@pytest.mark.req("EV-7")
@pytest.mark.parametrize("back", ["publish", "start"])
async def test_a_show_that_is_back_gives_holds_their_time(
    back: str, staff: Client, buyer: Client, owner: Any, clock: Move
) -> None:
    sale = await some_holds(staff, buyer)
    await change(staff, sale, "postpone")
    await change(staff, sale, "reschedule")
    await clock(timedelta(seconds=250))
    await change(staff, sale, back)
    mine = data(await buyer.post(sale.path(f"seats/{sale.seat(0)}/reserve"), json={}), 200)
    assert 298 <= mine["expires_in_seconds"] <= 300
    assert await statuses(owner, sale) == ["active"] * 3


@pytest.mark.req("EV-7")
async def test_what_was_over_before_does_not_come_back(
    staff: Client, buyer: Client, owner: Any, clock: Move, process: Services, finder: Database
) -> None:
    sale = await some_holds(staff, buyer)
    await clock(LATER)
    await change(staff, sale, "postpone")
    await change(staff, sale, "reschedule")
    assert data(await buyer.get(sale.path("holds"))) == []
    await jobs.sweep_holds(finder, process.database)
    assert await statuses(owner, sale) == ["expired"] * 3
    assert await held_in(owner, sale) == NOTHING_HELD


@pytest.mark.req("EV-7", "ACC-1")
async def test_companions_wait_with_their_place(process: Services, tenant: Tenant, owner: Any, clock: Move) -> None:
    sale = await stage(process, tenant, hall(2, 6, wheelchairs=1))
    row = await owner.fetchrow(
        "SELECT w.ordinal AS chair, c.ordinal AS beside FROM event_seats c JOIN event_seats w"
        " ON w.event_id = c.event_id AND w.seat_id = c.companion_of WHERE c.event_id = $1",
        sale.event_id,
    )
    (want,) = seats(sale, row["chair"])
    await hold(process, tenant, sale, me := new_id(), want._replace(keeps_companions=True))
    async with process.database.tenant(tenant.id) as tx:
        await events.move_event(tx, sale.event_id, Lifecycle.POSTPONE, reason="storm")
    await clock(timedelta(days=1))
    async with process.database.tenant(tenant.id) as tx:
        date = await tx.now() + timedelta(days=90)
        await events.move_event(tx, sale.event_id, Lifecycle.RESCHEDULE, new_date=date)
    (others,) = await hold(process, tenant, sale, new_id(), *seats(sale, row["beside"]))
    (mine,) = await hold(process, tenant, sale, me, *seats(sale, row["beside"]))
    assert (others.outcome, mine.outcome) == ("seat_not_available", "held")


@pytest.mark.req("EV-8")
async def test_a_new_date_whose_sale_is_closed_frees_them(
    staff: Client, buyer: Client, tenant: Tenant, owner: Any
) -> None:
    sale = await some_holds(staff, buyer)
    await change(staff, sale, "postpone")
    await owner.execute(
        "UPDATE events SET sale_start_at = '2089-01-01', sale_end_at = '2089-02-01' WHERE id = $1", sale.event_id
    )
    await change(staff, sale, "reschedule")
    assert await statuses(owner, sale) == ["cancelled"] * 3
    assert await held_in(owner, sale) == NOTHING_HELD
    assert {row["reason"] for row in await audited(owner, tenant, "hold.cancelled")} == {"the sale is closed"}


@pytest.mark.req("EV-8")
async def test_a_sale_that_is_moved_away_frees_them(staff: Client, buyer: Client, tenant: Tenant, owner: Any) -> None:
    sale = await some_holds(staff, buyer)
    data(await staff.patch(f"/api/events/{sale.event_id}", json={"description": "Another text."}))
    data(await staff.patch(f"/api/events/{sale.event_id}", json={"sale_end_at": "2090-05-01T00:00:00Z"}))
    assert await statuses(owner, sale) == ["active"] * 3  # still within it
    data(await staff.patch(f"/api/events/{sale.event_id}", json={"sale_start_at": "2090-01-01T00:00:00Z"}))
    assert await statuses(owner, sale) == ["cancelled"] * 3
    assert await held_in(owner, sale) == NOTHING_HELD
    assert {row["reason"] for row in await audited(owner, tenant, "hold.cancelled")} == {"the sale is closed"}


@pytest.mark.req("HOLD-4", "EV-2")
async def test_a_limit_that_is_counted_anew_counts_what_is_over_once(
    process: Services, finder: Database, tenant: Tenant, owner: Any, clock: Move
) -> None:
    """A seat is taken over from a hold that nobody has swept; the sweep must not take it off the new limit as well."""
    sale = await stage(process, tenant, hall(2, 5))  # without a limit of its own: the pool begins with the change
    await hold(process, tenant, sale, new_id(), *seats(sale, 0))
    await clock(timedelta(minutes=6))
    await hold(process, tenant, sale, new_id(), *seats(sale, 0))
    who = tenant.principal("owner")
    async with process.database.tenant(tenant.id, who.actor) as tx:
        await events.change_event(tx, who, sale.event_id, ChangeEvent(capacity=7), None)
    await jobs.sweep_holds(finder, process.database)
    pool = "SELECT held, capacity FROM pools WHERE event_id = $1 AND kind = 'event'"
    assert tuple(await owner.fetchrow(pool, sale.event_id)) == (1, 7)


@pytest.mark.req("EV-8")
async def test_a_show_that_somebody_holds_stays_announced(
    staff: Client, buyer: Client, tenant: Tenant, owner: Any, clock: Move, process: Services
) -> None:
    sale = await some_holds(staff, buyer)
    answer = await move(staff, {"id": sale.event_id}, "unpublish")
    assert refused(answer) == (409, EventInSale.code)
    assert await owner.fetchval("SELECT status FROM events WHERE id = $1", sale.event_id) == "published"
    assert await statuses(owner, sale) == ["active"] * 3
    await clock(LATER)
    await change(staff, sale, "unpublish")  # what is over counts no more, swept or not


@pytest.mark.req("EV-8")
async def test_a_show_that_is_sold_stays_announced(process: Services, tenant: Tenant) -> None:
    for want in ("a seat", "a place"):
        sale = await stage(process, tenant, hall(1, 4, pit=5))
        line = seats(sale, 0)[0] if want == "a seat" else places(sale, "pit", 1)
        (held,) = await hold(process, tenant, sale, new_id(), line)
        assert await convert(process, tenant, held.hold_id)
        with pytest.raises(EventInSale):
            async with process.database.tenant(tenant.id) as tx:
                await events.move_event(tx, sale.event_id, Lifecycle.UNPUBLISH)


@pytest.mark.req("SEAT-7", "AUD-1")
async def test_a_blocked_seat_is_taken_from_its_holder(
    staff: Client, buyer: Client, client: Client, tenant: Tenant, owner: Any
) -> None:
    sale = await some_holds(staff, buyer)
    wish_to_block = {"seat_ids": [sale.seat(1), sale.seat(7)], "reason": "Camera"}
    data(await staff.post(sale.path("seats/block"), json=wish_to_block))
    assert sorted(await statuses(owner, sale)) == ["active", "active", "cancelled"]
    assert await held_in(owner, sale) == {"hall": 0, "pit": 3, "event": 4}
    row = await seat_row(owner, sale, 1)
    assert (row["status"], row["hold_id"]) == ("blocked", None)
    (said,) = await audited(owner, tenant, "hold.cancelled")
    assert said["reason"] == "Camera"
    assert refused(await buyer.post(sale.path(f"seats/{sale.seat(1)}/reserve"), json={}))[1] == "seat_not_available"
    data(await staff.post(sale.path("seats/unblock"), json=wish_to_block))
    data(await (await guest(client, tenant)).post(sale.path(f"seats/{sale.seat(1)}/reserve"), json={}), 201)


async def test_the_halls_hear_of_all_of_it(process: Services, tenant: Tenant) -> None:
    """What the map shows after each change, without being asked to load again by hand."""
    sale = await stage(process, tenant, hall(1, 4))

    async def shown() -> list[int]:
        found = await process.part(SeatStateCache).get(tenant.id, sale.event_id)
        assert found
        return [int(state) for state in found.states]

    assert await shown() == [AVAILABLE] * 4
    (one, _) = await hold(process, tenant, sale, new_id(), *seats(sale, 0, 1))
    assert await shown() == [HELD, HELD, AVAILABLE, AVAILABLE]
    async with process.database.tenant(tenant.id) as tx:
        assert one.hold_id
        await actions.end(tx, [one.hold_id], "cancelled")
    assert await shown() == [AVAILABLE, HELD, AVAILABLE, AVAILABLE]
    async with process.database.tenant(tenant.id) as tx:
        await events.move_event(tx, sale.event_id, Lifecycle.POSTPONE, reason="storm")
    assert await shown() == [AVAILABLE, HELD, AVAILABLE, AVAILABLE]
    async with process.database.tenant(tenant.id) as tx:
        await events.move_event(tx, sale.event_id, Lifecycle.CANCEL, reason="storm")
    assert await shown() == [AVAILABLE] * 4
    assert BLOCKED not in await shown()


async def test_many_holds_end_in_one_go(
    process: Services, tenant: Tenant, owner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More than fit into one statement."""
    monkeypatch.setattr(actions, "ENDED_AT_ONCE", 7)
    sale = await stage(process, tenant, hall(3, 10))
    await asyncio.gather(*(hold(process, tenant, sale, new_id(), *seats(sale, n)) for n in range(30)))
    async with process.database.tenant(tenant.id) as tx:
        await events.move_event(tx, sale.event_id, Lifecycle.CANCEL, reason="storm")
    assert await statuses(owner, sale) == ["cancelled"] * 30
