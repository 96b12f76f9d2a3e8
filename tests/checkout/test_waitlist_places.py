"""Which seats a party is offered: what the database says, beside the same rule in a few plain lines."""

import random
from typing import Any, NamedTuple
from uuid import UUID

import pytest

from tests.checkout.helpers import add_type, selling, twin
from tests.fixtures import Client
from tests.holds.helpers import hall

pytestmark = pytest.mark.req("BUY-6")
SEATS = 24


class Night(NamedTuple):
    """Which seats are free, where chains begin, what is sold as a whole, where wheelchairs stand."""

    free: list[int]
    begins: list[int]
    wholes: list[int]
    chairs: list[int]


def a_night(chance: random.Random) -> Night:
    def some(share: float) -> list[int]:
        return [n for n in range(SEATS) if chance.random() < share]

    return Night(some(chance.random()), [0, *(n for n in some(0.2) if n)], some(0.05), some(0.1))


def chains(night: Night, chairs: bool) -> list[list[int]]:
    found: list[list[int]] = []
    for n in night.free:
        if n in night.wholes or (not chairs and n in night.chairs):
            continue
        if found and found[-1][-1] == n - 1 and n not in night.begins:
            found[-1].append(n)
        else:
            found.append([n])
    return found


def best(night: Night, party: int, chairs: bool, near: range) -> list[int] | None:
    """The tightest; one seat too many is worst, since nobody sits there then. Of equals the first."""
    fits = [
        chain
        for chain in chains(night, chairs)
        if len(chain) >= party and chain[0] in near and (not chairs or set(chain) & set(night.chairs))
    ]
    if not fits:
        return None
    chain = min(fits, key=lambda it: (len(it) == party + 1, len(it), it[0]))
    at = min(min(set(chain) & set(night.chairs)) - chain[0], len(chain) - party) if chairs else 0
    return chain[at : at + party]


async def prepare(owner: Any, show: UUID, night: Night) -> None:
    await owner.execute(
        "UPDATE event_seats SET status = CASE WHEN ordinal = ANY ($2) THEN 'available' ELSE 'blocked' END"
        " WHERE event_id = $1",
        show,
        night.free,
    )
    await owner.execute(
        "INSERT INTO waitlists (organization_id, event_id, layout_id, run_starts, whole_seats, chair_seats)"
        " SELECT organization_id, event_id, layout_id, $2, $3, $4 FROM event_layouts WHERE event_id = $1"
        " ON CONFLICT (organization_id, event_id) DO UPDATE SET run_starts = $2, whole_seats = $3, chair_seats = $4",
        show,
        *night[1:],
    )


async def test_the_database_finds_the_block_that_fits_best(staff: Client, owner: Any) -> None:
    sale = await selling(staff, hall(1, SEATS))
    org, zone = await owner.fetchrow(
        "SELECT organization_id, zone_id FROM event_zones WHERE event_id = $1", sale.event_id
    )
    seed = random.randrange(10**6)
    chance = random.Random(seed)
    undone = owner.transaction()
    await undone.start()
    try:
        for _ in range(60):
            night = a_night(chance)
            await prepare(owner, sale.event_id, night)
            row = sorted(chance.sample(night.begins, 1))[0]
            until = min((n for n in night.begins if n > row), default=SEATS)
            for near, rows in ((None, range(SEATS)), (f"{{[{row},{until})}}", range(row, until))):
                for party in range(1, 6):
                    for chairs in (False, True):
                        seats = await owner.fetchval(
                            "SELECT app.seats_together($1, $2, $3, $4, $5, $6::text::int4multirange, '{}')",
                            org,
                            sale.event_id,
                            zone,
                            party,
                            chairs,
                            near,
                        )
                        found = seats and [seat.int & 0xFFFFFFFF for seat in seats]
                        assert found == best(night, party, chairs, rows), (seed, night, party, chairs, near)
    finally:
        await undone.rollback()


async def test_wishes_are_told_apart_and_the_first_of_each_is_next(staff: Client, owner: Any) -> None:
    sale = await selling(staff, hall(1, SEATS))
    (org,) = await owner.fetchrow("SELECT organization_id FROM events WHERE id = $1", sale.event_id)
    chance = random.Random()
    undone = owner.transaction()
    await undone.start()
    try:
        await prepare(owner, sale.event_id, Night([], [0], [], []))
        first: dict[tuple[Any, ...], int] = {}
        for seq in range(1, 60):
            wish = chance.randint(1, 10), chance.choice([None, "a", "b|"]), chance.random() < 0.3
            await owner.execute(
                "INSERT INTO waitlist_entries (id, organization_id, event_id, seq, user_id, email, secret_hash, party,"
                " zone_key, accessible) VALUES (gen_random_uuid(), $1, $2, $3, gen_random_uuid(),"
                " $3::bigint::text || '@x.org', gen_random_uuid()::text::bytea, $4, $5, $6)",
                org,
                sale.event_id,
                seq,
                *wish,
            )
            first.setdefault(wish, seq)
        found = await owner.fetch("SELECT * FROM app.wishes($1, $2)", org, sale.event_id)
        assert {(row["party"], row["zone_key"], row["accessible"]): row["seq"] for row in found} == first
        assert len(found) == len(first)
    finally:
        await undone.rollback()


FREE_OR_NOT = {
    "status = 'available'": True,
    "status = 'blocked'": False,
    "status = 'sold', ticket_id = gen_random_uuid()": False,
    "status = 'held', hold_id = gen_random_uuid(), held_until = app.clock()": True,
    "status = 'held', hold_id = gen_random_uuid(), held_until = app.clock() - interval '30 s'": True,
    "status = 'held', hold_id = gen_random_uuid(), held_until = app.clock() + interval '1 us'": False,
    "reserved_for = gen_random_uuid(), reserved_until = app.clock()": True,
    "reserved_for = gen_random_uuid(), reserved_until = app.clock() - interval '30 s'": True,
    "reserved_for = gen_random_uuid(), reserved_until = app.clock() + interval '1 us'": False,
}


async def test_what_is_held_or_kept_is_free_from_the_moment_its_time_is_over(staff: Client, owner: Any) -> None:
    """In a transaction the database's clock stands still. All is free in another event on the same plan."""
    sale = await selling(staff, hall(1, SEATS))
    other = await twin(staff, sale)
    org, layout = await owner.fetchrow(
        "SELECT organization_id, layout_id FROM event_layouts WHERE event_id = $1", sale.event_id
    )
    busy = 20
    undone = owner.transaction()
    await undone.start()
    try:
        await prepare(
            owner, sale.event_id, Night(list(range(SEATS)), list(range(SEATS)), [], [])
        )  # each seat is its own chain
        await prepare(owner, other, Night(list(range(SEATS)), [0], [], []))
        for ordinal, row in enumerate(FREE_OR_NOT):
            at = "event_id = $1 AND ordinal = $2"
            await owner.execute(f"UPDATE event_seats SET {row} WHERE {at}", sale.event_id, ordinal)
        for near, seats in ((None, range(SEATS)), ("{[0,5),[7,21)}", [*range(5), *range(7, 21)])):
            found = await owner.fetch(
                "SELECT lower(chain) AS ordinal FROM app.free_chains($1, $2, false, $3::text::int4multirange,"
                " ARRAY[app.seat_at($4, $5)]) ORDER BY 1", org, sale.event_id, near, layout, busy,
            )  # fmt: skip
            said = dict(enumerate(FREE_OR_NOT.values()))
            free = [ordinal for ordinal in seats if said.get(ordinal, True) and ordinal != busy]
            assert [row["ordinal"] for row in found] == free, near
    finally:
        await undone.rollback()


async def test_tickets_run_out_before_places_only_where_there_are_fewer(staff: Client, owner: Any) -> None:
    """Of the places that these types sell, with seats or without. Other events on the same plan have no tickets."""
    sale = await selling(staff, hall(1, 6, pit=5))
    for name in ("Twin", "Triplet"):
        await twin(staff, sale, name)
    kinds = {
        "four": ("seated", 4, []),
        "two": ("seated", 2, []),
        "stands": ("ga", 4, ["pit"]),
        "none": ("ga", 4, ["x"]),
    }
    ids = {
        name: await add_type(staff, sale.event_id, name=name, price=1, kind=kind, quantity=quantity)
        for name, (kind, quantity, _) in kinds.items()
    }
    for name, (_, _, zones) in kinds.items():
        await owner.execute("UPDATE ticket_types SET zones = $2 WHERE id = $1", UUID(ids[name]), zones)
    (org,) = await owner.fetchrow("SELECT organization_id FROM events WHERE id = $1", sale.event_id)
    pit = UUID(sale.show.zones["pit"])
    (rows,) = [UUID(zone) for zone in sale.show.zones.values() if UUID(zone) != pit]

    async def short(is_seated: bool, *names: str) -> Any:
        types = [UUID((ids | sale.types)[name]) for name in names]
        ask = "SELECT app.zones_short_of($1, $2, $3, $4)"
        return await owner.fetchval(ask, org, sale.event_id, types, is_seated)

    assert await short(True, "four") == [rows]
    assert await short(True, "four", "two") is None  # as many as there are
    assert await short(True, "four", "seat") is None  # one has no number
    assert await short(False, "stands") == [pit]
    assert await short(False, "four") == [pit]
    assert await short(False, "none") is None  # for no place of this plan
    assert await short(True) == []  # nobody sells any
