"""The content of each email as a struct, so that no field can be forgotten. Its docstring, shown in the console, says
when the email is sent.

Links are paths (`/orders/…`); rendering prepends the installation's public URL. Times are UTC, shown in the event's
time zone.
"""

from datetime import datetime
from typing import Any, ClassVar, Literal
from uuid import UUID

import msgspec

from fullhouse.accounts.model import PasswordChanged, SignInLink, TeamInvitation
from fullhouse.kit.errors import Conflict, NotFound
from fullhouse.kit.mail.email import EmailData
from fullhouse.kit.money import Money
from fullhouse.tickets.model import TicketPlace


class Brand(msgspec.Struct, frozen=True, kw_only=True):
    """The organisation that sends an email, and how its emails look."""

    name: str
    colour: str  # #rrggbb
    address: str  # the installation's public URL: links begin with it
    path: str  # the organisation's own page
    locale: str = "en"  # for recipients whose language is not known
    contact_email: str | None = None
    sender_name: str | None = None
    reply_to: str | None = None


class EventDetails(msgspec.Struct, frozen=True, kw_only=True):
    """An event as emails present it. `starts_at` is the current date and `was_at` the one it replaced; while
    `is_undated`, the event is postponed without a new date, and `starts_at` is the old one.
    """

    name: str
    path: str
    starts_at: datetime
    was_at: datetime | None = None
    is_undated: bool = False
    timezone: str
    venue: str
    address: str | None = None
    doors_at: datetime | None = None


class HeldSpots(TicketPlace, frozen=True, kw_only=True):
    """A seat, or `quantity` spots in a zone."""

    quantity: int


class TicketLine(msgspec.Struct, frozen=True, kw_only=True):
    """One ticket of an order; `place` as in “Stalls, row C, seat 12”."""

    kind: str
    place: TicketPlace | None
    code: str
    price: Money


# --- orders


class OrderConfirmed(EmailData, frozen=True, kw_only=True):
    """Sent to a buyer when an order is paid, with the tickets attached."""

    template: ClassVar[str] = "order_confirmed"
    show: EventDetails
    order_code: str
    order_path: str
    tickets: tuple[TicketLine, ...]
    total: Money
    fees: Money | None = None


class OrderRefunded(EmailData, frozen=True, kw_only=True):
    """Sent to the buyer when an order is refunded, in full or in part."""

    template: ClassVar[str] = "order_refunded"
    show: EventDetails
    order_code: str
    order_path: str
    amount: Money
    paid: Money
    message: str | None = None

    @property
    def in_full(self) -> bool:
        return self.amount == self.paid


class OtherSeats(EmailData, frozen=True, kw_only=True):
    """Sent when a payment arrived after its seats were gone: the buyer accepts other seats, or is refunded."""

    template: ClassVar[str] = "other_seats"
    show: EventDetails
    order_code: str
    order_path: str
    places: tuple[HeldSpots, ...]
    paid: Money
    answer_by: datetime


class OrderCalledOff(EmailData, frozen=True, kw_only=True):
    """Sent when a payment is refunded because the order could not be completed."""

    template: ClassVar[str] = "order_called_off"
    show: EventDetails
    order_code: str
    order_path: str
    amount: Money
    because: str | None  # a value of `REASONS` in checkout/orders/settle.py


class PaidTwice(EmailData, frozen=True, kw_only=True):
    """Sent when a second payment for the same order is refunded. The order is not affected."""

    template: ClassVar[str] = "paid_twice"
    show: EventDetails
    order_code: str
    order_path: str
    amount: Money


# --- notices: the same email to everybody with a ticket or reservation for an event


class Notice(EmailData, frozen=True, kw_only=True):
    """Base of notices. `order_path` is the recipient's own order, if they have one; `message` is addressed to them. The
    reason that staff gave for a change is for the audit log, and is not emailed.
    """

    show: EventDetails
    message: str | None = None
    order_path: str | None = None


class EventCancelled(Notice, frozen=True, kw_only=True):
    """Sent when an event is cancelled."""

    template: ClassVar[str] = "event_cancelled"


class EventPostponed(Notice, frozen=True, kw_only=True):
    """Sent when an event is postponed and has no new date yet."""

    template: ClassVar[str] = "event_postponed"


class EventRescheduled(Notice, frozen=True, kw_only=True):
    """Sent when an event has a new date. Names the old date too."""

    template: ClassVar[str] = "event_rescheduled"
    new_date: datetime


class TimeChanged(Notice, frozen=True, kw_only=True):
    """Sent when an event's doors, start or end time changes."""

    template: ClassVar[str] = "time_changed"
    ends_at: datetime


class VenueChanged(Notice, frozen=True, kw_only=True):
    """Sent when an event moves to another venue."""

    template: ClassVar[str] = "venue_changed"
    time_changed: bool = False


class SeatsMoved(EmailData, frozen=True, kw_only=True):
    """Sent when a layout change moved somebody's seats: they accept the new ones, or are refunded."""

    template: ClassVar[str] = "seats_moved"
    show: EventDetails
    moves: tuple[tuple[TicketPlace, TicketPlace | None], ...]  # from, to
    answer_by: datetime
    answer_path: str


# --- transferred tickets


class TicketSent(EmailData, frozen=True, kw_only=True):
    """Sent to the former holder of a transferred ticket: theirs is no longer valid."""

    template: ClassVar[str] = "ticket_sent"
    show: EventDetails
    place: TicketPlace | None
    to_name: str


class TicketReceived(EmailData, frozen=True, kw_only=True):
    """Sent to the new holder of a transferred ticket, with the ticket attached."""

    template: ClassVar[str] = "ticket_received"
    show: EventDetails
    place: TicketPlace | None
    from_name: str
    ticket_path: str
    message: str | None = None


# --- waitlist and waiting room


class WaitlistJoined(EmailData, frozen=True, kw_only=True):
    """Sent to somebody who joined the waitlist; the link shows their position."""

    template: ClassVar[str] = "waiting_list_joined"
    show: EventDetails
    quantity: int
    list_path: str


class WaitlistOffer(EmailData, frozen=True, kw_only=True):
    """Sent when tickets are held for somebody on the waitlist, until a deadline."""

    template: ClassVar[str] = "waiting_list_offer"
    show: EventDetails
    quantity: int
    places: tuple[TicketPlace, ...]
    offer_path: str
    answer_by: datetime


class WaitlistLapsed(EmailData, frozen=True, kw_only=True):
    """Sent when a waitlist offer expired and went to the next person."""

    template: ClassVar[str] = "waiting_list_lapsed"
    show: EventDetails
    quantity: int


class WaitlistClosed(Notice, frozen=True, kw_only=True):
    """Sent to people on the waitlist when the event is cancelled."""

    template: ClassVar[str] = "waiting_list_closed"


class QueueOpens(EmailData, frozen=True, kw_only=True):
    """Sent when an event's waiting room opens soon."""

    template: ClassVar[str] = "queue_opens"
    show: EventDetails
    opens_at: datetime
    queue_path: str


class QueueTurn(EmailData, frozen=True, kw_only=True):
    """Sent when it is somebody's turn in an event's waiting room."""

    template: ClassVar[str] = "queue_turn"
    show: EventDetails
    queue_path: str
    until: datetime


# --- to the team


class WebhookDisabled(EmailData, frozen=True, kw_only=True):
    """Sent to the team when a webhook is switched off after failing for a long time."""

    template: ClassVar[str] = "webhook_disabled"
    url: str
    failing_since: datetime
    last_error: str
    timezone: str


EMAILS: tuple[type[EmailData], ...] = (
    OrderConfirmed, OrderRefunded, OtherSeats, OrderCalledOff, PaidTwice,
    EventCancelled, EventPostponed, EventRescheduled, TimeChanged, VenueChanged, SeatsMoved,
    TicketSent, TicketReceived,
    WaitlistJoined, WaitlistOffer, WaitlistLapsed, WaitlistClosed, QueueOpens, QueueTurn,
    SignInLink, TeamInvitation, PasswordChanged,
    WebhookDisabled,
)  # fmt: skip
EMAIL_BY_TEMPLATE = {kind.template: kind for kind in EMAILS}


class EmailTemplate(msgspec.Struct, frozen=True):
    """An email that is sent automatically, and when."""

    name: str
    description: str


class StoredNotice(msgspec.Struct, frozen=True, kw_only=True):
    """A notice, as it is stored."""

    id: UUID
    template: str
    letter: dict[str, Any]
    total: int
    posted: int
    finished_at: datetime | None


class Recipient(msgspec.Struct, frozen=True):
    """A recipient of a notice."""

    email: str
    has_ticket: bool


class NoticeProgress(msgspec.Struct, frozen=True, kw_only=True):
    """A notice's progress: `posted` of `total` emails are queued; of those, `sent` and `refused` count the outcome."""

    id: UUID
    template: str
    total: int
    posted: int
    sent: int
    refused: int
    created_at: datetime
    finished_at: datetime | None


Format = Literal["html", "text"]


class TemplateNotFound(NotFound):
    """There is no email template of that name."""

    code, title = "template_not_found", "No such email template"


class NothingToSend(Conflict):
    """Only a paid order with valid tickets has tickets to send."""

    code, title = "nothing_to_send", "The order has no tickets to send"
