"""What this room announces."""

from typing import ClassVar, Literal
from uuid import UUID

from fullhouse.kit.messages.outbox import Fact


class TicketTypesChanged(Fact, frozen=True, kw_only=True):
    """A show sells something else than before: a type of ticket was added, changed or taken away."""

    name: ClassVar[str] = "event.ticket_types_changed"
    ticket_type_id: UUID
    change: Literal["added", "changed", "deleted"]


class TicketIssued(Fact, frozen=True, kw_only=True):
    """A ticket was issued. The statement that writes it writes this too."""

    name: ClassVar[str] = "ticket.issued"
    event_id: UUID
    order_id: UUID
    ticket_type_id: UUID
    number: str
    seat_id: UUID | None = None
    zone_id: UUID | None = None
    holder_user_id: UUID | None = None


class TicketVoided(Fact, frozen=True, kw_only=True):
    """A ticket lets nobody in any more: it was cancelled or refunded. Its place can be had again."""

    name: ClassVar[str] = "ticket.voided"
    event_id: UUID
    order_id: UUID
    status: Literal["cancelled", "refunded"]
    reason: str | None = None


class TicketTransferred(Fact, frozen=True, kw_only=True):
    """A ticket changed hands: the code that its old holder has lets nobody in any more."""

    name: ClassVar[str] = "ticket.transferred"
    event_id: UUID
    order_id: UUID
    from_name: str
    from_email: str
    to_name: str
    to_email: str


class TicketKeyRotated(Fact, frozen=True, kw_only=True):
    """Tickets are signed with another key from now on. Gates read the list of keys again."""

    name: ClassVar[str] = "ticket_key.rotated"
    key_id: int
    revoked: bool
