"""Holds that nobody asked the engine for: what a waiting list offers, and what late money is for. Whoever logs holds
and mirrors them in Redis hears of each, as of those that a request got.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from fullhouse.kit.db.database import Tx
from fullhouse.kit.live.bus import HERE

MADE = f"{HERE}holds:made"  # told in this process only: the organisation, and a `Made` each
OFFERED, PAID_LATE = "waitlist", "paid late"  # why they were made


class Made(NamedTuple):
    event_id: UUID
    hold_id: UUID
    user_id: UUID
    seat_id: UUID | None
    kind: str | None  # of places without seats: zone or ticket_type
    ref_id: UUID | None
    quantity: int
    held_until: datetime
    version: int  # of the seat
    reason: str
    companion: int | None = None  # the ordinal of the seat that is kept beside a wheelchair place
    is_wheelchair: bool | None = None  # None: whoever logs it looks into the hall


def of_offers(rows: Sequence[Mapping[str, Any]], wheelchairs: Iterable[UUID] | None = None) -> list[Made]:
    """The holds among the rows of `app.offer_places`."""
    beside = {row["hold_id"]: row["ordinal"] for row in rows if row["outcome"] == "accompanied"}
    chairs = None if wheelchairs is None else set(wheelchairs)
    return [
        Made(
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
            beside.get(row["hold_id"]),
            None if chairs is None else row["seat_id"] in chairs,
        )
        for row in rows
        if row["outcome"] == "offered"
    ]


def tell_made(tx: Tx, made: Sequence[Made]) -> None:
    """Before the seats themselves are told of: whose they are comes first."""
    if made:
        tx.tell(MADE, (tx.organization_id, made))
