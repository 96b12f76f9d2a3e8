"""Shows begin and end by the clock: each once, by one of many schedulers, also after a long silence."""

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from fullhouse.events import actions, facts, store
from fullhouse.events.jobs import LONG_AGO, move_due_events
from fullhouse.events.model import Event
from fullhouse.events.policy import Move
from fullhouse.kit.db.database import APP, WORKER, Database, Tx
from fullhouse.kit.live.bus import Bus
from fullhouse.kit.messages import outbox
from fullhouse.kit.services import Services
from tests.events.helpers import DAY, HOUR, announced, make_show, trail
from tests.fixtures import Tenant
from tests.kit.helpers import until

NOBODY = UUID(int=0)

pytestmark = pytest.mark.req("EV-4")
Clock = Callable[[timedelta], Any]
_SETTLE = "UPDATE events SET status = 'archived' WHERE status IN ('published', 'live', 'postponed')"
_LEFT = "SELECT count(*) FROM events WHERE organization_id = $1 AND status <> $2"
_MANY = """
INSERT INTO events (id, organization_id, slug, name, description, category, status, start_at, end_at, doors_at,
                    sale_start_at, sale_end_at, venue_name, city, country, timezone, dedupe_key)
SELECT gen_random_uuid(), $1, 's-' || n, 'Show ' || n, 'S', 's', 'published', now() + interval '1 day',
       now() + interval '2 days', now() + interval '1 day', now(), now() + interval '1 day', 'V', 'C', 'BE', 'UTC', n
FROM generate_series(1, $2) n
"""


@pytest.fixture(autouse=True)
async def alone(owner: Any) -> None:
    """The scheduler looks at every organisation: what earlier tests left running is put away."""
    await owner.execute(_SETTLE)


@pytest.fixture
async def finder(server_url: str) -> AsyncIterator[Database]:
    opened = await Database.open(server_url, WORKER, size=2)
    yield opened
    await opened.close()


@pytest.fixture
async def second(server_url: str) -> AsyncIterator[tuple[Database, Database]]:
    """Another worker's connections."""
    bus = Bus(server_url)
    await bus.start()
    databases = await Database.open(server_url, WORKER, size=1), await Database.open(server_url, APP, size=2, bus=bus)
    yield databases
    for database in databases:
        await database.close()
    await bus.stop()


async def stored(owner: Any, event: Event) -> dict[str, Any]:
    return dict(await owner.fetchrow("SELECT * FROM events WHERE id = $1", event.id))


async def moves(owner: Any, tenant: Tenant, event: Event) -> list[str]:
    """What the scheduler did to a show, by its audit."""
    rows = [row for row in await trail(owner, tenant, event) if row["actor_type"] == "system"]
    assert {row["reason"] for row in rows} <= {"on schedule"}
    # By version: who waited for the row may have asked for the time before the one who had it.
    return [row["action"] for row in sorted(rows, key=lambda row: row["after"]["version"])]


async def reschedule(services: Services, tenant: Tenant, event: Event, new_date: datetime) -> None:
    async with services.database.tenant(tenant.id, tenant.principal("owner").actor) as tx:
        await actions.move_event(tx, event.id, Move.RESCHEDULE, new_date=new_date)


# --- on time


async def test_doors_open_and_the_curtain_falls(
    services: Services, finder: Database, tenant: Tenant, owner: Any, clock: Clock
) -> None:
    event = await make_show(services, tenant, Move.PUBLISH)
    timeline = [
        (30 * DAY - 3 * HOUR, 0, "published"),  # an hour before the doors
        (30 * DAY - HOUR, 1, "live"),
        (30 * DAY + 3 * HOUR, 0, "live"),  # an hour before the end
        (30 * DAY + 5 * HOUR, 1, "ended"),
        (3650 * DAY, 0, "ended"),
    ]
    for shift, moved, status in timeline:
        await clock(shift)
        assert await move_due_events(finder, services.database) == moved
        assert (await stored(owner, event))["status"] == status
    assert await moves(owner, tenant, event) == ["event.start", "event.end"]
    assert [fact["name"] for fact in await announced(owner, event)][-2:] == ["event.started", "event.ended"]


@pytest.mark.req("EV-7")
async def test_a_postponed_show_begins_on_its_new_date(
    services: Services, finder: Database, tenant: Tenant, owner: Any, clock: Clock
) -> None:
    event = await make_show(services, tenant, Move.PUBLISH, Move.POSTPONE)
    new = event.start_at + 30 * DAY
    await reschedule(services, tenant, event, new)
    for shift, moved in ((60 * DAY - HOUR, 0), (60 * DAY + HOUR, 1), (60 * DAY + HOUR, 0)):
        await clock(shift)
        assert await move_due_events(finder, services.database) == moved
    row = await stored(owner, event)
    assert (row["status"], row["rescheduled_at"]) == ("live", None)
    assert (row["doors_at"], row["start_at"], row["end_at"]) == (new - 2 * HOUR, new, new + 4 * HOUR)
    await clock(60 * DAY + 5 * HOUR)
    assert await move_due_events(finder, services.database) == 1
    assert await moves(owner, tenant, event) == ["event.start", "event.end"]


async def test_nothing_else_moves_by_itself(
    services: Services, finder: Database, tenant: Tenant, owner: Any, clock: Clock
) -> None:
    ways: dict[str, list[Move]] = {
        "draft": [],
        "postponed": [Move.PUBLISH, Move.POSTPONE],
        "cancelled": [Move.PUBLISH, Move.CANCEL],
        "ended": [Move.PUBLISH, Move.START, Move.END],
        "archived": [Move.ARCHIVE],
    }
    events = {status: await make_show(services, tenant, *way) for status, way in ways.items()}
    await clock(3650 * DAY)
    assert await move_due_events(finder, services.database) == 0
    assert {status: (await stored(owner, event))["status"] for status, event in events.items()} == dict(
        zip(ways, ways, strict=True)
    )


# --- late


async def test_after_years_without_power_a_show_begins_and_then_ends(
    services: Services, finder: Database, tenant: Tenant, owner: Any, clock: Clock
) -> None:
    plain = await make_show(services, tenant, Move.PUBLISH)
    dated = await make_show(services, tenant, Move.PUBLISH, Move.POSTPONE)
    await reschedule(services, tenant, dated, dated.start_at + 30 * DAY)
    await clock(3650 * DAY)
    rounds = [await move_due_events(finder, services.database) for _ in range(3)]
    assert (sum(rounds), rounds[-1]) == (4, 0)
    assert {(await stored(owner, event))["status"] for event in (plain, dated)} == {"ended"}
    for event in (plain, dated):
        assert await moves(owner, tenant, event) == ["event.start", "event.end"]


async def test_a_crowd_is_moved_at_once(
    services: Services, finder: Database, tenant: Tenant, owner: Any, clock: Clock
) -> None:
    await owner.execute(_MANY, tenant.id, 130)
    await clock(DAY + HOUR)
    assert [await move_due_events(finder, services.database) for _ in range(3)] == [130, 0, 0]
    assert await owner.fetchval(_LEFT, tenant.id, "live") == 0


async def test_a_show_that_cannot_move_holds_up_nobody(
    services: Services, finder: Database, tenant: Tenant, owner: Any, clock: Clock
) -> None:
    """Its new date has become that of the same show in the same place, so that it is refused time and again."""
    stuck = await make_show(services, tenant, Move.PUBLISH, Move.POSTPONE)
    new = stuck.start_at + DAY
    await reschedule(services, tenant, stuck, new)
    await make_show(services, tenant, venue_id=stuck.venue_id, start_at=new, end_at=new + HOUR, doors_at=new)
    others = [await make_show(services, tenant, Move.PUBLISH, start_at=new, end_at=new + DAY) for _ in range(2)]
    dated = await make_show(services, tenant, Move.PUBLISH, Move.POSTPONE)
    await reschedule(services, tenant, dated, new)
    await clock(31 * DAY + HOUR)
    assert [await move_due_events(finder, services.database) for _ in range(2)] == [3, 0]
    assert (await stored(owner, stuck))["status"] == "postponed"
    assert {(await stored(owner, event))["status"] for event in (*others, dated)} == {"live"}


async def test_a_consequence_that_fails_for_one_show_holds_up_nobody(
    services: Services, finder: Database, tenant: Tenant, owner: Any, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    events = [await make_show(services, tenant, Move.PUBLISH) for _ in range(3)]

    async def fail_for_one(_tx: Tx, fact: facts.EventStarted) -> None:
        if fact.subject_id == events[0].id:
            raise ZeroDivisionError

    monkeypatch.setattr(outbox, "_sync_handlers", {facts.EventStarted: [fail_for_one]})
    await clock(30 * DAY + HOUR)
    assert await move_due_events(finder, services.database) == 2
    assert [(await stored(owner, event))["status"] for event in events] == ["published", "live", "live"]
    monkeypatch.setattr(outbox, "_sync_handlers", {})
    assert await move_due_events(finder, services.database) == 1


# --- many schedulers


async def test_two_schedulers_at_once_move_each_show_once(
    services: Services,
    finder: Database,
    second: tuple[Database, Database],
    tenant: Tenant,
    other_tenant: Tenant,
    owner: Any,
    clock: Clock,
) -> None:
    tenants = [tenant, other_tenant] * 5
    events = [(whose, await make_show(services, whose, Move.PUBLISH)) for whose in tenants]
    await clock(60 * DAY)
    counts = [
        sum(await asyncio.gather(move_due_events(finder, services.database), move_due_events(*second)))
        for _ in range(3)
    ]
    assert (sum(counts), counts[-1]) == (20, 0)  # all have begun and ended; one may end what the other just began
    for whose, event in events:
        assert await moves(owner, whose, event) == ["event.start", "event.end"]


async def test_a_scheduler_that_comes_second_looks_again(
    services: Services, second: tuple[Database, Database], tenant: Tenant, owner: Any, clock: Clock
) -> None:
    event = await make_show(services, tenant, Move.PUBLISH)
    assert await _start_together(services, second, tenant, owner, event, clock) == 0
    assert [fact["name"] for fact in await announced(owner, event)].count("event.started") == 1


async def test_without_the_lock_the_show_would_begin_twice(
    services: Services,
    second: tuple[Database, Database],
    tenant: Tenant,
    owner: Any,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The same two where nobody waits: the tests above can fail."""
    event = await make_show(services, tenant, Move.PUBLISH)
    monkeypatch.setattr(store, "lock_event", store.event_by_id)
    assert await _start_together(services, second, tenant, owner, event, clock) == 1
    assert [fact["name"] for fact in await announced(owner, event)].count("event.started") == 2


async def _start_together(
    services: Services, second: tuple[Database, Database], tenant: Tenant, owner: Any, event: Event, clock: Clock
) -> int:
    """Somebody has started the show but not committed when the scheduler finds it due; then the first commits."""
    await clock(30 * DAY + HOUR)
    blocked = "SELECT count(*) FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))"
    async with services.database.tenant(tenant.id) as tx:
        pid = await tx.fetchval("SELECT pg_backend_pid()")
        await actions.move_event(tx, event.id, Move.START)
        scheduling = asyncio.create_task(move_due_events(*second))
        await until(lambda: scheduling.done() or owner.fetchval(blocked, pid))
        assert not scheduling.done()
    return await scheduling


# --- who may


@pytest.mark.req("TEN-1")
async def test_a_worker_finds_everywhere_and_changes_nothing(
    services: Services, finder: Database, tenant: Tenant, other_tenant: Tenant, clock: Clock
) -> None:
    here, there = [await make_show(services, whose, Move.PUBLISH) for whose in (tenant, other_tenant)]
    await clock(30 * DAY + HOUR)
    due = {(tenant.id, here.id), (other_tenant.id, there.id)}
    changes = [
        "UPDATE events SET status = 'live'",
        "DELETE FROM events",
        "INSERT INTO event_directory (event_id, organization_id) VALUES (gen_random_uuid(), gen_random_uuid())",
    ]
    for change in changes:
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            async with finder.tenant(tenant.id) as tx:
                await tx.execute(change)
    assert await move_due_events(finder, finder) == 0
    async with finder.without_tenant() as tx:
        assert {
            (show.organization_id, show.id) for show in await store.due_events(tx, since=LONG_AGO, since_id=NOBODY)
        } == due
    async with services.database.without_tenant() as tx:
        assert await store.due_events(tx, since=LONG_AGO, since_id=NOBODY) == []
