"""Whoever joins and vanishes is passed over after two missed polls, is counted by nobody, and keeps the place."""

from datetime import timedelta
from typing import Any

import pytest

from fullhouse.kit.db.database import Database
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from fullhouse.waiting_room import policy
from fullhouse.waiting_room.rooms import WaitingRooms
from tests.fixtures import Client, Tenant
from tests.holds.helpers import OnSale, guest
from tests.queue.helpers import Shift, come, crowd, entries, finish, keep, poll, settle, soon, statuses

pytestmark = pytest.mark.req("QUEUE-1", "QUEUE-2", "QUEUE-3")
EVERY = timedelta(seconds=policy.HEARTBEAT_MIN_S)
SECOND = timedelta(seconds=1)


async def _passed(process: Services, clock: Shift, time: timedelta) -> None:
    await clock(time)
    await process.clock.measure()


@pytest.mark.parametrize(("missed", "turn"), [(2 * EVERY - 3 * SECOND, "silent"), (2 * EVERY + SECOND, "alive")])
async def test_two_missed_polls_cost_the_turn_and_not_the_place(
    process: Services,
    finder: Database,
    tenant: Tenant,
    sale: OnSale,
    owner: Any,
    clock: Shift,
    missed: timedelta,
    turn: str,
) -> None:
    await settle(process, tenant, sale, mode="on", slots=1, admit_window_s=1800)
    (inside, _), silent, alive = await crowd(process, tenant, sale, 3)
    await _passed(process, clock, missed)
    assert (await poll(process, tenant, sale, *alive)).status == "waiting"
    await finish(process, tenant, sale, inside)
    await keep(process, finder)
    expected = ["done", "admitted", "waiting"] if turn == "silent" else ["done", "waiting", "admitted"]
    await soon(lambda: _are(owner, sale, expected))
    if turn == "silent":
        return
    # Their number is still theirs: the slot that is free next is, once they ask.
    await finish(process, tenant, sale, alive[0])
    await keep(process, finder)
    assert await statuses(owner, sale) == ["done", "waiting", "done"]
    assert (await poll(process, tenant, sale, *silent)).status in ("waiting", "admitted")
    await soon(lambda: _are(owner, sale, ["done", "admitted", "done"]))  # at once, without the worker


async def _are(owner: Any, sale: OnSale, expected: list[str]) -> bool:
    return await statuses(owner, sale) == expected


async def test_who_polls_as_told_is_never_missed(
    process: Services, finder: Database, tenant: Tenant, sale: OnSale, owner: Any, clock: Shift
) -> None:
    await settle(process, tenant, sale, mode="on", slots=1, admit_window_s=1800)
    _, (user_id, place) = await crowd(process, tenant, sale, 2)
    passed, told = timedelta(), place.next_poll_s
    for _ in range(12):
        passed += timedelta(seconds=told)
        await _passed(process, clock, passed)
        await keep(process, finder)
        told = (await poll(process, tenant, sale, user_id, place)).next_poll_s
        assert [entry["absent"] for entry in await entries(owner, sale)] == [False, False]


async def test_nobody_counts_who_is_missed(
    process: Services, finder: Database, tenant: Tenant, sale: OnSale, clock: Shift
) -> None:
    """Neither among those ahead, nor in the total, nor in the wait; and all processes agree, the next to start too."""
    await settle(process, tenant, sale, mode="on", slots=1, admit_window_s=1800)
    people = await crowd(process, tenant, sale, 6)
    user_id, place = people[-1]
    assert (place.position, place.ahead, place.total) == (5, 4, 5)
    await _passed(process, clock, 2 * EVERY + SECOND)
    await poll(process, tenant, sale, user_id, place)
    await keep(process, finder)

    async def alone() -> bool:
        now = await poll(process, tenant, sale, user_id, place)
        return (now.position, now.ahead, now.total) == (1, 0, 1)

    await soon(alone)
    process.part(WaitingRooms)._evict(sale.event_id)  # as a process that begins
    assert await alone()
    back = people[1]
    assert (await poll(process, tenant, sale, *back)).position == 1

    async def second() -> bool:
        now = await poll(process, tenant, sale, user_id, place)
        return (now.position, now.total) == (2, 2)

    await soon(second)


async def test_a_thousand_who_vanish_keep_nobody_waiting(
    process: Services, finder: Database, tenant: Tenant, sale: OnSale, owner: Any, clock: Shift
) -> None:
    """Five slots of thirty seconds each: the ten who are there wait for two missed polls, and not for 1,000 turns."""
    await settle(process, tenant, sale, mode="on", slots=5, admit_window_s=30)
    queue = process.part(WaitingRooms)
    for _ in range(1000 // 200):
        await queue._join_batch((tenant.id, sale.event_id), [(new_id(), None) for _ in range(200)], [True] * 200)
    real = await crowd(process, tenant, sale, 10)
    served: set[Any] = set()
    waited = 0
    for waited in range(0, 300, 5):
        await _passed(process, clock, timedelta(seconds=waited))
        await keep(process, finder)
        for user_id, place in real:
            if user_id not in served and (await poll(process, tenant, sale, user_id, place)).status == "admitted":
                served.add(user_id)
                await finish(process, tenant, sale, user_id)
        if len(served) == 10:
            break
    assert len(served) == 10
    assert waited <= 65
    rows = await entries(owner, sale)
    assert (
        sum(row["admitted_at"] is not None for row in rows) <= 5 * 3 + 10
    )  # ghosts had few slots before they were missed


async def test_the_total_is_told_over_http(client: Client, staff: Client, tenant: Tenant, sale: OnSale) -> None:
    settings = {"mode": "on", "slots": 1}
    assert (await staff.put(sale.path("queue/settings"), json=settings)).status_code == 200
    people = [await come(await guest(client, tenant), sale) for _ in range(4)]
    assert [each.place["total"] for each in people] == [None, 1, 2, 3]

    async def told() -> bool:  # what all have in common is a moment old
        return [(await each.now())["total"] for each in people[1:]] == [3, 3, 3]

    await soon(told)


async def test_whoever_left_is_told_until_when(client: Client, staff: Client, tenant: Tenant, sale: OnSale) -> None:
    assert (await staff.put(sale.path("queue/settings"), json={"mode": "on", "slots": 1})).status_code == 200
    _, gone = [await come(await guest(client, tenant), sale) for _ in range(2)]
    assert (await gone.client.delete(gone.path)).status_code == 204
    answer = await gone.client.post(gone.path)
    body = answer.json()
    assert (answer.status_code, body["code"]) == (429, "queue_cooldown")
    before, after = body["cooldown_until_unix_ms"] - 3600_000, gone.place["server_time_unix_ms"]
    assert -2_000 <= before - after <= 60_000
    assert body["cooldown_until"].endswith("Z")
