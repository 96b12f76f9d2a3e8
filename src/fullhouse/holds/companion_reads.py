"""The companion seats that are kept for the holder of a wheelchair place, in the answers to that holder alone."""

from collections.abc import Sequence
from uuid import UUID

from msgspec.structs import replace

from fullhouse.holds import store
from fullhouse.holds.desk import Desk, Desks
from fullhouse.holds.model import Basket, CompanionSeat, Reserved
from fullhouse.kit.actors import Principal
from fullhouse.kit.db.database import Tx
from fullhouse.kit.services import Services

Kept = dict[UUID, list[CompanionSeat]]


async def kept_companions(tx: Tx, event_id: UUID, user_id: UUID, seats: Sequence[UUID]) -> Kept:
    """By wheelchair place."""
    kept: Kept = {}
    if seats:
        for seat in await store.kept_companions(tx, event_id=event_id, user_id=user_id, seat_ids=list(seats)):
            kept.setdefault(seat.companion_of, []).append(seat)
    return kept


async def add_to_seat(services: Services, who: Principal, held: Reserved) -> Reserved:
    kept = await _read(services, who, held.event_id, [held.seat_id])
    if not kept:
        return held
    (companions,) = kept.values()
    seat = companions[0]
    said = (
        "This seat is wheelchair accessible. "
        f"A companion seat (Row {seat.row}, Seat {seat.seat_number}) is reserved for you."
    )
    return replace(held, companions=companions, message=f"{held.message} {said}")


async def add_to_basket(services: Services, who: Principal, held: Basket) -> Basket:
    kept = await _read(services, who, held.event_id, [line.seat_id for line in held.items if line.seat_id])
    if not kept:
        return held
    items = [
        replace(line, companions=kept[line.seat_id]) if line.seat_id and line.seat_id in kept else line
        for line in held.items
    ]
    return replace(held, items=items)


async def _read(services: Services, who: Principal, event_id: UUID, seats: Sequence[UUID]) -> Kept:
    """Without a question to the database where no seat is a wheelchair place: most requests."""
    at = await services.part(Desks).get(who.organization_id, event_id)
    places = [seat for seat in seats if _is_place(at, seat)] if at.is_accessible else []
    if not places:
        return {}
    async with services.database.tenant(who.organization_id, who.actor) as tx:
        return await kept_companions(tx, event_id, who.id, places)


def _is_place(at: Desk, seat: UUID) -> bool:
    ordinal = at.ordinal(seat)
    return ordinal is not None and at.is_wheelchair(ordinal)
