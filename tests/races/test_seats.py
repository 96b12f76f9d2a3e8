"""Crowds on the same seats. Nobody's seat is anybody else's, however many processes are asked at once."""

import asyncio
import random
from collections import Counter
from collections.abc import Coroutine, Iterable, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest

from fullhouse.accounts import actions as accounts
from fullhouse.accounts.sign_in import actions
from fullhouse.holds.engine import HoldRequest, Results
from fullhouse.kit.http.lanes import LaneRouter
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from tests.fixtures import Client, Tenant, soaking
from tests.holds.helpers import OnSale, hall, row_counts, seats, stage, wish
from tests.races.arena import PEOPLE_LOCK, SEAT_LOCK, Arena, arena

BUYERS, ROWS, ROUNDS = (200, 10, 6) if soaking() else (60, 3, 4)
SEATS_IN_ROW = 50
LOST = {"seat_held_by_another_user", "again", "not_tried"}


def baskets(sale: OnSale, seed: int) -> list[list[HoldRequest]]:
    """What each buyer asks for, one after the other: two to six seats that many others like as well."""
    dice = random.Random(seed)
    found = []
    for _ in range(BUYERS):
        me = new_id()
        picks = [dice.sample(range(ROWS * SEATS_IN_ROW), dice.randint(2, 6)) for _ in range(ROUNDS)]
        found.append([wish(sale, me, *seats(sale, *pick)) for pick in picks])
    return found


async def rush(at: Arena, people: list[list[HoldRequest]]) -> list[tuple[HoldRequest, Results | BaseException]]:
    async def buyer(asks: list[HoldRequest]) -> list[tuple[HoldRequest, Results | BaseException]]:
        answers = []
        for ask in asks:
            (answer,) = await asyncio.gather(at.hold(ask), return_exceptions=True)
            answers.append((ask, answer))
        return answers

    return [pair for pairs in await asyncio.gather(*map(buyer, people)) for pair in pairs]


@pytest.mark.soak
@pytest.mark.req("HOLD-2", "HOLD-6", "HOLD-11")
@pytest.mark.parametrize("processes", [1, 3])
async def test_overlapping_baskets_never_share_a_seat(processes: int, tmp_path: Path) -> None:
    """Whoever was told yes has all of it, whoever was told no has none of it, and the books agree."""
    async with arena(tmp_path, processes) as at:
        sale = await stage(at.processes[0], at.tenant, hall(ROWS, SEATS_IN_ROW))
        answers = await rush(at, baskets(sale, seed=7))
        rows = await at.owner.fetch("SELECT id, basket_id, user_id, seat_id FROM seat_holds WHERE status = 'active'")
        assert await at.wrong() == {}
    kept = {row["id"]: row for row in rows}
    promised: set[UUID] = set()
    for ask, results in answers:
        assert not isinstance(results, BaseException), results
        good = [result.is_granted for result in results]
        assert all(good) or {result.outcome for result in results if not result.is_granted} <= LOST
        if all(good):
            promised.update(result.hold_id for result in results if result.hold_id)
        else:
            assert not any(row["basket_id"] == ask.basket_id for row in rows)
    assert promised == set(kept)
    assert len({row["seat_id"] for row in rows}) == len(rows) > 0
    assert len(promised) < sum(len(ask.items) for ask, _ in answers)  # there was something to fight for


@pytest.mark.soak
async def test_without_the_lock_baskets_share_seats(tmp_path: Path) -> None:
    """The mutant of the test above: it must be seen to fail."""
    async with arena(tmp_path, 3) as at:
        await at.remove(SEAT_LOCK)
        for seed in range(10):  # one is enough, nearly always
            sale = await stage(at.processes[0], at.tenant, hall(ROWS, SEATS_IN_ROW))
            await rush(at, baskets(sale, seed))
            if found := (await at.wrong()).get("one holder", []):
                break
    assert any("live holds" in sentence for sentence in found), found


@pytest.mark.parametrize("guarded", [True, False])
async def test_two_at_one_seat_step_by_step(guarded: bool, tmp_path: Path) -> None:
    """The same with the interleaving written down: the second asks while the first has not committed."""
    statement = "SELECT outcome FROM app.hold($1, NULL, $2::app.hold_line[])"
    async with arena(tmp_path) as at:
        if not guarded:
            await at.remove(SEAT_LOCK)
        sale = await stage(at.processes[0], at.tenant, hall(1, 4))

        def line() -> str:
            ids = f"{sale.event_id},{new_id()},{sale.seat(0)},,,1,{new_id()},{new_id()}"
            return f'{{"(1,1,{ids},web,net,300,10,,,f,,,,,,,,,)"}}'

        pool = at.processes[0].database.pool
        async with pool.acquire() as one, pool.acquire() as two:
            await one.execute("BEGIN")
            first = await one.fetchval(statement.replace("$2", f"'{line()}'"), at.tenant.id)
            second = asyncio.create_task(two.fetchval(statement.replace("$2", f"'{line()}'"), at.tenant.id))
            if guarded:
                assert await second == "again"  # at once: nobody waits for a seat
            else:
                waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                while not await at.owner.fetchval(waiting):
                    await asyncio.sleep(0)
            await one.execute("COMMIT")
            outcomes = (first, await second)
        found = await at.wrong()
    assert outcomes == (("held", "again") if guarded else ("held", "held"))
    assert bool(found) != guarded
    assert guarded or any("has 2 live holds" in sentence for sentence in found["one holder"])


# --- over HTTP

CLIENTS = 64 if soaking() else 24


async def signed_in(services: Services, tenant: Tenant, count: int) -> list[str]:
    tokens = []
    async with services.database.tenant(tenant.id) as tx:
        for n in range(count):
            user = await accounts.create_user(tx, email=f"c{n}@example.org", name=f"C{n}", role="customer")
            tokens.append((await actions.create_session(tx, tenant.organization, user, "password")).token)
    return tokens


@pytest.mark.soak
@pytest.mark.req("HOLD-1", "HOLD-3", "HOLD-11")
async def test_many_clients_at_ten_seats(services: Services, lane: LaneRouter, tenant: Tenant, owner: object) -> None:
    """Ten winners, and a polite no for everybody else."""
    sale = await stage(services, tenant, hall(1, 10))
    clients = [Client(lane, token) for token in await signed_in(services, tenant, CLIENTS)]

    async def try_all(n: int, client: Client) -> list[httpx.Response]:
        """Each begins elsewhere, and one after the other: as many at once as there are people."""
        return [
            await client.post(sale.path(f"seats/{sale.seat((n + shift) % 10)}/reserve"), json={}) for shift in range(10)
        ]

    tried = await asyncio.gather(*(try_all(n, client) for n, client in enumerate(clients)))
    answers = [answer for one in tried for answer in one]
    assert len(answers) == CLIENTS * 10
    codes = Counter(answer.json().get("code", "held") if answer.status_code != 201 else "won" for answer in answers)
    assert codes["won"] == 10
    assert {answer.status_code for answer in answers} == {201, 409}
    assert set(codes) <= {"won", "seat_held_by_another_user", "seat_no_longer_available"}
    assert await row_counts(owner, sale) == (10, 10, 0)
    for client in clients:
        await client.aclose()


@pytest.mark.req("HOLD-3")
async def test_one_person_in_three_places_has_one_hold(tmp_path: Path) -> None:
    """Impatient, with three tabs on three processes: one new hold, the same for all who ask."""
    async with arena(tmp_path, 3) as at:
        sale, me = await stage(at.processes[0], at.tenant, hall(1, 10)), new_id()
        answers = await asyncio.gather(*(at.hold(wish(sale, me, *seats(sale, 4)), n % 3) for n in range(30)))
        ids = {result.hold_id for (result,) in answers}
        assert len(ids) == 1
        assert Counter(result.outcome for (result,) in answers) == {"held": 1, "own": 29}
        assert await row_counts(at.owner, sale) == (1, 1, 0)


LIMITS = ["per_window", "most_mine", "most_near"]


async def asked(at: Arena, limit: str, most: int, count: int) -> Sequence[Coroutine[Any, Any, Results]]:
    """Single seats, by one person or from one network, over three processes."""
    sale, me = await stage(at.processes[0], at.tenant, hall(1, 30)), new_id()
    who = {"network": str(sale.event_id), limit: most}
    asks = [wish(sale, new_id() if limit == "most_near" else me, *seats(sale, n), **who) for n in range(count)]
    return [at.hold(ask, n % 3) for n, ask in enumerate(asks)]


def good(answers: Iterable[Results]) -> int:
    return sum(result.is_granted for (result,) in answers)


@pytest.mark.req("HOLD-8")
@pytest.mark.parametrize("limit", LIMITS)
async def test_limits_count_across_processes(limit: str, tmp_path: Path) -> None:
    """As many as may be, not one more."""
    async with arena(tmp_path, 3) as at:
        assert good(await asyncio.gather(*await asked(at, limit, 10, 30))) == 10
        assert await at.wrong() == {}


@pytest.mark.req("HOLD-8")
@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("guarded", [True, False])
async def test_limits_count_those_who_are_judged_at_the_same_moment(guarded: bool, limit: str, tmp_path: Path) -> None:
    """Two may be; and without the lock, three are."""
    async with arena(tmp_path, 3) as at:
        if not guarded:
            await at.remove(PEOPLE_LOCK)
        assert good(await at.together(await asked(at, limit, 2, 3))) == (2 if guarded else 3)


async def test_a_crowd_for_the_best_seats_is_served_while_there_are_any(
    services: Services, lane: LaneRouter, tenant: Tenant, owner: object
) -> None:
    """Twenty pairs for twenty pairs: each chooses again when somebody was faster."""
    sale = await stage(services, tenant, hall(4, 10))
    clients = [Client(lane, token) for token in await signed_in(services, tenant, 20)]
    answers = await asyncio.gather(
        *(client.post(sale.path("holds"), json={"best_available": {"quantity": 2}}) for client in clients)
    )
    assert Counter(answer.json().get("code", "held") for answer in answers) == {"held": 20}
    assert await row_counts(owner, sale) == (40, 40, 0)
    for client in clients:
        await client.aclose()
