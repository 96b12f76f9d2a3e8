"""What a buyer is told about what they hold."""

from collections.abc import Sequence
from uuid import UUID

from fullhouse.holds.desk import Desk
from fullhouse.holds.engine import Result, Results, Want
from fullhouse.holds.model import Basket, Line, Reserved, StoredHold


def reserved(at: Desk, seat: UUID, result: Result) -> Reserved:
    assert at.hall
    assert result.ordinal is not None
    assert result.hold_id
    house, left_s = at.hall.house, result.left_s
    zone = at.zone_of(result.ordinal)
    minutes = f"{left_s // 60} minutes" if left_s and left_s >= 120 else f"{left_s} seconds"
    until_ms = _unix_ms(result) if left_s is not None else None
    return Reserved(
        hold_id=result.hold_id,
        seat_id=seat,
        event_id=at.event_id,
        block_name=zone.name if zone else "",
        row=house.rows[result.ordinal],
        seat_number=house.numbers[result.ordinal],
        status="held",
        locked_at=result.locked_at,
        held_until=result.held_until if left_s is not None else None,
        held_until_unix=None if until_ms is None else until_ms // 1000,
        held_until_unix_ms=until_ms,
        server_time_unix_ms=int(at.services.clock.seconds() * 1000),
        expires_in_seconds=left_s,
        message=f"Seat reserved for {minutes}. Proceed to checkout.",
    )


def basket(
    at: Desk, basket_id: UUID, wants: Sequence[Want], results: Results, explanation: str | None = None
) -> Basket:
    counting = [result for result in results if result.left_s is not None]
    first = min(counting, key=lambda result: result.left_s or 0, default=results[0])
    return Basket(
        basket_id=basket_id,
        event_id=at.event_id,
        items=[_held_line(at, want, result) for want, result in zip(wants, results, strict=True)],
        held_until=first.held_until if first.left_s is not None else None,
        held_until_unix_ms=_unix_ms(first) if first.left_s is not None else None,
        server_time_unix_ms=int(at.services.clock.seconds() * 1000),
        expires_in_seconds=first.left_s,
        explanation=explanation,
    )


def basket_again(at: Desk, basket_id: UUID, holds: Sequence[StoredHold]) -> Basket:
    """A basket as its rows have it, for who asks once more."""
    now = at.services.clock.now()
    wants = [
        Want(hold.id, hold.seat_id, "ticket_type" if hold.ticket_type_id else None, hold.ticket_type_id, hold.quantity)
        for hold in holds
    ]
    results = tuple(
        Result(
            "own", hold.id, hold.held_until,
            max(0, int((hold.held_until - now).total_seconds())) if hold.held_until else None,
            at.ordinal(hold.seat_id) if hold.seat_id else None, hold.zone_id,
        )
        for hold in holds
    )  # fmt: skip
    return basket(at, basket_id, wants, results)


def _held_line(at: Desk, want: Want, result: Result) -> Line:
    assert result.hold_id
    zone = at.terms.seating.zones.get(result.zone_id) if result.zone_id else None
    seat = result.ordinal if at.hall else None
    return Line(
        hold_id=result.hold_id,
        seat_id=want.seat_id,
        zone_id=result.zone_id,
        ticket_type_id=want.ref_id if want.kind == "ticket_type" else want.ticket_type_id,
        quantity=want.quantity,
        row=at.hall.house.rows[seat] if at.hall and seat is not None else None,
        seat_number=at.hall.house.numbers[seat] if at.hall and seat is not None else None,
        block_name=zone.name if zone else None,
    )


def _unix_ms(result: Result) -> int:
    assert result.held_until
    return int(result.held_until.timestamp() * 1000)
