"""What a waiting list costs those who hold seats: where nobody waits, and where ten thousand do whom nothing fits.

And a look at the whole hall, as a worker takes it.

    python bench/waiting_list.py [rounds]

One connection, every batch rolled back. Trust the ratios: both sides are interleaved, medians.
"""

import asyncio
import statistics
import sys
import time
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncpg

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench._sale import House, ground, open_house, open_shows

from fullhouse.kit.db.database import APP, Database
from fullhouse.kit.ids import new_id
from fullhouse.kit.live.bus import Bus
from fullhouse.seating import actions as layouts
from fullhouse.seating.plans.chart import seat_id

ROUNDS, BATCH, WAITING = 40, 128, 10_000
PLAIN, IN_TURN = "SELECT count(*) FROM app.hold($1, NULL, $2)", "SELECT count(*) FROM app.hold_in_turn($1, NULL, $2)"
ROUND = "SELECT count(*) FROM app.offer_places($1, $2, NULL)"


def lines(house: House, event: UUID, first: int, count: int, apart: int) -> list[tuple[Any, ...]]:
    return [
        (
            n + 1,
            1,
            event,
            house.people[n],
            seat_id(house.layout, first + n * apart),
            None,
            None,
            1,
            new_id(),
            new_id(),
            "web",
            None,
            300,
            1_000_000,
            None,
            None,
            False,
            None,
            None,
            None,
            None,
            None,
            None,
            None,
            None,
        )
        for n in range(count)
    ]


async def timed(connection: Any, statement: str, *args: Any) -> float:
    transaction = connection.transaction()
    await transaction.start()
    begun = time.perf_counter()
    await connection.fetchval(statement, *args)
    taken = time.perf_counter() - begun
    await transaction.rollback()
    return taken * 1000


async def compare(connection: Any, house: House, event: UUID, count: int, apart: int, rounds: int) -> tuple[float, ...]:
    """Milliseconds of a batch: as it is, and in turn. Its seats are so far apart."""
    found: dict[str, list[float]] = {PLAIN: [], IN_TURN: []}
    for n in range(rounds):
        wish = lines(house, event, 2 * n * count * apart, count, apart)
        for statement in (PLAIN, IN_TURN) if n % 2 else (IN_TURN, PLAIN):
            found[statement].append(await timed(connection, statement, house.org, wish))
    return tuple(statistics.median(found[statement]) for statement in (PLAIN, IN_TURN))


async def neighbours(url: str, house: House) -> layouts.Neighbours:
    database = await Database.open(url, APP, size=1, bus=Bus(url))
    async with database.tenant(house.org, deadline_s=60) as tx:
        known = await layouts.load_neighbours(tx, house.layout)
    await database.close()
    return known


async def wait(owner: Any, house: House, event: UUID, known: layouts.Neighbours) -> None:
    """Pairs wait for a show in which every other seat is sold."""
    await owner.execute("SET session_replication_role = replica")
    await owner.execute(
        "UPDATE event_seats SET status = 'sold', ticket_id = gen_random_uuid() WHERE event_id = $1 AND ordinal % 2 = 1",
        event,
    )
    await owner.execute(
        "INSERT INTO ticket_types (id, organization_id, event_id, name, tier, kind, entitlement, price, currency)"
        " VALUES (gen_random_uuid(), $1, $2, 'seat', 'general', 'seated', 'single', 100, 'EUR')",
        house.org,
        event,
    )
    await owner.execute(
        "INSERT INTO waitlists (organization_id, event_id, layout_id, run_starts, whole_seats, chair_seats)"
        " VALUES ($1, $2, $3, $4, $5, $6)",
        house.org,
        event,
        house.layout,
        *known,
    )
    await owner.execute(
        "INSERT INTO waitlist_entries (id, organization_id, event_id, seq, user_id, email, secret_hash, party,"
        " zone_key) SELECT gen_random_uuid(), $1, $2, n, gen_random_uuid(), n || '@example.org', n::text::bytea, 2,"
        " 'reserved_seating' FROM generate_series(1, $3) n",
        house.org,
        event,
        WAITING,
    )
    await owner.execute("VACUUM ANALYZE event_seats, waitlist_entries")


async def main(urls: Any, rounds: int) -> None:
    house = await open_house(urls, buyers=BATCH)
    (show,) = await open_shows(urls.owner, house)
    owner, serving = await asyncpg.connect(urls.owner), await asyncpg.connect(urls.owner)
    await serving.execute("SET enable_seqscan = off; SET ROLE fullhouse_app")  # as the engine's lines are
    plain, turn = await compare(serving, house, show.event, BATCH, 1, rounds)
    print(f"nobody waits, {BATCH} seats: {plain:.2f} ms, in turn {turn:.2f} ms; ratio {turn / plain:.2f}")
    await wait(owner, house, show.event, await neighbours(urls.serving, house))
    for who, parties in (("two", "2"), ("two to five", "2 + seq % 4")):
        await owner.execute(f"UPDATE waitlist_entries SET party = {parties}")
        await owner.execute("VACUUM ANALYZE waitlist_entries")
        for count, apart in ((1, 1), (BATCH, 2)):
            plain, turn = await compare(serving, house, show.event, count, apart, rounds)
            print(
                f"{WAITING:,} wait for {who}, {count} of {house.seats // 2:,} free seats: {plain:.2f} ms, in turn"
                f" {turn:.2f} ms; ratio {turn / plain:.1f}"
            )
    hall = statistics.median([await timed(serving, ROUND, house.org, show.event) for _ in range(rounds)])
    print(f"a look at the whole hall: {hall:.0f} ms")
    await owner.close()
    await serving.close()


if __name__ == "__main__":
    with ground() as at:
        asyncio.run(main(at.urls, int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS))
