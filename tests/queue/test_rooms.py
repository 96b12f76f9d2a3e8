"""The life of a waiting room: it opens and closes by itself, and does what its organiser says."""

from datetime import timedelta
from typing import Any

import pytest

from fullhouse.kit.db.database import Database
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from fullhouse.waiting_room import entry_actions, policy
from fullhouse.waiting_room.model import AdmissionRequired, CheckoutFull, JoiningClosed, WrongState
from fullhouse.waiting_room.rooms import WaitingRooms
from tests.events.helpers import announced, trail
from tests.fixtures import Tenant
from tests.holds.helpers import OnSale, hold, seats
from tests.queue.helpers import (
    Shift,
    crowd,
    entries,
    finish,
    join,
    keep,
    order,
    person,
    poll,
    settle,
    soon,
    state,
    statuses,
)

# --- by itself


@pytest.mark.req("CHK-1", "QUEUE-2")
async def test_it_opens_when_slots_run_out_and_closes_when_nobody_waits(
    process: Services, finder: Database, tenant: Tenant, sale: OnSale, owner: Any
) -> None:
    people = await crowd(process, tenant, sale, 8)
    assert [place.status for _, place in people] == ["admitted"] * 5 + ["waiting"] * 3
    assert [(place.seq, place.position, place.ahead) for _, place in people[5:]] == [(6, 1, 0), (7, 2, 1), (8, 3, 2)]
    assert await state(owner, sale) == "open"
    for user_id, _ in people[:2]:
        await finish(process, tenant, sale, user_id)

    async def two_more() -> bool:
        return await statuses(owner, sale) == ["done"] * 2 + ["admitted"] * 5 + ["waiting"]

    await soon(two_more)  # without the worker: whoever finishes lets the next in

    async def told() -> bool:  # from memory, which hears of it a moment later
        last, before = [await poll(process, tenant, sale, *people[n]) for n in (7, 6)]
        return (last.status, last.position, before.status) == ("waiting", 1, "admitted")

    await soon(told)
    for user_id, _ in people[2:4]:
        await finish(process, tenant, sale, user_id, bought=False)
    await keep(process, finder)
    assert await state(owner, sale) == "closed"
    assert (await join(process, tenant, sale)).status == "admitted"
    facts = [fact["name"] for fact in await announced(owner, {"id": str(sale.event_id)})]
    assert [name for name in facts if name.startswith("queue.")] == ["queue.opened", "queue.closed"]
    said = [row["action"] for row in await trail(owner, tenant, {"id": str(sale.event_id)})]
    assert [action for action in said if action.startswith("queue.")] == ["queue.opened", "queue.closed"]


@pytest.mark.req("QUEUE-1")
async def test_joining_twice_is_the_same_place(process: Services, tenant: Tenant, sale: OnSale, owner: Any) -> None:
    await settle(process, tenant, sale, mode="on", slots=1)
    inside, waiting = await crowd(process, tenant, sale, 2)
    assert (await join(process, tenant, sale, inside[0])).seq == inside[1].seq
    again = await join(process, tenant, sale, waiting[0])
    assert (again.seq, again.status, again.position) == (waiting[1].seq, "waiting", 1)
    assert len(await entries(owner, sale)) == 2


@pytest.mark.req("QUEUE-2")
async def test_who_holds_seats_when_it_opens_comes_first(
    process: Services, finder: Database, tenant: Tenant, sale: OnSale, owner: Any
) -> None:
    """In front of everybody, inside while there are slots, and on the clock of their own holds."""
    holders = [new_id() for _ in range(3)]
    for n, user_id in enumerate(holders):
        assert (await hold(process, tenant, sale, user_id, *seats(sale, n)))[0].is_granted
    await settle(process, tenant, sale, mode="on", slots=2)
    rows = await entries(owner, sale)
    assert [(row["user_id"], row["status"]) for row in rows] == [
        (holders[0], "admitted"),
        (holders[1], "admitted"),
        (holders[2], "waiting"),
    ]
    until = await owner.fetchval("SELECT held_until FROM seat_holds WHERE user_id = $1", holders[0])
    assert rows[0]["expires_at"] == until
    assert (await join(process, tenant, sale)).ahead == 1
    await finish(process, tenant, sale, holders[0])
    await keep(process, finder)
    assert await statuses(owner, sale) == ["done", "admitted", "admitted", "waiting"]


@pytest.mark.req("QUEUE-2")
async def test_while_it_is_open_only_the_admitted_may_choose(
    process: Services, finder: Database, tenant: Tenant, sale: OnSale, owner: Any
) -> None:
    stranger = person(tenant)
    await entry_actions.check_admitted(process, stranger, sale.event_id, 300)  # closed: everybody may
    assert process.part(WaitingRooms).is_open(sale.event_id) is False
    await settle(process, tenant, sale, mode="on", slots=1)
    (inside, first), (outside, _) = await crowd(process, tenant, sale, 2)
    for nobody in (stranger, person(tenant, outside)):
        with pytest.raises(AdmissionRequired):
            await entry_actions.check_admitted(process, nobody, sale.event_id, 300)
    await entry_actions.check_admitted(process, person(tenant, inside), sale.event_id, 300)
    row = (await entries(owner, sale))[0]
    assert first.expires_at
    assert timedelta(seconds=170) < row["expires_at"] - first.expires_at < timedelta(seconds=190)  # 300 for 120
    await order(process, tenant, sale, "drain")
    await finish(process, tenant, sale, inside)
    await keep(process, finder)
    await finish(process, tenant, sale, outside)
    await keep(process, finder)
    await entry_actions.check_admitted(process, stranger, sale.event_id, 300)


@pytest.mark.req("QUEUE-2")
async def test_nobody_is_sent_away_for_a_room_that_has_closed(
    process: Services, tenant: Tenant, sale: OnSale, owner: Any
) -> None:
    """Another process has closed it, and this one has not heard of it yet."""
    await settle(process, tenant, sale, mode="on", slots=1)
    stranger = person(tenant)
    with pytest.raises(AdmissionRequired):
        await entry_actions.check_admitted(process, stranger, sale.event_id, 300)
    await owner.execute("UPDATE queue_rooms SET state = 'closed' WHERE event_id = $1", sale.event_id)
    assert process.part(WaitingRooms).is_open(sale.event_id)
    await entry_actions.check_admitted(process, stranger, sale.event_id, 300)
    assert process.part(WaitingRooms).is_open(sale.event_id) is None  # and it looks again


async def test_choosing_keeps_a_slot_for_half_an_hour_in_all(
    process: Services, tenant: Tenant, sale: OnSale, owner: Any, clock: Shift
) -> None:
    await settle(process, tenant, sale, mode="on", admit_window_s=1800)
    ((inside, _),) = await crowd(process, tenant, sale, 1)
    await clock(timedelta(minutes=28))
    await entry_actions.check_admitted(process, person(tenant, inside), sale.event_id, 600)
    (row,) = await entries(owner, sale)
    assert row["expires_at"] - row["admitted_at"] == policy.CHOOSING_MAX
    await clock(timedelta(minutes=31))
    with pytest.raises(AdmissionRequired):
        await entry_actions.check_admitted(process, person(tenant, inside), sale.event_id, 600)


# --- the organiser


@pytest.mark.req("QUEUE-2", "AUD-1")
async def test_pause_resume_and_drain(
    process: Services, finder: Database, tenant: Tenant, sale: OnSale, owner: Any
) -> None:
    await settle(process, tenant, sale, mode="on", slots=1)
    (inside, _), waiting = await crowd(process, tenant, sale, 2)
    await order(process, tenant, sale, "pause")
    await finish(process, tenant, sale, inside)
    await keep(process, finder)
    assert await statuses(owner, sale) == ["done", "waiting"]
    assert (await join(process, tenant, sale)).room == "paused"

    async def heard() -> bool:
        return (await poll(process, tenant, sale, *waiting)).room == "paused"

    await soon(heard)
    with pytest.raises(WrongState):
        await order(process, tenant, sale, "pause")
    await order(process, tenant, sale, "resume")
    await keep(process, finder)
    assert await statuses(owner, sale) == ["done", "admitted", "waiting"]
    await order(process, tenant, sale, "drain")
    with pytest.raises(JoiningClosed):
        await join(process, tenant, sale)
    assert (await join(process, tenant, sale, waiting[0])).status == "admitted"  # who stands in it, stays
    await finish(process, tenant, sale, waiting[0])
    await keep(process, finder)
    assert await statuses(owner, sale) == ["done", "done", "admitted"]
    said = [row for row in await trail(owner, tenant, {"id": str(sale.event_id)}) if row["action"].startswith("queue.")]
    orders = ["queue.settings_changed", "queue.opened", "queue.paused", "queue.resumed", "queue.draining"]
    assert [row["action"] for row in said] == orders
    assert {row["actor_id"] for row in said} == {tenant.people["owner"].id}
    facts = [fact["name"] for fact in await announced(owner, {"id": str(sale.event_id)})]
    assert [name for name in facts if name.startswith("queue.")] == orders


@pytest.mark.req("CHK-1")
async def test_the_limit_can_be_raised_and_lowered_and_puts_nobody_out(
    process: Services, finder: Database, tenant: Tenant, sale: OnSale, owner: Any
) -> None:
    await settle(process, tenant, sale, mode="on", slots=2)
    people = await crowd(process, tenant, sale, 6)
    await settle(process, tenant, sale, mode="on", slots=4)
    await keep(process, finder)
    assert (await statuses(owner, sale)).count("admitted") == 4
    await settle(process, tenant, sale, mode="on", slots=1)
    for n, (user_id, _) in enumerate(people[:4]):
        assert (await statuses(owner, sale)).count("admitted") == max(1, 4 - n)
        await finish(process, tenant, sale, user_id)
        await keep(process, finder)
    assert (await statuses(owner, sale))[4:] == ["admitted", "waiting"]


async def test_without_a_waiting_room_the_checkout_is_busy_when_it_is_full(
    process: Services, tenant: Tenant, sale: OnSale
) -> None:
    await settle(process, tenant, sale, mode="off", slots=1)
    await join(process, tenant, sale)
    with pytest.raises(CheckoutFull):
        await join(process, tenant, sale)
