"""Whether a show in memory and in Redis is what the database says."""

from uuid import UUID

import numpy as np

from fullhouse.holds.mirror import layout_cache
from fullhouse.holds.mirror.mirror import CHUNK, Names, Picture, counts_of, truth
from fullhouse.kit.cache.warm import Redis
from fullhouse.kit.services import Services
from fullhouse.seating.maps.halls import Halls
from fullhouse.seating.model import AVAILABLE
from fullhouse.seating.plans.chart import seat_id


async def look(services: Services, organization_id: UUID, event_id: UUID, size: int, layout_id: UUID) -> Picture | None:
    """What Redis says; None if it says nothing. A key of another kind is as good as none."""
    names = Names.of(services, organization_id, event_id)

    async def ask(client: Redis) -> Picture | None:
        pipe = client.pipeline(transaction=True)
        pipe.get(names.shared[1])
        pipe.zrange(names.shared[2], 0, -1, withscores=True)
        pipe.hgetall(names.occupancy)
        pipe.zrange(names.shared[3], 0, -1, withscores=True)
        answers = await pipe.execute(raise_on_error=False)
        bitmap, holds, counts, availability = [None if isinstance(answer, Exception) else answer for answer in answers]
        seats: dict[str, str] = {}
        for start in range(0, size, CHUNK):
            ids = [str(seat_id(layout_id, n)) for n in range(start, min(start + CHUNK, size))]
            values = await client.mget([names.seat(seat) for seat in ids])
            seats |= {seat: _text(value) for seat, value in zip(ids, values, strict=True) if value}
        bits = np.unpackbits(np.frombuffer(bitmap or b"", np.uint8))
        return Picture(
            np.flatnonzero(bits).tolist(),
            seats,
            {_text(member): score for member, score in holds or ()},
            {_text(name): _text(value) for name, value in (counts or {}).items()},
            {_text(member): version for member, version in availability or ()},
        )

    return await services.warm.call(ask, None)


def _text(raw: bytes | str) -> str:
    return raw if isinstance(raw, str) else raw.decode(errors="replace")


def differences(layer: str, right: Picture, found: Picture) -> list[str]:
    """What one layer has wrong, in sentences."""
    taken = set(right.taken) ^ set(found.taken)
    wrong = [f"{layer}: seat {n} is {'taken' if n in found.taken else 'free'}" for n in sorted(taken)]
    wrong += [
        f"{layer}: seat {seat} has {found.seats.get(seat)}, not {right.seats.get(seat)}"
        for seat in sorted({*right.seats, *found.seats})
        if right.seats.get(seat) != found.seats.get(seat)
    ]
    holds = sorted({*right.holds} ^ {*found.holds})
    wrong += [f"{layer}: hold {member} is {'missing' if member in right.holds else 'over'}" for member in holds]
    for member in sorted({*right.availability, *found.availability}):
        known, there = right.availability.get(member), found.availability.get(member)
        if known != there:
            wrong.append(f"{layer}: availability has {member} in version {there}, not {known}")
    if not found.counts:  # they are kept for a minute
        return wrong
    return wrong + [
        f"{layer}: {name} is {found.counts.get(name)}, not {value}"
        for name, value in right.counts.items()
        if found.counts.get(name) != value
    ]


async def check(services: Services, organization_id: UUID, event_id: UUID) -> list[str]:
    """Compares what is in memory here, in Redis and in the database. A show that is selling changes while one looks:
    what is wrong twice in a row is wrong.
    """
    first = set(await _check(services, organization_id, event_id))
    return [w for w in await _check(services, organization_id, event_id) if w in first] if first else []


async def _check(services: Services, organization_id: UUID, event_id: UUID) -> list[str]:
    right = await truth(services, organization_id, event_id)
    wanted, wrong = right.picture(), []
    if right.hall and (here := services.part(Halls).known(event_id)):
        taken = np.flatnonzero(here.states != AVAILABLE).tolist()
        mine = wanted._replace(taken=taken, counts=wanted.counts | counts_of(here))
        wrong += differences("memory", wanted, mine)
        off = np.flatnonzero(here.states != right.hall.states).tolist()
        wrong += [f"memory: seat {n} is in state {here.states[n]}, not {right.hall.states[n]}" for n in off]
    if not services.warm.configured:
        return wrong
    size = len(right.hall.states) if right.hall else 0
    layout_id = right.hall.house.layout_id if right.hall else event_id
    found = await look(services, organization_id, event_id, size, layout_id)
    if found is None:
        return [*wrong, "redis: it does not answer"]
    wrong += differences("redis", wanted, found)
    return wrong if right.hall is None else wrong + await layout_cache.check(services, organization_id, layout_id)
