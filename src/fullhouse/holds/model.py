"""Holds as rows and API structs; request bodies; refusals."""

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
    """A companion seat that is reserved for the holder of its wheelchair space. To everybody else it looks blocked."""

    companion_of: UUID  # the wheelchair space
    seat_id: UUID
    seat_key: str
    zone_id: UUID
    block_name: str
    row: str
    seat_number: str
    price_category: str | None  # the key of its price in an offer's `prices`


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
    held_until: datetime | None  # null while it does not count down: suspended, or being paid for
    held_until_unix_ms: int | None
    source: str
    created_at: datetime
    companions: list[CompanionSeat] = []


class StoredHold(Hold, frozen=True, kw_only=True):
    user_id: UUID


class ChosenSeat(NamedTuple):
    """A seat that is about to be bought. `judged`: checked for orphans, in a basket that is still complete."""

    hold_id: UUID
    seat_id: UUID
    since: datetime
    judged: bool


class GuestHold(msgspec.Struct, frozen=True, kw_only=True):
    """A guest's hold that can be handed over when the guest signs in."""

    hold_id: UUID
    event_id: UUID
    basket_id: UUID
    quantity: int
    wheelchair: bool


class HourOfEndings(msgspec.Struct, frozen=True, kw_only=True):
    """How many holds ended in an hour, by ending."""

    hour: datetime
    converted: int
    expired: int
    cancelled: int


class Reserved(msgspec.Struct, frozen=True, kw_only=True):
    """A reserved seat, with the field names of the reserve workflow."""

    hold_id: UUID
    seat_id: UUID
    event_id: UUID
    block_name: str
    row: str
    seat_number: str
    status: str
    locked_at: datetime | None  # when the hold was placed
    held_until: datetime | None
    held_until_unix: int | None
    held_until_unix_ms: int | None
    server_time_unix_ms: int
    expires_in_seconds: int | None
    message: str
    companions: list[CompanionSeat] = []


class BasketItem(msgspec.Struct, frozen=True, kw_only=True):
    """One item of a held basket."""

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
    """The holds of one request."""

    basket_id: UUID
    event_id: UUID
    items: list[BasketItem]
    held_until: datetime | None
    held_until_unix_ms: int | None
    server_time_unix_ms: int
    expires_in_seconds: int | None
    explanation: str | None = None


# --- requests


class Request(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of all request bodies: unknown fields are refused."""


class Reserve(Request, frozen=True):
    source: Source = "web"
    promo_code: PromoCode | None = None


class Item(Request, frozen=True, kw_only=True):
    """A seat; or a quantity in a general-admission zone; or, for an event without a layout, of a ticket type.

    With a zone, a ticket type may be named, too: the spots then count on that type's days only, otherwise on every day.
    """

    seat_id: UUID | None = None
    zone_id: UUID | None = None
    ticket_type_id: UUID | None = None
    quantity: Quantity = 1


class BestAvailable(Request, frozen=True, kw_only=True):
    """The best available seats, `accessible` of them wheelchair spaces."""

    quantity: Quantity
    zone_ids: Annotated[list[UUID], Meta(max_length=100)] | None = None
    price_category: Annotated[str, Meta(max_length=64)] | None = None
    accessible: Annotated[int, Meta(ge=0, le=50)] = 0
    allow_split: Annotated[
        bool, Meta(description="Accept seats further apart than `max_group_split`, in different sections if need be.")
    ] = False
    language: Annotated[Literal["en", "af"], Meta(description="Language of the explanation.")] = "en"


class HoldItems(Request, frozen=True, kw_only=True):
    """Either `items` that the buyer picked, or `best_available`."""

    items: Annotated[list[Item], Meta(max_length=100)] = []
    best_available: BestAvailable | None = None
    source: Source = "web"
    promo_code: PromoCode | None = None


class ReleaseSeats(Request, frozen=True, kw_only=True):
    """Ends the holds of these seats: the seats are on sale again."""

    seat_ids: Annotated[list[UUID], Meta(min_length=1, max_length=10_000)]
    reason: Annotated[str, Meta(min_length=1, max_length=500, pattern=r"\S")]


# --- refusals, with the codes of the reserve workflow


class InvalidRequest(Refusal):
    """The request is malformed, or its fields contradict each other."""

    code, title = "invalid_request", "The request is not valid"


class Unauthorized(Unauthenticated):
    """There is no session, or it has ended. The reserve workflow's code for `unauthenticated`."""

    code = "unauthorized"


class EventNotAvailable(Refusal):
    """The event cannot be booked: it is a draft, over, cancelled, or postponed without a new date."""

    code, title = "event_not_available", "The event cannot be booked"


class SalesClosed(Refusal):
    """The event's sale has not begun, or is over."""

    code, title = "event_sales_closed", "Ticket sales are closed"


class SeatNotAvailable(Conflict):
    """The seat is sold or blocked: `current_status` says which. A companion seat that is reserved for the holder of a
    wheelchair space counts as `blocked`."""

    code, title = "seat_not_available", "The seat is not available"


class SeatsAreAssigned(Conflict):
    """Buyers cannot pick single seats of this event: request `best_available`."""

    code, title = "seats_are_chosen", "Seats are assigned automatically"


class SeatHeld(Conflict):
    """Another buyer has reserved the seat, at most until `expires_at`, in `expires_in` seconds. Both are null while a
    payment for it is under way."""

    code, title = "seat_held_by_another_user", "Another buyer has reserved this seat"


class SeatJustTaken(Conflict):
    """Another request took the seat at the same moment. Try again, or choose another one."""

    code, title = "seat_no_longer_available", "The seat has just been taken"


class AtCapacity(Conflict):
    """The zone, or the event, does not have that many tickets left."""

    code, title = "block_at_capacity", "Not enough tickets left"


class TooManyHolds(RateLimited):
    """One person can reserve only so many seats in five minutes. Try again after `Retry-After` seconds."""

    code, title = "too_many_holds", "Too many reservations"


class TooManyHoldsOfUser(Conflict):
    """One person can have only so many holds of this event at a time. Release one, or check out first."""

    code, title = "max_holds_per_user", "You have reached the limit of reservations per person"


class TooManyHoldsOfNetwork(Conflict):
    """Only so many holds can exist at a time from one network (IP range)."""

    code, title = "max_holds_per_ip", "Your network has reached its limit of reservations"


class TooManySeats(Conflict):
    """One booking can have at most `most` seats and spots."""

    code, title = "max_seats_per_booking", "Too many seats for one booking"


class TooManyWheelchairs(Conflict):
    """One booking can have at most `most` wheelchair spaces."""

    code, title = "max_wheelchair_seats_per_booking", "Too many wheelchair spaces for one booking"


class TicketTypeNotFound(NotFound):
    """The event has no such ticket type, or it is hidden and the promo code does not unlock it."""

    code, title = "ticket_type_not_found", "No such ticket type"


class TypeNotOnSale(Conflict):
    """This ticket type is not on sale now, or not for this zone; for an event with a layout, name a seat or a zone.
    Without a ticket type in the request: no type that you can see is on sale there now."""

    code, title = "ticket_type_not_on_sale", "This ticket type is not on sale"


class TypeSoldOut(Conflict):
    """This ticket type is sold out. Without a ticket type in the request: all types on sale there are."""

    code, title = "ticket_type_sold_out", "This ticket type is sold out"


class TooManyOfType(Conflict):
    """One order can have at most `most` tickets of the type called `name`, including those that you hold already."""

    code, title = "max_per_order", "Too many of this ticket type"


class OrphanSeats(Conflict):
    """The choice would leave single seats empty (`orphans`). `alternative` names seats that would not. At checkout,
    `fixes` has the possible changes: hold the seats in `take`, then release the holds in `leave`."""

    code, title = "orphan_seats", "The choice would leave single seats empty"


class NoSeatsTogether(Conflict):
    """There are not that many suitable seats together. `largest` is the largest number of seats side by side."""

    code, title = "group_adjacency_strict", "No suitable seats together"


class TooFarApart(Conflict):
    """There are enough seats, but spread over more than `max_group_split` rows, or over several sections. `largest` is
    the largest number of seats side by side. Repeat the request with `allow_split` to accept seats further apart."""

    code, title = "max_group_split", "No seats near enough to each other"


class SoldAsWhole(Conflict):
    """These seats are sold only together, as a table or a block. `seat_ids` names all of them."""

    code, title = "sold_as_a_whole", "These seats are sold only together"


class HoldNotFound(NotFound):
    """There is no such hold, or it is not yours."""

    code, title = "hold_not_found", "Hold not found"


class HoldEnded(Conflict):
    """The hold has expired, was released or is sold."""

    code, title = "hold_expired", "The hold has ended"


class PaymentRunning(Conflict):
    """A payment for it is under way. It cannot be released until the outcome is known."""

    code, title = "payment_running", "A payment is under way"


class EventInSale(Conflict):
    """Tickets are held or sold, so the event cannot become a draft again. Cancel or postpone it instead."""

    code, title = "event_in_sale", "Tickets are held or sold already"


class CapacityInUse(Conflict):
    """More tickets are held and sold than the new limit allows: see `held`, `sold` and `capacity`. `event_id` is the
    event, which can be one of several at the venue."""

    code, title = "capacity_in_use", "More tickets are held or sold than the new limit allows"


class ConsentNeeded(Conflict):
    """Tickets are held or sold for the old venue. Say in `consent_note` who agreed to the move, and how."""

    code, title = "venue_change_needs_consent", "Say who agreed to the new venue"


class ReasonNeeded(Forbidden):
    """Staff must give a `reason` when they release another person's hold."""

    code, title = "reason_needed", "Enter a reason"
