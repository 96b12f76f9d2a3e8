"""Runs `queries.sql`, row to model."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from fullhouse.holds import queries
from fullhouse.holds.model import Brought, ChosenSeat, CompanionSeat, HourOfEndings, StoredHold
from fullhouse.holds.policy import Limit, Load
from fullhouse.kit.db import sql


class Ended(NamedTuple):
    """A hold that ended. Rows without an id: a companion seat that is free again, or a zone's new counts."""

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
    kept: int | None  # instead of `ordinal`: a companion seat that stays reserved for the wheelchair place's holder


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
    """A cancelled or postponed event with live tickets or holds; `wrong` counts the holds that should have ended."""

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
    """A seat's state in the database: `free`, `kept` as somebody's companion seat, or `taken`, and since when."""

    ordinal: int
    state: str
    since: datetime | None


class TypeLimit(NamedTuple):
    name: str
    most: int | None


class UnsoldZone(NamedTuple):
    """A zone of which no ticket type sells seats now, and the engine's outcome for it."""

    zone_id: UUID
    outcome: str


class Usage(NamedTuple):
    """What counts against one person's limits."""

    places: int
    holds: int
    recent: int


my_holds = sql.many(queries.my_holds, StoredHold)
holds_of_basket = sql.many(queries.holds_of_basket, StoredHold)
kept_companions = sql.many(queries.kept_companions, CompanionSeat)
chosen_seats = sql.many(queries.chosen_seats, ChosenSeat)
seats_now = sql.many(queries.seats_now, SeatNow)
usage_of = sql.one(queries.usage_of, Usage)
hold_by_id = sql.one(queries.hold_by_id, StoredHold)
place_holds = sql.rows(queries.place_holds)
end_holds = sql.many(queries.end_holds, Ended)
note_failures = sql.count(queries.note_failures)
due_holds = sql.many(queries.due_holds, Due)
lock_shows_of_holds = sql.value(queries.lock_shows_of_holds, list[UUID])
live_holds_of_event = sql.value(queries.live_holds_of_event, list[UUID])
overdue_holds_of_events = sql.value(queries.overdue_holds_of_events, list[UUID])
lock_pools_of_events = sql.count(queries.lock_pools_of_events)
fit_event_pools = sql.count(queries.fit_event_pools)
lowered_limits = sql.many(queries.lowered_limits, Limit)
live_holds_of_seats = sql.value(queries.live_holds_of_seats, list[UUID])
limit_of_type = sql.one(queries.limit_of_type, TypeLimit)
unsold_zones = sql.many(queries.unsold_zones, UnsoldZone)
holds_of_seats = sql.many(queries.holds_of_seats, SeatOfHold)
suspend_holds = sql.count(queries.suspend_holds)
resume_holds = sql.count(queries.resume_holds)
is_on_sale = sql.value(queries.is_on_sale, bool)
is_in_sale = sql.value(queries.is_in_sale, bool)
holders = sql.many(queries.holders, Holder)
live_holds = sql.many(queries.live_holds, LiveHold)
people_inside = sql.value(queries.people_inside, int)
shows_on_sale = sql.many(queries.shows_on_sale, Show)

stopped_events = sql.many(queries.stopped_events, StoppedEvent)
hold_endings = sql.many(queries.hold_endings, Ending)
endings_by_hour = sql.many(queries.endings_by_hour, HourOfEndings)
freeze_holds = sql.value(queries.freeze_holds, bool)
thaw_holds = sql.value(queries.thaw_holds, int)
prolong_holds = sql.many(queries.prolong_holds, Prolonged)
frozen_and_thawed = sql.many(queries.frozen_and_thawed, Prolonged)
companions_kept = sql.many(queries.companions_kept, Companion)
let_go = sql.count(queries.let_go)

lock_people = sql.count(queries.lock_people)
lock_pools_of = sql.count(queries.lock_pools_of)
lock_seats_of = sql.count(queries.lock_seats_of)
brought = sql.many(queries.brought, Brought)
load_of = sql.one(queries.load_of, Load)
load_of_booking = sql.one(queries.load_of_booking, Load)
hand_over = sql.many(queries.hand_over, HandedOver)
keep_companions = sql.many(queries.keep_companions, Companion)
