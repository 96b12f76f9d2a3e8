"""Standing room, filled to the last place by people who want one, or seven."""

import asyncio
import random
from collections import Counter
from pathlib import Path

import asyncpg
import pytest

from fullhouse.holds.engine import Results
from fullhouse.kit.ids import new_id
from tests.fixtures import soaking
from tests.holds.helpers import OnSale, hall, held_in, places, seats, stage, wish
from tests.races.arena import POOL_LOCK, Arena, arena

PIT, BUYERS = (2_000, 1_500) if soaking() else (200, 150)


async def rush(at: Arena, sale: OnSale, seed: int) -> list[tuple[int, Results | BaseException]]:
    dice = random.Random(seed)
    wanted = [dice.randint(1, 7) for _ in range(BUYERS)]
    answers = await asyncio.gather(
        *(at.hold(wish(sale, new_id(), places(sale, "pit", quantity))) for quantity in wanted), return_exceptions=True
    )
    return list(zip(wanted, answers, strict=True))


@pytest.mark.soak
@pytest.mark.req("HOLD-6", "HOLD-11")
@pytest.mark.parametrize("limit", ["the zone's", "the show's"])
async def test_it_is_filled_to_the_last_place_and_not_beyond(limit: str, tmp_path: Path) -> None:
    async with arena(tmp_path, 3) as at:
        bounded = {} if limit == "the zone's" else {"capacity": PIT}
        room = PIT if not bounded else PIT + 50
        sale = await stage(at.processes[0], at.tenant, hall(1, 10, pit=room), **bounded)
        granted = 0
        for wanted, results in await rush(at, sale, seed=3):
            assert not isinstance(results, BaseException), results
            (result,) = results
            granted += wanted if result.is_granted else 0
            assert result.outcome in ("held", "block_at_capacity", "again")
        left = PIT - granted
        assert 0 <= left < 7  # somebody who wants few always comes
        last = await asyncio.gather(*(at.hold(wish(sale, new_id(), places(sale, "pit", 1))) for _ in range(left + 20)))
        assert Counter(result.is_granted for (result,) in last)[True] == left
        assert {result.outcome for (result,) in last} <= {"held", "block_at_capacity", "again"}
        (nobody,) = await at.hold(wish(sale, new_id(), places(sale, "pit", 1)))
        assert nobody.outcome == "block_at_capacity"
        held = await held_in(at.owner, sale)
        assert held["pit"] == PIT
        assert held.get("event", PIT) == PIT
        assert await at.wrong() == {}


@pytest.mark.soak
@pytest.mark.req("HOLD-6")
async def test_mixed_baskets_count_as_a_whole(tmp_path: Path) -> None:
    """A seat and places together, with a limit of the show above both: all or none, in every counter."""
    async with arena(tmp_path, 3) as at:
        sale = await stage(at.processes[0], at.tenant, hall(4, 25, pit=PIT), capacity=PIT // 2)
        dice = random.Random(5)
        asks = [
            wish(sale, new_id(), *seats(sale, dice.randrange(100)), places(sale, "pit", dice.randint(1, 4)))
            for _ in range(BUYERS)
        ]
        answers = await asyncio.gather(*map(at.hold, asks))
        won = [ask for ask, results in zip(asks, answers, strict=True) if all(result.is_granted for result in results)]
        counted = sum(want.quantity for ask in won for want in ask.items)
        assert 0 < counted <= PIT // 2
        assert (await held_in(at.owner, sale))["event"] == counted
        rows = await at.owner.fetch("SELECT basket_id, count(*) AS lines FROM seat_holds GROUP BY 1")
        assert {row["basket_id"]: row["lines"] for row in rows} == {ask.basket_id: 2 for ask in won}
        assert await at.wrong() == {}


async def test_without_the_lock_the_database_still_says_no(tmp_path: Path) -> None:
    """Behind the lock stands the table's own rule: a whole batch fails, but nobody is sold what there is not."""
    async with arena(tmp_path, 3) as at:
        await at.remove(POOL_LOCK)
        failed = 0
        for seed in range(10):
            sale = await stage(at.processes[0], at.tenant, hall(1, 4, pit=PIT))
            answers = await rush(at, sale, seed)
            failed += sum(isinstance(results, asyncpg.CheckViolationError) for _, results in answers)
            assert (await held_in(at.owner, sale))["pit"] <= PIT
            if failed:
                break
        assert failed
        assert await at.wrong() == {}


async def test_without_the_lock_and_the_rule_it_is_oversold(tmp_path: Path) -> None:
    """The mutant of the first test: it must be seen to fail."""
    async with arena(tmp_path, 3) as at:
        await at.remove(POOL_LOCK)
        await at.owner.execute("ALTER TABLE pools DROP CONSTRAINT pools_never_oversold")
        for seed in range(10):
            sale = await stage(at.processes[0], at.tenant, hall(1, 4, pit=PIT))
            await rush(at, sale, seed)
            if found := (await at.wrong()).get("counted", []):
                break
    assert any(f"sold of {PIT}" in sentence for sentence in found), found
