"""The engine over a real database: what waits together goes together, and what breaks, breaks alone."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

import asyncpg
import pytest

from fullhouse.holds.engine import CONNECTIONS, Engine, Results
from fullhouse.kit.db.database import DATABASE_ERRORS
from fullhouse.kit.ids import new_id
from fullhouse.kit.services import Services
from tests.fixtures import Tenant
from tests.holds.helpers import hall, held_in, hold, places, row_counts, seats, stage, statuses, wish
from tests.kit.helpers import end_backends, until


def batches(process: Services, monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, int]]:
    """What each statement was asked: its organisation, and how many lines."""
    line = process.part(Engine)._statements
    asked: list[tuple[Any, int]] = []
    fetch = line.fetch

    async def noted(key: Any, sender: Any, lines: Sequence[Any]) -> list[Any]:
        asked.append((key, len(lines)))
        return await fetch(key, sender, lines)

    monkeypatch.setattr(line, "fetch", noted)
    return asked


@pytest.mark.req("HOLD-11")
async def test_those_who_come_together_are_one_statement(
    process: Services, tenant: Tenant, owner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    sale = await stage(process, tenant, hall(4, 25, pit=100))
    asked = batches(process, monkeypatch)
    answers = await asyncio.gather(
        *(hold(process, tenant, sale, new_id(), *seats(sale, n), places(sale, "pit", 1)) for n in range(100))
    )
    assert asked == [(tenant.id, 200)]
    assert all(result.is_granted for results in answers for result in results)
    assert await row_counts(owner, sale) == (200, 100, 100)


async def test_one_alone_does_not_wait(process: Services, tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    sale = await stage(process, tenant, hall(1, 4))
    asked = batches(process, monkeypatch)
    (result,) = await hold(process, tenant, sale, new_id(), *seats(sale, 0))
    assert (result.outcome, asked) == ("held", [(tenant.id, 1)])


@pytest.mark.req("TEN-1")
async def test_a_batch_is_of_one_house(
    process: Services, tenant: Tenant, other_tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And a seat that is named in the wrong one is no seat."""
    mine, theirs = [await stage(process, t, hall(1, 6)) for t in (tenant, other_tenant)]
    asked = batches(process, monkeypatch)
    answers = await asyncio.gather(
        hold(process, tenant, mine, new_id(), *seats(mine, 0)),
        hold(process, other_tenant, theirs, new_id(), *seats(theirs, 0)),
        hold(process, tenant, theirs, new_id(), *seats(theirs, 1)),
        hold(process, tenant, mine, new_id(), *seats(theirs, 1)),
    )
    assert [results[0].outcome for results in answers] == ["held", "held", "event_not_found", "seat_not_found"]
    assert sorted(asked, key=lambda pair: pair[1]) == [(other_tenant.id, 1), (tenant.id, 3)]


async def test_one_person_is_in_a_batch_once(
    process: Services, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    sale, me = await stage(process, tenant, hall(1, 10)), new_id()
    asked = batches(process, monkeypatch)
    answers = await asyncio.gather(*(hold(process, tenant, sale, me, *seats(sale, n)) for n in range(3)))
    assert [results[0].outcome for results in answers] == ["held"] * 3
    assert [lines for _, lines in asked] == [1, 1, 1]


async def test_a_limited_network_is_in_a_batch_once(
    process: Services, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    sale = await stage(process, tenant, hall(1, 10))
    asked = batches(process, monkeypatch)
    engine = process.part(Engine)
    answers = await asyncio.gather(
        *(engine.hold(tenant.id, wish(sale, new_id(), *seats(sale, n), most_near=2)) for n in range(3))
    )
    assert sorted(results[0].outcome for results in answers) == ["held", "held", "max_holds_per_ip"]
    assert [lines for _, lines in asked] == [1, 1, 1]


async def test_within_a_batch_the_first_gets_the_seat(process: Services, tenant: Tenant) -> None:
    sale = await stage(process, tenant, hall(1, 10))
    answers = await asyncio.gather(*(hold(process, tenant, sale, new_id(), *seats(sale, 3)) for _ in range(5)))
    assert [results[0].outcome for results in answers] == ["held"] + ["seat_held_by_another_user"] * 4
    assert {results[0].left_s for results in answers} == {300}


async def test_whoever_stood_behind_one_that_failed_is_asked_again(
    process: Services, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first wants a seat that is gone too, so it gets nothing: the seat is the second's, in the next batch."""
    sale = await stage(process, tenant, hall(1, 10, pit=5))
    await hold(process, tenant, sale, new_id(), *seats(sale, 9))
    asked = batches(process, monkeypatch)
    first, second, third, fourth = await asyncio.gather(
        hold(process, tenant, sale, new_id(), *seats(sale, 3, 9)),
        hold(process, tenant, sale, new_id(), *seats(sale, 3)),
        hold(process, tenant, sale, new_id(), places(sale, "pit", 9)),
        hold(process, tenant, sale, new_id(), places(sale, "pit", 5)),
    )
    assert [result.outcome for result in first] == ["not_tried", "seat_held_by_another_user"]
    assert [r[0].outcome for r in (second, third, fourth)] == ["held", "block_at_capacity", "held"]
    assert len(asked) == 2


async def test_again_has_an_end(process: Services, tenant: Tenant, owner: Any) -> None:
    """Somebody else has the seat's row locked and does not let go: try again later, says the engine."""
    sale = await stage(process, tenant, hall(1, 10))
    async with owner.transaction():
        await owner.execute("SELECT FROM event_seats WHERE event_id = $1 AND ordinal = 0 FOR UPDATE", sale.event_id)
        async with asyncio.timeout(10):
            (stuck,) = await hold(process, tenant, sale, new_id(), *seats(sale, 0))
    (free,) = await hold(process, tenant, sale, new_id(), *seats(sale, 0))
    assert (stuck.outcome, free.outcome) == ("again", "held")


@pytest.fixture
async def blocker(owner_url: str) -> AsyncIterator[Any]:
    """Keeps rows locked, so that batches wait."""
    connection = await asyncpg.connect(owner_url)
    yield connection
    await connection.close()


WAITING = "wait_event_type = 'Lock' AND query LIKE '%app.hold_in_turn(%'"


@pytest.mark.fault
async def test_a_lost_connection_fails_its_batch_and_nobody_else(
    process: Services, tenant: Tenant, owner: Any, blocker: Any
) -> None:
    """The batch waits for the show's row; its connection is cut. All of it is undone, and the next one is served."""
    sale = await stage(process, tenant, hall(1, 10, pit=5))
    async with blocker.transaction():
        await blocker.execute("SELECT FROM events WHERE id = $1 FOR UPDATE", sale.event_id)
        lost = [
            asyncio.create_task(hold(process, tenant, sale, new_id(), *seats(sale, n), places(sale, "pit", 1)))
            for n in range(3)
        ]
        await until(lambda: owner.fetchval(f"SELECT count(*) FROM pg_stat_activity WHERE {WAITING}"))
        assert await end_backends(owner, WAITING) == 1
        answers = await asyncio.gather(*lost, return_exceptions=True)
    assert [isinstance(answer, DATABASE_ERRORS) for answer in answers] == [True] * 3
    assert await row_counts(owner, sale) == (0, 0, 0)
    results = await hold(process, tenant, sale, new_id(), *seats(sale, 0), places(sale, "pit", 5))
    assert all(result.is_granted for result in results)


async def test_whoever_leaves_while_waiting_holds_nothing(
    process: Services, tenant: Tenant, owner: Any, blocker: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fullhouse.kit.batching.LONG_BATCH_S", -1)  # no batch waits for company
    sale = await stage(process, tenant, hall(1, 10))
    async with blocker.transaction():
        await blocker.execute("SELECT FROM events WHERE id = $1 FOR UPDATE", sale.event_id)
        calls = []
        for n in range(CONNECTIONS):  # one line each
            calls.append(asyncio.create_task(hold(process, tenant, sale, new_id(), *seats(sale, n))))
            busy = f"SELECT count(*) = {n + 1} FROM pg_stat_activity WHERE {WAITING}"
            await until(lambda busy=busy: owner.fetchval(busy))  # type: ignore[misc]
        late = [asyncio.create_task(hold(process, tenant, sale, new_id(), *seats(sale, n))) for n in (7, 8)]
        await asyncio.sleep(0)
        late[0].cancel()
        await asyncio.sleep(0)
    answers = await asyncio.gather(*calls, *late, return_exceptions=True)
    assert [isinstance(answer, asyncio.CancelledError) for answer in answers] == [False] * CONNECTIONS + [True, False]
    assert await row_counts(owner, sale) == (CONNECTIONS + 1, CONNECTIONS + 1, 0)


async def test_stopping_answers_everybody_first(process: Services, tenant: Tenant, owner: Any) -> None:
    sale = await stage(process, tenant, hall(2, 50))
    engine = Engine(process)
    asks = [wish(sale, new_id(), *seats(sale, n)) for n in range(100)]
    calls = [asyncio.create_task(engine.hold(tenant.id, ask)) for ask in asks]
    await asyncio.sleep(0)
    await engine.stop()
    assert all(call.done() for call in calls)
    answers: list[Results] = await asyncio.gather(*calls)
    assert {result.outcome for results in answers for result in results} == {"held"}
    assert await statuses(owner, sale) == ["active"] * 100
    assert await held_in(owner, sale) == {"hall": 0}


async def test_a_new_house_counts_a_persons_holds_by_the_person(owner: Any) -> None:
    """Nobody has analysed its tables yet: an index that only fits the organisation must not look as good."""
    async with owner.transaction():
        await owner.execute("CREATE TEMP TABLE new_holds (LIKE seat_holds INCLUDING ALL) ON COMMIT DROP")
        await owner.execute("SET LOCAL enable_seqscan = off")
        plan = await owner.fetch(
            "EXPLAIN SELECT count(*) FROM new_holds WHERE organization_id = $1 AND user_id = $2"
            " AND created_at > now() - interval '300 seconds'",
            new_id(),
            new_id(),
        )
    assert "new_holds_organization_id_user_id_created_at_idx" in "\n".join(row[0] for row in plan)
