"""Holds that no request to the engine placed: waitlist offers, and what a late payment is for. Published like the
engine's own, so that they are logged and mirrored in Redis, too.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from fullhouse.kit.db.database import Tx
from fullhouse.kit.live.bus import LOCAL

SYSTEM_PLACED = f"{LOCAL}holds:made"  # published in this process only: the organisation, and a `SystemHold` for each
OFFERED, PAID_LATE = "waitlist", "paid late"  # the reason in the log


class SystemHold(NamedTuple):
    event_id: UUID
    hold_id: UUID
    user_id: UUID
    seat_id: UUID | None
    kind: str | None  # without a seat: zone or ticket_type
    ref_id: UUID | None
    quantity: int
    held_until: datetime
    version: int  # of the seat
    reason: str
    companion: int | None = None  # ordinal of the companion seat that is reserved beside a wheelchair space
    is_wheelchair: bool | None = None  # None: unknown, to be looked up in the seat index


def from_offers(rows: Sequence[Mapping[str, Any]], wheelchairs: Iterable[UUID] | None = None) -> list[SystemHold]:
    """The holds among the rows of `app.offer_places`."""
    companions = {row["hold_id"]: row["ordinal"] for row in rows if row["outcome"] == "accompanied"}
    chairs = None if wheelchairs is None else set(wheelchairs)
    return [
        SystemHold(
            row["event_id"],
            row["hold_id"],
            row["user_id"],
            row["seat_id"],
            row["kind"],
            row["ref_id"],
            row["quantity"],
            row["held_until"],
            row["version"] or 0,
            OFFERED,
            companions.get(row["hold_id"]),
            None if chairs is None else row["seat_id"] in chairs,
        )
        for row in rows
        if row["outcome"] == "offered"
    ]


def publish_system_holds(tx: Tx, made: Sequence[SystemHold]) -> None:
    """Must come before the seats' own changes are published: the mirror has to know the holders first."""
    if made:
        tx.publish(SYSTEM_PLACED, (tx.organization_id, made))
