"""The facts of this domain. SQL statements write them to the outbox: those of a whole batch at once."""

from datetime import datetime
from typing import ClassVar, Literal
from uuid import UUID

from fullhouse.kit.messages.outbox import Fact


class HoldFact(Fact, frozen=True, kw_only=True):
    """The fields of every fact about a hold."""

    event_id: UUID
    user_id: UUID
    quantity: int
    seat_id: UUID | None = None
    zone_id: UUID | None = None
    ticket_type_id: UUID | None = None


class HoldPlaced(HoldFact, frozen=True, kw_only=True):
    """A seat, or a quantity, is held until `held_until`. For a seat the fact also has the fields of the reserve
    workflow's `SeatReserved`, under that workflow's names."""

    name: ClassVar[str] = "hold.placed"
    basket_id: UUID
    held_until: datetime
    status: str | None = None  # the hold's
    source: str | None = None  # where it was requested: web or scanner
    type: Literal["SeatReserved"] | None = None
    hold_id: UUID | None = None
    organization_id: UUID | None = None
    timestamp: datetime | None = None


class HoldHandedOver(HoldFact, frozen=True, kw_only=True):
    """A guest has signed in: the hold now belongs to the account."""

    name: ClassVar[str] = "hold.handed_over"
    guest_id: UUID


class HoldExpired(HoldFact, frozen=True, kw_only=True):
    """A hold's time has run out. Its seat or quantity is free."""

    name: ClassVar[str] = "hold.expired"


class HoldConverted(HoldFact, frozen=True, kw_only=True):
    """A hold was sold."""

    name: ClassVar[str] = "hold.converted"


class HoldCancelled(HoldFact, frozen=True, kw_only=True):
    """Released by its holder or by staff, or ended with its event."""

    name: ClassVar[str] = "hold.cancelled"
    reason: str | None = None
