"""The life of a waiting room: it opens and closes by itself, lets in exactly as many as may, and forgets nobody."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from fullhouse.events import actions as events
from fullhouse.events.policy import Move
from fullhouse.kit.bus import RESYNC
from fullhouse.kit.db import Database
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from fullhouse.queue import actions, entry_actions, policy
from fullhouse.queue.model import (
    AdmissionRequired,
    CheckoutFull,
    LineClosed,
    NotInQueue,
    QueueCooldown,
    SalesClosed,
    SoldOut,
    WrongState,
)
from fullhouse.queue.rooms import Queue
from tests.checkout.helpers import add_type, selling_types
from tests.events.helpers import announced, trail
from tests.fixtures import Client, Tenant
from tests.holds.helpers import OnSale, a_process, hall, hold, seats, stage
from tests.queue.helpers import (
    crowd,
    entries,
    finish,
    join,
    keep,
    leave,
    order,
    person,
    poll,
    settle,
    soon,
    state,
    statuses,
)

Shift = Callable[[timedelta], Any]


async def sell_everything(owner: Any, sale: OnSale, *, but: int = 0) -> None:
    await owner.execute(
        "UPDATE event_seats SET status = 'sold', ticket_id = gen_random_uuid(), hold_id = NULL, held_until = NULL"
        " WHERE event_id = $1 AND ordinal >= $2", sale.event_id, but,
    )  # fmt: skip


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
        assert (await hold(process, tenant, sale, user_id, *seats(sale, n)))[0].good
    await settle(process, tenant, sale, mode="on", slots=2)
    rows = await entries(owner, sale)
    assert [(row["user_id"], row["status"]) for row in rows] == [
        (holders[0], "admitted"), (holders[1], "admitted"), (holders[2], "waiting"),
    ]  # fmt: skip
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
    assert process.part(Queue).is_open(sale.event_id) is False
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
    assert process.part(Queue).is_open(sale.event_id)
    await entry_actions.check_admitted(process, stranger, sale.event_id, 300)
    assert process.part(Queue).is_open(sale.event_id) is None  # and it looks again


async def test_choosing_keeps_a_slot_for_half_an_hour_in_all(
    process: Services, tenant: Tenant, sale: OnSale, owner: Any, clock: Shift
) -> None:
    await settle(process, tenant, sale, mode="on", admit_window_s=1800)
    ((inside, _),) = await crowd(process, tenant, sale, 1)
    await clock(timedelta(minutes=28))
    await entry_actions.check_admitted(process, person(tenant, inside), sale.event_id, 600)
    (row,) = await entries(owner, sale)
    assert row["expires_at"] - row["admitted_at"] == policy.CHOOSING
    await clock(timedelta(minutes=31))
    with pytest.raises(AdmissionRequired):
        await entry_actions.check_admitted(process, person(tenant, inside), sale.event_id, 600)


# --- time


@pytest.mark.req("QUEUE-2")
async def test_an_admitted_person_who_does_nothing_loses_the_slot(
    process: Services, finder: Database, tenant: Tenant, sale: OnSale, owner: Any, clock: Shift
) -> None:
    await settle(process, tenant, sale, mode="on", slots=1, admit_window_s=60)
    (idle, first), (busy, _), (_, _) = await crowd(process, tenant, sale, 3)
    await clock(timedelta(seconds=61))
    await keep(process, finder)
    assert await statuses(owner, sale) == ["expired", "admitted", "waiting"]
    assert (await poll(process, tenant, sale, idle, first)).status == "expired"
    async with process.database.tenant(tenant.id) as tx:
        slot = await actions.admission(tx, sale.event_id, busy, lock=True)
        assert slot
        longer = await actions.prolong(tx, sale.event_id, busy, slot.expires_at + timedelta(minutes=9))
        assert longer
        shorter = await actions.prolong(tx, sale.event_id, busy, slot.expires_at)
    assert longer == shorter
    await clock(timedelta(seconds=61 + 60 + 530))
    await keep(process, finder)
    assert (await statuses(owner, sale))[1:] == ["admitted", "waiting"]
    again = await join(process, tenant, sale, idle)
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
    seen = (await entries(owner, sale))[2]
    assert seen["seen_at"] - seen["joined_at"] > timedelta(minutes=28)
    await clock(timedelta(minutes=30, seconds=5))
    await keep(process, finder)
    assert await statuses(owner, sale) == ["expired", "expired", "admitted", "expired"]
    assert (await poll(process, tenant, sale, *quiet)).status == "expired"
    assert (await poll(process, tenant, sale, *people[2])).status == "admitted"


async def test_a_poll_is_written_down_rarely(
    process: Services, tenant: Tenant, sale: OnSale, owner: Any, clock: Shift
) -> None:
    await settle(process, tenant, sale, mode="on", slots=1)
    _, waiting = await crowd(process, tenant, sale, 2)
    before = (await entries(owner, sale))[1]["seen_at"]
    await clock(timedelta(minutes=4))
    await process.clock.measure()
    for _ in range(3):
        await poll(process, tenant, sale, *waiting)
    assert (await entries(owner, sale))[1]["seen_at"] == before
    await clock(timedelta(minutes=6))
    await process.clock.measure()
    found = await poll(process, tenant, sale, *waiting)
    (row,) = (await entries(owner, sale))[1:]
    assert row["seen_at"] - before > timedelta(minutes=5)
    assert found.expires_at
    assert abs(found.expires_at - row["expires_at"]) < timedelta(seconds=3)


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
    with pytest.raises(LineClosed):
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


# --- the show


@pytest.mark.req("BUY-6")
@pytest.mark.req("BUY-6")
async def test_what_is_no_longer_sold_is_nothing_to_wait_for(
    process: Services, client: Client, tenant: Tenant, owner: Any, clock: Any
) -> None:
    """Early birds were left when their time was over: all the others are sold."""
    staff = client.as_(tenant.tokens["owner"])
    show = (await selling_types(staff, 1)).show
    until = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    await add_type(staff, show.event_id, name="early", price=1000, quantity=5, kind="ga", sale_end_at=until)
    await owner.execute(
        "UPDATE pools SET sold = capacity WHERE event_id = $1 AND kind = 'ticket_type' AND capacity = 1", show.event_id
    )
    await settle(process, tenant, show, mode="on", slots=1)
    assert (await join(process, tenant, show)).status in ("waiting", "admitted")
    await clock(timedelta(hours=2))
    with pytest.raises(SoldOut):
        await join(process, tenant, show)


async def test_nobody_waits_for_nothing(
    process: Services, finder: Database, tenant: Tenant, sale: OnSale, owner: Any
) -> None:
    await settle(process, tenant, sale, mode="on", slots=1)
    (inside, _), waiting = await crowd(process, tenant, sale, 2)
    await sell_everything(owner, sale, but=1)
    assert (await join(process, tenant, sale)).status == "waiting"  # one seat is left
    await sell_everything(owner, sale)
    with pytest.raises(SoldOut):
        await join(process, tenant, sale)
    await finish(process, tenant, sale, inside)
    await keep(process, finder)
    assert await statuses(owner, sale) == ["done", "waiting", "waiting"]

    async def told() -> bool:
        return (await poll(process, tenant, sale, *waiting)).status == "sold_out"

    await soon(told)
    await owner.execute(
        "UPDATE event_seats SET status = 'available', ticket_id = NULL WHERE event_id = $1 AND ordinal = 3",
        sale.event_id,
    )
    await keep(process, finder)  # a ticket came back
    assert await statuses(owner, sale) == ["done", "admitted", "waiting"]


@pytest.mark.req("QUEUE-1")
async def test_joining_needs_a_show_that_sells(
    process: Services, services: Services, tenant: Tenant, owner: Any, clock: Shift
) -> None:
    sale = await stage(services, tenant, hall(1, 4))
    await owner.execute("UPDATE events SET sale_start_at = now() + interval '1 day' WHERE id = $1", sale.event_id)
    with pytest.raises(SalesClosed):
        await join(process, tenant, sale)
    await clock(timedelta(days=2))
    assert (await join(process, tenant, sale)).status == "admitted"


async def test_a_show_that_is_cancelled_closes_its_room(
    process: Services, finder: Database, tenant: Tenant, sale: OnSale, owner: Any
) -> None:
    await settle(process, tenant, sale, mode="on", slots=1)
    _, waiting = await crowd(process, tenant, sale, 2)
    async with process.database.tenant(tenant.id) as tx:
        await events.move_event(tx, sale.event_id, Move.CANCEL)

    async def told() -> bool:
        return (await poll(process, tenant, sale, *waiting)).status == "closed"

    await soon(told)
    await keep(process, finder)
    assert await statuses(owner, sale) == ["admitted", "waiting"]  # nobody is let in; their time ends


# --- memory


@pytest.mark.req("QUEUE-2")
async def test_a_process_that_starts_knows_every_place(
    process: Services, tenant: Tenant, sale: OnSale, server_url: str, tmp_path: Path
) -> None:
    await settle(process, tenant, sale, mode="on", slots=3)
    people = await crowd(process, tenant, sale, 10)
    await leave(process, tenant, sale, people[4][0])
    before = [await poll(process, tenant, sale, *one) for one in people]
    async with a_process(server_url, tmp_path) as another:
        after = [await poll(another, tenant, sale, *one) for one in people]
    assert [(p.seq, p.status, p.position) for p in after] == [(p.seq, p.status, p.position) for p in before]
    assert [p.position for p in after] == [None, None, None, 1, None, 2, 3, 4, 5, 6]


@pytest.mark.req("QUEUE-2")
async def test_processes_tell_each_other_and_look_again_when_they_missed_something(
    process: Services, tenant: Tenant, sale: OnSale, owner: Any, server_url: str, tmp_path: Path
) -> None:
    await settle(process, tenant, sale, mode="on", slots=1)
    async with a_process(server_url, tmp_path) as another:
        await crowd(process, tenant, sale, 3)
        mine = await crowd(another, tenant, sale, 2)
        assert [place.position for _, place in mine] == [3, 4]
        (first,) = await crowd(process, tenant, sale, 1)

        async def heard() -> bool:
            return (await poll(another, tenant, sale, *first)).position == 5

        await soon(heard)
        await owner.execute(  # behind everybody's back
            "UPDATE queue_entries SET status = 'left' WHERE event_id = $1 AND seq = 2", sale.event_id
        )
        assert (await poll(another, tenant, sale, *first)).position == 5
        another.bus.deliver([(RESYNC, None)])

        async def right() -> bool:
            return (await poll(another, tenant, sale, *first)).position == 4

        await soon(right)


@pytest.mark.req("QUEUE-2")
async def test_the_wait_is_measured(process: Services, tenant: Tenant, sale: OnSale, clock: Shift) -> None:
    await settle(process, tenant, sale, mode="on", slots=1)
    people = await crowd(process, tenant, sale, 30)
    assert people[-1][1].eta_low_s is None
    for n in range(10):
        await clock(timedelta(seconds=20 * (n + 1)))
        await process.clock.measure()
        await finish(process, tenant, sale, people[n][0])

        async def let_in(n: int = n) -> bool:
            return (await poll(process, tenant, sale, *people[n + 1])).status == "admitted"

        await soon(let_in)
    found = await poll(process, tenant, sale, *people[-1])
    assert found.ahead == 18
    assert found.eta_low_s
    assert found.eta_high_s
    assert found.eta_low_s < 19 * 20 < found.eta_high_s < 3 * 19 * 20
