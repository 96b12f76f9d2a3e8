"""Every process knows the line by heart, hears of changes, and measures the wait."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from fullhouse.kit.live.bus import RESYNC
from fullhouse.kit.services import Services
from tests.fixtures import Tenant
from tests.holds.helpers import OnSale, a_process
from tests.queue.helpers import Shift, crowd, finish, leave, poll, settle, soon


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
        for waiting in people[n + 1 :]:
            await poll(process, tenant, sale, *waiting)
        await finish(process, tenant, sale, people[n][0])

        async def let_in(n: int = n) -> bool:
            return (await poll(process, tenant, sale, *people[n + 1])).status == "admitted"

        await soon(let_in)
    found = await poll(process, tenant, sale, *people[-1])
    assert found.ahead == 18
    assert found.eta_low_s
    assert found.eta_high_s
    assert found.eta_low_s < 19 * 20 < found.eta_high_s < 3 * 19 * 20
