"""Holds in checkout: frozen while a payment's outcome is open, then sold or thawed.

Nothing else ends, suspends or prolongs a frozen hold. The checkout domain's statements freeze and sell, too.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol
from uuid import UUID

from fullhouse.holds import policy, store
from fullhouse.holds.actions import ENDED
from fullhouse.holds.system_hold_actions import PAID_LATE, SystemHold, publish_system_holds
from fullhouse.kit.actors import Principal
from fullhouse.kit.db.database import Tx
from fullhouse.kit.live.bus import LOCAL
from fullhouse.seating import policy as seating_policy
from fullhouse.seating import policy_actions as seating_policies
from fullhouse.seating.model import HELD, RESERVED, SOLD
from fullhouse.seating.overlay import actions as seating

PROLONGED = f"{LOCAL}holds:prolonged"  # published in this process only: the rows, with their previous deadlines


class SoldRow(Protocol):
    """A row of `app.settle_orders`: a sold hold; without a `hold_id`, a zone's new counts."""

    @property
    def hold_id(self) -> UUID | None: ...
    @property
    def user_id(self) -> UUID | None: ...
    @property
    def seat_id(self) -> UUID | None: ...
    @property
    def quantity(self) -> int: ...
    @property
    def zone_id(self) -> UUID | None: ...
    @property
    def ticket_type_id(self) -> UUID | None: ...
    @property
    def held_until(self) -> datetime | None: ...
    @property
    def age_s(self) -> float | None: ...
    @property
    def version(self) -> int | None: ...
    @property
    def held(self) -> int | None: ...
    @property
    def sold(self) -> int | None: ...


async def check_booking(tx: Tx, who: Principal, event_id: UUID, hold_ids: Sequence[UUID]) -> None:
    """One order must be within the current limits of a booking. Staff sell for others: of theirs, each request was
    checked by itself."""
    if policy.is_staff(who):
        return
    booking = await store.read_booking_load(tx, list(hold_ids))
    if booking:
        effective = seating_policy.to_effective_policy(await seating_policies.load_effective_policy(tx, event_id))
        policy.check_size(booking.places, booking.wheelchairs, effective)


async def freeze(tx: Tx, event_id: UUID, user_id: UUID, hold_ids: Sequence[UUID], attempt_id: UUID) -> bool:
    """Freezes all of them if all are live and this person's; returns whether they were."""
    return bool(
        await store.freeze_holds(tx, event_id=event_id, user_id=user_id, hold_ids=list(hold_ids), attempt_id=attempt_id)
    )


async def prolong(tx: Tx, event_id: UUID, hold_ids: Sequence[UUID], until: datetime) -> None:
    """A checkout begins: its holds last as long as it does. A hold is prolonged only once, and by nothing else."""
    await _publish_deadlines(
        tx, event_id, await store.prolong_holds(tx, event_id=event_id, hold_ids=list(hold_ids), until=until)
    )


async def thaw(tx: Tx, event_id: UUID, hold_ids: Sequence[UUID], attempt_id: UUID) -> int:
    """The payment failed: the holds get back the deadlines that they had before it."""
    thawed = await store.thaw_holds(tx, event_id=event_id, hold_ids=list(hold_ids), attempt_id=attempt_id) or 0
    if thawed:
        await publish_deadlines(tx, event_id, hold_ids)
    return thawed


async def publish_deadlines(tx: Tx, event_id: UUID, hold_ids: Sequence[UUID]) -> None:
    """Publishes the new deadlines of frozen and thawed holds, for the mirror. Holds that are sold at once are published
    as sold only."""
    await _publish_deadlines(tx, event_id, await store.list_deadlines(tx, list(hold_ids)))


async def publish_reheld(tx: Tx, event_id: UUID, hold_ids: Sequence[UUID], known: Sequence[UUID]) -> None:
    """A late payment got its seats back, or others: publishes those holds that are not `known`, and invalidates the
    cached seat states."""
    rows = await store.list_deadlines(tx, list(hold_ids))
    publish_system_holds(
        tx,
        [
            SystemHold(
                event_id,
                row.hold_id,
                row.user_id,
                row.seat_id,
                "zone" if row.zone_id else "ticket_type",
                row.zone_id or row.ticket_type_id,
                row.quantity or 1,
                row.held_until,
                row.version or 0,
                PAID_LATE,
            )
            for row in rows
            if row.hold_id not in known
        ],
    )
    seating.publish_reload(tx, event_id)


async def _publish_deadlines(tx: Tx, event_id: UUID, rows: Sequence[store.HoldDeadline]) -> None:
    if not rows:
        return
    tx.publish(PROLONGED, (tx.organization_id, rows))
    seats = [(row.ordinal, row.version) for row in rows if row.ordinal is not None]
    seating.publish_seats(tx, event_id, seats, HELD, kept=True)
    if places := [row.seat_id for row in rows if row.seat_id]:
        kept = await store.list_companion_versions(tx, event_id=event_id, seat_ids=places)
        seating.publish_seats(tx, event_id, [(row.ordinal, row.version) for row in kept], RESERVED)


async def detach_payment(tx: Tx, hold_ids: Sequence[UUID]) -> None:
    """Their event is over or cancelled: whatever the payment's outcome, they may end like all other holds."""
    await store.detach_payment(tx, list(hold_ids))


def publish_sold(tx: Tx, event_id: UUID, rows: Sequence[SoldRow]) -> None:
    """Publishes sold holds and zone counts, for metrics and the mirror. The seats' states are published with the
    tickets."""
    counts = [(row.zone_id, row.held, row.sold, row.version) for row in rows if row.held is not None]
    seating.publish_seats(tx, event_id, (), SOLD, counts)
    ended = [
        store.EndedHold(
            row.hold_id,
            event_id,
            row.user_id,
            row.seat_id,
            row.quantity,
            None,
            row.zone_id,
            row.ticket_type_id,
            row.held_until,
            row.age_s,
            None,
            None,
            None,
            None,
        )
        for row in rows
        if row.hold_id is not None
    ]
    tx.publish(ENDED, (tx.organization_id, "converted", None, ended))
