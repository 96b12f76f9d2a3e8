"""Runs `queries.sql`, row to model."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from fullhouse.holds import queries
from fullhouse.holds.model import ChosenSeat, CompanionSeat, GuestHold, HourOfEndings, StoredHold
from fullhouse.holds.policy import Limit, Load
from fullhouse.kit.db import sql


class EndedHold(NamedTuple):
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
    kept: int | None  # instead of `ordinal`: a companion seat that stays reserved for the wheelchair space's holder


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


class EventKey(NamedTuple):
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


class EndingCount(NamedTuple):
    status: str
    holds: int


class DueHolds(NamedTuple):
    organization_id: UUID
    ids: list[UUID]


class HandedOverHold(NamedTuple):
    hold_id: UUID
    event_id: UUID
    seat_id: UUID | None
    zone_id: UUID | None
    ticket_type_id: UUID | None
    held_until: datetime
    ordinal: int | None
    version: int | None


class HoldDeadline(NamedTuple):
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


class CurrentSeat(NamedTuple):
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


list_my_holds = sql.many(queries.list_my_holds, StoredHold)
list_holds_of_basket = sql.many(queries.list_holds_of_basket, StoredHold)
list_kept_companions = sql.many(queries.list_kept_companions, CompanionSeat)
list_chosen_seats = sql.many(queries.list_chosen_seats, ChosenSeat)
list_current_seats = sql.many(queries.list_current_seats, CurrentSeat)
read_usage = sql.one(queries.read_usage, Usage)
find_hold = sql.one(queries.find_hold, StoredHold)
place_holds = sql.rows(queries.place_holds)
end_holds = sql.many(queries.end_holds, EndedHold)
record_refusals = sql.count(queries.record_refusals)
list_due_holds = sql.many(queries.list_due_holds, DueHolds)
lock_events_of_holds = sql.value(queries.lock_events_of_holds, list[UUID])
list_live_holds_of_event = sql.value(queries.list_live_holds_of_event, list[UUID])
list_overdue_holds = sql.value(queries.list_overdue_holds, list[UUID])
lock_pools_of_events = sql.count(queries.lock_pools_of_events)
fit_event_pools = sql.count(queries.fit_event_pools)
list_lowered_limits = sql.many(queries.list_lowered_limits, Limit)
list_live_holds_of_seats = sql.value(queries.list_live_holds_of_seats, list[UUID])
find_type_limit = sql.one(queries.find_type_limit, TypeLimit)
list_unsold_zones = sql.many(queries.list_unsold_zones, UnsoldZone)
list_holds_of_seats = sql.many(queries.list_holds_of_seats, SeatOfHold)
suspend_holds = sql.count(queries.suspend_holds)
resume_holds = sql.count(queries.resume_holds)
is_on_sale = sql.value(queries.is_on_sale, bool)
is_in_sale = sql.value(queries.is_in_sale, bool)
list_holders = sql.many(queries.list_holders, Holder)
list_live_holds = sql.many(queries.list_live_holds, LiveHold)
count_people_inside = sql.value(queries.count_people_inside, int)
list_events_on_sale = sql.many(queries.list_events_on_sale, EventKey)

list_stopped_events = sql.many(queries.list_stopped_events, StoppedEvent)
count_endings = sql.many(queries.count_endings, EndingCount)
count_endings_by_hour = sql.many(queries.count_endings_by_hour, HourOfEndings)
freeze_holds = sql.value(queries.freeze_holds, bool)
thaw_holds = sql.value(queries.thaw_holds, int)
prolong_holds = sql.many(queries.prolong_holds, HoldDeadline)
list_deadlines = sql.many(queries.list_deadlines, HoldDeadline)
list_companion_versions = sql.many(queries.list_companion_versions, Companion)
detach_payment = sql.count(queries.detach_payment)

lock_users = sql.count(queries.lock_users)
lock_pools_of_guest = sql.count(queries.lock_pools_of_guest)
lock_seats_of_guest = sql.count(queries.lock_seats_of_guest)
lock_holds_of_guest = sql.many(queries.lock_holds_of_guest, GuestHold)
read_load = sql.one(queries.read_load, Load)
read_booking_load = sql.one(queries.read_booking_load, Load)
hand_over = sql.many(queries.hand_over, HandedOverHold)
keep_companions = sql.many(queries.keep_companions, Companion)
