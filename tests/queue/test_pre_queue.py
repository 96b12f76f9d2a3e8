"""The pre-queue: people gather, a draw orders them that anybody can do again, and whoever comes later stands behind."""

import hashlib
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from fullhouse.kit.db.database import Database
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from fullhouse.waiting_room import jobs, store
from fullhouse.waiting_room.model import Place, PreQueueTooLate, WrongState
from tests.accounts.helpers import data, refused
from tests.fixtures import Client, Tenant
from tests.holds.helpers import OnSale, a_process, hall, on_sale
from tests.queue.helpers import Shift, crowd, entries, finish, join, keep, order, poll, settle, soon, state
from tests.queue.test_draw import recomputed

PEOPLE = 40


@pytest.fixture
async def upcoming(staff: Client) -> OnSale:
    """The sale begins in a day."""
    begins = datetime.now(UTC) + timedelta(days=1)
    return await on_sale(staff, hall(4, 25), event={"sale_start_at": begins.isoformat()})


async def gather(process: Services, tenant: Tenant, sale: OnSale, people: int = PEOPLE) -> list[tuple[UUID, Place]]:
    opens_at = datetime.now(UTC) + timedelta(days=1)
    await settle(process, tenant, sale, mode="on", slots=3, opens_at=opens_at, admit_window_s=600)
    return await crowd(process, tenant, sale, people)


async def come(process: Services, tenant: Tenant, sale: OnSale, people: list[tuple[UUID, Place]]) -> None:
    """They look where they stand."""
    await process.clock.measure()
    for one in people:
        await poll(process, tenant, sale, *one)


async def move_to_opening(clock: Shift, owner: Any, sale: OnSale, seconds: float) -> None:
    """So many seconds after the room opens, however long it took to get everybody together."""
    left = await owner.fetchval("SELECT opens_at - now() FROM queue_rooms WHERE event_id = $1", sale.event_id)
    await clock(left + timedelta(seconds=seconds))


@pytest.mark.req("QUEUE-1")
async def test_the_order_is_the_draws_and_everybody_can_check_it(
    process: Services, finder: Database, client: Client, tenant: Tenant, upcoming: OnSale, owner: Any, clock: Shift
) -> None:
    people = await gather(process, tenant, upcoming)
    before = data(await client.get(upcoming.path("queue/draw")))
    assert (before["state"], before["seed"], before["tickets"]) == ("pre", None, None)
    assert {place.seed_hash for _, place in people} == {before["seed_hash"]}
    assert {(place.status, place.room, place.position, place.expires_at) for _, place in people} == {
        ("waiting", "pre", None, None)
    }
    assert [place.seq for _, place in people] == list(range(1, PEOPLE + 1))
    await keep(process, finder)
    assert await state(owner, upcoming) == "pre"  # not before its time

    await clock(timedelta(days=1, minutes=1))
    await come(process, tenant, upcoming, people)
    await keep(process, finder)
    after = data(await client.get(upcoming.path("queue/draw")))
    assert hashlib.sha256(bytes.fromhex(after["seed"])).hexdigest() == before["seed_hash"] == after["seed_hash"]
    assert after["tickets"] == PEOPLE
    expected = recomputed(after["seed"], after["tickets"])
    rows = await entries(owner, upcoming)
    assert {row["seq"]: row["place"] for row in rows} == expected
    assert {row["seq"] for row in rows if row["status"] == "admitted"} == {n for n, at in expected.items() if at <= 3}
    (until,) = {row["expires_at"] for row in rows if row["status"] == "waiting"}
    (let_in_at,) = {row["admitted_at"] for row in rows if row["status"] == "admitted"}
    drawn_at = until - timedelta(minutes=30)
    assert max(row["seen_at"] for row in rows) <= drawn_at <= let_in_at

    async def told() -> bool:
        found = [await poll(process, tenant, upcoming, *one) for one in people]
        return [place.position for place in found] == [
            None if expected[place.seq] <= 3 else expected[place.seq] - 3 for place in found
        ]

    await soon(told)
    late = await join(process, tenant, upcoming)
    assert (late.seq, late.position) == (PEOPLE + 1, PEOPLE - 3 + 1)


async def test_a_draw_goes_on_where_it_was_left_and_nobody_is_let_in_before_it_is_done(
    process: Services,
    finder: Database,
    tenant: Tenant,
    upcoming: OnSale,
    owner: Any,
    clock: Shift,
    server_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    people = await gather(process, tenant, upcoming)
    monkeypatch.setattr(jobs, "DRAWN_AT_ONCE", 7)
    draws = 0

    async def dies(tx: Any, **drawn: Any) -> Any:
        nonlocal draws
        draws += drawn["event_id"] == upcoming.event_id  # the worker draws for shows of other tests too
        if draws == 3:
            raise ConnectionError("the worker is gone")
        return await drawing(tx, **drawn)

    drawing = store.write_places
    monkeypatch.setattr(store, "write_places", dies)
    await clock(timedelta(days=1, minutes=1))
    await come(process, tenant, upcoming, people)
    await keep(process, finder)
    rows = await entries(owner, upcoming)
    assert sum(row["place"] is not None for row in rows) == 14
    assert {row["status"] for row in rows} == {"waiting"}
    late = await join(process, tenant, upcoming)
    assert (late.status, late.position) == ("waiting", None)
    await keep(process, finder)
    rows = await entries(owner, upcoming)
    seed = await owner.fetchval("SELECT encode(seed, 'hex') FROM queue_rooms WHERE event_id = $1", upcoming.event_id)
    expected = recomputed(seed, PEOPLE) | {PEOPLE + 1: PEOPLE + 1}
    assert {row["seq"]: row["place"] for row in rows} == expected
    assert {row["seq"] for row in rows if row["status"] == "admitted"} == {n for n, at in expected.items() if at <= 3}
    async with a_process(server_url, tmp_path) as another:  # and a process that starts now knows it
        await another.clock.measure()
        found = [await poll(another, tenant, upcoming, *one) for one in people]
    assert [p.position for p in found] == [None if expected[p.seq] <= 3 else expected[p.seq] - 3 for p in found]


@pytest.mark.req("QUEUE-2")
async def test_who_is_gone_when_it_opens_is_passed_over_and_keeps_the_place(
    process: Services,
    finder: Database,
    tenant: Tenant,
    upcoming: OnSale,
    owner: Any,
    clock: Shift,
    server_url: str,
    tmp_path: Path,
) -> None:
    """Seen to let in whoever had a good number, there or not, when the draw counted as a sign of life."""
    people = await gather(process, tenant, upcoming, 16)
    await move_to_opening(clock, owner, upcoming, -20)
    there = people[::2]
    async with a_process(server_url, tmp_path) as another:  # where somebody is heard of does not matter
        await come(process, tenant, upcoming, there[:4])
        await come(another, tenant, upcoming, there[4:])
    await move_to_opening(clock, owner, upcoming, 1)
    await process.clock.measure()
    await keep(process, finder)
    rows = {row["seq"]: row for row in await entries(owner, upcoming)}
    places = {seq: row["place"] for seq, row in rows.items()}
    seed = await owner.fetchval("SELECT encode(seed, 'hex') FROM queue_rooms WHERE event_id = $1", upcoming.event_id)
    assert places == recomputed(seed, 16)
    present = sorted((place.seq for _, place in there), key=lambda seq: places[seq])
    assert {seq for seq, row in rows.items() if row["status"] == "admitted"} == set(present[:3])
    assert {row["status"] for row in rows.values()} == {"admitted", "waiting"}

    # One of them comes back: at the place that was drawn, and inside as soon as it is their turn.
    away = min((one for one in people if one not in there), key=lambda one: places[one[1].seq])

    async def at_its_place() -> bool:
        before = [seq for seq in present[3:] if places[seq] < places[away[1].seq]]  # nobody counts who is gone
        return (await poll(process, tenant, upcoming, *away)).ahead == len(before)

    await soon(at_its_place)
    inside = next(user_id for user_id, place in there if place.seq == present[0])
    await finish(process, tenant, upcoming, inside)
    await keep(process, finder)
    rows = {row["seq"]: row for row in await entries(owner, upcoming)}
    best = min(away[1].seq, present[3], key=lambda seq: places[seq])
    assert {seq for seq, row in rows.items() if row["status"] == "admitted"} == {*present[1:3], best}

    await clock(timedelta(days=1, minutes=29))
    waiting = [place.seq for _, place in (*there, away)]

    async def all_are_heard() -> bool:
        """Of somebody whose row another statement has at that moment, the next poll is heard."""
        await come(process, tenant, upcoming, [*there, away])
        return bool(
            await owner.fetchval(
                "SELECT NOT EXISTS (SELECT FROM queue_entries WHERE event_id = $1 AND seq = ANY ($2)"
                " AND status = 'waiting' AND seen_at < app.clock() - interval '10 minutes')",
                upcoming.event_id,
                waiting,
            )
        )

    await soon(all_are_heard)
    await clock(timedelta(days=1, minutes=31))
    await keep(process, finder)
    rows = {row["seq"]: row for row in await entries(owner, upcoming)}
    gone = {place.seq for user_id, place in people if (user_id, place) not in (*there, away)}
    assert {seq for seq, row in rows.items() if row["status"] == "expired" and not row["admitted_at"]} == gone


async def test_to_come_again_before_it_opens_is_a_sign_of_life(
    process: Services, tenant: Tenant, upcoming: OnSale, owner: Any, clock: Shift
) -> None:
    people = await gather(process, tenant, upcoming, 2)
    await clock(timedelta(hours=20))
    await process.clock.measure()
    again = await join(process, tenant, upcoming, people[0][0])
    assert (again.seq, again.status, again.expires_at) == (1, "waiting", None)
    first, second = await entries(owner, upcoming)
    assert first["seen_at"] - second["seen_at"] > timedelta(hours=19)
    assert first["expires_at"] == second["expires_at"]  # their time has not begun


async def test_whoever_holds_something_is_drawn_like_everybody(
    process: Services, tenant: Tenant, upcoming: OnSale, owner: Any
) -> None:
    """A show that sold, was postponed, and gathers for a new sale: what is held waits with it, and nobody stands before
    the draw."""
    await owner.execute("SET session_replication_role = replica")
    await owner.execute(
        "INSERT INTO seat_holds (id, organization_id, event_id, basket_id, user_id, ticket_type_id, status, held_until,"
        " source) VALUES ($1, $2, $3, $1, $1, $1, 'suspended', 'infinity', 'web')",
        new_id(),
        tenant.id,
        upcoming.event_id,
    )
    await gather(process, tenant, upcoming, 0)
    found = await entries(owner, upcoming)
    await owner.execute("DELETE FROM seat_holds WHERE event_id = $1", upcoming.event_id)
    await owner.execute("SET session_replication_role = DEFAULT")
    assert found == []


async def test_the_organiser_may_open_early(
    process: Services, finder: Database, tenant: Tenant, upcoming: OnSale, owner: Any, clock: Shift
) -> None:
    await gather(process, tenant, upcoming, 4)
    await order(process, tenant, upcoming, "open")
    await keep(process, finder)
    rows = await entries(owner, upcoming)
    assert sorted(row["place"] for row in rows) == [1, 2, 3, 4]
    assert {row["status"] for row in rows} == {"waiting"}  # the sale has not begun
    await owner.execute("UPDATE events SET sale_start_at = app.clock() WHERE id = $1", upcoming.event_id)
    await keep(process, finder)
    assert [row["place"] for row in await entries(owner, upcoming) if row["status"] == "waiting"] == [4]


async def test_a_pre_queue_is_for_before_the_sale(
    process: Services, client: Client, tenant: Tenant, sale: OnSale, upcoming: OnSale
) -> None:
    later = datetime.now(UTC) + timedelta(hours=1)
    with pytest.raises(PreQueueTooLate):
        await settle(process, tenant, sale, mode="on", opens_at=later)
    assert refused(await client.get(sale.path("queue/draw"))) == (404, "not_in_queue")
    await settle(process, tenant, upcoming, mode="on", opens_at=later)
    with pytest.raises(WrongState):  # they gather: it opens, or it opens later
        await settle(process, tenant, upcoming, mode="auto")
    moved = await settle(process, tenant, upcoming, mode="on", opens_at=later + timedelta(hours=1))
    assert (moved.state, moved.opens_at) == ("pre", later + timedelta(hours=1))


async def test_the_seed_is_sealed_until_it_is_shown(
    process: Services, tenant: Tenant, upcoming: OnSale, owner: Any
) -> None:
    await gather(process, tenant, upcoming, 1)
    before = await owner.fetchrow("SELECT * FROM queue_rooms WHERE event_id = $1", upcoming.event_id)
    assert before["seed"] is None
    await order(process, tenant, upcoming, "open")
    after = await owner.fetchrow("SELECT * FROM queue_rooms WHERE event_id = $1", upcoming.event_id)
    assert after["seed"] not in before["sealed_seed"]
    assert hashlib.sha256(after["seed"]).digest() == before["seed_hash"]
