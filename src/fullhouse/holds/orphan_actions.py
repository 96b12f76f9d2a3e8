"""At the start of a checkout, seats that were picked one by one are checked for orphans as a whole.

The rule is in docs/adr/0035-orphans-at-checkout.md. The cached seat states only save work: a refusal is always based on
what the database says.
"""

from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

import numpy as np
import structlog

from fullhouse.holds import policy, store
from fullhouse.holds.model import ChosenSeat, OrphanSeats
from fullhouse.holds.sale_context import SaleContext, SaleContexts
from fullhouse.kit.actors import Principal
from fullhouse.kit.db.database import Tx
from fullhouse.kit.services import Services
from fullhouse.seating.allocation.index import Int64Array, whole_runs
from fullhouse.seating.allocation.orphan_fixes import Fix, FixableOrphans, SeatSnapshot, find_fixable_orphans
from fullhouse.seating.model import AVAILABLE, RESERVED
from fullhouse.seating.plans.chart import seat_id

log = structlog.get_logger()


async def list_unchecked_seats(tx: Tx, who: Principal, event_id: UUID, hold_ids: Collection[UUID]) -> list[ChosenSeat]:
    """The seats of a booking, if at least one of them has not been checked yet. Staff are exempt."""
    if not hold_ids or "seating.write" in who.allowed:
        return []
    chosen = await store.list_chosen_seats(tx, event_id=event_id, user_id=who.id, hold_ids=list(hold_ids))
    return [] if all(seat.judged for seat in chosen) else chosen


async def check_orphans(
    services: Services, who: Principal, event_id: UUID, chosen: Sequence[ChosenSeat], most_more: int
) -> None:
    """Refuses a choice that leaves orphans if the buyer can still fix it. If the check itself fails, the choice is
    allowed."""
    if not chosen:
        return
    sale = await services.part(SaleContexts).get(who.organization_id, event_id)
    try:
        async with services.database.tenant(who.organization_id, who.actor) as tx:
            refusal = await _find_refusal(tx, sale, who, chosen, most_more)
    except Exception:
        log.exception("orphan.check_failed", detail="the choice is allowed", event_id=str(event_id))
        return
    if refusal:
        raise refusal


async def _find_refusal(
    tx: Tx, sale: SaleContext, who: Principal, chosen: Sequence[ChosenSeat], most_more: int
) -> OrphanSeats | None:
    seats = {n: seat for seat in chosen if (n := sale.ordinal(seat.seat_id)) is not None}
    unjudged = [n for n, seat in seats.items() if not seat.judged]
    if sale.seats is None or not unjudged:
        return None
    index = sale.seats.seat_index.index
    places, _ = whole_runs(index, np.array(unjudged))
    now = await _read_seats(tx, sale, seats, places)
    rules, spare = policy.orphan_rules(sale.rules.policy), await _count_spare(tx, sale, who)
    found = find_fixable_orphans(
        index, now, list(seats), unjudged, rules, spare=spare, most_more=most_more, names=sale.seats.seat_index.names
    )
    if found is None:
        return None
    refused = bool(found.fixes) and not found.verdict.allowed
    log.info(
        "orphan.refused" if refused else "orphan.allowed",
        org_id=str(sale.organization_id),
        event_id=str(sale.event_id),
        orphans_created=len(found.orphans),
        reason=found.verdict.reason,
    )
    return _to_refusal(sale, found, seats) if refused else None


async def _read_seats(tx: Tx, sale: SaleContext, seats: dict[int, ChosenSeat], places: Int64Array) -> SeatSnapshot:
    """The runs in question from the database, everything else from the cached states."""
    assert sale.seats
    seat_index, states = sale.seats.seat_index, sale.seats.states
    mine = np.zeros(len(states), bool)
    mine[list(seats)] = True
    free, kept = (states == AVAILABLE) | mine, (states == RESERVED) & ~mine
    since = {n: seat.since for n, seat in seats.items()}
    ids = [seat_id(seat_index.layout_id, n) for n in places.tolist()]
    for row in await store.list_current_seats(tx, event_id=sale.event_id, seat_ids=ids):
        if not mine[row.ordinal]:
            free[row.ordinal], kept[row.ordinal] = row.state == "free", row.state == "kept"
            if row.state == "taken" and row.since is not None:
                since[row.ordinal] = row.since
    zones = {zone.position for zone in sale.rules.seating.zones.values() if zone.access_mode == "public"}
    zones.update(int(n) for n in seat_index.index.chart.zone[list(seats)])
    may = free & ~seat_index.index.wheelchairs & np.isin(seat_index.index.chart.zone, list(zones))
    may[list(seat_index.whole_groups)] = False
    return SeatSnapshot(free | kept, may | mine, since)


async def _count_spare(tx: Tx, sale: SaleContext, who: Principal) -> int:
    """How many more seats the buyer may hold before releasing others."""
    used = await store.read_usage(tx, event_id=sale.event_id, user_id=who.id, window_s=policy.WINDOW_S)
    assert used
    most = [sale.rules.policy.number("max_seats_per_booking") - used.places, sale.limits.per_window - used.recent]
    if sale.limits.most_mine is not None:
        most.append(sale.limits.most_mine - used.holds)
    return max(0, min(most))


def _to_refusal(sale: SaleContext, found: FixableOrphans, seats: dict[int, ChosenSeat]) -> OrphanSeats:
    assert sale.seats
    layout_id = sale.seats.seat_index.layout_id

    def ids(ordinals: Sequence[int]) -> list[UUID]:
        return [seat_id(layout_id, n) for n in ordinals]

    def describe(fix: Fix) -> dict[str, Any]:
        return {"kind": fix.kind, "take": ids(fix.take), "leave": [seats[n].hold_id for n in fix.leave]}

    move = next((fix for fix in found.fixes if fix.kind == "move"), None)
    return OrphanSeats(
        f"The choice {found.verdict.reason}.",
        orphans=ids(found.orphans),
        alternative=ids(found.verdict.alternative) if move and found.verdict.alternative else None,
        fixes=[describe(fix) for fix in found.fixes],
    )
