"""A hold ends once: expired, given back or sold, whoever comes first."""

import asyncio
from collections import Counter
from pathlib import Path
from uuid import UUID

import pytest

from fullhouse.holds import actions, jobs
from fullhouse.holds.model import HoldEnded
from fullhouse.kit.actors import SYSTEM
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from tests.fixtures import soaking
from tests.holds.helpers import OnSale, convert, hall, held_in, places, seats, stage, statuses, wish
from tests.races.arena import STILL_LIVE, Arena, arena

HOLDS = 400 if soaking() else 40


async def sold_out_in_time(at: Arena) -> tuple[OnSale, list[UUID]]:
    """Holds whose time is over in the moment in which they begin: all three may want them now."""
    sale = await stage(at.processes[0], at.tenant, hall(HOLDS // 20, 20, pit=HOLDS), capacity=HOLDS * 2 - 1)
    asks = [wish(sale, new_id(), *seats(sale, n), places(sale, "pit", 1), ttl_s=0) for n in range(HOLDS - 1)]
    answers = await asyncio.gather(*map(at.hold, asks))
    return sale, [result.hold_id for results in answers for result in results if result.is_granted and result.hold_id]


async def release(services: Services, at: Arena, hold_id: UUID) -> bool:
    async with services.database.tenant(at.tenant.id, SYSTEM) as tx:
        return await actions.end(tx, [hold_id], "cancelled") == 1


async def sweep(services: Services, at: Arena, ids: list[UUID]) -> int:
    async with services.database.tenant(at.tenant.id, jobs.SWEEPER) as tx:
        return await actions.end(tx, ids, "expired", overdue_only=True)


async def fight(at: Arena, ids: list[UUID]) -> Counter[str]:
    one, two, three = at.processes
    few = asyncio.Semaphore(4)  # each process has so many connections

    async def each(ending: str, hold_id: UUID) -> str | None:
        async with few:
            won = await (convert(one, at.tenant, hold_id, late=True) if ending == "sold" else release(two, at, hold_id))
        return ending if won else None

    async def in_tens() -> list[str]:
        won = [await sweep(three, at, ids[n : n + 10]) for n in range(0, len(ids), 10)]
        return ["expired"] * sum(won)

    sweeping = asyncio.create_task(in_tens())
    ended = await asyncio.gather(*(each(ending, i) for i in reversed(ids) for ending in ("sold", "cancelled")))
    return Counter(ending for ending in [*ended, *await sweeping] if ending)


@pytest.mark.soak
@pytest.mark.req("HOLD-5")
async def test_expire_convert_and_release_have_one_winner(tmp_path: Path) -> None:
    async with arena(tmp_path, 3) as at:
        sale, ids = await sold_out_in_time(at)
        assert len(ids) == 2 * (HOLDS - 1)
        won = await fight(at, ids)
        assert won.total() == len(ids)
        assert len(won) >= 2, won  # otherwise it was no race
        ends = Counter(await statuses(at.owner, sale))
        expected = {"converted": won["sold"], "cancelled": won["cancelled"], "expired": won["expired"]}
        assert ends == Counter(expected)
        assert set((await held_in(at.owner, sale)).values()) == {0}
        sold = await at.owner.fetchval("SELECT sold FROM pools WHERE kind = 'event'")
        assert sold == won["sold"]
        ended = "SELECT count(*) FROM audit_log WHERE action LIKE 'hold.%' OR action = 'seat_hold_expired'"
        rows = await at.owner.fetchval(ended)
        assert rows == len(ids)
        assert await at.wrong() == {}


async def test_without_the_condition_a_hold_ends_twice(tmp_path: Path) -> None:
    """The mutant of the test above: what was sold is given back."""
    async with arena(tmp_path, 3) as at:
        await at.remove(STILL_LIVE)
        sale, ids = await sold_out_in_time(at)
        seat = ids[0]
        assert await convert(at.processes[0], at.tenant, seat, late=True)
        assert await release(at.processes[1], at, seat)
        assert (await statuses(at.owner, sale)).count("cancelled") == 1
        assert (await at.wrong())["counted"]


@pytest.mark.req("HOLD-5")
async def test_a_release_waits_for_a_sale_that_is_under_way(tmp_path: Path) -> None:
    """Step by step: the sale has its locks, the release comes, the sale commits."""
    async with arena(tmp_path, 3) as at:
        sale, user_id = await stage(at.processes[0], at.tenant, hall(1, 4)), at.tenant.people["customer"].id
        (held,) = await at.hold(wish(sale, user_id, *seats(sale, 0)))
        assert held.hold_id
        buyer = at.tenant.principal("customer")
        async with at.processes[0].database.tenant(at.tenant.id) as tx:
            await tx.execute("SELECT FROM event_seats WHERE hold_id = $1 FOR UPDATE", held.hold_id)

            async def give_back() -> str:
                assert held.hold_id
                try:
                    async with at.processes[1].database.tenant(at.tenant.id, buyer.actor) as other:
                        await actions.release(other, buyer, held.hold_id, None)
                except HoldEnded:
                    return "over"
                return "released"

            waiting = asyncio.create_task(give_back())
            while not await at.owner.fetchval("SELECT count(*) FROM pg_locks WHERE NOT granted"):
                await asyncio.sleep(0)
            await tx.execute("UPDATE seat_holds SET status = 'converted' WHERE id = $1", held.hold_id)
            await tx.execute(
                "UPDATE event_seats SET status = 'sold', hold_id = NULL, held_until = NULL, ticket_id = $2"
                " WHERE hold_id = $1",
                held.hold_id,
                new_id(),
            )
        assert await waiting == "over"
        assert await statuses(at.owner, sale) == ["converted"]
