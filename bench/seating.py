"""Seats end to end: importing and attaching 100,000 of them over HTTP, and reading their states from memory.

    python bench/seating.py [seats]

On a PostgreSQL of its own, the application in this process. Beside each figure stands the naive way: single inserts,
and reading the states from the database every time. Trust the ratios, not the absolute figures.
"""

import asyncio
import gc
import statistics
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncpg
import httpx
import numpy as np
import uvloop

sys.path.insert(0, str(Path(__file__).parents[1]))

from fullhouse import config, wiring
from fullhouse.accounts import actions as accounts
from fullhouse.accounts.sign_in import actions
from fullhouse.events.images import poster_art
from fullhouse.kit.db.database import APP, Database
from fullhouse.kit.ids import new_id
from fullhouse.kit.messages import outbox
from fullhouse.kit.telemetry import telemetry
from fullhouse.processes import app, serve
from fullhouse.seating import store
from fullhouse.seating.allocation.index import build_index
from fullhouse.seating.maps import seat_states
from fullhouse.seating.plans import decoding
from fullhouse.seating.plans.chart import build_chart, seat_id
from fullhouse.seating.plans.generators import Straight, generate
from fullhouse.seating.plans.plan import encode

SINGLE, ROUNDS = 2_000, 200
ROW = 250
JSON = {"content-type": "application/json"}
NEVER = {"FULLHOUSE_LOG": "error", "FULLHOUSE_SECRET_KEY": "a key for measuring that is long enough"}


def main() -> None:
    seats = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory() as home:
        settings = config.load({"FULLHOUSE_HOME": home, **NEVER})
        with serve.open_database(settings) as (urls, _):
            asyncio.run(serve.migrate_database(urls))
            named = {"DATABASE_URL": urls.serving, "DATABASE_OWNER_URL": urls.owner, "FULLHOUSE_HOME": home}
            uvloop.run(measure(config.load(named | NEVER), urls, seats))


async def measure(settings: config.Config, urls: Any, seats: int) -> None:
    document = plan(seats)
    memory(document)
    organization_id, token = await tenant(urls)
    lane = app.build(settings)
    async with (
        lane.wide.lifespan(),
        httpx.AsyncClient(
            transport=httpx.ASGITransport(lane),
            base_url="http://bench",
            timeout=120,
            headers={"authorization": f"Bearer {token}"},
        ) as client,
    ):
        event = await show(client)
        venue = event["venue_id"]
        longest = asyncio.create_task(longest_pause())
        took, answer = await timed(lambda: client.post(f"/api/venues/{venue}/layouts", content=document, headers=JSON))
        longest.cancel()
        layout = answered(answer, 201)
        pause = await longest
        one_by_one = await single_inserts(urls, organization_id, UUID(layout["id"])) * layout["seat_count"] / SINGLE
        line(f"import of {layout['seat_count']:,} seats", took, one_by_one, "single inserts, from 2,000", goal=10)
        print(f"{'':38}  {len(document) / 1e6:.1f} MB; others wait {pause * 1000:.0f} ms at most meanwhile")
        answered(await client.post(f"/api/layouts/{layout['id']}/activate"))
        took, answer = await timed(
            lambda: client.put(f"/api/events/{event['id']}/layout", json={"layout_id": layout["id"]})
        )
        answered(answer)
        line(f"attaching {layout['seat_count']:,} seats", took)
        await snapshots(client, urls, organization_id, event["id"])


def memory(document: bytes) -> None:
    """What a process keeps of a show: seats by name, arrays, states."""
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    drawn = decoding.decode_plan(document)
    house = seat_states.build_seat_index(
        new_id(), drawn, build_index(build_chart(drawn)), [new_id() for _ in drawn.zones]
    )
    hall = seat_states.SeatStates(new_id(), new_id(), house, np.zeros(len(house.rows), np.uint8))
    del drawn
    gc.collect()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    print(f"{f'memory of a show of {len(hall.states):,}':38}  {(after - before) / 1e6:.1f} MB  goal < 50 MB for 80,000")


async def snapshots(client: httpx.AsyncClient, urls: Any, organization_id: UUID, event_id: str) -> None:
    path = f"/api/events/{event_id}/availability"
    took, answer = await timed(lambda: client.get(path))
    assert answer.status_code == 200, answer.text
    line("first availability snapshot (loads)", took)
    from_memory = await median(lambda: client.get(path), ROUNDS)
    unchanged = await median(lambda: client.get(path, headers={"if-none-match": answer.headers["etag"]}), ROUNDS)
    database = await Database.open(urls.serving, APP, size=1)
    try:

        async def read() -> None:
            async with database.tenant(organization_id) as tx:
                await store.seat_states(tx, UUID(event_id))

        from_database = await median(read, 10)
    finally:
        await database.close()
    line(
        f"snapshot from memory ({len(answer.content):,} bytes)",
        from_memory,
        from_database,
        "read each time",
        goal=0.005,
    )
    line("the same, unchanged (304)", unchanged, from_database, "read each time")


# --- the house


def plan(seats: int) -> bytes:
    rows = min(200, -(-seats // ROW))
    return encode(generate(Straight(rows=rows, seats_per_row=min(500, seats // rows), seat_pitch=5, row_pitch=5)))


async def tenant(urls: Any) -> tuple[UUID, str]:
    telemetry.configure_logs("error", process="bench")
    outbox.wire(wiring.SYNC)
    database = await Database.open(urls.serving, APP, size=1, bus=Silent())
    organization_id = new_id()
    async with database.tenant(organization_id) as tx:
        organization = await accounts.create_organization(tx, organization_id, "bench", "Bench")
        user = await accounts.create_user(tx, email="owner@example.org", name="Owner", role="owner")
        session = await actions.create_session(tx, organization, user, "password")
    await database.close()
    return organization_id, session.token


class Silent:
    """A bus without anybody on it."""

    async def before_commit(self, *_: object) -> None: ...
    def after_commit(self, *_: object) -> None: ...


async def show(client: httpx.AsyncClient) -> Any:
    hall = {"name": "Hall", "city": "Gent", "country": "BE", "timezone": "Europe/Brussels", "address": "Kouter 1"}
    venue = answered(await client.post("/api/venues", json=hall), 201)
    picture = await client.post(
        "/api/images", content=poster_art.draw_poster("Bench"), headers={"content-type": "image/png"}
    )
    start = datetime.now(UTC) + timedelta(days=30)
    wish = {
        "venue_id": venue["id"], "name": "Show", "description": "A show.", "category": "concert",
        "start_at": start.isoformat(), "end_at": (start + timedelta(hours=2)).isoformat(),
        "cover_image_ids": [answered(picture, 201)["id"]],
    }  # fmt: skip
    event = answered(await client.post("/api/events", json=wish), 201)
    return answered(await client.post(f"/api/events/{event['id']}/publish"))


async def single_inserts(urls: Any, organization_id: UUID, layout_id: UUID) -> float:
    """The same rows one by one in one transaction, which is undone."""
    owner = await asyncpg.connect(urls.owner)
    try:
        zone = await owner.fetchval("SELECT id FROM zones WHERE layout_id = $1", layout_id)
        transaction = owner.transaction()
        await transaction.start()
        other = new_id()
        await owner.execute(
            "INSERT INTO layouts (id, organization_id, venue_id, family_id, version, name, total_capacity, seat_count,"
            " document, geometry) SELECT $2, organization_id, venue_id, $2, 1, name, total_capacity, seat_count, '', ''"
            " FROM layouts WHERE id = $1",
            layout_id,
            other,
        )
        await owner.execute(
            "INSERT INTO zones SELECT $2, organization_id, $3, position, zone_key, name, zone_type, capacity,"
            " access_mode, membership_tier, allowed_roles, price_category FROM zones WHERE id = $1",
            zone,
            (copy := new_id()),
            other,
        )
        began = time.perf_counter()
        for n in range(SINGLE):
            await owner.execute(
                "INSERT INTO seats (id, organization_id, layout_id, ordinal, seat_key, zone_id, section, row_label,"
                " number, category) VALUES ($1, $2, $3, $4, $5, $6, 'Hall', 'A', $7, 'standard')",
                seat_id(other, n),
                organization_id,
                other,
                n,
                f"A-{n}",
                copy,
                str(n),
            )
        took = time.perf_counter() - began
        await transaction.rollback()
        return took
    finally:
        await owner.close()


# --- measuring


async def timed(work: Callable[[], Awaitable[httpx.Response]]) -> tuple[float, httpx.Response]:
    began = time.perf_counter()
    answer = await work()
    return time.perf_counter() - began, answer


async def median(work: Callable[[], Awaitable[object]], rounds: int) -> float:
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        await work()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


async def longest_pause() -> float:
    """How long the loop did not turn for others, at worst."""
    longest = 0.0
    try:
        while True:
            began = time.perf_counter()
            await asyncio.sleep(0.001)
            longest = max(longest, time.perf_counter() - began)
    except asyncio.CancelledError:
        return longest


def answered(answer: httpx.Response, status: int = 200) -> Any:
    assert answer.status_code == status, answer.text[:500]
    return answer.json()["data"]


def line(what: str, took: float, other: float | None = None, beside: str = "", goal: float | None = None) -> None:
    ratio = f"  {other / took:8.1f}× faster than {beside} ({_seconds(other)})" if other else ""
    aim = f"  goal < {_seconds(goal)}" if goal else ""
    print(f"{what:38}  {_seconds(took):>9}{ratio}{aim}")


def _seconds(value: float) -> str:
    return f"{value:.2f} s" if value >= 1 else f"{value * 1000:.2f} ms"


if __name__ == "__main__":
    main()
