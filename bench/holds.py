"""Reserving over HTTP: beside pgbench, as shows grow, and with row-level security beside without.

    python bench/holds.py [seconds per measurement] [seats | limits | places | latency | growth | rls …]

On loopback. Client, server and PostgreSQL share the cores, so trust the ratios: both sides of one
are interleaved, medians of three. What pgbench does, and what runs without row-level security, has a database of its
own; after each part the invariants are proved on ours.
"""

import asyncio
import itertools
import os
import statistics
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import asyncpg

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench import _load
from bench._sale import Ground, House, Show, ground, open_house, open_shows, pgbench, places, ready, seats

ROUNDS, CROWD = 3, 256
GROWTH = 12_000  # holds in one measurement of growth
# The same rows as ours, by the same role under the same policies, a statement each.
_STORY = (
    '{{"version": 1, "subject_id": "{user}", "event_id": "{event}", "seat_id": "{user}", "zone_id": "{user}",'
    ' "quantity": 1, "user_id": "{user}", "basket_id": "{user}", "held_until": "2030-01-01T00:00:00.123456+00:00",'
    ' "source": "web"}}'
)
_AFTER = f"""
INSERT INTO audit_log (id, organization_id, actor_type, actor_id, action, entity_type, entity_id, after, ip, request_id)
   VALUES (gen_random_uuid(), '{{org}}', 'user', '{{user}}', 'seat_reserved', 'seat_hold', '{{user}}', '{_STORY}',
           '127.0.0.1', 'abcdefgh-1234');
INSERT INTO outbox (id, organization_id, name, subject_id, payload)
   VALUES (gen_random_uuid(), '{{org}}', 'hold.placed', '{{user}}', '{_STORY}');
COMMIT;
"""
FIVE = (
    """
\\set n random(0, {seats} - 1)
BEGIN;
SELECT status FROM event_seats WHERE organization_id = '{org}' AND event_id = '{event}'
   AND seat_id = ('{base}' || lpad(to_hex(:n::integer), 8, '0'))::uuid FOR UPDATE;
UPDATE event_seats SET status = 'held', held_until = now() + interval '5 minutes', hold_id = gen_random_uuid(),
   version = version + 1 WHERE organization_id = '{org}' AND event_id = '{event}'
   AND seat_id = ('{base}' || lpad(to_hex(:n::integer), 8, '0'))::uuid;
INSERT INTO seat_holds (id, organization_id, event_id, basket_id, user_id, seat_id, zone_id, held_until, source)
   VALUES (gen_random_uuid(), '{org}', '{event}', gen_random_uuid(), '{user}',
           ('{base}' || lpad(to_hex(:n::integer), 8, '0'))::uuid, '{zone}', now() + interval '5 minutes', 'web');"""
    + _AFTER
)
ONE_ROW = (
    """
BEGIN;
UPDATE pools SET held = held + 1 WHERE organization_id = '{org}' AND event_id = '{event}' AND ref_id = '{pit}';
INSERT INTO seat_holds (id, organization_id, event_id, basket_id, user_id, zone_id, quantity, held_until, source)
   VALUES (gen_random_uuid(), '{org}', '{event}', gen_random_uuid(), '{user}', '{pit}', 1,
           now() + interval '5 minutes', 'web');"""
    + _AFTER
)


class Bench(NamedTuple):
    ground: Ground
    house: House
    seconds: float

    def show(self, database: str = "", capacity: int = 0) -> Show:
        return asyncio.run(open_shows(self.ground.named(database).owner, self.house, capacity=capacity))[0]

    def run(self, server: _load.Server, source: Iterator[bytes], connections: int = CROWD) -> _load.Measured:
        requests = ready(server, source, self.seconds)
        meter = _load.Meter(server=server.pids, postgres=self.ground.postgres)
        found = _load.load(server.port, requests, connections=connections, seconds=self.seconds)
        assert set(found.statuses) <= {201}, found.statuses
        if connections == CROWD:
            print(f"    {found.rate:,.0f}/s; for each, {meter.per_answer(round(found.rate * (self.seconds + 0.3)))}")
        return found

    def naive(self, script: str) -> float:
        return pgbench(self.ground.named("naive").owner, self.house.org, script, self.seconds)


def beside(bench: Bench, what: str, ours: Callable[[_load.Server], float], theirs: Callable[[], float]) -> None:
    """By one process, and by one for each processor, which is what whoever sells in a hurry runs."""
    cores = os.cpu_count() or 1
    with bench.ground.serving() as one, bench.ground.serving(processes=cores) as all_of_them:
        rounds = [(ours(one), ours(all_of_them), theirs()) for _ in range(ROUNDS)]
    *ours_, naive = (statistics.median(side) for side in zip(*rounds, strict=True))
    for processes, rate in zip((1, cores), ours_, strict=True):
        said = f"{what}, c={CROWD}, processes={processes}"
        print(f"{said}: {rate:,.0f}/s ÷ pgbench: {naive:,.0f}/s = {rate / naive:.2f}")


def measure_seats(bench: Bench) -> None:
    house = bench.house
    words = {"org": house.org, "base": str(house.layout)[:-8], "user": house.people[0], "zone": house.zone}

    def theirs() -> float:
        return bench.naive(FIVE.format(event=bench.show("naive").event, seats=house.seats, **words))

    beside(
        bench,
        "distinct seats over HTTP",
        lambda server: bench.run(server, seats(house, [bench.show().event])).rate,
        theirs,
    )


def measure_limits(bench: Bench) -> None:
    """Seats of an event with a capacity, whose pool every batch counts in, beside those of one without (ADR 0034)."""
    cores = os.cpu_count() or 1
    with bench.ground.serving() as one, bench.ground.serving(processes=cores) as all_of_them:
        for processes, server in ((1, one), (cores, all_of_them)):
            rates: dict[int, list[float]] = {0: [], bench.house.seats: []}
            for _ in range(ROUNDS):
                for capacity, found in rates.items():
                    show = bench.show(capacity=capacity)
                    found.append(bench.run(server, seats(bench.house, [show.event])).rate)
            without, limited = (statistics.median(found) for found in rates.values())
            said = f"with a capacity: {limited:,.0f}/s ÷ without: {without:,.0f}/s = {limited / without:.2f}"
            print(f"seats, c={CROWD}, processes={processes}, {said}")


def measure_places(bench: Bench) -> None:
    def theirs() -> float:
        show = bench.show("naive")
        words = {"org": bench.house.org, "event": show.event, "pit": show.pit, "user": bench.house.people[0]}
        return bench.naive(ONE_ROW.format(**words))

    beside(
        bench,
        "one standing zone over HTTP",
        lambda server: bench.run(server, places(bench.house, bench.show())).rate,
        theirs,
    )


def measure_latency(bench: Bench) -> None:
    with bench.ground.serving() as server:
        crowd = bench.run(server, seats(bench.house, [bench.show().event]), 64)
        alone = bench.run(server, seats(bench.house, [bench.show().event]), 1)
    p50, p99 = crowd.percentile(0.5), crowd.percentile(0.99)
    print(f"c=64: p50 {p50:.1f} ms, p99 {p99:.1f} ms, ratio {p99 / p50:.1f}")
    print(f"alone: p50 {alone.percentile(0.5):.1f} ms")


def measure_growth(bench: Bench) -> None:
    """Whether a show is small or large, and alone on sale or one of a hundred. A small one is followed by the next."""
    houses = [asyncio.run(open_house(bench.ground.urls, tiers, rows)) for tiers, rows in ((1, 8), (3, 14), (5, 30))]
    rates: dict[str, list[float]] = {}
    with bench.ground.serving() as server:
        cases = {
            f"{house.seats:,} seats × {together}": _growing(bench, server, house, together)
            for house, together in [*((house, 1) for house in houses), *((house, 100) for house in houses[:2])]
        }
        for _, (name, asks) in itertools.product(range(ROUNDS), cases.items()):
            requests = _load.made(itertools.islice(asks, GROWTH))
            found = _load.load(server.port, requests, connections=CROWD, seconds=60, warm_s=0)
            assert set(found.statuses) <= {201}, found.statuses
            rates.setdefault(name, []).append(found.rate)
    medians = {name: statistics.median(found) for name, found in rates.items()}
    for name, rate in medians.items():
        print(f"growth: {name:<20} {rate:,.0f}/s")
    print(f"growth: the slowest ÷ the fastest = {min(medians.values()) / max(medians.values()):.2f}")


def _growing(bench: Bench, server: _load.Server, house: House, together: int) -> Iterator[bytes]:
    """Requests to shows whose halls are in memory already: loading them is another measurement (seating.py)."""
    needed = together if together > 1 else -(-ROUNDS * GROWTH // (house.seats - 1))
    shows = [show.event for show in asyncio.run(open_shows(bench.ground.urls.owner, house, needed))]
    first = [next(seats(house, [show])) for show in shows]
    _load.load(server.port, _load.made(first), connections=1, seconds=60, warm_s=0)
    if together > 1:
        return seats(house, shows, skip=1)
    buyers = itertools.cycle(house.tokens)
    return itertools.chain(*(seats(house, [show], skip=1, buyers=buyers) for show in shows))


def measure_rls(bench: Bench) -> None:
    """The same house twice, once without a policy in force."""
    asyncio.run(_take_policies_off(bench.ground.named("open").owner))
    rates: dict[str, list[float]] = {"": [], "open": []}
    with bench.ground.serving() as ours, bench.ground.serving("open") as theirs:
        for _ in range(ROUNDS):
            for name, server in (("", ours), ("open", theirs)):
                rates[name].append(bench.run(server, seats(bench.house, [bench.show(name).event])).rate)
    on, off = (statistics.median(rates[name]) for name in ("", "open"))
    print(f"row-level security on: {on:,.0f}/s ÷ off: {off:,.0f}/s = {on / off:.2f}")


async def _take_policies_off(url: str) -> None:
    owner = await asyncpg.connect(url)
    for (table,) in await owner.fetch("SELECT oid::regclass::text FROM pg_class WHERE relrowsecurity"):
        await owner.execute(f"ALTER TABLE {table} DISABLE ROW LEVEL SECURITY")
    await owner.close()


PARTS: dict[str, Callable[[Bench], None]] = {
    "seats": measure_seats,
    "limits": measure_limits,
    "places": measure_places,
    "latency": measure_latency,
    "growth": measure_growth,
    "rls": measure_rls,
}


def main() -> None:
    numbers = [float(word) for word in sys.argv[1:] if word[0].isdigit()]
    wanted = [word for word in sys.argv[1:] if not word[0].isdigit()] or list(PARTS)
    with ground() as here:
        house = asyncio.run(open_house(here.urls))
        here.copy("naive", "open")
        bench = Bench(here, house, numbers[0] if numbers else 4.0)
        print(f"an arena of {house.seats:,} seats, {len(house.tokens):,} buyers")
        for name in wanted:
            PARTS[name](bench)
            here.prove()
    print("and every invariant holds")


if __name__ == "__main__":
    main()
