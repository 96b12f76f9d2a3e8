"""Tickets, as stored and shown; what may be asked of them, and what is refused."""

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


class Item(NamedTuple):
    """What was bought and becomes tickets: a seat, or so many places of a zone or of a type. `actor` brought the news
    that it is paid."""

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
    """A ticket. `number` is for people, `code` for the gate when the QR cannot be read."""

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

    def is_passed_on_by(self, buyer_id: UUID) -> bool:
        """Somebody else has it by now: who bought it may know that, and nothing that opens a gate."""
        return self.transferred_at is not None and self.holder_user_id != buyer_id


class TicketRow(Ticket, frozen=True, kw_only=True):
    """A ticket with what is printed on it."""

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
    plays_at: datetime  # on the date that counts; far away while nobody knows it
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
    """Where somebody sits or stands, to be said in their language."""

    zone_name: str | None = None
    row: str | None = None
    seat: str | None = None


class TicketView(Ticket, frozen=True, kw_only=True):
    """A ticket as its holder sees it. `qr` is the text of the code: show it as one, or save it for the way.

    Its times are those that count: of the new date, once one is announced (`rescheduled_at`); `first_start_at` is the
    old one. While `is_undated`, the show is postponed without a new date, and they are the old ones.
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
    accessibility: str | None  # what that means to the holder, in English
    qr: str | None  # none for a ticket that lets nobody in


class TicketKey(msgspec.Struct, frozen=True, kw_only=True):
    """What tickets are signed with: the public half, for those who check them."""

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
    """Whose ticket it will be."""

    name: Name
    email: Email


class CancelTicket(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    reason: Reason


class RotateKey(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`revoke`: what was signed with the old key is not believed any more. For when it is no secret any more."""

    revoke: bool = False


# --- refusals


class TicketNotFound(NotFound):
    """There is no such ticket, or it is not yours."""

    code, title = "ticket_not_found", "No such ticket"


class TicketOver(Conflict):
    """The ticket was used, cancelled or refunded already, or its show is over."""

    code, title = "ticket_not_valid", "The ticket is not valid any more"
