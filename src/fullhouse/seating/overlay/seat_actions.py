"""Staff actions on an event's seats: block, unblock, release; one by one or as groups of the layout."""

from uuid import UUID

from fullhouse.events.public import actions as events
from fullhouse.kit.db import audit
from fullhouse.kit.db.database import Tx
from fullhouse.kit.errors import FieldError, Invalid
from fullhouse.kit.messages.outbox import announce
from fullhouse.seating import facts, journal, store
from fullhouse.seating.model import AVAILABLE, BLOCKED, RESERVED, GroupNotFound, SeatChoice, SeatNotFound, SeatSold
from fullhouse.seating.overlay import actions as overlays
from fullhouse.seating.plans.chart import seat_id


async def block(tx: Tx, event_id: UUID, choice: SeatChoice) -> int:
    """Takes seats out of the sale. Sold seats are refused; holds on the others end."""
    return await _set_seats(tx, event_id, choice, blocked=True)


async def unblock(tx: Tx, event_id: UUID, choice: SeatChoice) -> int:
    return await _set_seats(tx, event_id, choice, blocked=False)


async def release(tx: Tx, event_id: UUID, choice: SeatChoice) -> int:
    """Releases seats that are held, or reserved as companions, and should not be. Blocked seats stay blocked."""
    seats = await _lock_seats(tx, event_id, choice)
    ids = [seat.seat_id for seat in seats if seat.status == "held" or seat.is_kept]
    if not ids:
        return 0
    await announce(tx, facts.SeatsReleased(subject_id=event_id, seat_ids=ids, reason=choice.reason))
    kept = {seat.seat_id for seat in seats if seat.is_kept}
    locked = await store.lock_seats(tx, event_id=event_id, seat_ids=ids)
    stranded = [s.seat_id for s in locked if s.seat_id in kept or (s.seat_id in ids and s.status == "held")]
    after = await store.set_seat_status(
        tx, event_id=event_id, seat_ids=stranded, status="available"
    )  # seats that no ending hold has freed
    await audit.write(tx, "seats.released", "event", event_id, after={"seat_ids": ids}, reason=choice.reason)
    overlays.publish_seats(tx, event_id, after, AVAILABLE)
    changed = [(seat, "blocked" if seat in kept else "held") for seat in stranded]
    journal.log_seat_changes(tx, event_id, changed, "available", choice.reason)
    return len(ids)


async def _lock_seats(tx: Tx, event_id: UUID, choice: SeatChoice) -> list[store.LockedSeat]:
    """Locks the chosen seats. Refuses if one is not the event's, or is sold."""
    overlay = await overlays.get_event_layout(tx, event_id)
    wanted = {*choice.seat_ids, *await _find_group_seats(tx, overlay.layout_id, choice.groups)}
    if not wanted:
        raise Invalid(fields=[FieldError("seat_ids", "Name at least one seat or group of seats.")])
    await store.lock_pools(tx, event_id)  # pools before seats, as everywhere: ending a hold changes their counts
    locked = await store.lock_seats(tx, event_id=event_id, seat_ids=list(wanted))
    seats = [seat for seat in locked if seat.seat_id in wanted]
    if len(seats) < len(wanted):
        raise SeatNotFound("At least one of the seats is not a seat of this event.")
    if sold := [seat for seat in seats if seat.status == "sold"]:
        raise SeatSold(f"{len(sold)} of these are sold.", seat_ids=[seat.seat_id for seat in sold])
    return seats


async def _find_group_seats(tx: Tx, layout_id: UUID, keys: list[str]) -> list[UUID]:
    if not keys:
        return []
    known = {g.key: g.ordinals for g in await store.groups_of_layout(tx, layout_id)}
    if unknown := [key for key in keys if key not in known]:
        raise GroupNotFound(f"There is no group “{unknown[0]}”.")
    return [seat_id(layout_id, n) for key in keys for n in known[key]]


async def _set_seats(tx: Tx, event_id: UUID, choice: SeatChoice, *, blocked: bool) -> int:
    seats = await _lock_seats(tx, event_id, choice)
    ids = [seat.seat_id for seat in seats if (seat.status == "blocked") != blocked]
    if not ids:
        return 0
    fact = facts.SeatsBlocked(subject_id=event_id, seat_ids=ids, blocked=blocked, reason=choice.reason)
    await announce(tx, fact)  # first: the handlers end the holds while the seats are still held
    after = await store.set_seat_status(
        tx, event_id=event_id, seat_ids=ids, status="blocked" if blocked else "available"
    )
    await audit.write(
        tx,
        "seats.blocked" if blocked else "seats.unblocked",
        "event",
        event_id,
        after={"seat_ids": ids},
        reason=choice.reason,
    )
    overlays.publish_seats(tx, event_id, after, BLOCKED if blocked else AVAILABLE)
    await events.update_stock(tx, event_id)
    # A held seat was freed by now, and logged as such.
    changed = [(seat.seat_id, "available" if blocked else "blocked") for seat in seats if seat.seat_id in set(ids)]
    journal.log_seat_changes(tx, event_id, changed, "blocked" if blocked else "available", choice.reason)
    if not blocked and (kept := await store.reserve_companions(tx, event_id=event_id, seat_ids=ids)):
        overlays.publish_seats(tx, event_id, [(seat.ordinal, seat.version) for seat in kept], RESERVED)
        before, after_all, why = journal.SIDE_EFFECTS["accompanied"]
        companions = [(seat_id(ids[0], seat.ordinal), before) for seat in kept]
        journal.log_seat_changes(tx, event_id, companions, after_all, why)
    return len(ids)
