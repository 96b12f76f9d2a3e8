"""Rooms and places as they are shown; what an organiser may ask for, and what is refused."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

import msgspec
from msgspec import Meta

from fullhouse.kit.errors import Conflict, Forbidden, NotFound, RateLimited, Refusal

PromoCode = Annotated[str, Meta(min_length=1, max_length=40, description="It shows hidden types.")]
Mode = Literal["auto", "on", "off"]
State = Literal["closed", "pre", "open", "paused", "draining"]


class Admission(msgspec.Struct, frozen=True, kw_only=True):
    """A slot: until then its owner may choose seats and check out."""

    seq: int
    expires_at: datetime
    expires_at_unix_ms: int


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where somebody stands: `position` of `total` who wait. These and the wait are null where they mean nothing or are
    not known yet."""

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


class PlaceInLine(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody's place in a line or, `inside`, their slot."""

    event_id: UUID
    user_id: UUID
    seq: int
    place: int
    inside: bool
    overdue: bool


class Room(msgspec.Struct, frozen=True, kw_only=True):
    """A room's row."""

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
    """How it goes. `admitted_per_minute` is null until enough people were let in to say."""

    waiting: int
    admitted: int
    admitted_per_minute: float | None
    joined_in_all: int
    expired_in_all: int
    left_in_all: int
    bought_in_all: int


class RoomView(msgspec.Struct, frozen=True, kw_only=True):
    """A waiting room, as its organiser sees it."""

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
    """All that anybody needs to recompute the order of a pre-queue. The seed is null until the room has opened."""

    event_id: UUID
    state: State
    opens_at: datetime | None
    seed_hash: str
    seed: str | None
    tickets: int | None
    rule: str


# --- requests


class Request(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of all bodies: nothing unknown is ignored."""


class RoomSettings(Request, frozen=True, kw_only=True):
    """`on` opens the room now, or at `opens_at` with a pre-queue until then; `auto` opens it when slots run out."""

    mode: Mode = "auto"
    slots: Annotated[int, Meta(ge=1, le=10_000)] = 5
    admit_window_s: Annotated[int, Meta(ge=30, le=1800)] = 120
    opens_at: datetime | None = None


class JoinQueue(Request, frozen=True, kw_only=True):
    """With a promo code that shows a hidden ticket type, you can join although everything else is sold."""

    promo_code: PromoCode | None = None


# --- refusals


class AdmissionRequired(Refusal):
    """The show's waiting room is open: join it, and choose when it is your turn."""

    # Not a matter of rights: a crowd that knocks is nothing for the audit.
    code, status, title = "admission_required", 403, "Wait for your turn first"


class QueueTokenInvalid(Forbidden):
    """The queue token is forged, too old, of another show or of another session. Join again to get your place's own."""

    code, title = "queue_token_invalid", "The queue token is not valid"


class QueueCooldown(RateLimited):
    """Whoever leaves the line may join it again an hour later: `Retry-After` and `wait_s` say in how many seconds,
    `cooldown_until` and `cooldown_until_unix_ms` when."""

    code, title = "queue_cooldown", "You have left this line a short while ago"


class SoldOut(Conflict):
    """There is nothing left to wait for."""

    code, title = "sold_out", "The show is sold out"


class LineClosed(Conflict):
    """The line takes nobody new any more. Those who stand in it are still served."""

    code, title = "queue_closed", "The line is closed"


class CheckoutFull(Conflict):
    """As many people are checking out as may at a time, and there is no waiting room. Try again in a few seconds."""

    code, title = "checkout_full", "The checkout is busy"


class InCheckout(Conflict):
    """The slot has a checkout in it: leave that, and the slot goes with it."""

    code, title = "in_checkout", "You are in a checkout"


class NotInQueue(NotFound):
    """You have no place in this show's line."""

    code, title = "not_in_queue", "You are not in the line"


class EventNotAvailable(Refusal):
    """The show's status does not allow reserving: it is a draft, over, cancelled, or postponed without a date."""

    code, title = "event_not_available", "The show cannot be booked"


class SalesClosed(Refusal):
    """The show's sale has not begun, or is over."""

    code, title = "event_sales_closed", "The sale is closed"


class WrongState(Conflict):
    """The waiting room is in a state in which this cannot be done."""

    code, title = "queue_state", "Not while the waiting room is like this"


class PreQueueTooLate(Conflict):
    """A pre-queue gathers people before a sale. This one has begun: open the room instead."""

    code, title = "pre_queue_too_late", "The sale has begun already"
