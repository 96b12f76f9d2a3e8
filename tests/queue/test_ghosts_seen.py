"""What a real person is told over HTTP of a line that is full of people who have vanished."""

import asyncio
import math
from datetime import timedelta
from typing import Any

import pytest

from fullhouse.kit.db.database import Database
from fullhouse.kit.services import Services
from fullhouse.waiting_room import jobs, policy
from tests.accounts.helpers import data
from tests.fixtures import Client, Tenant
from tests.holds.helpers import OnSale, guest
from tests.queue.helpers import Shift, Waiting, come, entries, soon

pytestmark = pytest.mark.req("QUEUE-2", "QUEUE-3")
GHOSTS, REAL, SLOTS = 120, 9, 3
STEP = timedelta(seconds=policy.HEARTBEAT_MIN_S - 5)


async def test_the_estimate_counts_no_ghosts_and_none_is_let_in(
    client: Client, staff: Client, tenant: Tenant, sale: OnSale, owner: Any, finder: Database, clock: Shift
) -> None:
    serving: Services = client._lane.wide.state.services
    settings = sale.path("queue/settings")
    data(await staff.put(settings, json={"mode": "on", "slots": SLOTS, "admit_window_s": 1800}))
    passed = timedelta()

    async def arrive() -> Waiting:
        return await come(await guest(client, tenant), sale)

    async def wait() -> None:
        """A little time, in which those who are there ask where they stand, and the worker does its work."""
        nonlocal passed
        passed += STEP
        await clock(passed)
        await serving.clock.measure()
        for one in real:
            await one.now()
        await jobs.advance_waiting_rooms(serving, finder)

    inside = [await arrive() for _ in range(SLOTS)]
    assert {one.place["status"] for one in inside} == {"admitted"}
    for _ in range(GHOSTS // 20):
        await asyncio.gather(*(arrive() for _ in range(20)))
    real = [await arrive() for _ in range(REAL)]
    assert (real[-1].place["position"], real[-1].place["total"]) == (GHOSTS + REAL, GHOSTS + REAL)

    while passed <= timedelta(seconds=2 * policy.HEARTBEAT_MIN_S):
        await wait()

    async def line(people: int) -> list[dict[str, Any]] | None:
        """Those of them who wait, once they are told that they are so many: what all have in common is a moment old."""
        found = [place for place in [await one.now() for one in real] if place["status"] == "waiting"]
        told = [(place["position"], place["total"]) for place in found]
        return found if told == [(n, people) for n in range(1, people + 1)] else None

    await soon(lambda: line(REAL))

    for n, one in enumerate((*inside, *real[:2]), 1):  # whoever is inside goes, one after the other
        await wait()
        assert (await one.client.delete(one.path)).status_code == 204
        await soon(lambda n=n: line(REAL - n))
    pace = data(await staff.get(settings))["now"]["admitted_per_minute"]
    waiting = await line(REAL - 5)
    assert waiting
    for ahead, place in enumerate(waiting):
        middle = math.sqrt(place["eta_low_s"] * place["eta_high_s"])  # it is as wide to both sides
        assert middle == pytest.approx(60 * (ahead + 1) / pace, rel=0.25)
    people = await entries(owner, sale)
    ghosts = people[SLOTS : SLOTS + GHOSTS]
    assert [row["admitted_at"] for row in ghosts] == [None] * GHOSTS
