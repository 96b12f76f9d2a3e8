"""Scans over HTTP beside pgbench doing the same conditional insert as plain statements: one server process, loopback.
And what a decision, a snapshot and a merge take.

    python bench/scanning.py [seconds per measurement] [scans | snapshot | merge …]

Client, server and PostgreSQL share the cores, so trust the ratio: both sides are interleaved, medians of three. What
pgbench does has a database of its own; after each part the invariants are proved on ours.
"""

import asyncio
import itertools
import json
import random
import statistics
import sys
import time
import timeit
import urllib.request
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

import asyncpg

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench import _load
from bench._sale import Ground, ground, open_organization, pgbench, post, publish

from fullhouse.kit import secrets
from fullhouse.kit.ids import new_id
from fullhouse.kit.secrets import Keyring
from fullhouse.processes import serve
from fullhouse.scanning import device_actions, policy
from fullhouse.scanning.model import Scene
from fullhouse.scanning.snapshots import codec

ROUNDS, CROWD, CLIENTS = 3, 256, 16
ENTRIES, TICKETS, MERGED, DEVICES = 60_000, 100_000, 50_000, 400
SECRET_KEY = "a key for the bench that is long enough to be one"
# The same rows as ours, by the same role under the same policies, a statement each; every ticket comes once, as there.
# Who scans is not asked here, and nobody is told: ours does both.
ENTRY = """
\\set k :k + 1
\\set n :client_id * {share} + :k
BEGIN;
SELECT status FROM events WHERE organization_id = '{org}' AND id = '{event}' FOR SHARE;
SELECT t.id AS ticket, coalesce(p.version, 0) AS stood
   FROM tickets t
   JOIN ticket_types y ON y.organization_id = t.organization_id AND y.id = t.ticket_type_id
   LEFT JOIN ticket_presence p ON p.organization_id = t.organization_id AND p.ticket_id = t.id
   WHERE t.organization_id = '{org}' AND t.event_id = '{event}' AND t.number = 'N' || :n AND t.status = 'valid'
   FOR UPDATE OF t \\gset
INSERT INTO ticket_presence AS p (organization_id, ticket_id, event_id, version, inside, day, entries_today, entries,
                                  at, gate_id)
   VALUES ('{org}', :ticket::uuid, '{event}', :stood + 1, true, current_date, 1, 1, now(), '{gate}')
   ON CONFLICT (organization_id, ticket_id) DO UPDATE SET version = excluded.version, inside = true
   WHERE p.version = :stood;
UPDATE tickets SET status = 'used', version = version + 1, updated_at = now()
   WHERE organization_id = '{org}' AND id = :ticket::uuid;
INSERT INTO scans (id, organization_id, event_id, ticket_id, device_id, gate_id, direction, admitted, test, at, day,
                   version)
   VALUES (gen_random_uuid(), '{org}', '{event}', :ticket::uuid, '{gate}', '{gate}', 'in', true, false, now(),
           current_date, :stood + 1);
INSERT INTO audit_log (id, organization_id, actor_type, actor_id, actor_name, action, entity_type, entity_id, after, ip,
                       request_id)
   VALUES (gen_random_uuid(), '{org}', 'device', '{gate}', 'Scanner', 'ticket.scanned', 'ticket', :ticket::uuid,
           '{{"scan_id": "{gate}", "event_id": "{event}", "gate_id": "{gate}", "direction": "in",'
           ' "day": "2026-01-01"}}',
           '127.0.0.1', 'abcdefgh-1234');
INSERT INTO outbox (id, organization_id, name, subject_id, payload)
   VALUES (gen_random_uuid(), '{org}', 'ticket.scanned', :ticket::uuid,
           '{{"version": 1, "subject_id": "{event}", "event_id": "{event}", "scan_id": "{gate}",'
           ' "ticket_id": "{event}", "gate_id": "{gate}", "device_id": "{gate}", "direction": "in", "reason": null}}');
UPDATE scan_counts SET inside = inside + 1, entered = entered + 1
   WHERE organization_id = '{org}' AND event_id = '{event}' AND kind = 'event' AND ref_id = '{event}';
UPDATE scan_counts SET inside = inside + 1, entered = entered + 1
   WHERE organization_id = '{org}' AND event_id = '{event}' AND kind = 'gate' AND ref_id = '{gate}'
     AND inside < 10000000;
COMMIT;
"""


class Doors(NamedTuple):
    """A live show with a gate, its tickets, and devices that are paired."""

    event: UUID
    gate: UUID
    tokens: list[str]
    codes: list[str]

    def scans(self) -> Iterator[bytes]:
        for token, code in zip(itertools.cycle(self.tokens), self.codes, strict=False):
            yield post("/api/scan", token, json.dumps({"code": code}).encode())


class Bench(NamedTuple):
    ground: Ground
    org: UUID
    seconds: float

    def doors(self, tickets: int, database: str = "") -> Doors:
        return asyncio.run(open_doors(self.ground.named(database), self.org, tickets))


async def open_doors(urls: serve.Urls, org: UUID, tickets: int) -> Doors:
    owner = await asyncpg.connect(urls.owner)
    await owner.execute("SET session_replication_role = replica")
    event, venue, gate, kind = await publish(owner, org), new_id(), new_id(), new_id()
    await owner.execute("UPDATE events SET status = 'live', venue_id = $2 WHERE id = $1", event, venue)
    await owner.execute(
        "INSERT INTO gates (id, organization_id, venue_id, gate_code, name, capacity)"
        " VALUES ($1, $2, $3, 'A', 'A', 10000000)",
        gate,
        org,
        venue,
    )
    await owner.execute(
        "INSERT INTO ticket_types (id, organization_id, event_id, name, tier, kind, price, currency, entitlement)"
        " VALUES ($1, $2, $3, 'Entry', 'general', 'ga', 0, 'EUR', 'single')",
        kind,
        org,
        event,
    )
    first = await owner.fetchval("SELECT count(*) FROM tickets")
    codes = [codec.code_of((first + n) * 7_919_317 % 31**8) for n in range(1, tickets + 1)]
    await owner.execute(
        "INSERT INTO tickets (id, organization_id, event_id, order_id, ticket_type_id, number, code, nonce,"
        " holder_name, holder_email) SELECT gen_random_uuid(), $1, $2, $1, $3, 'N' || n, c,"
        " substr(uuid_send(gen_random_uuid()), 1, 8), 'Ada', 'a@example.org'"
        " FROM unnest($4::text[]) WITH ORDINALITY AS x (c, n)",
        org,
        event,
        kind,
        codes,
    )
    tokens = [secrets.mint(secrets.TokenKind.DEVICE, org) for _ in range(DEVICES)]
    await owner.execute(
        "INSERT INTO scan_devices (id, organization_id, event_id, name, gate_ids, rights, token_hash, sealed_key,"
        " paired_at) SELECT gen_random_uuid(), $1, $2, 'Scanner', ARRAY[$3::uuid], '{scan}', h, $5, now()"
        " FROM unnest($4::bytea[]) h",
        org,
        event,
        gate,
        [secrets.digest_token(token) for token in tokens],
        Keyring(SECRET_KEY).seal(device_actions.KEY, b"k" * 32),
    )
    await owner.execute(
        "INSERT INTO scan_counts (organization_id, event_id, day, kind, ref_id)"
        " VALUES ($1, $2, current_date, 'event', $2), ($1, $2, current_date, 'gate', $3)",
        org,
        event,
        gate,
    )
    await owner.execute("VACUUM ANALYZE tickets, scan_devices, scan_counts")
    await owner.close()
    return Doors(event, gate, tokens, codes)


def measure_scans(bench: Bench) -> None:
    def ours(server: _load.Server) -> float:
        asks = bench.doors(ENTRIES).scans()
        _load.load(server.port, _load.made([next(asks)]), connections=1, seconds=10, warm_s=0)
        requests = _load.made(asks)
        meter = _load.Meter(server=server.pids, postgres=bench.ground.postgres)
        found = _load.load(server.port, requests, connections=CROWD, seconds=bench.seconds)
        assert set(found.statuses) == {200}, found.statuses
        print(f"    {found.rate:,.0f}/s; for each, {meter.per_answer(round(found.rate * (bench.seconds + 0.3)))}")
        return found.rate

    def theirs() -> float:
        doors, share = bench.doors(ENTRIES, "naive"), ENTRIES // CLIENTS
        script = ENTRY.format(org=bench.org, event=doors.event, gate=doors.gate, share=share)
        return pgbench(bench.ground.named("naive").owner, bench.org, script, bench.seconds, CLIENTS, k=0)

    with bench.ground.serving(FULLHOUSE_SECRET_KEY=SECRET_KEY) as server:
        pairs = [(ours(server), theirs()) for _ in range(ROUNDS)]
    http, naive = (statistics.median(side) for side in zip(*pairs, strict=True))
    print(f"entries over HTTP, c={CROWD}: {http:,.0f}/s ÷ pgbench: {naive:,.0f}/s = {http / naive:.2f}")


def measure_decision() -> None:
    scene = Scene(now=datetime.now(UTC), day=date(2026, 1, 1), gate="A", zone_capacity=10, gate_capacity=10)
    took = min(timeit.repeat(lambda: policy.decide(scene), number=10_000, repeat=5)) / 10_000
    print(f"a decision: {took * 1e6:.1f} µs")


def call(server: _load.Server, token: str, path: str, body: bytes | None = None) -> bytes:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    asked = urllib.request.Request(f"http://127.0.0.1:{server.port}{path}", body, headers)
    with urllib.request.urlopen(asked, timeout=60) as answer:
        found: bytes = answer.read()
    return found


def measure_snapshot(bench: Bench) -> None:
    doors = bench.doors(TICKETS)
    with bench.ground.serving(FULLHOUSE_SECRET_KEY=SECRET_KEY) as server:
        began = time.perf_counter()
        size = len(call(server, doors.tokens[0], "/api/scan/snapshot"))
    print(f"a snapshot of {TICKETS:,} tickets: {size / 1e6:.2f} MB, made in {time.perf_counter() - began:.1f} s")


def measure_merge(bench: Bench) -> None:
    """Ten devices with five thousand each; every tenth ticket was let in by two of them. Nobody comes in the order in
    which they bought."""
    doors, now = bench.doors(MERGED), datetime.now(UTC)
    bodies, codes = [], random.Random(8).sample(doors.codes, MERGED)
    for n in range(10):
        own = codes[n * 5000 : n * 5000 + 4500] + codes[(n * 5000 + 5000) % MERGED :][:500]
        listed = [
            {"counter": c, "at": (now - timedelta(seconds=c)).isoformat(), "code": code, "admitted": True}
            for c, code in enumerate(own)
        ]
        bodies.append(json.dumps({"device_now": now.isoformat(), "scans": listed}).encode())
    with bench.ground.serving(FULLHOUSE_SECRET_KEY=SECRET_KEY) as server:
        meter = _load.Meter(server=server.pids, postgres=bench.ground.postgres)
        began, found = time.perf_counter(), 0
        for token, body in zip(doors.tokens, bodies, strict=False):
            found += json.loads(call(server, token, "/api/scan/batch", body))["data"]["incidents"]
        took = time.perf_counter() - began
        print(f"    for each, {meter.per_answer(MERGED)}")
    print(f"a merge of {MERGED:,} offline scans: {took:.1f} s, {found:,} incidents")


PARTS: dict[str, Callable[[Bench], None]] = {
    "scans": measure_scans,
    "snapshot": measure_snapshot,
    "merge": measure_merge,
}


def main() -> None:
    numbers = [float(word) for word in sys.argv[1:] if word[0].isdigit()]
    wanted = [word for word in sys.argv[1:] if not word[0].isdigit()] or list(PARTS)
    measure_decision()
    with ground() as here:
        org = asyncio.run(open_organization(here.urls))
        here.copy("naive")
        bench = Bench(here, org, numbers[0] if numbers else 4.0)
        for name in wanted:
            PARTS[name](bench)
            here.prove()
    print("and every invariant holds")


if __name__ == "__main__":
    main()
