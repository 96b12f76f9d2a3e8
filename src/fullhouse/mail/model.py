"""What each letter says: a struct each, so that its writer cannot forget a field. Its docstring says when it goes out.

Links are paths (`/orders/…`); the house's address is put before them. Times are UTC, shown in the show's zone.
"""

from datetime import datetime
from typing import Any, ClassVar, Literal
from uuid import UUID

import msgspec

from fullhouse.accounts.model import PasswordChanged, SignInLink, TeamInvitation
from fullhouse.kit.errors import Conflict, NotFound
from fullhouse.kit.mail.email import LetterData
from fullhouse.kit.money import Money
from fullhouse.tickets.model import TicketPlace


class Brand(msgspec.Struct, frozen=True, kw_only=True):
    """Whose letters these are, and how they look."""

    name: str
    colour: str  # #rrggbb
    address: str  # of the house: links begin with it
    path: str  # the organisation's own page
    locale: str = "en"  # what it speaks with those of whom nobody knows what they read
    contact_email: str | None = None
    sender_name: str | None = None
    reply_to: str | None = None


class Show(msgspec.Struct, frozen=True, kw_only=True):
    """A show, as every letter about it names it. `starts_at` is the date that counts, and `was_at` the one before it;
    while `is_undated`, nobody knows the new one, and `starts_at` is the old one.
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


class Held(TicketPlace, frozen=True, kw_only=True):
    """A seat, or so many places of a zone."""

    quantity: int


class TicketLine(msgspec.Struct, frozen=True, kw_only=True):
    """One ticket of an order; `place` as in “Stalls, row C, seat 12”."""

    kind: str
    place: TicketPlace | None
    code: str
    price: Money


# --- orders


class OrderConfirmed(LetterData, frozen=True, kw_only=True):
    """Somebody bought tickets, which are enclosed."""

    template: ClassVar[str] = "order_confirmed"
    show: Show
    order_code: str
    order_path: str
    tickets: tuple[TicketLine, ...]
    total: Money
    fees: Money | None = None


class OrderRefunded(LetterData, frozen=True, kw_only=True):
    """Money goes back, all of it or a part."""

    template: ClassVar[str] = "order_refunded"
    show: Show
    order_code: str
    order_path: str
    amount: Money
    paid: Money
    message: str | None = None

    @property
    def in_full(self) -> bool:
        return self.amount == self.paid


class OtherSeats(LetterData, frozen=True, kw_only=True):
    """A payment came when its seats were gone: others are held for the buyer, who takes them or has the money back."""

    template: ClassVar[str] = "other_seats"
    show: Show
    order_code: str
    order_path: str
    places: tuple[Held, ...]
    paid: Money
    answer_by: datetime


class OrderCalledOff(LetterData, frozen=True, kw_only=True):
    """A payment for which nothing was sold goes back."""

    template: ClassVar[str] = "order_called_off"
    show: Show
    order_code: str
    order_path: str
    amount: Money
    because: str | None  # one of `checkout/orders/settle.py`


class PaidTwice(LetterData, frozen=True, kw_only=True):
    """A second payment for an order goes back; the order stays as it is."""

    template: ClassVar[str] = "paid_twice"
    show: Show
    order_code: str
    order_path: str
    amount: Money


# --- notices: everybody with a place in a show gets the same one


class Notice(LetterData, frozen=True, kw_only=True):
    """Base of notices. `order_path` is the reader's own order, if they have one; `message` is meant for them. What
    somebody wrote as the reason of a change is meant for the audit, and stays there.
    """

    show: Show
    message: str | None = None
    order_path: str | None = None


class EventCancelled(Notice, frozen=True, kw_only=True):
    """A show was cancelled."""

    template: ClassVar[str] = "event_cancelled"


class EventPostponed(Notice, frozen=True, kw_only=True):
    """A show was postponed, and has no new date yet."""

    template: ClassVar[str] = "event_postponed"


class EventRescheduled(Notice, frozen=True, kw_only=True):
    """A show has a new date. The old one is said too."""

    template: ClassVar[str] = "event_rescheduled"
    new_date: datetime


class TimeChanged(Notice, frozen=True, kw_only=True):
    """A show's doors, start or end were moved."""

    template: ClassVar[str] = "time_changed"
    ends_at: datetime


class VenueChanged(Notice, frozen=True, kw_only=True):
    """A show moved to another place."""

    template: ClassVar[str] = "venue_changed"
    time_changed: bool = False


class SeatsMoved(LetterData, frozen=True, kw_only=True):
    """The hall's layout changed, and somebody's seats with it: they accept, or have their money back."""

    template: ClassVar[str] = "seats_moved"
    show: Show
    moves: tuple[tuple[TicketPlace, TicketPlace | None], ...]  # from, to
    answer_by: datetime
    answer_path: str


# --- tickets on their way


class TicketSent(LetterData, frozen=True, kw_only=True):
    """To whoever passed a ticket on: theirs is no longer good."""

    template: ClassVar[str] = "ticket_sent"
    show: Show
    place: TicketPlace | None
    to_name: str


class TicketReceived(LetterData, frozen=True, kw_only=True):
    """To whoever was given a ticket, which is enclosed."""

    template: ClassVar[str] = "ticket_received"
    show: Show
    place: TicketPlace | None
    from_name: str
    ticket_path: str
    message: str | None = None


# --- waiting


class WaitingListJoined(LetterData, frozen=True, kw_only=True):
    """Somebody put their name on a waiting list; the link shows where they stand."""

    template: ClassVar[str] = "waiting_list_joined"
    show: Show
    quantity: int
    list_path: str


class WaitingListOffer(LetterData, frozen=True, kw_only=True):
    """Places became free for somebody on the waiting list, until a deadline."""

    template: ClassVar[str] = "waiting_list_offer"
    show: Show
    quantity: int
    places: tuple[TicketPlace, ...]
    offer_path: str
    answer_by: datetime


class WaitingListLapsed(LetterData, frozen=True, kw_only=True):
    """An offer was not taken in time, and went to the next one."""

    template: ClassVar[str] = "waiting_list_lapsed"
    show: Show
    quantity: int


class WaitingListClosed(Notice, frozen=True, kw_only=True):
    """The show that somebody waited for was cancelled."""

    template: ClassVar[str] = "waiting_list_closed"


class QueueOpens(LetterData, frozen=True, kw_only=True):
    """The waiting room of a show opens soon."""

    template: ClassVar[str] = "queue_opens"
    show: Show
    opens_at: datetime
    queue_path: str


class QueueTurn(LetterData, frozen=True, kw_only=True):
    """Somebody's turn has come in a show's waiting room."""

    template: ClassVar[str] = "queue_turn"
    show: Show
    queue_path: str
    until: datetime


# --- to the team


class WebhookDisabled(LetterData, frozen=True, kw_only=True):
    """A webhook failed for so long that it was switched off."""

    template: ClassVar[str] = "webhook_disabled"
    url: str
    failing_since: datetime
    last_error: str
    timezone: str


LETTERS: tuple[type[LetterData], ...] = (
    OrderConfirmed, OrderRefunded, OtherSeats, OrderCalledOff, PaidTwice,
    EventCancelled, EventPostponed, EventRescheduled, TimeChanged, VenueChanged, SeatsMoved,
    TicketSent, TicketReceived,
    WaitingListJoined, WaitingListOffer, WaitingListLapsed, WaitingListClosed, QueueOpens, QueueTurn,
    SignInLink, TeamInvitation, PasswordChanged,
    WebhookDisabled,
)  # fmt: skip
BY_TEMPLATE = {letter.template: letter for letter in LETTERS}


class Template(msgspec.Struct, frozen=True):
    """A letter that this house can write."""

    name: str
    description: str


class SentNotice(msgspec.Struct, frozen=True, kw_only=True):
    """A notice, as it is stored."""

    id: UUID
    template: str
    letter: dict[str, Any]
    total: int
    posted: int
    finished_at: datetime | None


class Person(msgspec.Struct, frozen=True):
    """Somebody who is to be told."""

    email: str
    has_ticket: bool


class NoticeProgress(msgspec.Struct, frozen=True, kw_only=True):
    """A notice on its way: `posted` of `total` letters are written, and so many of them are `sent` or `refused`."""

    id: UUID
    template: str
    total: int
    posted: int
    sent: int
    refused: int
    created_at: datetime
    finished_at: datetime | None


Format = Literal["html", "text"]


class TemplateUnknown(NotFound):
    """There is no letter of that name."""

    code, title = "template_not_found", "No such letter"


class NothingToSend(Conflict):
    """Only an order that is paid has tickets to send."""

    code, title = "nothing_to_send", "The order has no tickets to send"
