"""Holds as they are stored and shown; what may be asked for, and what is refused."""

from datetime import datetime
from typing import Annotated, Literal, NamedTuple
from uuid import UUID

import msgspec
from msgspec import Meta

from fullhouse.kit.errors import Conflict, Forbidden, NotFound, RateLimited, Refusal, Unauthenticated
from fullhouse.waiting_room.model import PromoCode

Quantity = Annotated[int, Meta(ge=1, le=100)]
Source = Literal["web", "scanner"]


class CompanionSeat(msgspec.Struct, frozen=True, kw_only=True):
    """A companion seat that is kept for the holder of its wheelchair place. To everybody else it looks blocked."""

    companion_of: UUID  # the wheelchair place
    seat_id: UUID
    seat_key: str
    zone_id: UUID
    block_name: str
    row: str
    seat_number: str
    price_category: str | None  # what its price goes by, as in `prices` of an offer


class Hold(msgspec.Struct, frozen=True, kw_only=True):
    """A hold, as its owner sees it."""

    id: UUID
    event_id: UUID
    basket_id: UUID
    seat_id: UUID | None
    zone_id: UUID | None
    ticket_type_id: UUID | None
    quantity: int
    status: str
    held_until: datetime | None  # null while it does not count down
    held_until_unix_ms: int | None
    source: str
    created_at: datetime
    companions: list[CompanionSeat] = []


class StoredHold(Hold, frozen=True, kw_only=True):
    user_id: UUID


class ChosenSeat(NamedTuple):
    """A seat that is about to be bought. `judged`: it was held in a basket that is still whole."""

    hold_id: UUID
    seat_id: UUID
    since: datetime
    judged: bool


class Brought(msgspec.Struct, frozen=True, kw_only=True):
    """What a guest holds, and would bring along."""

    hold_id: UUID
    event_id: UUID
    basket_id: UUID
    quantity: int
    wheelchair: bool


class HourOfEndings(msgspec.Struct, frozen=True, kw_only=True):
    """How many holds ended in an hour, by how."""

    hour: datetime
    converted: int
    expired: int
    cancelled: int


class Reserved(msgspec.Struct, frozen=True, kw_only=True):
    """A seat that is reserved, in the words of the reserve workflow."""

    hold_id: UUID
    seat_id: UUID
    event_id: UUID
    block_name: str
    row: str
    seat_number: str
    status: str
    locked_at: datetime | None  # since when it is held
    held_until: datetime | None
    held_until_unix: int | None
    held_until_unix_ms: int | None
    server_time_unix_ms: int
    expires_in_seconds: int | None
    message: str
    companions: list[CompanionSeat] = []


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a basket that is held."""

    hold_id: UUID
    seat_id: UUID | None = None
    zone_id: UUID | None = None
    ticket_type_id: UUID | None = None
    quantity: int = 1
    row: str | None = None
    seat_number: str | None = None
    block_name: str | None = None
    companions: list[CompanionSeat] = []


class Basket(msgspec.Struct, frozen=True, kw_only=True):
    """What was asked for together, and is held together."""

    basket_id: UUID
    event_id: UUID
    items: list[Line]
    held_until: datetime | None
    held_until_unix_ms: int | None
    server_time_unix_ms: int
    expires_in_seconds: int | None
    explanation: str | None = None


# --- requests


class Request(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of all bodies: nothing unknown is ignored."""


class Reserve(Request, frozen=True):
    source: Source = "web"
    promo_code: PromoCode | None = None


class Item(Request, frozen=True, kw_only=True):
    """A seat; or places in a zone; or, in a show without a layout, places of a ticket type.

    A zone's places may be held as a ticket type. They count on that type's days alone; otherwise on every day.
    """

    seat_id: UUID | None = None
    zone_id: UUID | None = None
    ticket_type_id: UUID | None = None
    quantity: Quantity = 1


class BestAvailable(Request, frozen=True, kw_only=True):
    """The best seats that are left, `accessible` of them wheelchair places."""

    quantity: Quantity
    zone_ids: Annotated[list[UUID], Meta(max_length=100)] | None = None
    price_category: Annotated[str, Meta(max_length=64)] | None = None
    accessible: Annotated[int, Meta(ge=0, le=50)] = 0
    allow_split: Annotated[
        bool, Meta(description="Further apart than `max_group_split` allows, in other sections too, rather than not.")
    ] = False
    language: Annotated[Literal["en", "af"], Meta(description="Of the explanation.")] = "en"


class HoldItems(Request, frozen=True, kw_only=True):
    """Either what the buyer picked, or a wish for the best available."""

    items: Annotated[list[Item], Meta(max_length=100)] = []
    best_available: BestAvailable | None = None
    source: Source = "web"
    promo_code: PromoCode | None = None


class ReleaseSeats(Request, frozen=True, kw_only=True):
    """What somebody holds and should not: these seats are on sale again."""

    seat_ids: Annotated[list[UUID], Meta(min_length=1, max_length=10_000)]
    reason: Annotated[str, Meta(min_length=1, max_length=500, pattern=r"\S")]


# --- refusals: the codes are the reserve workflow's own


class InvalidRequest(Refusal):
    """The request's shape is wrong."""

    code, title = "invalid_request", "The request is not valid"


class Unauthorized(Unauthenticated):
    """Nobody is signed in, or the session is over: in the words of the reserve workflow."""

    code = "unauthorized"


class EventNotAvailable(Refusal):
    """The show's status does not allow reserving: it is a draft, over, cancelled, or postponed without a date."""

    code, title = "event_not_available", "The show cannot be booked"


class SalesClosed(Refusal):
    """The show's sale has not begun, or is over."""

    code, title = "event_sales_closed", "The sale is closed"


class SeatNotAvailable(Conflict):
    """The seat is sold, blocked, or kept for somebody with a wheelchair place; `current_status` says which, and of a
    seat that is kept `blocked`."""

    code, title = "seat_not_available", "The seat is not available"


class SeatsAreChosen(Conflict):
    """In this show seats are not picked one by one: ask for `best_available`."""

    code, title = "seats_are_chosen", "Seats are chosen for you"


class SeatHeld(Conflict):
    """Somebody else has reserved the seat: until `expires_at`, which is in `expires_in` seconds, at most. Both are null
    while it is being paid for."""

    code, title = "seat_held_by_another_user", "Somebody else has reserved this seat"


class SeatGone(Conflict):
    """Somebody was faster by a moment. Try again."""

    code, title = "seat_no_longer_available", "The seat was taken at this moment"


class AtCapacity(Conflict):
    """There are not that many places left in this zone, or in the show."""

    code, title = "block_at_capacity", "Not enough places left"


class TooManyHolds(RateLimited):
    """As many seats were reserved as one person may in five minutes."""

    code, title = "too_many_holds", "Too many reservations"


class UserLimit(Conflict):
    """One person may hold so many at a time in this show."""

    code, title = "max_holds_per_user", "You hold as many as one person may"


class NetworkLimit(Conflict):
    """So many may be held at a time from one network."""

    code, title = "max_holds_per_ip", "As many are held from your network as may be"


class TooManySeats(Conflict):
    """A booking has `most` seats and places at most."""

    code, title = "max_seats_per_booking", "Too many seats for one booking"


class TooManyWheelchairs(Conflict):
    """A booking has `most` wheelchair places at most."""

    code, title = "max_wheelchair_seats_per_booking", "Too many wheelchair places for one booking"


class TicketTypeNotFound(NotFound):
    """The event has no such ticket type, or it is hidden and your code does not show it."""

    code, title = "ticket_type_not_found", "No such ticket type"


class TypeNotOnSale(Conflict):
    """This type is not sold now, or not for this place: where there is a layout, hold a seat or a place in a zone. Of a
    place without a type: no type that you may see is on sale for it now."""

    code, title = "ticket_type_not_on_sale", "This ticket type is not on sale"


class TypeSoldOut(Conflict):
    """There is none of this type any more; of a place without a type: of no type that is on sale for it."""

    code, title = "ticket_type_sold_out", "This ticket type is sold out"


class TooManyOfType(Conflict):
    """One order has so many tickets of this type at most, with those that you hold already. `name` says of which type,
    `most` how many."""

    code, title = "max_per_order", "Too many of this ticket type"


class OrphanSeats(Conflict):
    """The choice would leave single seats behind. `alternative` names seats that would not. At checkout, `fixes` says
    how to get there: hold the seats in `take`, then release the holds in `leave`."""

    code, title = "orphan_seats", "Single seats would stay behind"


class NoBlock(Conflict):
    """There are no such seats together. `largest` says how many there are side by side."""

    code, title = "group_adjacency_strict", "No suitable seats together"


class TooFarApart(Conflict):
    """There are enough seats, but further apart than a group may be: `max_group_split` rows of one section. `largest`
    says how many there are side by side. Ask again with `allow_split` to have them nevertheless."""

    code, title = "max_group_split", "No seats near enough to each other"


class WholeGroup(Conflict):
    """These seats are sold together only: a table, a block. `seat_ids` names all of them."""

    code, title = "sold_as_a_whole", "These seats are sold together only"


class HoldNotFound(NotFound):
    """There is no such hold, or it is not yours."""

    code, title = "hold_not_found", "No such hold"


class HoldOver(Conflict):
    """The hold has expired, was given back or is sold."""

    code, title = "hold_expired", "The hold is over"


class BeingPaidFor(Conflict):
    """A payment for it is under way; until its outcome is known nobody takes it away."""

    code, title = "payment_running", "A payment is under way"


class InSale(Conflict):
    """Somebody holds or has bought a place: the show stays announced. Cancel or postpone it instead."""

    code, title = "event_in_sale", "Places are held or sold already"


class CapacityInUse(Conflict):
    """More places are held and sold already than the new limit admits. `held`, `sold` and `capacity` are the numbers;
    `event_id` is the event, which may be one of several at a venue."""

    code, title = "capacity_in_use", "More places are held or sold already"


class ConsentNeeded(Conflict):
    """Places are held or sold at the old venue. Say in `consent_note` who agreed to the move, and how."""

    code, title = "venue_change_needs_consent", "Say who agreed to the move"


class ReasonNeeded(Forbidden):
    """Staff release somebody else's hold with a reason only."""

    code, title = "reason_needed", "Say why"
