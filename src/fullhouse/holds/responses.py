"""Builds the API responses about holds from the engine's results."""

from collections.abc import Sequence
from uuid import UUID

from fullhouse.holds.engine import RequestItem, Result, Results
from fullhouse.holds.model import Basket, BasketItem, Reserved, StoredHold
from fullhouse.holds.sale_context import SaleContext


def to_reserved(sale: SaleContext, seat: UUID, result: Result) -> Reserved:
    assert sale.seats
    assert result.ordinal is not None
    assert result.hold_id
    seat_index, left_s = sale.seats.seat_index, result.left_s
    zone = sale.zone_of(result.ordinal)
    minutes = f"{left_s // 60} minutes" if left_s and left_s >= 120 else f"{left_s} seconds"
    until_ms = _unix_ms(result) if left_s is not None else None
    return Reserved(
        hold_id=result.hold_id,
        seat_id=seat,
        event_id=sale.event_id,
        block_name=zone.name if zone else "",
        row=seat_index.rows[result.ordinal],
        seat_number=seat_index.numbers[result.ordinal],
        status="held",
        locked_at=result.locked_at,
        held_until=result.held_until if left_s is not None else None,
        held_until_unix=None if until_ms is None else until_ms // 1000,
        held_until_unix_ms=until_ms,
        server_time_unix_ms=int(sale.services.clock.seconds() * 1000),
        expires_in_seconds=left_s,
        message=f"Seat reserved for {minutes}. Proceed to checkout.",
    )


def to_basket(
    sale: SaleContext, basket_id: UUID, items: Sequence[RequestItem], results: Results, explanation: str | None = None
) -> Basket:
    counting = [result for result in results if result.left_s is not None]
    first = min(counting, key=lambda result: result.left_s or 0, default=results[0])
    return Basket(
        basket_id=basket_id,
        event_id=sale.event_id,
        items=[_to_item(sale, item, result) for item, result in zip(items, results, strict=True)],
        held_until=first.held_until if first.left_s is not None else None,
        held_until_unix_ms=_unix_ms(first) if first.left_s is not None else None,
        server_time_unix_ms=int(sale.services.clock.seconds() * 1000),
        expires_in_seconds=first.left_s,
        explanation=explanation,
    )


def to_repeated_basket(sale: SaleContext, basket_id: UUID, holds: Sequence[StoredHold]) -> Basket:
    """The basket of a repeated request, from its stored holds."""
    now = sale.services.clock.now()
    items = [
        RequestItem(
            hold.id, hold.seat_id, "ticket_type" if hold.ticket_type_id else None, hold.ticket_type_id, hold.quantity
        )
        for hold in holds
    ]
    results = tuple(
        Result(
            "own", hold.id, hold.held_until,
            max(0, int((hold.held_until - now).total_seconds())) if hold.held_until else None,
            sale.ordinal(hold.seat_id) if hold.seat_id else None, hold.zone_id,
        )
        for hold in holds
    )  # fmt: skip
    return to_basket(sale, basket_id, items, results)


def _to_item(sale: SaleContext, item: RequestItem, result: Result) -> BasketItem:
    assert result.hold_id
    zone = sale.rules.seating.zones.get(result.zone_id) if result.zone_id else None
    seat = result.ordinal if sale.seats else None
    return BasketItem(
        hold_id=result.hold_id,
        seat_id=item.seat_id,
        zone_id=result.zone_id,
        ticket_type_id=item.ref_id if item.kind == "ticket_type" else item.ticket_type_id,
        quantity=item.quantity,
        row=sale.seats.seat_index.rows[seat] if sale.seats and seat is not None else None,
        seat_number=sale.seats.seat_index.numbers[seat] if sale.seats and seat is not None else None,
        block_name=zone.name if zone else None,
    )


def _unix_ms(result: Result) -> int:
    assert result.held_until
    return int(result.held_until.timestamp() * 1000)
