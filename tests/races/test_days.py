"""Standing room that is sold per day: each day is filled to the last place and not beyond, whoever comes at once."""

import asyncio
import random
from collections import Counter
from datetime import date, timedelta
from pathlib import Path
from uuid import UUID

import pytest

from fullhouse.events import actions as events
from fullhouse.holds.engine import RequestItem, Results
from fullhouse.kit.ids import new_id
from fullhouse.tickets.policy import list_days
from fullhouse.tickets.types import actions as types
from fullhouse.tickets.types.model import NewTicketType
from tests.fixtures import soaking
from tests.holds.helpers import OnSale, hall, stage, wish
from tests.races.arena import POOL_LOCK, Arena, arena

PIT, BUYERS = (600, 1_500) if soaking() else (60, 150)
LONGER = "UPDATE events SET end_at = end_at + interval '2 days' WHERE id = $1"


class Festival:
    """A pit, and a type for each of two days and one for both; without days: a pass."""

    def __init__(self, sale: OnSale, kinds: dict[UUID, list[date]]) -> None:
        self.sale, self.kinds = sale, kinds

    def want(self, kind: UUID, quantity: int = 1) -> RequestItem:
        return RequestItem(
            new_id(), kind="zone", ref_id=UUID(self.sale.zones["pit"]), quantity=quantity, ticket_type_id=kind
        )


async def festival(at: Arena, **bounded: int) -> Festival:
    sale = await stage(at.processes[0], at.tenant, hall(1, 4, pit=PIT + 50 * bool(bounded)), **bounded)
    await at.owner.execute(LONGER, sale.event_id)
    async with at.processes[0].database.tenant(at.tenant.id, at.tenant.principal("owner").actor) as tx:
        first = min(list_days(await events.require_event(tx, sale.event_id)))
        second = first + timedelta(days=1)
        kinds = {}
        for n, days in enumerate(([first], [second], [first, second], [])):
            made = NewTicketType(name=f"kind {n}", kind="ga", price=0, currency="EUR", valid_days=days)
            kinds[(await types.create_type(tx, sale.event_id, made)).id] = days
    return Festival(sale, kinds)


async def rush(at: Arena, show: Festival, seed: int) -> list[tuple[RequestItem, Results | BaseException]]:
    dice = random.Random(seed)
    wants = [show.want(dice.choice(list(show.kinds)), dice.randint(1, 3)) for _ in range(BUYERS)]
    answers = await asyncio.gather(
        *(at.hold(wish(show.sale, new_id(), want)) for want in wants), return_exceptions=True
    )
    return list(zip(wants, answers, strict=True))


@pytest.mark.soak
@pytest.mark.req("HOLD-6", "HOLD-11", "SEAT-6", "CAP-2")
@pytest.mark.parametrize("limit", ["the zone's", "the event's"])
async def test_each_day_is_filled_and_none_beyond(limit: str, tmp_path: Path) -> None:
    async with arena(tmp_path, 3) as at:
        show = await festival(at, **({} if limit == "the zone's" else {"capacity": PIT}))
        days = sorted({day for named in show.kinds.values() for day in named})
        taken: Counter[date] = Counter()
        for want, results in await rush(at, show, seed=11):
            assert not isinstance(results, BaseException), results
            (result,) = results
            assert result.outcome in ("held", "block_at_capacity", "again")
            assert want.ticket_type_id
            if result.is_granted:
                taken.update(dict.fromkeys(show.kinds[want.ticket_type_id] or days, want.quantity))
        for kind, named in list(show.kinds.items())[:2]:  # the tickets for one day: to the last place
            (day,) = named
            for _ in range(PIT - taken[day]):
                (result,) = await at.hold(wish(show.sale, new_id(), show.want(kind)))
                assert result.outcome == "held"
                taken[day] += 1
        for kind in show.kinds:
            (result,) = await at.hold(wish(show.sale, new_id(), show.want(kind)))
            assert result.outcome == "block_at_capacity"
        assert taken == dict.fromkeys(days, PIT)
        assert await at.wrong() == {}


@pytest.mark.req("CAP-2")
async def test_without_the_lock_and_the_rule_a_day_is_oversold(tmp_path: Path) -> None:
    """The mutant of the first test: it must be seen to fail."""
    async with arena(tmp_path, 3) as at:
        await at.remove(POOL_LOCK)
        await at.owner.execute("ALTER TABLE pools DROP CONSTRAINT pools_never_oversold")
        for seed in range(10):
            show = await festival(at)
            await rush(at, show, seed)
            if found := (await at.wrong()).get("taken", []):
                break
    assert any(f"zone pit admits {PIT}" in sentence for sentence in found), found
