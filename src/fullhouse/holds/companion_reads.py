"""Adds the companion seats that are reserved for the holder of a wheelchair space to that holder's own responses."""

from collections.abc import Sequence
from uuid import UUID

from msgspec.structs import replace

from fullhouse.holds import store
from fullhouse.holds.model import Basket, CompanionSeat, Reserved
from fullhouse.holds.sale_context import SaleContext, SaleContexts
from fullhouse.kit.actors import Principal
from fullhouse.kit.db.database import Tx
from fullhouse.kit.services import Services

Kept = dict[UUID, list[CompanionSeat]]


async def list_kept_companions(tx: Tx, event_id: UUID, user_id: UUID, seats: Sequence[UUID]) -> Kept:
    """By wheelchair space."""
    kept: Kept = {}
    if seats:
        for seat in await store.list_kept_companions(tx, event_id=event_id, user_id=user_id, seat_ids=list(seats)):
            kept.setdefault(seat.companion_of, []).append(seat)
    return kept


async def add_to_seat(services: Services, who: Principal, held: Reserved) -> Reserved:
    kept = await _read_companions(services, who, held.event_id, [held.seat_id])
    if not kept:
        return held
    (companions,) = kept.values()
    seat = companions[0]
    note = (
        "This seat is wheelchair accessible. "
        f"A companion seat (Row {seat.row}, Seat {seat.seat_number}) is reserved for you."
    )
    return replace(held, companions=companions, message=f"{held.message} {note}")


async def add_to_basket(services: Services, who: Principal, held: Basket) -> Basket:
    kept = await _read_companions(services, who, held.event_id, [item.seat_id for item in held.items if item.seat_id])
    if not kept:
        return held
    items = [
        replace(item, companions=kept[item.seat_id]) if item.seat_id and item.seat_id in kept else item
        for item in held.items
    ]
    return replace(held, items=items)


async def _read_companions(services: Services, who: Principal, event_id: UUID, seats: Sequence[UUID]) -> Kept:
    """Reads nothing if no seat is a wheelchair space, which is true of most requests."""
    sale = await services.part(SaleContexts).get(who.organization_id, event_id)
    places = [seat for seat in seats if _is_wheelchair(sale, seat)] if sale.is_accessible else []
    if not places:
        return {}
    async with services.database.tenant(who.organization_id, who.actor) as tx:
        return await list_kept_companions(tx, event_id, who.id, places)


def _is_wheelchair(sale: SaleContext, seat: UUID) -> bool:
    ordinal = sale.ordinal(seat)
    return ordinal is not None and sale.is_wheelchair(ordinal)
