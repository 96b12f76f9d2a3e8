"""Tickets: stored rows, API responses, requests and refusals."""

from datetime import datetime
from typing import Annotated, Literal, NamedTuple
from uuid import UUID

import msgspec
from msgspec import Meta

from fullhouse.accounts.model import Email, Name
from fullhouse.kit.actors import Actor
from fullhouse.kit.errors import Conflict, NotFound
from fullhouse.kit.money import Money

Reason = Annotated[str, Meta(min_length=1, max_length=500, pattern=r"\S")]


class SoldItem(NamedTuple):
    """A sold order item for which tickets are issued: a seat, or a quantity of a zone or type. `actor` reported the
    payment."""

    order_id: UUID
    actor: Actor
    hold_id: UUID
    seat_id: UUID | None
    zone_id: UUID | None
    ticket_type_id: UUID
    quantity: int
    holder_name: str
    holder_email: str
    holder_user_id: UUID | None
    membership_id: UUID | None = None


TicketStatus = Literal["valid", "used", "cancelled", "refunded"]


class Ticket(msgspec.Struct, frozen=True, kw_only=True):
    """A ticket. `number` is its printed number, `code` is typed at the gate if the QR code does not scan."""

    id: UUID
    event_id: UUID
    order_id: UUID
    ticket_type_id: UUID
    seat_id: UUID | None
    zone_id: UUID | None
    number: str
    code: str
    holder_name: str
    holder_email: str
    holder_user_id: UUID | None
    membership_id: UUID | None
    status: TicketStatus
    reason: str | None
    version: int
    issued_at: datetime
    transferred_at: datetime | None

    def is_transferred_by(self, buyer_id: UUID) -> bool:
        """Whether the ticket now belongs to someone else than its buyer, who may know that, but not its codes."""
        return self.transferred_at is not None and self.holder_user_id != buyer_id


class TicketRow(Ticket, frozen=True, kw_only=True):
    """A ticket with the data that is printed on it."""

    nonce: bytes
    buyer_id: UUID
    order_code: str
    type_name: str
    entitlement: str
    unit: int | None
    currency: str
    event_name: str
    event_slug: str
    event_status: str
    start_at: datetime
    end_at: datetime
    doors_at: datetime
    rescheduled_at: datetime | None
    plays_at: datetime  # the current start; far in the future while postponed without a new date
    timezone: str
    venue_name: str
    address: str | None
    city: str
    zone_name: str | None
    section: str | None
    row: str | None
    seat: str | None
    category: str | None


class TicketPlace(msgspec.Struct, frozen=True, kw_only=True):
    """A seat or zone, to be rendered in the reader's language."""

    zone_name: str | None = None
    row: str | None = None
    seat: str | None = None


class TicketView(Ticket, frozen=True, kw_only=True):
    """A ticket as its holder sees it. `qr` is the text to show as a QR code; it may be stored for offline use.

    The times are the current ones: those of the new date once it is announced (`rescheduled_at`); `first_start_at` is
    the original start. While `is_undated`, the event is postponed without a new date, and they are the original times.
    """

    order_code: str
    type_name: str
    entitlement: str
    price: Money | None
    event_name: str
    event_slug: str
    event_status: str
    start_at: datetime
    end_at: datetime
    doors_at: datetime
    first_start_at: datetime
    rescheduled_at: datetime | None
    is_undated: bool
    timezone: str
    venue_name: str
    address: str | None
    city: str
    zone_name: str | None
    section: str | None
    row: str | None
    seat: str | None
    category: str | None  # of the seat: standard, wheelchair, companion, restricted_view
    accessibility: str | None  # its meaning for the holder, in English
    qr: str | None  # null for a ticket that is not valid


class TicketKey(msgspec.Struct, frozen=True, kw_only=True):
    """A public key for verifying tickets."""

    key_id: int
    public_key: bytes
    created_at: datetime
    retired_at: datetime | None
    revoked_at: datetime | None


class SigningKey(NamedTuple):
    key_id: int
    sealed_key: bytes


# --- requests


class Transfer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The new holder of a ticket."""

    name: Name
    email: Email


class CancelTicket(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    reason: Reason


class RotateKey(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`revoke`: tickets signed with the old key are rejected. Use it if the old key was exposed."""

    revoke: bool = False


# --- refusals


class TicketNotFound(NotFound):
    """The ticket does not exist, or belongs to someone else."""

    code, title = "ticket_not_found", "No such ticket"


class TicketNotValid(Conflict):
    """The ticket was used, cancelled, refunded or transferred already, or its event is over."""

    code, title = "ticket_not_valid", "The ticket is no longer valid"
