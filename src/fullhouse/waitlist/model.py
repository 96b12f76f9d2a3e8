"""Waitlists: rows, API structs, request bodies and refusals."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

import msgspec
from msgspec import Meta

from fullhouse.accounts.model import Email
from fullhouse.checkout.model import Request
from fullhouse.kit.errors import Conflict, NotFound

Party = Annotated[int, Meta(ge=1, le=10, description="Number of people. Seats are only offered side by side.")]
Status = Literal["waiting", "offered", "taken", "lapsed", "left"]


# --- rows


class Waitlist(msgspec.Struct, frozen=True, kw_only=True):
    """An event's waitlist settings."""

    event_id: UUID
    enabled: bool = True
    window_s: int = 86_400
    layout_id: UUID | None = None


class StoredEntry(msgspec.Struct, frozen=True, kw_only=True):
    id: UUID
    event_id: UUID
    seq: int
    user_id: UUID
    email: str
    party: int
    zone_key: str | None
    ticket_type_id: UUID | None
    accessible: bool
    status: Status
    basket_id: UUID | None
    answer_by: datetime | None
    created_at: datetime
    updated_at: datetime
    ahead: int | None  # waiting entries before this one; null if this one is not waiting


class OfferedHold(msgspec.Struct, frozen=True, kw_only=True):
    """A hold of an offer."""

    hold_id: UUID
    seat_id: UUID | None
    zone_id: UUID | None
    ticket_type_id: UUID | None
    quantity: int
    zone_name: str | None
    row: str | None
    seat_number: str | None


# --- API structs


class WaitlistEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A customer's entry on the waitlist of an event.

    In status `offered`, the seats or tickets in `offer` are held until `answer_by`, and are bought like any other hold.
    `secret` gives access to the entry without signing in: store it safely.
    """

    id: UUID
    event_id: UUID
    email: str
    party: int
    zone_key: str | None
    ticket_type_id: UUID | None
    accessible: bool
    status: Status
    position: int | None
    offer: list[OfferedHold]
    answer_by: datetime | None
    answer_by_unix_ms: int | None
    server_time_unix_ms: int
    joined_at: datetime
    timezone: str  # of the event
    show_path: str | None = None
    secret: str | None = None


class WaitlistEntryRow(msgspec.Struct, frozen=True, kw_only=True):
    """An entry, as the organiser sees it."""

    id: UUID
    seq: int
    user_id: UUID
    email: str
    party: int
    zone_key: str | None
    ticket_type_id: UUID | None
    accessible: bool
    status: Status
    answer_by: datetime | None
    created_at: datetime
    updated_at: datetime


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """The number of entries in each status, and of people waiting."""

    waiting: int
    people_waiting: int
    offered: int
    taken: int
    lapsed: int
    left: int


class WaitlistView(msgspec.Struct, frozen=True, kw_only=True):
    """An event's waitlist, as its organiser sees it."""

    event_id: UUID
    enabled: bool
    window_s: int
    now: Counts


# --- requests


class JoinWaitlist(Request, frozen=True, kw_only=True):
    """`zone_id` or, for an event without a layout, `ticket_type_id`; without either, any place that comes free.

    `accessible` waits for a wheelchair space and the seats beside it. Guests must give an `email`.
    """

    party: Party = 1
    zone_id: UUID | None = None
    ticket_type_id: UUID | None = None
    accessible: bool = False
    email: Email | None = None


class WaitlistSettings(Request, frozen=True, kw_only=True):
    """While it is off, nobody can join, no offers are made, and returned tickets go back on general sale."""

    enabled: bool = True
    window_s: Annotated[
        int, Meta(ge=900, le=604_800, description="How long an offer is held, in seconds: 15 minutes to a week.")
    ] = 86_400


# --- refusals


class WaitlistOff(Conflict):
    """The waitlist of this event is switched off."""

    code, title = "waitlist_off", "This event has no waitlist"


class PlacesLeft(Conflict):
    """Matching seats or tickets are on sale now: choose them instead of waiting."""

    code, title = "places_left", "Seats or tickets are available now"


class AlreadyWaiting(Conflict):
    """This account or email address is already on the waitlist. Leave it first to wait for something else."""

    code, title = "already_waiting", "You are already on the waitlist"


class NotWaiting(NotFound):
    """You are not on the waitlist of this event."""

    code, title = "not_on_waitlist", "You are not on the waitlist"


class SignInNeeded(Conflict):
    """The offer is held for an account: sign in to that account to buy it."""

    code, title = "sign_in_needed", "Sign in first"
