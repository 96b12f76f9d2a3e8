"""The pre-queue: people gather, a draw orders them that anybody can do again, and whoever comes later stands behind."""

import hashlib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from fullhouse.kit.db import Database
from fullhouse.kit.services import Services
from fullhouse.queue import jobs, store
from fullhouse.queue.model import Place, PreQueueTooLate, WrongState
from tests.accounts.helpers import data, refused
from tests.fixtures import Client, Tenant
from tests.holds.helpers import OnSale, a_process, hall, on_sale
from tests.queue.helpers import crowd, entries, join, keep, order, poll, settle, soon, state
from tests.queue.test_draw import recomputed

Shift = Callable[[timedelta], Any]
PEOPLE = 40


@pytest.fixture
async def upcoming(staff: Client) -> OnSale:
    """The sale begins in a day."""
    begins = datetime.now(UTC) + timedelta(days=1)
    return await on_sale(staff, hall(4, 25), event={"sale_start_at": begins.isoformat()})


async def gather(process: Services, tenant: Tenant, sale: OnSale, people: int = PEOPLE) -> list[tuple[UUID, Place]]:
    opens_at = datetime.now(UTC) + timedelta(days=1)
    await settle(process, tenant, sale, mode="on", slots=3, opens_at=opens_at, admit_window_s=600)
    return await crowd(process, tenant, sale, people)


@pytest.mark.req("QUEUE-1")
async def test_the_order_is_the_draws_and_everybody_can_check_it(
    process: Services, finder: Database, client: Client, tenant: Tenant, upcoming: OnSale, owner: Any, clock: Shift
) -> None:
    people = await gather(process, tenant, upcoming)
    before = data(await client.get(upcoming.path("queue/draw")))
    assert (before["state"], before["seed"], before["tickets"]) == ("pre", None, None)
    assert {place.seed_hash for _, place in people} == {before["seed_hash"]}
    assert {(place.status, place.room, place.position, place.expires_at) for _, place in people} == {
        ("waiting", "pre", None, None)
    }
    assert [place.seq for _, place in people] == list(range(1, PEOPLE + 1))
    await keep(process, finder)
    assert await state(owner, upcoming) == "pre"  # not before its time

    await clock(timedelta(days=1, minutes=1))
    await process.clock.measure()
    await keep(process, finder)
    after = data(await client.get(upcoming.path("queue/draw")))
    assert hashlib.sha256(bytes.fromhex(after["seed"])).hexdigest() == before["seed_hash"] == after["seed_hash"]
    assert after["tickets"] == PEOPLE
    expected = recomputed(after["seed"], after["tickets"])
    rows = await entries(owner, upcoming)
    assert {row["seq"]: row["place"] for row in rows} == expected
    assert {row["seq"] for row in rows if row["status"] == "admitted"} == {n for n, at in expected.items() if at <= 3}
    drawn_at = rows[0]["seen_at"]
    assert {row["expires_at"] - drawn_at for row in rows if row["status"] == "waiting"} == {timedelta(minutes=30)}

    async def told() -> bool:
        found = [await poll(process, tenant, upcoming, *one) for one in people]
        return [place.position for place in found] == [
            None if expected[place.seq] <= 3 else expected[place.seq] - 3 for place in found
        ]

    await soon(told)
    late = await join(process, tenant, upcoming)
    assert (late.seq, late.position) == (PEOPLE + 1, PEOPLE - 3 + 1)


async def test_a_draw_goes_on_where_it_was_left_and_nobody_is_let_in_before_it_is_done(
    process: Services, finder: Database, tenant: Tenant, upcoming: OnSale, owner: Any, clock: Shift,
    server_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    people = await gather(process, tenant, upcoming)
    monkeypatch.setattr(jobs, "DRAWN_AT_ONCE", 7)
    draws = 0

    async def dies(*args: Any) -> Any:
        nonlocal draws
        draws += args[2] == upcoming.event_id  # the worker draws for shows of other tests too
        if draws == 3:
            raise ConnectionError("the worker is gone")
        return await drawing(*args)

    drawing = store.draw
    monkeypatch.setattr(store, "draw", dies)
    await clock(timedelta(days=1, minutes=1))
    await process.clock.measure()
    await keep(process, finder)
    rows = await entries(owner, upcoming)
    assert sum(row["place"] is not None for row in rows) == 14
    assert {row["status"] for row in rows} == {"waiting"}
    late = await join(process, tenant, upcoming)
    assert (late.status, late.position) == ("waiting", None)
    await keep(process, finder)
    rows = await entries(owner, upcoming)
    seed = await owner.fetchval("SELECT encode(seed, 'hex') FROM queue_rooms WHERE event_id = $1", upcoming.event_id)
    expected = recomputed(seed, PEOPLE) | {PEOPLE + 1: PEOPLE + 1}
    assert {row["seq"]: row["place"] for row in rows} == expected
    assert {row["seq"] for row in rows if row["status"] == "admitted"} == {n for n, at in expected.items() if at <= 3}
    async with a_process(server_url, tmp_path) as another:  # and a process that starts now knows it
        await another.clock.measure()
        found = [await poll(another, tenant, upcoming, *one) for one in people]
    assert [p.position for p in found] == [None if expected[p.seq] <= 3 else expected[p.seq] - 3 for p in found]


async def test_the_organiser_may_open_early(
    process: Services, finder: Database, tenant: Tenant, upcoming: OnSale, owner: Any, clock: Shift
) -> None:
    await gather(process, tenant, upcoming, 4)
    await order(process, tenant, upcoming, "open")
    await keep(process, finder)
    rows = await entries(owner, upcoming)
    assert sorted(row["place"] for row in rows) == [1, 2, 3, 4]
    assert {row["status"] for row in rows} == {"waiting"}  # the sale has not begun
    await owner.execute("UPDATE events SET sale_start_at = app.clock() WHERE id = $1", upcoming.event_id)
    await keep(process, finder)
    assert [row["place"] for row in await entries(owner, upcoming) if row["status"] == "waiting"] == [4]


async def test_a_pre_queue_is_for_before_the_sale(
    process: Services, client: Client, tenant: Tenant, sale: OnSale, upcoming: OnSale
) -> None:
    later = datetime.now(UTC) + timedelta(hours=1)
    with pytest.raises(PreQueueTooLate):
        await settle(process, tenant, sale, mode="on", opens_at=later)
    assert refused(await client.get(sale.path("queue/draw"))) == (404, "not_in_queue")
    await settle(process, tenant, upcoming, mode="on", opens_at=later)
    with pytest.raises(WrongState):  # they gather: it opens, or it opens later
        await settle(process, tenant, upcoming, mode="auto")
    moved = await settle(process, tenant, upcoming, mode="on", opens_at=later + timedelta(hours=1))
    assert (moved.state, moved.opens_at) == ("pre", later + timedelta(hours=1))


async def test_the_seed_is_sealed_until_it_is_shown(
    process: Services, tenant: Tenant, upcoming: OnSale, owner: Any
) -> None:
    await gather(process, tenant, upcoming, 1)
    before = await owner.fetchrow("SELECT * FROM queue_rooms WHERE event_id = $1", upcoming.event_id)
    assert before["seed"] is None
    await order(process, tenant, upcoming, "open")
    after = await owner.fetchrow("SELECT * FROM queue_rooms WHERE event_id = $1", upcoming.event_id)
    assert after["seed"] not in before["sealed_seed"]
    assert hashlib.sha256(after["seed"]).digest() == before["seed_hash"]
