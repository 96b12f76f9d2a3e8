"""Staff block or free seats while people give them back: pools, then seats, then holds, everywhere."""

import asyncio
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from fullhouse.holds import actions as holds
from fullhouse.kit.actors import SYSTEM
from fullhouse.kit.ids import new_id
from fullhouse.kit.messages.outbox import announce
from fullhouse.seating import store
from fullhouse.seating.model import SeatChoice
from fullhouse.seating.overlay import seat_actions
from tests.fixtures import soaking
from tests.holds.helpers import OnSale, hall, held_in, seat_row, seats, stage, statuses, wish
from tests.races.arena import Arena, arena
from tests.support.statements import replace

pytestmark = pytest.mark.req("SEAT-7", "HOLD-5")
VERBS = {"block": seat_actions.block, "release": seat_actions.release}
# A guard is a lock and the words that are left without it.
POOLS_FIRST = (store.lock_pools, "SELECT :org::uuid, :event_id::uuid")
WITH_COMPANIONS = (
    store.lock_seats,
    "SELECT seat_id, status, reserved_for IS NOT NULL AS is_kept FROM event_seats WHERE organization_id = :org"
    " AND event_id = :event_id AND seat_id = ANY (:seat_ids::uuid[]) ORDER BY seat_id FOR UPDATE",
)
_WAITING = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"


async def by_hand(at: Arena, sale: OnSale, verb: str, *ordinals: int) -> int:
    choice = SeatChoice(seat_ids=[UUID(sale.seat(n)) for n in ordinals], reason="camera")
    async with at.processes[0].database.tenant(at.tenant.id, SYSTEM) as tx:
        return await VERBS[verb](tx, sale.event_id, choice)


async def give_back(at: Arena, *hold_ids: UUID) -> int:
    async with at.processes[-1].database.tenant(at.tenant.id, SYSTEM) as tx:
        return await holds.end(tx, list(hold_ids), "cancelled")


async def held(at: Arena, sale: OnSale, *ordinals: int) -> list[UUID]:
    results = await at.hold(wish(sale, new_id(), *seats(sale, *ordinals)))
    return [result.hold_id for result in results if result.hold_id]


async def in_between(
    at: Arena, monkeypatch: pytest.MonkeyPatch, sale: OnSale, verb: str, ordinal: int, *hold_ids: UUID
) -> list[Any]:
    """Whoever works by hand has the seat; then somebody gives holds back, and waits; then the hand goes on."""
    at_the_seat, go_on = asyncio.Event(), asyncio.Event()

    async def paused(*arguments: Any) -> None:
        at_the_seat.set()
        await go_on.wait()
        await announce(*arguments)

    monkeypatch.setattr(seat_actions, "announce", paused)
    hand = asyncio.ensure_future(by_hand(at, sale, verb, ordinal))
    await at_the_seat.wait()
    back = asyncio.ensure_future(give_back(at, *hold_ids))
    while not await at.owner.fetchval(_WAITING):
        await asyncio.sleep(0.01)
    go_on.set()
    return [*await asyncio.gather(hand, back, return_exceptions=True)]


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("guarded", [True, False])
async def test_pools_come_before_seats(
    guarded: bool, verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A show with a limit of its own: whoever ends a hold counts there, and then goes to the seat."""
    if not guarded:
        replace(monkeypatch, *POOLS_FIRST)
    async with arena(tmp_path, 2) as at:
        sale = await stage(at.processes[0], at.tenant, hall(2, 10), capacity=15)
        ids = await held(at, sale, 0)
        answers = await in_between(at, monkeypatch, sale, verb, 0, *ids)
        after = (await seat_row(at.owner, sale, 0))["status"]
        counted, ended, found = await held_in(at.owner, sale), await statuses(at.owner, sale), await at.wrong()
    if guarded:
        assert answers == [1, 0]  # the hand was first, and ended the hold
        assert after == ("blocked" if verb == "block" else "available")
        assert (counted["event"], ended, found) == (0, ["cancelled"], {})
    else:
        assert any(isinstance(answer, asyncpg.DeadlockDetectedError) for answer in answers), answers


@pytest.mark.parametrize("guarded", [True, False])
async def test_companions_are_locked_with_their_places(
    guarded: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ending the hold of a wheelchair space changes the seats beside it: the lower id may be one of those."""
    if not guarded:
        replace(monkeypatch, *WITH_COMPANIONS)
        replace(monkeypatch, *POOLS_FIRST)  # a show without limits has no pool that two who end holds would share
    async with arena(tmp_path, 2) as at:
        sale = await stage(at.processes[0], at.tenant, hall(2, 10, wheelchairs=1))
        rows = await at.owner.fetch(
            "SELECT ordinal, companion_of FROM event_seats WHERE companion_of IS NOT NULL AND event_id = $1",
            sale.event_id,
        )
        beside = rows[0]["ordinal"]
        place = int(rows[0]["companion_of"]) & 0xFFFFFFFF
        low, high = sorted((beside, place))
        ids = await held(at, sale, place, beside)
        answers = await in_between(at, monkeypatch, sale, "block", high, *ids)
        found = await at.wrong()
    assert low != high
    if guarded:
        assert (answers, found) == ([1, 1], {})
    else:
        assert any(isinstance(answer, asyncpg.DeadlockDetectedError) for answer in answers), answers


@pytest.mark.soak
async def test_a_crowd_and_the_hand(tmp_path: Path) -> None:
    """Reserved, given back, blocked, freed and opened again, all at once: nobody is ever told to try again."""
    rounds = 40 if soaking() else 6
    async with arena(tmp_path, 2) as at:
        sale = await stage(at.processes[0], at.tenant, hall(2, 10, wheelchairs=2), capacity=15)
        every = tuple(range(20))

        async def buyer(n: int) -> None:
            for k in range(rounds):
                await give_back(at, *await held(at, sale, (n + k) % 20, (n + 7 * k + 1) % 20))

        async def hand() -> None:
            for _ in range(rounds):
                await by_hand(at, sale, "block", *every[::3])
                await by_hand(at, sale, "release", *every)
                choice = SeatChoice(seat_ids=[UUID(sale.seat(n)) for n in every], reason="gone")
                async with at.processes[0].database.tenant(at.tenant.id, SYSTEM) as tx:
                    await seat_actions.unblock(tx, sale.event_id, choice)

        await asyncio.gather(*(buyer(n) for n in range(6)), hand())
        assert await held_in(at.owner, sale) == dict.fromkeys(await held_in(at.owner, sale), 0)
        assert await at.wrong() == {}
