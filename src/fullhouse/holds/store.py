"""Runs `queries.sql`, row to model."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from fullhouse.holds.model import Brought, ChosenSeat, CompanionSeat, HourOfEndings, StoredHold
from fullhouse.holds.policy import Limit, Load
from fullhouse.kit import sql

statements = sql.load(__file__)


class Ended(NamedTuple):
    """A hold that ended. Without an id: a companion seat that is nobody's any more, or how full a zone is now."""

    hold_id: UUID | None
    event_id: UUID
    user_id: UUID | None
    seat_id: UUID | None
    quantity: int
    ordinal: int | None
    zone_id: UUID | None
    ticket_type_id: UUID | None
    held_until: datetime | None
    age_s: float | None
    version: int | None
    held: int | None
    sold: int | None
    kept: int | None  # instead of `ordinal`: a companion seat that is not free, but kept for who has the place


class LiveHold(NamedTuple):
    hold_id: UUID
    user_id: UUID
    place: UUID
    held_until: datetime


class Holder(NamedTuple):
    user_id: UUID
    until: datetime


class SeatOfHold(NamedTuple):
    seat_id: UUID
    hold_id: UUID


class Show(NamedTuple):
    organization_id: UUID
    event_id: UUID


class StoppedEvent(NamedTuple):
    """An event that sells nothing, and how many of its tickets and holds are live; `wrong` holds should not be."""

    organization_id: UUID
    event_id: UUID
    venue_id: UUID | None
    status: str
    tickets: int
    holds: int
    wrong: int


class Ending(NamedTuple):
    status: str
    holds: int


class Due(NamedTuple):
    organization_id: UUID
    ids: list[UUID]


class HandedOver(NamedTuple):
    hold_id: UUID
    event_id: UUID
    seat_id: UUID | None
    zone_id: UUID | None
    ticket_type_id: UUID | None
    held_until: datetime
    ordinal: int | None
    version: int | None


class Prolonged(NamedTuple):
    hold_id: UUID
    event_id: UUID
    user_id: UUID
    seat_id: UUID | None
    zone_id: UUID | None
    ticket_type_id: UUID | None
    held_before: datetime
    held_until: datetime
    ordinal: int | None
    version: int | None
    quantity: int | None


class Companion(NamedTuple):
    ordinal: int
    version: int


class SeatNow(NamedTuple):
    """A seat as the database has it: `free`, `kept` for somebody's companion, or `taken`, and since when."""

    ordinal: int
    state: str
    since: datetime | None


class TypeLimit(NamedTuple):
    name: str
    most: int | None


class UnsoldZone(NamedTuple):
    """A zone of which no ticket type sells seats now, and why, in the engine's word."""

    zone_id: UUID
    outcome: str


class Usage(NamedTuple):
    """What counts against one person's limits."""

    places: int
    holds: int
    recent: int


my_holds = statements.many("my_holds", StoredHold)
holds_of_basket = statements.many("holds_of_basket", StoredHold)
kept_companions = statements.many("kept_companions", CompanionSeat)
chosen_seats = statements.many("chosen_seats", ChosenSeat)
seats_now = statements.many("seats_now", SeatNow)
usage_of = statements.one("usage_of", Usage)
hold_by_id = statements.one("hold_by_id", StoredHold)
end_holds = statements.many("end_holds", Ended)
note_failures = statements.count("note_failures")
due_holds = statements.many("due_holds", Due)
lock_shows_of_holds = statements.value("lock_shows_of_holds", list[UUID])
live_holds_of_event = statements.value("live_holds_of_event", list[UUID])
overdue_holds_of_events = statements.value("overdue_holds_of_events", list[UUID])
lock_pools_of_events = statements.count("lock_pools_of_events")
fit_event_pools = statements.count("fit_event_pools")
lowered_limits = statements.many("lowered_limits", Limit)
live_holds_of_seats = statements.value("live_holds_of_seats", list[UUID])
limit_of_type = statements.one("limit_of_type", TypeLimit)
unsold_zones = statements.many("unsold_zones", UnsoldZone)
holds_of_seats = statements.many("holds_of_seats", SeatOfHold)
suspend_holds = statements.count("suspend_holds")
resume_holds = statements.count("resume_holds")
is_on_sale = statements.value("is_on_sale", bool)
is_in_sale = statements.value("is_in_sale", bool)
holders = statements.many("holders", Holder)
live_holds = statements.many("live_holds", LiveHold)
people_inside = statements.value("people_inside", int)
shows_on_sale = statements.many("shows_on_sale", Show)

stopped_events = statements.many("stopped_events", StoppedEvent)
hold_endings = statements.many("hold_endings", Ending)
endings_by_hour = statements.many("endings_by_hour", HourOfEndings)
freeze_holds = statements.value("freeze_holds", bool)
thaw_holds = statements.value("thaw_holds", int)
prolong_holds = statements.many("prolong_holds", Prolonged)
frozen_and_thawed = statements.many("frozen_and_thawed", Prolonged)
companions_kept = statements.many("companions_kept", Companion)
let_go = statements.count("let_go")

lock_people = statements.count("lock_people")
lock_pools_of = statements.count("lock_pools_of")
lock_seats_of = statements.count("lock_seats_of")
brought = statements.many("brought", Brought)
load_of = statements.one("load_of", Load)
load_of_booking = statements.one("load_of_booking", Load)
hand_over = statements.many("hand_over", HandedOver)
keep_companions = statements.many("keep_companions", Companion)
