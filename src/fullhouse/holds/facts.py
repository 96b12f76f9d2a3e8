"""What this room announces. The statements write them: a batch of a hundred holds is a hundred rows, in one go."""

from datetime import datetime
from typing import ClassVar, Literal
from uuid import UUID

from fullhouse.kit.messages.outbox import Fact


class HoldFact(Fact, frozen=True, kw_only=True):
    """What every fact about a hold says."""

    event_id: UUID
    user_id: UUID
    quantity: int
    seat_id: UUID | None = None
    zone_id: UUID | None = None
    ticket_type_id: UUID | None = None


class HoldPlaced(HoldFact, frozen=True, kw_only=True):
    """Somebody has a seat or places of a show until `held_until`. Of a seat it is the reserve workflow's
    `SeatReserved`, with that workflow's names beside ours."""

    name: ClassVar[str] = "hold.placed"
    basket_id: UUID
    held_until: datetime
    status: str | None = None  # of the hold
    source: str | None = None  # where it was asked for: web or scanner
    type: Literal["SeatReserved"] | None = None
    hold_id: UUID | None = None
    organization_id: UUID | None = None
    timestamp: datetime | None = None


class HoldHandedOver(HoldFact, frozen=True, kw_only=True):
    """A guest who held it has signed in: it is the same person's, under another id."""

    name: ClassVar[str] = "hold.handed_over"
    guest_id: UUID


class HoldExpired(HoldFact, frozen=True, kw_only=True):
    """A hold's time was over. What it had is free."""

    name: ClassVar[str] = "hold.expired"


class HoldConverted(HoldFact, frozen=True, kw_only=True):
    """What was held is sold."""

    name: ClassVar[str] = "hold.converted"


class HoldCancelled(HoldFact, frozen=True, kw_only=True):
    """Given back by its owner, taken by staff, or ended with its show."""

    name: ClassVar[str] = "hold.cancelled"
    reason: str | None = None
