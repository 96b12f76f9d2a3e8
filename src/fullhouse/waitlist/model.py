"""Waiting lists as they are stored and shown; what may be asked for, and what is refused."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

import msgspec
from msgspec import Meta

from fullhouse.accounts.model import Email
from fullhouse.checkout.model import Request
from fullhouse.kit.errors import Conflict, NotFound

Party = Annotated[int, Meta(ge=1, le=10, description="How many go. Seats are offered side by side, or not at all.")]
Status = Literal["waiting", "offered", "taken", "lapsed", "left"]


# --- rows


class List(msgspec.Struct, frozen=True, kw_only=True):
    """A show's list, as its organiser set it."""

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
    ahead: int | None  # who waits and came before; null if this one does not wait


class Offered(msgspec.Struct, frozen=True, kw_only=True):
    """A hold of an offer."""

    hold_id: UUID
    seat_id: UUID | None
    zone_id: UUID | None
    ticket_type_id: UUID | None
    quantity: int
    zone_name: str | None
    row: str | None
    seat_number: str | None


# --- as shown


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody's place on a show's waiting list.

    `offered`: these places are held for them until `answer_by`, and are bought like everything that one holds.
    `secret` opens this without signing in: keep it.
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
    offer: list[Offered]
    answer_by: datetime | None
    answer_by_unix_ms: int | None
    server_time_unix_ms: int
    joined_at: datetime
    timezone: str  # the show's
    show_path: str | None = None
    secret: str | None = None


class EntryRow(msgspec.Struct, frozen=True, kw_only=True):
    """An entry in the organiser's list."""

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
    """How many entries are in each state, and how many people wait."""

    waiting: int
    people_waiting: int
    offered: int
    taken: int
    lapsed: int
    left: int


class ListView(msgspec.Struct, frozen=True, kw_only=True):
    """A show's waiting list, as its organiser sees it."""

    event_id: UUID
    enabled: bool
    window_s: int
    now: Counts


# --- requests


class JoinList(Request, frozen=True, kw_only=True):
    """Where: a zone, or in a show without a layout a ticket type; without either, wherever places come free.

    `accessible` waits for a wheelchair place, and seats beside it. `email` is needed from guests.
    """

    party: Party = 1
    zone_id: UUID | None = None
    ticket_type_id: UUID | None = None
    accessible: bool = False
    email: Email | None = None


class ListSettings(Request, frozen=True, kw_only=True):
    """Off: nobody joins, nobody is offered anything, and what comes back is sold to everybody."""

    enabled: bool = True
    window_s: Annotated[
        int, Meta(ge=900, le=604_800, description="How long an offer is kept: 15 minutes to a week.")
    ] = 86_400


# --- refusals


class ListOff(Conflict):
    """This show has no waiting list."""

    code, title = "waitlist_off", "There is no waiting list"


class PlacesLeft(Conflict):
    """There are such places now: choose them instead of waiting."""

    code, title = "places_left", "There are places left"


class AlreadyWaiting(Conflict):
    """You, or somebody with this address, is on the list already. Leave it first to wait for something else."""

    code, title = "already_waiting", "You are on the list already"


class NotWaiting(NotFound):
    """You are not on this show's waiting list."""

    code, title = "not_on_waitlist", "You are not on the list"


class SignInNeeded(Conflict):
    """The places are held for an account: sign in with it to buy them."""

    code, title = "sign_in_needed", "Sign in first"
