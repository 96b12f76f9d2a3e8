"""The facts that this domain announces."""

from typing import ClassVar, Literal
from uuid import UUID

from fullhouse.kit.messages.outbox import Fact


class TicketTypesChanged(Fact, frozen=True, kw_only=True):
    """A ticket type of an event was added, changed or deleted."""

    name: ClassVar[str] = "event.ticket_types_changed"
    ticket_type_id: UUID
    change: Literal["added", "changed", "deleted"]


class TicketIssued(Fact, frozen=True, kw_only=True):
    """A ticket was issued. The statement that inserts the ticket inserts this fact, too."""

    name: ClassVar[str] = "ticket.issued"
    event_id: UUID
    order_id: UUID
    ticket_type_id: UUID
    number: str
    seat_id: UUID | None = None
    zone_id: UUID | None = None
    holder_user_id: UUID | None = None


class TicketVoided(Fact, frozen=True, kw_only=True):
    """A ticket was cancelled or refunded. It is no longer valid, and its seat or spot is on sale again."""

    name: ClassVar[str] = "ticket.voided"
    event_id: UUID
    order_id: UUID
    status: Literal["cancelled", "refunded"]
    reason: str | None = None


class TicketTransferred(Fact, frozen=True, kw_only=True):
    """A ticket was transferred: the code of its former holder is no longer valid."""

    name: ClassVar[str] = "ticket.transferred"
    event_id: UUID
    order_id: UUID
    from_name: str
    from_email: str
    to_name: str
    to_email: str


class TicketKeyRotated(Fact, frozen=True, kw_only=True):
    """Tickets are signed with a new key from now on. Scanners must reload the list of keys."""

    name: ClassVar[str] = "ticket_key.rotated"
    key_id: int
    revoked: bool
