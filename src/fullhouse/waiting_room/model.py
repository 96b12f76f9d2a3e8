"""Waiting rooms and places as rows and API structs; request bodies; refusals."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

import msgspec
from msgspec import Meta

from fullhouse.kit.errors import Conflict, Forbidden, NotFound, RateLimited, Refusal

PromoCode = Annotated[str, Meta(min_length=1, max_length=40, description="Unlocks hidden ticket types.")]
Mode = Literal["auto", "on", "off"]
State = Literal["closed", "pre", "open", "paused", "draining"]


class Admission(msgspec.Struct, frozen=True, kw_only=True):
    """A slot: until it expires its owner can choose seats and check out."""

    seq: int
    expires_at: datetime
    expires_at_unix_ms: int


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """A person's place: `position` among the `total` people who wait. Position, total and estimated wait are null if
    they do not apply or are not known yet."""

    event_id: UUID
    status: Literal["waiting", "admitted", "sold_out", "closed", "expired", "left", "done"]
    room: State
    seq: int
    position: int | None = None
    ahead: int | None = None
    total: int | None = None
    eta_low_s: int | None = None
    eta_high_s: int | None = None
    expires_at: datetime | None = None
    expires_at_unix_ms: int | None = None
    opens_at: datetime | None = None
    opens_at_unix_ms: int | None = None
    seed_hash: str | None = None
    server_time_unix_ms: int
    next_poll_s: int
    token: str | None = None


class LockedPlace(msgspec.Struct, frozen=True, kw_only=True):
    """A person's place in a queue or, if `inside`, their slot."""

    event_id: UUID
    user_id: UUID
    seq: int
    place: int
    inside: bool
    overdue: bool


class Room(msgspec.Struct, frozen=True, kw_only=True):
    """A row of queue_rooms."""

    organization_id: UUID
    event_id: UUID
    mode: Mode = "auto"
    state: State = "closed"
    slots: int = 5
    admit_window_s: int = 120
    opens_at: datetime | None = None
    next_seq: int = 1
    sold_out: bool = False
    seed_hash: bytes | None = None
    sealed_seed: bytes | None = None
    seed: bytes | None = None
    tickets: int | None = None
    drawn: bool = True
    version: int = 0


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """Figures of a waiting room. `admitted_per_minute` is null until enough people were admitted to measure it."""

    waiting: int
    admitted: int
    admitted_per_minute: float | None
    joined_in_all: int
    expired_in_all: int
    left_in_all: int
    bought_in_all: int


class RoomView(msgspec.Struct, frozen=True, kw_only=True):
    """A waiting room, for its organiser."""

    event_id: UUID
    mode: Mode
    state: State
    slots: int
    admit_window_s: int
    opens_at: datetime | None
    sold_out: bool
    seed_hash: str | None
    now: Figures


class Draw(msgspec.Struct, frozen=True, kw_only=True):
    """Everything needed to recompute the order of a pre-queue. The seed is null until the room has opened."""

    event_id: UUID
    state: State
    opens_at: datetime | None
    seed_hash: str
    seed: str | None
    tickets: int | None
    rule: str


# --- requests


class Request(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of all request bodies: unknown fields are refused."""


class RoomSettings(Request, frozen=True, kw_only=True):
    """`on` opens the room now, or at `opens_at` with a pre-queue before; `auto` opens it when all slots are taken;
    `off` never opens it."""

    mode: Mode = "auto"
    slots: Annotated[int, Meta(ge=1, le=10_000)] = 5
    admit_window_s: Annotated[int, Meta(ge=30, le=1800)] = 120
    opens_at: datetime | None = None


class JoinQueue(Request, frozen=True, kw_only=True):
    """With a promo code that unlocks a hidden ticket type, you can join although everything else is sold out."""

    promo_code: PromoCode | None = None


# --- refusals


class AdmissionRequired(Refusal):
    """The event's waiting room is open: join the queue, and choose seats when it is your turn."""

    # No subclass of Forbidden: these refusals are not audited, as there can be very many.
    code, status, title = "admission_required", 403, "Wait for your turn first"


class QueueTokenInvalid(Forbidden):
    """The queue token is forged, too old, or of another event or session. Join again to get a new one for your
    place."""

    code, title = "queue_token_invalid", "The queue token is not valid"


class QueueCooldown(RateLimited):
    """A person who leaves the queue can join it again an hour later: `Retry-After` and `wait_s` say in how many
    seconds, `cooldown_until` and `cooldown_until_unix_ms` when."""

    code, title = "queue_cooldown", "You have left this queue recently"


class SoldOut(Conflict):
    """All tickets are sold: there is nothing to wait for."""

    code, title = "sold_out", "The event is sold out"


class JoiningClosed(Conflict):
    """The queue cannot be joined any more. The people in it are still served."""

    code, title = "queue_closed", "The queue is closed"


class CheckoutFull(Conflict):
    """All checkout slots are taken, and the event has no waiting room. Try again in a few seconds."""

    code, title = "checkout_full", "The checkout is busy"


class InCheckout(Conflict):
    """The slot is used by a checkout. Leave the checkout: its slot ends with it."""

    code, title = "in_checkout", "You are in a checkout"


class NotInQueue(NotFound):
    """You have no place in this event's queue."""

    code, title = "not_in_queue", "You are not in the queue"


class EventNotAvailable(Refusal):
    """The event cannot be booked: it is a draft, over, cancelled, or postponed without a new date."""

    code, title = "event_not_available", "The event cannot be booked"


class SalesClosed(Refusal):
    """The event's sale has not begun, or is over."""

    code, title = "event_sales_closed", "Ticket sales are closed"


class WrongState(Conflict):
    """The waiting room's current state does not allow this."""

    code, title = "queue_state", "The waiting room's state does not allow this"


class PreQueueTooLate(Conflict):
    """A pre-queue is only possible before the sale, and this sale has begun. Open the room instead."""

    code, title = "pre_queue_too_late", "The sale has begun already"
