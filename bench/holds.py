"""Reserving over HTTP beside pgbench doing the same hold as five statements: one server process, loopback.

    python bench/holds.py [seconds per measurement]

Client, server and PostgreSQL share the cores, so trust the ratios. Both sides are interleaved, medians of three.
"""

import asyncio
import itertools
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import asyncpg
import uvloop

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench import _load

from fullhouse import config, serving, wiring
from fullhouse.accounts import actions as accounts
from fullhouse.kit import outbox, secrets
from fullhouse.kit.bus import Bus
from fullhouse.kit.db import APP, Database
from fullhouse.kit.ids import new_id
from fullhouse.kit.postgres.binaries import find_install
from fullhouse.seating.actions import prepare
from fullhouse.seating.chart import seat_id
from fullhouse.seating.generators import Arena, generate

ROUNDS, BUYERS = 3, 20_000
FIVE = """
\\set n random(0, {seats} - 1)
BEGIN;
SELECT status FROM event_seats WHERE organization_id = '{org}' AND event_id = '{event}'
   AND seat_id = ('{base}' || lpad(to_hex(:n::integer), 8, '0'))::uuid FOR UPDATE;
UPDATE event_seats SET status = 'held', held_until = now() + interval '5 minutes', hold_id = gen_random_uuid(),
   version = version + 1 WHERE organization_id = '{org}' AND event_id = '{event}'
   AND seat_id = ('{base}' || lpad(to_hex(:n::integer), 8, '0'))::uuid;
INSERT INTO seat_holds (id, organization_id, event_id, basket_id, user_id, seat_id, zone_id, held_until, source)
   VALUES (gen_random_uuid(), '{org}', '{event}', gen_random_uuid(), '{user}',
           ('{base}' || lpad(to_hex(:n::integer), 8, '0'))::uuid, '{zone}', now() + interval '5 minutes', 'web');
INSERT INTO audit_log (id, organization_id, actor_type, action, entity_type, after)
   VALUES (gen_random_uuid(), '{org}', 'user', 'seat_reserved', 'seat_hold', '{{"seat": 1}}');
INSERT INTO outbox (id, organization_id, name, subject_id, payload)
   VALUES (gen_random_uuid(), '{org}', 'hold.placed', '{user}', '{{"seat": 1}}');
COMMIT;
"""
ONE_ROW = """
BEGIN;
UPDATE pools SET held = held + 1 WHERE organization_id = '{org}' AND event_id = '{event}' AND ref_id = '{pit}';
INSERT INTO seat_holds (id, organization_id, event_id, basket_id, user_id, zone_id, quantity, held_until, source)
   VALUES (gen_random_uuid(), '{org}', '{event}', gen_random_uuid(), '{user}', '{pit}', 1,
           now() + interval '5 minutes', 'web');
INSERT INTO audit_log (id, organization_id, actor_type, action, entity_type, after)
   VALUES (gen_random_uuid(), '{org}', 'user', 'seat_reserved', 'seat_hold', '{{"pit": 1}}');
INSERT INTO outbox (id, organization_id, name, subject_id, payload)
   VALUES (gen_random_uuid(), '{org}', 'hold.placed', '{user}', '{{"pit": 1}}');
COMMIT;
"""


class House(NamedTuple):
    org: UUID
    layout: UUID
    zone: UUID
    seats: int
    tokens: list[str]
    user: UUID


class Show(NamedTuple):
    event: UUID
    pit: UUID


async def open_house(urls: serving.Urls, tiers: int) -> House:
    """An arena, and buyers who are signed in."""
    outbox.wire(wiring.SYNC)
    bus = Bus(urls.serving)
    database = await Database.open(urls.serving, APP, size=2, bus=bus)
    org = new_id()
    async with database.tenant(org, deadline_s=60) as tx:
        await accounts.create_organization(tx, org, f"house-{org.hex[-8:]}", "House")
    await database.close()
    people = [new_id() for _ in range(BUYERS)]
    tokens = [secrets.mint(secrets.Kind.SESSION, org) for _ in people]
    prepared = prepare(generate(Arena(name="Arena", tiers=tiers, rows_per_tier=30)), 0)
    owner = await asyncpg.connect(urls.owner)
    layout, zone = new_id(), new_id()
    seats = len(prepared.chart.zone)
    await owner.execute("SET session_replication_role = replica")
    await owner.execute(
        "INSERT INTO layouts (id, organization_id, family_id, version, name, status, total_capacity, seat_count,"
        " document, geometry) VALUES ($1, $2, $1, 1, 'Arena', 'active', $3, $3, $4, $5)",
        layout, org, seats, prepared.document, prepared.geometry,
    )  # fmt: skip
    zones = [zone, *(new_id() for _ in prepared.plan.zones[1:])]
    for n, (zone_id, plan) in enumerate(zip(zones, prepared.plan.zones, strict=True)):
        await owner.execute(
            "INSERT INTO zones (id, organization_id, layout_id, position, zone_key, name, zone_type, capacity,"
            " access_mode) VALUES ($1, $2, $3, $4, $5, $5, 'reserved_seating', 1, 'public')",
            zone_id, org, layout, n, plan.key,
        )  # fmt: skip
    await owner.execute(
        "INSERT INTO users (id, organization_id, name, role)"
        " SELECT u, $1, 'Guest', 'customer' FROM unnest($2::uuid[]) u",
        org, people,
    )  # fmt: skip
    await owner.execute(
        "INSERT INTO sessions (id, organization_id, user_id, token_hash, method, expires_at)"
        " SELECT gen_random_uuid(), $1, u, h, 'guest', now() + interval '1 day'"
        " FROM unnest($2::uuid[], $3::bytea[]) AS x (u, h)",
        org, people, [secrets.digest(token) for token in tokens],
    )  # fmt: skip
    await owner.execute(
        "INSERT INTO seating_policies (organization_id, values) VALUES ($1, '{\"holds_per_window\": 10000}')", org
    )
    await owner.close()
    return House(org, layout, zone, seats, tokens, people[0])


async def open_show(owner_url: str, house: House) -> Show:
    owner = await asyncpg.connect(owner_url)
    event, pit = new_id(), new_id()
    await owner.execute("SET session_replication_role = replica")
    await owner.execute(
        "INSERT INTO events (id, organization_id, slug, name, description, category, status, start_at, end_at,"
        " doors_at, sale_start_at, sale_end_at, venue_name, city, country, timezone, dedupe_key)"
        " VALUES ($1, $2, $3, 'Show', 'A show', 'concert', 'published', now() + interval '9 days',"
        " now() + interval '10 days', now() + interval '9 days',"
        " now() - interval '1 day', now() + interval '8 days', 'Arena', 'City', 'ZZ', 'UTC', $3)",
        event, house.org, f"show-{event.hex[-10:]}",
    )  # fmt: skip
    await owner.execute("INSERT INTO event_directory VALUES ($1, $2)", event, house.org)
    await owner.execute(
        "INSERT INTO event_layouts (event_id, organization_id, layout_id) VALUES ($1, $2, $3)",
        event,
        house.org,
        house.layout,
    )
    for zone_id, kind, capacity in ((house.zone, "reserved_seating", house.seats), (pit, "ga_standing", 10_000_000)):
        await owner.execute(
            "INSERT INTO event_zones (organization_id, event_id, zone_id, position, zone_key, name, zone_type,"
            " capacity, access_mode) VALUES ($1, $2, $3, 0, $4, $4, $5, $6, 'public')",
            house.org, event, zone_id, kind, kind, capacity,
        )  # fmt: skip
        await owner.execute(
            "INSERT INTO pools (organization_id, event_id, kind, ref_id, capacity) VALUES ($1, $2, 'zone', $3, $4)",
            house.org, event, zone_id, capacity,
        )  # fmt: skip
    await owner.execute(
        "INSERT INTO event_seats (organization_id, event_id, seat_id, ordinal, zone_id)"
        " SELECT $1, $2, s, n - 1, $3 FROM unnest($4::uuid[]) WITH ORDINALITY AS x (s, n)",
        house.org, event, house.zone, [seat_id(house.layout, n) for n in range(house.seats)],
    )  # fmt: skip
    await owner.execute("VACUUM ANALYZE event_seats, seat_holds, pools, sessions, users")
    await owner.close()
    return Show(event, pit)


def pgbench(url: str, script: str, seconds: float, clients: int) -> float:
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as file:
        file.write(script)
        file.flush()
        done = subprocess.run(
            [find_install().program("pgbench"), "-n", "-M", "prepared", "-c", str(clients), "-j", "2",
             "-T", str(int(seconds)), "-f", file.name, url],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = re.search(r"tps = ([\d.]+)", done.stdout)
    assert found, done.stdout
    return float(found[1])


def requests(house: House, path: Callable[[int], str], body: Callable[[int], bytes]) -> Callable[[], bytes | None]:
    """The next request: each for another seat, from the buyers in turn."""
    numbers, buyers = itertools.count(), itertools.cycle(house.tokens)

    def next_request() -> bytes | None:
        n = next(numbers)
        if n >= house.seats:
            return None
        said = body(n)
        return (
            f"POST {path(n)} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {next(buyers)}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(said)}\r\n\r\n"
        ).encode() + said

    return next_request


def seats(house: House, show: Show) -> Callable[[], bytes | None]:
    return requests(
        house,
        lambda n: f"/api/events/{show.event}/seats/{seat_id(house.layout, n)}/reserve",
        lambda _: b'{"source":"web"}',
    )


def places(house: House, show: Show) -> Callable[[], bytes | None]:
    body = f'{{"items":[{{"zone_id":"{show.pit}","quantity":1}}]}}'.encode()
    return requests(house, lambda _: f"/api/events/{show.event}/holds", lambda _: body)


def run(port: int, source: Callable[[], bytes | None], connections: int, seconds: float) -> _load.Measured:
    measured = uvloop.run(_load.load(port, source, connections=connections, seconds=seconds))
    assert set(measured.statuses) <= {201}, measured.statuses
    return measured


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 4.0
    with tempfile.TemporaryDirectory() as home, serving.database(config.load({"FULLHOUSE_HOME": home})) as (urls, _):
        asyncio.run(serving.migrate_database(urls))
        house = asyncio.run(open_house(urls, tiers=6))

        def fresh() -> Show:
            return asyncio.run(open_show(urls.owner, house))

        environment = {
            **os.environ,
            "DATABASE_URL": urls.serving,
            "DATABASE_OWNER_URL": urls.owner,
            "FULLHOUSE_HOME": home,
        }
        print(f"an arena of {house.seats:,} seats, {BUYERS} buyers")
        words: dict[str, Any] = {
            "org": house.org,
            "base": str(house.layout)[:-8],
            "user": house.user,
            "zone": house.zone,
        }
        rates: dict[str, list[float]] = {name: [] for name in ("HTTP", "five", "HTTP pit", "one row")}
        with _load.serving("fullhouse.app:create", environment) as port:
            for _ in range(ROUNDS):
                show = fresh()
                rates["HTTP"].append(run(port, seats(house, show), 256, seconds).rate)
                rates["five"].append(
                    pgbench(urls.owner, FIVE.format(event=fresh().event, seats=house.seats, **words), seconds, 16)
                )
                show = fresh()
                rates["HTTP pit"].append(run(port, places(house, show), 256, seconds).rate)
                show = fresh()
                rates["one row"].append(
                    pgbench(urls.owner, ONE_ROW.format(event=show.event, pit=show.pit, **words), seconds, 16)
                )
            show = fresh()
            at_64, alone = run(port, seats(house, show), 64, seconds), run(port, seats(house, fresh()), 1, 1.5)
        http, five, pit, row = (statistics.median(rates[name]) for name in rates)
        print(f"distinct seats over HTTP, c=256: {http:,.0f}/s")
        print(f"÷ pgbench, five statements, c=16: {five:,.0f}/s = {http / five:.2f}")
        print(f"one standing zone over HTTP, c=256: {pit:,.0f}/s ÷ pgbench on its row: {row:,.0f}/s = {pit / row:.2f}")
        p50, p99 = at_64.percentile(0.5), at_64.percentile(0.99)
        print(f"c=64: p50 {p50:.1f} ms, p99 {p99:.1f} ms, ratio {p99 / p50:.1f}")
        print(f"alone: p50 {alone.percentile(0.5):.1f} ms")


if __name__ == "__main__":
    main()
