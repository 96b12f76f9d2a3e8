"""A place in the line is kept by a sign of life, and lost by silence or by leaving; a slot is lost by doing nothing."""

from datetime import timedelta
from typing import Any

import pytest

from fullhouse.kit.db.database import Database
from fullhouse.kit.services import Services
from fullhouse.waiting_room import actions, policy
from fullhouse.waiting_room.model import CheckoutFull, NotInQueue, QueueCooldown
from tests.fixtures import Tenant
from tests.holds.helpers import OnSale
from tests.queue.helpers import Shift, crowd, entries, finish, idle, join, keep, leave, poll, settle, state, statuses

# --- time


@pytest.mark.req("QUEUE-2")
async def test_an_admitted_person_who_does_nothing_loses_the_slot(
    process: Services, finder: Database, tenant: Tenant, sale: OnSale, owner: Any, clock: Shift
) -> None:
    await settle(process, tenant, sale, mode="on", slots=1, admit_window_s=60)
    (lazy, first), second, third = await crowd(process, tenant, sale, 3)
    busy = second[0]
    await clock(timedelta(seconds=50))
    await keep(process, finder)
    assert await statuses(owner, sale) == ["admitted", "waiting", "waiting"]
    await clock(timedelta(seconds=61))
    await process.clock.measure()
    for waiting in (second, third):
        await poll(process, tenant, sale, *waiting)
    await keep(process, finder)
    assert await statuses(owner, sale) == ["expired", "admitted", "waiting"]
    assert (await poll(process, tenant, sale, lazy, first)).status == "expired"
    async with process.database.tenant(tenant.id) as tx:
        slot = await actions.find_admission(tx, sale.event_id, busy, lock=True)
        assert slot
        longer = await actions.extend_slot(tx, sale.event_id, busy, slot.expires_at + timedelta(minutes=9))
        assert longer
        shorter = await actions.extend_slot(tx, sale.event_id, busy, slot.expires_at)
    assert longer == shorter
    await clock(timedelta(seconds=61 + 60 + 530))
    await keep(process, finder)
    assert (await statuses(owner, sale))[1:] == ["admitted", "waiting"]
    await poll(process, tenant, sale, *third)
    again = await join(process, tenant, sale, lazy)
    assert (again.seq, again.status, again.position) == (4, "waiting", 2)  # at the end, and without a cooldown


@pytest.mark.req("QUEUE-1")
async def test_a_place_is_lost_half_an_hour_after_the_last_sign_of_life(
    process: Services, finder: Database, tenant: Tenant, sale: OnSale, owner: Any, clock: Shift
) -> None:
    await settle(process, tenant, sale, mode="on", slots=1, admit_window_s=1800)
    _, quiet, polls, _ = people = await crowd(process, tenant, sale, 4)
    for minutes in (4, 12, 20, 29):
        await clock(timedelta(minutes=minutes))
        await process.clock.measure()
        await poll(process, tenant, sale, *polls)
        await idle(process)
    seen = (await entries(owner, sale))[2]
    assert seen["seen_at"] - seen["joined_at"] > timedelta(minutes=28)
    await clock(timedelta(minutes=30, seconds=5))
    await process.clock.measure()
    await poll(process, tenant, sale, *polls)
    await keep(process, finder)
    assert await statuses(owner, sale) == ["expired", "expired", "admitted", "expired"]
    assert (await poll(process, tenant, sale, *quiet)).status == "expired"
    assert (await poll(process, tenant, sale, *people[2])).status == "admitted"


async def test_a_poll_near_the_front_is_written_down(
    process: Services, tenant: Tenant, sale: OnSale, owner: Any, clock: Shift
) -> None:
    await settle(process, tenant, sale, mode="on", slots=1)
    _, waiting = await crowd(process, tenant, sale, 2)
    before = (await entries(owner, sale))[1]["seen_at"]
    await poll(process, tenant, sale, *waiting)
    assert (await entries(owner, sale))[1]["seen_at"] == before  # it has only just come
    await clock(timedelta(seconds=waiting[1].next_poll_s))
    await process.clock.measure()
    await poll(process, tenant, sale, *waiting)
    assert (await entries(owner, sale))[1]["seen_at"] > before


async def test_a_poll_far_from_the_front_is_written_down_rarely(
    process: Services, tenant: Tenant, sale: OnSale, owner: Any, clock: Shift, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(policy, "NEAR", 0)
    await settle(process, tenant, sale, mode="on", slots=1)
    _, _, waiting = await crowd(process, tenant, sale, 3)  # the second is let in when the first one's time is over
    before = (await entries(owner, sale))[2]["seen_at"]
    await clock(timedelta(seconds=policy.HEARTBEAT_AFTER_S - 5))
    await process.clock.measure()
    for _ in range(3):
        await poll(process, tenant, sale, *waiting)
    assert (await entries(owner, sale))[2]["seen_at"] == before
    await clock(timedelta(minutes=6))
    await process.clock.measure()
    found = await poll(process, tenant, sale, *waiting)
    (row,) = (await entries(owner, sale))[2:]
    assert row["seen_at"] - before > timedelta(minutes=5)
    assert found.expires_at
    # By the sign of life that was written: a turn that comes right after it has a time of its own.
    assert abs(found.expires_at - row["seen_at"] - timedelta(seconds=policy.PLACE_S)) < timedelta(seconds=3)


async def test_a_sign_of_life_that_could_not_be_written_down_is_not_believed(
    process: Services, tenant: Tenant, sale: OnSale, owner: Any, clock: Shift
) -> None:
    """Somebody else has the row in hand, as a draw has thousands: the next poll says it again. Seen to be silent in the
    database, and so to be passed over, for as long as the process believed that it had been heard."""
    await settle(process, tenant, sale, mode="on", slots=1)
    _, waiting = await crowd(process, tenant, sale, 2)
    before = (await entries(owner, sale))[1]["seen_at"]
    await clock(timedelta(minutes=6))
    await process.clock.measure()
    async with owner.transaction():
        await owner.execute("SELECT FROM queue_entries WHERE event_id = $1 AND seq = 2 FOR UPDATE", sale.event_id)
        assert (await poll(process, tenant, sale, *waiting)).position == 1
    assert (await entries(owner, sale))[1]["seen_at"] == before
    await poll(process, tenant, sale, *waiting)
    assert (await entries(owner, sale))[1]["seen_at"] - before > timedelta(minutes=5)


@pytest.mark.req("QUEUE-2")
async def test_the_silent_are_passed_over_and_keep_their_place(
    process: Services, finder: Database, tenant: Tenant, sale: OnSale, owner: Any, clock: Shift
) -> None:
    await settle(process, tenant, sale, mode="on", slots=1, admit_window_s=1800)
    (inside, _), silent, alive, other = await crowd(process, tenant, sale, 4)
    await clock(timedelta(minutes=9))
    await process.clock.measure()
    await poll(process, tenant, sale, *alive)
    await finish(process, tenant, sale, inside)
    await keep(process, finder)
    assert await statuses(owner, sale) == ["done", "waiting", "admitted", "waiting"]
    back = await poll(process, tenant, sale, *silent)
    assert (back.status, back.position) == ("waiting", 1)
    await finish(process, tenant, sale, alive[0])
    await keep(process, finder)
    assert await statuses(owner, sale) == ["done", "admitted", "done", "waiting"]
    assert (await poll(process, tenant, sale, *other)).position == 1


# --- leaving


@pytest.mark.req("QUEUE-1")
async def test_whoever_leaves_the_line_waits_an_hour_before_joining_again(
    process: Services, tenant: Tenant, sale: OnSale, owner: Any, clock: Shift
) -> None:
    await settle(process, tenant, sale, mode="on", slots=1)
    (inside, _), (gone, place), behind = await crowd(process, tenant, sale, 3)
    await leave(process, tenant, sale, gone)
    assert (await poll(process, tenant, sale, gone, place)).status == "left"
    assert (await poll(process, tenant, sale, *behind)).position == 1
    with pytest.raises(NotInQueue):
        await leave(process, tenant, sale, gone)
    with pytest.raises(QueueCooldown) as refused:
        await join(process, tenant, sale, gone)
    assert 3590 <= (refused.value.retry_after_s or 0) <= 3600
    await clock(timedelta(minutes=59, seconds=50))
    with pytest.raises(QueueCooldown):
        await join(process, tenant, sale, gone)
    await clock(timedelta(minutes=60, seconds=5))
    assert (await join(process, tenant, sale, gone)).seq == 4
    assert inside


@pytest.mark.req("QUEUE-1", "CHK-1")
async def test_where_there_is_no_line_whoever_left_one_has_a_free_slot(
    process: Services, finder: Database, tenant: Tenant, sale: OnSale, owner: Any
) -> None:
    await settle(process, tenant, sale, slots=1)
    (first, _), (gone, place) = await crowd(process, tenant, sale, 2)
    assert (place.status, place.room) == ("waiting", "open")
    await leave(process, tenant, sale, gone)
    await finish(process, tenant, sale, first)
    with pytest.raises(QueueCooldown):
        await join(process, tenant, sale, gone)  # the room is open, and a line may form
    await keep(process, finder)
    again = await join(process, tenant, sale, gone)
    assert (again.status, again.room) == ("admitted", "closed")
    await finish(process, tenant, sale, gone)

    # Somebody else has the slot now. There is still no line, and none begins for who must not join it.
    assert (await join(process, tenant, sale)).room == "closed"
    with pytest.raises(QueueCooldown) as refused:
        await join(process, tenant, sale, gone)
    assert 3590 <= (refused.value.retry_after_s or 0) <= 3600
    assert await state(owner, sale) == "closed"
    await settle(process, tenant, sale, mode="off", slots=1)
    with pytest.raises(CheckoutFull):
        await join(process, tenant, sale, gone)


async def test_a_slot_is_given_back_freely(
    process: Services, finder: Database, tenant: Tenant, sale: OnSale, owner: Any
) -> None:
    await settle(process, tenant, sale, mode="on", slots=1)
    (inside, _), _ = await crowd(process, tenant, sale, 2)
    await leave(process, tenant, sale, inside)
    await keep(process, finder)
    assert await statuses(owner, sale) == ["left", "admitted"]
    assert (await join(process, tenant, sale, inside)).position == 1
