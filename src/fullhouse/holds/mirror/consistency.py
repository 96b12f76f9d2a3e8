"""Compares an event's state in memory and in Redis with the database."""

from uuid import UUID

import numpy as np

from fullhouse.holds.mirror import layout_cache
from fullhouse.holds.mirror.redis_state import CHUNK, Keys, Snapshot, read_database, to_counts
from fullhouse.kit.cache.optional_redis import Redis
from fullhouse.kit.services import Services
from fullhouse.seating.maps.seat_states import SeatStateCache
from fullhouse.seating.model import AVAILABLE
from fullhouse.seating.plans.chart import seat_id


async def read_snapshot(
    services: Services, organization_id: UUID, event_id: UUID, size: int, layout_id: UUID
) -> Snapshot | None:
    """Reads the event's keys; None if Redis is unavailable. A key of another type counts as missing."""
    names = Keys.of(services, organization_id, event_id)

    async def read(client: Redis) -> Snapshot | None:
        pipe = client.pipeline(transaction=True)
        pipe.get(names.shared[1])
        pipe.zrange(names.shared[2], 0, -1, withscores=True)
        pipe.hgetall(names.occupancy)
        pipe.zrange(names.shared[3], 0, -1, withscores=True)
        replies = await pipe.execute(raise_on_error=False)
        bitmap, holds, counts, availability = [None if isinstance(reply, Exception) else reply for reply in replies]
        seats: dict[str, str] = {}
        for start in range(0, size, CHUNK):
            ids = [str(seat_id(layout_id, n)) for n in range(start, min(start + CHUNK, size))]
            values = await client.mget([names.seat(seat) for seat in ids])
            seats |= {seat: _text(value) for seat, value in zip(ids, values, strict=True) if value}
        bits = np.unpackbits(np.frombuffer(bitmap or b"", np.uint8))
        return Snapshot(
            np.flatnonzero(bits).tolist(),
            seats,
            {_text(member): score for member, score in holds or ()},
            {_text(name): _text(value) for name, value in (counts or {}).items()},
            {_text(member): version for member, version in availability or ()},
        )

    return await services.redis.call(read, None)


def _text(raw: bytes | str) -> str:
    return raw if isinstance(raw, str) else raw.decode(errors="replace")


def compare(layer: str, expected: Snapshot, found: Snapshot) -> list[str]:
    """The differences between a layer and the database, in sentences."""
    taken = set(expected.taken) ^ set(found.taken)
    mistakes = [f"{layer}: seat {n} is {'taken' if n in found.taken else 'free'}" for n in sorted(taken)]
    mistakes += [
        f"{layer}: seat {seat} has {found.seats.get(seat)}, not {expected.seats.get(seat)}"
        for seat in sorted({*expected.seats, *found.seats})
        if expected.seats.get(seat) != found.seats.get(seat)
    ]
    holds = sorted({*expected.holds} ^ {*found.holds})
    mistakes += [f"{layer}: hold {member} is {'missing' if member in expected.holds else 'over'}" for member in holds]
    for member in sorted({*expected.availability, *found.availability}):
        known, there = expected.availability.get(member), found.availability.get(member)
        if known != there:
            mistakes.append(f"{layer}: availability has {member} in version {there}, not {known}")
    if not found.counts:  # missing: they expire after a minute
        return mistakes
    return mistakes + [
        f"{layer}: {name} is {found.counts.get(name)}, not {value}"
        for name, value in expected.counts.items()
        if found.counts.get(name) != value
    ]


async def find_differences(services: Services, organization_id: UUID, event_id: UUID) -> list[str]:
    """Compares this process's memory, Redis and the database. An event on sale changes during the comparison: only what
    differs twice in a row is returned.
    """
    first = set(await _compare_all(services, organization_id, event_id))
    if not first:
        return []
    return [mistake for mistake in await _compare_all(services, organization_id, event_id) if mistake in first]


async def _compare_all(services: Services, organization_id: UUID, event_id: UUID) -> list[str]:
    expected = await read_database(services, organization_id, event_id)
    wanted, mistakes = expected.to_snapshot(), []
    if expected.seats and (here := services.part(SeatStateCache).peek(event_id)):
        taken = np.flatnonzero(here.states != AVAILABLE).tolist()
        mine = wanted._replace(taken=taken, counts=wanted.counts | to_counts(here))
        mistakes += compare("memory", wanted, mine)
        off = np.flatnonzero(here.states != expected.seats.states).tolist()
        mistakes += [f"memory: seat {n} is in state {here.states[n]}, not {expected.seats.states[n]}" for n in off]
    if not services.redis.configured:
        return mistakes
    size = len(expected.seats.states) if expected.seats else 0
    layout_id = expected.seats.seat_index.layout_id if expected.seats else event_id
    found = await read_snapshot(services, organization_id, event_id, size, layout_id)
    if found is None:
        return [*mistakes, "redis: unavailable"]
    mistakes += compare("redis", wanted, found)
    if expected.seats is None:
        return mistakes
    return mistakes + await layout_cache.find_differences(services, organization_id, layout_id)
